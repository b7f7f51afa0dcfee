//! What a command in a writable workspace plants while it runs, beside another one, or by ways that are not names: none of it works.

use crate::permitted::{RunTyped, permit};
use crate::workspaces::{Workspace, workspace};
use fore_plan::{
    Cage, Outside, ToolName,
    gate::{Action, FileTarget},
};
use fore_sandbox::edit::{self, WriteOptions};
use fore_sandbox::{CageSettings, Cages, Ending, Job, JobCommand, RequiredBuild, RunOutcome};
use std::path::{Path, PathBuf};

const WORKSPACE: Cage = Cage::Workspace { outside: Outside::Closed };
const SETUP: &str = env!("CARGO_BIN_EXE_fore-cage-setup");

fn settings() -> CageSettings {
    CageSettings {
        setup: Some(SETUP.into()),
        required_build: RequiredBuild::Full,
        ..crate::permitted::usual_settings()
    }
}

fn run(text: &str, workspace: &Path) -> RunOutcome {
    Cages::new(settings(), &fore_commands::CATALOGUE)
        .run_typed(&WORKSPACE, Job::new(JobCommand::Script(text.to_owned()), workspace))
        .unwrap()
}

/// A project that a script has made.
fn prepared(script: &str) -> Workspace {
    let folder = workspace();
    let made = std::process::Command::new("bash").args(["-ec", script]).current_dir(folder.path()).output().unwrap();
    assert!(made.status.success(), "{script}: {}", String::from_utf8_lossy(&made.stderr));
    folder
}

fn is_there(folder: &Path, name: &str) -> bool {
    folder.join(name).symlink_metadata().is_ok()
}

/// Waits for a file that a command makes.
fn comes(path: &Path) -> bool {
    (0..12_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        path.exists()
    })
}

#[test]
fn no_name_is_too_long_to_get_another() {
    let folder = workspace();
    let long = format!("{}.code-workspace", "a".repeat(240));
    let outcome = run(&format!("echo '{{}}' > {long}; mkdir sub; echo x > sub/{long}"), folder.path());
    assert_eq!(outcome.put_aside, [folder.path().join(&long), folder.path().join("sub").join(&long)]);
    assert!(!is_there(folder.path(), &long) && outcome.left_planted.is_empty() && outcome.removed.is_empty());
}

#[test]
fn what_is_planted_is_put_aside_while_the_command_runs() {
    let folder = prepared("git init -q .; rm -rf .git/hooks");
    let until_gone = "gone() { for i in {1..1000}; do [ -e $1 ] || { echo $1 gone; return; }; sleep 0.02; done; }";
    let text = format!(
        "{until_gone}; mkdir .git/hooks; echo evil > .git/hooks/pre-commit; gone .git/hooks
         mkdir .vscode; echo evil > .vscode/tasks.json; echo evil > CLAUDE.md; gone .vscode; gone CLAUDE.md"
    );
    let outcome = run(&text, folder.path());
    assert_eq!(outcome.stdout.text(), ".git/hooks gone\n.vscode gone\nCLAUDE.md gone\n", "{}", outcome.stderr.text());
    let expected = [".git/hooks", ".vscode", "CLAUDE.md"].map(|name| folder.path().join(name));
    assert_eq!((outcome.put_aside, outcome.ending), (expected.to_vec(), Ending::Itself));
}

#[test]
fn a_command_that_plants_again_and_again_is_ended() {
    let folder = prepared("git init -q .; rm -rf .git/hooks");
    let outcome = run("while :; do mkdir -p .git/hooks; sleep 0.01; done 2>/dev/null", folder.path());
    assert_eq!(outcome.ending, Ending::Planting);
    assert_eq!(outcome.put_aside, [folder.path().join(".git/hooks")]);
    assert!(!is_there(folder.path(), ".git/hooks"));
}

