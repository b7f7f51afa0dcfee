//! Hands the set-up program its blueprint, and collects output and answer until everything has ended.

use crate::blueprint::{self, Blueprint, CageBuild, RawPath, SetupMessage};
use crate::capture::{CapturedOutput, OutputListener, OutputStream, OutputStreams};
use crate::error::CageError;
use crate::job::{self, Ending, Job, RunOutcome, Status};
use crate::left_behind::LeftBehind;
use crate::live::{LiveStreams, ReaderState};
use crate::network::{self, Proxy, Upstream};
use crate::orders::{CheckResult, SettledPlants, WorkspaceMonitor};
use crate::protection::Protection;
use crate::report::RehearsalReport;
use crate::secrets::RunWatch;
use crate::setup::NOT_ASKED;
use crate::starter::{self, GRACE, SpareSetups, StartedSetup};
use fore_plan::Outside;
use rustix::event::{PollFd, PollFlags};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::io::{self, Read, Write};
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const CHUNK: usize = 64 << 10;
/// Output that waits for a look at the secrets.
const MAX_HELD: usize = 4 << 20;

/// A failed layer, kept apart from other errors because a caller may have a second, weaker but honest plan.
pub(crate) enum RunFailure {
    Layer { layer: crate::Layer, errno: Option<i32>, reason: String },
    Other(CageError),
}

impl<E: Into<CageError>> From<E> for RunFailure {
    fn from(error: E) -> RunFailure {
        RunFailure::Other(error.into())
    }
}

/// Whom the proxy of a cage lets it talk to, and through which proxy of the person's own.
#[derive(Clone, Copy)]
pub(crate) struct ProxyAccess<'a> {
    pub(crate) outside: &'a Outside,
    pub(crate) proxy: Option<&'a str>,
}

/// Runs a job; gives its guard too if that stays with what the command has left running.
///
/// `monitor` puts aside what is planted in the workspace. When everybody in the cage is gone it settles the rest; until that is done
/// the guard waits, to do the same if this program ends before.
pub(crate) fn run(
    spares: &Arc<SpareSetups>,
    (setup, started): (&Path, StartedSetup),
    (blueprint, way_out): (&Blueprint, ProxyAccess<'_>),
    watch: RunWatch,
    (job, live): (&mut Job<'_>, Option<&LiveStreams>),
    monitor: Option<WorkspaceMonitor<'_>>,
) -> Result<(RunOutcome, Option<LeftBehind>), RunFailure> {
    let start = Instant::now();
    let StartedSetup { mut child, socket, .. } = started;
    let pipes = (child.stdout.take().map(OwnedFd::from), child.stderr.take().map(OwnedFd::from));
    let deadline = Duration::from_millis(blueprint.bounds.time_ms).saturating_add(GRACE);
    let (guard, streams) = (child.id(), job.streams);
    let mut session =
        RunSession { socket, guard, start, deadline, watch, guard_answered: false, monitor, streams, live };
    let mut result = session.serve(blueprint, way_out, job, pipes);
    if let Ok(outcome) = &mut result
        && let Some(monitor) = session.monitor.take()
    {
        outcome.take(monitor.settle());
        let _ = session.socket.write_all(&[blueprint::SETTLED]);
    }
    if result.as_ref().is_ok_and(|outcome| outcome.left_running > 0) {
        return result.map(|outcome| (outcome, Some(LeftBehind::new(child, session.socket))));
    }
    // Hanging up tells a guard that nobody waits any more. It is not killed at once: without namespaces only a living guard
    // can end everybody that the command has started.
    let _ = session.socket.shutdown(std::net::Shutdown::Both);
    match &result {
        // Everybody in the cage was dead before its guard reported. What is left is the kernel taking down empty namespaces,
        // which may take longer than the command did.
        Ok(outcome) if !matches!(outcome.ending, Ending::Cancelled | Ending::SecretAppeared | Ending::Planting) => {
            // What is not caged could get hold of it.
            if blueprint.build != CageBuild::None {
                spares.prepare(setup);
            }
            starter::wait_later(child);
        }
        Ok(_) | Err(_) => {
            let status = starter::end(&mut child)?;
            if result.is_err() && !session.guard_answered && status.code() == Some(NOT_ASKED) {
                let reason = "it belongs to another version of this program".to_owned();
                return Err(CageError::Setup { path: setup.to_owned(), reason }.into());
            }
        }
    }
    if let Some(monitor) = session.monitor.take() {
        // The guard has ended the cage and looked at it before it ended, unless somebody ended the guard.
        let SettledPlants { left, .. } = monitor.settle();
        if !left.is_empty() {
            let left: Vec<String> = left.iter().map(|path| path.display().to_string()).collect();
            let reason = format!("it broke off, and other programs obey what is still there: {}", left.join(", "));
            return Err(CageError::Lost(reason).into());
        }
    }
    result.map(|outcome| (outcome, None))
}

/// A set-up program that is not there, or may not be run, is not this machine running out of something.
pub(crate) fn not_started(setup: &Path, error: io::Error) -> CageError {
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::EACCES | libc::ENOEXEC | libc::ENOTDIR | libc::ELOOP) => {
            CageError::Setup { path: setup.to_owned(), reason: error.to_string() }
        }
        _ => CageError::Io(error),
    }
}

