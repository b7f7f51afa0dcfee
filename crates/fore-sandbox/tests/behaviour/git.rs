//! The probe against real repositories, and git commands that a hostile one cannot turn into programs.

use crate::people::workspace;
use crate::permitted::RunTyped;
use fore_plan::{Cage, Outside};
use fore_sandbox::git::Probe;
use fore_sandbox::{Cages, Command, Job, Settings, Thickness};
use fore_shell::{GitFacts, Repositories};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn cages() -> Cages {
    Cages::new(Settings {
        setup: Some(env!("CARGO_BIN_EXE_fore-cage-setup").into()),
        thickness: Thickness::Full,
        ..Settings::default()
    })
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    command
        .current_dir(folder)
        .args(["-c", "user.name=a", "-c", "user.email=b", "-c", "init.defaultBranch=main"])
        .args(arguments);
    let output = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn repository() -> tempfile::TempDir {
    let folder = workspace();
    git(folder.path(), &["init", "-q"]);
    std::fs::write(folder.path().join("file"), "one\n").unwrap();
    git(folder.path(), &["add", "file"]);
    git(folder.path(), &["commit", "-qm", "one"]);
    folder
}

fn executable(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_fresh_repository_is_quiet_and_a_plain_folder_is_none() {
    let cages = cages();
    let probe = Probe::new(&cages);
    let (repository, folder) = (repository(), tempfile::tempdir().unwrap());
    std::fs::create_dir(repository.path().join("inner")).unwrap();
    assert_eq!(
        (probe.at(repository.path()), probe.at(&repository.path().join("inner")), probe.at(folder.path())),
        (GitFacts::Quiet, GitFacts::Quiet, GitFacts::NoRepository)
    );
}

#[test]
fn settings_and_hooks_that_run_programs_are_named_and_noticed_when_they_appear() {
    let cages = cages();
    let probe = Probe::new(&cages);
    let folder = repository();
    assert_eq!(probe.at(folder.path()), GitFacts::Quiet);
    git(folder.path(), &["config", "core.fsmonitor", "./evil"]);
    assert_eq!(probe.at(folder.path()), GitFacts::Armed(vec!["core.fsmonitor".to_owned()]));
    git(folder.path(), &["config", "--unset", "core.fsmonitor"]);
    assert_eq!(probe.at(folder.path()), GitFacts::Quiet);
    executable(&folder.path().join(".git/hooks/post-index-change"), "#!/bin/sh\n");
    assert!(matches!(probe.at(folder.path()), GitFacts::Armed(_)));
}

#[test]
fn included_files_count_and_are_watched() {
    let cages = cages();
    let probe = Probe::new(&cages);
    let folder = repository();
    std::fs::write(folder.path().join(".git/more"), "[user]\n\tname = x\n").unwrap();
    git(folder.path(), &["config", "include.path", "more"]);
    assert_eq!(probe.at(folder.path()), GitFacts::Quiet);
    std::fs::write(folder.path().join(".git/more"), "[diff]\n\texternal = ./evil\n").unwrap();
    assert_eq!(probe.at(folder.path()), GitFacts::Armed(vec!["diff.external".to_owned()]));
}

#[test]
fn a_hook_folder_of_the_project_is_looked_through() {
    let cages = cages();
    let probe = Probe::new(&cages);
    let folder = repository();
    std::fs::create_dir(folder.path().join(".husky")).unwrap();
    git(folder.path(), &["config", "core.hooksPath", ".husky"]);
    executable(&folder.path().join(".husky/pre-commit"), "#!/bin/sh\n");
    assert_eq!(probe.at(folder.path()), GitFacts::Quiet);
    executable(&folder.path().join(".husky/post-index-change"), "#!/bin/sh\n");
    assert!(matches!(probe.at(folder.path()), GitFacts::Armed(_)));
}

#[test]
fn a_repository_made_later_is_noticed() {
    let cages = cages();
    let probe = Probe::new(&cages);
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(probe.at(folder.path()), GitFacts::NoRepository);
    git(folder.path(), &["init", "-q"]);
    assert_eq!(probe.at(folder.path()), GitFacts::Quiet);
}

#[test]
fn a_hostile_repository_runs_nothing_while_it_is_read() {
    let cages = cages();
    let folder = repository();
    let at = |name: &str| folder.path().join(name);
    // Tells by its output, since inside the cage it could not leave a trace on the disk.
    executable(&at("evil"), "#!/bin/sh\necho OWNED >&2; echo OWNED; cat \"$1\" 2>/dev/null\n");
    let evil = at("evil");
    let evil = evil.to_str().unwrap();
    for key in ["core.fsmonitor", "diff.external", "diff.x.textconv", "diff.x.command", "filter.x.clean", "core.pager"]
    {
        git(folder.path(), &["config", key, evil]);
    }
    executable(&at(".git/hooks/post-index-change"), "#!/bin/sh\necho OWNED >&2\n");
    std::fs::write(at(".gitattributes"), "file diff=x filter=x\n").unwrap();
    std::fs::write(at("file"), "two\n").unwrap();
    let run = |cage: Cage, words: &[&str], filters: Vec<String>| {
        let argv = std::iter::once("git").chain(words.iter().copied()).map(Into::into).collect();
        let outcome = cages
            .run_typed(&cage, Job { git_filters: filters, ..Job::new(Command::Program(argv), folder.path()) })
            .unwrap();
        outcome.stdout.text() + &outcome.stderr.text()
    };
    let probe = Probe::new(&cages);
    assert_eq!(probe.filters(folder.path()), ["x"]);
    for words in
        [&["status", "--short"][..], &["diff"], &["log", "-p"], &["show"], &["blame", "file"], &["ls-files", "-m"]]
    {
        // The control: in the person's own shell the repository's program runs.
        assert!(run(Cage::Free, words, Vec::new()).contains("OWNED"), "{words:?} is no attack");
        let read = run(Cage::ReadOnly { outside: Outside::Closed }, words, probe.filters(folder.path()));
        assert!(!read.contains("OWNED"), "{words:?}: {read}");
    }
}

#[test]
fn names_that_look_like_options_are_seen() {
    let folder = workspace();
    let cages = Cages::new(Settings::default());
    let probe = Probe::new(&cages);
    let sees = |folder: &Path| probe.may_hold_dashed_names(folder);
    std::fs::write(folder.path().join("a-b"), "").unwrap();
    assert!(!sees(folder.path()));
    assert!(!sees(&folder.path().join("missing")));
    assert!(sees(&folder.path().join("a-b")), "what is no folder cannot be looked through");
    std::fs::write(folder.path().join("-o"), "").unwrap();
    assert!(sees(folder.path()));
}
