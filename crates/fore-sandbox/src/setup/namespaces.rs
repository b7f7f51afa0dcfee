//! The two guards of a full cage: one outside that owns the namespaces, one inside that is process 1 and takes all down with it.

use super::filter::Filters;
use super::last_folder::LastFolder;
use super::mountinfo::OuterMounts;
use super::{AtLayer, LayerFailure, Starting, TempFiles, confine, guard, mounts, usage};
use crate::blueprint::{self, FromInside, Namespaces, Prelude, SetupMessage};
use crate::job::Ending;
use crate::job::LAYER_BYTES;
use crate::orders::Orders;
use crate::protection::{Layer, Protection};
use crate::sys;
use rustix::event::PollFlags;
use rustix::fs::OFlags;
use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::process::{DumpableBehavior, Signal, WaitOptions, set_dumpable_behavior, set_parent_process_death_signal};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// How often process 1 is forked before anybody asks for it: each time the mounts outside change it has to be forked again.
const MAX_AHEAD: u32 = 16;
/// How long process 1 may keep silent that was spoken to, and how often it is woken meanwhile.
const BETWEEN_WAKE_UPS: Duration = Duration::from_millis(500);
const MAX_WAKE_UPS: u32 = 40;
/// How long after the inner guard should have ended the run the outer one does.
const GRACE: Duration = Duration::from_secs(20);

/// Process 1 of a cage, in namespaces of its own and with its identity, as the guard outside sees it.
pub(super) struct Inside {
    pid: libc::pid_t,
    told: File,
}

impl Inside {
    /// Forks it. It waits for the agent's words; until then it knows nothing but perhaps the first of them.
    fn fork(socket: &mut UnixStream, prelude: Option<Prelude>) -> io::Result<Inside> {
        let (ready, mapped) = sys::pipe()?;
        let (told, say) = sys::pipe()?;
        let flags =
            libc::CLONE_NEWUSER | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS | libc::CLONE_NEWCGROUP;
        guard::prepare_signals()?;
        // The id maps of a process that hides itself belong to root, so neither does until they are written.
        set_dumpable_behavior(DumpableBehavior::Dumpable)?;
        let pid = sys::fork_into(flags)?;
        if pid == 0 {
            drop((mapped, told));
            let code = match guard_from_inside(socket, prelude, File::from(ready), File::from(say)) {
                Ok(()) => 0,
                Err(failure) => i32::from(blueprint::send(socket, &failure.answer()).is_err()),
            };
            // SAFETY: process 1 of the cage ends here, and the kernel ends everything else in it.
            unsafe { libc::_exit(code) };
        }
        drop((ready, say));
        // If process 1 is already gone, the pipe from it tells.
        let written = write_maps(pid);
        let hidden = set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(io::Error::from);
        match hidden.and(written).map(|()| File::from(mapped).write_all(b"1")) {
            Ok(_) => Ok(Inside { pid, told: File::from(told) }),
            Err(error) => {
                let _ = sys::kill(pid, libc::SIGKILL);
                wait_for_all();
                Err(error)
            }
        }
    }

    /// Waits for its word. Without one, or where it is of no more use, it is gone: it has said itself what went wrong, or nobody is
    /// there any more.
    fn hear(&mut self, socket: &UnixStream) -> Result<Option<FromInside>, LayerFailure> {
        if !self.speaks_in_time(socket).at(Layer::Guard)? {
            let _ = sys::kill(self.pid, libc::SIGKILL);
        }
        let word = blueprint::receive::<FromInside>(&mut self.told).at(Layer::Guard)?;
        match word {
            Some(FromInside::Begins { .. }) => {}
            Some(FromInside::NotNeeded | FromInside::Stale(_)) | None => wait_for_all(),
        }
        Ok(word)
    }