struct RunSession<'a> {
    /// Whether the guard has said anything.
    guard_answered: bool,
    socket: UnixStream,
    guard: u32,
    start: Instant,
    deadline: Duration,
    watch: RunWatch,
    /// Where the workspace is writable.
    monitor: Option<WorkspaceMonitor<'a>>,
    streams: OutputStreams,
    /// The pipes of a command that somebody speaks with while it runs.
    live: Option<&'a LiveStreams>,
}

/// What is known of a run before it has ended.
#[derive(Default)]
struct RunFacts {
    protections: Vec<Protection>,
    proxy: Option<Proxy>,
    /// Since when.
    cancelled: Option<Instant>,
    plants: bool,
}

/// What the guard said last.
struct EndedRun {
    status: Status,
    ending: Ending,
    report: Option<RehearsalReport>,
    folder: Option<RawPath>,
    left: u64,
}

impl EndedRun {
    /// Of one that was cancelled, whose guard said nothing more.
    const KILLED: EndedRun = EndedRun {
        status: Status::Signalled(libc::SIGKILL),
        ending: Ending::Cancelled,
        report: None,
        folder: None,
        left: 0,
    };
}

impl RunSession<'_> {
    fn serve(
        &mut self,
        blueprint: &Blueprint,
        way_out: ProxyAccess<'_>,
        job: &mut Job<'_>,
        pipes: (Option<OwnedFd>, Option<OwnedFd>),
    ) -> Result<RunOutcome, RunFailure> {
        blueprint::send(&mut self.socket, blueprint)?;
        match self.live {
            Some(live) => live.send_input(self.socket.as_fd())?,
            None => self.socket.write_all(&job.stdin)?,
        }
        let mut streams =
            [PipeReader::new(OutputStream::Stdout, pipes.0)?, PipeReader::new(OutputStream::Stderr, pipes.1)?];
        let mut held = HeldOutput::new(job.limits.output_bytes);
        let mut buffer = vec![0; CHUNK];
        let mut so_far = RunFacts::default();
        let ended = loop {
            if let Some(cancelled) = so_far.cancelled {
                // A command without a cage may stop its guard, before it is told to end and after it.
                starter::wake_to_end(self.guard, cancelled.elapsed());
            }
            // Or before it has said that the command runs: until then no output is shown.
            let may_be_stopped =
                so_far.cancelled.is_some() || !self.watch.stands() && blueprint.build == CageBuild::None;
            if may_be_stopped && so_far.cancelled.is_none() {
                starter::wake(self.guard);
            }
            let ready = self.wait(&streams, job, so_far.cancelled.is_some(), may_be_stopped, &held)?;
            for (reader, ready) in streams.iter_mut().zip(ready.output) {
                if ready {
                    reader.once(&mut buffer, &mut held)?;
                }
            }
            // Before that nobody knows whether everything was covered.
            if self.watch.stands() {
                held.release(&mut self.watch, ready.watch, &mut job.on_output);
            }
            if let Some(monitor) = &mut self.monitor {
                so_far.plants |= monitor.check(self.watch.news()) == CheckResult::Ends;
            }
            // A command that nobody listens to any more has nothing more to do.
            let unheard = self.live.is_some_and(|live| {
                live.pass_on() == ReaderState::Gone && live.time_left().is_some_and(|left| left.is_zero())
            });
            if (ready.cancel || unheard || held.appeared.is_some() || so_far.plants) && so_far.cancelled.is_none() {
                so_far.cancelled = Some(Instant::now());
                self.cancel(blueprint)?;
            }
            if ready.late {
                return Err(CageError::Lost("its guard did not end in time".to_owned()).into());
            }
            if ready.answer {
                let answer = blueprint::receive::<SetupMessage>(&mut self.socket)?;
                self.guard_answered |= answer.is_some();
                match answer {
                    Some(SetupMessage::Listening) => so_far.proxy = Some(self.proxy(way_out)?),
                    Some(SetupMessage::Standing { protections }) => {
                        so_far.protections = protections;
                        self.live.into_iter().for_each(LiveStreams::stands);
                        held.appeared = held.appeared.take().or_else(|| self.watch.cage_stands());
                    }
                    Some(SetupMessage::Ended { status, ending, report, folder, left }) => {
                        break EndedRun { status: Status::from_wait(status), ending, report, folder, left };
                    }
                    Some(SetupMessage::Failed { layer, errno, reason }) => {
                        return Err(RunFailure::Layer { layer, errno, reason });
                    }
                    Some(SetupMessage::NotStarted { errno, reason }) => {
                        let program =
                            blueprint.argv.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                        let kind =
                            errno.map_or(io::ErrorKind::Other, |errno| io::Error::from_raw_os_error(errno).kind());
                        return Err(CageError::NotStarted { program, kind, reason }.into());
                    }
                    None | Some(SetupMessage::Gone) if so_far.cancelled.is_some() => break EndedRun::KILLED,
                    None | Some(SetupMessage::Gone) => {
                        return Err(CageError::Lost("its guard ended without a report".to_owned()).into());
                    }
                }
            }
        };
        for reader in &mut streams {
            reader.rest(&mut buffer, &mut held)?;
        }
        held.check_and_release(&mut self.watch, &mut job.on_output);
        if let Some(live) = self.live.filter(|_| so_far.cancelled.is_none()) {
            live.pass_on_the_rest(job.cancel.descriptor());
        }
        Ok(self.outcome(ended, so_far, held))
    }

    /// Tells the guard to end the run.
    fn cancel(&mut self, blueprint: &Blueprint) -> io::Result<()> {
        if blueprint.orders.is_some() {
            // There is more to say later. Who is gone need not be told.
            let _ = self.socket.write_all(&[blueprint::CANCEL]);
        } else {
            self.socket.shutdown(std::net::Shutdown::Write)?;
        }
        Ok(())
    }

    fn outcome(&self, ended: EndedRun, so_far: RunFacts, held: HeldOutput) -> RunOutcome {
        let EndedRun { status, ending, report, folder, left } = ended;
        let HeldOutput { captured: [stdout, stderr], appeared, .. } = held;
        let ending = match &appeared {
            Some(_) => Ending::SecretAppeared,
            None if so_far.plants => Ending::Planting,
            None if so_far.cancelled.is_some() => Ending::Cancelled,
            None => ending,
        };
        // Whatever it says now may say what it should not have read.
        let (status, report) =
            if appeared.is_some() { (Status::Signalled(libc::SIGKILL), None) } else { (status, report) };
        let complaints = match self.streams {
            OutputStreams::Apart => &stderr,
            OutputStreams::Together => &stdout,
        };
        let mut blocked = job::blocked(complaints, status);
        if so_far.proxy.is_some() {
            blocked.iter_mut().filter(|what| **what == job::NETWORK).for_each(|what| *what = job::PAST_THE_PROXY);
        }
        RunOutcome {
            blocked,
            status,
            ending,
            stdout,
            stderr,
            duration: self.start.elapsed(),
            would_change: report,
            left_running: left,
            put_aside: Vec::new(),
            removed: Vec::new(),
            left_planted: Vec::new(),
            folder: folder.filter(|_| ending == Ending::Itself).map(|folder| folder.path().to_owned()),
            appeared,
            not_shown: Vec::new(),
            connections: so_far.proxy.map(Proxy::finish).unwrap_or_default(),
            protections: so_far.protections,
        }
    }

    /// The way out for a cage with network: it ends with the run.
    fn proxy(&self, way_out: ProxyAccess<'_>) -> io::Result<Proxy> {
        let listener = TcpListener::from(crate::sys::receive_descriptor(self.socket.as_fd())?);
        Proxy::start(listener, way_out.outside.clone(), Upstream::of(way_out.proxy), network::resolve)
    }

    /// Sleeps until something happens.
    fn wait(
        &self,
        streams: &[PipeReader; 2],
        job: &Job<'_>,
        cancelled: bool,
        may_be_stopped: bool,
        held: &HeldOutput,
    ) -> io::Result<PollReady> {
        let cancel = if cancelled { None } else { job.cancel.descriptor() };
        let [stdout, stderr] = streams;
        // Who reads slowly makes the command wait.
        let has_room = self.live.is_none_or(LiveStreams::has_room);
        let stdout = stdout.descriptor().filter(|_| has_room);
        let watched = [stdout, stderr.descriptor(), Some(self.socket.as_fd()), cancel];
        let secrets = if held.appeared.is_some() { Vec::new() } else { self.watch.descriptors() };
        let descriptors = watched.into_iter().flatten().chain(secrets.iter().map(|fd| fd.as_fd()));
        let mut polls: Vec<_> = descriptors.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
        polls.extend(self.live.filter(|_| !cancelled).and_then(LiveStreams::waits_for));
        let left = self.deadline.saturating_sub(self.start.elapsed());
        let until = if held.is_empty() { left } else { left.min(self.watch.due_in() + Duration::from_millis(1)) };
        let until =
            self.monitor.as_ref().map_or(until, |monitor| until.min(monitor.due_in() + Duration::from_millis(1)));
        let until =
            self.live.filter(|_| !cancelled).and_then(LiveStreams::time_left).map_or(until, |left| until.min(left));
        let until = if may_be_stopped { until.min(starter::WAKE_INTERVAL) } else { until };
        let count = match rustix::event::poll(&mut polls, Some(&crate::sys::poll_timeout(until))) {
            Ok(count) => count,
            Err(Errno::INTR) => return Ok(PollReady::default()),
            Err(error) => return Err(error.into()),
        };
        let mut ready = polls.iter().map(|poll| !poll.revents().is_empty());
        let [stdout, stderr, answer, cancel] = watched.map(|fd| fd.is_some() && ready.next().unwrap_or(false));
        let watch = ready.by_ref().take(secrets.len()).any(|is_ready| is_ready);
        Ok(PollReady { output: [stdout, stderr], answer, cancel, watch, late: count == 0 && left.is_zero() })
    }
}

