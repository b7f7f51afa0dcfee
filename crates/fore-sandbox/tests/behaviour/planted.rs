//! What a command in a writable workspace cannot leave behind: files that run later, outside, and names that make a report useless.

use crate::people::workspace;
use crate::permitted::RunTyped;
use fore_plan::{
    Cage, Outside,
    orders::{GIT_ORDERS, GIVES_ORDERS},
};
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
    assert_eq!(outcome.blocked, ["a file that other programs would obey later, outside; it was given another name"]);
    assert_eq!(outcome.put_aside, [git.join("commondir"), git.join("hooks")]);
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

/// What gives orders, with the parts of `.git` instead of the whole.
fn orders() -> Vec<String> {
    let whole = GIVES_ORDERS.iter().filter(|order| **order != ".git").map(|order| (*order).to_owned());
    whole.chain(GIT_ORDERS.iter().map(|part| format!(".git/{part}"))).collect()
}

/// Tries on every path what a program could do to get its own words there.
fn overwrite(paths: &[String]) -> String {
    let tried = "for p in \"$@\"; do
        mkdir -p \"$(dirname \"$p\")\"; echo evil > \"$p\"; echo evil > \"$p/inner\"; rm -rf \"$p\"; mv \"$p\" away
        mkdir -p \"$p\"; echo evil > \"$p/inner\"; ln -sfn /tmp \"$p\"; echo evil > new; mv -fT new \"$p\"
        d=$(dirname \"$p\"); [ \"$d\" = . ] || { mv \"$d\" elsewhere; mkdir -p \"$d\"; echo evil > \"$p\"; }
        done 2>/dev/null; rm -rf away new elsewhere; true";
    let words: Vec<String> = paths.iter().map(|path| format!("'{path}'")).collect();
    format!("set -- {}; {tried}", words.join(" "))
}

#[test]
fn what_gives_orders_is_read_only_in_a_workspace_cage_at_every_depth() {
    let folder = workspace();
    let mut paths = orders();
    paths.extend(["pkg/web/.claude", "pkg/AGENTS.md", "pkg/.github/workflows", "lib/.git/config"].map(str::to_owned));
    for (number, path) in paths.iter().enumerate() {
        let path = folder.path().join(path);
        // One as a folder, the next as a file.
        if number % 2 == 0 {
            std::fs::create_dir_all(&path).unwrap();
            std::fs::write(path.join("inner"), "good").unwrap();
        } else {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "good").unwrap();
        }
    }
    let outcome = run(Path::new(SETUP), WORKSPACE, &overwrite(&paths), folder.path());
    assert!(outcome.status.success(), "{}", outcome.stderr.text());
    for (number, path) in paths.iter().enumerate() {
        let path = folder.path().join(path);
        let file = if number % 2 == 0 { path.join("inner") } else { path.clone() };
        assert_eq!(std::fs::read_to_string(&file).ok().as_deref(), Some("good"), "{}", path.display());
    }
}

#[test]
fn what_gives_orders_and_was_not_there_gets_another_name() {
    let folder = workspace();
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    std::fs::create_dir(folder.path().join(".github")).unwrap();
    let paths = orders();
    let outcome = run(Path::new(SETUP), WORKSPACE, &overwrite(&paths), folder.path());
    let left: Vec<&String> = paths.iter().filter(|path| folder.path().join(path).symlink_metadata().is_ok()).collect();
    assert_eq!(left, Vec::<&String>::new(), "{}", outcome.stderr.text());
    assert_eq!(outcome.put_aside.len(), paths.len());
}

