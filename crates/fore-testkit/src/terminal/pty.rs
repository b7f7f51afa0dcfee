//! The line between the terminal and the program: a pseudo-terminal, and a thread that reads it until it is hung up.

use super::{
    PATIENCE, TerminalProgram, TerminalSize,
    wait::{SharedTerminal, lock},
};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::{
    event::{PollFd, PollFlags, Timespec},
    fs::OFlags,
    termios::LocalModes,
};
use std::{
    fs::File,
    io::{ErrorKind, Read as _, Write as _},
    os::{
        fd::{BorrowedFd, RawFd},
        unix::{fs::OpenOptionsExt as _, net::UnixStream},
    },
    path::PathBuf,
    sync::Arc,
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// Bytes that are read at once.
const READ_BYTES: usize = 64 << 10;
/// The kernel does not tell when keys were read, so it is asked again and again.
const LOOK_AGAIN: Duration = Duration::from_micros(200);
/// How long is waited for room before the clock is looked at.
const WRITE_POLL_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// This end of the pseudo-terminal; dropping it hangs up.
pub(super) struct Pty {
    master: Box<dyn MasterPty + Send>,
    file: Arc<File>,
    /// The path of the program's end.
    far: Option<PathBuf>,
    /// Closed to stop the reader.
    stop: Option<UnixStream>,
    reader: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Pty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pty").field("far", &self.far).finish_non_exhaustive()
    }
}

type StartedPty = (Pty, Box<dyn Child + Send + Sync>);

impl Pty {
    pub(super) fn open(
        program: &TerminalProgram,
        size: TerminalSize,
        shared: &Arc<SharedTerminal>,
    ) -> Result<StartedPty, String> {
        let pair = native_pty_system().openpty(pty_size(size)).map_err(|error| error.to_string())?;
        // Our own descriptor: the writer of the library types a line end when it is dropped, which could answer a question.
        let raw = pair.master.as_raw_fd().ok_or("the pseudo-terminal has no descriptor")?;
        let file = own(raw).map_err(|error| error.to_string())?;
        let mut command = CommandBuilder::new(&program.path);
        command.args(&program.arguments);
        command.env_clear();
        program.environment.iter().for_each(|(name, value)| command.env(name, value));
        command.cwd(&program.folder);
        let child = pair.slave.spawn_command(command).map_err(|error| error.to_string())?;
        // Whoever holds the far end keeps the line open.
        drop(pair.slave);
        let (stop, stopped) = UnixStream::pair().map_err(|error| error.to_string())?;
        let file = Arc::new(file);
        let (reads, for_reader) = (file.clone(), shared.clone());
        let reader = std::thread::Builder::new()
            .name("terminal".to_owned())
            .spawn(move || read(&reads, &stopped, &for_reader))
            .map_err(|error| error.to_string())?;
        let far = pair.master.tty_name();
        Ok((Pty { master: pair.master, file, far, stop: Some(stop), reader: Some(reader) }, child))
    }

    pub(super) fn write(&self, bytes: &[u8]) -> Result<(), String> {
        write(&self.file, bytes)
    }

    pub(super) fn resize(&self, size: TerminalSize) -> Result<(), String> {
        self.master.resize(pty_size(size)).map_err(|error| error.to_string())
    }

    /// Waits until the program has read what was typed, or has gone; false if it does not come to that.
    pub(super) fn wait_read(&self, is_gone: impl Fn() -> bool) -> bool {
        let end = Instant::now() + PATIENCE;
        while self.has_unread() && !is_gone() {
            if Instant::now() > end {
                return false;
            }
            std::thread::park_timeout(LOOK_AGAIN);
        }
        true
    }

    /// Whether there is something that the program could read and has not. To poll the far end, other than to ask for a
    /// count, first brings there what is still on its way.
    #[expect(clippy::disallowed_methods, reason = "the far end of a pseudo-terminal is opened to ask what is unread")]
    fn has_unread(&self) -> bool {
        let Some(far) = &self.far else { return false };
        let flags = libc::O_NOCTTY | libc::O_NONBLOCK | libc::O_CLOEXEC;
        let Ok(far) = std::fs::OpenOptions::new().read(true).custom_flags(flags).open(far) else { return false };
        ready([PollFd::new(&far, PollFlags::IN)], Some(Timespec::default())) == [true]
    }

    pub(super) fn is_cooked(&self) -> bool {
        let cooked = LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
        rustix::termios::tcgetattr(&self.file).is_ok_and(|modes| modes.local_modes.contains(cooked))
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

fn pty_size(size: TerminalSize) -> PtySize {
    PtySize { rows: size.rows.max(1), cols: size.columns.max(1), pixel_width: 0, pixel_height: 0 }
}

/// A copy of a descriptor that never blocks.
fn own(raw: RawFd) -> std::io::Result<File> {
    // SAFETY: the caller holds the descriptor open during the call.
    let copy = unsafe { BorrowedFd::borrow_raw(raw) }.try_clone_to_owned()?;
    let flags = rustix::fs::fcntl_getfl(&copy)?;
    rustix::fs::fcntl_setfl(&copy, flags | OFlags::NONBLOCK)?;
    Ok(File::from(copy))
}

/// Feeds the emulator and sends its answers until the program has closed its end, or the line is hung up.
fn read(file: &File, stopped: &UnixStream, shared: &SharedTerminal) {
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let [_, is_stopped] = ready([PollFd::new(file, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)], None);
        if is_stopped {
            break;
        }
        match { file }.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                shared.take(buffer.get(..count).unwrap_or_default(), |answers| {
                    // A program that asks and does not listen misses the answer, as with a real terminal.
                    let _ = write(file, answers);
                });
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            // The kernel says so when the program's end is closed.
            Err(_) => break,
        }
    }
    lock(shared).is_over = true;
    shared.announce();
}

fn write(mut file: &File, mut bytes: &[u8]) -> Result<(), String> {
    let end = Instant::now() + PATIENCE;
    while !bytes.is_empty() {
        match file.write(bytes) {
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::WouldBlock && Instant::now() < end => {
                ready([PollFd::new(&file, PollFlags::OUT)], Some(WRITE_POLL_INTERVAL));
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}

/// Waits until one of the descriptors has something, or for so long; which of them have.
fn ready<const COUNT: usize>(descriptors: [PollFd<'_>; COUNT], time: Option<Timespec>) -> [bool; COUNT] {
    let mut polled = descriptors;
    let _ = rustix::event::poll(&mut polled, time.as_ref());
    polled.map(|one| !one.revents().is_empty())
}
