//! Waits for the command, and ends it when its time, its memory or its patience with us is over.

use super::filter::Filters;
use super::last_folder::LastFolder;
use super::usage::{self, descendants};
use super::{AtLayer, LayerFailure, Starting, TempFiles, confine, temp_space};
use crate::blueprint::{self, CageBuild, RawPath, SetupMessage};
use crate::job::Ending;
use crate::protection::Layer;
use crate::sys::{self, WaitResult};
use rustix::fs::OFlags;
use rustix::process::{DumpableBehavior, WaitOptions, getpid, set_child_subreaper, set_dumpable_behavior};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// How often the guard looks at memory and process counts.
const TICK: Duration = Duration::from_millis(50);

/// How long the guard tries to end what a command has started, while somebody waits for it, and when nobody does any more.
const MAX_ENDING: Duration = Duration::from_secs(5);
const MAX_ENDING_THE_REST: Duration = Duration::from_secs(30);
/// How often it looks at its own children between two looks at everybody.
const QUICK_POLLS: usize = 50;
/// How long it sleeps at most beside what a command has left running; an end and the agent's word wake it earlier.
const LEFTOVERS_POLL_INTERVAL: Duration = Duration::from_secs(60);

/// How often it does where it has to pick them out of all processes of the machine.
const ALL_POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Blocks SIGCHLD and gives it a handler, so that `ppoll` can wait for it and for the socket at once.
pub(super) fn prepare_signals() -> io::Result<()> {
    extern "C" fn nothing(_signal: libc::c_int) {}
    // SAFETY: the handler does nothing; both structs are initialised before use.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as *const () as usize;
        libc::sigemptyset(&raw mut action.sa_mask);
        sys::check(i64::from(libc::sigaction(libc::SIGCHLD, &raw const action, std::ptr::null_mut())))?;
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        libc::sigaddset(&raw mut set, libc::SIGCHLD);
        sys::check(i64::from(libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut())))?;
    }
    Ok(())
}

/// Waits until `pid` ends, the agent hangs up, time is over, or `check` says stop. Reaps strangers on the way.
pub(super) fn watch(
    pid: libc::pid_t,
    agent: Option<BorrowedFd<'_>>,
    time: Duration,
    check: &mut dyn FnMut() -> Option<Ending>,
    folder: Option<&mut LastFolder>,
) -> io::Result<(i32, Ending)> {
    let start = Instant::now();
    let mut next_check = TICK;
    let mut folder = folder;
    let stops = if folder.is_some() { WaitOptions::UNTRACED } else { WaitOptions::empty() };
    loop {
        loop {
            match sys::wait_any(WaitOptions::NOHANG | stops)? {
                WaitResult::Stopped(stopped) => {
                    if let Some(folder) = folder.as_deref_mut().filter(|_| stopped == pid) {
                        folder.read(pid);
                    }
                }
                WaitResult::Ended(ended, status) if ended == pid => {
                    return Ok((status, Ending::Itself));
                }
                WaitResult::Ended(..) => {}
                WaitResult::NobodyYet => break,
                WaitResult::NoChildren => return Ok((0, Ending::Itself)),
            }
        }
        let gone = start.elapsed();
        if gone >= time {
            return Ok((libc::SIGKILL, Ending::Time));
        }
        if gone >= next_check {
            if let Some(ending) = check() {
                return Ok((libc::SIGKILL, ending));
            }
            next_check = start.elapsed() + TICK;
        }
        if wait(agent, next_check.min(time).saturating_sub(gone))? {
            return Ok((libc::SIGKILL, Ending::Cancelled));
        }
    }
}

/// Sleeps until a child ends, `patience` is over, or the agent hangs up (`true`).
fn wait(agent: Option<BorrowedFd<'_>>, patience: Duration) -> io::Result<bool> {
    let mut poll =
        libc::pollfd { fd: agent.map_or(-1, |fd| fd.as_raw_fd()), events: libc::POLLIN | libc::POLLRDHUP, revents: 0 };
    let timeout = libc::timespec {
        tv_sec: libc::time_t::try_from(patience.as_secs()).unwrap_or(libc::time_t::MAX),
        tv_nsec: patience.subsec_nanos().into(),
    };
    // SAFETY: one valid pollfd, a valid timeout and an empty signal set; a blocked SIGCHLD is let through only in here.
    let result = unsafe {
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        sys::check(i64::from(libc::ppoll(&raw mut poll, 1, &raw const timeout, &raw const none)))
    };
    match result {
        Ok(count) => Ok(count > 0 && poll.revents != 0),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(false),
        Err(error) => Err(error),
    }
}

