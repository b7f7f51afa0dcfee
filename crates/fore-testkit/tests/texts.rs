//! Every text of the program on one page, `docs/texts.md`, made from the sources; and no habit in them that readers stumble over.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "reads the sources of the workspace"
)]

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// Set to write the page instead of comparing it.
const UPDATE: &str = "UPDATE_TEXTS";
const PAGE: &str = "docs/texts.md";

/// Crates whose texts people or models read; the others are for tests or are data.
const CRATES: [&str; 12] = [
    "fore",
    "fore-agent",
    "fore-hooks",
    "fore-mcp",
    "fore-model",
    "fore-plan",
    "fore-review",
    "fore-sandbox",
    "fore-shell",
    "fore-store",
    "fore-team",
    "fore-tui",
];

/// What is written for the model, or into files: there the person is somebody else. Refusals of the gate have words of their own
/// for people (`Refusal::for_person`).
const FOR_THE_MODEL: [&str; 38] = [
    "crates/fore-agent/src/agents",
    "crates/fore-agent/src/classifier",
    "crates/fore-agent/src/compaction",
    "crates/fore-agent/src/context",
    "crates/fore-agent/src/control",
    "crates/fore-agent/src/custom/introduction.md",
    "crates/fore-agent/src/memory/intro.md",
    "crates/fore-agent/src/session/agents",
    "crates/fore-agent/src/session/approval",
    "crates/fore-agent/src/session/hooks/context.md",
    "crates/fore-agent/src/session/call/audit.rs",
    "crates/fore-agent/src/session/call/mod.rs",
    "crates/fore-agent/src/session/call/servers.rs",
    "crates/fore-agent/src/session/drive.rs",
    "crates/fore-agent/src/session/history/compact",
    "crates/fore-agent/src/session/history/replay",
    "crates/fore-agent/src/session/history/rewind",
    "crates/fore-agent/src/session/person/prompts.rs",
    "crates/fore-agent/src/session/reminders",
    "crates/fore-agent/src/session/team/told",
    "crates/fore-agent/src/session/typed.rs",
    "crates/fore-agent/src/undo/told.rs",
    "crates/fore-agent/src/tools",
    "crates/fore-agent/src/turn",
    "crates/fore-plan/src/approval/answer.rs",
    "crates/fore-plan/src/approval/enter.rs",
    "crates/fore-plan/src/approval/exit.rs",
    "crates/fore-plan/src/approval/text",
    "crates/fore-plan/src/gate/messages.rs",
    "crates/fore-plan/src/gate/mod.rs",
    "crates/fore-plan/src/mode_event.rs",
    "crates/fore-plan/src/plan/not-approved.md",
    "crates/fore-plan/src/refusal.rs",
    "crates/fore-plan/src/reminder",
    "crates/fore-plan/src/state/fold.rs",
    "crates/fore-plan/src/transition.rs",
    "crates/fore-plan/src/workflow",
    "crates/fore-sandbox/src/edit",
];

/// Files whose comments are the help that people read: arguments and settings.
const HELP_IN_COMMENTS: [&str; 3] =
    ["crates/fore/src/args.rs", "crates/fore/src/headless/args.rs", "crates/fore/src/settings/written.rs"];

/// A habit, where it is no habit after all, and what to write instead.
struct Habit {
    words: &'static str,
    fine: &'static [&'static str],
    better: &'static str,
}

