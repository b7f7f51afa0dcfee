//! Notes on a plan before a person reads it (M5). It informs and never blocks; whether a file exists is asked of the caller.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::citation::cited_paths;
use super::outline::{Fragment, FragmentKind, Heading, Outline};
use crate::workflow::Length;

/// More notes than this help nobody.
pub const NOTES_MAX: usize = 40;
/// How many different files the caller is asked for.
pub const FILES_MAX: usize = 200;
/// What lies behind this many bytes is not looked at.
const PLAN_MAX: usize = 512 * 1024;
/// How many different paths are collected.
const CITED_MAX: usize = 1_000;
/// A longer line is no sentence that could say what is new.
const LINE_MAX: usize = 4_096;

/// A remark on a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub severity: Severity,
    pub code: NoteCode,
    /// From 1; none where the whole plan is meant.
    pub line: Option<usize>,
    pub sentence: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    Info,
    Warning,
    Serious,
}

/// What a note is about; the names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoteCode {
    EmptyPlan,
    NoVerification,
    EmptyVerification,
    MissingFile,
    Placeholder,
    OpenQuestion,
    TooLong,
    MoreNotes,
}

/// The notes on a plan, those on the whole plan first, then by line.
pub fn check(plan: &str, length: Length, exists: impl FnMut(&str) -> bool) -> Vec<Note> {
    let (plan, _) = plan.split_at(plan.floor_char_boundary(PLAN_MAX));
    let outline = Outline::of(plan);
    if is_empty(&outline) {
        let sentence = "The plan is empty: there is nothing to approve.".to_owned();
        return vec![Note {
            severity: Severity::Serious,
            code: NoteCode::EmptyPlan,
            line: None,
            sentence,
        }];
    }
    let mut notes = Vec::new();
    notes.extend(too_long(plan, length));
    notes.extend(verification(&outline));
    notes.extend(placeholders(&outline));
    notes.extend(open_questions(&outline));
    notes.extend(missing_files(&outline, exists));
    bounded(notes)
}

fn bounded(mut notes: Vec<Note>) -> Vec<Note> {
    notes.sort_by_key(|note| note.line);
    let more = notes.len().saturating_sub(NOTES_MAX);
    if more > 0 {
        // The gravest stay; the sort is stable, so the order by line holds within a severity.
        notes.sort_by_key(|note| std::cmp::Reverse(note.severity));
        notes.truncate(NOTES_MAX);
        notes.sort_by_key(|note| note.line);
        notes.push(Note {
            severity: Severity::Info,
            code: NoteCode::MoreNotes,
            line: None,
            sentence: format!("{more} more notes are left out."),
        });
    }
    notes
}

fn warning(code: NoteCode, line: Option<usize>, sentence: String) -> Note {
    Note {
        severity: Severity::Warning,
        code,
        line,
        sentence,
    }
}

fn is_empty(outline: &Outline<'_>) -> bool {
    let says_something = |text: &str| text.chars().any(char::is_alphanumeric);
    !outline
        .lines
        .iter()
        .any(|line| says_something(line.text) && !outline.is_heading(line.number))
}

fn too_long(plan: &str, length: Length) -> Option<Note> {
    let (limit, severity) = match length {
        Length::Control => return None,
        Length::Trim => (80, Severity::Info),
        Length::Cut => (40, Severity::Info),
        Length::Cap => (40, Severity::Warning),
    };
    let lines = plan.trim_end().lines().count();
    let sentence =
        format!("The plan has {lines} lines; the chosen length asks for at most {limit}.");
    (lines > limit).then_some(Note {
        severity,
        code: NoteCode::TooLong,
        line: None,
        sentence,
    })
}

