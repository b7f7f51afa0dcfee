//! Runs what was judged a read with the installed programs and looks whether a file appeared or changed.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "the oracle is a real process in a temporary folder"
)]

mod languages_support;

use languages_support::{is_read, words};
use proptest::prelude::*;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A folder with the files that the pages name.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["file", "a", "b", "other", "in", "inplace-notes.txt", "Cargo.toml"] {
        fs::write(folder.path().join(name), "a/b c 7\nx wer\nw out\n").expect("a file");
    }
    for name in ["src", "tests"] {
        fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    folder
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

/// Runs it, at most for a moment (a script may loop forever), and says which paths are new, gone or different.
fn changes(argv: &[&str], folder: &Path) -> Vec<PathBuf> {
    let before = contents(folder);
    let status = Command::new("timeout")
        .args(["--kill-after=1", "0.5"])
        .args(argv)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.expect("`timeout` runs");
    let after = contents(folder);
    let paths = before.keys().chain(after.keys());
    let mut changed: Vec<PathBuf> = paths.filter(|path| before.get(*path) != after.get(*path)).cloned().collect();
    changed.dedup();
    changed
}

fn check_page(page: &str) {
    let folder = folder();
    for line in page.lines() {
        let (verdict, command) = line.split_once(": ").expect("a line of a page");
        let argv = words(command);
        let literal: Option<Vec<&str>> = argv.iter().map(|word| word.as_literal()).collect();
        let Some(argv) = literal else { continue };
        if verdict == "reads" {
            assert_eq!(changes(&argv, folder.path()), Vec::<PathBuf>::new(), "{command}");
        }
    }
}

#[test]
fn reads_of_the_sed_page_change_nothing() {
    check_page(include_str!("languages_pages/sed_reads.txt"));
}

#[test]
fn reads_of_the_awk_page_change_nothing() {
    check_page(include_str!("languages_pages/awk_reads.txt"));
}

#[test]
fn reads_of_the_find_page_change_nothing() {
    check_page(include_str!("languages_pages/find_reads.txt"));
}

/// Text made of the pieces that matter to a language, so that most of it nearly makes sense.
fn pieces(pieces: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(pieces), 1..most).prop_map(|chosen| chosen.concat())
}

const SED: &[&str] = &[
    "w out",
    "w out\n",
    "W out",
    "e touch out",
    "s/a/b/",
    "s/a/b/w out",
    "s/",
    "s,",
    "/",
    ",",
    "a\\",
    "a\\\n",
    "a x",
    "i\\",
    "c",
    "\n",
    "\\",
    "\\\n",
    "[",
    "]",
    "[^",
    "[]",
    ";",
    "{",
    "}",
    "{p}",
    " ",
    "\t",
    "p",
    "1",
    "$!",
    "!",
    "y/a/b/",
    "#",
    "b",
    "bx",
    "t",
    ":",
    ":x",
    "x",
    "r in\n",
    "I",
    "M",
    "g",
    "~2",
    "+1",
    "0,/a/",
    "\\,a,",
    "l 5",
    "q",
    "n",
    "N",
    "D",
    "=",
    "&",
    "e",
    "\\n",
    "[[:",
    ":]]",
    "-",
];

const AWK: &[&str] = &[
    "print ",
    "print",
    "printf \"x\"",
    " > ",
    ">",
    "\"out\"",
    ">>",
    "|",
    "(",
    ")",
    "(1)",
    "{",
    "}",
    "[",
    "]",
    "a[1]",
    "/",
    "/x/",
    "\"",
    "\\\"",
    "\n",
    ";",
    ",",
    ",\n",
    "$1",
    "x",
    "1",
    "system(\"touch out\")",
    "getline",
    " < ",
    "\"in\"",
    "++",
    "--",
    "length",
    "if(1)",
    "while(0)",
    "else ",
    "?",
    ":",
    "#",
    "\\\n",
    "\\",
    "&&",
    "||",
    "f(1)",
    " ",
    " in ",
    "=",
    "~",
    "print > \"out\"",
    "print 1 > \"out\"",
    ">\"/dev/null\"",
    "next",
    "return ",
    "do ",
    "[^/]",
    "[/]",
    "/[",
    "]/",
];

