//! What a command in a writable workspace cannot leave behind: files that run later, outside, and names that make a report useless.

use crate::permitted::RunTyped;
use crate::workspaces::{is_root, workspace};
use fore_plan::{
    Cage, Outside,
    orders::{GIT_ORDERS, GIVES_ORDERS},
};
use fore_sandbox::{CageSettings, Cages, Job, JobCommand, RequiredBuild, RunLimits, RunOutcome, Status};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const WORKSPACE: Cage = Cage::Workspace { outside: Outside::Closed };
const SETUP: &str = env!("CARGO_BIN_EXE_fore-cage-setup");

fn run(setup: &Path, cage: Cage, text: &str, workspace: &Path) -> RunOutcome {
    let settings = CageSettings {
        setup: Some(setup.into()),
        required_build: RequiredBuild::Full,
        ..crate::permitted::usual_settings()
    };
    Cages::new(settings, &fore_commands::CATALOGUE)
        .run_typed(&cage, Job::new(JobCommand::Script(text.to_owned()), workspace))
        .unwrap()
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
    for part in ["hooks", "objects", "refs"] {
        std::fs::create_dir_all(git.join("modules/sub").join(part)).unwrap();
    }
    std::fs::write(git.join("modules/sub/HEAD"), "ref: refs/heads/x").unwrap();
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
    let text = "mkdir -p .git/hooks; printf '[core]\n\tbare = false\n' > .git/config";
    assert!(run(Path::new(SETUP), WORKSPACE, text, folder.path()).status.success());
    assert_eq!(names(&folder.path().join(".git")), ["config", "hooks"]);
}

/// What gives orders, with the parts of `.git` instead of the whole.
fn orders() -> Vec<String> {
    let whole = GIVES_ORDERS.iter().filter(|order| **order != ".git");
    let whole = whole.map(|order| order.trim_start_matches('/').replace('*', "any"));
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
    let expected: BTreeSet<PathBuf> = paths.iter().map(|path| folder.path().join(path)).collect();
    // What lay elsewhere for a while was put aside there.
    let is_elsewhere = |path: &PathBuf| path.starts_with(folder.path().join("elsewhere"));
    let put_aside: BTreeSet<PathBuf> = outcome.put_aside.into_iter().filter(|path| !is_elsewhere(path)).collect();
    assert_eq!(put_aside.difference(&expected).collect::<Vec<_>>(), Vec::<&PathBuf>::new());
    // A few were moved away again by what came after them.
    assert!(put_aside.len() + 5 > expected.len(), "{put_aside:?}");
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
    for name in ["copy", "tool"] {
        let file = folder.path().join(name);
        let runs_as_owner = file.metadata().unwrap().permissions().mode() & 0o7000 != 0;
        // Root's cages hold it as it is.
        let is_held = name == "tool" && is_root() && std::fs::read_to_string(&file).unwrap() == "good";
        assert_eq!(runs_as_owner, is_held, "{name}: {}", outcome.stderr.text());
    }
}