#[test]
fn what_brings_such_files_along_is_not_disturbed_while_it_works() {
    let folder = prepared(
        "mkdir origin; cd origin; git init -q .; git config user.name a; git config user.email b
         mkdir -p .vscode .github/workflows pkg/.claude; for i in {1..50}; do echo $i > .vscode/$i; echo $i > pkg/.claude/$i; done
         echo x > CLAUDE.md; git add .; git commit -qm one",
    );
    let text = "set -e; git clone -q origin copy; git -C copy status --short; git -C origin worktree add -q ../tree; git -C tree status --short
        git init -q new; git init -q --bare bare; for i in {1..20}; do git -C origin worktree add -q ../tree$i; done; echo done";
    let outcome = run(text, folder.path());
    assert_eq!((outcome.stdout.text().as_str(), outcome.status.code()), ("done\n", 0), "{}", outcome.stderr.text());
    let is_of_git = |path: &&PathBuf| path.iter().any(|part| part == ".git");
    assert_eq!(outcome.put_aside.iter().find(is_of_git), None);
    assert!(is_there(folder.path(), "tree20/.git") && !is_there(folder.path(), "copy/.vscode"));
}

#[test]
fn runs_that_overlap_know_nothing_that_came_since_the_first_began() {
    let folder = prepared("git init -q .; rm -rf .git/hooks; echo good > CLAUDE.md");
    let cages = Cages::new(settings(), &fore_commands::CATALOGUE);
    let run =
        |text: &str| cages.run_typed(&WORKSPACE, Job::new(JobCommand::Script(text.to_owned()), folder.path())).unwrap();
    let wait = "until_() { for i in {1..1500}; do eval \"$1\" && return; sleep 0.02; done; exit 7; }";
    let (bait, second) = std::thread::scope(|scope| {
        let bait =
            scope.spawn(|| run(&format!("{wait}; mkdir .vscode; echo x > .idea; touch first; until_ '[ -e second ]'")));
        assert!(comes(&folder.path().join("first")));
        let second = run(&format!(
            "{wait}; touch second; until_ '! [ -e .vscode ]'; mkdir .vscode .git/hooks; echo evil > .vscode/tasks.json
             echo evil > .git/hooks/pre-commit; echo evil > CLAUDE.md; true"
        ));
        (bait.join().unwrap(), second)
    });
    assert_eq!((bait.status.code(), second.status.code()), (0, 0), "{}", second.stderr.text());
    for name in [".vscode", ".idea", ".git/hooks"] {
        assert!(!is_there(folder.path(), name), "{name}: {:?} {:?}", bait.put_aside, second.put_aside);
    }
    assert!(second.put_aside.contains(&folder.path().join(".vscode")), "{:?}", second.put_aside);
    assert_eq!(std::fs::read_to_string(folder.path().join("CLAUDE.md")).unwrap(), "good\n");
}

#[test]
fn what_the_person_lets_the_model_write_meanwhile_is_nobodys_plant() {
    let folder = workspace();
    let top = folder.path().canonicalize().unwrap();
    let write = |name: &str| {
        let real = top.join(name).display().to_string();
        let target = FileTarget { asked: real.clone(), real, is_link: false, names: 1 };
        let permit = permit(Action::Edit { tool: ToolName::Write, target }, Cage::Free);
        edit::write(permit, b"approved", WriteOptions { make_folders: true, ..WriteOptions::default() }).unwrap();
    };
    // The last one is changed by the command afterwards.
    let names = ["CLAUDE.md", ".github/workflows/ci.yml", ".idea/x", ".envrc"];
    let outcome = std::thread::scope(|scope| {
        let text =
            "touch first; for i in {1..1500}; do [ -e go ] && break; sleep 0.02; done; echo evil > .envrc; mkdir .zed";
        let running = scope.spawn(|| run(text, &top));
        assert!(comes(&top.join("first")));
        names.iter().for_each(|name| write(name));
        std::fs::write(top.join("go"), "").unwrap();
        running.join().unwrap()
    });
    assert_eq!(outcome.put_aside, [top.join(".envrc"), top.join(".zed")], "{}", outcome.stderr.text());
    assert!(names.iter().take(3).all(|name| is_there(&top, name)));
}