fn verification(outline: &Outline<'_>) -> Option<Note> {
    let sections: Vec<&Heading> = outline
        .headings
        .iter()
        .filter(|heading| names_verification(&heading.text))
        .collect();
    let is_filled = |heading: &Heading| {
        outline
            .section(heading)
            .any(|line| line.text.chars().any(char::is_alphanumeric))
    };
    let prose = outline
        .lines
        .iter()
        .filter(|line| !line.is_code && !outline.is_heading(line.number));
    if sections.iter().any(|heading| is_filled(heading))
        || prose.into_iter().any(|line| begins_with_verify(line.text))
    {
        return None;
    }
    Some(match sections.first() {
        Some(heading) => {
            let sentence = format!(
                "The section \"{}\" is empty: say how the result is verified.",
                shown(&heading.text)
            );
            warning(NoteCode::EmptyVerification, Some(heading.line), sentence)
        }
        None => warning(
            NoteCode::NoVerification,
            None,
            "The plan does not say how the result is verified.".to_owned(),
        ),
    })
}

fn names_verification(heading: &str) -> bool {
    let heading = heading.to_lowercase();
    words(&heading).any(|word| {
        word.starts_with("verif")
            || word.starts_with("validat")
            || matches!(
                word,
                "test"
                    | "tests"
                    | "testing"
                    | "tested"
                    | "checks"
                    | "checking"
                    | "acceptance"
                    | "proof"
                    | "prove"
                    | "qa"
            )
    }) || [
        "how to check",
        "how to try",
        "definition of done",
        "done when",
    ]
    .iter()
    .any(|phrase| heading.contains(phrase))
}

/// `**Verify:** …`, `5. Verify with …`, `- Test plan: …`
fn begins_with_verify(line: &str) -> bool {
    let text = line
        .trim_start_matches(|c: char| !c.is_alphabetic())
        .to_lowercase();
    if text.starts_with("verify")
        || text.starts_with("verification")
        || text.starts_with("validate")
        || text.starts_with("validation")
    {
        return true;
    }
    let label = text.split_once(':').map(|(label, _)| label);
    label.is_some_and(|label| label.len() <= 40 && names_verification(label))
}

fn placeholders(outline: &Outline<'_>) -> Vec<Note> {
    let mut found: BTreeMap<usize, String> = BTreeMap::new();
    for fragment in &outline.fragments {
        if let Some(placeholder) = placeholder_in(fragment) {
            found.entry(fragment.line).or_insert(placeholder);
        }
    }
    for line in outline.lines.iter().filter(|line| !line.is_code) {
        let text = line
            .text
            .trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*' | '+'));
        if matches!(text, "..." | "…") {
            found.entry(line.number).or_insert_with(|| text.to_owned());
        }
    }
    let note = |(line, text)| {
        warning(
            NoteCode::Placeholder,
            Some(line),
            format!("\"{}\" is still to be filled in.", shown(text)),
        )
    };
    found
        .iter()
        .map(|(line, text)| note((*line, text.as_str())))
        .collect()
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
        FragmentKind::Html if text.starts_with("<!--") => words(text)
            .find(|word| matches!(*word, "TBD" | "TBC" | "TODO" | "FIXME" | "XXX"))
            .map(str::to_owned),
        FragmentKind::Html => bracketed(text, '<', '>'),
    }
}

/// `<fill in>`, `[your path here]`: brackets around words that ask for something.
fn bracketed(text: &str, open: char, close: char) -> Option<String> {
    text.split(open)
        .skip(1)
        .filter_map(|after| after.split_once(close))
        .map(|(inside, _)| inside)
        .find_map(|inside| {
            let lower = inside.to_lowercase();
            let first = words(&lower).next().unwrap_or_default();
            let asks = matches!(
                first,
                "fill" | "insert" | "your" | "tbd" | "tbc" | "todo" | "placeholder" | "describe"
            ) || lower.trim_end().ends_with(" here");
            (asks && !inside.contains('=')).then(|| format!("{open}{inside}{close}"))
        })
}

