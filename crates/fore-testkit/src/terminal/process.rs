//! The program as a process: how it ended, and an end for everything in its session.

use super::wait::{SharedTerminal, lock};
use portable_pty::Child;
use rustix::{
    io::retry_on_intr,
    process::{Pid, WaitId, WaitIdOptions, waitid},
};
use std::{
    sync::Arc,
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// How long processes have to be gone after they were killed.
const GRACE: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

pub(super) struct TerminalProcess {
    id: u32,
    /// Gone when it was waited for; until then nobody else can have its id.
    child: Option<Box<dyn Child + Send + Sync>>,
    watch: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for TerminalProcess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TerminalProcess").field("id", &self.id).finish_non_exhaustive()
    }
}

impl TerminalProcess {
    pub(super) fn new(child: Box<dyn Child + Send + Sync>, shared: &Arc<SharedTerminal>) -> TerminalProcess {
        let id = child.process_id().unwrap_or_default();
        let shared = shared.clone();
        let watch = std::thread::spawn(move || {
            let exit = wait(id);
            lock(&shared).exit = Some(exit);
            shared.announce();
        });
        TerminalProcess { id, child: Some(child), watch: Some(watch) }
    }

    pub(super) fn id(&self) -> u32 {
        self.id
    }

    pub(super) fn kill(&self) {
        self.signal(libc::SIGKILL);
    }

    pub(super) fn signal(&self, signal: libc::c_int) {
        if self.child.is_some() {
            send(i64::from(self.id), signal);
        }
    }

    pub(super) fn signal_children(&self, signal: libc::c_int) {
        let is_child = |fields: &ProcessStat| fields.parent == self.id;
        processes(is_child).into_iter().for_each(|id| send(i64::from(id), signal));
    }

    /// Ends everything that is left of the session, and waits until it is gone.
    pub(super) fn end(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        send(-i64::from(self.id), libc::SIGKILL);
        let end = Instant::now() + GRACE;
        loop {
            let left = session(self.id);
            if left.is_empty() || Instant::now() > end {
                break;
            }
            left.into_iter().for_each(|id| send(i64::from(id), libc::SIGKILL));
            std::thread::park_timeout(LOOK_AGAIN);
        }
        if let Some(watch) = self.watch.take() {
            let _ = watch.join();
        }
        let _ = child.wait();
    }
}

/// Waits for the end of a child and leaves it to be waited for once more.
fn wait(id: u32) -> Exit {
    let wait = |child| retry_on_intr(|| waitid(WaitId::Pid(child), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT));
    let told = Pid::from_raw(id.cast_signed()).and_then(|child| wait(child).ok().flatten());
    match told.map(|told| (told.exit_status(), told.terminating_signal())) {
        Some((Some(code), _)) => Exit::Code(code),
        Some((None, signal)) => Exit::Signal(signal.unwrap_or_default()),
        None => Exit::Signal(0),
    }
}

fn send(id: i64, signal: libc::c_int) {
    // Neither 0 nor -1 nor the first process: those would mean others than ours.
    if let Some(id) = libc::pid_t::try_from(id).ok().filter(|id| !(-1..=1).contains(id)) {
        // SAFETY: a process or a group that we started and have not waited for.
        unsafe { libc::kill(id, signal) };
    }
}

/// What the kernel tells of a process.
struct ProcessStat {
    parent: u32,
    session: u32,
}

/// The processes of a session that have not ended.
fn session(leader: u32) -> Vec<u32> {
    processes(|fields| fields.session == leader)
}

/// The processes like this that have not ended.
fn processes(is_meant: impl Fn(&ProcessStat) -> bool) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let members = entries.filter_map(|entry| {
        let id: u32 = entry.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name of a program stands in brackets and may hold anything; behind it come state, parent, group, session.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?;
        let fields = ProcessStat { parent: fields.next()?.parse().ok()?, session: fields.nth(1)?.parse().ok()? };
        (is_meant(&fields) && !matches!(state, "Z" | "X")).then_some(id)
    });
    members.collect()
}
