//! Asks bash itself: texts it rejects are never reads, and arguments that the judge is certain of are what bash makes of them.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    reason = "bash is the reference that these tests compare with"
)]

use fore_shell::{CommandKind, GitFacts, JudgeContext, ShellFacts, Value, judge, syntax};
use proptest::prelude::*;
use std::{
    path::Path,
    process::{Command, Stdio},
};

const CORPUS: &str = include_str!("../benches/corpus.txt");
const HARD: &str = include_str!("syntax_hard.txt");

fn facts() -> ShellFacts<'static> {
    ShellFacts {
        catalogue: &fore_commands::CATALOGUE,
        cwd: Path::new("/"),
        home: Some(Path::new("/home/ada")),
        plan_file: None,
        vouched: &[],
        repositories: &GitFacts::Quiet,
    }
}

fn bash(arguments: &[&str]) -> Command {
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc"]).args(arguments);
    command.env_clear().env("HOME", "/home/ada").current_dir("/").stdin(Stdio::null()).stderr(Stdio::null());
    command
}

fn bash_accepts(text: &str) -> bool {
    // Without this option bash takes the end of the text for the end of a here-document.
    bash(&["-n", "-c", text]).stdout(Stdio::null()).status().expect("bash starts").success()
}

fn commands() -> Vec<String> {
    CORPUS.lines().chain(HARD.lines()).map(|line| line.replace('⏎', "\n")).collect()
}

/// One piece per line; `⏎`, `⇥` and `␣` stand for newline, tab and blank.
fn fragments(lines: &'static str) -> impl Strategy<Value = String> + Clone {
    let pieces = lines.lines().map(|line| line.replace('⏎', "\n").replace('⇥', "\t").replace('␣', " "));
    prop::sample::select(pieces.collect::<Vec<String>>())
}

fn syntax_fragment() -> impl Strategy<Value = String> {
    fragments(include_str!("syntax_fragments/syntax.txt"))
}

fn any_syntax() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::collection::vec(syntax_fragment(), 1..14).prop_map(|fragments| fragments.concat()),
        prop::collection::vec(syntax_fragment(), 1..12).prop_map(|fragments| fragments.join(" ")),
        (prop::sample::select(commands()), any::<prop::sample::Index>(), syntax_fragment(), 0usize..3).prop_map(
            |(command, place, fragment, length)| {
                let places: Vec<usize> = command.char_indices().map(|(at, _)| at).chain([command.len()]).collect();
                let start = place.index(places.len());
                let end = (start + length).min(places.len() - 1);
                format!("{}{fragment}{}", &command[..places[start]], &command[places[end]..])
            }
        ),
    ]
}

/// Words without anything that could start a program or open a file.
fn words() -> impl Strategy<Value = String> {
    let fragment = fragments(include_str!("syntax_fragments/words.txt"));
    prop::collection::vec(fragment, 1..9).prop_map(|fragments| fragments.concat())
}

/// Texts that try to touch a file by every road the shell offers. Nothing in them reaches outside of the current folder.
fn attempts() -> impl Strategy<Value = String> {
    let part = fragments(include_str!("syntax_fragments/attempts.txt"));
    prop_oneof![
        prop::collection::vec(part.clone(), 2..9).prop_map(|parts| parts.join(" ")),
        prop::collection::vec(part.clone(), 2..6).prop_map(|parts| parts.join("; ")),
        prop::collection::vec(part.clone(), 2..6).prop_map(|parts| parts.join("\n")),
        prop::collection::vec(part, 2..6).prop_map(|parts| parts.concat()),
    ]
}

/// What a variable that the judge knows nothing about may hold.
fn hidden_value() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "", "a", "-o", "a b", "-o b", " -o", "a -o", "*", "/", "a[0]", "~", "\\", "'", "$HOME", "{a,b}", "src/x", "-",
        "0",
    ])
}

/// Whether the arguments that bash passed are among those the judge expects.
fn admitted(expected: &[Vec<Value>], passed: &[&str]) -> bool {
    let Some((field, rest)) = expected.split_first() else {
        return passed.is_empty();
    };
    field.iter().any(|value| match value {
        Value::Literal(text) => {
            passed.split_first().is_some_and(|(first, others)| first == text && admitted(rest, others))
        }
        Value::Opaque(opaque) => (usize::from(!opaque.may_be_empty)..=passed.len()).any(|count| {
            let (ours, others) = passed.split_at(count);
            (count <= 1 || opaque.may_split)
                && (opaque.may_be_option || !ours.iter().any(|argument| argument.starts_with('-')))
                && ours.first().is_none_or(|first| first.starts_with(&opaque.prefix))
                && admitted(rest, others)
        }),
    })
}

#[test]
fn the_corpora_are_accepted_by_bash_wherever_they_are_reads() {
    for text in commands() {
        if judge(&text, &facts()).kind == CommandKind::Reads {
            assert!(bash_accepts(&text), "{text:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_bash_rejects_is_never_a_read(text in any_syntax()) {
        let kind = judge(&text, &facts()).kind;
        if matches!(kind, CommandKind::Reads | CommandKind::Network | CommandKind::Runs) {
            prop_assert!(bash_accepts(&text), "{text:?} is {kind:?}");
        }
    }

    #[test]
    fn arguments_are_what_bash_passes(words in words(), value in hidden_value()) {
        let facts = facts();
        let text = format!("printf '%s\\0' x {words}");
        let Some(arguments) = syntax::arguments(&text, &JudgeContext::new(&facts)) else { return Ok(()) };
        let output = bash(&["-c", &text]).env("E", value).stdout(Stdio::piped()).output().expect("bash starts");
        let Ok(output) = String::from_utf8(output.stdout) else { return Ok(()) };
        let Some(output) = output.strip_prefix("x\0") else { return Ok(()) };
        let passed: Vec<&str> = output.split_terminator('\0').collect();
        prop_assert!(admitted(arguments.get(3..).unwrap_or_default(), &passed), "{:?} is {:?} for the judge, {:?} for bash", text, arguments.get(3..), passed);
    }

    #[test]
    fn what_is_a_read_touches_nothing(text in attempts()) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("kept"), "kept").expect("a file");
        let facts = ShellFacts { cwd: folder.path(), ..facts() };
        let kind = judge(&text, &facts).kind;
        if kind == CommandKind::Reads {
            // Loops without an end are cut off by their use of the processor.
            let limits = "ulimit -t 1; exec bash --noprofile --norc -c \"$1\"";
            bash(&["-c", limits, "bash", &text]).current_dir(folder.path()).stdout(Stdio::null()).status().expect("bash starts");
            let names: Vec<_> = std::fs::read_dir(folder.path()).expect("the folder").map(|entry| entry.expect("an entry").file_name()).collect();
            prop_assert_eq!(names, vec!["kept"], "{:?}", text);
            prop_assert_eq!(std::fs::read_to_string(folder.path().join("kept")).expect("the file"), "kept", "{:?}", text);
        }
    }
}
