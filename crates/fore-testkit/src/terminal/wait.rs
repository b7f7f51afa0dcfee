//! Waiting for the program: woken by what it writes, bounded, and with a message that shows the screen.

use super::{PATIENCE, TerminalSize, emulator::Emulator, habits::Habits, process::Exit, screen::Screen};
use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// How long the rest of the output may take when the program has ended and something else holds its terminal.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// Rows above the screen that a failed wait shows.
const ROWS_ABOVE: usize = 60;

#[derive(Debug)]
pub(super) struct SharedTerminal {
    state: Mutex<TerminalState>,
    changed: Condvar,
}

#[derive(Debug)]
pub(super) struct TerminalState {
    pub(super) emulator: Emulator,
    pub(super) written: u64,
    /// Nothing more will be written.
    pub(super) is_over: bool,
    pub(super) exit: Option<Exit>,
}

pub(super) fn lock(shared: &SharedTerminal) -> MutexGuard<'_, TerminalState> {
    shared.state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the test.
#[track_caller]
#[expect(clippy::panic, reason = "a test whose terminal does not do what it waits for has failed")]
pub(super) fn fail(why: &str) -> ! {
    panic!("{why}")
}

impl SharedTerminal {
    pub(super) fn new(size: TerminalSize, habits: Habits) -> SharedTerminal {
        let state = TerminalState { emulator: Emulator::new(size, habits), written: 0, is_over: false, exit: None };
        SharedTerminal { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Takes what the program wrote and sends what a terminal answers to it. Nobody sees the new screen before that, so
    /// what a test types because of it comes after the answers.
    pub(super) fn take(&self, bytes: &[u8], send: impl FnOnce(&[u8])) {
        let mut state = lock(self);
        state.written += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let answers = state.emulator.process(bytes);
        if !answers.is_empty() {
            send(&answers);
        }
        drop(state);
        self.announce();
    }

    pub(super) fn announce(&self) {
        self.changed.notify_all();
    }

    #[track_caller]
    pub(super) fn wait_rows(&self, what: &str, mut ready: impl FnMut(&[String]) -> bool) -> Screen {
        self.wait_shown(what, |state| ready(&state.emulator.rows()).then(|| state.emulator.screen()))
    }

    #[track_caller]
    pub(super) fn wait_until(&self, what: &str, mut ready: impl FnMut(&Screen) -> bool) -> Screen {
        self.wait_shown(what, |state| Some(state.emulator.screen()).filter(&mut ready))
    }

    #[track_caller]
    pub(super) fn wait_frame(&self, after: u64) -> Screen {
        let drawn = |state: &TerminalState| (state.emulator.frames() > after).then(|| state.emulator.screen());
        self.wait_shown("another picture", drawn)
    }

    #[track_caller]
    pub(super) fn wait_exit(&self) -> Exit {
        let Some(exit) = self.wait(PATIENCE, |state| state.exit) else { self.fail("it did not end") };
        // Something that it started may hold the terminal for longer; that is no reason to wait.
        let _ = self.wait(LAST_WORDS, |state| state.is_over.then_some(()));
        exit
    }

    /// Waits for something on the screen. Half a picture does not count: a terminal would not show it.
    #[track_caller]
    fn wait_shown<T>(&self, what: &str, mut ready: impl FnMut(&TerminalState) -> Option<T>) -> T {
        let found = self.wait(PATIENCE, |state| {
            let is_whole = !state.emulator.is_drawing() || state.is_over;
            let found = if is_whole { ready(state) } else { None };
            // The rest would be waited for in vain.
            found.map(Some).or_else(|| state.is_over.then_some(None))
        });
        match found.flatten() {
            Some(found) => found,
            None => self.fail(&format!("waited in vain for {what}")),
        }
    }

    fn wait<T>(&self, patience: Duration, mut ready: impl FnMut(&TerminalState) -> Option<T>) -> Option<T> {
        let end = Instant::now() + patience;
        let mut state = lock(self);
        loop {
            if let Some(found) = ready(&state) {
                return Some(found);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends the test with what is on the screen.
    #[track_caller]
    pub(super) fn fail(&self, why: &str) -> ! {
        let mut state = lock(self);
        let screen = state.emulator.screen();
        let all = state.emulator.scrollback_text();
        let program = match (state.exit, state.is_over) {
            (Some(Exit::Code(code)), _) => format!("the program ended with code {code}"),
            (Some(Exit::Signal(signal)), _) => format!("the program was ended by signal {signal}"),
            (None, true) => "the program has closed its terminal".to_owned(),
            (None, false) if state.emulator.is_drawing() => "the program is in the middle of a picture".to_owned(),
            (None, false) => "the program runs".to_owned(),
        };
        drop(state);
        let rows: Vec<&str> = all.lines().collect();
        let shown = screen.text().lines().count();
        let above = rows.len().saturating_sub(shown);
        let above = rows.get(above.saturating_sub(ROWS_ABOVE)..above).unwrap_or_default().join("\n");
        fail(&format!("{why}; {program}\n\n{above}\n{}", screen.framed()));
    }
}