    /// Waits until it has something to say. It need not as long as nothing was said to it; then it must, soon: somebody may have
    /// stopped it. An agent that is gone wants nothing more.
    fn speaks_in_time(&self, socket: &UnixStream) -> io::Result<bool> {
        let said = sys::wait_for([(self.told.as_fd(), PollFlags::IN), (socket.as_fd(), PollFlags::IN)], None)?;
        if said[0] {
            return Ok(true);
        }
        for _ in 0..MAX_WAKE_UPS {
            // Nothing is asked of the socket, so only its end is told. Who has merely finished speaking cancels, and wants an answer.
            let told = [(self.told.as_fd(), PollFlags::IN), (socket.as_fd(), PollFlags::empty())];
            let [speaks, has_hung_up] = sys::wait_for(told, Some(BETWEEN_WAKE_UPS))?;
            if speaks || has_hung_up {
                return Ok(speaks);
            }
            let _ = sys::kill(self.pid, libc::SIGCONT);
        }
        Ok(false)
    }

    /// Waits until it is gone or the agent is.
    fn watch(self, time_ms: u64, orders: Option<&Orders>, socket: &mut UnixStream) -> Result<(), LayerFailure> {
        // The agent may be killed without a chance to say anything; the cage must not outlive it. Where something may have been
        // planted this guard must outlive it for a moment: then the socket alone tells.
        if orders.is_none() {
            set_parent_process_death_signal(Some(Signal::KILL)).at(Layer::Guard)?;
        }
        let patience = Duration::from_millis(time_ms).saturating_add(GRACE);
        let (_, ending) =
            guard::watch(self.pid, Some(socket.as_fd()), patience, &mut || None, None).at(Layer::Guard)?;
        if ending != Ending::Itself {
            let _ = sys::kill(self.pid, libc::SIGKILL);
            wait_for_all();
        }
        if let Some(orders) = orders {
            // Nobody hears it who has heard of the end already, or is gone.
            let _ = blueprint::send(socket, &SetupMessage::Gone);
            if wait_for_the_agent(socket) == AgentState::Gone {
                crate::orders::settle_alone(orders);
            }
        }
        Ok(())
    }
}

/// Waiting for process 1 waits for everything in its namespace: the kernel lets it end last.
fn wait_for_all() {
    while let Ok(sys::WaitResult::Ended(..) | sys::WaitResult::Stopped(_) | sys::WaitResult::NobodyYet) =
        sys::wait_any(WaitOptions::empty())
    {}
}

/// Guards one run from outside.
pub(super) fn guard(socket: &mut UnixStream) -> Result<(), LayerFailure> {
    let mut ahead = 0;
    // Process 1 is forked ahead of the first word, which mostly asks for it; where that fails it is tried again when it is asked for.
    while ahead < MAX_AHEAD {
        let Ok(mut inside) = Inside::fork(socket, None) else { break };
        match inside.hear(socket)? {
            Some(FromInside::Stale(None)) => ahead += 1,
            Some(FromInside::Stale(Some(prelude))) => return guard_at_last(prelude, socket),
            Some(FromInside::NotNeeded) => return guard::without_namespaces(socket),
            Some(FromInside::Begins { time_ms, orders }) => return inside.watch(time_ms, orders.as_deref(), socket),
            None => return Ok(()),
        }
    }
    match Prelude::receive(socket).at(Layer::Guard)? {
        Some(Prelude { namespaces: Namespaces::Missing, .. }) => guard::without_namespaces(socket),
        Some(prelude) => guard_at_last(prelude, socket),
        None => Ok(()),
    }
}

/// Where what was made before it was asked for is of no use.
fn guard_at_last(prelude: Prelude, socket: &mut UnixStream) -> Result<(), LayerFailure> {
    match Inside::fork(socket, Some(prelude)) {
        Ok(mut inside) => match inside.hear(socket)? {
            Some(FromInside::Begins { time_ms, orders }) => inside.watch(time_ms, orders.as_deref(), socket),
            Some(FromInside::NotNeeded | FromInside::Stale(_)) => {
                Err(io::Error::other("process 1 has no use for what it was asked for")).at(Layer::Guard)
            }
            None => Ok(()),
        },
        Err(error) => {
            // Whoever is still speaking does not hear.
            super::receive(socket).at(Layer::Guard)?;
            Err(error).at(Layer::Namespaces)
        }
    }
}

