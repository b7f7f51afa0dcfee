//! The inside of the set-up program: reads the blueprint, builds the cage around itself and becomes the command.
//!
//! Never runs the command when a layer that the blueprint names could not be set up.

mod calls;
mod changes;
mod confine;
mod filter;
mod guard;
mod landlock;
mod last_folder;
mod mountinfo;
mod mounts;
mod namespaces;
mod overlay;
mod pipes;
mod planted;
mod temp_space;
mod usage;

pub(crate) use landlock::landlock_version;
pub(crate) use mountinfo::Mounts;

use crate::blueprint::{self, Blueprint, SetupMessage, StdinSource};
use crate::protection::Layer;
use crate::sys;
use filter::Filters;
use rustix::fs::{MemfdFlags, OFlags};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};

/// The name under which the set-up program is started; nobody types this by accident. It ends with what both programs were built
/// from, so that one of another version does not take it for its own.
pub(crate) fn marker() -> String {
    const FORMAT: u64 = fingerprint(&[
        include_bytes!("../blueprint.rs"),
        include_bytes!("../job.rs"),
        include_bytes!("../orders/mod.rs"),
        include_bytes!("../orders/snapshot.rs"),
        include_bytes!("../protection.rs"),
        include_bytes!("../report.rs"),
    ]);
    format!("fore-cage-setup:asked:{FORMAT:016x}")
}

/// How the set-up program ends that was not asked by its own version.
pub(crate) const NOT_ASKED: i32 = 2;

/// FNV-1a: tells builds apart, and protects nothing.
const fn fingerprint(files: &[&[u8]]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut files = files;
    while let [file, rest @ ..] = files {
        let mut bytes = *file;
        while let [byte, rest @ ..] = bytes {
            hash = (hash ^ *byte as u64).wrapping_mul(0x0100_0000_01b3);
            bytes = rest;
        }
        files = rest;
    }
    hash
}

static CAN_STAND_IN: AtomicBool = AtomicBool::new(false);

/// Whether this program called [`become_setup_if_asked`], so that executing it again builds a cage.
pub(crate) fn can_stand_in() -> bool {
    CAN_STAND_IN.load(Ordering::Relaxed)
}

/// Call this first in `main`: a program that was started to build a cage does so here and does not come back.
///
/// A program that calls it can be its own set-up program, so one file is enough to install.
pub fn become_setup_if_asked() {
    CAN_STAND_IN.store(true, Ordering::Relaxed);
    if std::env::args_os().next().is_some_and(|name| name == *marker()) {
        let code = match take_socket().and_then(|mut socket| run(&mut socket)) {
            Ok(()) => 0,
            Err(_) => 1,
        };
        std::process::exit(code);
    }
}

/// A layer that could not be set up, and why.
#[derive(Debug)]
pub(crate) struct LayerFailure {
    layer: Layer,
    error: io::Error,
    about: Option<String>,
}

impl LayerFailure {
    fn answer(&self) -> SetupMessage {
        let reason = match &self.about {
            Some(about) => format!("{about}: {}", self.error),
            None => self.error.to_string(),
        };
        SetupMessage::Failed { layer: self.layer, errno: self.error.raw_os_error(), reason }
    }
}

/// Names the layer that an error belongs to.
pub(crate) trait AtLayer<T> {
    fn at(self, layer: Layer) -> Result<T, LayerFailure>;
    fn at_path(self, layer: Layer, path: &std::path::Path) -> Result<T, LayerFailure>;
}

impl<T, E: Into<io::Error>> AtLayer<T> for Result<T, E> {
    fn at(self, layer: Layer) -> Result<T, LayerFailure> {
        self.map_err(|error| LayerFailure { layer, error: error.into(), about: None })
    }

    fn at_path(self, layer: Layer, path: &std::path::Path) -> Result<T, LayerFailure> {
        self.map_err(|error| LayerFailure { layer, error: error.into(), about: Some(path.display().to_string()) })
    }
}

/// The socket to the agent comes as standard input, where a plain spawn can put it; it moves away so that no command sees it.
fn take_socket() -> io::Result<UnixStream> {
    let socket = rustix::stdio::stdin().try_clone_to_owned()?;
    rustix::stdio::dup2_stdin(sys::open(c"/dev/null", OFlags::RDWR)?)?;
    Ok(UnixStream::from(socket))
}

