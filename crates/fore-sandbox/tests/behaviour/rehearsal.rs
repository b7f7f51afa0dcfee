//! A rehearsal may do anything to the workspace, keeps nothing, and tells what it would have kept.

use crate::permitted::RunTyped;
use crate::workspaces::{is_root, workspace};
use fore_plan::{Cage, Outside};
use fore_sandbox::{
    CageError, CageSettings, Cages, ChangeKind, ChangedEntry, Job, JobCommand, Layer, RehearsalReport, RequiredBuild,
    RunOutcome,
};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

fn cages() -> Cages {
    Cages::new(
        CageSettings {
            setup: Some(env!("CARGO_BIN_EXE_fore-cage-setup").into()),
            required_build: RequiredBuild::Full,
            ..crate::permitted::usual_settings()
        },
        &fore_commands::CATALOGUE,
    )
}

/// Names, modes, times and contents of a whole tree.
fn tree(top: &Path) -> Vec<String> {
    fn add(path: &Path, lines: &mut Vec<String>) {
        let metadata = std::fs::symlink_metadata(path).unwrap();
        let content = if metadata.is_file() { std::fs::read(path).unwrap() } else { Vec::new() };
        lines.push(format!(
            "{} {:o} {}.{} {:?}",
            path.display(),
            metadata.mode(),
            metadata.ctime(),
            metadata.ctime_nsec(),
            content
        ));
        if metadata.is_dir() {
            std::fs::read_dir(path).unwrap().for_each(|entry| add(&entry.unwrap().path(), lines));
        }
    }
    let mut lines = Vec::new();
    add(top, &mut lines);
    lines.sort();
    lines
}

/// Rehearses a script, checks that nothing was kept, and gives what came of it.
fn rehearse(text: &str, workspace: &Path, diff: bool) -> RunOutcome {
    rehearse_with(&cages(), text, workspace, diff)
}

fn rehearse_with(cages: &Cages, text: &str, workspace: &Path, diff: bool) -> RunOutcome {
    let before = tree(workspace);
    let job = Job { diff, ..Job::new(JobCommand::Script(text.to_owned()), workspace) };
    let outcome = cages.run_typed(&Cage::Rehearsal, job).unwrap();
    assert_eq!(tree(workspace), before);
    outcome
}

fn short(report: &RehearsalReport, workspace: &Path) -> Vec<(String, ChangeKind, ChangedEntry)> {
    report
        .changes
        .iter()
        .map(|change| {
            (change.path().strip_prefix(workspace).unwrap().to_str().unwrap().to_owned(), change.kind, change.what)
        })
        .collect()
}

fn expected(list: &[(&str, ChangeKind, ChangedEntry)]) -> Vec<(String, ChangeKind, ChangedEntry)> {
    list.iter().map(|(path, kind, what)| ((*path).to_owned(), *kind, *what)).collect()
}

use ChangeKind::{Changed, Created, Mode, Removed};
use ChangedEntry::{File, Folder, Link};

#[test]
fn every_kind_of_change_is_reported_exactly_and_nothing_is_kept() {
    let folder = workspace();
    let at = |name: &str| folder.path().join(name);
    for name in ["kept", "removed", "replaced", "moved", "gone/deep"] {
        std::fs::create_dir_all(at(name)).unwrap();
        std::fs::write(at(name).join("a"), "a\n").unwrap();
        std::fs::write(at(name).join("b"), "b\n").unwrap();
    }
    for name in ["file", "same", "mode", "delete", "old-name", "becomes-folder"] {
        std::fs::write(at(name), "one\ntwo\n").unwrap();
    }
    std::fs::set_permissions(at("mode"), std::fs::Permissions::from_mode(0o644)).unwrap();
    std::os::unix::fs::symlink("file", at("link")).unwrap();
    let outcome = rehearse(
        "set -e
         echo three >> file; touch same; echo 'one
two' > same; chmod 755 mode; rm delete; mv old-name new-name
         rm -r removed; rm -r replaced; mkdir replaced; echo c > replaced/c; echo a > replaced/a
         rm -r gone; ln -sfn mode link; rm becomes-folder; mkdir -p becomes-folder/x
         mkdir -p made/deeper; echo new > made/deeper/file; echo temp > passing; rm passing; mv moved moved-away",
        folder.path(),
        false,
    );
    assert_eq!((outcome.status.code(), outcome.stderr.text().as_str()), (0, ""));
    let report = outcome.would_change.unwrap();
    assert_eq!(
        short(&report, folder.path()),
        expected(&[
            ("becomes-folder", Created, Folder),
            ("becomes-folder/x", Created, Folder),
            ("delete", Removed, File),
            ("file", Changed, File),
            ("gone", Removed, Folder),
            ("link", Changed, Link),
            ("made", Created, Folder),
            ("made/deeper", Created, Folder),
            ("made/deeper/file", Created, File),
            ("mode", Mode { before: 0o644, after: 0o755 }, File),
            ("moved", Removed, Folder),
            ("moved-away", Created, Folder),
            ("moved-away/a", Created, File),
            ("moved-away/b", Created, File),
            ("new-name", Created, File),
            ("old-name", Removed, File),
            ("removed", Removed, Folder),
            ("replaced/b", Removed, File),
            ("replaced/c", Created, File),
        ])
    );
    assert!(!report.truncated);
}

