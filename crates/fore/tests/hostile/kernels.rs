//! The whole of these tests again, on machines with parts missing: no Landlock, no namespaces, a bad temp folder and the like.
//!
//! Each machine is a process of its own, which runs all the other tests of this program; there the pages below have nothing to do.

use crate::stage::{Outcome, SECRET};
use fore_testkit::kernel::LimitedMachine;
use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

/// Names the machine in the environment of a process that plays one.
const MACHINE: &str = "FORE_TEST_MACHINE";

fn machine() -> Option<LimitedMachine> {
    LimitedMachine::from_name(&std::env::var(MACHINE).ok()?)
}

/// Whether this process plays a machine.
pub(crate) fn is_machine() -> bool {
    machine().is_some()
}

/// Where the folders of a stage are: on a machine without a good temp folder, elsewhere.
pub(crate) fn place() -> PathBuf {
    if machine().is_some() { PathBuf::from("/var/tmp") } else { std::env::temp_dir() }
}

pub(crate) fn close_home(home: &Path) {
    if machine() == Some(LimitedMachine::ReadOnlyHome) {
        std::fs::set_permissions(home, PermissionsExt::from_mode(0o555)).unwrap();
    }
}

pub(crate) fn open_home(home: &Path) {
    let _ = std::fs::set_permissions(home, PermissionsExt::from_mode(0o755));
}

/// Runs every test of this program on such a machine.
fn everything_holds_on(kernel: LimitedMachine) {
    if machine().is_some() {
        return;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env(MACHINE, kernel.name()).env("FORE_TEST_API_KEY", format!("{SECRET}-key"));
    // Tests side by side would take each other's descriptors.
    command.args(["--test-threads", if kernel == LimitedMachine::FewDescriptors { "1" } else { "2" }]);
    kernel.apply(&mut command);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {told}", kernel.name());
}

#[test]
fn without_landlock() {
    everything_holds_on(LimitedMachine::NoLandlock);
}

#[test]
fn without_user_namespaces() {
    everything_holds_on(LimitedMachine::NoUserNamespaces);
}

#[test]
fn without_mounts() {
    everything_holds_on(LimitedMachine::NoMount);
}

#[test]
fn without_seccomp() {
    everything_holds_on(LimitedMachine::NoSeccomp);
}

#[test]
fn without_landlock_and_user_namespaces() {
    everything_holds_on(LimitedMachine::Bare);
}

#[test]
fn with_a_temp_folder_that_is_not_there() {
    everything_holds_on(LimitedMachine::BadTemp);
}

#[test]
fn with_few_descriptors() {
    everything_holds_on(LimitedMachine::FewDescriptors);
}

#[test]
fn with_a_full_temp_folder() {
    everything_holds_on(LimitedMachine::FullTemp);
}

#[test]
fn with_a_read_only_home() {
    everything_holds_on(LimitedMachine::ReadOnlyHome);
}

/// What a machine lacks stands in each refusal for want of a sandbox.
pub(crate) fn every_refusal_says_why(outcome: &Outcome) {
    let mut wanted = outcome.reasons.iter().filter(|reason| reason.contains("cage.unavailable"));
    let (cause, remedy) = match machine() {
        None
        | Some(
            LimitedMachine::BadTemp
            | LimitedMachine::FullTemp
            | LimitedMachine::ReadOnlyHome
            | LimitedMachine::NoLandlock,
        ) => {
            assert_eq!(wanted.next(), None, "every sandbox stands here");
            return;
        }
        // Some calls get the descriptors that they need, and some do not.
        Some(LimitedMachine::FewDescriptors) => ("Too many open files", "ulimit -n"),
        Some(LimitedMachine::NoUserNamespaces | LimitedMachine::NoMount | LimitedMachine::Bare) => {
            ("Operation not permitted", "user namespaces")
        }
        Some(LimitedMachine::NoSeccomp) => ("system call filter could not be set up", "CONFIG_SECCOMP_FILTER"),
    };
    let silent: Vec<&String> = wanted.filter(|reason| !reason.contains(cause) || !reason.contains(remedy)).collect();
    assert!(silent.is_empty(), "{silent:#?}");
}
