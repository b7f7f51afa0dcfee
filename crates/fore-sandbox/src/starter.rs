//! Starts set-up programs, keeps one ready for the next run, and waits for those that are done.
#![expect(clippy::disallowed_methods, reason = "processes are started here and nowhere else")]

use crate::blueprint::Prelude;
use crate::setup::marker;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SendError, Sender};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How long the guards get to end and report before the agent ends them; they themselves end the command in time.
pub(crate) const GRACE: Duration = Duration::from_secs(30);

/// How often a guard that is told to end is woken: what it guards may stop it again and again.
pub(crate) const WAKE_INTERVAL: Duration = Duration::from_millis(20);

/// How long a guard that is told to end may stay stopped although it is woken.
const MAX_STOPPED: Duration = Duration::from_millis(200);

/// How long a spare is not begun after a run.
const COURTESY: Duration = Duration::from_millis(1);

/// A set-up program that waits for its blueprint. It knows nothing yet, and ends when its socket is closed.
#[derive(Debug)]
pub(crate) struct StartedSetup {
    setup: PathBuf,
    pub(crate) child: Child,
    pub(crate) socket: UnixStream,
}

impl StartedSetup {
    /// The plain spawn of std does not copy this process's memory map, and puts the socket where the set-up program looks.
    fn new(setup: &Path) -> io::Result<StartedSetup> {
        let (socket, theirs) = UnixStream::pair()?;
        let child = std::process::Command::new(setup)
            .arg0(marker())
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        Ok(StartedSetup { setup: setup.to_owned(), child, socket })
    }

    pub(crate) fn dismiss(self) {
        drop(self.socket);
        wait_later(self.child);
    }
}

/// At most one set-up program that was started ahead: loading it takes as long as building the cage.
#[derive(Debug, Default)]
pub(crate) struct SpareSetups {
    ready: Mutex<Option<StartedSetup>>,
    /// Who runs one command needs no second set-up program.
    has_run: AtomicBool,
}

impl SpareSetups {
    /// One that has begun with what the prelude says.
    pub(crate) fn take(&self, setup: &Path, prelude: Prelude) -> io::Result<StartedSetup> {
        let spare = self.ready.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut spare) = spare {
            // Somebody may have ended it while it waited.
            if spare.setup == setup && matches!(spare.child.try_wait(), Ok(None)) {
                wake(spare.child.id());
                if prelude.send(&mut spare.socket).is_ok() {
                    return Ok(spare);
                }
            }
            spare.dismiss();
        }
        let mut started = StartedSetup::new(setup)?;
        // One of another version has ended by now; that is found out by whoever waits for its answer.
        let _ = prelude.send(&mut started.socket);
        Ok(started)
    }

    /// Has one made ready for the next run, from the second run on.
    pub(crate) fn prepare(self: &Arc<SpareSetups>, setup: &Path) {
        if self.has_run.swap(true, Ordering::Relaxed) {
            // Without a spare the next run starts its own.
            let _ = run_in_background(BackgroundTask::Prepare(Arc::downgrade(self), setup.to_owned()));
        }
    }

    /// Throws away what is ready: something that was not caged may have got hold of it.
    pub(crate) fn discard(&self) {
        let spare = self.ready.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(spare) = spare {
            spare.dismiss();
        }
    }

    fn fill(&self, setup: &Path) {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if ready.is_none() {
            *ready = StartedSetup::new(setup).ok();
        }
    }
}

impl Drop for SpareSetups {
    fn drop(&mut self) {
        let spare = self.ready.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(spare) = spare {
            spare.dismiss();
        }
    }
}

/// Work that nobody waits for.
enum BackgroundTask {
    Wait(Child),
    Prepare(Weak<SpareSetups>, PathBuf),
}

