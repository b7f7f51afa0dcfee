//! A job with live pipes and a life of its own: somebody writes to it and reads from it for as long as it runs.
//!
//! It runs like every other job, in a thread of its own. Its output passes the same look at the secrets; what it says on standard
//! error is kept as a tail.

use crate::capture::{OutputStream, OutputStreams};
use crate::error::CageError;
use crate::job::{Canceller, Job, RunLimits, RunOutcome};
use crate::sys;
use rustix::event::{PollFd, PollFlags};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Longer than any session.
const NO_END: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// What is kept of its output besides what is passed on.
const KEPT_BYTES: usize = 4 << 10;
const TAIL_BYTES: usize = 16 << 10;
/// Output that waits for its reader, until the command has to wait.
const MAX_WAITING: usize = 1 << 20;
/// How long its last words are offered to a reader that does not read, and to one that does.
const LAST_WORDS: Duration = Duration::from_secs(1);
const ALL_LAST_WORDS: Duration = Duration::from_secs(60);

/// Both ends that its owner has; neither blocks. When the input is closed, programs that are well-behaved end.
#[derive(Debug)]
pub struct LivePipes {
    /// To write to its standard input.
    pub stdin: OwnedFd,
    /// To read its standard output. When this is closed the run is ended.
    pub stdout: OwnedFd,
}

/// A job that runs. Dropping it ends it, with everything that it has started.
pub struct LiveRun {
    pipes: Option<LivePipes>,
    cancel: Canceller,
    state: Arc<LiveRunState>,
}

/// How far a run has come.
#[derive(Default)]
enum LiveStart {
    #[default]
    Beginning,
    /// The program runs, or has run.
    Stands,
    /// It never ran; whoever waits for it takes the reason.
    Failed(Option<CageError>),
}

/// What the thread of a run and its owner share.
#[derive(Default)]
struct LiveRunState {
    tail: Mutex<VecDeque<u8>>,
    start: Mutex<LiveStart>,
    ended: OnceLock<Result<RunOutcome, CageError>>,
    changed: Condvar,
}

impl LiveRunState {
    fn locked(&self) -> MutexGuard<'_, LiveStart> {
        self.start.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, bytes: &[u8]) {
        let mut tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend(bytes.get(bytes.len().saturating_sub(TAIL_BYTES)..).unwrap_or_default());
        let over = tail.len().saturating_sub(TAIL_BYTES);
        tail.drain(..over);
    }
}

/// What becomes of the pipes of a run: they are handed into the cage, and filled from it.
pub(crate) struct LiveStreams {
    /// The cage's end of the input, until the cage stands.
    input: Mutex<Option<OwnedFd>>,
    /// Our end of the output, and what waits for its reader. None once it reads no more.
    output: Option<OwnedFd>,
    waiting: Mutex<VecDeque<u8>>,
    state: Arc<LiveRunState>,
}

/// Whether somebody still reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReaderState {
    There,
    Gone,
}

impl LiveStreams {
    fn waiting(&self) -> MutexGuard<'_, VecDeque<u8>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, stream: OutputStream, bytes: &[u8]) {
        match stream {
            OutputStream::Stdout => self.waiting().extend(bytes),
            OutputStream::Stderr => self.state.keep(bytes),
        }
    }

    /// Hands the input to the guard. A second try, in another cage, gets the same.
    pub(crate) fn send_input(&self, socket: BorrowedFd<'_>) -> io::Result<()> {
        let input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        let input = input.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        sys::send_descriptor(socket, input.as_fd())
    }

    /// The cage stands and the program runs in it.
    pub(crate) fn stands(&self) {
        // From now on nobody else holds it, so that writing to a dead program is an error.
        drop(self.input.lock().unwrap_or_else(PoisonError::into_inner).take());
        *self.state.locked() = LiveStart::Stands;
        self.state.changed.notify_all();
    }

    pub(crate) fn has_room(&self) -> bool {
        self.waiting().len() < MAX_WAITING
    }

    /// What to wait for: room in the pipe while something waits, and always for its reader to go away.
    pub(crate) fn waits_for(&self) -> Option<PollFd<'_>> {
        let flags = if self.waiting().is_empty() { PollFlags::empty() } else { PollFlags::OUT };
        self.output.as_ref().map(|output| PollFd::from_borrowed_fd(output.as_fd(), flags))
    }

    /// Passes on what waits, as far as the pipe has room.
    pub(crate) fn pass_on(&self) -> ReaderState {
        let Some(output) = &self.output else { return ReaderState::Gone };
        let mut waiting = self.waiting();
        while !waiting.is_empty() {
            let (front, _) = waiting.as_slices();
            match rustix::io::write(output, front) {
                Ok(count) => drop(waiting.drain(..count)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return ReaderState::There,
                Err(_) => return ReaderState::Gone,
            }
        }
        drop(waiting);
        let mut poll = [PollFd::new(output, PollFlags::empty())];
        match rustix::event::poll(&mut poll, Some(&sys::poll_timeout(Duration::ZERO))) {
            Ok(0) | Err(_) => ReaderState::There,
            Ok(_) => ReaderState::Gone,
        }
    }

    /// Its last words, for a bounded time, and not for somebody who wants its end.
    pub(crate) fn pass_on_the_rest(&self, cancel: Option<BorrowedFd<'_>>) {
        let end = Instant::now() + ALL_LAST_WORDS;
        let (mut until, mut left) = (Instant::now() + LAST_WORDS, self.waiting().len());
        while self.pass_on() == ReaderState::There && !self.waiting().is_empty() {
            if self.waiting().len() < left {
                (until, left) = (Instant::now() + LAST_WORDS, self.waiting().len());
            }
            let patience = until.min(end).saturating_duration_since(Instant::now());
            let Some(room) = self.waits_for().filter(|_| !patience.is_zero()) else { return };
            let cancel = cancel.map(|cancel| PollFd::from_borrowed_fd(cancel, PollFlags::IN));
            let mut polls: Vec<_> = [Some(room), cancel].into_iter().flatten().collect();
            let _ = rustix::event::poll(&mut polls, Some(&sys::poll_timeout(patience)));
            if polls.get(1).is_some_and(|cancel| !cancel.revents().is_empty()) {
                return;
            }
        }
    }
}

