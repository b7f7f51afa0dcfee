//! The terminal in other hands for a while: an editor, the shell; and how it is taken back.

use super::{Face, SETTLED};
use crate::{
    app::{EditFor, Told},
    door::Door,
    screen::{Keyboard, Size},
    signals::Turn,
    view::View,
};
use std::{io, time::Instant};

impl Face {
    pub(super) fn edit(&mut self, keyboard: &Keyboard, name: &str, text: &str, purpose: EditFor) -> io::Result<()> {
        let text = self.lend(keyboard, |door| door.edit(name, text))?;
        self.app.told(Told::Edited { purpose, text }, Instant::now());
        Ok(())
    }

    /// Hands the terminal over for a while and takes it back.
    pub(super) fn lend<T>(&mut self, keyboard: &Keyboard, to: impl FnOnce(&dyn Door) -> T) -> io::Result<T> {
        let _keys_are_theirs = keyboard.lent();
        // Nothing is printed on the other screen: it would be gone with it. The next frame enters it again.
        self.whole = None;
        let width = self.inline.size().columns;
        let printed = self.app.take_printed(width);
        self.inline.draw(&printed, View::default())?;
        self.inline.clear()?;
        self.raw.pause()?;
        let out = to(&*self.door);
        self.raw.resume()?;
        self.inline.back(Size::now());
        self.is_due = true;
        Ok(out)
    }

    pub(super) fn turn(&mut self, turn: Turn, keyboard: &Keyboard) -> io::Result<()> {
        match turn {
            Turn::Stop => self.lend(keyboard, |door| door.suspend()),
            Turn::GoOn => self.go_on(keyboard),
            Turn::Resized => {
                self.resized_at = Some(Instant::now() + SETTLED);
                Ok(())
            }
        }
    }

    /// The program was stopped without being asked, and goes on: the terminal may have been a shell's meanwhile.
    fn go_on(&mut self, keyboard: &Keyboard) -> io::Result<()> {
        let _not_now = keyboard.lent();
        self.whole = None;
        if self.raw.holds() {
            // Nobody took it, so the area is where it was.
            self.inline.clear()?;
        }
        self.raw.pause()?;
        self.raw.resume()?;
        self.inline.back(Size::now());
        self.is_due = true;
        Ok(())
    }
}