fn open_questions(outline: &Outline<'_>) -> Vec<Note> {
    let mut asked: BTreeSet<usize> = BTreeSet::new();
    let mut notes = Vec::new();
    for heading in outline
        .headings
        .iter()
        .filter(|heading| names_questions(&heading.text))
    {
        let content: Vec<_> = outline
            .section(heading)
            .filter(|line| !line.is_code && is_open(line.text) && !outline.is_heading(line.number))
            .collect();
        let questions: Vec<_> = content
            .iter()
            .filter(|line| ends_in_question(line.text))
            .collect();
        if questions.is_empty()
            && !content.is_empty()
            && heading.text.to_lowercase().contains("open")
        {
            notes.push(warning(
                NoteCode::OpenQuestion,
                Some(heading.line),
                format!(
                    "The section \"{}\" still has content.",
                    shown(&heading.text)
                ),
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
    words(&heading).any(|word| {
        matches!(
            word,
            "question" | "questions" | "unresolved" | "unknowns" | "clarify" | "clarifications"
        )
    }) || heading.contains("open point")
        || heading.contains("open issue")
}

/// Whether the line says something other than "none".
fn is_open(line: &str) -> bool {
    let text = line
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    !matches!(
        text.as_str(),
        "" | "none"
            | "no"
            | "n/a"
            | "nothing"
            | "none left"
            | "none so far"
            | "all answered"
            | "all resolved"
    )
}

fn ends_in_question(line: &str) -> bool {
    line.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | ')' | '"' | '`'))
        .ends_with(['?', '？'])
}

fn missing_files(outline: &Outline<'_>, mut exists: impl FnMut(&str) -> bool) -> Vec<Note> {
    let mut cited: BTreeMap<String, usize> = BTreeMap::new();
    let mut made: BTreeSet<String> = BTreeSet::new();
    for fragment in &outline.fragments {
        for path in cited_paths(fragment.kind, &fragment.text) {
            if cited.len() >= CITED_MAX {
                break;
            }
            if is_made(outline, fragment.line, &path) {
                made.insert(path.clone());
            }
            let line = cited.entry(path).or_insert(fragment.line);
            *line = fragment.line.min(*line);
        }
    }
    let comes_to_be = |path: &str| {
        made.iter()
            .any(|new| path == new || (new.ends_with('/') && path.starts_with(new.as_str())))
    };
    cited
        .into_iter()
        .filter(|(path, _)| !comes_to_be(path))
        .take(FILES_MAX)
        .filter(|(path, _)| !exists(path))
        .map(|(path, line)| {
            let sentence = format!(
                "{} does not exist, and the plan does not say that it is new.",
                shown(&path)
            );
            warning(NoteCode::MissingFile, Some(line), sentence)
        })
        .collect()
}

/// Whether the line, or the heading above it, says that the file comes to be by the plan.
fn is_made(outline: &Outline<'_>, line: usize, path: &str) -> bool {
    if outline
        .heading_above(line)
        .is_some_and(|heading| says_new(&heading.to_lowercase()))
    {
        return true;
    }
    let text = outline.line(line);
    if text.len() > LINE_MAX {
        return false;
    }
    // The path's own words say nothing: `src/new.rs` is not new by its name.
    let around = text.to_lowercase().replace(&path.to_lowercase(), "\0");
    let before: Vec<&str> = around
        .split('\0')
        .next()
        .map(|before| words(before).collect())
        .unwrap_or_default();
    let last = before
        .iter()
        .rev()
        .find(|word| !matches!(**word, "a" | "an" | "the" | "file" | "module" | "test"));
    let moves = |word: &&str| {
        word.starts_with("mov")
            || word.starts_with("renam")
            || matches!(*word, "copy" | "extract" | "split")
    };
    match last {
        _ if says_new(&around) => true,
        Some(&("add" | "adds" | "adding")) => true,
        Some(&("to" | "into" | "as")) => before.iter().any(moves),
        _ => false,
    }
}

fn says_new(text: &str) -> bool {
    words(text).any(|word| {
        word.starts_with("creat")
            || word.starts_with("generat")
            || matches!(word, "new" | "newly" | "introduce" | "introduces")
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

fn shown(text: &str) -> String {
    crate::reminder::one_line(text, 120)
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
