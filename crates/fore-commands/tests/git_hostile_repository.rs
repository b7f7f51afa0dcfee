//! Hostile repositories against the installed git: plain git runs the attacker's program, the hardened one does not, and
//! the probe names the setting so that the judge does not call the command a read.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "real repositories and real git in a temporary folder"
)]

use fore_commands::{CATALOGUE, git};
use fore_shell::{
    CommandKind, GitFacts, JudgeContext, ShellFacts, Word,
    git::{hardening, probe},
};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// A repository with one commit and one changed file, and a program that leaves a mark when it runs. It never reads its
/// input: as a server it would wait for git for ever.
struct Hostile {
    folder: tempfile::TempDir,
}

impl Hostile {
    fn new() -> Hostile {
        let hostile = Hostile { folder: tempfile::tempdir().expect("a temporary folder") };
        fs::create_dir(hostile.repository()).expect("a folder");
        let script = format!(
            "#!/bin/sh\ntouch '{}'\nfor last; do :; done\nif [ -f \"$last\" ]; then cat \"$last\"; fi\n",
            hostile.marker().display()
        );
        fs::write(hostile.program(), script).expect("a script");
        fs::set_permissions(hostile.program(), fs::Permissions::from_mode(0o755)).expect("an executable script");
        hostile.prepare(&["init", "-q", "-b", "main"]);
        hostile.write("a.txt", "one\n");
        hostile.prepare(&["add", "."]);
        hostile.prepare(&["commit", "-q", "-m", "first"]);
        hostile.write("a.txt", "one\ntwo\n");
        hostile
    }

    fn repository(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    fn program(&self) -> PathBuf {
        self.folder.path().join("program")
    }

    fn marker(&self) -> PathBuf {
        self.folder.path().join("marker")
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.repository().join(name), text).expect("a file of the repository");
    }

    /// Makes all settings of the repository; `PROGRAM` in a value becomes the program.
    fn set(&self, settings: &[(&str, &str)]) {
        for (key, value) in settings {
            let value = value.replace("PROGRAM", &self.program().display().to_string());
            self.prepare(&["config", key, &value]);
        }
    }

    fn git(&self, argv: &[String], environment: &[(String, String)]) -> Output {
        Command::new("timeout")
            .args(["20", "git"])
            .args(argv.iter().skip(1))
            .current_dir(self.repository())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .envs(["AUTHOR", "COMMITTER"].iter().flat_map(|who| {
                [(format!("GIT_{who}_NAME"), "somebody"), (format!("GIT_{who}_EMAIL"), "somebody@example.com")]
            }))
            .envs(environment.iter().cloned())
            .stdin(Stdio::null())
            .output()
            .expect("git runs")
    }

    /// A step of the preparation, which must work.
    fn prepare(&self, arguments: &[&str]) -> String {
        let output = self.git(&argv(arguments), &[]);
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Whether the program ran, and how git ended.
    fn runs_program(&self, arguments: &[&str], environment: &[(String, String)], harden: bool) -> (bool, Output) {
        let _ = fs::remove_file(self.marker());
        let plain = argv(arguments);
        let argv = if harden { hardening::harden_argv(&plain) } else { plain };
        let output = self.git(&argv, environment);
        (self.marker().exists(), output)
    }

    fn found(&self, folder: &str) -> probe::GitFound {
        let listing = self.git(&argv(&["-C", folder, "config", "--list", "--includes", "-z", "--show-scope"]), &[]);
        let hooks = self.repository().join(".git/hooks");
        let hooks = fs::read_dir(hooks).into_iter().flatten().flatten();
        let hooks = hooks.map(|entry| entry.file_name().to_string_lossy().into_owned());
        probe::GitFound {
            settings: probe::settings(&String::from_utf8_lossy(&listing.stdout)),
            hooks: Some(hooks.filter(|name| !name.ends_with(".sample")).collect()),
            attributes: Some(true),
        }
    }

    fn judged(&self, arguments: &[&str], repository: &GitFacts) -> CommandKind {
        let facts = ShellFacts {
            catalogue: &CATALOGUE,
            cwd: Path::new("/repository"),
            home: None,
            plan_file: None,
            vouched: &[],
            repositories: repository,
        };
        let words: Vec<Word> = argv(arguments).into_iter().map(Word::literal).collect();
        git::judge(&words, &JudgeContext::new(&facts)).kind
    }

    /// The measured claim for one command: plain git obeys, the probe warns, the hardened git does not obey.
    fn check(&self, arguments: &[&str]) {
        self.check_in(".", arguments);
    }

    fn check_in(&self, folder: &str, arguments: &[&str]) {
        let (ran, output) = self.runs_program(arguments, &[], false);
        assert!(ran, "plain git {arguments:?} runs the program: {output:?}");
        let found = self.found(folder);
        let facts = probe::probe(&found);
        assert_ne!(facts, GitFacts::Quiet, "{arguments:?}");
        assert_ne!(self.judged(arguments, &facts), CommandKind::Reads, "{arguments:?} with {facts:?}");
        let filters = hardening::filters(found.settings.iter().map(|setting| setting.key.as_str()));
        let (ran, output) = self.runs_program(arguments, &hardening::environment(&filters), true);
        assert!(!ran, "hardened git {arguments:?} runs nothing: {output:?}");
    }

    /// Hardened git still does its work.
    fn check_works(&self, arguments: &[&str], expected: &str) {
        let found = self.found(".");
        let filters = hardening::filters(found.settings.iter().map(|setting| setting.key.as_str()));
        let (_, output) = self.runs_program(arguments, &hardening::environment(&filters), true);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains(expected), "{arguments:?}: {output:?}");
    }

