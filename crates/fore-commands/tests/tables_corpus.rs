//! Judges whole lists of commands: what reads must be seen to read, and nothing else may be.

use std::path::Path;

use fore_shell::{CommandKind, Finding, GitFacts, ShellFacts, judge};

fn verdict(text: &str) -> Finding {
    let facts = ShellFacts {
        catalogue: &fore_commands::CATALOGUE,
        cwd: Path::new("/home/ada/project"),
        home: Some(Path::new("/home/someone")),
        plan_file: Some(Path::new("/plans/one.md")),
        vouched: &[],
        repositories: &GitFacts::Quiet,
    };
    judge(text, &facts)
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The lines of a corpus whose kind is not one of `expected`, with the reason.
fn strangers(text: &str, expected: &[CommandKind]) -> Vec<String> {
    lines(text)
        .filter_map(|line| {
            // `⏎` in a corpus line stands for a new line.
            let finding = verdict(&line.replace('⏎', "\n"));
            if expected.contains(&finding.kind) {
                return None;
            }
            let why = finding.evidence.first().map_or("", |evidence| &evidence.why);
            Some(format!("{:?}: {line}   ({why})", finding.kind))
        })
        .collect()
}

/// Reads that cannot be proved: a word made at run time might be an option that does more.
const UNPROVEN: [&str; 2] = [
    "mb=$(git merge-base main HEAD); git diff \"$mb\" --stat",
    "n=0; while [ $n -lt 3 ]; do n=$((n+1)); echo $n; done",
];

#[test]
fn every_read_in_the_corpus_is_judged_a_read() {
    let text = include_str!("../corpus/reads.txt");
    let count = lines(text).count();
    let missed: Vec<String> = strangers(text, &[CommandKind::Reads])
        .into_iter()
        .filter(|line| !UNPROVEN.iter().any(|known| line.contains(known)))
        .collect();
    assert!(count >= 500 && UNPROVEN.len() * 100 <= count);
    assert_eq!(missed, Vec::<String>::new());
}

#[test]
fn no_write_in_the_corpus_is_judged_a_read_or_a_network_read() {
    let text = include_str!("../corpus/writes.txt");
    assert!(lines(text).count() >= 500);
    assert_eq!(strangers(text, &[CommandKind::Writes, CommandKind::Unknown, CommandKind::Runs]), Vec::<String>::new());
}

#[test]
fn whatever_runs_project_code_is_never_judged_a_read() {
    let text = include_str!("../corpus/runs.txt");
    assert_eq!(strangers(text, &[CommandKind::Runs, CommandKind::Unknown, CommandKind::Writes]), Vec::<String>::new());
}

#[test]
fn network_reads_in_the_corpus_are_judged_network_reads() {
    let text = include_str!("../corpus/network.txt");
    assert_eq!(strangers(text, &[CommandKind::Network]), Vec::<String>::new());
}

#[test]
fn what_files_of_the_folder_steer_runs_in_rehearsal_without_a_question() {
    let text = include_str!("../corpus/steered.txt");
    assert_eq!(strangers(text, &[CommandKind::Runs]), Vec::<String>::new());
}
