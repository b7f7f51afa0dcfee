//! The probe against real repositories, and git commands that a hostile one cannot turn into programs.

use crate::permitted::RunTyped;
use crate::workspaces::{Workspace, workspace};
use fore_plan::{Cage, Outside};
use fore_sandbox::{CageSettings, Cages, Job, JobCommand, RequiredBuild};
use fore_sandbox::{GitProbe, GitReading};
use fore_shell::{GitFacts, Repositories};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

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

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    command
        .current_dir(folder)
        .args(["-c", "user.name=a", "-c", "user.email=b", "-c", "init.defaultBranch=main"])
        .args(arguments);
    let output = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn repository() -> Workspace {
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
    let probe = GitProbe::new(&cages);
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
    let probe = GitProbe::new(&cages);
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
    let probe = GitProbe::new(&cages);
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
    let probe = GitProbe::new(&cages);
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
    let probe = GitProbe::new(&cages);
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
    let run = |cage: Cage, words: &[&str], git: GitReading| {
        let argv = std::iter::once("git").chain(words.iter().copied()).map(Into::into).collect();
        let outcome =
            cages.run_typed(&cage, Job { git, ..Job::new(JobCommand::Program(argv), folder.path()) }).unwrap();
        outcome.stdout.text() + &outcome.stderr.text()
    };
    let probe = GitProbe::new(&cages);
    assert_eq!(probe.reading(folder.path()).filters, ["x"]);
    for words in
        [&["status", "--short"][..], &["diff"], &["log", "-p"], &["show"], &["blame", "file"], &["ls-files", "-m"]]
    {
        // The control: in the person's own shell the repository's program runs.
        assert!(run(Cage::Free, words, GitReading::default()).contains("OWNED"), "{words:?} is no attack");
        let read = run(Cage::ReadOnly { outside: Outside::Closed }, words, probe.reading(folder.path()));
        assert!(!read.contains("OWNED"), "{words:?}: {read}");
    }
}

#[test]
fn names_that_look_like_options_are_seen() {
    let folder = workspace();
    let cages = Cages::new(crate::permitted::usual_settings(), &fore_commands::CATALOGUE);
    let probe = GitProbe::new(&cages);
    let sees = |folder: &Path| probe.may_hold_dashed_names(folder);
    std::fs::write(folder.path().join("a-b"), "").unwrap();
    assert!(!sees(folder.path()));
    assert!(!sees(&folder.path().join("missing")));
    assert!(sees(&folder.path().join("a-b")), "what is no folder cannot be looked through");
    std::fs::write(folder.path().join("-o"), "").unwrap();
    assert!(sees(folder.path()));
}

/// Settings by which a repository or a person has git start `PROGRAM`; with the command that would, and what must be there for it.
const STARTERS: &[(&str, &str, &str)] = &[
    ("core.fsmonitor", "PROGRAM", "status"),
    ("core.pager", "PROGRAM", "--paginate log"),
    ("pager.log", "PROGRAM", "--paginate log"),
    ("diff.external", "PROGRAM", "diff"),
    ("diff.x.command", "PROGRAM", "diff"),
    ("diff.x.textconv", "PROGRAM", "diff"),
    ("diff.x.textconv", "PROGRAM", "log -p"),
    ("filter.x.clean", "PROGRAM", "status"),
    ("filter.x.process", "PROGRAM", "status"),
    ("filter.x.clean", "PROGRAM", "diff"),
    ("gpg.program", "PROGRAM", "log --show-signature"),
    ("gpg.openpgp.program", "PROGRAM", "verify-commit HEAD"),
    ("log.showSignature", "true", "log"),
    ("format.pretty", "%G? %h", "log"),
    ("core.sshCommand", "PROGRAM", "ls-remote ssh://localhost/x"),
    ("remote.origin.uploadpack", "PROGRAM", "ls-remote origin"),
    ("credential.helper", "!PROGRAM", "credential fill"),
    ("core.askPass", "PROGRAM", "credential fill"),
    ("url.ext::PROGRAM .insteadOf", "ex:", "ls-remote ex:x"),
    ("protocol.ext.allow", "always", "ls-remote ext::PROGRAM"),
    ("core.alternateRefsCommand", "PROGRAM", "fetch --dry-run origin"),
    ("core.editor", "PROGRAM", "var GIT_EDITOR"),
    ("sequence.editor", "PROGRAM", "var GIT_SEQUENCE_EDITOR"),
    ("alias.lg", "!PROGRAM", "lg"),
    ("core.hooksPath", "FOLDER", "status"),
    ("uploadpack.packObjectsHook", "PROGRAM", "ls-remote ."),
    ("trailer.x.cmd", "PROGRAM", "log --format=%(trailers)"),
    ("interactive.diffFilter", "PROGRAM", "diff"),
    ("merge.x.driver", "PROGRAM", "log --remerge-diff"),
    ("status.submoduleSummary", "true", "status"),
    ("submodule.recurse", "true", "grep one"),
    ("hook.x.command", "PROGRAM", "status"),
    ("tar.x.command", "PROGRAM", "archive --format=x HEAD"),
    ("man.x.cmd", "PROGRAM", "status"),
    ("browser.x.cmd", "PROGRAM", "status"),
    ("difftool.x.cmd", "PROGRAM", "diff"),
    ("core.gitProxy", "PROGRAM", "ls-remote git://localhost/x"),
];

