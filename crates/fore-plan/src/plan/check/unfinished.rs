//! What a plan leaves open: placeholders and questions.

use std::collections::{BTreeMap, BTreeSet};

use super::super::outline::{Fragment, FragmentKind, Outline};
use super::{CheckNote, NoteCode, shown, warning, words};

pub(super) fn placeholders(outline: &Outline<'_>) -> Vec<CheckNote> {
    let mut found: BTreeMap<usize, String> = BTreeMap::new();
    for fragment in &outline.fragments {
        if let Some(placeholder) = placeholder_in(fragment) {
            found.entry(fragment.line).or_insert(placeholder);
        }
    }
    for line in outline.lines.iter().filter(|line| !line.is_code) {
        let text = line.text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*' | '+'));
        if matches!(text, "..." | "…") {
            found.entry(line.number).or_insert_with(|| text.to_owned());
        }
    }
    let note = |(line, text)| {
        warning(NoteCode::Placeholder, Some(line), format!("\"{}\" is still to be filled in.", shown(text)))
    };
    found.iter().map(|(line, text)| note((*line, text.as_str()))).collect()
}

fn placeholder_in(fragment: &Fragment) -> Option<String> {
    let text = fragment.text.as_str();
    match fragment.kind {
        FragmentKind::CodeSpan | FragmentKind::Link => None,
        FragmentKind::Prose => words(text)
            .find(|word| matches!(*word, "TBD" | "TBC" | "TODO" | "FIXME" | "XXX"))
            .map(str::to_owned)
            .or_else(|| text.contains("???").then(|| "???".to_owned()))
            .or_else(|| bracketed(text, '[', ']'))
            .or_else(|| bracketed(text, '<', '>')),
        FragmentKind::Html if text.starts_with("<!--") => {
            words(text).find(|word| matches!(*word, "TBD" | "TBC" | "TODO" | "FIXME" | "XXX")).map(str::to_owned)
        }
        FragmentKind::Html => bracketed(text, '<', '>'),
    }
}

/// `<fill in>`, `[your path here]`: brackets around words that ask for something.
fn bracketed(text: &str, open: char, close: char) -> Option<String> {
    text.split(open).skip(1).filter_map(|after| after.split_once(close)).map(|(inside, _)| inside).find_map(|inside| {
        let lower = inside.to_lowercase();
        let first = words(&lower).next().unwrap_or_default();
        let asks = matches!(first, "fill" | "insert" | "your" | "tbd" | "tbc" | "todo" | "placeholder" | "describe")
            || lower.trim_end().ends_with(" here");
        (asks && !inside.contains('=')).then(|| format!("{open}{inside}{close}"))
    })
}

pub(super) fn open_questions(outline: &Outline<'_>) -> Vec<CheckNote> {
    let mut asked: BTreeSet<usize> = BTreeSet::new();
    let mut notes = Vec::new();
    for heading in outline.headings.iter().filter(|heading| names_questions(&heading.text)) {
        let content: Vec<_> = outline
            .section(heading)
            .filter(|line| !line.is_code && is_open(line.text) && !outline.is_heading(line.number))
            .collect();
        let questions: Vec<_> = content.iter().filter(|line| ends_in_question(line.text)).collect();
        if questions.is_empty() && !content.is_empty() && heading.text.to_lowercase().contains("open") {
            notes.push(warning(
                NoteCode::OpenQuestion,
                Some(heading.line),
                format!("The section \"{}\" still has content.", shown(&heading.text)),
            ));
        }
        for line in questions {
            if asked.insert(line.number) {
                notes.push(warning(
                    NoteCode::OpenQuestion,
                    Some(line.number),
                    format!("A question is still open: \"{}\"", shown(line.text.trim())),
                ));
            }
        }
    }
    notes
}

fn names_questions(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    words(&heading)
        .any(|word| matches!(word, "question" | "questions" | "unresolved" | "unknowns" | "clarify" | "clarifications"))
        || heading.contains("open point")
        || heading.contains("open issue")
}

/// Whether the line says something other than "none".
fn is_open(line: &str) -> bool {
    let text = line.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    !matches!(
        text.as_str(),
        "" | "none" | "no" | "n/a" | "nothing" | "none left" | "none so far" | "all answered" | "all resolved"
    )
}

fn ends_in_question(line: &str) -> bool {
    line.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | ')' | '"' | '`'))
        .ends_with(['?', '？'])
}
