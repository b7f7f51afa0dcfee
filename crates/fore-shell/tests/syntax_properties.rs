//! Properties that hold for every text: no panic, no hang, true positions, rewriting never looks safer.
//!
//! `PROPTEST_CASES=100000 cargo test -p fore-shell --test syntax_properties` digs deeper.

#![expect(clippy::panic, reason = "a broken page or position fails the test")]

use fore_shell::{CommandKind, Finding, GitFacts, ShellFacts, judge};
use proptest::prelude::*;
use std::path::Path;

const CORPUS: &str = include_str!("../benches/corpus.txt");
const HARD: &str = include_str!("syntax_hard.txt");

fn facts() -> ShellFacts<'static> {
    ShellFacts {
        catalogue: &fore_commands::CATALOGUE,
        cwd: Path::new("/home/ada/project"),
        home: Some(Path::new("/home/ada")),
        plan_file: Some(Path::new("/home/ada/project/plans/plan.md")),
        vouched: &[],
        repositories: &GitFacts::Quiet,
    }
}

fn judged(text: &str) -> Finding {
    judge(text, &facts())
}

/// Every command of both corpora; `⏎` stands for a newline.
fn commands() -> Vec<String> {
    CORPUS.lines().chain(HARD.lines()).map(|line| line.replace('⏎', "\n")).collect()
}

/// One piece per line; `⏎`, `⇥` and `␣` stand for newline, tab and blank.
fn fragments(lines: &'static str) -> impl Strategy<Value = String> + Clone {
    let pieces = lines.lines().map(|line| line.replace('⏎', "\n").replace('⇥', "\t").replace('␣', " "));
    prop::sample::select(pieces.collect::<Vec<String>>())
}

/// Pieces of shell that texts are put together from.
fn fragment() -> impl Strategy<Value = String> {
    fragments(include_str!("syntax_fragments/any.txt"))
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::collection::vec(fragment(), 0..24).prop_map(|fragments| fragments.concat()),
        prop::collection::vec(fragment(), 0..16).prop_map(|fragments| fragments.join(" ")),
        ".{0,80}",
        "[ -~\n]{0,60}",
    ]
}

/// A corpus command with one place changed.
fn mutated() -> impl Strategy<Value = String> {
    (prop::sample::select(commands()), any::<prop::sample::Index>(), fragment(), 0usize..3).prop_map(
        |(command, place, fragment, length)| {
            let places: Vec<usize> = command.char_indices().map(|(at, _)| at).chain([command.len()]).collect();
            let start = place.index(places.len());
            let end = (start + length).min(places.len() - 1);
            format!("{}{fragment}{}", &command[..places[start]], &command[places[end]..])
        },
    )
}

fn check_shape(text: &str, finding: &Finding) {
    assert_eq!(
        finding.kind,
        finding.evidence.iter().map(|evidence| evidence.kind).max().unwrap_or(CommandKind::Reads),
        "{text:?}"
    );
    for evidence in &finding.evidence {
        let Some(span) = evidence.span else { continue };
        let word = text.get(span.start..span.end).unwrap_or_else(|| panic!("span {span:?} outside of {text:?}"));
        assert!(word.starts_with(evidence.word.trim_end_matches('…')), "{evidence:?} in {text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gets_a_finding_with_true_positions(text in text()) {
        check_shape(&text, &judged(&text));
    }

    #[test]
    fn changed_commands_get_a_finding_with_true_positions(text in mutated()) {
        check_shape(&text, &judged(&text));
    }

    #[test]
    fn any_bytes_get_a_finding(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        check_shape(&text, &judged(&text));
    }

    #[test]
    fn quoting_differently_never_looks_safer(command in prop::sample::select(commands()), places in prop::collection::vec((any::<prop::sample::Index>(), 0usize..7), 1..4)) {
        let mut text = command.clone();
        for (place, how) in places {
            text = rewritten(&text, place, how);
        }
        let (before, after) = (judged(&command), judged(&text));
        prop_assert!(after.kind >= before.kind || after.kind == CommandKind::Unknown, "{command:?} is {:?}, {text:?} is {:?}", before.kind, after.kind);
        prop_assert!(after.kind != CommandKind::Reads || before.kind == CommandKind::Reads, "{command:?} is {:?}, {text:?} is {:?}", before.kind, after.kind);
    }
}

/// The same command for bash, spelled differently at one letter outside of quotes.
fn rewritten(text: &str, place: prop::sample::Index, how: usize) -> String {
    let letters = loose_letters(text);
    if letters.is_empty() {
        return text.to_owned();
    }
    let at = letters[place.index(letters.len())];
    let (before, rest) = text.split_at(at);
    let (letter, after) = rest.split_at(1);
    match how {
        0 => format!("{before}''{letter}{after}"),
        1 => format!("{before}\\{letter}{after}"),
        2 => format!("{before}$'\\x{:02x}'{after}", letter.as_bytes()[0]),
        3 => format!("{before}\\\n{letter}{after}"),
        4 => format!("{before}\"{letter}\"{after}"),
        5 => format!("{before}\"\"{letter}{after}"),
        _ => braced(text, at),
    }
}

/// The word around `at` as `{word,}`, whose empty half vanishes.
fn braced(text: &str, at: usize) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./".contains(character);
    let start = text[..at].rfind(|character| !plain(character)).map_or(0, |found| found + 1);
    let end = text[at..].find(|character| !plain(character)).map_or(text.len(), |found| at + found);
    let alone = |outside: Option<char>| outside.is_none_or(|character| character == ' ' || character == '\n');
    if alone(text[..start].chars().next_back()) && alone(text[end..].chars().next()) {
        format!("{}{{{},}}{}", &text[..start], &text[start..end], &text[end..])
    } else {
        text.to_owned()
    }
}