#[derive(PartialEq, Eq)]
enum AgentState {
    /// It has looked after what the run planted.
    Settled,
    Gone,
}

/// As long as the agent lives it settles the run itself, with what it knows of the workspace.
fn wait_for_the_agent(socket: &mut UnixStream) -> AgentState {
    let mut word = [0];
    loop {
        match socket.read(&mut word) {
            Ok(0) => return AgentState::Gone,
            Ok(_) if word == [blueprint::SETTLED] => return AgentState::Settled,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return AgentState::Gone,
        }
    }
}

/// Process 1: builds the walls, starts the command, outlives it, ends what is left, and reports.
fn guard_from_inside(
    socket: &mut UnixStream,
    known: Option<Prelude>,
    mut ready: File,
    mut say: File,
) -> Result<(), LayerFailure> {
    set_parent_process_death_signal(Some(Signal::KILL)).at(Layer::Guard)?;
    // The request above must come before this read: had the outer guard died earlier, the pipe would now be at its end.
    if ready.read(&mut [0]).at(Layer::Guard)? == 0 {
        return Ok(());
    }
    drop(ready);
    // Nobody may look into a guard, neither from the cage nor from beside it.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).at(Layer::Guard)?;
    usage::go_first_when_memory_ends();
    let mut filters = Filters::default();
    filters.make(confine::probable_needs(Namespaces::Closed));
    let outside = OuterMounts::new();
    let disk = own_disk(known.map_or(LAYER_BYTES, |prelude| prelude.layer_bytes));
    let prelude = match known {
        Some(prelude) => prelude,
        None => {
            let [has_changed, has_spoken] = match &outside {
                Ok(outside) => outside.wait_for(socket.as_fd()).at(Layer::Guard)?,
                Err(_) => [true, true],
            };
            if !has_spoken {
                return blueprint::send(&mut say, &FromInside::Stale(None)).at(Layer::Guard);
            }
            let Some(prelude) = Prelude::receive(socket).at(Layer::Guard)? else { return Ok(()) };
            if prelude.namespaces == Namespaces::Missing {
                return blueprint::send(&mut say, &FromInside::NotNeeded).at(Layer::Guard);
            }
            // What failed then may work now.
            if has_changed || disk.is_err() || prelude.layer_bytes != LAYER_BYTES {
                return blueprint::send(&mut say, &FromInside::Stale(Some(prelude))).at(Layer::Guard);
            }
            prelude
        }
    };
    drop(outside);
    // While the agent draws the blueprint.
    let prepared = disk.and_then(|disk| Ok((disk, prepare(prelude)?)));
    if prelude.namespaces == Namespaces::Network {
        filters.make(confine::probable_needs(prelude.namespaces));
    }
    let Some((blueprint, stdin)) = super::receive(socket).at(Layer::Guard)? else { return Ok(()) };
    let blueprint = &blueprint;
    let begins =
        FromInside::Begins { time_ms: blueprint.bounds.time_ms, orders: blueprint.orders.clone().map(Box::new) };
    blueprint::send(&mut say, &begins).at(Layer::Guard)?;
    drop(say);
    let (disk, shared_before) = prepared?;
    let needed = Namespaces::of(blueprint.build, blueprint.reach);
    if (Prelude { namespaces: needed, layer_bytes: blueprint.bounds.layer_bytes }) != prelude {
        return Err(io::Error::other("the blueprint is of another sandbox")).at(Layer::Guard);
    }
    let starting = Starting::fork(blueprint, &stdin, &filters).at(Layer::Guard)?;
    let built = mounts::build(disk, blueprint)?;
    if let Some(port) = blueprint.proxy_port {
        send_listener(socket, port).at(Layer::Loopback)?;
    }
    let mut protections =
        vec![Protection::on(Layer::Namespaces, "own users, mounts, processes, shared memory and host name")];
    protections.extend(built.protections);
    protections.extend(super::confine::protections(blueprint));
    let temp_files = if built.plain { TempFiles::InMemory } else { TempFiles::AsDrawn };
    let Some(pid) = starting.go(temp_files, socket, protections).at(Layer::Guard)? else { return Ok(()) };
    let time = Duration::from_millis(blueprint.bounds.time_ms);
    let mut check = || usage::of_all(&blueprint.bounds, shared_before);
    let mut folder = blueprint.report_folder.then(LastFolder::default);
    let (status, ending) = guard::watch(pid, None, time, &mut check, folder.as_mut()).at(Layer::Guard)?;
    // Process 1 may signal everybody in its namespace with one call, so nobody can fork past it.
    let _ = sys::kill(-1, libc::SIGKILL);
    let mut status = status;
    loop {
        match sys::wait_any(WaitOptions::empty()).at(Layer::Guard)? {
            sys::WaitResult::Ended(ended, with) if ended == pid => status = with,
            sys::WaitResult::NoChildren => break,
            sys::WaitResult::Ended(..) | sys::WaitResult::Stopped(_) | sys::WaitResult::NobodyYet => {}
        }
    }
    let report = built.overlays.map(|overlays| overlays.report(blueprint.diff));
    let folder = folder.and_then(LastFolder::seen);
    blueprint::send(socket, &SetupMessage::Ended { status, ending, report, folder, left: 0 }).at(Layer::Guard)
}

