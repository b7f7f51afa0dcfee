//! Runs what the tables call reads, in any order of words, and looks whether anything changed.

#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "only running the programs shows what they do"
)]

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use fore_commands::CATALOGUE;
use fore_shell::{CommandKind, GitFacts, ShellFacts, catalogue::grammar::Handling, judge};

/// Programs with options or operands that write, found on nearly every machine.
const PROGRAMS: [&str; 9] = ["sort", "uniq", "base64", "shuf", "tee", "tar", "gzip", "xargs", "env"];

/// Words that may be operands, values, or options in disguise.
const WORDS: [&str; 24] = [
    "a",
    "b",
    "f",
    "./s",
    "-",
    "--",
    "1",
    "a.tar",
    "a.gz",
    "d",
    "{}",
    "o",
    "-o",
    "-of",
    "of",
    "--output=f",
    "--output",
    "--outp",
    "touch",
    "cat",
    "-t",
    "-f",
    "-x",
    "-O",
];

/// Small and always the same, so that a failure can be run again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap_or(0) % limit.max(1)
    }
}

/// The options that the row of a program lists.
fn options(program: &str) -> Vec<&'static str> {
    let row = CATALOGUE.rows().find(|row| row.names.split(' ').any(|name| name == program));
    match row.map(|row| row.action) {
        Some(Handling::Parse(grammar)) => grammar.options.iter().flat_map(|group| group.names.split(' ')).collect(),
        Some(Handling::Nested(_) | Handling::Is(..) | Handling::Ask(_)) | None => {
            "-0 -i -n -I -L -u -z -v -r -S --list --file -C".split(' ').collect()
        }
    }
}

/// Everything about the files of a folder but their content and access times.
fn state(folder: &Path) -> BTreeMap<PathBuf, (u64, u64, i64, i64, u32)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let about = fs::symlink_metadata(entry.path()).expect("a file");
            if about.is_dir() {
                folders.push(entry.path());
            }
            let seen = (about.ino(), about.size(), about.mtime_nsec(), about.ctime_nsec(), about.mode());
            found.insert(entry.path(), seen);
        }
    }
    found
}

fn prepare(folder: &Path) {
    fs::write(folder.join("a"), "b 2\na 1\n").expect("a file");
    fs::write(folder.join("b"), "c\n").expect("a file");
    fs::create_dir(folder.join("d")).expect("a folder");
    let script = "printf '#!/bin/sh\\ntouch changed\\n' >s; chmod +x s; tar cf a.tar a; gzip -c a >a.gz";
    let done = Command::new("bash").args(["-c", script]).current_dir(folder).status();
    assert!(done.expect("bash runs").success());
}

#[test]
fn whatever_is_judged_a_read_changes_nothing_in_any_order_of_its_words() {
    let folder = tempfile::tempdir().expect("a folder");
    prepare(folder.path());
    let facts = ShellFacts {
        catalogue: &CATALOGUE,
        cwd: folder.path(),
        home: Some(folder.path()),
        plan_file: None,
        vouched: &[],
        repositories: &GitFacts::NoRepository,
    };
    let before = state(folder.path());
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut run = 0;
    for program in PROGRAMS {
        let listed = options(program);
        for _ in 0..150 {
            let mut command = program.to_string();
            for _ in 0..=dice.below(4) {
                let word = match dice.below(3) {
                    0 => listed[dice.below(listed.len())],
                    _ => WORDS[dice.below(WORDS.len())],
                };
                command.push(' ');
                command.push_str(word);
            }
            if judge(&command, &facts).kind != CommandKind::Reads {
                continue;
            }
            run += 1;
            let limited = format!("ulimit -t 2; {command}");
            let done = Command::new("bash")
                .args(["--noprofile", "--norc", "-c", &limited])
                .current_dir(folder.path())
                .env("TMPDIR", "/tmp")
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            assert!(done.is_ok(), "{command}");
            assert_eq!(state(folder.path()), before, "changed by: {command}");
        }
    }
    assert!(run > 100, "only {run} commands were reads");
}
