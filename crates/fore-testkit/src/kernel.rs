//! Machines with parts missing, made on one that has them: a program started so sees a kernel that answers "not implemented", a temp
//! folder that is gone, or a home that cannot be written.
//!
//! The calls are refused by a seccomp filter that the program and all it starts inherit; nothing about this machine changes.

use rustix::{
    fs::{Mode, OFlags},
    mount::{MountFlags, MountPropagationFlags, mount, mount_change},
    process::{Resource, Rlimit},
    thread::CapabilitySet,
};
use std::ffi::{CStr, CString};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// A machine that lacks something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LimitedMachine {
    /// A kernel without Landlock.
    NoLandlock,
    /// User namespaces are switched off.
    NoUserNamespaces,
    /// Nothing may be mounted.
    NoMount,
    /// No filter for system calls can be set up.
    NoSeccomp,
    /// Neither Landlock nor user namespaces: nothing is left to hold a command.
    Bare,
    /// TMPDIR names a folder that does not exist.
    BadTemp,
    /// Hardly any descriptors.
    FewDescriptors,
    /// The temp folder has no room for another file.
    FullTemp,
    /// Permissions hold for root too, so that a home without write permission is read-only.
    ReadOnlyHome,
}

/// The descriptors that [`Kernel::FewDescriptors`] leaves.
const FEW: u64 = 48;

impl LimitedMachine {
    pub(crate) const ALL: [LimitedMachine; 9] = [
        LimitedMachine::NoLandlock,
        LimitedMachine::NoUserNamespaces,
        LimitedMachine::NoMount,
        LimitedMachine::NoSeccomp,
        LimitedMachine::Bare,
        LimitedMachine::BadTemp,
        LimitedMachine::FewDescriptors,
        LimitedMachine::FullTemp,
        LimitedMachine::ReadOnlyHome,
    ];

    /// As the command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            LimitedMachine::NoLandlock => "no-landlock",
            LimitedMachine::NoUserNamespaces => "no-user-namespaces",
            LimitedMachine::NoMount => "no-mount",
            LimitedMachine::NoSeccomp => "no-seccomp",
            LimitedMachine::Bare => "bare",
            LimitedMachine::BadTemp => "bad-temp",
            LimitedMachine::FewDescriptors => "few-descriptors",
            LimitedMachine::FullTemp => "full-temp",
            LimitedMachine::ReadOnlyHome => "read-only-home",
        }
    }

    /// The machine of this name.
    pub fn from_name(name: &str) -> Option<LimitedMachine> {
        LimitedMachine::ALL.into_iter().find(|kernel| kernel.name() == name)
    }

    /// Lets the command start on such a machine.
    pub fn apply(self, command: &mut Command) {
        match self {
            LimitedMachine::NoLandlock => refuse(command, no_landlock()),
            LimitedMachine::NoUserNamespaces => refuse(command, no_user_namespaces()),
            LimitedMachine::NoMount => {
                refuse(command, MOUNTS.map(|call| RefusedSyscall::always(call, libc::EPERM)).to_vec())
            }
            LimitedMachine::NoSeccomp => refuse(
                command,
                vec![
                    RefusedSyscall::always(libc::SYS_seccomp, libc::ENOSYS),
                    RefusedSyscall {
                        call: libc::SYS_prctl,
                        when: ArgumentMatch::Equals(0, libc::PR_SET_SECCOMP as u32),
                        errno: libc::EINVAL,
                    },
                ],
            ),
            LimitedMachine::Bare => refuse(command, [no_landlock(), no_user_namespaces()].concat()),
            LimitedMachine::BadTemp => {
                command.env("TMPDIR", "/nonexistent/temp");
            }
            LimitedMachine::FewDescriptors => before_exec(command, || {
                let limit = Rlimit { current: Some(FEW), maximum: Some(FEW) };
                Ok(rustix::process::setrlimit(Resource::Nofile, limit)?)
            }),
            LimitedMachine::FullTemp => {
                command.env_remove("TMPDIR");
                full_temp(command);
            }
            LimitedMachine::ReadOnlyHome => before_exec(command, drop_powers_over_files),
        }
    }
}