#[derive(Default)]
struct PollReady {
    output: [bool; 2],
    answer: bool,
    cancel: bool,
    /// Something came to a folder that may hold secrets.
    watch: bool,
    late: bool,
}

/// Output on its way from the pipes: it is handed over only after a look at the secrets that began after it was read.
struct HeldOutput {
    waiting: Vec<(OutputStream, Vec<u8>)>,
    bytes: usize,
    captured: [CapturedOutput; 2],
    /// A secret that the command may have read. Nothing is handed over any more.
    appeared: Option<PathBuf>,
}

impl HeldOutput {
    fn new(most_bytes: usize) -> HeldOutput {
        let captured = [CapturedOutput::new(most_bytes), CapturedOutput::new(most_bytes)];
        HeldOutput { waiting: Vec::new(), bytes: 0, captured, appeared: None }
    }

    fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    fn take(&mut self, stream: OutputStream, bytes: &[u8]) {
        self.bytes += bytes.len();
        self.waiting.push((stream, bytes.to_vec()));
    }

    fn release(&mut self, watch: &mut RunWatch, has_news: bool, listener: &mut Option<OutputListener<'_>>) {
        let is_due = has_news || (!self.is_empty() && (watch.due_in().is_zero() || self.bytes > MAX_HELD));
        if is_due {
            self.check_and_release(watch, listener);
        }
    }