/// A disk of its own, for any run. Until it is used the mounts follow those outside: what is unmounted there is free at once.
fn own_disk(layer_bytes: u64) -> Result<mounts::OwnDisk, LayerFailure> {
    sys::unshare(libc::CLONE_NEWNS).at(Layer::Namespaces)?;
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::DOWNSTREAM).at(Layer::ReadOnlyDisk)?;
    mounts::OwnDisk::new(layer_bytes)
}

/// What a run of this kind needs besides: perhaps a network of its own; and how much memory is shared before.
fn prepare(prelude: Prelude) -> Result<u64, LayerFailure> {
    mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE).at(Layer::ReadOnlyDisk)?;
    // Where no socket can be made at all, an empty network closes nothing more, and it is the dearest of all namespaces.
    let network = match prelude.namespaces {
        Namespaces::Network => libc::CLONE_NEWNET,
        Namespaces::Closed | Namespaces::Missing => 0,
    };
    if network != 0 {
        sys::unshare(network).at(Layer::Namespaces)?;
        raise_loopback().at(Layer::Loopback)?;
    }
    Ok(usage::MachineMemory::now().shared)
}

/// Every id means the same inside as outside. A privileged caller maps all ids it knows, anybody else only their own.
fn write_maps(pid: libc::pid_t) -> io::Result<()> {
    let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
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
    let fd = sys::open(path, OFlags::WRONLY)?;
    std::fs::File::from(fd).write_all(text.as_bytes())
}

/// A socket belongs to the network it was made in: the agent can accept, outside, what connects to it in here.
fn send_listener(socket: &mut UnixStream, port: u16) -> io::Result<()> {
    let listener = std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, port))?;
    blueprint::send(socket, &SetupMessage::Listening)?;
    sys::send_descriptor(socket.as_fd(), listener.as_fd())
}

/// Brings up `lo` of the empty network, so that tests can listen and connect to themselves.
fn raise_loopback() -> io::Result<()> {
    let socket = rustix::net::socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    // SAFETY: an all-zero ifreq is valid; the name is terminated by the zeros.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = *from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: `request` is a valid ifreq for SIOCSIFFLAGS; the socket is open for as long as it is borrowed.
    sys::check(i64::from(unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &raw const request) }))
        .map(drop)
}
