//! The two guards of a full cage: one outside that owns the namespaces, one inside that is process 1 and takes all down with it.

use super::last_folder::LastFolder;
use super::{At, Failure, crowd, guard, mounts};
use crate::blueprint::{self, Answer, Blueprint, Ending};
use crate::protection::{Layer, Protection};
use crate::sys;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// How long after the inner guard should have ended the run the outer one does.
const GRACE: Duration = Duration::from_secs(20);

/// Forks process 1 into new namespaces, gives it its identity, and waits until it is gone or the agent is.
pub(super) fn guard_from_outside(
    blueprint: &Blueprint,
    stdin: &OwnedFd,
    socket: &mut UnixStream,
) -> Result<(), Failure> {
    // The agent may be killed without a chance to say anything; the cage must not outlive it. Where something may have been
    // planted this guard must outlive it for a moment: then the socket alone tells.
    if blueprint.orders.is_none() {
        sys::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong).at(Layer::Guard)?;
    }
    let (ready, tell) = sys::pipe().at(Layer::Guard)?;
    let mut flags = libc::CLONE_NEWUSER
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWCGROUP;
    // Where no socket can be made at all, an empty network closes nothing more, and it is the dearest of all namespaces.
    if blueprint.reach.has_own_network() {
        flags |= libc::CLONE_NEWNET;
    }
    guard::prepare_signals().at(Layer::Guard)?;
    let pid = sys::fork_into(flags).at(Layer::Namespaces)?;
    if pid == 0 {
        drop(tell);
        let code = match guard_from_inside(blueprint, stdin, socket, ready) {
            Ok(()) => 0,
            Err(failure) => i32::from(blueprint::send(socket, &failure.answer()).is_err()),
        };
        // SAFETY: process 1 of the cage ends here, and the kernel ends everything else in it.
        unsafe { libc::_exit(code) };
    }
    drop(ready);
    let mapped = write_maps(pid);
    if mapped.is_ok() {
        // If process 1 is already gone, waiting for it below tells.
        let _ = std::fs::File::from(tell).write_all(b"1");
    } else {
        drop(tell);
        let _ = sys::kill(pid, libc::SIGKILL);
    }
    let patience = Duration::from_millis(blueprint.bounds.time_ms).saturating_add(GRACE);
    let (_, ending) = guard::watch(pid, Some(socket.as_fd()), patience, &mut || None, None).at(Layer::Guard)?;
    if ending != Ending::Itself {
        let _ = sys::kill(pid, libc::SIGKILL);
        // Waiting for process 1 waits for everything in its namespace: the kernel lets it end last.
        while !matches!(sys::wait_any(0).at(Layer::Guard)?, sys::Waited::NoChildren) {}
    }
    if let (Some(orders), Ok(())) = (&blueprint.orders, &mapped) {
        // Nobody hears it who has heard of the end already, or is gone.
        let _ = blueprint::send(socket, &Answer::Gone);
        if wait_for_the_agent(socket) == Agent::Gone {
            crate::orders::settle_alone(orders);
        }
    }
    mapped.at(Layer::Namespaces)
}

#[derive(PartialEq, Eq)]
enum Agent {
    /// It has looked after what the run planted.
    Settled,
    Gone,
}

/// As long as the agent lives it settles the run itself, with what it knows of the workspace.
fn wait_for_the_agent(socket: &mut UnixStream) -> Agent {
    let mut word = [0];
    loop {
        match socket.read(&mut word) {
            Ok(0) => return Agent::Gone,
            Ok(_) if word == [blueprint::SETTLED] => return Agent::Settled,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Agent::Gone,
        }
    }
}

