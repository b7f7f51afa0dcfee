//! Thin wrappers of system calls, with the flags that they always have here. Decides nothing.
//!
//! The calls are those of `rustix`; what it does not offer is called through libc.

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, RawDir, RenameFlags, ResolveFlags, Stat};
use rustix::io::{Errno, retry_on_intr};
use rustix::mount::{MountFlags, MoveMountFlags, OpenTreeFlags};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
};
use rustix::path::Arg;
use rustix::process::{Resource, Rlimit, WaitOptions};
use std::ffi::{CStr, CString, OsStr};
use std::fs::Metadata;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

pub(crate) const AT_RECURSIVE: u32 = 0x8000;
pub(crate) const MOUNT_ATTR_RDONLY: u64 = 0x1;
pub(crate) const MOUNT_ATTR_NOSUID: u64 = 0x2;
pub(crate) const MOUNT_ATTR_NODEV: u64 = 0x4;

/// `struct mount_attr` of the kernel; libc does not have it for every target.
#[repr(C)]
struct MountAttr {
    set: u64,
    clear: u64,
    propagation: u64,
    userns_fd: u64,
}

/// The number of a file on its disk; the same under all its names.
pub(crate) type Inode = (u64, u64);

pub(crate) fn inode(facts: &Metadata) -> Inode {
    (facts.dev(), facts.ino())
}

/// The result of a call through libc.
pub(crate) fn check(result: i64) -> io::Result<i64> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn check_int(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// A text as the kernel wants it; an inner NUL byte is an error, not a cut.
pub(crate) fn c_string(text: impl AsRef<OsStr>) -> io::Result<CString> {
    CString::new(text.as_ref().as_bytes()).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

/// Forks like `fork(2)`, in new namespaces named by `flags`. Only for processes with a single thread.
pub(crate) fn fork_into(flags: i32) -> io::Result<libc::pid_t> {
    // SAFETY: without a stack and without CLONE_VM this is fork(2); the caller has one thread.
    let pid = check(unsafe { libc::syscall(libc::SYS_clone, i64::from(flags | libc::SIGCHLD), 0, 0, 0, 0) })?;
    libc::pid_t::try_from(pid).map_err(io::Error::other)
}

/// Moves this process into new namespaces.
pub(crate) fn unshare(flags: i32) -> io::Result<()> {
    // SAFETY: no pointers; the caller has one thread.
    check_int(unsafe { libc::unshare(flags) }).map(drop)
}

pub(crate) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?)
}

pub(crate) fn eventfd() -> io::Result<OwnedFd> {
    Ok(rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?)
}

/// Wakes whoever polls an [`eventfd`]. One that is full has rung already.
pub(crate) fn ring(event: &OwnedFd) {
    let _ = rustix::io::write(event, &1u64.to_ne_bytes());
}

/// A time for `poll`, which counts in whole milliseconds.
pub(crate) fn poll_timeout(time: Duration) -> Timespec {
    let milliseconds = i32::try_from(time.as_millis()).unwrap_or(i32::MAX);
    Timespec { tv_sec: (milliseconds / 1000).into(), tv_nsec: (milliseconds % 1000 * 1_000_000).into() }
}

