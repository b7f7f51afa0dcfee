//! The set-up program that waits for the next run: nobody looks into it, nothing uncaged gets hold of it, and one that was stopped is
//! no reason to wait.

use crate::permitted::RunTyped;
use crate::secrets::READ_ONLY;
use crate::workspaces::{Workspace, is_root, workspace};
use fore_plan::Cage;
use fore_sandbox::{CageSettings, Cages, Job, JobCommand, RequiredBuild};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);

/// A set-up program of this test alone: it goes by another name, so that those of other tests are told apart.
struct Own {
    folder: Workspace,
    program: PathBuf,
    cages: Cages,
}

impl Own {
    fn new() -> Own {
        let folder = workspace();
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("setup-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let program = folder.path().canonicalize().unwrap().join(name);
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fore-cage-setup"), &program).unwrap();
        let settings = CageSettings {
            setup: Some(program.clone()),
            required_build: RequiredBuild::Full,
            ..crate::permitted::usual_settings()
        };
        Own { cages: Cages::new(settings, &fore_commands::CATALOGUE), folder, program }
    }

    fn run(&self, cage: &Cage, text: &str) -> String {
        let job = Job::new(JobCommand::Script(text.to_owned()), self.folder.path());
        self.cages.run_typed(cage, job).unwrap().stdout.text()
    }

    /// Both processes that wait: the guard outside, and process 1 with mounts of its own.
    fn waiting(&self) -> Vec<i32> {
        let (start, mut last, mut times) = (Instant::now(), Vec::new(), 0);
        // One that has just done its work is soon gone.
        while times < 20 {
            let found = self.processes();
            let is_inside =
                |pid: &i32| parent(*pid).is_some_and(|parent| found.contains(&parent)) && has_own_mounts(*pid);
            let is_pair = found.len() == 2 && found.iter().any(is_inside);
            times = if is_pair && found == last { times + 1 } else { 0 };
            assert!(start.elapsed() < PATIENCE, "{found:?}");
            last = found;
        }
        last
    }

    /// Everybody who runs this program.
    fn processes(&self) -> Vec<i32> {
        let name = self.program.file_name().unwrap().to_str().unwrap();
        let numbers = std::fs::read_dir("/proc").unwrap().flatten();
        let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let ours = std::process::id();
        let is_it = |pid: &i32| {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
            status.contains(&format!("Name:\t{name}\n")) && descends_from(*pid, ours)
        };
        let mut found: Vec<i32> = numbers.filter(is_it).collect();
        found.sort_unstable();
        found
    }
}

fn parent(pid: i32) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok())
}

fn descends_from(pid: i32, ancestor: u32) -> bool {
    std::iter::successors(Some(pid), |pid| parent(*pid)).take(4).any(|pid| u32::try_from(pid) == Ok(ancestor))
}

/// Only root sees the mounts of a process that hides itself; for others one that has a parent among the others must do.
fn has_own_mounts(pid: i32) -> bool {
    let of = |pid: &str| std::fs::read_link(Path::new("/proc").join(pid).join("ns/mnt")).ok();
    match of(&pid.to_string()) {
        Some(mounts) => Some(mounts) != of("self"),
        None => true,
    }
}

fn signal(pid: i32, signal: i32) {
    // SAFETY: no pointers; the process descends from this one and waits.
    assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
}

#[test]
fn nobody_looks_into_it() {
    // Root looks into everybody.
    if is_root() {
        return;
    }
    let own = Own::new();
    for _ in 0..2 {
        own.run(&READ_ONLY, "true");
    }
    for pid in own.waiting() {
        for file in ["mem", "environ", "fd"] {
            let start = Instant::now();
            // It has only just begun, perhaps.
            while std::fs::File::open(format!("/proc/{pid}/{file}")).is_ok() && start.elapsed() < PATIENCE {}
            let error = std::fs::File::open(format!("/proc/{pid}/{file}")).unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied, "{pid} {file}");
        }
    }
}

#[test]
fn none_waits_that_something_uncaged_may_have_got_hold_of() {
    let own = Own::new();
    for _ in 0..2 {
        own.run(&READ_ONLY, "true");
    }
    let before = own.waiting();
    own.run(&Cage::Free, "true");
    assert_eq!(own.run(&Cage::Free, "echo ran"), "ran\n");
    let start = Instant::now();
    while !own.processes().is_empty() {
        assert!(start.elapsed() < PATIENCE, "{:?}", own.processes());
    }
    for _ in 0..2 {
        own.run(&READ_ONLY, "true");
    }
    let after = own.waiting();
    own.cages.end_left_behind();
    let start = Instant::now();
    while own.processes().iter().any(|pid| after.contains(pid)) {
        assert!(start.elapsed() < PATIENCE);
    }
    assert!(before.iter().all(|pid| !after.contains(pid)), "{before:?} {after:?}");
}

#[test]
fn one_that_was_stopped_is_woken_and_ends_with_whoever_asked() {
    let own = Own::new();
    for _ in 0..2 {
        own.run(&READ_ONLY, "true");
    }
    let stopped = own.waiting();
    stopped.iter().for_each(|pid| signal(*pid, libc::SIGSTOP));
    let start = Instant::now();
    assert_eq!(own.run(&READ_ONLY, "echo ran"), "ran\n");
    while own.processes().iter().any(|pid| stopped.contains(pid)) {
        assert!(start.elapsed() < PATIENCE);
    }
    let left = own.waiting();
    // Process 1 alone: the guard outside must not wait for it.
    let inside = left.iter().copied().find(|pid| parent(*pid).is_some_and(|parent| left.contains(&parent)));
    signal(inside.unwrap(), libc::SIGSTOP);
    own.cages.end_left_behind();
    let start = Instant::now();
    while !own.processes().is_empty() {
        assert!(start.elapsed() < PATIENCE, "{:?}", own.processes());
    }
}
