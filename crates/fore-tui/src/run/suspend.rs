//! The terminal in other hands for a while: an editor, the shell; and how it is taken back.

use super::{SETTLED, ScreenFrontend};
use crate::{
    app::{EditFor, HostReply},
    host::TerminalHost,
    screen::{Keyboard, ScreenSize},
    signals::JobSignal,
    view::View,
};
use std::{io, time::Instant};

impl ScreenFrontend {
    pub(super) fn edit(&mut self, keyboard: &Keyboard, name: &str, text: &str, purpose: EditFor) -> io::Result<()> {
        let text = self.while_suspended(keyboard, |host| host.edit(name, text))?;
        self.app.host_reply(HostReply::Edited { purpose, text }, Instant::now());
        Ok(())
    }

    /// Hands the terminal over for a while and takes it back.
    pub(super) fn while_suspended<T>(
        &mut self,
        keyboard: &Keyboard,
        to: impl FnOnce(&dyn TerminalHost) -> T,
    ) -> io::Result<T> {
        let _keys_are_theirs = keyboard.pause();
        // Nothing is printed on the other screen: it would be gone with it. The next frame enters it again.
        self.full_screen = None;
        let width = self.inline.size().columns;
        let printed = self.app.take_printed(width);
        self.inline.draw(&printed, View::default())?;
        self.inline.clear()?;
        self.raw.pause()?;
        let out = to(&*self.host);
        self.raw.resume()?;
        self.inline.back(ScreenSize::now());
        self.forget_title();
        Ok(out)
    }

    pub(super) fn job_signal(&mut self, turn: JobSignal, keyboard: &Keyboard) -> io::Result<()> {
        match turn {
            JobSignal::Stop => self.while_suspended(keyboard, |host| host.suspend()),
            JobSignal::GoOn => self.go_on(keyboard),
            JobSignal::Resized => {
                self.resized_at = Some(Instant::now() + SETTLED);
                Ok(())
            }
        }
    }

    /// The program was stopped without being asked, and goes on: the terminal may have been a shell's meanwhile.
    fn go_on(&mut self, keyboard: &Keyboard) -> io::Result<()> {
        let _not_now = keyboard.pause();
        self.full_screen = None;
        if self.raw.holds() {
            // Nobody took it, so the area is where it was.
            self.inline.clear()?;
        }
        self.raw.pause()?;
        self.raw.resume()?;
        self.inline.back(ScreenSize::now());
        self.forget_title();
        Ok(())
    }

    /// Others may have written another title.
    fn forget_title(&mut self) {
        self.title = self.title.take().map(|_| String::new());
        self.is_due = true;
    }
}
