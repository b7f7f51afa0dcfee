//! Every command that the shell judge knows to write or to run something, run in the read-only cage: nothing changes.

use crate::people::{is_root, workspace};
use crate::permitted::RunTyped;
use fore_plan::{Cage, Outside};
use fore_sandbox::{Cages, Command, Job, Limits, Settings, Thickness};
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const WRITES: &str = include_str!("../../../fore-shell/corpus/writes.txt");
const RUNS: &str = include_str!("../../../fore-shell/corpus/runs.txt");
/// Commands that wait for ever are ended; what they did until then counts.
const PATIENCE: Duration = Duration::from_secs(2);

/// Inode, mode, size, and the times of the last change of content and of state.
type Facts = (u64, u32, u64, i64, i64, i64, i64);

/// Everything beneath a folder.
fn tree(folder: &Path) -> BTreeMap<String, Facts> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let found = path.symlink_metadata().unwrap();
            if found.is_dir() {
                folders.push(path.clone());
            }
            let times = (found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec());
            let facts = (found.ino(), found.mode(), found.size(), times.0, times.1, times.2, times.3);
            all.insert(path.display().to_string(), facts);
        }
    }
    all
}

/// A small project with the files that the commands name, so that they find something to change.
fn project() -> tempfile::TempDir {
    let folder = workspace();
    let at = |name: &str| folder.path().join(name);
    for name in ["src", "docs", "build", "old", "tests", "node_modules"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    for name in [
        "a",
        "b",
        "f",
        "x",
        "file",
        "a.txt",
        "b.txt",
        "in.txt",
        "log",
        "data.json",
        "script.sh",
        "src/main.rs",
        "Makefile",
    ] {
        std::fs::write(at(name), "one\ntwo\n").unwrap();
    }
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(arguments).current_dir(folder.path()).env("HOME", folder.path());
        assert!(command.output().unwrap().status.success(), "{arguments:?}");
    };
    git(&["init", "-q"]);
    git(&["-c", "user.name=x", "-c", "user.email=x@example.org", "add", "."]);
    git(&["-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-qm", "one"]);
    folder
}

#[test]
fn writers_and_runners_leave_everything_as_it_was_in_the_read_only_cage() {
    // Root comes here a second time as an ordinary person: what slips out must not meet a machine that it can ruin.
    if is_root() {
        return;
    }
    let folder = project();
    let before = tree(folder.path());
    let lines =
        || WRITES.lines().chain(RUNS.lines()).map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let commands: Vec<String> = lines().map(|line| line.replace('⏎', "\n")).collect();
    assert!(commands.len() > 600, "only {} commands", commands.len());
    let next = AtomicUsize::new(0);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let work = || {
            let settings = Settings {
                setup: Some(env!("CARGO_BIN_EXE_fore-cage-setup").into()),
                thickness: Thickness::Full,
                ..Settings::default()
            };
            let cages = Cages::new(settings);
            let mut failures = Vec::new();
            while let Some(command) = commands.get(next.fetch_add(1, Ordering::Relaxed)) {
                let limits = Limits { time: PATIENCE, ..Limits::default() };
                let job = Job { limits, ..Job::new(Command::Script(command.clone()), folder.path()) };
                let cage = Cage::ReadOnly { outside: Outside::Closed };
                match cages.run_typed(&cage, job) {
                    Ok(_) if tree(folder.path()) == before => {}
                    Ok(_) => failures.push(format!("changed something: {command}")),
                    Err(error) => failures.push(format!("{error}: {command}")),
                }
            }
            failures
        };
        let workers: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert_eq!(failures, Vec::<String>::new());
}