#[test]
fn a_file_that_gives_orders_is_held_under_all_its_names() {
    let folder = prepared(
        "git init -q .; mkdir .vscode docs .git/hooks -p; echo good > .vscode/tasks.json; ln .vscode/tasks.json docs/x.json
         echo good > .git/hooks/pre-commit; ln .git/hooks/pre-commit hook; ln .git/config docs/config; echo good > CLAUDE.md
         mkdir -p .git/objects/aa; ln CLAUDE.md .git/objects/aa/bb; echo plain > one; ln one two",
    );
    let text = "for f in docs/x.json hook docs/config .git/objects/aa/bb; do echo evil >> $f; done 2>/dev/null; mv docs d 2>/dev/null
        echo more >> two; cat one; grep -rl evil . | wc -l";
    let outcome = run(text, folder.path());
    assert_eq!(outcome.stdout.text(), "plain\nmore\n0\n", "{}", outcome.stderr.text());
    assert!(outcome.put_aside.is_empty(), "{:?}", outcome.put_aside);
}

#[test]
fn a_program_of_the_project_does_not_stand_in_for_one_of_the_machine() {
    let folder = prepared(
        "mkdir -p .venv/bin; ln -s /bin/sh .venv/bin/sh; for p in black ls; do echo good > .venv/bin/$p; done",
    );
    let top = folder.path().canonicalize().unwrap();
    let path = [top.join(".venv/bin"), "node_modules/.bin".into(), "/usr/bin".into(), "/bin".into()].to_vec();
    let text = "cd .venv/bin; echo evil > git; echo evil > ls; rm -f ls sh; echo evil > sh; echo new > black; echo new > flake9
        ln -s /usr/bin/env cat; ln -s /usr/bin/env env; mkdir -p ../../node_modules/.bin; echo evil > ../../node_modules/.bin/cp; true";
    let job = Job::new(JobCommand::Script(text.into()), &top);
    let outcome =
        Cages::new(CageSettings { path, ..settings() }, &fore_commands::CATALOGUE).run_typed(&WORKSPACE, job).unwrap();
    let expected =
        [".venv/bin/cat", ".venv/bin/git", ".venv/bin/sh", "node_modules/.bin/cp"].map(|path| top.join(path));
    assert_eq!(outcome.put_aside, expected, "{}", outcome.stderr.text());
    let read = |name: &str| std::fs::read_to_string(top.join(".venv/bin").join(name)).unwrap();
    assert_eq!((read("ls").as_str(), read("black").as_str(), read("flake9").as_str()), ("good\n", "new\n", "new\n"));
    assert!(is_there(&top, ".venv/bin/env"));
}

#[test]
fn a_link_into_what_is_passed_over_makes_it_count() {
    let folder = prepared("mkdir -p target/old/.idea; echo good > target/old/.idea/x; ln -s target/old old");
    let text = "mkdir -p node_modules/app/.claude node_modules/other/.claude; echo x > node_modules/app/.envrc; ln -s node_modules/app app
        echo evil > target/old/.idea/x; ln -s ../node_modules/other node_modules/app/inner; true";
    let outcome = run(text, folder.path());
    let expected = ["node_modules/app/.claude", "node_modules/app/.envrc"].map(|path| folder.path().join(path));
    assert_eq!(outcome.put_aside, expected, "{}", outcome.stderr.text());
    assert!(is_there(folder.path(), "node_modules/other/.claude") && is_there(folder.path(), "app"));
    assert_eq!(std::fs::read_to_string(folder.path().join("old/.idea/x")).unwrap(), "good\n");
}

#[test]
fn the_scripts_that_a_hook_starts_are_held() {
    let folder = prepared(
        "git init -q .; mkdir -p scripts src .git/hooks; echo good > scripts/check.sh; echo good > src/main.rs
         printf '#!/bin/sh\\nsh ./scripts/later.sh\\nexec ./scripts/check.sh src/main.rs src/\\n' > .git/hooks/pre-commit",
    );
    let text = "echo evil > scripts/check.sh; mv scripts s; echo evil > scripts/later.sh; echo new > src/main.rs; echo new > src/lib.rs; true";
    let outcome = run(text, folder.path());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!((read("scripts/check.sh").as_str(), read("src/main.rs").as_str()), ("good\n", "new\n"));
    assert_eq!(outcome.put_aside, [folder.path().join("scripts/later.sh")], "{}", outcome.stderr.text());
}