/// Process 1: builds the walls, starts the command, outlives it, ends what is left, and reports.
fn guard_from_inside(
    blueprint: &Blueprint,
    stdin: &OwnedFd,
    socket: &mut UnixStream,
    ready: OwnedFd,
) -> Result<(), Failure> {
    sys::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong).at(Layer::Guard)?;
    // The request above must come before this read: had the outer guard died earlier, the pipe would now be at its end.
    let mut byte = [0];
    let told = std::fs::File::from(ready).read(&mut byte).at(Layer::Guard)?;
    if told == 0 {
        return Ok(());
    }
    // Nobody in the cage may look into its guard. Not earlier: the id maps of a process that hides itself belong to root.
    sys::prctl(libc::PR_SET_DUMPABLE, 0).at(Layer::Guard)?;
    crowd::go_first_when_memory_ends();
    let shared_before = crowd::Memory::now().shared;
    let built = mounts::build(blueprint)?;
    if blueprint.reach.has_own_network() {
        raise_loopback().at(Layer::Loopback)?;
    }
    if let Some(port) = blueprint.proxy_port {
        hand_out_listener(socket, port).at(Layer::Loopback)?;
    }
    let mut protections =
        vec![Protection::on(Layer::Namespaces, "own users, mounts, processes, shared memory and host name")];
    protections.extend(built.protections);
    protections.extend(super::confine::protections(blueprint));
    let narrowed;
    let blueprint = if built.plain {
        narrowed = with_temp_in_memory(blueprint);
        &narrowed
    } else {
        blueprint
    };
    let Some(pid) = super::start(blueprint, stdin, socket, protections).at(Layer::Guard)? else {
        return Ok(());
    };
    let time = Duration::from_millis(blueprint.bounds.time_ms);
    let mut check = || crowd::of_all(&blueprint.bounds, shared_before);
    let mut folder = blueprint.report_folder.then(LastFolder::default);
    let (status, ending) = guard::watch(pid, None, time, &mut check, folder.as_mut()).at(Layer::Guard)?;
    // Process 1 may signal everybody in its namespace with one call, so nobody can fork past it.
    let _ = sys::kill(-1, libc::SIGKILL);
    let mut status = status;
    loop {
        match sys::wait_any(0).at(Layer::Guard)? {
            sys::Waited::Ended(ended, with) if ended == pid => status = with,
            sys::Waited::NoChildren => break,
            sys::Waited::Ended(..) | sys::Waited::Stopped(_) | sys::Waited::NobodyYet => {}
        }
    }
    let report = built.overlays.map(|overlays| overlays.report(blueprint.diff));
    let folder = folder.and_then(LastFolder::seen);
    blueprint::send(socket, &Answer::Ended { status, ending, report, folder, left: 0 }).at(Layer::Guard)
}

/// The same, with temp files in the private shared memory instead of the temp folder.
fn with_temp_in_memory(blueprint: &Blueprint) -> Blueprint {
    let mut narrowed = blueprint.clone();
    narrowed.temps.clear();
    for (_, value) in narrowed.environment.iter_mut().filter(|(name, _)| name == "TMPDIR") {
        *value = "/dev/shm".into();
    }
    narrowed
}

/// Every id means the same inside as outside. A privileged caller maps all ids it knows, anybody else only their own.
fn write_maps(pid: libc::pid_t) -> io::Result<()> {
    // SAFETY: no pointers, cannot fail.
    let (uid, gid) = unsafe { (libc::geteuid(), libc::getegid()) };
    // Required before an unprivileged gid_map: otherwise leaving a group could open what the group was denied.
    write_once(&format!("/proc/{pid}/setgroups"), "deny")?;
    for (file, own) in [("uid_map", uid), ("gid_map", gid)] {
        let target = format!("/proc/{pid}/{file}");
        let all = same_ids(Path::new("/proc/self").join(file).as_path())?;
        if uid != 0 || write_once(&target, &all).is_err() {
            write_once(&target, &format!("{own} {own} 1"))?;
        }
    }
    Ok(())
}

/// The identity map over all ids that exist in this namespace.
fn same_ids(map: &Path) -> io::Result<String> {
    let mut lines = String::new();
    for line in std::fs::read_to_string(map)?.lines() {
        let mut numbers = line.split_whitespace();
        if let (Some(first), Some(_), Some(count)) = (numbers.next(), numbers.next(), numbers.next()) {
            lines.push_str(&format!("{first} {first} {count}\n"));
        }
    }
    Ok(lines)
}

/// These files take exactly one write.
fn write_once(path: &str, text: &str) -> io::Result<()> {
    let fd = sys::open_at(None, &sys::c_string(path)?, libc::O_WRONLY, 0)?;
    std::fs::File::from(fd).write_all(text.as_bytes())
}

/// A socket belongs to the network it was made in: the agent can accept, outside, what connects to it in here.
fn hand_out_listener(socket: &mut UnixStream, port: u16) -> io::Result<()> {
    let listener = std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, port))?;
    blueprint::send(socket, &Answer::Listening)?;
    sys::send_descriptor(socket.as_fd(), listener.as_fd())
}

/// Brings up `lo` of the empty network, so that tests can listen and connect to themselves.
fn raise_loopback() -> io::Result<()> {
    // SAFETY: no pointers.
    let raw = sys::check(i64::from(unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) }))?;
    // SAFETY: an all-zero ifreq is valid; the name is terminated by the zeros.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = *from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: `request` is a valid ifreq for SIOCSIFFLAGS; the socket is ours and closed right after.
    let result = sys::check(i64::from(unsafe { libc::ioctl(raw as i32, libc::SIOCSIFFLAGS as _, &raw const request) }));
    // SAFETY: closes the socket opened above.
    unsafe { libc::close(raw as i32) };
    result.map(drop)
}