#[test]
fn a_link_where_orders_are_looked_for_is_put_aside_and_one_that_was_there_holds_its_place() {
    let folder = workspace();
    let at = |name: &str| folder.path().join(name);
    for made in ["conf", "evil", "tools"] {
        std::fs::create_dir(at(made)).unwrap();
    }
    std::fs::write(at("conf/settings.json"), "good").unwrap();
    std::os::unix::fs::symlink("conf", at(".claude")).unwrap();
    std::os::unix::fs::symlink("tools", at(".yarn")).unwrap();
    let text = "echo evil > conf/settings.json; echo evil > .claude/settings.json; mv conf gone
        echo evil > evil/settings.json; ln -sfn evil .claude; echo evil > evil/config.toml; ln -s evil .cargo
        ln -s /etc .vscode; mkdir evil/plugins; ln -sfn evil .yarn; ls; true";
    let outcome = run(Path::new(SETUP), WORKSPACE, text, folder.path());
    assert_eq!(std::fs::read_to_string(at("conf/settings.json")).unwrap(), "good");
    for name in [".claude", ".cargo", ".vscode", ".yarn"] {
        assert!(at(name).symlink_metadata().is_err(), "{name}: {}", outcome.stdout.text());
    }
}

#[test]
fn work_goes_on_as_before_around_what_gives_orders() {
    let folder = workspace();
    let at = |name: &str| folder.path().join(name);
    let text = "set -e; git init -q .; git config user.name a; git config user.email b; echo one > file
        mkdir -p .github/workflows .cargo; echo on: push > .github/workflows/ci.yml; echo > .cargo/config.toml
        echo '{}' > package.json; git add .; git commit -qm one";
    let made = std::process::Command::new("bash").args(["-c", text]).current_dir(folder.path()).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let text = "set -e; echo two >> file; echo '{\"scripts\":{}}' > package.json; mkdir -p node_modules/x .github/other
        echo > .github/other/x; echo > .cargo/other; git add -A; git commit -qm two; git branch side; git checkout -q side
        echo three >> file; git commit -qam three; git checkout -q -; git merge -q side; git stash list; git tag v1
        git gc -q; git status --short; git log --oneline | wc -l";
    let outcome = run(Path::new(SETUP), WORKSPACE, text, folder.path());
    assert_eq!((outcome.stdout.text().as_str(), outcome.status.code()), ("3\n", 0), "{}", outcome.stderr.text());
    assert_eq!((outcome.put_aside, outcome.blocked), (Vec::<PathBuf>::new(), Vec::<&str>::new()));
    assert_eq!(std::fs::read_to_string(at(".github/workflows/ci.yml")).unwrap(), "on: push\n");
}

#[test]
fn a_file_that_runs_as_its_owner_stops_doing_so_once_it_is_written() {
    use std::os::unix::fs::PermissionsExt;
    let folder = workspace();
    let file = folder.path().join("tool");
    std::fs::write(&file, "good").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o4755)).unwrap();
    let outcome =
        run(Path::new(SETUP), WORKSPACE, "echo evil >> tool; chmod 4755 tool; cp -p tool copy", folder.path());
    let modes =
        names(folder.path()).into_iter().map(|name| folder.path().join(name).metadata().unwrap().permissions().mode());
    assert_eq!(modes.map(|mode| mode & 0o7000).collect::<Vec<_>>(), [0, 0], "{}", outcome.stderr.text());
}

#[test]
fn a_new_repository_keeps_no_orders() {
    let page = [
        ("git config user.name x; git remote add origin https://example.com/x", &[][..]),
        ("git config core.fsmonitor ./evil", &[".git/config"]),
        ("git config core.hooksPath evil", &[".git/config"]),
        ("git config include.path ../evil", &[".git/config"]),
        ("git config filter.x.clean ./evil", &[".git/config"]),
        ("mkdir -p .git/hooks; echo > .git/hooks/post-commit", &[".git/hooks"]),
        ("mv .git elsewhere; ln -s elsewhere .git", &[".git"]),
    ];
    for (text, expected) in page {
        let folder = workspace();
        let text = format!("git init -q . && {{ {text}; }} && git status");
        let outcome = run(Path::new(SETUP), WORKSPACE, &text, folder.path());
        let expected: Vec<PathBuf> = expected.iter().map(|path| folder.path().join(path)).collect();
        assert_eq!(outcome.put_aside, expected, "{text}: {}", outcome.stderr.text());
    }
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