/// Which of these have something to tell, after as long as it takes or as there is time.
pub(crate) fn wait_for<const N: usize>(
    what: [(BorrowedFd<'_>, PollFlags); N],
    time: Option<Duration>,
) -> io::Result<[bool; N]> {
    let mut polls = what.map(|(fd, events)| PollFd::from_borrowed_fd(fd, events));
    let time = time.map(poll_timeout);
    retry_on_intr(|| rustix::event::poll(&mut polls, time.as_ref()))?;
    Ok(polls.map(|poll| !poll.revents().is_empty()))
}

/// Opens without following a symbolic link at the end when `flags` says so.
pub(crate) fn open_at(folder: BorrowedFd<'_>, path: impl Arg, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    Ok(rustix::fs::openat(folder, path, flags | OFlags::CLOEXEC, mode)?)
}

/// Opens what is there already, by its path.
pub(crate) fn open(path: impl Arg, flags: OFlags) -> io::Result<OwnedFd> {
    open_at(CWD, path, flags, Mode::empty())
}

pub(crate) fn open_path(path: impl Arg) -> io::Result<OwnedFd> {
    open(path, OFlags::PATH)
}

/// A path that must hold no link at all, neither at its end nor on the way there.
pub(crate) fn open_true(path: impl Arg) -> io::Result<OwnedFd> {
    let root = open(c"/", OFlags::PATH | OFlags::DIRECTORY)?;
    open_beneath(root.as_fd(), path, OFlags::PATH, ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS)
}

/// The same for a file that is read; in one call, because a search opens many.
pub(crate) fn open_true_to_read(path: &Path) -> io::Result<OwnedFd> {
    // NONBLOCK: opening a pipe must not wait for somebody at its other end.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK;
    match open_beneath(CWD, path, flags, ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS) {
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => open(path, flags | OFlags::NOFOLLOW),
        other => other,
    }
}

/// `openat2(2)`: lets the kernel enforce how a path may be resolved.
pub(crate) fn open_beneath(
    folder: BorrowedFd<'_>,
    path: impl Arg,
    flags: OFlags,
    resolve: ResolveFlags,
) -> io::Result<OwnedFd> {
    Ok(rustix::fs::openat2(folder, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve)?)
}

/// Whether the file belongs to the kernel's view of processes (`/proc`), wherever that is mounted.
pub(crate) fn is_of_processes(fd: BorrowedFd<'_>) -> io::Result<bool> {
    Ok(file_system_of(fd)? == libc::PROC_SUPER_MAGIC as u64)
}

/// The number that stands for a kind of file system.
pub(crate) fn file_system_of(fd: BorrowedFd<'_>) -> io::Result<u64> {
    // The type differs between systems.
    Ok(rustix::fs::fstatfs(fd)?.f_type as u64)
}

/// The status of `name` itself, not of what a symbolic link points to; `None` when there is no such name.
pub(crate) fn status_at(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<Option<Stat>> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(status) => Ok(Some(status)),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The names in a folder, if they take no more than that many bytes of the kernel's list.
pub(crate) fn names_in(folder: BorrowedFd<'_>, most_bytes: usize) -> io::Result<Option<Vec<Vec<u8>>>> {
    // `struct linux_dirent64`: two numbers of eight bytes, the length of all, the kind, then a name that ends with a zero; the
    // next one begins at a multiple of eight.
    const BEFORE_NAME: usize = 19;
    let mut buffer = Vec::with_capacity(most_bytes);
    let mut entries = RawDir::new(folder, buffer.spare_capacity_mut());
    let mut names = Vec::new();
    let mut bytes = 0;
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        bytes += (BEFORE_NAME + name.len() + 1).next_multiple_of(8);
        if bytes > most_bytes {
            return Ok(None);
        }
        names.push(name.to_vec());
    }
    Ok(Some(names))
}

/// Gives a name in a folder to something that has another one there; never takes a name away.
pub(crate) fn rename_in(folder: BorrowedFd<'_>, from: &CStr, to: &CStr) -> io::Result<()> {
    match rustix::fs::renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE) {
        // Some file systems do not know that flag; the new name is one that nobody could guess.
        Err(Errno::INVAL) => Ok(rustix::fs::renameat(folder, from, folder, to)?),
        other => Ok(other?),
    }
}

/// Mounts a new file system on `target`.
pub(crate) fn mount_new(kind: &CStr, target: &OsStr, flags: MountFlags, options: &str) -> io::Result<()> {
    let options = c_string(options)?;
    Ok(rustix::mount::mount(kind, target, kind, flags, options.as_c_str())?)
}

/// A detached copy of the mount tree at `fd`, taken before anything covers it.
pub(crate) fn clone_tree(fd: BorrowedFd<'_>, flags: u32) -> io::Result<OwnedFd> {
    let always = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_EMPTY_PATH;
    Ok(rustix::mount::open_tree(fd, c"", always | OpenTreeFlags::from_bits_retain(flags))?)
}

/// Attaches a detached mount on top of whatever `target` refers to.
pub(crate) fn attach_tree(tree: BorrowedFd<'_>, target: BorrowedFd<'_>) -> io::Result<()> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    Ok(rustix::mount::move_mount(tree, c"", target, c"", flags)?)
}

