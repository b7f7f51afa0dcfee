//! Ends a process right before its n-th change of the disk: stops it at every system call and looks at which one it is.

use std::{
    io::{BufRead, BufReader},
    os::unix::process::CommandExt,
    process::{Command, Stdio},
};

/// Calls that change the disk or make a change last. Creating opens are looked at by their flags.
const CHANGES: [libc::c_long; 11] = [
    libc::SYS_write,
    libc::SYS_pwrite64,
    libc::SYS_writev,
    libc::SYS_ftruncate,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    libc::SYS_unlinkat,
    libc::SYS_mkdirat,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
];

/// What a process said until it was killed, or until it ended by itself.
pub(crate) struct Traced {
    pub(crate) said: Vec<String>,
    pub(crate) was_killed: bool,
}

/// Runs a command and kills it before its `nth` change (counted from 1).
#[expect(clippy::zombie_processes, reason = "it is waited for by its number, as tracing needs")]
pub(crate) fn kill_before_change(command: &mut Command, nth: usize) -> Traced {
    // SAFETY: one plain system call between fork and exec.
    unsafe {
        command.pre_exec(|| match libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        });
    }
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let pid = libc::pid_t::try_from(child.id()).unwrap();
    let was_killed = trace(pid, nth);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    Traced { said: lines.map_while(Result::ok).collect(), was_killed }
}

/// Lets the process run from call to call; says whether it was killed before it ended.
fn trace(pid: libc::pid_t, nth: usize) -> bool {
    let mut changes = 0;
    let mut signal = 0;
    let mut is_set_up = false;
    loop {
        let mut status = 0;
        // SAFETY: our own child, a valid place for the status.
        assert_eq!(unsafe { libc::waitpid(pid, &raw mut status, 0) }, pid);
        if libc::WIFEXITED(status) || libc::WIFSIGNALED(status) {
            return false;
        }
        let stopped_by = libc::WSTOPSIG(status);
        if !is_set_up {
            let options = libc::PTRACE_O_TRACESYSGOOD | libc::PTRACE_O_EXITKILL;
            // SAFETY: the child is stopped at its exec.
            assert_eq!(unsafe { libc::ptrace(libc::PTRACE_SETOPTIONS, pid, 0, options) }, 0);
            is_set_up = true;
        } else if stopped_by == libc::SIGTRAP | 0x80 {
            changes += usize::from(is_change(pid));
            if changes == nth {
                // SAFETY: our own child, stopped before the call.
                unsafe {
                    libc::kill(pid, libc::SIGKILL);
                    libc::waitpid(pid, &raw mut status, 0);
                }
                return true;
            }
        } else {
            signal = stopped_by;
        }
        // SAFETY: the child is stopped; a signal that was meant for it is passed on.
        assert_eq!(unsafe { libc::ptrace(libc::PTRACE_SYSCALL, pid, 0, std::mem::take(&mut signal)) }, 0);
    }
}

/// Whether the child stands before a call that changes the disk.
fn is_change(pid: libc::pid_t) -> bool {
    // SAFETY: plain data, filled by the kernel up to the given size; `entry` is valid when `op` says so.
    unsafe {
        let mut info: libc::ptrace_syscall_info = std::mem::zeroed();
        let size = size_of::<libc::ptrace_syscall_info>();
        assert!(libc::ptrace(libc::PTRACE_GET_SYSCALL_INFO, pid, size, &raw mut info) > 0);
        if info.op != libc::PTRACE_SYSCALL_INFO_ENTRY {
            return false;
        }
        let entry = info.u.entry;
        let number = libc::c_long::try_from(entry.nr).unwrap();
        let creates = number == libc::SYS_openat && entry.args[2] & u64::try_from(libc::O_CREAT).unwrap() != 0;
        creates || CHANGES.contains(&number)
    }
}
