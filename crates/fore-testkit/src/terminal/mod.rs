//! A terminal for tests: the real program behind a pseudo-terminal, and on this side an emulator that shows what a person
//! would see and keys as a keyboard sends them. It never guesses how long something takes: it waits for what is shown.
//!
//! A wait that is in vain ends the test, with the whole screen in its message.

mod cell;
mod drawn;
mod emulator;
mod habits;
mod key;
mod palette;
mod process;
mod pty;
mod screen;
mod styled;
mod svg;
mod wait;

pub use habits::Habits;
pub use key::TerminalKey;
pub use process::Exit;
pub use screen::{Screen, ScreenCursor, ScreenModes};
pub use svg::WindowTheme;

use process::TerminalProcess;
use pty::Pty;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use wait::{SharedTerminal, lock};

/// How long anything may take before it counts as never.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say what they are")]
pub struct TerminalSize {
    pub columns: u16,
    pub rows: u16,
}

/// What is started, and where. The environment is the whole one; nothing of ours is added but what a terminal needs.
#[derive(Clone, Debug)]
pub struct TerminalProgram {
    /// The program.
    pub path: PathBuf,
    /// Without the name of the program.
    pub arguments: Vec<String>,
    /// All of it.
    pub environment: Vec<(String, String)>,
    /// Where it is started.
    pub folder: PathBuf,
}

impl TerminalProgram {
    /// A program with these arguments, in a folder, with a path to find others and nothing else in its environment.
    pub fn new(path: impl Into<PathBuf>, arguments: &[&str], folder: &Path) -> TerminalProgram {
        let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        TerminalProgram {
            path: path.into(),
            arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
            environment: vec![variable("PATH", "/usr/local/bin:/usr/bin:/bin"), variable("TERM", "xterm-256color")],
            folder: folder.to_owned(),
        }
    }
}

/// A terminal with a program in it. Dropping it ends the program and everything in its session.
#[derive(Debug)]
pub struct Terminal {
    shared: Arc<SharedTerminal>,
    /// Gone when the terminal was closed.
    pty: Option<Pty>,
    process: TerminalProcess,
}

impl Terminal {
    /// Starts a program as the leader of a session whose terminal this is.
    #[track_caller]
    pub fn start(program: &TerminalProgram, size: TerminalSize, habits: Habits) -> Terminal {
        let shared = Arc::new(SharedTerminal::new(size, habits));
        match Pty::open(program, size, &shared) {
            Ok((line, child)) => Terminal { process: TerminalProcess::new(child, &shared), pty: Some(line), shared },
            Err(why) => wait::fail(&format!("{} did not start: {why}", program.path.display())),
        }
    }

    /// The process id of the program, which is also that of its group and its session.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Types text, one key at a time: the next follows when the program has read the one before.
    #[track_caller]
    pub fn keys(&mut self, text: &str) {
        text.chars()
            .for_each(|letter| self.key(if letter == '\n' { TerminalKey::Enter } else { TerminalKey::Char(letter) }));
    }

    /// Presses a key.
    #[track_caller]
    pub fn key(&mut self, key: TerminalKey) {
        let bytes = key.bytes(lock(&self.shared).emulator.key_modes());
        self.send(&bytes);
        self.wait_read();
    }

    /// Pastes text, between the marks of a paste if the program asked for them, with line ends as terminals send them.
    #[track_caller]
    pub fn paste(&mut self, text: &str) {
        let text = text.replace("\r\n", "\r").replace('\n', "\r");
        let is_marked = lock(&self.shared).emulator.modes().bracketed_paste;
        let text = if is_marked { format!("\x1b[200~{text}\x1b[201~") } else { text };
        self.send(text.as_bytes());
        self.wait_read();
    }

