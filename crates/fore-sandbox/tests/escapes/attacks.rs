//! The attacks, one function each. Outside a cage each must succeed (or the test means nothing), inside each must fail.
#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the calls of an attacker, each with plain numbers and with names and buffers that outlive it"
)]

use crate::scene::{MARKER_VALUE, Targets};
use std::ffi::CString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};

/// Who can do this outside a cage.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Control {
    Everybody,
    Root,
}

/// What an attack is after.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aim {
    /// Files: a rehearsal may let it seem to work, as long as nothing is really changed.
    Files,
    /// Anything else: must fail in every cage.
    Machine,
    /// To leave behind what gives others more than they had: must fail even where files may be written.
    Planting,
}

pub(crate) struct Attack {
    pub(crate) name: &'static str,
    pub(crate) aim: Aim,
    pub(crate) control: Control,
    pub(crate) run: fn(&Targets) -> io::Result<()>,
}

const fn files(name: &'static str, run: fn(&Targets) -> io::Result<()>) -> Attack {
    Attack { name, aim: Aim::Files, control: Control::Everybody, run }
}

const fn machine(name: &'static str, run: fn(&Targets) -> io::Result<()>) -> Attack {
    Attack { name, aim: Aim::Machine, control: Control::Everybody, run }
}

const fn planting(name: &'static str, run: fn(&Targets) -> io::Result<()>) -> Attack {
    Attack { name, aim: Aim::Planting, control: Control::Everybody, run }
}

const fn root(name: &'static str, run: fn(&Targets) -> io::Result<()>) -> Attack {
    Attack { name, aim: Aim::Machine, control: Control::Root, run }
}