#[test]
fn a_file_that_runs_as_root_is_held_wherever_it_came_from() {
    use std::os::unix::fs::PermissionsExt;
    if !is_root() {
        return;
    }
    let folder = workspace();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let cages = Cages::new(
        CageSettings { setup: Some(SETUP.into()), ..crate::permitted::usual_settings() },
        &fore_commands::CATALOGUE,
    );
    // One was there before the first run; one comes later; one is no longer what it was.
    for (name, mode) in [("sub/first", 0o4755), ("second", 0o2755), ("third", 0o755)] {
        let file = folder.path().join(name);
        std::fs::write(&file, "good").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let text = "for f in sub/first second third; do echo evil > $f; mv $f away; done; mv sub s; true";
        cages.run_typed(&WORKSPACE, Job::new(JobCommand::Script(text.into()), folder.path())).unwrap();
        let is_good = std::fs::read_to_string(&file).is_ok_and(|text| text == "good");
        assert_eq!((is_good, name), (mode != 0o755, name));
    }
    for name in ["sub/first", "second"] {
        assert_eq!(std::fs::read_to_string(folder.path().join(name)).unwrap(), "good", "{name}");
    }
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

/// Runs a command in a project that a script has made, and says what of `planted` is left under its name.
fn left_of(prepared: &str, text: &str, planted: &[&str]) -> (Vec<String>, RunOutcome) {
    let folder = workspace();
    let made = std::process::Command::new("bash").args(["-ec", prepared]).current_dir(folder.path()).output().unwrap();
    assert!(made.status.success(), "{prepared}: {}", String::from_utf8_lossy(&made.stderr));
    let outcome = run(Path::new(SETUP), WORKSPACE, text, folder.path());
    let holds_evil = |path: &&&str| {
        let found = std::process::Command::new("grep").args(["-rqs", "evil"]).arg(folder.path().join(path)).status();
        found.unwrap().success()
    };
    let left = planted.iter().filter(holds_evil).map(|path| (*path).to_owned()).collect();
    // The folder of a closed test must be removable.
    let _ = std::process::Command::new("chmod").args(["-R", "u+rwX"]).arg(folder.path()).status();
    (left, outcome)
}

#[test]
fn where_hooks_and_settings_of_git_lead_stays_as_it_is() {
    let page = [
        // Hooks that are links, to a file, through a link, and to one that is not there yet.
        (
            "git init -q .; mkdir -p tools .git/hooks; echo good > tools/check; ln -s ../../tools/check .git/hooks/pre-commit
             ln -s tools other; ln -s ../../other/check .git/hooks/pre-push; ln -s ../../new/x .git/hooks/post-commit",
            "echo evil > tools/check; rm tools/check; mv tools t; mkdir -p tools new; echo evil > tools/check
             echo evil > new/x; mkdir o; echo evil > o/check; rm other; ln -s o other; true",
            &["tools/check", "new/x", "other/check"][..],
        ),
        // A folder of hooks in the project, there and not there.
        (
            "git init -q .; git config core.hooksPath scripts/hooks; mkdir -p scripts/hooks; echo good > scripts/hooks/pre-commit",
            "echo evil > scripts/hooks/pre-commit; echo evil > scripts/hooks/post-checkout; mv scripts s; mkdir -p scripts/hooks
             echo evil > scripts/hooks/pre-push; true",
            &["scripts/hooks"],
        ),
        (
            "git init -q .; git config core.hooksPath build/hooks",
            "mkdir -p build/hooks; echo evil > build/hooks/pre-commit",
            &["build/hooks"],
        ),
        // Settings that are included, drivers and helpers.
        (
            "git init -q .; git config include.path ../team.config; echo good > team.config; git config --add include.path ../later",
            "echo evil > team.config; rm -f team.config; echo evil > team.config; echo evil > later; true",
            &["team.config", "later"],
        ),
        (
            "git init -q .; mkdir tools; echo good > tools/clean.sh; git config filter.x.clean 'sh tools/clean.sh %f'
             git config core.fsmonitor ./watch.sh; git config diff.y.textconv \"'$PWD/show'\"; echo good > show",
            "echo evil > tools/clean.sh; mv tools t; mkdir tools; echo evil > tools/clean.sh; echo evil > watch.sh
             echo evil > show; rm show; true",
            &["tools/clean.sh", "watch.sh", "show"],
        ),
        // A submodule that is made anew, a linked work tree, a file that leads elsewhere.
        (
            "git init -q .; mkdir -p .git/modules/a/hooks .git/modules/a/objects .git/modules/a/refs sub; echo good > .git/modules/a/config
             echo 'gitdir: ../.git/modules/a' > sub/.git; echo 'ref: refs/heads/x' > .git/modules/a/HEAD",
            "echo evil > .git/modules/a/config; echo evil > .git/modules/a/hooks/x; mkdir -p .git/modules/b/hooks .git/modules/b/objects .git/modules/b/refs
             echo evil > .git/modules/b/hooks/x; echo 'ref: refs/heads/x' > .git/modules/b/HEAD; rm -f sub/.git; echo 'gitdir: evil' > sub/.git; true",
            &[".git/modules/a", ".git/modules/b/hooks", "sub/.git"],
        ),
    ];
    for (prepared, text, planted) in page {
        let (left, outcome) = left_of(prepared, text, planted);
        assert_eq!(left, Vec::<String>::new(), "{prepared}\n{text}\n{}", outcome.stderr.text());
    }
}

#[test]
fn repositories_that_are_made_anywhere_obey_nobody() {
    let page = [
        ("git init -q src/new; echo evil > src/new/.git/hooks/post-checkout", &["src/new/.git/hooks"][..]),
        ("git init -q src/new; git -C src/new config core.fsmonitor ./evil", &["src/new/.git/config"]),
        ("git init -q --bare target/debug; git -C target/debug config core.fsmonitor ./evil", &["target/debug/config"]),
        ("git init -q --bare node_modules/x; echo evil > node_modules/x/hooks/x", &["node_modules/x/hooks"]),
        // By hand, in two steps and through another folder.
        (
            "mkdir -p a/objects a/refs; echo 'ref: refs/heads/x' > a/HEAD; echo '[core] sshCommand = evil' > a/config",
            &["a/config"],
        ),
        (
            "git init -q real; mkdir b; cp real/.git/HEAD b; echo ../o > b/commondir; mkdir o; echo '[core] pager = evil' > o/config",
            &["o/config"],
        ),
        ("mkdir c o; echo 'gitdir: ../o' > c/.git; echo '[alias] st = !evil' > o/config", &["o/config"]),
        ("mkdir d; echo 'gitdir: /var/tmp/evil' > d/.git", &["d/.git"]),
        (
            "git init -q e; echo evil > e/.git/config.worktree; git -C e config extensions.worktreeConfig true
          echo '[core] pager = evil' > e/.git/config.worktree",
            &["e/.git/config.worktree"],
        ),
    ];
    for (text, planted) in page {
        let (left, outcome) = left_of("true", text, planted);
        assert_eq!(left, Vec::<String>::new(), "{text}: {}", outcome.stderr.text());
        assert_eq!(outcome.put_aside.len(), planted.len(), "{text}: {:?}", outcome.put_aside);
    }
}

#[test]
fn git_goes_on_making_repositories_work_trees_and_clones() {
    let prepared = "git init -q .; git config user.name a; git config user.email b; echo one > file; git add .; git commit -qm one";
    let text = "set -e; git init -q inner; git worktree add -q tree; git clone -q . copy; git init -q --bare bare.git; echo x > tree/file
        git -C tree commit -qam two; git -C inner status -s; git -C copy log --oneline | wc -l; git -C bare.git rev-parse --is-bare-repository";
    let (_, outcome) = left_of(prepared, text, &[]);
    assert_eq!(
        (outcome.stdout.text().as_str(), outcome.put_aside),
        ("1\ntrue\n", Vec::new()),
        "{}",
        outcome.stderr.text()
    );
}

#[test]
fn what_gives_orders_is_found_wherever_it_was_made() {
    let page = [
        ("mkdir -p a/b/.claude; echo evil > a/b/.claude/settings.json", &["a/b/.claude"][..]),
        ("mkdir -p x/.vscode; echo evil > x/.vscode/tasks.json; mv x y", &["y/.vscode"]),
        ("mkdir -p a/.GITHUB a/.github/workflows; echo evil > a/.github/workflows/x.yml", &["a/.github/workflows"]),
        (
            "echo evil > sub.code-workspace; mkdir -p .hg; echo evil > .hg/hgrc; echo evil > .Rprofile",
            &["sub.code-workspace", ".hg/hgrc", ".Rprofile"],
        ),
        // As deep as you like, where nobody can list, and where not even a name can be seen.
        ("d=$(printf 'd/%.0s' {1..60}); mkdir -p $d/.idea; echo evil > $d/.idea/x", &["d"]),
        ("mkdir -p c/.zed; echo evil > c/.zed/x; chmod 111 c", &["c/.zed"]),
        ("mkdir -p c/e/.zed; echo evil > c/e/.zed/x; chmod 500 c/e; chmod 0 c", &["c/e/.zed"]),
        ("mkdir -p c/e/.zed; echo evil > c/e/.zed/x; sleep 0.3; chmod 600 c/e c", &["c/e/.zed"]),
        ("git init -q c; echo evil > c/.git/hooks/post-merge; chmod 0 c/.git", &["c/.git/hooks"]),
        (
            "mkdir -p old/in; chmod 0 old/in; chmod 700 old/in; echo evil > old/in/.envrc; chmod 100 old/in",
            &["old/in/.envrc"],
        ),
        // Built and downloaded things have such files by the thousand, and nobody opens them.
        ("mkdir -p node_modules/x/.vscode target/y/.idea; echo fine > node_modules/x/.vscode/x", &[]),
    ];
    for (text, planted) in page {
        let (left, outcome) = left_of("true", text, planted);
        let put_aside: Vec<bool> = outcome.put_aside.iter().map(|path| path.exists()).collect();
        assert_eq!(put_aside, vec![false; planted.len()], "{text}: {}", outcome.stderr.text());
        let deep = planted == ["d"];
        assert!(deep || left.is_empty(), "{text}: {left:?}");
    }
}

#[test]
fn a_cancelled_or_late_run_keeps_nothing_that_it_planted() {
    let folder = workspace();
    let settings = CageSettings { setup: Some(SETUP.into()), ..crate::permitted::usual_settings() };
    let plant = "mkdir -p .claude sub/.cursor; echo x > .envrc; git init -q new; echo x > new/.git/hooks/post-merge; echo ready; ";
    let ways = [
        ("sleep 100", RunLimits::default(), fore_sandbox::Ending::Cancelled),
        ("setsid sleep 100 & wait", RunLimits::default(), fore_sandbox::Ending::Cancelled),
        (
            "sleep 100",
            RunLimits { time: std::time::Duration::from_secs(1), ..RunLimits::default() },
            fore_sandbox::Ending::Time,
        ),
        ("kill -9 $$", RunLimits::default(), fore_sandbox::Ending::Itself),
        ("while :; do mkdir -p .kiro; rmdir .kiro; done", RunLimits::default(), fore_sandbox::Ending::Cancelled),
    ];
    for (text, limits, ending) in ways {
        let cancel = fore_sandbox::Canceller::default();
        let ready = |_, bytes: &[u8]| {
            if ending == fore_sandbox::Ending::Cancelled && bytes.starts_with(b"ready") {
                cancel.cancel();
            }
        };
        let mut ready = ready;
        let job = Job {
            limits,
            cancel: cancel.clone(),
            on_output: Some(&mut ready),
            ..Job::new(JobCommand::Script(format!("{plant}{text}")), folder.path())
        };
        let outcome = Cages::new(settings.clone(), &fore_commands::CATALOGUE).run_typed(&WORKSPACE, job).unwrap();
        assert_eq!(outcome.ending, ending, "{text}");
        for path in [".claude", "sub/.cursor", ".envrc", "new/.git/hooks", ".kiro"] {
            assert!(!folder.path().join(path).exists(), "{text}: {path}");
        }
        assert!(outcome.put_aside.len() >= 4, "{text}: {:?}", outcome.put_aside);
        std::fs::remove_dir_all(folder.path().join("new")).unwrap();
    }
}

#[test]
fn a_project_with_more_orders_than_can_be_held_is_refused_and_many_are_held() {
    let folder = workspace();
    for number in 0..600 {
        let package = folder.path().join(format!("packages/p{}/q{number}", number % 7));
        std::fs::create_dir_all(&package).unwrap();
        std::fs::write(package.join("CLAUDE.md"), "good").unwrap();
    }
    let text = "for f in packages/*/*/CLAUDE.md; do echo evil > $f; done 2>/dev/null; grep -l good packages/*/*/CLAUDE.md | wc -l";
    let outcome = run(Path::new(SETUP), WORKSPACE, text, folder.path());
    assert_eq!(outcome.stdout.text(), "600\n", "{}", outcome.stderr.text());
    for number in 0..4600 {
        std::fs::write(folder.path().join(format!("packages/p0/q0/{number}.code-workspace")), "x").unwrap();
    }
    let settings = CageSettings { setup: Some(SETUP.into()), ..crate::permitted::usual_settings() };
    let error = Cages::new(settings, &fore_commands::CATALOGUE)
        .run_typed(&WORKSPACE, Job::new(JobCommand::Script("touch new".into()), folder.path()));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("more files that give orders") && error.contains("start in a folder below"), "{error}");
    assert!(!folder.path().join("new").exists());
}

#[test]
fn at_home_the_files_of_the_person_stay_as_they_are() {
    let folder = workspace();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("bin")).unwrap();
    std::fs::write(at(".bashrc"), "good").unwrap();
    let home = Some(folder.path().canonicalize().unwrap());
    let settings = CageSettings { setup: Some(SETUP.into()), home, ..crate::permitted::usual_settings() };
    let text = "echo evil > .bashrc; echo evil > .profile; echo evil > bin/ls; mkdir -p .config/autostart .ssh .local/bin; echo evil > .config/autostart/x.desktop
        echo evil > .ssh/authorized_keys; echo evil > .local/bin/git; mkdir -p .config/app; echo fine > .config/app/x";
    let job = Job::new(JobCommand::Script(text.into()), folder.path());
    let outcome = Cages::new(settings, &fore_commands::CATALOGUE).run_typed(&WORKSPACE, job).unwrap();
    assert_eq!(std::fs::read_to_string(at(".bashrc")).unwrap(), "good");
    for path in [".profile", "bin/ls", ".config/autostart", ".ssh", ".local/bin"] {
        assert!(!at(path).exists(), "{path}: {}", outcome.stderr.text());
    }
    assert!(at(".config/app/x").exists());
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
