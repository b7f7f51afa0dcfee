//! Which system calls are refused, and with which arguments, by families of attacks. It compiles nothing.

use super::FilterNeeds;
use crate::blueprint::{CageBuild, CageReach};
use crate::setup::calls::{ALWAYS_DENIED, ATTRIBUTES, SHARED_MEMORY};
use seccompiler::{SeccompCmpArgLen as Length, SeccompCmpOp as Op, SeccompCondition, SeccompRule};
use std::collections::BTreeMap;
use std::io;

/// Each call with what its arguments must be like; without any, the call is meant whatever they are.
pub(super) type SyscallRules = BTreeMap<i64, Vec<SeccompRule>>;

/// Answers every wish for a lock with success, and passes none on.
pub(super) fn pretended_locks() -> io::Result<SyscallRules> {
    let mut rules: SyscallRules = [(libc::SYS_flock, Vec::new())].into();
    for command in [libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW] {
        deny_when(&mut rules, libc::SYS_fcntl, vec![argument(1, Length::Dword, Op::Eq, command as u64)?])?;
    }
    Ok(rules)
}

/// Calls that look as if this kernel did not have them, because programs then fall back to others.
pub(super) fn absent() -> SyscallRules {
    let calls = [
        // Its flags lie behind a pointer, where a filter cannot see new namespaces; libc falls back to clone.
        libc::SYS_clone3,
        // Does file and socket calls in the kernel, past this filter.
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        // The mode of a new file lies behind a pointer, where a filter cannot see set-id bits; programs fall back to openat.
        libc::SYS_openat2,
    ];
    calls.into_iter().map(|call| (call, Vec::new())).collect()
}

pub(super) fn denied(needs: FilterNeeds) -> io::Result<SyscallRules> {
    let mut rules: SyscallRules = ALWAYS_DENIED.iter().map(|call| (*call, Vec::new())).collect();
    namespaces(&mut rules)?;
    terminals(&mut rules)?;
    sockets(&mut rules, needs.reach)?;
    leases(&mut rules)?;
    limits_of_others(&mut rules)?;
    set_ids_and_devices(&mut rules)?;
    if needs.build == CageBuild::LandlockOnly {
        rules.extend(ATTRIBUTES.iter().chain(SHARED_MEMORY).map(|call| (*call, Vec::new())));
        file_flags(&mut rules)?;
        other_processes(&mut rules)?;
        if !needs.signals_scoped {
            signals(&mut rules)?;
        }
    }
    Ok(rules)
}

fn argument(index: u8, length: Length, op: Op, value: u64) -> io::Result<SeccompCondition> {
    SeccompCondition::new(index, length, op, value).map_err(io::Error::other)
}

/// Adds a rule that denies `call` when all `conditions` hold.
fn deny_when(rules: &mut SyscallRules, call: i64, conditions: Vec<SeccompCondition>) -> io::Result<()> {
    rules.entry(call).or_default().push(SeccompRule::new(conditions).map_err(io::Error::other)?);
    Ok(())
}

/// A new namespace would give its maker all privileges in it, and with them the least tested parts of the kernel.
fn namespaces(rules: &mut SyscallRules) -> io::Result<()> {
    const CLONE_NEWTIME: i32 = 0x80;
    let kinds = [
        libc::CLONE_NEWNS,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWCGROUP,
    ];
    for kind in kinds {
        let flag = u64::from(kind as u32);
        for call in [libc::SYS_clone, libc::SYS_unshare] {
            deny_when(rules, call, vec![argument(0, Length::Dword, Op::MaskedEq(flag), flag)?])?;
        }
    }
    // For clone these bits are part of the exit signal, so only unshare is asked.
    let flag = CLONE_NEWTIME as u64;
    deny_when(rules, libc::SYS_unshare, vec![argument(0, Length::Dword, Op::MaskedEq(flag), flag)?])
}

/// Typing into a terminal as if a person did.
fn terminals(rules: &mut SyscallRules) -> io::Result<()> {
    const TIOCLINUX: u64 = 0x541c;
    for request in [u64::from(libc::TIOCSTI as u32), TIOCLINUX] {
        // The kernel looks at 32 bits of the request only, so more bits must not make it pass here.
        deny_when(rules, libc::SYS_ioctl, vec![argument(1, Length::Dword, Op::Eq, request)?])?;
    }
    Ok(())
}

