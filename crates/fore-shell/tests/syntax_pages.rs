//! Pages of commands and what the judge says of them, by the part of the shell that decides.
//!
//! One case per line: the verdict, the rules that fired, `|`, the text (`⏎` is a newline).

#![expect(clippy::panic, reason = "a broken page or position fails the test")]

use fore_shell::{CommandKind, Finding, GitFacts, Reach, ShellFacts, Span, judge};
use std::path::Path;

fn facts(vouched: &[Vec<String>]) -> ShellFacts<'_> {
    ShellFacts {
        catalogue: &fore_commands::CATALOGUE,
        cwd: Path::new("/home/ada/project"),
        home: Some(Path::new("/home/ada")),
        plan_file: Some(Path::new("/home/ada/project/plans/plan.md")),
        vouched,
        repositories: &GitFacts::Quiet,
    }
}

fn judged(text: &str) -> Finding {
    judge(text, &facts(&[]))
}

/// The verdict and the rules, strongest first, each once.
fn described(text: &str) -> String {
    let finding = judged(text);
    let mut words = vec![format!("{:?}", finding.kind).to_lowercase()];
    for evidence in finding.evidence {
        if !words.contains(&evidence.rule) {
            words.push(evidence.rule);
        }
    }
    words.join(" ")
}

#[track_caller]
fn page(page: &str) {
    let mut wrong = Vec::new();
    let mut cases = 0;
    for line in page.lines().filter(|line| !line.is_empty() && !line.starts_with("## ")) {
        let (expected, text) = line.split_once(" | ").unwrap_or_else(|| panic!("no verdict in {line:?}"));
        let found = described(&text.replace('⏎', "\n"));
        cases += 1;
        if found != expected.trim() {
            wrong.push(format!("{found} | {text}   (expected {})", expected.trim()));
        }
    }
    assert!(cases > 0);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn redirections() {
    page(include_str!("syntax_pages/redirections.txt"));
}

#[test]
fn substitutions_and_expansions() {
    page(include_str!("syntax_pages/expansions.txt"));
}

#[test]
fn words_in_disguise() {
    page(include_str!("syntax_pages/disguises.txt"));
}

#[test]
fn compound_commands() {
    page(include_str!("syntax_pages/compounds.txt"));
}

#[test]
fn builtins() {
    page(include_str!("syntax_pages/builtins.txt"));
}

#[test]
fn variables_and_folders() {
    page(include_str!("syntax_pages/variables.txt"));
}

#[test]
fn programs_and_shells() {
    page(include_str!("syntax_pages/programs.txt"));
}

#[test]
fn texts_that_are_not_analysed() {
    page(include_str!("syntax_pages/refused.txt"));
}

#[test]
fn what_planners_do() {
    for line in include_str!("syntax_pages/planners.txt").lines() {
        let (expected, text) = line.split_once(" | ").unwrap_or_else(|| panic!("no verdict in {line:?}"));
        let kind = format!("{:?}", judged(&text.replace('⏎', "\n")).kind).to_lowercase();
        assert_eq!(kind, expected, "{text}");
    }
}

#[test]
fn characters_that_deceive_are_unknown() {
    let deceiving = [
        "echo a\rb",
        "echo \0",
        "echo \u{1b}[2K",
        "echo \u{202e}x",
        "echo a\u{200b}b",
        "echo \u{2028} rm",
        "echo\u{a0}x",
        "echo \u{85}",
        "ls \u{feff}x",
    ];
    for text in deceiving {
        let finding = judged(text);
        let rules: Vec<&str> = finding.evidence.iter().map(|evidence| evidence.rule.as_str()).collect();
        assert_eq!((finding.kind, rules), (CommandKind::Unknown, vec!["syntax.limit"]), "{text:?}");
    }
    assert_eq!(judged("echo 'Größe → ok ✓'").kind, CommandKind::Reads);
}

#[test]
fn evidence_points_to_the_word_in_the_text() {
    let text = "cat 'ä' && { echo \"$(echo a > f)\"; } | sort -o g";
    let shown: Vec<(String, &str)> = judged(text)
        .evidence
        .into_iter()
        .map(|evidence| {
            let Span { start, end } = evidence.span.expect("a place in the text");
            (evidence.rule, &text[start..end])
        })
        .collect();
    assert_eq!(shown, [("redirect".to_owned(), "f"), ("sort.-o".to_owned(), "g")]);
}

#[test]
fn evidence_from_an_inner_text_has_no_place() {
    let finding = judged("bash -c 'echo a > f'");
    let shown: Vec<(&str, &str, Option<Span>)> = finding
        .evidence
        .iter()
        .map(|evidence| (evidence.rule.as_str(), evidence.word.as_str(), evidence.span))
        .collect();
    assert_eq!(shown, [("redirect", "f", None)]);
}

#[test]
fn hosts_behind_redirections_are_named() {
    let finding = judged("cat < /dev/tcp/example.org/80; echo > /dev/udp/$x/1");
    assert_eq!(finding.reach, [Reach::Host("example.org".to_owned())]);
}

#[test]
fn paths_that_are_read_are_absolute() {
    assert_eq!(
        judged("cd src && read -r x < lib.rs; read y < /etc/hosts").paths,
        ["/home/ada/project/src/lib.rs", "/etc/hosts"]
    );
}

#[test]
fn a_vouched_program_reads_but_never_hides_a_write() {
    let vouched = [
        vec!["frob".to_owned(), "list".to_owned()],
        vec!["./check.sh".to_owned()],
        vec!["rm".to_owned()],
        vec!["sort".to_owned()],
    ];
    let kind = |text: &str| judge(text, &facts(&vouched)).kind;
    for (text, expected) in [
        ("frob list --all", CommandKind::Reads),
        ("timeout 5 frob list", CommandKind::Reads),
        ("./check.sh", CommandKind::Reads),
        ("frob", CommandKind::Runs),
        ("frob lists", CommandKind::Runs),
        ("frob \"$x\"", CommandKind::Runs),
        ("frob list > f", CommandKind::Writes),
        ("frob list $(rm x)", CommandKind::Writes),
        ("rm x", CommandKind::Writes),
        ("sort -o f g", CommandKind::Writes),
        ("FOO=1 frob list", CommandKind::Unknown),
        ("frob list &", CommandKind::Unknown),
    ] {
        assert_eq!(kind(text), expected, "{text}");
    }
}