fn run(socket: &mut UnixStream) -> io::Result<()> {
    // Whoever could look into a guard could speak for it.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    // A terminal's Ctrl-C must reach the agent, which then decides; so the guard leaves the terminal's session.
    // It fails only for a group leader, who has no terminal to leave.
    let _ = rustix::process::setsid();
    match namespaces::guard(socket) {
        Ok(()) => Ok(()),
        Err(failure) => blueprint::send(socket, &failure.answer()),
    }
}

/// The blueprint and the command's standard input; `None` when the agent has thought better of it.
fn receive(socket: &mut UnixStream) -> io::Result<Option<(Blueprint, OwnedFd)>> {
    let Some(blueprint) = blueprint::receive::<Blueprint>(socket)? else { return Ok(None) };
    let stdin = take_stdin(socket, blueprint.stdin)?;
    Ok(Some((blueprint, stdin)))
}

/// Standard input for the command: bytes in memory, a pipe, or nothing.
fn take_stdin(socket: &mut UnixStream, source: StdinSource) -> io::Result<OwnedFd> {
    let length = match source {
        StdinSource::Nothing => return sys::open(c"/dev/null", OFlags::RDONLY),
        StdinSource::Pipe => return sys::receive_descriptor(socket.as_fd()),
        StdinSource::Bytes(length) => length,
    };
    let mut file = File::from(rustix::fs::memfd_create(c"stdin", MemfdFlags::CLOEXEC)?);
    if io::copy(&mut Read::take(&mut *socket, length), &mut file)? != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    // Read-only for the command: a memfd of ours is nothing to write to.
    sys::open(format!("/proc/self/fd/{}", file.as_raw_fd()), OFlags::RDONLY)
}

/// A child that confines itself as far as it can before the cage stands, then waits for that, and becomes the command.
struct Starting {
    pid: libc::pid_t,
    go: File,
    told: File,
}

/// Where temp files go, which is known when the cage stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TempFiles {
    AsDrawn,
    InMemory,
}

impl TempFiles {
    fn byte(self) -> u8 {
        match self {
            TempFiles::AsDrawn => b'd',
            TempFiles::InMemory => b'm',
        }
    }

    fn of([byte]: [u8; 1]) -> Option<TempFiles> {
        [TempFiles::AsDrawn, TempFiles::InMemory].into_iter().find(|known| known.byte() == byte)
    }
}

impl Starting {
    fn fork(blueprint: &Blueprint, stdin: &OwnedFd, filters: &Filters) -> io::Result<Starting> {
        let (told, say) = sys::pipe()?;
        let (wait, go) = sys::pipe()?;
        let start_up = if blueprint.report_folder { Some(last_folder::StartupFile::new()?) } else { None };
        let pid = sys::fork_into(0)?;
        if pid == 0 {
            drop((told, go));
            let mut wait = File::from(wait);
            let stands = || {
                let mut byte = [0];
                // A guard that has ended says nothing.
                wait.read_exact(&mut byte)?;
                TempFiles::of(byte).ok_or_else(|| io::Error::other("an unknown word of its guard"))
            };
            let answer = confine::become_command(blueprint, (stdin, filters, start_up.as_ref()), stands);
            // The pipe is closed by a successful exec; whatever is written to it is bad news.
            let mut say = File::from(say);
            let _ = blueprint::send(&mut say, &answer).and_then(|()| say.flush());
            // SAFETY: ends this forked copy at once, without running the parent's exit handlers.
            unsafe { libc::_exit(127) };
        }
        Ok(Starting { pid, go: File::from(go), told: File::from(told) })
    }

    /// Lets it become the command; says on the socket whether it came to stand.
    fn go(
        mut self,
        temp_files: TempFiles,
        socket: &mut UnixStream,
        protections: Vec<crate::Protection>,
    ) -> io::Result<Option<libc::pid_t>> {
        // One that has given up has said why.
        let _ = self.go.write_all(&[temp_files.byte()]);
        match blueprint::receive::<SetupMessage>(&mut self.told)? {
            Some(answer) => {
                blueprint::send(socket, &answer)?;
                Ok(None)
            }
            None => {
                // An agent that is gone by now is noticed by whoever watches, who ends the command; giving up here would leave
                // it alone.
                let _ = blueprint::send(socket, &SetupMessage::Standing { protections });
                Ok(Some(self.pid))
            }
        }
    }
}