const HABITS: [Habit; 9] = [
    Habit {
        words: " is no ",
        fine: &["there is no ", " is no longer ", " is no more ", "that is no reason"],
        better: "is not a",
    },
    Habit { words: " are no ", fine: &["there are no ", " are no longer "], better: "are not" },
    Habit { words: "go on", fine: &[], better: "continue" },
    Habit { words: "goes on", fine: &["what goes on"], better: "continues" },
    Habit { words: "the person", fine: &[], better: "you" },
    Habit { words: "what runs", fine: &[], better: "the current action" },
    Habit { words: "what waits", fine: &[], better: "what is queued" },
    Habit { words: " cage ", fine: &["`fore cage", "fore cage ", " cage  --quiet "], better: "sandbox" },
    Habit { words: "caged", fine: &[], better: "sandboxed" },
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A source or a text beside it, by its path from the root.
fn files() -> Vec<(String, String)> {
    fn collect(folder: &Path, into: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() && !["tests", "snapshots", "test_support", "request"].contains(&name.as_str()) {
                collect(&path, into);
            } else if (name.ends_with(".rs") || name.ends_with(".md")) && !is_test(&name) {
                let shown = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
                into.push((shown, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    fn is_test(name: &str) -> bool {
        name == "tests.rs" || name.ends_with("_tests.rs") || name == "test_support.rs" || name == "README.md"
    }
    let mut found = Vec::new();
    CRATES.iter().for_each(|name| collect(&root().join("crates").join(name).join("src"), &mut found));
    found.sort();
    found
}

/// The texts of one file, in its order, each once.
fn texts(path: &str, source: &str) -> Vec<String> {
    if path.ends_with(".md") {
        return source.split("\n\n").map(|part| part.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    }
    let mut found = Vec::new();
    let stream: TokenStream = source.parse().unwrap_or_else(|error| panic!("{path}: {error}"));
    walk(stream, HELP_IN_COMMENTS.contains(&path), &mut found);
    let mut seen = BTreeSet::new();
    found.retain(|text| is_prose(text) && seen.insert(text.clone()));
    found
}

/// Takes the literals of a stream; attributes but for errors are no texts, and neither are modules of tests.
fn walk(stream: TokenStream, with_comments: bool, found: &mut Vec<String>) {
    let mut tokens = stream.into_iter().peekable();
    let mut is_test = false;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                tokens.next_if(|token| matches!(token, TokenTree::Punct(sign) if sign.as_char() == '!'));
                let Some(TokenTree::Group(group)) = tokens.next_if(
                    |token| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket),
                ) else {
                    continue;
                };
                let text = group.stream().to_string();
                is_test |= text.starts_with("cfg") && text.contains("test");
                let is_read =
                    text.starts_with("error") || with_comments && (text.starts_with("doc") || text.starts_with("arg"));
                if is_read {
                    walk(group.stream(), with_comments, found);
                }
            }
            TokenTree::Group(group) => {
                let is_body = group.delimiter() == Delimiter::Brace;
                if !(is_test && is_body) {
                    walk(group.stream(), with_comments, found);
                }
                is_test &= !is_body;
            }
            TokenTree::Literal(literal) => found.extend(text_of(&literal.to_string())),
            TokenTree::Punct(sign) => is_test &= sign.as_char() != ';',
            TokenTree::Ident(_) => {}
        }
    }
}

/// What a literal of the source says; none for numbers, letters and bytes.
fn text_of(literal: &str) -> Option<String> {
    if let Some(rest) = literal.strip_prefix('r') {
        return Some(rest.trim_matches('#').trim_matches('"').to_owned());
    }
    let inside = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::new();
    let mut letters = inside.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek().copied()) {
            ('\\', Some('n')) => {
                letters.next();
                text.push(' ');
            }
            ('\\', Some('\n')) => while letters.next_if(|letter| letter.is_whitespace()).is_some() {},
            ('\\', Some(quoted @ ('"' | '\\' | '\''))) => {
                letters.next();
                text.push(quoted);
            }
            (letter, _) => text.push(letter),
        }
    }
    Some(text.trim().to_owned())
}

/// Words that somebody reads: at least two of them, with small letters.
fn is_prose(text: &str) -> bool {
    let is_word = |word: &&str| word.chars().filter(|letter| letter.is_ascii_lowercase()).count() >= 2;
    // What a database is told is read by nobody else.
    let is_sql = ["select fore_team.", "select pg_", "select exists (", "select id, ", "do $"]
        .iter()
        .any(|begin| text.starts_with(begin));
    text.split_whitespace().filter(is_word).count() >= 2 && !text.contains("\\u") && !is_sql
}

/// A text without what stands in braces: names of values.
fn without_places(text: &str) -> String {
    let mut depth = 0_usize;
    let is_kept = |letter: &char| {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && *letter != '}'
    };
    text.chars().filter(is_kept).collect()
}

/// Whether these words stand there whole: `go on`, not `go only`.
fn has_words(text: &str, words: &str) -> bool {
    let ends = |at: usize| text.get(at + words.len()..).and_then(|rest| rest.chars().next());
    text.match_indices(words).any(|(at, _)| words.ends_with(' ') || ends(at).is_none_or(|next| !next.is_alphanumeric()))
}

fn is_for_the_model(path: &str) -> bool {
    FOR_THE_MODEL.iter().any(|part| path.starts_with(part))
}

fn page(files: &[(String, String)]) -> String {
    let mut page = String::from(
        "# All texts\n\nMade from the sources by `UPDATE_TEXTS=1 cargo test -p fore-testkit --test texts`; a test compares it. Read it as \
         somebody who meets the program.\n",
    );
    for (path, source) in files {
        let texts = texts(path, source);
        if texts.is_empty() {
            continue;
        }
        let reader = if is_for_the_model(path) { " (for the model)" } else { "" };
        writeln!(page, "\n## {}{reader}\n", path.trim_start_matches("crates/")).unwrap();
        texts.iter().for_each(|text| writeln!(page, "- {text}").unwrap());
    }
    page
}

#[test]
fn the_page_of_all_texts_is_true() {
    let (path, page) = (root().join(PAGE), page(&files()));
    if std::env::var_os(UPDATE).is_some() {
        fs::write(&path, &page).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    let differs = page.lines().find(|line| !kept.lines().any(|known| known == *line));
    assert!(kept == page, "{PAGE} is not what the sources say ({differs:?}); make it anew with {UPDATE}=1");
}

#[test]
fn no_text_for_people_has_a_habit_that_readers_stumble_over() {
    let mut found = Vec::new();
    for (path, source) in files().iter().filter(|(path, _)| !is_for_the_model(path)) {
        for text in texts(path, source) {
            let lower = format!(" {} ", without_places(&text).to_lowercase());
            for habit in &HABITS {
                let rest = habit.fine.iter().fold(lower.clone(), |rest, fine| rest.replace(fine, " "));
                if has_words(&rest, habit.words) {
                    found.push(format!("{path}: `{}`, better `{}`: {text}", habit.words.trim(), habit.better));
                }
            }
        }
    }
    assert!(found.is_empty(), "{} texts:\n{}", found.len(), found.join("\n"));
}