pub(crate) const ATTACKS: &[Attack] = &[
    files("open to write", |at| File::options().write(true).open(at.path("file"))?.write_all(b"x")),
    files("open to append", |at| File::options().append(true).open(at.path("file"))?.write_all(b"x")),
    files("open to truncate", |at| File::options().write(true).truncate(true).open(at.path("file")).map(drop)),
    files("create", |at| File::create(at.path("new")).map(drop)),
    files("create nameless", |at| {
        File::options().write(true).custom_flags(libc::O_TMPFILE).open(&at.folder)?.write_all(b"x")
    }),
    files("write through a link", |at| fs::write(at.path("link"), "x")),
    files("truncate by path", |at| check(unsafe { libc::truncate(name(at, "file").as_ptr(), 0) })),
    files("rename", |at| fs::rename(at.path("file"), at.path("moved"))),
    files("rename over", |at| fs::rename(at.path("other"), at.path("file"))),
    files("exchange names", |at| {
        call(
            libc::SYS_renameat2,
            [libc::AT_FDCWD as i64, pointer(&name(at, "file")), libc::AT_FDCWD as i64, pointer(&name(at, "other")), 2],
        )
    }),
    files("hard link", |at| fs::hard_link(at.path("file"), at.path("second"))),
    files("symbolic link", |at| std::os::unix::fs::symlink("x", at.path("new-link"))),
    files("unlink", |at| fs::remove_file(at.path("file"))),
    files("make a folder", |at| fs::create_dir(at.path("new-folder"))),
    files("remove a folder", |at| fs::remove_dir_all(at.path("folder"))),
    files("chmod", |at| fs::set_permissions(at.path("file"), fs::Permissions::from_mode(0o777))),
    files("chmod by descriptor", |at| check(unsafe { libc::fchmod(File::open(at.path("file"))?.as_raw_fd(), 0o777) })),
    files("chmod, new call", |at| {
        call(libc::SYS_fchmodat2, [libc::AT_FDCWD as i64, pointer(&name(at, "file")), 0o777, 0, 0])
    }),
    files("chown to oneself", |at| {
        check(unsafe { libc::chown(name(at, "file").as_ptr(), libc::getuid(), libc::getgid()) })
    }),
    files("chown by descriptor", |at| {
        check(unsafe { libc::fchown(File::open(at.path("file"))?.as_raw_fd(), libc::getuid(), libc::getgid()) })
    }),
    files("change times", |at| {
        check(unsafe { libc::utimensat(libc::AT_FDCWD, name(at, "file").as_ptr(), std::ptr::null(), 0) })
    }),
    files("set an attribute", |at| {
        check(unsafe { libc::setxattr(name(at, "file").as_ptr(), c"user.x".as_ptr(), c"y".as_ptr().cast(), 1, 0) })
    }),
    files("set a file flag", set_file_flag),
    machine("keep others from writing by a lease", |at| {
        check(unsafe { libc::fcntl(File::open(at.path("file"))?.as_raw_fd(), libc::F_SETLEASE, libc::F_RDLCK) })
    }),
    files("make a pipe", |at| check(unsafe { libc::mkfifo(name(at, "new-pipe").as_ptr(), 0o600) })),
    files("map shared and write", map_and_write),
    files("write through /proc/self/root", |at| {
        fs::write(format!("/proc/self/root{}", at.path("file").display()), "x")
    }),
    files("write through any /proc/PID/root", through_roots),
    files("write through /proc/self/cwd", |at| {
        std::env::set_current_dir(&at.folder).and_then(|()| fs::write("/proc/self/cwd/file", "x"))
    }),
    files("reopen a descriptor to write", |at| reopen(&File::open(at.path("file"))?)),
    files("swap links while writing", swap_links),
    files("write by splice and sendfile", send_file),
    planting("set-user-id by chmod", |at| fs::set_permissions(at.path("file"), fs::Permissions::from_mode(0o4755))),
    planting("set-group-id by chmod", |at| fs::set_permissions(at.path("file"), fs::Permissions::from_mode(0o2755))),
    planting("set-group-id for a folder", |at| {
        fs::set_permissions(at.path("folder"), fs::Permissions::from_mode(0o2755))
    }),
    planting("set-user-id by descriptor", |at| {
        check(unsafe { libc::fchmod(File::open(at.path("file"))?.as_raw_fd(), 0o4700) })
    }),
    planting("set-user-id, new call", |at| {
        call(libc::SYS_fchmodat2, [libc::AT_FDCWD as i64, pointer(&name(at, "file")), 0o6755, 0, 0])
    }),
    planting("set-user-id, with more bits than the kernel looks at", |at| {
        let mode = 0o4755 | 1 << 40;
        call(libc::SYS_fchmodat, [libc::AT_FDCWD as i64, pointer(&name(at, "file")), mode, 0, 0])
    }),
    planting("create with set-user-id", |at| {
        File::options().write(true).create_new(true).mode(0o4755).open(at.path("new")).map(drop)
    }),
    planting("create nameless with set-user-id", |at| {
        File::options().write(true).custom_flags(libc::O_TMPFILE).mode(0o4755).open(&at.folder).map(drop)
    }),
    planting("create with set-user-id behind a pointer", |at| {
        let how = [(libc::O_CREAT | libc::O_WRONLY) as u64, 0o4755, 0];
        call(libc::SYS_openat2, [libc::AT_FDCWD as i64, pointer(&name(at, "new")), how.as_ptr() as i64, 24, 0])
    }),
    planting("make a node with set-user-id", |at| {
        check(unsafe { libc::mknod(name(at, "new").as_ptr(), libc::S_IFREG | 0o4755, 0) })
    }),
    planting("leave a device where a name was", |at| {
        let (old, new) = (name(at, "file"), name(at, "new"));
        call(libc::SYS_renameat2, [libc::AT_FDCWD as i64, pointer(&old), libc::AT_FDCWD as i64, pointer(&new), 4])
    }),
    root("make a device", |at| {
        check(unsafe { libc::mknod(name(at, "new-device").as_ptr(), libc::S_IFCHR | 0o600, libc::makedev(1, 3)) })
    }),
    root("write to a device on the disk", |at| File::options().write(true).open(at.path("device")).map(drop)),
    root("mount", |at| {
        check(unsafe {
            libc::mount(c"none".as_ptr(), name(at, "folder").as_ptr(), c"tmpfs".as_ptr(), 0, std::ptr::null())
        })
        .and_then(|()| check(unsafe { libc::umount(name(at, "folder").as_ptr()) }))
    }),
    root("open a file by number", open_by_handle),
    root("write a kernel setting", |_| File::options().write(true).open("/proc/sys/kernel/domainname").map(drop)),
    root("write to /sys", |_| {
        File::options().write(true).open("/sys/kernel/mm/transparent_hugepage/enabled").map(drop)
    }),
    root("load a kernel program", |_| call(libc::SYS_bpf, [0, [1u32, 4, 4, 1, 0, 0, 0, 0].as_ptr() as i64, 32, 0, 0])),
    root("change root", |at| check(unsafe { libc::chroot(name(at, "folder").as_ptr()) })),
    // Powers over files (chown, override, owner, set-id bits) may stay; whatever they reach is held by the mounts.
    root("hold capabilities", |_| match u64::from_str_radix(&status_line("CapEff:")?, 16) {
        Ok(held) if held & !0b1_1011 == 0 => Err(denied()),
        _ => Ok(()),
    }),
    machine("gain privileges by exec", |_| if status_line("NoNewPrivs:")? == "1" { Err(denied()) } else { Ok(()) }),
    machine("new user namespace", |_| check(unsafe { libc::unshare(libc::CLONE_NEWUSER) })),
    machine("new user namespace by clone", |_| clone_namespace()),
    machine("io_uring", |_| call(libc::SYS_io_uring_setup, [1, [0u64; 16].as_mut_ptr() as i64, 0, 0, 0])),
    machine("keyring", |_| {
        call(libc::SYS_add_key, [c"user".as_ptr() as i64, c"fore-test".as_ptr() as i64, c"x".as_ptr() as i64, 1, -2])
    }),
    machine("perf events", perf_event),
    machine("TCP", |at| TcpStream::connect(("127.0.0.1", at.tcp)).map(drop)),
    machine("UDP", |at| {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        socket.connect(("127.0.0.1", at.udp))?;
        // Where nobody listens, the second send learns of it.
        socket.send(b"x").and_then(|_| socket.send(b"x")).map(drop)
    }),
    machine("Unix socket by path", |at| UnixStream::connect(at.path("stream")).map(drop)),
    machine("Unix datagram by path", |at| UnixDatagram::unbound()?.send_to(b"x", at.path("datagram")).map(drop)),
    machine("Unix datagram from a pair", |at| UnixDatagram::pair()?.0.send_to(b"x", at.path("datagram")).map(drop)),
    machine("abstract Unix socket", |at| {
        UnixStream::connect_addr(&SocketAddr::from_abstract_name(&at.abstract_name)?).map(drop)
    }),
    machine("netlink", |_| socket(libc::AF_NETLINK, libc::SOCK_RAW, libc::NETLINK_KOBJECT_UEVENT)),
    machine("vsock", |_| socket(libc::AF_VSOCK, libc::SOCK_STREAM, 0)),
    root("raw socket", |_| socket(libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP)),
    root("packet socket", |_| socket(libc::AF_PACKET, libc::SOCK_RAW, 0)),
    machine("write into a pipe", |at| {
        File::options().write(true).custom_flags(libc::O_NONBLOCK).open(at.path("pipe"))?.write_all(b"x")
    }),
    machine("signal", |at| check(unsafe { libc::kill(at.victim, libc::SIGCONT) })),
    machine("signal to a thread", |at| {
        call(libc::SYS_tgkill, [at.victim.into(), at.victim.into(), libc::SIGCONT.into(), 0, 0])
    }),
    machine("signal by descriptor", signal_by_descriptor),
    machine("ptrace", |at| call(libc::SYS_ptrace, [0x4206, at.victim.into(), 0, 0, 0])),
    machine("read another process", read_process),
    machine("write another process", |at| {
        File::options().read(true).write(true).open(format!("/proc/{}/mem", at.victim)).map(drop)
    }),
    machine("slow another process down", |at| {
        check(unsafe { libc::setpriority(libc::PRIO_PROCESS, at.victim as u32, 5) })
    }),
    machine("limit another process", |at| {
        call(libc::SYS_prlimit64, [at.victim.into(), libc::RLIMIT_CORE.into(), [0u64, 0].as_ptr() as i64, 0, 0])
    }),
    machine("limit the process above", |_| {
        // SAFETY: no pointers, cannot fail.
        let above = unsafe { libc::getppid() };
        call(libc::SYS_prlimit64, [above.into(), libc::RLIMIT_CORE.into(), [0u64, u64::MAX].as_ptr() as i64, 0, 0])
    }),
    machine("look into the process above", |_| {
        // SAFETY: no pointers, cannot fail.
        let above = unsafe { libc::getppid() };
        fs::read_link(format!("/proc/{above}/fd/1")).map(drop)
    }),
    machine("pin another process", |at| {
        call(libc::SYS_sched_setaffinity, [at.victim.into(), 8, [1u64].as_ptr() as i64, 0, 0])
    }),
    machine("System V shared memory", system_v),
    machine("POSIX shared memory", |at| {
        File::options().write(true).open(format!("/dev/shm{}", at.shared_name))?.write_all(b"x")
    }),
    machine("terminal", |at| {
        File::options().write(true).custom_flags(libc::O_NOCTTY).open(&at.terminal)?.write_all(b"x")
    }),
    machine("listen at a terminal", |at| {
        File::options().read(true).custom_flags(libc::O_NOCTTY).open(&at.terminal).map(drop)
    }),
    machine("type into a terminal", type_in),
    machine(
        "inherited descriptors",
        |_| {
            if fs::read_dir("/proc/self/fd")?.count() > 4 { Ok(()) } else { Err(denied()) }
        },
    ),
    machine("the agent's environment", |_| {
        if std::env::vars().any(|(_, value)| value.contains(MARKER_VALUE)) { Ok(()) } else { Err(denied()) }
    }),
    machine("everybody's environment", environments),
    machine("read a secret file", |at| fs::read(at.path("secret-file")).map(drop)),
    machine("read in a secret folder", |at| fs::read(at.path("secret-folder/key")).map(drop)),
    machine("system calls of another architecture", old_calls),
];

