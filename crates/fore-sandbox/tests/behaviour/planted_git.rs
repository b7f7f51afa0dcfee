//! What a command in a writable workspace cannot make git obey later: new repositories, pointers between git folders, and work that
//! git has stopped in the middle of.

use crate::permitted::RunTyped;
use crate::workspaces::workspace;
use fore_plan::{Cage, Outside};
use fore_sandbox::{CageError, CageSettings, Cages, Job, JobCommand, RequiredBuild, RunOutcome};
use std::path::{Path, PathBuf};

const WORKSPACE: Cage = Cage::Workspace { outside: Outside::Closed };
const COMMITS: &str = "git init -q .; git config user.name a; git config user.email b
    for n in one two three; do echo $n > $n; git add .; git commit -qm $n; done";

fn outside(text: &str, folder: &Path) {
    let made = std::process::Command::new("bash").args(["-ec", text]).current_dir(folder).output().unwrap();
    assert!(made.status.success(), "{text}: {}", String::from_utf8_lossy(&made.stderr));
}

fn tried(text: &str, folder: &Path) -> Result<RunOutcome, CageError> {
    let setup = Some(env!("CARGO_BIN_EXE_fore-cage-setup").into());
    let settings = CageSettings { setup, required_build: RequiredBuild::Full, ..crate::permitted::usual_settings() };
    Cages::new(settings, &fore_commands::CATALOGUE)
        .run_typed(&WORKSPACE, Job::new(JobCommand::Script(text.to_owned()), folder))
}

/// Runs a command in a project that a script has made, and says what of it was put aside.
fn put_aside(prepared: &str, text: &str) -> Vec<String> {
    let folder = workspace();
    outside(prepared, folder.path());
    let outcome = tried(text, folder.path()).unwrap();
    let (ending, appeared) = (outcome.ending, &outcome.appeared);
    assert!(outcome.status.success(), "{text}: {ending:?} {appeared:?}, {}", outcome.stderr.text());
    let inside = |path: &PathBuf| path.strip_prefix(folder.path()).unwrap().to_str().unwrap().to_owned();
    outcome.put_aside.iter().map(inside).collect()
}

#[test]
fn a_new_repository_is_put_aside_unless_its_settings_are_known_to_be_harmless() {
    let page = [
        (
            "head -c 5000000 /dev/zero | tr '\\0' '#' >> n/.git/config; printf '\\n[core]\\n\\tfsmonitor = ./x\\n' >> n/.git/config",
            true,
        ),
        ("printf '\\357\\273\\277[core]\\n\\tfsmonitor = ./x\\n' > n/.git/config", true),
        ("printf '[core]\\r\\n\\tfsmonitor = ./x\\r\\n' >> n/.git/config", true),
        ("git -C n config gc.recentObjectsHook ./x", true),
        ("git -C n config imap.tunnel ./x", true),
        ("git -C n config lfs.customtransfer.x.path ./x", true),
        ("git -C n config core.worktree /elsewhere", true),
        ("git -C n config core.attributesFile ./x", true),
        ("git -C n config unheard.of x", true),
        ("git -C n remote add origin https://example.com/x.git; git -C n config branch.main.remote origin", false),
        ("git -C n config user.name 'a # b'; git -C n config pull.rebase true; git -C n sparse-checkout init", false),
    ];
    for (text, is_planted) in page {
        let expected = if is_planted { vec!["n/.git/config".to_owned()] } else { Vec::new() };
        assert_eq!(put_aside("true", &format!("git init -q n; {text}")), expected, "{text}");
    }
}