/// Letters that stand in no quotes and no expansion, in words that are no keywords.
fn loose_letters(text: &str) -> Vec<usize> {
    let mut letters = Vec::new();
    let special = text.contains(['$', '`', '(', '{', '#', '\\', '=']) || text.contains("<<");
    if special
        || ["if ", "for ", "while ", "case ", "time ", "[[", "function", "coproc", "select "]
            .iter()
            .any(|word| text.contains(word))
    {
        return letters;
    }
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            (None, _) if character.is_ascii_alphabetic() || character == '-' => letters.push(at),
            (Some(_) | None, _) => {}
        }
    }
    letters
}

#[test]
fn very_deep_and_very_long_texts_are_unknown() {
    let deep = [
        format!("{}echo{}", "$(".repeat(400), ")".repeat(400)),
        format!("{}echo{}", "( ".repeat(1000), " )".repeat(1000)),
        "(".repeat(8000),
        "{ ".repeat(4000),
        "$((".repeat(2000),
        "${x:-".repeat(1500),
        "\"$(".repeat(2000),
        "<(".repeat(4000),
        format!("{}true", "if ".repeat(2500)),
        format!("{}true{}", "while true; do ".repeat(300), "; done".repeat(300)),
        format!("{}{}", "case x in a) ".repeat(400), "esac ".repeat(400)),
        format!("[[ {} x ]]", "! ".repeat(3000)),
        format!("[[ {} x ]]", "( ".repeat(3000)),
        format!("{}{}", "function f { ".repeat(500), "}; ".repeat(400)),
        format!("echo {}b{}", "{a,".repeat(1000), "}".repeat(1000)),
        format!("echo {}", "{a,b}".repeat(1000)),
        "echo {1..99999}".to_owned(),
        format!("bash -c {}", "x".repeat(9000)),
        "echo a; ".repeat(65),
        format!("echo {}", "$(echo)".repeat(70)),
        format!("{}true", "command ".repeat(900)),
        format!("{}true", "exec ".repeat(900)),
        format!("{}{}", "f(){ ".repeat(900), "}".repeat(900)),
        "x=".repeat(3000),
        "a[".repeat(3000),
    ];
    for text in deep {
        let finding = judged(&text);
        let start: String = text.chars().take(40).collect();
        let expected = if text.starts_with("x=") { CommandKind::Reads } else { CommandKind::Unknown };
        assert_eq!(finding.kind, expected, "{start}");
    }
}

#[test]
fn the_deepest_texts_that_are_analysed_fit_the_stack() {
    let functions = format!("{}echo{}", "function f { ".repeat(20), "; }".repeat(20));
    let groups = format!("{}echo{}", "{ ".repeat(16), "; }".repeat(16));
    let substitutions = format!("echo {}echo{}", "$(echo ".repeat(12), ")".repeat(12));
    for text in [functions, groups, substitutions] {
        assert_eq!(judged(&text).kind, CommandKind::Reads, "{text}");
    }
}

#[test]
fn beyond_a_bound_nothing_else_counts() {
    let finding = judged(&format!("echo > f; {}", "echo a; ".repeat(64)));
    let rules: Vec<&str> = finding.evidence.iter().map(|evidence| evidence.rule.as_str()).collect();
    assert_eq!((finding.kind, rules), (CommandKind::Unknown, vec!["syntax.limit"]));
    assert_eq!(judged(&"echo a; ".repeat(64)).kind, CommandKind::Reads);
}
