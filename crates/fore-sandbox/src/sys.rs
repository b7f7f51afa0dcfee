//! Thin, checked wrappers of the system calls that std does not offer. Decides nothing.

use std::ffi::{CStr, CString, OsStr};
use std::fs::Metadata;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

pub(crate) const OPEN_TREE_CLONE: u32 = 1;
pub(crate) const AT_RECURSIVE: u32 = 0x8000;
const MOVE_MOUNT_F_EMPTY_PATH: u32 = 0x4;
const MOVE_MOUNT_T_EMPTY_PATH: u32 = 0x40;
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

pub(crate) fn check(result: i64) -> io::Result<i64> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn check_int(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// A path as the kernel wants it; an inner NUL byte is an error, not a cut.
pub(crate) fn c_string(text: impl AsRef<OsStr>) -> io::Result<CString> {
    CString::new(text.as_ref().as_bytes()).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}

pub(crate) fn owned(fd: i64) -> io::Result<OwnedFd> {
    let raw = RawFd::try_from(check(fd)?).map_err(io::Error::other)?;
    // SAFETY: the kernel has just handed out this descriptor and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(raw) })
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
    let mut ends = [0; 2];
    // SAFETY: `ends` has room for two descriptors.
    check_int(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    Ok((owned(i64::from(ends[0]))?, owned(i64::from(ends[1]))?))
}

pub(crate) fn eventfd() -> io::Result<OwnedFd> {
    // SAFETY: no pointers.
    owned(i64::from(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) }))
}

