//! Waits for the command, and ends it when its time, its memory or its patience with us is over.

use super::{At, Failure, confine};
use crate::blueprint::{self, Answer, Blueprint, Bounds, Ending, Walls};
use crate::protection::Layer;
use crate::sys::{self, Waited};
use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// How often the guard looks at memory and process counts.
const TICK: Duration = Duration::from_millis(50);

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
) -> io::Result<(i32, Ending)> {
    let start = Instant::now();
    let mut next_check = TICK;
    loop {
        loop {
            match sys::wait_any(libc::WNOHANG)? {
                Waited::Ended(ended, status) if ended == pid => {
                    return Ok((status, Ending::Itself));
                }
                Waited::Ended(..) => {}
                Waited::NobodyYet => break,
                Waited::NoChildren => return Ok((0, Ending::Itself)),
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

/// What the machine says of its memory, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Memory {
    pub(super) total: u64,
    pub(super) available: u64,
    /// In memory files and shared mappings, which belong to no process.
    pub(super) shared: u64,
}

impl Memory {
    pub(super) fn now() -> Memory {
        let mut memory = Memory::default();
        for line in std::fs::read_to_string("/proc/meminfo").unwrap_or_default().lines() {
            let mut words = line.split_whitespace();
            let (name, number) = (words.next(), words.next().and_then(|number| number.parse::<u64>().ok()));
            let bytes = number.unwrap_or(0).saturating_mul(1024);
            match name {
                Some("MemTotal:") => memory.total = bytes,
                Some("MemAvailable:") => memory.available = bytes,
                Some("Shmem:") => memory.shared = bytes,
                _ => {}
            }
        }
        memory
    }

    /// So little left that soon somebody innocent would be ended.
    fn is_short(self) -> bool {
        self.available < (self.total / 25).min(1 << 30)
    }
}

/// Should the machine run out of memory in spite of all bounds, the kernel takes this process and those it starts first. Nobody in
/// the cage can take that back: `/proc` is read-only there.
pub(super) fn go_first_when_memory_ends() {
    let told = sys::open_at(None, c"/proc/self/oom_score_adj", libc::O_WRONLY, 0);
    // Where this cannot be said, the kernel chooses by size.
    let _ = told.and_then(|fd| std::io::Write::write_all(&mut std::fs::File::from(fd), b"1000"));
}

/// Whether the processes of this cage are too many or too big. Sees only them, thanks to the private `/proc`.
///
/// The kernel's own process limit does not bind root, and no limit of it counts memory over several processes. Memory that belongs
/// to no process (memory files, shared mappings) can only be told by what the whole machine has more of than before.
pub(super) fn crowd(bounds: &Bounds, shared_before: u64) -> Option<Ending> {
    let memory = Memory::now();
    let shared_most = bounds.memory_bytes.saturating_add(bounds.layer_bytes).saturating_add(bounds.layer_bytes / 4);
    if memory.is_short() || memory.shared.saturating_sub(shared_before) > shared_most {
        return Some(Ending::Memory);
    }
    let (mut processes, mut pages) = (0u64, 0u64);
    for entry in std::fs::read_dir("/proc").ok()?.flatten() {
        if !entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit) {
            continue;
        }
        // Threads count like processes, as they do for the kernel's own limit. A folder has one link per folder in it, and two more.
        let threads = std::fs::metadata(entry.path().join("task")).map_or(1, |tasks| tasks.nlink().saturating_sub(2));
        processes += threads.max(1);
        if processes > bounds.processes {
            return Some(Ending::Processes);
        }
        let Ok(statm) = std::fs::read_to_string(entry.path().join("statm")) else {
            continue;
        };
        let mut fields = statm.split(' ').skip(1).map_while(|field| field.parse::<u64>().ok());
        let (resident, shared) = (fields.next().unwrap_or(0), fields.next().unwrap_or(0));
        pages = pages.saturating_add(resident.saturating_sub(shared));
    }
    (pages.saturating_mul(page_bytes()) > bounds.memory_bytes).then_some(Ending::Memory)
}

fn page_bytes() -> u64 {
    // SAFETY: no pointers.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Guards a command without a namespace of its own: as the one that inherits orphans, or only by its process group.
pub(super) fn without_namespaces(
    blueprint: &Blueprint,
    stdin: &OwnedFd,
    socket: &mut UnixStream,
) -> Result<(), Failure> {
    prepare_signals().at(Layer::Guard)?;
    // Daemonised grandchildren come back to a subreaper, so that it can find and end them.
    sys::prctl(libc::PR_SET_CHILD_SUBREAPER, 1).at(Layer::Guard)?;
    sys::prctl(libc::PR_SET_DUMPABLE, 0).at(Layer::Guard)?;
    let protections = confine::protections(blueprint);
    let Some(pid) = super::start(blueprint, stdin, socket, protections).at(Layer::Guard)? else {
        return Ok(());
    };
    let time = Duration::from_millis(blueprint.bounds.time_ms);
    let (mut status, ending) = watch(pid, Some(socket.as_fd()), time, &mut || None).at(Layer::Guard)?;
    end_group(pid, &mut status).at(Layer::Guard)?;
    if blueprint.walls == Walls::LandlockOnly {
        end_descendants(pid, &mut status).at(Layer::Guard)?;
    }
    blueprint::send(socket, &Answer::Ended { status, ending, report: None, planted: 0 }).at(Layer::Guard)
}

/// Kills the command's process group, which it leads, and waits until none of it is left.
fn end_group(pid: libc::pid_t, status: &mut i32) -> io::Result<()> {
    for _ in 0..1000 {
        let gone = sys::kill(-pid, libc::SIGKILL).is_err();
        while let Waited::Ended(ended, with) = sys::wait_any(libc::WNOHANG)? {
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
fn end_descendants(pid: libc::pid_t, status: &mut i32) -> io::Result<()> {
    for _ in 0..1000 {
        let descendants = descendants();
        for signal in [libc::SIGSTOP, libc::SIGKILL] {
            for descendant in &descendants {
                let _ = sys::kill(*descendant, signal);
            }
        }
        loop {
            match sys::wait_any(libc::WNOHANG)? {
                Waited::Ended(ended, with) if ended == pid => *status = with,
                Waited::Ended(..) => {}
                Waited::NobodyYet => break,
                Waited::NoChildren => return Ok(()),
            }
        }
        // The killed need a moment on a processor to end.
        std::thread::sleep(Duration::from_millis(1));
    }
    Err(io::Error::other("processes of the command kept coming back"))
}

/// Everybody below this process, dead ones left out.
fn descendants() -> Vec<libc::pid_t> {
    let mut children: HashMap<libc::pid_t, Vec<libc::pid_t>> = HashMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let Ok(stat) = std::fs::read(entry.path().join("stat")) else {
            continue;
        };
        // The command name in brackets can hold anything; what follows its last bracket is fixed.
        let Some(end) = stat.iter().rposition(|byte| *byte == b')') else {
            continue;
        };
        let rest = String::from_utf8_lossy(stat.get(end + 1..).unwrap_or_default()).into_owned();
        let mut fields = rest.split_whitespace();
        let (state, parent) = (fields.next(), fields.next().and_then(|field| field.parse().ok()));
        if let (Some(state), Some(parent)) = (state, parent)
            && state != "Z"
        {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut next = vec![std::process::id() as libc::pid_t];
    while let Some(parent) = next.pop() {
        for child in children.remove(&parent).unwrap_or_default() {
            found.push(child);
            next.push(child);
        }
    }
    found
}