    /// A commit that claims to be signed.
    fn sign(&self) {
        let text = self.prepare(&["cat-file", "commit", "HEAD"]);
        let (head, message) = text.split_once("\n\n").expect("a commit");
        let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n xxxx\n -----END PGP SIGNATURE-----";
        fs::write(self.folder.path().join("commit"), format!("{head}\n{signature}\n\n{message}\n")).expect("a file");
        let id = self.prepare(&["hash-object", "-t", "commit", "-w", "../commit"]);
        self.prepare(&["update-ref", "HEAD", &id]);
    }
}

fn argv(arguments: &[&str]) -> Vec<String> {
    std::iter::once("git").chain(arguments.iter().copied()).map(str::to_owned).collect()
}

#[test]
fn fsmonitor() {
    let hostile = Hostile::new();
    hostile.set(&[("core.fsmonitor", "PROGRAM")]);
    for command in
        [&["status"][..], &["diff"], &["ls-files", "-m"], &["grep", "one"], &["describe", "--dirty", "--always"]]
    {
        hostile.check(command);
    }
    hostile.check_works(&["status", "--short"], " M a.txt");
    hostile.check_works(&["grep", "two"], "a.txt:two");
}

#[test]
fn fsmonitor_from_an_included_file() {
    let hostile = Hostile::new();
    let text = format!("[core]\n\tfsmonitor = {}\n", hostile.program().display());
    fs::write(hostile.repository().join("settings"), text).expect("a file");
    hostile.set(&[("include.path", "../settings")]);
    hostile.check(&["status"]);
}

#[test]
fn external_diff() {
    let hostile = Hostile::new();
    hostile.set(&[("diff.external", "PROGRAM")]);
    hostile.check(&["diff"]);
    hostile.check(&["diff", "HEAD", "--", "a.txt"]);
    hostile.check_works(&["diff"], "+two");
}

#[test]
fn diff_driver_by_attribute() {
    let hostile = Hostile::new();
    hostile.write(".gitattributes", "*.txt diff=x\n");
    hostile.set(&[("diff.x.command", "PROGRAM")]);
    hostile.check(&["diff"]);
    hostile.check_works(&["diff"], "+two");
}

#[test]
fn text_conversion() {
    let hostile = Hostile::new();
    hostile.write(".gitattributes", "*.txt diff=x\n");
    hostile.set(&[("diff.x.textconv", "PROGRAM")]);
    for command in [&["diff"][..], &["log", "-p"], &["show"], &["blame", "a.txt"], &["annotate", "a.txt"]] {
        hostile.check(command);
    }
    hostile.prepare(&["stash", "-q"]);
    hostile.check(&["stash", "list", "-p"]);
    hostile.check_works(&["stash", "show"], "1 file changed");
    hostile.check_works(&["log", "-p"], "+one");
    hostile.check_works(&["blame", "a.txt"], "one");
}