/// A lease on a file that is open for reading makes everybody outside who wants to write it wait for as long as a minute.
fn leases(rules: &mut SyscallRules) -> io::Result<()> {
    deny_when(rules, libc::SYS_fcntl, vec![argument(1, Length::Dword, Op::Eq, libc::F_SETLEASE as u64)?])
}

/// Process 1 runs as the same person as the command. A limit of no open files would blind it, and its report would say that nothing
/// has changed.
fn limits_of_others(rules: &mut SyscallRules) -> io::Result<()> {
    let conditions = vec![argument(0, Length::Dword, Op::Ne, 0)?, argument(2, Length::Qword, Op::Ne, 0)?];
    deny_when(rules, libc::SYS_prlimit64, conditions)
}

/// A file that runs as its owner, or a device, would outlive the cage and give others what the command had. This comes before
/// calls that are refused as a whole: a condition added to such a one would loosen it.
fn set_ids_and_devices(rules: &mut SyscallRules) -> io::Result<()> {
    const TMPFILE: i32 = libc::O_TMPFILE & !libc::O_DIRECTORY;
    for bit in [u64::from(libc::S_ISUID), u64::from(libc::S_ISGID)] {
        for (call, mode) in modes() {
            deny_when(rules, call, vec![argument(mode, Length::Dword, Op::MaskedEq(bit), bit)?])?;
        }
        // What does not make a file may have anything where the mode would be.
        for (call, flags) in opens() {
            for making in [libc::O_CREAT as u64, TMPFILE as u64] {
                let makes = argument(flags, Length::Dword, Op::MaskedEq(making), making)?;
                deny_when(rules, call, vec![makes, argument(flags + 1, Length::Dword, Op::MaskedEq(bit), bit)?])?;
            }
        }
    }
    for (call, mode) in nodes() {
        for kind in [libc::S_IFCHR, libc::S_IFBLK] {
            let is_kind = argument(mode, Length::Dword, Op::MaskedEq(u64::from(libc::S_IFMT)), u64::from(kind))?;
            deny_when(rules, call, vec![is_kind])?;
        }
    }
    // Leaves a device file where the old name was.
    let whiteout = u64::from(libc::RENAME_WHITEOUT);
    deny_when(rules, libc::SYS_renameat2, vec![argument(4, Length::Dword, Op::MaskedEq(whiteout), whiteout)?])
}

/// Calls that give a file its mode, and where in their arguments it is.
fn modes() -> Vec<(i64, u8)> {
    let calls = [
        (libc::SYS_fchmod, 1),
        (libc::SYS_fchmodat, 2),
        (libc::SYS_fchmodat2, 2),
        (libc::SYS_mkdirat, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chmod, 1),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mkdir, 1),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_creat, 1),
    ];
    calls.into_iter().chain(nodes()).collect()
}

fn nodes() -> Vec<(i64, u8)> {
    vec![
        (libc::SYS_mknodat, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mknod, 1),
    ]
}

/// Calls that open a file, and where in their arguments the flags are; the mode comes next.
fn opens() -> Vec<(i64, u8)> {
    vec![
        (libc::SYS_openat, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, 1),
    ]
}

fn sockets(rules: &mut SyscallRules, reach: CageReach) -> io::Result<()> {
    let families: &[i32] = match reach {
        CageReach::Nobody => {
            for call in [
                libc::SYS_socket,
                libc::SYS_connect,
                libc::SYS_bind,
                libc::SYS_listen,
                libc::SYS_accept,
                libc::SYS_accept4,
            ] {
                rules.insert(call, Vec::new());
            }
            return pairs(rules);
        }
        CageReach::Loopback => {
            pairs(rules)?;
            &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK]
        }
        CageReach::Services | CageReach::Anybody => &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK, libc::AF_UNIX],
    };
    let others = families
        .iter()
        .map(|family| argument(0, Length::Dword, Op::Ne, u64::from(*family as u32)))
        .collect::<io::Result<_>>()?;
    deny_when(rules, libc::SYS_socket, others)?;
    // Of netlink only the part that lists network interfaces.
    let netlink = argument(0, Length::Dword, Op::Eq, u64::from(libc::AF_NETLINK as u32))?;
    deny_when(rules, libc::SYS_socket, vec![netlink, argument(2, Length::Dword, Op::Ne, libc::NETLINK_ROUTE as u64)?])
}