fn denied() -> io::Error {
    io::ErrorKind::PermissionDenied.into()
}

fn name(at: &Targets, name: &str) -> CString {
    CString::new(at.path(name).into_os_string().into_encoded_bytes()).unwrap()
}

fn pointer(name: &CString) -> i64 {
    name.as_ptr() as i64
}

fn check(result: i32) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn call(number: i64, [a, b, c, d, e]: [i64; 5]) -> io::Result<()> {
    // SAFETY: an attacker does what it likes; pointers are valid where a call reads them.
    if unsafe { libc::syscall(number, a, b, c, d, e) } < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn socket(family: i32, kind: i32, protocol: i32) -> io::Result<()> {
    check(unsafe { libc::socket(family, kind, protocol) })
}

fn status_line(field: &str) -> io::Result<String> {
    let status = fs::read_to_string("/proc/self/status")?;
    Ok(status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default().trim().to_owned())
}

fn set_file_flag(at: &Targets) -> io::Result<()> {
    const NO_DUMP: libc::c_long = 0x40;
    let file = File::open(at.path("file"))?;
    let mut flags: libc::c_long = 0;
    check(unsafe { libc::ioctl(file.as_raw_fd(), libc::FS_IOC_GETFLAGS, &raw mut flags) })?;
    flags |= NO_DUMP;
    check(unsafe { libc::ioctl(file.as_raw_fd(), libc::FS_IOC_SETFLAGS, &raw const flags) })
}

fn map_and_write(at: &Targets) -> io::Result<()> {
    let file = File::options().read(true).write(true).open(at.path("file"))?;
    // SAFETY: maps one page of an open file and writes its first byte.
    unsafe {
        let page = libc::mmap(
            std::ptr::null_mut(),
            4096,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            0,
        );
        if page == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        page.cast::<u8>().write(b'X');
        check(libc::msync(page, 4096, libc::MS_SYNC))
    }
}

fn through_roots(at: &Targets) -> io::Result<()> {
    let mut last = denied();
    for entry in fs::read_dir("/proc")?.flatten() {
        match fs::write(format!("{}/root{}", entry.path().display(), at.path("file").display()), "x") {
            Ok(()) => return Ok(()),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn reopen(file: &File) -> io::Result<()> {
    File::options().write(true).open(format!("/proc/self/fd/{}", file.as_raw_fd()))?.write_all(b"x")
}

/// Turns a name between a harmless file and the target while writing through it.
fn swap_links(at: &Targets) -> io::Result<()> {
    let play = std::env::temp_dir().join(format!("swap-{}", std::process::id()));
    fs::create_dir(&play)?;
    fs::write(play.join("harmless"), "")?;
    let mut last = Ok(());
    for round in 0..500 {
        let target = if round % 2 == 0 { play.join("harmless") } else { at.path("file") };
        let _ = fs::remove_file(play.join("next"));
        std::os::unix::fs::symlink(target, play.join("next"))?;
        fs::rename(play.join("next"), play.join("name"))?;
        if round % 2 == 1 {
            last = fs::write(play.join("name"), "swapped");
        }
    }
    fs::remove_dir_all(play)?;
    last
}

fn send_file(at: &Targets) -> io::Result<()> {
    let (from, to) = (File::open(at.path("other"))?, File::options().write(true).open(at.path("file"))?);
    // SAFETY: two open descriptors.
    if unsafe { libc::sendfile(to.as_raw_fd(), from.as_raw_fd(), std::ptr::null_mut(), 4) } < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

fn open_by_handle(at: &Targets) -> io::Result<()> {
    let mut handle = [0u32; 34];
    let [bytes, ..] = &mut handle;
    *bytes = 128;
    let mut mount = 0i32;
    call(
        libc::SYS_name_to_handle_at,
        [libc::AT_FDCWD as i64, pointer(&name(at, "file")), handle.as_mut_ptr() as i64, &raw mut mount as i64, 0],
    )?;
    let folder = File::open(&at.folder)?;
    call(libc::SYS_open_by_handle_at, [folder.as_raw_fd().into(), handle.as_ptr() as i64, libc::O_RDONLY.into(), 0, 0])
}

fn clone_namespace() -> io::Result<()> {
    // SAFETY: a fork; the child ends at once.
    let pid = unsafe { libc::syscall(libc::SYS_clone, (libc::CLONE_NEWUSER | libc::SIGCHLD) as i64, 0, 0, 0, 0) };
    match pid {
        0 => unsafe { libc::_exit(0) },
        pid if pid < 0 => Err(io::Error::last_os_error()),
        pid => check(unsafe { libc::waitpid(pid as i32, std::ptr::null_mut(), 0) }),
    }
}

fn perf_event(_: &Targets) -> io::Result<()> {
    // Type 1 (software), size 112, config 0 (cpu clock), exclude kernel and hypervisor.
    let mut attributes = [0u64; 14];
    let [kind, _, _, _, _, flags, ..] = &mut attributes;
    *kind = 1 | 112 << 32;
    *flags = 1 << 5 | 1 << 6;
    call(libc::SYS_perf_event_open, [attributes.as_ptr() as i64, 0, -1, -1, 0])
}

fn signal_by_descriptor(at: &Targets) -> io::Result<()> {
    // SAFETY: no pointers.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, at.victim, 0) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    call(libc::SYS_pidfd_send_signal, [fd, libc::SIGCONT.into(), 0, 0, 0])
}

fn read_process(at: &Targets) -> io::Result<()> {
    let maps = fs::read_to_string(format!("/proc/{}/maps", at.victim))?;
    let start = maps.split('-').next().and_then(|start| usize::from_str_radix(start, 16).ok()).ok_or_else(denied)?;
    let mut buffer = [0u8; 8];
    let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: 8 };
    let remote = libc::iovec { iov_base: start as *mut libc::c_void, iov_len: 8 };
    // SAFETY: one buffer each.
    if unsafe { libc::process_vm_readv(at.victim, &raw const local, 1, &raw const remote, 1, 0) } < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

fn system_v(at: &Targets) -> io::Result<()> {
    // SAFETY: plain numbers, then attaches where the kernel likes.
    unsafe {
        let id = libc::shmget(at.shared_key, 0, 0);
        check(id)?;
        if libc::shmat(id, std::ptr::null(), 0) as isize == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

/// On something that is no terminal the call must not even get as far as finding that out.
fn type_in(_: &Targets) -> io::Result<()> {
    let null = File::open("/dev/null")?;
    match check(unsafe { libc::ioctl(null.as_raw_fd(), libc::TIOCSTI, c"x".as_ptr()) }) {
        Err(error) if error.raw_os_error() == Some(libc::ENOTTY) => Ok(()),
        other => other,
    }
}

fn environments(_: &Targets) -> io::Result<()> {
    for entry in fs::read_dir("/proc")?.flatten() {
        let mut text = Vec::new();
        if File::open(entry.path().join("environ")).and_then(|mut file| file.read_to_end(&mut text)).is_ok()
            && text.windows(MARKER_VALUE.len()).any(|window| window == MARKER_VALUE.as_bytes())
        {
            return Ok(());
        }
    }
    Err(denied())
}

#[cfg(target_arch = "x86_64")]
fn old_calls(_: &Targets) -> io::Result<()> {
    let result: i64;
    // SAFETY: asks for the process id through the 32-bit entry; it may clobber these registers.
    unsafe {
        std::arch::asm!("int 0x80", inout("rax") 20i64 => result, out("r8") _, out("r9") _, out("r10") _, out("r11") _)
    };
    if result > 0 { Ok(()) } else { Err(denied()) }
}

#[cfg(not(target_arch = "x86_64"))]
fn old_calls(_: &Targets) -> io::Result<()> {
    Ok(())
}