/// Sets and clears mount attributes of the mount at `fd` (and of all below it with `AT_RECURSIVE`).
pub(crate) fn set_mount_attributes(fd: BorrowedFd<'_>, set: u64, clear: u64, flags: u32) -> io::Result<()> {
    let attr = MountAttr { set, clear, propagation: 0, userns_fd: 0 };
    let flags = flags | libc::AT_EMPTY_PATH as u32;
    // SAFETY: `attr` has the layout and the size that the kernel expects.
    check(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            fd.as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const attr,
            size_of::<MountAttr>(),
        )
    })
    .map(drop)
}

pub(crate) fn set_limit(resource: Resource, value: u64) -> io::Result<()> {
    // A limit can only be lowered without privileges, so a stricter one that is already there stays.
    let value = rustix::process::getrlimit(resource).maximum.map_or(value, |most| value.min(most));
    Ok(rustix::process::setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })?)
}

/// Marks every descriptor from 3 on to be closed by the next exec.
pub(crate) fn close_others_on_exec() -> io::Result<()> {
    const CLOSE_RANGE_CLOEXEC: u32 = 4;
    // SAFETY: no pointers.
    let result = check(unsafe { libc::syscall(libc::SYS_close_range, 3u32, u32::MAX, CLOSE_RANGE_CLOEXEC) });
    result.map(drop)
}

/// One process that ended, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitResult {
    Ended(libc::pid_t, i32),
    /// Only when asked for with `WaitOptions::UNTRACED`.
    Stopped(libc::pid_t),
    NobodyYet,
    NoChildren,
}

pub(crate) fn wait_any(options: WaitOptions) -> io::Result<WaitResult> {
    match retry_on_intr(|| rustix::process::wait(options)) {
        Ok(None) => Ok(WaitResult::NobodyYet),
        Ok(Some((pid, status))) if status.stopped() => Ok(WaitResult::Stopped(pid.as_raw_pid())),
        Ok(Some((pid, status))) => Ok(WaitResult::Ended(pid.as_raw_pid(), status.as_raw())),
        Err(Errno::CHILD) => Ok(WaitResult::NoChildren),
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn kill(pid: libc::pid_t, signal: i32) -> io::Result<()> {
    // SAFETY: no pointers.
    check_int(unsafe { libc::kill(pid, signal) }).map(drop)
}

/// Hands a copy of `fd` to whoever reads the next byte of the socket.
pub(crate) fn send_descriptor(socket: BorrowedFd<'_>, fd: BorrowedFd<'_>) -> io::Result<()> {
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut room);
    let descriptors = [fd];
    if !control.push(SendAncillaryMessage::ScmRights(&descriptors)) {
        return Err(io::Error::other("no room for a descriptor"));
    }
    rustix::net::sendmsg(socket, &[IoSlice::new(&[1])], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// The descriptor that comes with the next byte of the socket; an error unless exactly one does.
pub(crate) fn receive_descriptor(socket: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let mut byte = [0];
    let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut room);
    rustix::net::recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let mut came = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            came.extend(descriptors);
        }
    }
    match (came.pop(), came.is_empty()) {
        (Some(descriptor), true) => Ok(descriptor),
        (Some(_) | None, _) => Err(io::Error::other("no descriptor came")),
    }
}
