//! Every example of the git table that must be a read is run for real, and nothing may change, inside `.git` either.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "real git in a temporary folder"
)]

use fore_commands::{CATALOGUE, git};
use fore_shell::{CommandKind, GitFacts, JudgeContext, ShellFacts, Word, git::hardening};
use proptest::prelude::*;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

fn run(folder: &Path, argv: &[String]) -> bool {
    let status =
        Command::new("timeout")
            .args(["20", "git"])
            .args(argv.iter().skip(1))
            .current_dir(folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", folder)
            .envs(["AUTHOR", "COMMITTER"].iter().flat_map(|who| {
                [(format!("GIT_{who}_NAME"), "somebody"), (format!("GIT_{who}_EMAIL"), "a@example.com")]
            }))
            .envs(hardening::environment(&[]))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    status.expect("git runs").success()
}

fn argv(line: &str) -> Vec<String> {
    std::iter::once("git").chain(line.split(' ')).map(str::to_owned).collect()
}

fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(contents(&path));
        }
        let bytes = fs::read(&path).unwrap_or_default();
        found.insert(path, bytes);
    }
    found
}

/// A repository with a little of everything.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path();
    fs::create_dir(root.join("src")).expect("a folder");
    for name in ["a", "a.rs", "b", "a.txt", "README.md", "src/main.rs", "src/lib.rs"] {
        fs::write(root.join(name), "foo\nbar\n").expect("a file");
    }
    for line in [
        "init -q -b main",
        "add .",
        "commit -q -m first",
        "commit -q --allow-empty -m second",
        "tag v1.0",
        "branch feature",
        "remote add origin https://example.invalid/a.git",
        "notes add -m note",
    ] {
        assert!(run(root, &argv(line)), "{line}");
    }
    fs::write(root.join("a.rs"), "foo\nbaz\n").expect("a file");
    fs::write(root.join("a.patch"), "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n foo\n-bar\n+baz\n").expect("a file");
    assert!(run(root, &argv("stash -q")));
    fs::write(root.join("a.rs"), "foo\nbay\n").expect("a file");

    folder
}

fn changes(before: &BTreeMap<PathBuf, Vec<u8>>, root: &Path) -> Vec<PathBuf> {
    let after = contents(root);
    let paths = before.keys().chain(after.keys());
    paths.filter(|path| before.get(*path) != after.get(*path)).cloned().collect()
}

#[test]
fn reads_of_the_table_change_nothing() {
    let folder = repository();
    let root = folder.path();
    let before = contents(root);
    let mut succeeded = 0;
    for example in git::examples().filter(|example| example.is_read) {
        let hardened = hardening::harden_argv(&argv(example.line));
        succeeded += usize::from(run(root, &hardened));
        assert_eq!(changes(&before, root), Vec::<PathBuf>::new(), "git {}", example.line);
    }
    assert!(succeeded > 100, "only {succeeded} examples worked, so the test shows little");
}

fn is_read(argv: &[String]) -> bool {
    let facts = ShellFacts {
        catalogue: &CATALOGUE,
        cwd: Path::new("/project"),
        home: None,
        plan_file: None,
        vouched: &[],
        repositories: &GitFacts::Quiet,
    };
    let words: Vec<Word> = argv.iter().map(Word::literal).collect();
    git::judge(&words, &JudgeContext::new(&facts)).kind == CommandKind::Reads
}

const COMMANDS: &[&str] = &[
    "branch",
    "tag",
    "config",
    "config get",
    "config list",
    "remote",
    "remote show",
    "remote get-url",
    "stash",
    "stash list",
    "stash show",
    "notes",
    "notes list",
    "notes show",
    "reflog",
    "reflog show",
    "symbolic-ref",
    "clean",
    "apply",
    "worktree list",
    "hash-object",
    "describe",
    "log",
    "diff",
    "show",
    "blame",
    "grep",
    "archive",
    "format-patch",
    "for-each-ref",
    "show-ref",
    "rev-parse",
    "ls-files",
    "shortlog",
    "fsck",
    "submodule",
    "sparse-checkout list",
    "check-ref-format",
    "cat-file",
    "diff-index",
    "range-diff",
    "var",
    "bundle verify",
];

const WORDS: &[&str] = &[
    "x",
    "HEAD",
    "main",
    "feature",
    "v1.0",
    "a",
    "a.patch",
    "src",
    "origin",
    "refs/heads/y",
    "a.b",
    "user.name",
    "value",
    "--",
    "-l",
    "--list",
    "-d",
    "-D",
    "-m",
    "-f",
    "-n",
    "-v",
    "-a",
    "-r",
    "-w",
    "-q",
    "-z",
    "-e",
    "-o",
    "-p",
    "-s",
    "-t",
    "-u",
    "-c",
    "-C",
    "-i",
    "-x",
    "-X",
    "-O",
    "-1",
    "--output=out",
    "--output",
    "out",
    "--contains",
    "--merged",
    "--format=%h",
    "--format",
    "--sort=refname",
    "--sort",
    "--get",
    "--get-all",
    "--add",
    "--unset",
    "--default",
    "--type",
    "--type=bool",
    "--bool",
    "--stdout",
    "--check",
    "--stat",
    "--dry-run",
    "--cached",
    "--all",
    "--show-current",
    "--points-at",
    "--delete",
    "--edit",
    "--short",
    "show",
    "list",
    "add",
    "drop",
    "pop",
    "get",
    "set",
    "expire",
    "delete",
    "-nf",
    "-lD",
    "--stdin",
    "--path=a",
    "--dirty",
    "--no-index",
    "--since",
    "--default=x",
    "--global",
    "--local",
    "--file=out",
    "-n1",
    "--abbrev",
    "--abbrev=4",
    "--verify",
    "--branch",
    "--end-of-options",
    "--column",
    "--verbose",
    "--quiet",
    "-h",
    "--include-untracked",
    "--prefix=y/",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_order_of_words_judged_a_read_changes_anything(
        lines in prop::collection::vec((prop::sample::select(COMMANDS), prop::collection::vec(prop::sample::select(WORDS), 0..5)), 40),
    ) {
        let lines: Vec<Vec<String>> = lines.iter().map(|(command, words)| argv(&[&[*command][..], words].concat().join(" "))).collect();
        let reads: Vec<&Vec<String>> = lines.iter().filter(|argv| is_read(argv)).collect();
        prop_assume!(!reads.is_empty());
        let folder = repository();
        let before = contents(folder.path());
        for argv in reads {
            run(folder.path(), &hardening::harden_argv(argv));
            prop_assert_eq!(changes(&before, folder.path()), Vec::<PathBuf>::new(), "{:?}", argv);
        }
    }
}