fn before_exec(command: &mut Command, steps: impl FnMut() -> io::Result<()> + Send + Sync + 'static) {
    // SAFETY: the steps only make system calls on values that were prepared before the fork.
    unsafe { command.pre_exec(steps) };
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// One call that is refused.
#[derive(Clone, Copy, Debug)]
struct RefusedSyscall {
    call: i64,
    when: ArgumentMatch,
    errno: i32,
}

#[derive(Clone, Copy, Debug)]
enum ArgumentMatch {
    Always,
    /// The argument of this number is exactly this.
    Equals(u32, u32),
    /// The argument of this number has these bits.
    Has(u32, u32),
}

impl RefusedSyscall {
    const fn always(call: i64, errno: i32) -> RefusedSyscall {
        RefusedSyscall { call, when: ArgumentMatch::Always, errno }
    }
}

const MOUNTS: [i64; 7] = [
    libc::SYS_mount,
    libc::SYS_pivot_root,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_mount_setattr,
];

fn no_landlock() -> Vec<RefusedSyscall> {
    [libc::SYS_landlock_create_ruleset, libc::SYS_landlock_add_rule, libc::SYS_landlock_restrict_self]
        .map(|call| RefusedSyscall::always(call, libc::ENOSYS))
        .to_vec()
}

fn no_user_namespaces() -> Vec<RefusedSyscall> {
    let new_user = ArgumentMatch::Has(0, libc::CLONE_NEWUSER as u32);
    vec![
        RefusedSyscall { call: libc::SYS_clone, when: new_user, errno: libc::EPERM },
        RefusedSyscall { call: libc::SYS_unshare, when: new_user, errno: libc::EPERM },
        // Its flags lie in memory, where no filter looks; everybody falls back to clone.
        RefusedSyscall::always(libc::SYS_clone3, libc::ENOSYS),
    ]
}

fn refuse(command: &mut Command, refusals: Vec<RefusedSyscall>) {
    let filter = program(&refusals);
    before_exec(command, move || install(&filter));
}

/// Makes the machine of this thread, and of all that it starts from now on, [`LimitedMachine::Bare`]. There is no way back: call it in
/// a thread that ends. For programs that are started by others, such as those in a terminal.
pub fn make_this_thread_bare() -> io::Result<()> {
    install(&program(&[no_landlock(), no_user_namespaces()].concat()))
}

fn install(filter: &[libc::sock_filter]) -> io::Result<()> {
    let length = libc::c_ushort::try_from(filter.len()).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))?;
    let program = libc::sock_fprog { len: length, filter: filter.as_ptr().cast_mut() };
    rustix::thread::set_no_new_privs(true)?;
    // SAFETY: plain numbers, and a program that lives until after the call.
    check(unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) })
}

/// The filter: one block for each refusal, everything else passes.
fn program(refusals: &[RefusedSyscall]) -> Vec<libc::sock_filter> {
    let step = |code: u32, k: u32, jt: u8, jf: u8| libc::sock_filter { code: code as u16, jt, jf, k };
    let load = |offset: u32| step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset, 0, 0);
    let skip_unless = |test: u32, value: u32, steps: u8| step(libc::BPF_JMP | test | libc::BPF_K, value, 0, steps);
    let answer = |value: u32| step(libc::BPF_RET | libc::BPF_K, value, 0, 0);
    let mut steps = Vec::new();
    for refusal in refusals {
        // Offset 0 is the number of the call, 16 its first argument.
        let argument = |number: u32| load(16 + 8 * number);
        let no = answer(libc::SECCOMP_RET_ERRNO | refusal.errno as u32);
        let call = refusal.call as u32;
        steps.push(load(0));
        match refusal.when {
            ArgumentMatch::Always => steps.extend([skip_unless(libc::BPF_JEQ, call, 1), no]),
            ArgumentMatch::Equals(number, value) => {
                let tests =
                    [skip_unless(libc::BPF_JEQ, call, 3), argument(number), skip_unless(libc::BPF_JEQ, value, 1), no];
                steps.extend(tests);
            }
            ArgumentMatch::Has(number, bits) => {
                let tests =
                    [skip_unless(libc::BPF_JEQ, call, 3), argument(number), skip_unless(libc::BPF_JSET, bits, 1), no];
                steps.extend(tests);
            }
        }
    }
    steps.push(answer(libc::SECCOMP_RET_ALLOW));
    steps
}