/// A repository that has a program and all that makes git look for one: attributes, a signature, a remote, a changed file.
fn armed() -> Workspace {
    let folder = repository();
    let at = |name: &str| folder.path().join(name);
    executable(&at("program"), "#!/bin/sh\necho STARTED >&2; echo STARTED; cat \"$1\" 2>/dev/null\n");
    std::fs::create_dir(at("folder")).unwrap();
    for hook in ["post-index-change", "pre-commit", "fsmonitor-watchman", "reference-transaction"] {
        std::fs::copy(at("program"), at("folder").join(hook)).unwrap();
    }
    std::fs::write(at(".gitattributes"), "file diff=x filter=x merge=x\n").unwrap();
    git(folder.path(), &["remote", "add", "origin", folder.path().to_str().unwrap()]);
    let output = std::process::Command::new("git")
        .current_dir(folder.path())
        .args(["cat-file", "commit", "HEAD"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (head, message) = text.split_once("\n\n").unwrap();
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n xxxx\n -----END PGP SIGNATURE-----";
    std::fs::write(at("commit"), format!("{head}\n{signature}\n\n{message}")).unwrap();
    let id = std::process::Command::new("git")
        .current_dir(folder.path())
        .args(["hash-object", "-t", "commit", "-w", "commit"])
        .output()
        .unwrap();
    git(folder.path(), &["update-ref", "HEAD", String::from_utf8(id.stdout).unwrap().trim()]);
    std::fs::write(at("file"), "two\n").unwrap();
    folder
}

#[test]
fn no_setting_of_a_repository_starts_a_program_in_a_read_only_cage() {
    let cages = cages();
    let folder = armed();
    let full = |text: &str| {
        let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        text.replace("PROGRAM", &at("program")).replace("FOLDER", &at("folder"))
    };
    let config = folder.path().join(".git/config");
    let before = std::fs::read(&config).unwrap();
    for (key, value, command) in STARTERS {
        git(folder.path(), &["config", &full(key), &full(value)]);
        let probe = GitProbe::new(&cages);
        let words = full(command);
        let argv = std::iter::once("git").chain(words.split(' ')).map(Into::into).collect();
        // Drivers have no harmless value, so a command on its own is told on its line not to use them.
        let job = Job { git: probe.reading(folder.path()), ..Job::new(JobCommand::Program(argv), folder.path()) };
        let outcome = cages.run_typed(&Cage::ReadOnly { outside: Outside::Closed }, job).unwrap();
        let said = outcome.stdout.text() + &outcome.stderr.text();
        // What names a program at the person's own command line, or only prints its name, is not a start.
        let is_asked_for = matches!(*key, "alias.lg" | "tar.x.command");
        assert_eq!(said.contains("STARTED"), is_asked_for, "{key} and git {command}: {said}");
        if is_asked_for {
            assert_ne!(fore_shell_kind(&words, &probe.at(folder.path())), fore_shell::CommandKind::Reads, "{key}");
        }
        std::fs::write(&config, &before).unwrap();
    }
}

/// How the judge calls the command in a repository like this.
fn fore_shell_kind(words: &str, facts: &GitFacts) -> fore_shell::CommandKind {
    let facts = fore_shell::ShellFacts {
        catalogue: &fore_commands::CATALOGUE,
        cwd: Path::new("/project"),
        home: None,
        plan_file: None,
        vouched: &[],
        repositories: facts,
    };
    fore_shell::judge(&format!("git {words}"), &facts).kind
}

#[test]
fn a_pipe_among_the_configuration_is_not_waited_for() {
    let cages = cages();
    let folder = repository();
    let pipe = folder.path().join("pipe");
    let name = std::ffi::CString::new(pipe.clone().into_os_string().into_encoded_bytes()).unwrap();
    // SAFETY: a valid C string.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    std::fs::write(folder.path().join(".git/more"), "[include]\n\tpath = ../pipe\n").unwrap();
    std::fs::write(folder.path().join("new"), "").unwrap();
    let config = std::fs::read_to_string(folder.path().join(".git/config")).unwrap();
    for include in ["../pipe", "more"] {
        let config = format!("{config}[include]\n\tpath = {include}\n");
        std::fs::write(folder.path().join(".git/config"), config).unwrap();
        let began = std::time::Instant::now();
        let probe = GitProbe::new(&cages);
        let git = probe.reading(folder.path());
        assert_eq!((git.blank.as_slice(), git.notes.len()), ([pipe.canonicalize().unwrap()].as_slice(), 1));
        let job = Job { git, ..Job::new(JobCommand::Script("git status --short".into()), folder.path()) };
        let outcome = cages.run_typed(&Cage::ReadOnly { outside: Outside::Closed }, job).unwrap();
        assert_eq!((outcome.stdout.text().as_str(), outcome.status.code()), ("?? new\n", 0), "{include}");
        assert!(began.elapsed().as_secs() < 60, "it was waited for");
    }
}

#[test]
fn a_pipe_in_the_place_of_a_file_of_the_repository_is_not_waited_for() {
    let cages = cages();
    let names = [
        ".git/HEAD",
        ".git/index",
        ".git/commondir",
        ".git/config",
        ".git/packed-refs",
        ".git/shallow",
        ".git/info/exclude",
        ".git/info/attributes",
        ".git/objects/info/alternates",
        ".git/objects/pack/multi-pack-index",
        ".git/refs/heads/other",
        ".gitattributes",
        ".gitignore",
        ".gitmodules",
    ];
    for name in names {
        let folder = repository();
        let pipe = folder.path().canonicalize().unwrap().join(name);
        let _ = std::fs::remove_file(&pipe);
        std::fs::create_dir_all(pipe.parent().unwrap()).unwrap();
        let path = std::ffi::CString::new(pipe.clone().into_os_string().into_encoded_bytes()).unwrap();
        // SAFETY: a valid C string.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
        let probe = GitProbe::new(&cages);
        assert_eq!(probe.at(folder.path()), GitFacts::Unprobed, "{name}");
        let reading = probe.reading(folder.path());
        let said = format!("git took {} for empty: it would read it, and it is not an ordinary file", pipe.display());
        assert_eq!(
            (reading.blank.as_slice(), reading.notes.as_slice()),
            ([pipe.clone()].as_slice(), [said].as_slice())
        );
        let work = reading.clone().of_work();
        assert_eq!((&work.blank, &work.notes), (&reading.blank, &reading.notes));
        for (cage, git) in [(Cage::ReadOnly { outside: Outside::Closed }, reading), (Cage::Rehearsal, work)] {
            let limits = fore_sandbox::RunLimits { time: std::time::Duration::from_secs(60), ..Default::default() };
            let text = "git status --short; git branch; git log --oneline";
            let job = Job { git, limits, ..Job::new(JobCommand::Script(text.into()), folder.path()) };
            let outcome = cages.run_typed(&cage, job).unwrap();
            assert_eq!(outcome.ending, fore_sandbox::Ending::Itself, "{name}: {}", outcome.stderr.text());
        }
    }
}

#[test]
fn git_shows_no_setting_that_nobody_made_and_says_what_it_did_not_obey() {
    let cages = cages();
    let folder = repository();
    let list = |git: GitReading| {
        let job = Job {
            git,
            ..Job::new(JobCommand::Script("git config --list --local; git config --list".into()), folder.path())
        };
        cages.run_typed(&Cage::ReadOnly { outside: Outside::Closed }, job).unwrap().stdout.text()
    };
    let local = std::process::Command::new("git")
        .current_dir(folder.path())
        .args(["config", "--list", "--local"])
        .output()
        .unwrap();
    let local = String::from_utf8(local.stdout).unwrap();
    let probe = GitProbe::new(&cages);
    let quiet = probe.reading(folder.path());
    assert_eq!((quiet.overrides.len(), quiet.notes.len()), (0, 0));
    let said = list(quiet);
    assert!(said.starts_with(&local) && said.ends_with(&local), "{said}");
    assert!(!said.contains("fsmonitor"), "{said}");
    git(folder.path(), &["config", "core.fsmonitor", "./evil"]);
    let armed = probe.reading(folder.path());
    assert_eq!(armed.overrides, [("core.fsmonitor".to_owned(), "false".to_owned())]);
    assert_eq!(
        armed.notes,
        ["git did not obey these settings of the repository, because they can start programs: core.fsmonitor"]
    );
}