    fn check_and_release(&mut self, watch: &mut RunWatch, listener: &mut Option<OutputListener<'_>>) {
        if self.appeared.is_none() {
            self.appeared = watch.check();
        }
        self.bytes = 0;
        for (stream, bytes) in self.waiting.drain(..).filter(|_| self.appeared.is_none()) {
            let [stdout, stderr] = &mut self.captured;
            match stream {
                OutputStream::Stdout => stdout.push(&bytes),
                OutputStream::Stderr => stderr.push(&bytes),
            }
            if let Some(listener) = listener {
                listener(stream, &bytes);
            }
        }
    }
}

/// Reads one output stream from its pipe.
struct PipeReader {
    stream: OutputStream,
    pipe: Option<std::fs::File>,
}

impl PipeReader {
    fn new(stream: OutputStream, pipe: Option<OwnedFd>) -> io::Result<PipeReader> {
        if let Some(pipe) = &pipe {
            // A process that got away may hold the other end open forever.
            rustix::fs::fcntl_setfl(pipe, OFlags::NONBLOCK)?;
        }
        Ok(PipeReader { stream, pipe: pipe.map(std::fs::File::from) })
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(|pipe| pipe.as_fd())
    }

    /// Takes what one read gives; says whether there may be more.
    fn once(&mut self, buffer: &mut [u8], held: &mut HeldOutput) -> io::Result<bool> {
        let Some(pipe) = &mut self.pipe else {
            return Ok(false);
        };
        match pipe.read(buffer) {
            Ok(0) => self.pipe = None,
            Ok(count) => {
                held.take(self.stream, buffer.get(..count).unwrap_or_default());
                return Ok(true);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(true),
            Err(error) => return Err(error),
        }
        Ok(false)
    }

    /// Takes what is in the pipe now, which is bounded: its writers are dead or no longer waited for.
    fn rest(&mut self, buffer: &mut [u8], held: &mut HeldOutput) -> io::Result<()> {
        for _ in 0..64 {
            if !self.once(buffer, held)? {
                break;
            }
        }
        Ok(())
    }
}