/// One thread for all tasks; it lives as long as this program, which also keeps the spares alive that it starts: the kernel ties
/// a set-up program to the thread that started it. Where no thread can be had the task comes back.
fn run_in_background(task: BackgroundTask) -> Result<(), BackgroundTask> {
    static RUNNER: Mutex<Option<Sender<BackgroundTask>>> = Mutex::new(None);
    let mut runner = RUNNER.lock().unwrap_or_else(PoisonError::into_inner);
    if runner.is_none() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let started =
            std::thread::Builder::new().name("starter".into()).spawn(move || receiver.into_iter().for_each(run));
        *runner = started.is_ok().then_some(sender);
    }
    match &*runner {
        Some(runner) => runner.send(task).map_err(|SendError(task)| task),
        None => Err(task),
    }
}

fn run(task: BackgroundTask) {
    match task {
        BackgroundTask::Wait(mut child) => drop(end(&mut child)),
        BackgroundTask::Prepare(spares, setup) => {
            // Whoever asked has just got an answer, and something to do with it.
            std::thread::sleep(COURTESY);
            if let Some(spares) = spares.upgrade() {
                spares.fill(&setup);
            }
        }
    }
}

/// Hands over a guard that is done, or a spare that is not needed.
pub(crate) fn wait_later(child: Child) {
    if let Err(BackgroundTask::Wait(mut child)) = run_in_background(BackgroundTask::Wait(child)) {
        let _ = end(&mut child);
    }
}

/// Waits for a guard that has been told to end; makes sure after a while.
pub(crate) fn end(child: &mut Child) -> io::Result<ExitStatus> {
    if child.try_wait()?.is_none() && !ends_within(child.id(), GRACE)? {
        child.kill()?;
    }
    child.wait()
}

/// Lets a guard go on that somebody has stopped. It is our child and not yet waited for, so the number is its own.
pub(crate) fn wake(guard: u32) {
    if let Ok(guard) = libc::pid_t::try_from(guard) {
        let _ = crate::sys::kill(guard, libc::SIGCONT);
    }
}

/// Wakes a guard that has been told to end, `since` ago. One that is stopped each time it is woken loses its children: it was to
/// end them anyway, and orphans are its children, too.
pub(crate) fn wake_to_end(guard: u32, since: Duration) {
    if since >= MAX_STOPPED && is_stopped(guard) {
        children(guard).into_iter().for_each(|child| end_child(guard, child));
    }
    wake(guard);
}

fn is_stopped(pid: u32) -> bool {
    stat(pid).is_some_and(|(state, _)| state == 'T')
}

/// State and parent of a process.
fn stat(pid: u32) -> Option<(char, u32)> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The command name in brackets can hold anything; what follows its last bracket is fixed.
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = String::from_utf8_lossy(stat.get(end + 1..)?).into_owned();
    let mut fields = rest.split_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

fn children(pid: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|child| child.parse().ok()).collect()
}

/// The handle is opened before the look at its parent, so the number cannot have been given to somebody else in between.
fn end_child(guard: u32, child: u32) {
    let Some(pid) = Pid::from_raw(child.cast_signed()) else { return };
    if let Ok(handle) = rustix::process::pidfd_open(pid, PidfdFlags::empty())
        && stat(child).is_some_and(|(_, parent)| parent == guard)
    {
        let _ = rustix::process::pidfd_send_signal(&handle, Signal::KILL);
    }
}

/// Whether a guard that has been told to end does so in time. It is woken until then.
pub(crate) fn ends_within(guard: u32, patience: Duration) -> io::Result<bool> {
    // The process is our child and not yet waited for, so its number cannot have been given away.
    let pid = Pid::from_raw(guard.cast_signed()).ok_or(io::ErrorKind::InvalidInput)?;
    let pidfd = rustix::process::pidfd_open(pid, PidfdFlags::empty())?;
    let start = Instant::now();
    let until = start + patience;
    loop {
        wake_to_end(guard, start.elapsed());
        let left = until.saturating_duration_since(Instant::now());
        let mut polls = [PollFd::new(&pidfd, PollFlags::IN)];
        match rustix::event::poll(&mut polls, Some(&crate::sys::poll_timeout(left.min(WAKE_INTERVAL)))) {
            Ok(0) if left.is_zero() => return Ok(false),
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
    }
}