#[test]
fn a_diff_on_request_shows_both_sides() {
    let folder = workspace();
    std::fs::write(folder.path().join("a"), "one\ntwo\nthree\n").unwrap();
    std::fs::write(folder.path().join("z"), "last\n").unwrap();
    std::fs::write(folder.path().join("binary"), [0, 1]).unwrap();
    let outcome = rehearse("sed -i s/two/2/ a; echo new > b; printf '\\0' > binary; rm z", folder.path(), true);
    let top = folder.path().display();
    let diffs: Vec<Option<String>> =
        outcome.would_change.unwrap().changes.into_iter().map(|change| change.diff).collect();
    assert_eq!(
        diffs,
        [
            Some(format!("--- {top}/a\n+++ {top}/a\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n")),
            Some(format!("--- /dev/null\n+++ {top}/b\n@@ -0,0 +1 @@\n+new\n")),
            None,
            Some(format!("--- {top}/z\n+++ /dev/null\n@@ -1 +0,0 @@\n-last\n")),
        ]
    );
}

#[test]
fn a_build_and_a_commit_work_and_are_dropped() {
    let folder = workspace();
    std::fs::write(folder.path().join("Makefile"), "out: in\n\tcp in out\n").unwrap();
    std::fs::write(folder.path().join("in"), "x\n").unwrap();
    let git = "git -c user.name=a -c user.email=b -c init.defaultBranch=main";
    let outcome = rehearse(
        &format!("make -s && {git} init -q && git add in && {git} commit -qm one && git log --format=%s"),
        folder.path(),
        false,
    );
    assert_eq!((outcome.stdout.text().as_str(), outcome.stderr.text().as_str()), ("one\n", ""));
    let report = outcome.would_change.unwrap();
    let top: Vec<String> =
        short(&report, folder.path()).into_iter().map(|(path, ..)| path).filter(|path| !path.contains('/')).collect();
    assert_eq!(top, [".git", "out"]);
}

#[test]
fn tests_can_listen_on_their_own_loopback_and_not_reach_ours() {
    let folder = workspace();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let text = format!(
        "(echo > /dev/tcp/127.0.0.1/{port}) 2>/dev/null || echo alone
         perl -MIO::Socket::INET -e '$l = IO::Socket::INET->new(Listen => 1, LocalAddr => \"127.0.0.1\") or die; IO::Socket::INET->new(PeerAddr => \"127.0.0.1\", PeerPort => $l->sockport) or die; print \"heard\\n\"'"
    );
    let outcome = rehearse(&text, folder.path(), false);
    assert_eq!((outcome.stdout.text().as_str(), outcome.stderr.text().as_str()), ("alone\nheard\n", ""));
    assert!(listener.accept().is_err());
}

#[test]
fn caches_seem_to_change_and_are_only_counted() {
    let (folder, home) = (workspace(), workspace());
    std::fs::create_dir_all(home.path().join(".cache/tool")).unwrap();
    let before = tree(home.path());
    let cages = Cages::new(
        CageSettings { home: Some(home.path().to_owned()), ..cages().settings().clone() },
        &fore_commands::CATALOGUE,
    );
    let text =
        format!("cd {} && echo x > .cache/tool/hit && cat .cache/tool/hit; touch elsewhere", home.path().display());
    let outcome = rehearse_with(&cages, &text, folder.path(), false);
    let report = outcome.would_change.unwrap();
    assert_eq!(
        (outcome.stdout.text().as_str(), report.changes.len(), report.elsewhere, tree(home.path()) == before),
        ("x\n", 0, 1, true)
    );
    assert!(outcome.stderr.text().contains("elsewhere"), "{}", outcome.stderr.text());
}

#[test]
fn a_home_that_is_the_workspace_covers_its_caches_too() {
    let home = workspace();
    std::fs::create_dir(home.path().join(".cache")).unwrap();
    let cages = Cages::new(
        CageSettings { home: Some(home.path().to_owned()), ..cages().settings().clone() },
        &fore_commands::CATALOGUE,
    );
    let outcome = rehearse_with(&cages, "touch .cache/a b", home.path(), false);
    let report = outcome.would_change.unwrap();
    assert_eq!(short(&report, home.path()), expected(&[(".cache/a", Created, File), ("b", Created, File)]));
}

#[test]
fn a_workspace_in_the_temp_folder_or_with_odd_letters_works_as_well() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("a,b:c d\\e=\"f");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("file"), "x\n").unwrap();
    let outcome = rehearse("cat file; echo y > file; pwd > /tmp/fore-rehearsal-note", &folder, false);
    assert_eq!(
        (outcome.stdout.text().as_str(), short(&outcome.would_change.unwrap(), &folder)),
        ("x\n", expected(&[("file", Changed, File)]))
    );
    assert!(!Path::new("/tmp/fore-rehearsal-note").exists());
}