    /// Sends bytes and does not wait until they are read.
    #[track_caller]
    pub fn send(&mut self, bytes: &[u8]) {
        let sent = self.pty.as_ref().map_or_else(|| Err("the terminal is closed".to_owned()), |line| line.write(bytes));
        if let Err(why) = sent {
            self.shared.fail(&format!("the program did not take {:?}: {why}", String::from_utf8_lossy(bytes)));
        }
    }

    /// Waits until the program has read everything that was typed. A program that reads whole lines counts as reading.
    #[track_caller]
    pub fn wait_read(&mut self) {
        let is_read = self.pty.as_ref().is_none_or(|line| line.wait_read(|| lock(&self.shared).exit.is_some()));
        if !is_read {
            self.shared.fail("the program does not read its keys");
        }
    }

    /// Gives the window another size; the kernel tells the program.
    #[track_caller]
    pub fn resize(&mut self, size: TerminalSize) {
        lock(&self.shared).emulator.resize(size);
        let resized = self.pty.as_ref().map_or(Ok(()), |line| line.resize(size));
        if let Err(why) = resized {
            self.shared.fail(&format!("the size did not change: {why}"));
        }
    }

    /// Closes the window: the kernel hangs up on the program.
    pub fn close(&mut self) {
        self.pty = None;
    }

    /// Ends the program at once, as `kill -9` does.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Sends a signal to the program alone.
    pub fn signal(&mut self, signal: libc::c_int) {
        self.process.signal(signal);
    }

    /// Sends a signal to what the program has started, and not to itself: to the job of a shell.
    pub fn signal_children(&mut self, signal: libc::c_int) {
        self.process.signal_children(signal);
    }

    /// What is on the screen now.
    pub fn screen(&self) -> Screen {
        lock(&self.shared).emulator.screen()
    }

    /// Everything that has scrolled off the top, and the screen, as rows without blanks at their ends.
    pub fn scrollback_text(&self) -> String {
        lock(&self.shared).emulator.scrollback_text()
    }

    /// How many bytes the program has written so far.
    pub fn written(&self) -> u64 {
        lock(&self.shared).written
    }

    /// How many whole pictures the program has drawn so far, by its own marks of synchronized output.
    pub fn frames(&self) -> u64 {
        lock(&self.shared).emulator.frames()
    }

    /// Whether the terminal turns what is typed into lines and shows it, as before a full-screen program and after it.
    pub fn is_cooked(&self) -> bool {
        self.pty.as_ref().is_some_and(Pty::is_cooked)
    }

    /// Waits until this text is in a row of the screen.
    #[track_caller]
    pub fn wait_for(&self, text: &str) -> Screen {
        self.shared.wait_rows(&format!("{text:?} on the screen"), |rows| rows.iter().any(|row| row.contains(text)))
    }

    /// Waits until this text is in no row of the screen.
    #[track_caller]
    pub fn wait_gone(&self, text: &str) -> Screen {
        self.shared.wait_rows(&format!("no {text:?} on the screen"), |rows| !rows.iter().any(|row| row.contains(text)))
    }

    /// Waits until the rows of the screen are so. Cheaper than [`Terminal::wait_until`].
    #[track_caller]
    pub fn wait_rows(&self, what: &str, ready: impl FnMut(&[String]) -> bool) -> Screen {
        self.shared.wait_rows(what, ready)
    }

    /// Waits until the screen is so.
    #[track_caller]
    pub fn wait_until(&self, what: &str, ready: impl FnMut(&Screen) -> bool) -> Screen {
        self.shared.wait_until(what, ready)
    }

    /// Waits until the program has drawn more whole pictures than these.
    #[track_caller]
    pub fn wait_frame(&self, after: u64) -> Screen {
        self.shared.wait_frame(after)
    }

    /// Waits until the program has ended and all it wrote was read.
    #[track_caller]
    pub fn wait_exit(&self) -> Exit {
        self.shared.wait_exit()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.process.end();
        self.pty = None;
    }
}

#[cfg(test)]
mod tests;