/// A temp folder in memory with room for one file, which is there already. In namespaces of its own, so that nobody else sees it.
fn full_temp(command: &mut Command) {
    let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let map = |id: u32| CString::new(format!("{id} {id} 1")).unwrap_or_default();
    let (uids, gids) = (map(uid), map(gid));
    before_exec(command, move || {
        let flags = if uid == 0 { libc::CLONE_NEWNS } else { libc::CLONE_NEWNS | libc::CLONE_NEWUSER };
        // SAFETY: plain numbers.
        check(unsafe { libc::unshare(flags) })?;
        if uid != 0 {
            put(c"/proc/self/setgroups", c"deny")?;
            put(c"/proc/self/uid_map", &uids)?;
            put(c"/proc/self/gid_map", &gids)?;
        }
        mount_change(c"/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)?;
        mount(c"tmpfs", c"/tmp", c"tmpfs", MountFlags::empty(), c"size=4k,nr_inodes=2,mode=1777")?;
        let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
        drop(rustix::fs::open(c"/tmp/full", flags, Mode::from(0o644))?);
        Ok(())
    });
}

fn put(path: &CStr, text: &CStr) -> io::Result<()> {
    let file = rustix::fs::open(path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(file, text.to_bytes())?;
    Ok(())
}

/// For root: without these, permission bits hold. Everybody else has none to lose.
fn drop_powers_over_files() -> io::Result<()> {
    if rustix::process::geteuid().is_root() {
        for power in [CapabilitySet::DAC_OVERRIDE, CapabilitySet::DAC_READ_SEARCH] {
            // What is not in the bounding set is gone after the exec.
            rustix::thread::remove_capability_from_bounding_set(power)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "starts programs on such machines to see what they meet")]
    use super::*;

    fn said(kernel: LimitedMachine, script: &str) -> String {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        kernel.apply(&mut command);
        let output = command.output().expect("a shell");
        String::from_utf8_lossy(&output.stdout).trim().to_owned() + String::from_utf8_lossy(&output.stderr).trim()
    }

    #[test]
    fn each_machine_lacks_what_its_name_says_and_nothing_else() {
        let make = "unshare -Ur true 2>/dev/null && echo made || echo refused";
        assert_eq!(said(LimitedMachine::NoUserNamespaces, make), "refused");
        assert_eq!(said(LimitedMachine::Bare, make), "refused");
        assert_eq!(said(LimitedMachine::NoLandlock, make), "made");
        let mount = "unshare -Urm mount -t tmpfs none /mnt 2>/dev/null && echo mounted || echo refused";
        assert_eq!(said(LimitedMachine::NoMount, mount), "refused");
        assert_eq!(said(LimitedMachine::NoSeccomp, mount), "mounted");
        assert_eq!(said(LimitedMachine::FewDescriptors, "ulimit -n"), FEW.to_string());
        assert_eq!(said(LimitedMachine::BadTemp, "mktemp -d >/dev/null 2>&1 || echo none"), "none");
        assert_eq!(
            said(LimitedMachine::FullTemp, "mkdir /tmp/x 2>/dev/null && echo made || echo full; ls /tmp"),
            "full\nfull"
        );
        let folder = tempfile::tempdir().expect("a folder");
        let closed = format!(
            "cd {} && chmod 555 . && touch x 2>/dev/null && echo made || echo refused",
            folder.path().display()
        );
        assert_eq!(said(LimitedMachine::ReadOnlyHome, &closed), "refused");
    }

    #[test]
    fn names_lead_back_to_their_machines() {
        assert!(LimitedMachine::ALL.into_iter().all(|kernel| LimitedMachine::from_name(kernel.name()) == Some(kernel)));
        assert_eq!(LimitedMachine::from_name("perfect"), None);
    }
}