/// Which of these have something to tell, after as long as it takes or as there is time.
pub(crate) fn wait_for<const N: usize>(
    what: [(BorrowedFd<'_>, libc::c_short); N],
    time: Option<Duration>,
) -> io::Result<[bool; N]> {
    let mut polls = what.map(|(fd, events)| libc::pollfd { fd: fd.as_raw_fd(), events, revents: 0 });
    let time = time.map_or(-1, |time| i32::try_from(time.as_millis()).unwrap_or(i32::MAX));
    loop {
        // SAFETY: as many valid pollfds as are said.
        match check_int(unsafe { libc::poll(polls.as_mut_ptr(), N as libc::nfds_t, time) }) {
            Ok(_) => return Ok(polls.map(|poll| poll.revents != 0)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

pub(crate) fn memfd(name: &CStr) -> io::Result<OwnedFd> {
    // SAFETY: `name` is a valid C string.
    owned(i64::from(unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) }))
}

/// Opens without following a symbolic link at the end when `flags` says so; relative to `folder` if given.
pub(crate) fn open_at(folder: Option<BorrowedFd<'_>>, path: &CStr, flags: i32, mode: u32) -> io::Result<OwnedFd> {
    let base = folder.map_or(libc::AT_FDCWD, |fd| fd.as_raw_fd());
    // SAFETY: `path` is a valid C string.
    owned(i64::from(unsafe { libc::openat(base, path.as_ptr(), flags | libc::O_CLOEXEC, mode) }))
}

pub(crate) fn open_path(path: &OsStr) -> io::Result<OwnedFd> {
    open_at(None, &c_string(path)?, libc::O_PATH, 0)
}

/// A path that must hold no link at all, neither at its end nor on the way there.
pub(crate) fn open_true(path: &OsStr) -> io::Result<OwnedFd> {
    let root = open_at(None, c"/", libc::O_PATH | libc::O_DIRECTORY, 0)?;
    let resolve = libc::RESOLVE_NO_SYMLINKS | libc::RESOLVE_NO_MAGICLINKS;
    open_beneath(root.as_fd(), &c_string(path)?, libc::O_PATH, 0, resolve)
}

/// The same for a file that is read; in one call, because a search opens many.
pub(crate) fn open_true_to_read(path: &CStr) -> io::Result<OwnedFd> {
    // O_NONBLOCK: opening a pipe must not wait for somebody at its other end.
    let flags = libc::O_RDONLY | libc::O_NONBLOCK;
    let resolve = libc::RESOLVE_NO_SYMLINKS | libc::RESOLVE_NO_MAGICLINKS;
    // SAFETY: not a descriptor but the kernel's word for the working folder, and used for this call only.
    let anywhere = unsafe { BorrowedFd::borrow_raw(libc::AT_FDCWD) };
    match open_beneath(anywhere, path, flags, 0, resolve) {
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => open_at(None, path, flags | libc::O_NOFOLLOW, 0),
        other => other,
    }
}

/// `openat2(2)`: lets the kernel enforce how a path may be resolved.
pub(crate) fn open_beneath(
    folder: BorrowedFd<'_>,
    path: &CStr,
    flags: i32,
    mode: u32,
    resolve: u64,
) -> io::Result<OwnedFd> {
    // SAFETY: an all-zero open_how is valid; the struct grows only at its end.
    let mut how: libc::open_how = unsafe { std::mem::zeroed() };
    how.flags = u64::try_from(flags | libc::O_CLOEXEC).map_err(io::Error::other)?;
    how.mode = u64::from(mode);
    how.resolve = resolve;
    // SAFETY: path and how are valid for the call, and the size is that of `how`.
    owned(unsafe {
        libc::syscall(libc::SYS_openat2, folder.as_raw_fd(), path.as_ptr(), &raw const how, size_of::<libc::open_how>())
    })
}

pub(crate) fn status_of(fd: BorrowedFd<'_>) -> io::Result<libc::stat> {
    // SAFETY: an all-zero stat is valid and fstat fills it.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: see above.
    check_int(unsafe { libc::fstat(fd.as_raw_fd(), &raw mut status) })?;
    Ok(status)
}

/// Whether the file belongs to the kernel's view of processes (`/proc`), wherever that is mounted.
pub(crate) fn is_of_processes(fd: BorrowedFd<'_>) -> io::Result<bool> {
    Ok(file_system_of(fd)? == libc::PROC_SUPER_MAGIC as u64)
}

/// The number that stands for a kind of file system.
pub(crate) fn file_system_of(fd: BorrowedFd<'_>) -> io::Result<u64> {
    // SAFETY: an all-zero statfs is valid and fstatfs fills it.
    let mut system: libc::statfs = unsafe { std::mem::zeroed() };
    // SAFETY: see above.
    check_int(unsafe { libc::fstatfs(fd.as_raw_fd(), &raw mut system) })?;
    // The type differs between systems.
    Ok(system.f_type as u64)
}

/// The status of `name` itself, not of what a symbolic link points to; `None` when there is no such name.
pub(crate) fn status_at(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<Option<libc::stat>> {
    // SAFETY: an all-zero stat is valid and fstatat fills it.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: see above.
    match check_int(unsafe {
        libc::fstatat(folder.as_raw_fd(), name.as_ptr(), &raw mut status, libc::AT_SYMLINK_NOFOLLOW)
    }) {
        Ok(_) => Ok(Some(status)),
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The names in a folder, if they take no more than that many bytes of the kernel's list.
pub(crate) fn names_in(folder: BorrowedFd<'_>, most_bytes: usize) -> io::Result<Option<Vec<Vec<u8>>>> {
    let mut buffer = vec![0_u8; most_bytes];
    let mut names = Vec::new();
    let mut bytes = 0;
    loop {
        // SAFETY: the buffer has that many bytes.
        let read = check(unsafe {
            libc::syscall(libc::SYS_getdents64, folder.as_raw_fd(), buffer.as_mut_ptr(), buffer.len())
        })?;
        let mut rest = buffer.get(..usize::try_from(read).map_err(io::Error::other)?).unwrap_or_default();
        if rest.is_empty() {
            return Ok(Some(names));
        }
        bytes += rest.len();
        if bytes > most_bytes {
            return Ok(None);
        }
        // `struct linux_dirent64`: two numbers of eight bytes, the length of all, the kind, then a name that ends with a zero.
        while let Some(length) = rest.get(16..18).and_then(|length| length.try_into().ok()).map(u16::from_ne_bytes) {
            let name = rest.get(19..usize::from(length)).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
            let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
            names.extend(name.get(..end).map(<[u8]>::to_vec));
            rest = rest.get(usize::from(length)..).unwrap_or_default();
        }
    }
}

pub(crate) fn mkdir_at(folder: BorrowedFd<'_>, name: &CStr, mode: u32) -> io::Result<()> {
    // SAFETY: `name` is a valid C string.
    check_int(unsafe { libc::mkdirat(folder.as_raw_fd(), name.as_ptr(), mode) }).map(drop)
}

/// Gives a name in a folder to something that has another one there; never takes a name away.
pub(crate) fn rename_in(folder: BorrowedFd<'_>, from: &CStr, to: &CStr) -> io::Result<()> {
    let folder = folder.as_raw_fd();
    // SAFETY: both are valid C strings.
    let renamed = unsafe { libc::renameat2(folder, from.as_ptr(), folder, to.as_ptr(), libc::RENAME_NOREPLACE) };
    match check_int(renamed) {
        // Some file systems do not know that flag; the new name is one that nobody could guess.
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
            // SAFETY: see above.
            check_int(unsafe { libc::renameat(folder, from.as_ptr(), folder, to.as_ptr()) }).map(drop)
        }
        other => other.map(drop),
    }
}

/// Takes the name of a file or link away.
pub(crate) fn unlink_at(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
    // SAFETY: `name` is a valid C string.
    check_int(unsafe { libc::unlinkat(folder.as_raw_fd(), name.as_ptr(), 0) }).map(drop)
}

/// Makes the device 0:0, which stands for nothing.
pub(crate) fn whiteout_at(folder: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
    // SAFETY: `name` is a valid C string.
    check_int(unsafe { libc::mknodat(folder.as_raw_fd(), name.as_ptr(), libc::S_IFCHR, 0) }).map(drop)
}

/// Mounts a new file system on `target`.
pub(crate) fn mount_new(kind: &CStr, target: &OsStr, flags: libc::c_ulong, options: &str) -> io::Result<()> {
    let (target, options) = (c_string(target)?, c_string(options)?);
    // SAFETY: all four are valid C strings.
    check_int(unsafe { libc::mount(kind.as_ptr(), target.as_ptr(), kind.as_ptr(), flags, options.as_ptr().cast()) })
        .map(drop)
}

/// How the mounts of a process follow those outside.
#[derive(Clone, Copy)]
pub(crate) enum Propagation {
    /// What is mounted or unmounted outside is so in here; never the other way round.
    Slave,
    /// Nothing, in either direction.
    Private,
}

pub(crate) fn set_propagation(propagation: Propagation) -> io::Result<()> {
    let flag = match propagation {
        Propagation::Slave => libc::MS_SLAVE,
        Propagation::Private => libc::MS_PRIVATE,
    };
    // SAFETY: only the target is read for a change of propagation.
    check_int(unsafe {
        libc::mount(std::ptr::null(), c"/".as_ptr(), std::ptr::null(), libc::MS_REC | flag, std::ptr::null())
    })
    .map(drop)
}

/// A detached copy of the mount tree at `fd`, taken before anything covers it.
pub(crate) fn clone_tree(fd: BorrowedFd<'_>, flags: u32) -> io::Result<OwnedFd> {
    let flags = OPEN_TREE_CLONE | flags | libc::O_CLOEXEC as u32 | libc::AT_EMPTY_PATH as u32;
    // SAFETY: the empty path is a valid C string.
    owned(unsafe { libc::syscall(libc::SYS_open_tree, fd.as_raw_fd(), c"".as_ptr(), flags) })
}

/// Attaches a detached mount on top of whatever `target` refers to.
pub(crate) fn attach_tree(tree: BorrowedFd<'_>, target: BorrowedFd<'_>) -> io::Result<()> {
    let flags = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
    // SAFETY: both paths are empty C strings; the descriptors are borrowed for the call.
    check(unsafe {
        libc::syscall(libc::SYS_move_mount, tree.as_raw_fd(), c"".as_ptr(), target.as_raw_fd(), c"".as_ptr(), flags)
    })
    .map(drop)
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

pub(crate) fn set_limit(resource: libc::__rlimit_resource_t, value: u64) -> io::Result<()> {
    // SAFETY: plain data, filled by the call.
    let mut now: libc::rlimit = unsafe { std::mem::zeroed() };
    // SAFETY: `now` is valid.
    check_int(unsafe { libc::getrlimit(resource, &raw mut now) })?;
    // A limit can only be lowered without privileges, so a stricter one that is already there stays.
    let value = value.min(now.rlim_max);
    let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
    // SAFETY: `limit` is valid.
    check_int(unsafe { libc::setrlimit(resource, &raw const limit) }).map(drop)
}

pub(crate) fn prctl(option: i32, value: libc::c_ulong) -> io::Result<()> {
    // SAFETY: the options used here take plain numbers.
    check_int(unsafe { libc::prctl(option, value, 0, 0, 0) }).map(drop)
}

/// Puts `fd` at the place of `at`, where it stays open across an exec.
pub(crate) fn dup_to(fd: BorrowedFd<'_>, at: RawFd) -> io::Result<()> {
    // SAFETY: plain descriptors; dup2 clears the close-on-exec flag of the copy.
    check_int(unsafe { libc::dup2(fd.as_raw_fd(), at) }).map(drop)
}

/// Marks every descriptor from 3 on to be closed by the next exec.
pub(crate) fn close_others_on_exec() -> io::Result<()> {
    const CLOSE_RANGE_CLOEXEC: u32 = 4;
    // SAFETY: no pointers.
    let result = check(unsafe { libc::syscall(libc::SYS_close_range, 3u32, u32::MAX, CLOSE_RANGE_CLOEXEC) });
    result.map(drop)
}

/// Takes the mark of [`close_others_on_exec`] from one descriptor.
pub(crate) fn keep_on_exec(fd: &OwnedFd) -> io::Result<()> {
    // SAFETY: a descriptor that is open as long as it is borrowed, and plain numbers.
    check_int(unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETFD, 0) }).map(drop)
}

/// One process that ended, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitResult {
    Ended(libc::pid_t, i32),
    /// Only when asked for with `WUNTRACED`.
    Stopped(libc::pid_t),
    NobodyYet,
    NoChildren,
}

pub(crate) fn wait_any(flags: i32) -> io::Result<WaitResult> {
    let mut status = 0;
    loop {
        // SAFETY: `status` is valid.
        match check_int(unsafe { libc::waitpid(-1, &raw mut status, flags) }) {
            Ok(0) => return Ok(WaitResult::NobodyYet),
            Ok(pid) if libc::WIFSTOPPED(status) => return Ok(WaitResult::Stopped(pid)),
            Ok(pid) => return Ok(WaitResult::Ended(pid, status)),
            Err(error) => match error.raw_os_error() {
                Some(libc::EINTR) => {}
                Some(libc::ECHILD) => return Ok(WaitResult::NoChildren),
                _ => return Err(error),
            },
        }
    }
}

pub(crate) fn kill(pid: libc::pid_t, signal: i32) -> io::Result<()> {
    // SAFETY: no pointers.
    check_int(unsafe { libc::kill(pid, signal) }).map(drop)
}

/// Room for one descriptor, aligned as the kernel wants it.
#[repr(C)]
union OneDescriptor {
    room: [u8; 64],
    _aligned: libc::cmsghdr,
}

/// Hands a copy of `fd` to whoever reads the next byte of the socket.
pub(crate) fn send_descriptor(socket: BorrowedFd<'_>, fd: BorrowedFd<'_>) -> io::Result<()> {
    let mut byte = [1u8];
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    let mut control = OneDescriptor { room: [0; 64] };
    // SAFETY: an all-zero msghdr is valid; the control buffer is larger than one descriptor needs and aligned for its head.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = (&raw mut control).cast();
        message.msg_controllen = libc::CMSG_SPACE(size_of::<RawFd>() as u32) as _;
        let head = libc::CMSG_FIRSTHDR(&raw const message);
        (*head).cmsg_level = libc::SOL_SOCKET;
        (*head).cmsg_type = libc::SCM_RIGHTS;
        (*head).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as u32) as _;
        libc::CMSG_DATA(head).cast::<RawFd>().write_unaligned(fd.as_raw_fd());
        check(libc::sendmsg(socket.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL) as i64).map(drop)
    }
}

/// The descriptor that comes with the next byte of the socket.
pub(crate) fn receive_descriptor(socket: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let mut byte = [0u8];
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    let mut control = OneDescriptor { room: [0; 64] };
    // SAFETY: as above; the descriptor is read only where the kernel says that exactly one came.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = (&raw mut control).cast();
        message.msg_controllen = libc::CMSG_SPACE(size_of::<RawFd>() as u32) as _;
        check(libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC) as i64)?;
        let head = libc::CMSG_FIRSTHDR(&raw const message);
        let is_one = !head.is_null()
            && (*head).cmsg_level == libc::SOL_SOCKET
            && (*head).cmsg_type == libc::SCM_RIGHTS
            && (*head).cmsg_len as usize == libc::CMSG_LEN(size_of::<RawFd>() as u32) as usize;
        if !is_one {
            return Err(io::Error::other("no descriptor came"));
        }
        Ok(OwnedFd::from_raw_fd(libc::CMSG_DATA(head).cast::<RawFd>().read_unaligned()))
    }
}