#[test]
fn submodules_work_trees_and_clones_stay() {
    let prepared = format!("mkdir lib; (cd lib; {COMMITS}); {COMMITS}");
    let text = "set -e; git init -q top; cd top; git config user.name a; git config user.email b
        git -c protocol.file.allow=always submodule add -q ../lib deps/lib; git commit -qm one; cd ..
        git -c protocol.file.allow=always clone -q --recurse-submodules top copy; git -C copy status --short
        git -C copy worktree add -q ../tree; git -C copy branch --set-upstream-to=origin/HEAD";
    // The list of submodules is what a person puts under version control, and is looked at by them.
    let found: Vec<String> =
        put_aside(&prepared, text).into_iter().filter(|path| !path.ends_with(".gitmodules")).collect();
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_pointer_that_git_would_not_write_is_put_aside_with_what_it_leads_to() {
    let tree = "mkdir -p .git/worktrees/s tree; echo 'ref: refs/heads/x' > .git/worktrees/s/HEAD
        echo \"$PWD/tree/.git\" > .git/worktrees/s/gitdir; echo \"gitdir: $PWD/.git/worktrees/s\" > tree/.git";
    let armed = "printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = ./x\\n'";
    let page = [
        (
            format!("{tree}; d='.git/worktrees/.. '; mkdir -p \"$d/objects\" \"$d/refs\"; {armed} > \"$d/config\"; printf '../.. \\n' > .git/worktrees/s/commondir"),
            vec![".git/worktrees/.. /config", ".git/worktrees/s/commondir"],
        ),
        (
            format!("{tree}; mkdir -p .git/worktrees/s/'..\n' .git/evil; {armed} > .git/evil/config; printf '../..\\n/../../evil' > .git/worktrees/s/commondir
                mkdir -p .git/worktrees/'..\n'"),
            vec![".git/evil/config", ".git/worktrees/s/commondir"],
        ),
        ("git init -q real; mkdir tree; printf 'gitdir: ../real/.git ' > tree/.git".to_owned(), vec!["tree/.git"]),
        (format!("{tree}; echo ../.. > .git/worktrees/s/commondir"), vec![]),
    ];
    for (text, expected) in page {
        assert_eq!(put_aside("git init -q .", &text), expected, "{text}");
    }
}

#[test]
fn a_rebase_that_was_stopped_carries_no_commands_out_of_the_cage() {
    let edit = "git -c sequence.editor='sed -i 1s/^pick/edit/' rebase -q -i HEAD~2";
    let todo = ".git/rebase-merge/git-rebase-todo";
    let begun = format!("{COMMITS}; {edit}");
    let with_own = format!("{begun}; echo 'exec true' >> {todo}");
    let page = [
        // Ordinary work: begun here, gone on with, given up, with the person's own commands.
        (COMMITS, edit.to_owned(), vec![]),
        (&begun, "GIT_EDITOR=true git rebase --continue; test ! -d .git/rebase-merge".to_owned(), vec![]),
        (&begun, "git rebase --abort".to_owned(), vec![]),
        (&with_own, "git status --short".to_owned(), vec![]),
        (&with_own, "GIT_EDITOR=true git rebase --continue".to_owned(), vec![]),
        // Commands that came to it.
        (COMMITS, format!("{edit}; sed -i '1i exec touch x' {todo}"), vec![todo]),
        (COMMITS, format!("{edit}; printf '\\tx\\ttouch x\\n' >> {todo}"), vec![todo]),
        (&begun, format!("echo 'exec touch x' >> {todo}"), vec![todo]),
        (&with_own, format!("sed -i 's/exec true/exec touch x/' {todo}"), vec![todo]),
        (&begun, "echo evil > .git/rebase-merge/strategy".to_owned(), vec![".git/rebase-merge/strategy"]),
    ];
    for (prepared, text, expected) in page {
        assert_eq!(put_aside(prepared, &text), expected, "{prepared}\n{text}");
    }
}

#[test]
fn settings_that_cannot_be_read_to_their_end_keep_a_workspace_from_being_written() {
    let folder = workspace();
    outside("git init -q .; head -c 5000000 /dev/zero | tr '\\0' '#' >> .git/config", folder.path());
    let error = tried("touch new", folder.path()).unwrap_err().to_string();
    assert!(error.contains("cannot be read to its end"), "{error}");
    assert!(!folder.path().join("new").exists());
}

#[test]
fn a_workspace_below_a_name_that_gives_orders_is_held_as_from_above() {
    let folder = workspace();
    outside(
        "git init -q .; mkdir -p .github/workflows .vscode .vscode/own; echo good > .github/workflows/a.yml; git init -q .vscode/own",
        folder.path(),
    );
    let github = folder.path().join(".github");
    let outcome =
        tried("echo evil > workflows/a.yml; echo fine > CODEOWNERS; mkdir instructions; ls", &github).unwrap();
    assert_eq!(outcome.put_aside, [github.join("instructions")]);
    assert_eq!(std::fs::read_to_string(github.join("workflows/a.yml")).unwrap(), "good\n");
    for inside in [".vscode", ".git", ".git/hooks"] {
        let error = tried("touch new", &folder.path().join(inside)).unwrap_err().to_string();
        assert!(error.contains("start in the folder above"), "{inside}: {error}");
    }
    // A repository of its own is a project.
    assert!(tried("touch new", &folder.path().join(".vscode/own")).unwrap().status.success());
}
