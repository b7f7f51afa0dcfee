//! Where a shell stood when it ended: it stops for a moment at its exit, and its guard looks.
//!
//! The command's text stays as it was judged. Bash reads a start-up file of ours first, which asks for that stop and goes
//! away; the guard reads the folder from the kernel, so a command can lie about it only by really going there.

use crate::blueprint::RawPath;
use crate::sys;
use rustix::fs::MemfdFlags;
use rustix::io::FdFlags;
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};

/// The longest folder that is told.
const MAX_PATH_BYTES: usize = 4096;

/// The start-up file, in memory, for the shell that runs next.
pub(super) struct StartupFile(OwnedFd);

impl StartupFile {
    pub(super) fn new() -> io::Result<StartupFile> {
        let file = rustix::fs::memfd_create(c"start-up", MemfdFlags::CLOEXEC)?;
        let number = file.as_raw_fd();
        // A command that sets an exit trap of its own, or becomes another program, is not asked where it went.
        let text = format!("exec {number}<&-; unset BASH_ENV; trap 'builtin kill -STOP $$ 2>/dev/null' EXIT\n");
        let mut file = std::fs::File::from(file);
        file.write_all(text.as_bytes())?;
        Ok(StartupFile(file.into()))
    }

    /// Leaves the file open across the exec that follows.
    pub(super) fn keep_open(&self) -> io::Result<()> {
        Ok(rustix::io::fcntl_setfd(&self.0, FdFlags::empty())?)
    }

    /// The variable that makes bash read it.
    pub(super) fn variable(&self) -> (OsString, OsString) {
        ("BASH_ENV".into(), format!("/dev/fd/{}", self.0.as_raw_fd()).into())
    }
}

/// What the guard has seen of a shell's folder.
#[derive(Debug, Default)]
pub(super) struct LastFolder(Option<RawPath>);

impl LastFolder {
    /// The shell has stopped: looks where it stands, and lets it go on.
    pub(super) fn read(&mut self, pid: libc::pid_t) {
        let found = std::fs::read_link(format!("/proc/{pid}/cwd")).ok();
        self.0 = found.filter(|path| path.is_absolute() && path.as_os_str().len() <= MAX_PATH_BYTES).map(RawPath::from);
        // Who was killed meanwhile needs no leave to go on.
        let _ = sys::kill(pid, libc::SIGCONT);
    }

    pub(super) fn seen(self) -> Option<RawPath> {
        self.0
    }
}