#[test]
fn a_layer_that_is_full_says_so_and_harms_nobody() {
    let folder = workspace();
    let limits = fore_sandbox::RunLimits { layer_bytes: 4 << 20, ..Default::default() };
    let job =
        Job { limits, ..Job::new(JobCommand::Script("head -c 20000000 /dev/zero > big".to_owned()), folder.path()) };
    let outcome = cages().run_typed(&Cage::Rehearsal, job).unwrap();
    assert_eq!((outcome.status.code(), outcome.blocked), (1, vec!["more temp or layer space than this sandbox has"]));
}

#[test]
fn secrets_stay_hidden_in_a_rehearsal() {
    let folder = workspace();
    std::fs::write(folder.path().join(".env"), "TOKEN=1\n").unwrap();
    let outcome = rehearse("cat .env; rm -f .env; mv .env x; ls -A", folder.path(), true);
    assert_eq!((outcome.stdout.text().as_str(), outcome.would_change.unwrap()), (".env\n", RehearsalReport::default()));
}

#[test]
fn a_workspace_with_another_file_system_inside_is_refused_with_the_reason() {
    // Only root can mount for this test; everybody else has no such workspace to protect here.
    if !is_root() {
        return;
    }
    let folder = workspace();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let target = std::ffi::CString::new(inner.as_os_str().as_encoded_bytes()).unwrap();
    // SAFETY: valid C strings; unmounted below.
    assert_eq!(unsafe { libc::mount(c"t".as_ptr(), target.as_ptr(), c"tmpfs".as_ptr(), 0, std::ptr::null(),) }, 0);
    let result =
        cages().run_typed(&Cage::Rehearsal, Job::new(JobCommand::Script("touch ran".to_owned()), folder.path()));
    // SAFETY: unmounts what was mounted above.
    assert_eq!(unsafe { libc::umount(target.as_ptr()) }, 0);
    let reason = format!("{}: another file system is mounted here, inside the workspace", inner.display());
    assert!(
        matches!(&result, Err(CageError::Layer { layer: Layer::Overlay, reason: told, .. }) if *told == reason),
        "{result:?}"
    );
    assert!(!folder.path().join("ran").exists());
}

#[test]
fn root_rehearses_on_the_files_of_somebody_else() {
    if !is_root() {
        return;
    }
    let folder = workspace();
    std::fs::write(folder.path().join("theirs"), "one\n").unwrap();
    for path in [folder.path().to_owned(), folder.path().join("theirs")] {
        std::os::unix::fs::chown(path, Some(65534), Some(65534)).unwrap();
    }
    let script = "echo two > theirs && touch new && chmod 600 theirs && chown 1:1 new && cat theirs";
    let job = Job::new(JobCommand::Script(script.to_owned()), folder.path());
    let outcome = cages().run_typed(&Cage::Rehearsal, job).unwrap();
    assert_eq!((outcome.stdout.text().as_str(), outcome.stderr.text().as_str()), ("two\n", ""));
    assert_eq!(std::fs::read_to_string(folder.path().join("theirs")).unwrap(), "one\n");
    assert!(!folder.path().join("new").exists());
}

#[test]
fn what_is_mounted_or_unmounted_between_two_runs_is_so_in_the_next_and_no_waiting_program_holds_it() {
    // Only root can mount for this test.
    if !is_root() {
        return;
    }
    let folder = workspace();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let target = std::ffi::CString::new(inner.as_os_str().as_encoded_bytes()).unwrap();
    let cages = cages();
    let names = || {
        let job = Job::new(JobCommand::Script("ls inner".to_owned()), folder.path());
        cages.run_typed(&Cage::ReadOnly { outside: Outside::Closed }, job).unwrap().stdout.text()
    };
    // From the second run on the next set-up program waits with mounts of its own.
    for _ in 0..8 {
        assert_eq!(names(), "");
        // SAFETY: valid C strings; unmounted below.
        assert_eq!(unsafe { libc::mount(c"t".as_ptr(), target.as_ptr(), c"tmpfs".as_ptr(), 0, std::ptr::null()) }, 0);
        std::fs::write(inner.join("new"), "").unwrap();
        let (first, second) = (names(), names());
        wait_until("the next set-up program waits", || is_mounted_elsewhere(&inner));
        // SAFETY: unmounts what was mounted above.
        assert_eq!(unsafe { libc::umount(target.as_ptr()) }, 0);
        assert_eq!((first.as_str(), second.as_str()), ("new\n", "new\n"));
        wait_until("nobody holds what was unmounted", || !is_mounted_elsewhere(&inner));
    }
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(120), "waited in vain until {what}");
    }
}

/// Whether somebody with mounts of their own has this one.
fn is_mounted_elsewhere(point: &Path) -> bool {
    let ours = std::fs::read_link("/proc/self/ns/mnt").unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let others = processes.filter(|path| std::fs::read_link(path.join("ns/mnt")).is_ok_and(|other| other != ours));
    let tables = others.filter_map(|path| std::fs::read_to_string(path.join("mountinfo")).ok());
    tables.into_iter().any(|table| table.contains(point.to_str().unwrap()))
}