const FIND: &[&str] = &[
    ".",
    "src",
    "-name",
    "-delete",
    "-fprint",
    "out",
    "/dev/null",
    "-fprintf",
    "%p",
    "-exec",
    "touch",
    "{}",
    ";",
    "+",
    "-o",
    "-print",
    "(",
    ")",
    "!",
    "-type",
    "f",
    "-ls",
    "-fls",
    "-maxdepth",
    "1",
    "-newer",
    "a",
    "-prune",
    "-depth",
    "-path",
    "-perm",
    "-size",
    "-regex",
    "-files0-from",
    "--",
    "-L",
    "-printf",
    "-ok",
];

const SED_ARGUMENTS: &[&str] = &[
    "-n",
    "-e",
    "-ne",
    "p",
    "w out",
    "-i",
    "-s",
    "--",
    "in",
    "a",
    "-l",
    "5",
    "-l5",
    "-E",
    "-z",
    "-f",
    "--expression=w out",
    "--expression",
    "--in-place",
    "--i",
    "-ep",
    "-ew out",
    "-u",
    "--quiet",
    "-nEi",
    "-I",
    "--posix",
    "--debug",
    "--version",
    "s/a/b/w out",
    "1d",
    "--line-length=5",
    "--null-data",
    "-",
    "",
];

const AWK_ARGUMENTS: &[&str] = &[
    "-F",
    ":",
    "-F:",
    "-v",
    "x=1",
    "-vx=1",
    "--",
    "{print > \"out\"}",
    "{print}",
    "BEGIN{print > \"out\"}",
    "in",
    "-f",
    "-W",
    "exec",
    "--version",
    "-h",
    "-V",
    "-",
    "",
    "-n",
    "-S",
    "--posix",
    "--csv",
    "-b",
    "--assign",
    "--assign=x=1",
    "--field-separator",
    "BEGIN{system(\"touch out\")}",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, max_global_rejects: 1_000_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_sed_script_judged_a_read_changes_a_file(script in pieces(SED, 9), second in prop::option::of(pieces(SED, 4)), quiet: bool) {
        let mut argv = vec!["sed"];
        if quiet { argv.push("-n"); }
        match &second {
            Some(second) => argv.extend(["-e", &script, "-e", second]),
            None => argv.push(&script),
        }
        argv.push("in");
        if is_read(&argv) {
            let folder = folder();
            prop_assert_eq!(changes(&argv, folder.path()), Vec::<PathBuf>::new(), "{:?}", argv);
        }
    }

    #[test]
    fn no_awk_program_judged_a_read_changes_a_file(body in pieces(AWK, 12), bare: bool) {
        let program = if bare { body } else { format!("function f(y) {{ return y }} {{ {body} }}") };
        let argv = ["awk", &program, "in"];
        if is_read(&argv) {
            let folder = folder();
            prop_assert_eq!(changes(&argv, folder.path()), Vec::<PathBuf>::new(), "{:?}", argv);
        }
    }

    #[test]
    fn no_search_judged_a_read_changes_a_file(words in prop::collection::vec(prop::sample::select(FIND), 1..9)) {
        let mut argv = vec!["find"];
        argv.extend(words);
        if is_read(&argv) {
            let folder = folder();
            prop_assert_eq!(changes(&argv, folder.path()), Vec::<PathBuf>::new(), "{:?}", argv);
        }
    }

    #[test]
    fn no_order_of_sed_arguments_judged_a_read_changes_a_file(words in prop::collection::vec(prop::sample::select(SED_ARGUMENTS), 1..6)) {
        let argv = [&["sed"][..], &words].concat();
        if is_read(&argv) {
            let folder = folder();
            prop_assert_eq!(changes(&argv, folder.path()), Vec::<PathBuf>::new(), "{:?}", argv);
        }
    }

    #[test]
    fn no_order_of_awk_arguments_judged_a_read_changes_a_file(words in prop::collection::vec(prop::sample::select(AWK_ARGUMENTS), 1..6)) {
        let argv = [&["awk"][..], &words].concat();
        if is_read(&argv) {
            let folder = folder();
            prop_assert_eq!(changes(&argv, folder.path()), Vec::<PathBuf>::new(), "{:?}", argv);
        }
    }
}