impl LiveRun {
    /// Starts a thread that runs the job, and waits until the cage stands.
    pub(crate) fn start(
        job: Job<'_>,
        run: impl FnOnce(&mut Job<'_>, &LiveStreams) -> Result<RunOutcome, CageError> + Send + 'static,
    ) -> Result<LiveRun, CageError> {
        let (input, stdin) = sys::pipe()?;
        let (stdout, output) = sys::pipe()?;
        for own in [&stdin, &stdout, &output] {
            rustix::fs::fcntl_setfl(own, OFlags::NONBLOCK).map_err(io::Error::from)?;
        }
        let state = Arc::new(LiveRunState::default());
        let streams = LiveStreams {
            input: Mutex::new(Some(input)),
            output: Some(output),
            waiting: Mutex::default(),
            state: Arc::clone(&state),
        };
        let job = job.heard_by(None);
        let cancel = job.cancel.clone();
        let told = Arc::clone(&state);
        let work = move || {
            let mut listener = |stream, bytes: &[u8]| streams.take(stream, bytes);
            let mut job = job.heard_by(Some(&mut listener));
            job.stdin = Vec::new();
            job.streams = OutputStreams::Apart;
            job.limits = RunLimits { time: NO_END, output_bytes: KEPT_BYTES, ..job.limits };
            let ended = run(&mut job, &streams);
            drop(job);
            // Its reader hears of the end first.
            drop(streams);
            let mut start = told.locked();
            match (ended, &*start) {
                (Err(error), LiveStart::Beginning) => *start = LiveStart::Failed(Some(error)),
                (ended, _) => {
                    *start = LiveStart::Stands;
                    let _ = told.ended.set(ended);
                }
            }
            drop(start);
            told.changed.notify_all();
        };
        std::thread::Builder::new().name("live".into()).spawn(work)?;
        let live = LiveRun { pipes: Some(LivePipes { stdin, stdout }), cancel, state };
        let mut start = live.state.locked();
        loop {
            match &mut *start {
                LiveStart::Beginning => {}
                LiveStart::Stands => break,
                LiveStart::Failed(error) => {
                    let unknown = || CageError::Lost("it ended before it ran".to_owned());
                    return Err(error.take().unwrap_or_else(unknown));
                }
            }
            start = live.state.changed.wait(start).unwrap_or_else(PoisonError::into_inner);
        }
        drop(start);
        Ok(live)
    }

    /// The pipes, once.
    pub fn take_pipes(&mut self) -> Option<LivePipes> {
        self.pipes.take()
    }

    /// The last that it said on standard error; not yet fit for eyes.
    pub fn stderr_tail(&self) -> String {
        let mut tail = self.state.tail.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(tail.make_contiguous()).into_owned()
    }

    /// What came of it, once it has ended.
    pub fn ended(&self) -> Option<&Result<RunOutcome, CageError>> {
        self.state.ended.get()
    }

    /// Asks for its end; everybody in the cage is killed.
    pub fn stop(&self) {
        self.cancel.cancel();
    }

    /// Waits until it has ended with everything that it has started, for a bounded time.
    pub fn wait(&self, most: Duration) -> Option<&Result<RunOutcome, CageError>> {
        let until = Instant::now() + most;
        let mut start = self.state.locked();
        while self.state.ended.get().is_none() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let waited = self.state.changed.wait_timeout(start, left);
            start = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(start);
        self.state.ended.get()
    }
}

impl Drop for LiveRun {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for LiveRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveRun").field("ended", &self.state.ended.get().is_some()).finish_non_exhaustive()
    }
}
