//! Pages of commands with their verdicts: `kind rule: command`, one per line.
#![allow(dead_code, clippy::expect_used, reason = "each test file uses a part of this; a broken page is a broken test")]

use fore_shell::{CommandKind, Finding, GitFacts, JudgeContext, Opaque, ShellFacts, Value, Word, judge_argv};
use std::path::Path;

/// Checks every line of a page; a line that differs is shown as it should have been.
pub(crate) fn check(page: &str) {
    check_with(page, &GitFacts::Quiet);
}

pub(crate) fn check_with(page: &str, repository: &GitFacts) {
    let lines: Vec<&str> = page.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let judged = |line: &str| {
        let (_, command) = line.split_once(": ").expect("a line is `kind rule: command`");
        format!("{}: {command}", verdict(&judge(command, repository)))
    };
    let (expected, judged): (Vec<&str>, Vec<String>) =
        lines.iter().map(|line| (*line, judged(line))).filter(|(line, judged)| line != judged).unzip();
    assert_eq!(judged, expected);
}

/// The kind, and the rule of the strongest evidence.
pub(crate) fn verdict(finding: &Finding) -> String {
    let kind = format!("{:?}", finding.kind).to_lowercase();
    match finding.evidence.first() {
        Some(evidence) => format!("{kind} {}", evidence.rule),
        None => kind,
    }
}

pub(crate) fn judge(command: &str, repository: &GitFacts) -> Finding {
    judge_words(&words(command), repository)
}

pub(crate) fn judge_words(argv: &[Word], repository: &GitFacts) -> Finding {
    let facts = ShellFacts {
        catalogue: &fore_commands::CATALOGUE,
        cwd: Path::new("/project"),
        home: None,
        plan_file: None,
        vouched: &[],
        repositories: repository,
    };
    judge_argv(argv, &JudgeContext::new(&facts))
}

pub(crate) fn is_read(argv: &[&str]) -> bool {
    let words: Vec<Word> = argv.iter().map(|text| Word::literal(*text)).collect();
    judge_words(&words, &GitFacts::Quiet).kind == CommandKind::Reads
}

/// Splits at blanks outside single quotes; `⏎` is a newline. `$x` stands for a variable, `"$x"` for a quoted one,
/// `src/*` for names that start with `src/`, `=$x` at the end for an attached value.
pub(crate) fn words(command: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut text = String::new();
    let (mut quoted, mut started) = (false, false);
    for c in command.chars() {
        match c {
            '\'' => {
                quoted = !quoted;
                started = true;
            }
            ' ' if !quoted => {
                if started {
                    words.push(word(&text));
                }
                text.clear();
                started = false;
            }
            '⏎' => text.push('\n'),
            _ => {
                text.push(c);
                started = true;
            }
        }
    }
    if started {
        words.push(word(&text));
    }
    words
}

fn word(text: &str) -> Word {
    let opaque = |prefix: &str, quoted: bool| Word {
        value: Value::Opaque(Opaque {
            prefix: prefix.into(),
            may_be_empty: !quoted,
            may_split: !quoted,
            may_be_option: prefix.is_empty() || prefix.starts_with('-'),
        }),
        source: text.into(),
        span: None,
    };
    match text {
        "$x" => opaque("", false),
        "\"$x\"" => opaque("", true),
        "*.rs" | "*" => opaque("", false),
        "src/*" => opaque("src/", false),
        _ if text.ends_with("=\"$x\"") => opaque(text.trim_end_matches("\"$x\""), true),
        _ if text.ends_with("=$x") => opaque(text.trim_end_matches("$x"), false),
        _ => Word::literal(text),
    }
}