/// Pairs of connected sockets stay, as pipes of a better kind. But a datagram socket of a pair can be connected anew, to any
/// socket file on the disk, so only streams are left (the kernel treats raw Unix sockets as datagrams).
fn pairs(rules: &mut SyscallRules) -> io::Result<()> {
    const KIND: u64 = 0xf;
    for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
        deny_when(rules, libc::SYS_socketpair, vec![argument(1, Length::Dword, Op::MaskedEq(KIND), kind as u64)?])?;
    }
    deny_when(rules, libc::SYS_socketpair, vec![argument(0, Length::Dword, Op::Ne, libc::AF_UNIX as u64)?])
}

/// `chattr` and its like work through a descriptor that is open for reading. Every file system has calls of its own, so whole families
/// are refused, but for those that only read and for clones, which need a target open for writing.
fn file_flags(rules: &mut SyscallRules) -> io::Result<()> {
    const FAMILY: u64 = 0xff00;
    let families: [(u64, &[u64]); 5] = [
        // Common and ext4: FS_IOC_GETFLAGS in both sizes, FS_IOC_FIEMAP.
        (0x6600, &[0x8008_6601, 0x8004_6601, 0xc020_660b]),
        // Versions: FS_IOC_GETVERSION in both sizes.
        (0x7600, &[0x8008_7601, 0x8004_7601]),
        // XFS and common: FS_IOC_FSGETXATTR.
        (0x5800, &[0x801c_581f]),
        // Btrfs: FICLONE, FICLONERANGE.
        (0x9400, &[0x4004_9409, 0x4020_940d]),
        // F2fs.
        (0xf500, &[]),
    ];
    for (family, harmless) in families {
        let mut conditions = vec![argument(1, Length::Dword, Op::MaskedEq(FAMILY), family)?];
        for request in harmless {
            conditions.push(argument(1, Length::Dword, Op::Ne, *request)?);
        }
        deny_when(rules, libc::SYS_ioctl, conditions)?;
    }
    Ok(())
}

/// Priorities and limits of the person's other processes; on itself (0) a command may change them.
fn other_processes(rules: &mut SyscallRules) -> io::Result<()> {
    let own_first =
        [libc::SYS_sched_setaffinity, libc::SYS_sched_setscheduler, libc::SYS_sched_setparam, libc::SYS_sched_setattr];
    for call in own_first {
        deny_when(rules, call, vec![argument(0, Length::Dword, Op::Ne, 0)?])?;
    }
    for (call, all_of_user) in [(libc::SYS_setpriority, libc::PRIO_USER as u64), (libc::SYS_ioprio_set, 3)] {
        deny_when(rules, call, vec![argument(1, Length::Dword, Op::Ne, 0)?])?;
        deny_when(rules, call, vec![argument(0, Length::Dword, Op::Eq, all_of_user)?])?;
    }
    Ok(())
}

/// Without Landlock's signal scope nobody may be signalled, except a thread with SIGURG, which the Go runtime lives on and
/// which does nothing to a process that did not ask for it.
fn signals(rules: &mut SyscallRules) -> io::Result<()> {
    const F_SETSIG: i32 = 10;
    const F_SETOWN_EX: i32 = 15;
    const FIOSETOWN: u64 = 0x8901;
    const SIOCSPGRP: u64 = 0x8902;
    for call in [
        libc::SYS_kill,
        libc::SYS_tkill,
        libc::SYS_rt_sigqueueinfo,
        libc::SYS_rt_tgsigqueueinfo,
        libc::SYS_pidfd_send_signal,
    ] {
        rules.insert(call, Vec::new());
    }
    // A descriptor can be told whom to signal, and with what, when something arrives on it.
    for command in [libc::F_SETOWN, F_SETOWN_EX, F_SETSIG] {
        deny_when(rules, libc::SYS_fcntl, vec![argument(1, Length::Dword, Op::Eq, command as u64)?])?;
    }
    for request in [FIOSETOWN, SIOCSPGRP] {
        deny_when(rules, libc::SYS_ioctl, vec![argument(1, Length::Dword, Op::Eq, request)?])?;
    }
    deny_when(rules, libc::SYS_tgkill, vec![argument(2, Length::Dword, Op::Ne, libc::SIGURG as u64)?])
}
