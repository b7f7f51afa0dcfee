//! What a command in a writable workspace cannot leave behind: files that run later, outside, and names that make a report useless.

use crate::people::workspace;
use crate::permitted::RunTyped;
use fore_plan::{Cage, Outside};
use fore_sandbox::{Cages, Command, Job, Outcome, Settings, Status, Thickness};
use std::path::{Path, PathBuf};

const WORKSPACE: Cage = Cage::Workspace { outside: Outside::Closed };
const SETUP: &str = env!("CARGO_BIN_EXE_fore-cage-setup");

fn run(setup: &Path, cage: Cage, text: &str, workspace: &Path) -> Outcome {
    let settings = Settings { setup: Some(setup.into()), thickness: Thickness::Full, ..Settings::default() };
    Cages::new(settings).run_typed(&cage, Job::new(Command::Script(text.to_owned()), workspace)).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_repository_cannot_be_swapped_for_one_with_other_settings() {
    let folder = workspace();
    let git = folder.path().join(".git");
    std::fs::create_dir_all(git.join("hooks")).unwrap();
    std::fs::create_dir_all(git.join("modules/sub/hooks")).unwrap();
    std::fs::write(git.join("config"), "old").unwrap();
    std::fs::write(git.join("modules/sub/config"), "old").unwrap();
    let text = "mv .git away; rm -rf .git; mv .git/modules/sub .git/modules/other; mv .git/modules .git/m
        echo new > .git/modules/sub/config; echo new > .git/modules/sub/hooks/post-commit
        mkdir .git 2>/dev/null; echo new > .git/config; echo fine > .git/HEAD; cat .git/HEAD";
    let outcome = run(Path::new(SETUP), WORKSPACE, text, folder.path());
    assert_eq!(outcome.stdout.text(), "fine\n");
    assert_eq!(names(folder.path()), [".git"]);
    assert_eq!(names(&git), ["HEAD", "config", "hooks", "modules"]);
    assert_eq!(names(&git.join("modules/sub")), ["config", "hooks"]);
    assert_eq!(names(&git.join("modules/sub/hooks")), Vec::<String>::new());
    for config in ["config", "modules/sub/config"] {
        assert_eq!(std::fs::read_to_string(git.join(config)).unwrap(), "old");
    }
}

#[test]
fn what_git_would_obey_and_was_not_there_gets_another_name() {
    let folder = workspace();
    let git = folder.path().join(".git");
    std::fs::create_dir(&git).unwrap();
    std::fs::write(git.join("config"), "old").unwrap();
    let text =
        "mkdir .git/hooks; echo x > .git/hooks/post-commit; echo ../evil > .git/commondir; echo fine > .git/HEAD";
    let outcome = run(Path::new(SETUP), WORKSPACE, text, folder.path());
    let left: Vec<String> = names(&git).iter().map(|name| name.trim_end_matches(char::is_numeric).to_owned()).collect();
    assert_eq!(left, ["HEAD", "commondir.planted-", "config", "hooks.planted-"]);
    assert_eq!(outcome.blocked, ["a file that git would obey later, outside; it was given another name"]);
}

#[test]
fn the_file_that_leads_a_work_tree_to_its_repository_stays() {
    let folder = workspace();
    std::fs::write(folder.path().join(".git"), "gitdir: /nonexistent\n").unwrap();
    run(Path::new(SETUP), WORKSPACE, "echo x > .git; rm .git; mv .git away; mkdir .git; true", folder.path());
    assert_eq!(std::fs::read_to_string(folder.path().join(".git")).unwrap(), "gitdir: /nonexistent\n");
}

#[test]
fn a_new_repository_can_still_be_made() {
    let folder = workspace();
    let text = "mkdir -p .git/hooks; echo new > .git/config";
    assert!(run(Path::new(SETUP), WORKSPACE, text, folder.path()).status.success());
    assert_eq!(names(&folder.path().join(".git")), ["config", "hooks"]);
}

#[test]
fn the_program_that_builds_cages_cannot_be_replaced_from_inside_of_one() {
    let folder = workspace();
    std::fs::create_dir_all(folder.path().join("target/debug")).unwrap();
    let setup: PathBuf = folder.path().join("target/debug/fore-cage-setup");
    std::fs::copy(SETUP, &setup).unwrap();
    let text = "cd target/debug; echo x > fore-cage-setup; rm -f fore-cage-setup; mv fore-cage-setup old; touch new
        cd ../..; mv target/debug target/old; mv target other; true";
    run(&setup, WORKSPACE, text, folder.path());
    assert!(std::fs::read(&setup).unwrap() == std::fs::read(SETUP).unwrap());
    assert_eq!(names(&folder.path().join("target/debug")), ["fore-cage-setup", "new"]);
}

#[test]
fn a_great_many_long_names_shorten_the_report_and_do_not_lose_it() {
    let folder = workspace();
    let text = "set -e; n=$(printf %0240d 1); for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do mkdir $n; cd $n; done
        for i in {1..5200}; do : > $n$i; done; exit 3";
    let outcome = run(Path::new(SETUP), Cage::Rehearsal, text, folder.path());
    let report = outcome.would_change.unwrap();
    assert_eq!((outcome.status, report.truncated), (Status::Exited(3), true));
    assert!(report.changes.len() > 1000, "{}", report.changes.len());
}
