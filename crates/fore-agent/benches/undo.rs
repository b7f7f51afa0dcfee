//! What undo costs in a repository of 100,000 files: before and after the first command of a session, and an undo of ten files.
#![expect(clippy::disallowed_methods, reason = "a benchmark lays out its own files, and starts git")]
#![expect(clippy::expect_used, reason = "a benchmark that cannot set itself up has failed")]

use fore_agent::{UndoDirection, Undoer, measure::RememberedSession, undo_opener};
use fore_plan::{
    State,
    gate::{Ground, Rules, table::TableSettings, taken_back},
};
use fore_sandbox::{CageSettings, Cages, GitProbe};
use fore_store::{Home, UndoFolder};
use std::{
    path::Path,
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

const FOLDERS: usize = 1_000;
const FILES_EACH: usize = 100;
const CHANGED: usize = 10;
const ROUNDS: usize = 5;
const TURN_TARGET_MS: f64 = 50.0;
const UNDO_TARGET_MS: f64 = 200.0;

fn main() {
    fore_sandbox::become_setup_if_asked();
    let place = tempfile::tempdir_in("/var/tmp").expect("a folder");
    let project = place.path().canonicalize().expect("it is there").join("project");
    lay_out(&project);
    let cages = Arc::new(Cages::new(CageSettings::new(None, |_| None), &fore_commands::CATALOGUE));
    let (mut prepared, mut commands, mut later, mut undos) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let home = Arc::new(Home::open(&place.path().join(format!("home-{round}"))).expect("a home"));
        let session = RememberedSession::new(&home, &project, Arc::clone(&cages));
        prepared.push(timed(|| session.prepare()));
        commands.push(timed(|| session.command(|| {})));
        later.push(timed(|| session.command(|| change(&project, round))));
        undos.push(timed(|| undo(&home, &project, &cages)));
        let status = git(&project, &["status", "--porcelain"]);
        assert!(status.is_empty(), "everything is as it was: {status}");
    }
    println!("beside the first answer, where nobody waits: {:.0} ms", best(&prepared));
    let mut all_met = verdict("the first command that may write", best(&commands), TURN_TARGET_MS);
    all_met &= verdict(&format!("one that changes {CHANGED} files"), best(&later), TURN_TARGET_MS);
    all_met &= verdict(&format!("an undo of {CHANGED} files"), best(&undos), UNDO_TARGET_MS);
    if !all_met {
        std::process::exit(1);
    }
}

fn lay_out(project: &Path) {
    for folder in 0..FOLDERS {
        let folder = project.join(format!("part{:02}/folder{folder:04}", folder % 20));
        std::fs::create_dir_all(&folder).expect("a folder");
        for file in 0..FILES_EACH {
            let text = format!("pub fn number() -> u32 {{ {file} }}\n");
            std::fs::write(folder.join(format!("file{file:02}.rs")), text).expect("a file");
        }
    }
    git(project, &["init", "-q"]);
    git(project, &["add", "."]);
    git(project, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first"]);
    // Git is sure of a file once its index is younger than it.
    std::thread::sleep(Duration::from_millis(1100));
    std::fs::write(project.join("part00/folder0000/file00.rs"), "pub fn number() -> u32 { 7 }\n").expect("a file");
    git(project, &["add", "."]);
    git(project, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "second"]);
}

fn change(project: &Path, round: usize) {
    for number in 1..=CHANGED {
        let path = project.join(format!("part01/folder0001/file{number:02}.rs"));
        std::fs::write(path, format!("changed in {round}\n")).expect("a file");
    }
}

fn undo(home: &Home, project: &Path, cages: &Arc<Cages>) {
    let (rules, settings, state) = (Arc::new(Rules::default()), TableSettings::default(), State::default());
    let probe = GitProbe::new(Arc::clone(cages));
    let repositories = &fore_shell::GitFacts::Unprobed;
    let ground = Ground::new(&rules, &settings, project, repositories, &fore_commands::CATALOGUE);
    let folder = UndoFolder::open(home, project).expect("a folder");
    let undoer = Undoer {
        folder: &folder,
        project,
        opener: undo_opener(cages, project, &rules),
        session: None,
        objects: &|names| probe.blobs(project, names),
        permit: &|action| taken_back(&state, &ground, action)?.present(&state),
    };
    let plan = undoer.plan(UndoDirection::Undo, 1).expect("something to undo");
    let done = undoer.apply(&plan, false);
    assert_eq!((done.done.len(), done.left.len()), (CHANGED, 0), "{done:?}");
}

fn git(project: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git").args(arguments).current_dir(project).output().expect("git runs");
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

fn best(times: &[Duration]) -> f64 {
    times.iter().min().map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

fn verdict(what: &str, measured: f64, target: f64) -> bool {
    let is_met = measured <= target;
    println!("{what}: {measured:.1} ms (target {target} ms){}", if is_met { "" } else { ": missed" });
    is_met
}
