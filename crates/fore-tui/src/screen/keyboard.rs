//! The keys of the real terminal: a thread that reads them and tells which of them came at once. It gives them no meaning.

use crate::keys::burst;
use crossterm::event::{self, Event as Input};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::{
    fs::File,
    io::{self, IsTerminal as _},
    os::fd::{AsFd as _, BorrowedFd},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::mpsc;

/// What was read together with a key is there at once; nothing is waited for but a thread that was not let run.
const AT_ONCE: Duration = Duration::from_millis(20);
/// So many letters at once are a paste, and what has arrived meanwhile is more of it.
const HEAP: usize = 64;
/// Letters that are taken at once.
const MAX_LETTERS: usize = 1 << 18;
/// Readings that wait to be looked at; the rest waits in the terminal.
const MAX_READINGS: usize = 64;

/// The keyboard. Nothing is read any more when it is dropped.
#[derive(Debug)]
pub(crate) struct Keyboard {
    readings: mpsc::Receiver<Vec<Input>>,
    read_lock: Arc<ReadLock>,
}

/// Whose turn it is to read.
#[derive(Debug, Default)]
struct ReadLock {
    /// Held by whoever reads.
    reads: Mutex<()>,
    is_over: AtomicBool,
}

impl Keyboard {
    pub(crate) fn new() -> io::Result<Keyboard> {
        let (sender, readings) = mpsc::channel(MAX_READINGS);
        let turn = Arc::new(ReadLock::default());
        let shared = Arc::clone(&turn);
        let tty = Tty::open()?;
        std::thread::Builder::new().name("keyboard".to_owned()).spawn(move || read(&tty, &shared, &sender))?;
        Ok(Keyboard { readings, read_lock: turn })
    }

    /// The next keys, all that came at once. None when the terminal is gone. Nothing is lost when this is dropped.
    pub(crate) async fn next(&mut self) -> Option<Vec<Input>> {
        self.readings.recv().await
    }

    /// Nothing is read while this is held: the keys are meant for another program.
    pub(crate) fn pause(&self) -> impl Drop {
        self.read_lock.lock()
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        // Not in turn: half of a key that never gets whole is read forever.
        self.read_lock.is_over.store(true, Ordering::Release);
    }
}

impl ReadLock {
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads until the terminal is gone or nobody listens.
fn read(tty: &Tty, turn: &ReadLock, readings: &mpsc::Sender<Vec<Input>>) {
    let mut rest = Remainder::Known;
    loop {
        if rest == Remainder::Known {
            tty.wait();
        }
        let guard = turn.lock();
        if turn.is_over.load(Ordering::Acquire) {
            return;
        }
        let Ok((reading, left)) = take(tty, rest) else { return };
        drop(guard);
        rest = left;
        if !reading.is_empty() && readings.blocking_send(reading).is_err() {
            return;
        }
    }
}

/// Whether it is known how much of what was read has been taken. How many bytes a key is that is not text differs from
/// terminal to terminal; what follows it may have come with it or later, and so counts as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Remainder {
    Known,
    Unknown,
}

/// What came at once and is there now.
fn take(tty: &Tty, rest: Remainder) -> io::Result<(Vec<Input>, Remainder)> {
    if rest == Remainder::Unknown {
        let is_there = event::poll(AT_ONCE)?;
        return if is_there { Ok((vec![event::read()?], rest)) } else { Ok((Vec::new(), Remainder::Known)) };
    }
    let mut letters = Vec::new();
    // While it waited for its turn somebody else may have read what was there.
    if !tty.is_ready(AT_ONCE) {
        return Ok((letters, rest));
    }
    let mut left = tty.unread()?;
    while left > 0 {
        if !letters.is_empty() && !event::poll(AT_ONCE)? {
            return Ok((letters, Remainder::Unknown));
        }
        let input = event::read()?;
        let size = bytes(&input);
        letters.push(input);
        let Some(size) = size else { return Ok((letters, Remainder::Unknown)) };
        left = left.saturating_sub(size);
        if left == 0 && (HEAP..MAX_LETTERS).contains(&letters.len()) {
            left = tty.unread().unwrap_or_default();
        }
    }
    Ok((letters, rest))
}

/// The bytes of a letter; none for anything that is not text.
fn bytes(input: &Input) -> Option<usize> {
    match input {
        Input::Key(key) => burst::letter(key).map(char::len_utf8),
        Input::Paste(_) | Input::Resize(..) | Input::Mouse(_) | Input::FocusGained | Input::FocusLost => None,
    }
}

/// Where the keys come from: the same place that they are read from.
enum Tty {
    Input(io::Stdin),
    Terminal(File),
}

impl Tty {
    fn open() -> io::Result<Tty> {
        let input = io::stdin();
        Ok(if input.is_terminal() { Tty::Input(input) } else { Tty::Terminal(File::open("/dev/tty")?) })
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        match self {
            Tty::Input(input) => input.as_fd(),
            Tty::Terminal(file) => file.as_fd(),
        }
    }

    /// Waits until there is something to read, or the terminal is gone.
    fn wait(&self) {
        self.poll(None);
    }

    fn is_ready(&self, within: Duration) -> bool {
        self.poll(Some(within))
    }

    fn poll(&self, within: Option<Duration>) -> bool {
        // A time that is too long for the kernel is as good as none.
        let within = within.and_then(|within| Timespec::try_from(within).ok());
        let polled = poll(&mut [PollFd::from_borrowed_fd(self.descriptor(), PollFlags::IN)], within.as_ref());
        polled.is_ok_and(|count| count > 0)
    }

    /// The bytes that wait to be read. A terminal that is ready and has none is gone.
    fn unread(&self) -> io::Result<usize> {
        let count = rustix::io::ioctl_fionread(self.descriptor()).ok().and_then(|count| usize::try_from(count).ok());
        count.filter(|count| *count > 0).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}