#[test]
fn clean_filter() {
    let hostile = Hostile::new();
    hostile.write(".gitattributes", "*.txt filter=x\n");
    hostile.set(&[("filter.x.clean", "PROGRAM"), ("filter.x.required", "true")]);
    for command in [&["status"][..], &["diff"], &["ls-files", "-m"], &["blame", "a.txt"], &["hash-object", "a.txt"]] {
        // Of the same size: git has to look inside.
        hostile.write("a.txt", "six\n");
        hostile.check(command);
    }
    hostile.check_works(&["diff"], "+six");
}

#[test]
fn clean_filter_in_the_private_attributes() {
    let hostile = Hostile::new();
    fs::create_dir_all(hostile.repository().join(".git/info")).expect("a folder");
    hostile.write(".git/info/attributes", "*.txt filter=x\n");
    hostile.set(&[("filter.x.process", "PROGRAM")]);
    hostile.write("a.txt", "six\n");
    hostile.check(&["status"]);
}

#[test]
fn smudge_filter_in_an_archive() {
    let hostile = Hostile::new();
    hostile.write(".gitattributes", "*.txt filter=x\n");
    hostile.prepare(&["add", ".gitattributes"]);
    hostile.prepare(&["commit", "-q", "-m", "attributes"]);
    hostile.set(&[("filter.x.smudge", "PROGRAM")]);
    hostile.check(&["archive", "HEAD"]);
}

#[test]
fn hook_on_an_index_that_a_read_rewrites() {
    let hostile = Hostile::new();
    let hook = hostile.repository().join(".git/hooks/post-index-change");
    fs::create_dir_all(hook.parent().expect("a folder")).expect("a folder");
    fs::copy(hostile.program(), hook).expect("a hook");
    for (seconds, command) in [(1, &["diff"][..]), (2, &["describe", "--dirty", "--always"])] {
        // Same text, new time: git looks again and remembers what it saw.
        hostile.write("a.txt", "one\n");
        let time = fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds));
        let file = fs::File::options().write(true).open(hostile.repository().join("a.txt")).expect("a file");
        file.set_times(time).expect("an old file");
        hostile.check(command);
    }
}

#[test]
fn signature_checks() {
    let hostile = Hostile::new();
    hostile.sign();
    hostile.set(&[("gpg.program", "PROGRAM")]);
    // Named on the command line: plain git obeys, the judge refuses whatever the repository says.
    assert!(hostile.runs_program(&["log", "--format=%G?"], &[], false).0);
    assert_eq!(hostile.judged(&["log", "--format=%G?"], &GitFacts::Quiet), CommandKind::Runs);
    hostile.set(&[("log.showSignature", "true")]);
    hostile.check(&["log"]);
    hostile.check(&["show"]);
    hostile.set(&[("log.showSignature", "false"), ("format.pretty", "%h %G?")]);
    hostile.check(&["log"]);
    hostile.check_works(&["log"], "first");
}

#[test]
fn bare_repository_among_the_files() {
    let hostile = Hostile::new();
    hostile.prepare(&["init", "-q", "--bare", "inner"]);
    let config = hostile.repository().join("inner/config");
    let mut text = fs::read_to_string(&config).expect("a file").replace("bare = true", "bare = false\n\tworktree = ..");
    text.push_str(&format!("[core]\n\tfsmonitor = {}\n", hostile.program().display()));
    fs::write(config, text).expect("a file");
    hostile.check_in("inner", &["-C", "inner", "status"]);
}

#[test]
fn programs_that_reach_a_remote() {
    let hostile = Hostile::new();
    hostile.prepare(&["remote", "add", "origin", "../elsewhere"]);
    hostile.set(&[("remote.origin.uploadpack", "PROGRAM")]);
    hostile.check(&["ls-remote", "origin"]);
    hostile.check(&["remote", "show", "origin"]);

    let hostile = Hostile::new();
    hostile.prepare(&["remote", "add", "origin", "git@localhost:x"]);
    hostile.set(&[("core.sshCommand", "PROGRAM")]);
    hostile.check(&["ls-remote"]);

    let hostile = Hostile::new();
    let address = format!("ext::{}", hostile.program().display());
    hostile.prepare(&["remote", "add", "origin", &address]);
    hostile.set(&[("protocol.ext.allow", "always")]);
    hostile.check(&["ls-remote", "origin"]);
}

