//! Every example of the git table that must be a read is run for real, and nothing may change, inside `.git` either.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "real git in a temporary folder"
)]

use fore_shell::git::{self, hardening};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

fn run(folder: &Path, argv: &[String]) -> bool {
    let status = Command::new("timeout")
        .args(["20", "git"])
        .args(argv.iter().skip(1))
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder)
        .envs(["AUTHOR", "COMMITTER"].iter().flat_map(|who| {
            [
                (format!("GIT_{who}_NAME"), "somebody"),
                (format!("GIT_{who}_EMAIL"), "a@example.com"),
            ]
        }))
        .envs(hardening::environment(&[]))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.expect("git runs").success()
}

fn argv(line: &str) -> Vec<String> {
    std::iter::once("git")
        .chain(line.split(' '))
        .map(str::to_owned)
        .collect()
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

#[test]
fn reads_of_the_table_change_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path();
    fs::create_dir(root.join("src")).expect("a folder");
    for name in [
        "a",
        "a.rs",
        "b",
        "a.txt",
        "README.md",
        "src/main.rs",
        "src/lib.rs",
    ] {
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
    fs::write(
        root.join("a.patch"),
        "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n foo\n-bar\n+baz\n",
    )
    .expect("a file");
    assert!(run(root, &argv("stash -q")));
    fs::write(root.join("a.rs"), "foo\nbay\n").expect("a file");

    let before = contents(root);
    let mut succeeded = 0;
    for example in git::examples().filter(|example| example.is_read) {
        let hardened = hardening::harden_argv(&argv(example.line));
        succeeded += usize::from(run(root, &hardened));
        let after = contents(root);
        let changed: Vec<&PathBuf> = before
            .keys()
            .chain(after.keys())
            .filter(|path| before.get(*path) != after.get(*path))
            .collect();
        assert_eq!(changed, Vec::<&PathBuf>::new(), "git {}", example.line);
    }
    assert!(
        succeeded > 100,
        "only {succeeded} examples worked, so the test shows little"
    );
}