/// Guards a command without a namespace of its own: as the one that inherits orphans, or only by its process group.
pub(super) fn without_namespaces(socket: &mut UnixStream) -> Result<(), LayerFailure> {
    let Some((blueprint, stdin)) = super::receive(socket).at(Layer::Guard)? else { return Ok(()) };
    let (blueprint, stdin) = (&blueprint, &stdin);
    prepare_signals().at(Layer::Guard)?;
    // Daemonised grandchildren come back to a subreaper, so that it can find and end them.
    set_child_subreaper(Some(getpid())).at(Layer::Guard)?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable).at(Layer::Guard)?;
    let protections = confine::protections(blueprint);
    let shared_before = usage::MachineMemory::now().shared;
    let starting = Starting::fork(blueprint, stdin, &Filters::default()).at(Layer::Guard)?;
    let Some(pid) = starting.go(TempFiles::AsDrawn, socket, protections).at(Layer::Guard)? else { return Ok(()) };
    let time = Duration::from_millis(blueprint.bounds.time_ms);
    let mut next = Instant::now();
    let mut check = || {
        // Looks at the whole machine's process list, so it does not look at every tick.
        if blueprint.build == CageBuild::None || Instant::now() < next {
            return None;
        }
        let ending = usage::of_descendants(&blueprint.bounds, shared_before).or_else(|| {
            let is_full = |temp: &RawPath| temp_space::is_full(temp.path(), &descendants(), &blueprint.bounds);
            blueprint.temps.iter().any(is_full).then_some(Ending::TempSpace)
        });
        next = Instant::now() + ALL_POLL_INTERVAL;
        ending
    };
    let mut folder = blueprint.report_folder.then(LastFolder::default);
    let (mut status, ending) = watch(pid, Some(socket.as_fd()), time, &mut check, folder.as_mut()).at(Layer::Guard)?;
    end_group(pid, &mut status).at(Layer::Guard)?;
    let is_stopped = blueprint.ends_leftovers && ending != Ending::Itself;
    if blueprint.build == CageBuild::LandlockOnly || is_stopped {
        end_descendants(pid, &mut status, MAX_ENDING).at(Layer::Guard)?;
        blueprint.temps.iter().for_each(|temp| crate::private_temp::remove(temp.path()));
    }
    let left = if blueprint.ends_leftovers { count_the_rest().at(Layer::Guard)? } else { 0 };
    let folder = folder.and_then(LastFolder::seen);
    let answer = SetupMessage::Ended { status, ending, report: None, folder, left };
    let told = blueprint::send(socket, &answer);
    // Also when nobody could be told: an agent that is gone has hung up.
    if left > 0 {
        stay_with_the_rest(socket.as_fd()).at(Layer::Guard)?;
    }
    told.at(Layer::Guard)
}

/// How many processes are left. One that forks and ends all the time is in no list, but always somebody's child.
fn count_the_rest() -> io::Result<u64> {
    Ok(if reap_all()? == LeftProcesses::Nobody { 0 } else { descendants().len().max(1) as u64 })
}

#[derive(PartialEq, Eq)]
enum LeftProcesses {
    Nobody,
    Somebody,
}

/// Takes note of every child that has ended.
fn reap_all() -> io::Result<LeftProcesses> {
    loop {
        match sys::wait_any(WaitOptions::NOHANG)? {
            WaitResult::Ended(..) | WaitResult::Stopped(_) => {}
            WaitResult::NobodyYet => return Ok(LeftProcesses::Somebody),
            WaitResult::NoChildren => return Ok(LeftProcesses::Nobody),
        }
    }
}

/// Waits until all that a command has left running has ended, or the agent hangs up: then it ends them.
fn stay_with_the_rest(agent: BorrowedFd<'_>) -> io::Result<()> {
    // Whoever reads the command's output must not wait for this process.
    let nothing = sys::open(c"/dev/null", OFlags::RDWR)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    while reap_all()? == LeftProcesses::Somebody {
        if wait(Some(agent), LEFTOVERS_POLL_INTERVAL)? {
            return end_descendants(0, &mut 0, MAX_ENDING_THE_REST);
        }
    }
    Ok(())
}

/// Kills the command's process group, which it leads, and waits until none of it is left.
fn end_group(pid: libc::pid_t, status: &mut i32) -> io::Result<()> {
    for _ in 0..1000 {
        let gone = sys::kill(-pid, libc::SIGKILL).is_err();
        while let WaitResult::Ended(ended, with) = sys::wait_any(WaitOptions::NOHANG)? {
            if ended == pid {
                *status = with;
            }
        }
        if gone {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Err(io::Error::other("processes of the command did not end"))
}

/// Kills all descendants, stopping them first so that none forks while the list is read.
fn end_descendants(pid: libc::pid_t, status: &mut i32, most: Duration) -> io::Result<()> {
    let start = Instant::now();
    while start.elapsed() < most {
        // Who forks and ends, over and over, is gone before a list of the whole machine is read. But whoever has lost its parent is
        // a child of this process, and those are found at once.
        for _ in 0..QUICK_POLLS {
            usage::children().iter().for_each(|child| drop(sys::kill(*child, libc::SIGKILL)));
        }
        let descendants = descendants();
        for signal in [libc::SIGSTOP, libc::SIGKILL] {
            for descendant in &descendants {
                let _ = sys::kill(*descendant, signal);
            }
        }
        loop {
            match sys::wait_any(WaitOptions::NOHANG)? {
                WaitResult::Ended(ended, with) if ended == pid => *status = with,
                WaitResult::Ended(..) | WaitResult::Stopped(_) => {}
                WaitResult::NobodyYet => break,
                WaitResult::NoChildren => return Ok(()),
            }
        }
        // The killed need a moment on a processor to end.
        std::thread::sleep(Duration::from_millis(1));
    }
    Err(io::Error::other("processes of the command kept coming back"))
}