#[test]
fn with_network_still_no_program_of_the_repository_runs() {
    for (address, settings) in [
        ("../elsewhere", ("remote.origin.uploadpack", "PROGRAM")),
        ("git@localhost:x", ("core.sshCommand", "PROGRAM")),
        ("ext::PROGRAM", ("protocol.ext.allow", "always")),
        ("https://localhost:1/x", ("remote.origin.vcs", "ext")),
    ] {
        let hostile = Hostile::new();
        let address = address.replace("PROGRAM", &hostile.program().display().to_string());
        hostile.prepare(&["remote", "add", "origin", &address]);
        hostile.set(&[settings]);
        let environment = hardening::environment_with_network(&[]);
        let (ran, output) = hostile.runs_program(&["ls-remote", "origin"], &environment, true);
        assert!(!ran && !output.status.success(), "{address}: {output:?}");
    }
}

#[test]
fn object_that_is_fetched_when_it_is_missing() {
    let hostile = Hostile::new();
    let source = Hostile::new();
    source.set(&[("uploadpack.allowFilter", "true")]);
    let address = format!("file://{}", source.repository().display());
    hostile.prepare(&["clone", "-q", "--filter=blob:none", "--no-checkout", &address, "partial"]);
    let program = hostile.program().display().to_string();
    hostile.prepare(&["-C", "partial", "config", "remote.origin.uploadpack", &program]);
    hostile.check_in("partial", &["-C", "partial", "show", "HEAD:a.txt"]);
    hostile.check_in("partial", &["-C", "partial", "log", "-p"]);
}

#[test]
fn settings_of_a_submodule() {
    let hostile = Hostile::new();
    let source = Hostile::new();
    let address = source.repository().display().to_string();
    hostile.prepare(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &address, "inner"]);
    hostile.prepare(&["commit", "-q", "-m", "submodule"]);
    let program = hostile.program().display().to_string();
    hostile.prepare(&["-C", "inner", "config", "core.fsmonitor", &program]);
    // The one who probes hands in the settings of submodules too.
    for command in [&["status"][..], &["diff"], &["diff-files"], &["diff-index", "HEAD"]] {
        hostile.check_in("inner", command);
    }
    // A work tree that asks for more does not get it.
    hostile.prepare(&["config", "-f", ".gitmodules", "submodule.inner.ignore", "none"]);
    hostile.check_in("inner", &["status"]);
}

#[test]
fn archive_format_from_the_settings_is_left_to_the_judge() {
    let hostile = Hostile::new();
    hostile.set(&[("tar.x.command", "PROGRAM")]);
    let command = ["archive", "--format=x", "HEAD"];
    assert!(hostile.runs_program(&command, &[], false).0);
    assert_eq!(hostile.judged(&command, &probe::probe(&hostile.found("."))), CommandKind::Unknown);
}

#[test]
fn aliases_and_manual_viewers_are_left_to_the_judge() {
    let hostile = Hostile::new();
    hostile.set(&[("alias.st", "!PROGRAM"), ("alias.status", "!PROGRAM")]);
    assert!(hostile.runs_program(&["st"], &[], false).0);
    assert!(!hostile.runs_program(&["status"], &[], false).0, "an alias cannot take the name of a subcommand");
    assert_eq!(hostile.judged(&["st"], &GitFacts::Quiet), CommandKind::Unknown);

    let hostile = Hostile::new();
    hostile.set(&[("man.viewer", "x"), ("man.x.cmd", "PROGRAM")]);
    for command in [&["help", "log"][..], &["log", "--help"]] {
        assert!(hostile.runs_program(command, &[], false).0);
        assert_ne!(hostile.judged(command, &GitFacts::Quiet), CommandKind::Reads);
    }
}

#[test]
fn an_ordinary_repository_is_quiet() {
    let hostile = Hostile::new();
    assert_eq!(probe::probe(&hostile.found(".")), GitFacts::Quiet);
}
