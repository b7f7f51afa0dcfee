//! Notes on a plan before a person reads it (M5). It informs and never blocks; whether a file exists is asked of the caller.

mod files;
mod unfinished;

use serde::{Deserialize, Serialize};

use super::outline::{Heading, Outline, OutlineLine};
use crate::workflow::PlanLength;

/// More notes than this help nobody.
pub(crate) const MAX_NOTES: usize = 40;
/// How many different files the caller is asked for.
pub(crate) const MAX_FILES: usize = 200;
/// What lies behind this many bytes is not looked at.
const MAX_CHECKED_BYTES: usize = 512 * 1024;

/// A remark on a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckNote {
    /// How much it matters.
    pub severity: Severity,
    /// What was noticed.
    pub code: NoteCode,
    /// From 1; none where the whole plan is meant.
    pub line: Option<usize>,
    /// The same for people.
    pub sentence: String,
}

/// How much a note matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Good to know.
    Info,
    /// Worth a look before approving.
    Warning,
    /// The plan can hardly be carried out like this.
    Serious,
}

/// What a note is about; the names are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoteCode {
    /// Nothing is written.
    EmptyPlan,
    /// It does not say how to check the work.
    NoVerification,
    /// The part that should say it is empty.
    EmptyVerification,
    /// It names a file that is not there.
    MissingFile,
    /// Something was left to fill in.
    Placeholder,
    /// Something was left to decide.
    OpenQuestion,
    /// It is longer than people read.
    TooLong,
    /// There are more notes than are shown.
    MoreNotes,
}

/// The notes on a plan, those on the whole plan first, then by line.
pub fn check(plan: &str, length: PlanLength, exists: impl FnMut(&str) -> bool) -> Vec<CheckNote> {
    let plan = fore_text::cut::bytes(plan, MAX_CHECKED_BYTES);
    let outline = Outline::of(plan);
    if let Some(sentence) = says_nothing(&outline) {
        let sentence = sentence.to_owned();
        return vec![CheckNote { severity: Severity::Serious, code: NoteCode::EmptyPlan, line: None, sentence }];
    }
    let mut notes = Vec::new();
    notes.extend(too_long(plan, length));
    notes.extend(verification(&outline));
    notes.extend(unfinished::placeholders(&outline));
    notes.extend(unfinished::open_questions(&outline));
    notes.extend(files::missing_files(&outline, exists));
    bounded(notes)
}

fn bounded(mut notes: Vec<CheckNote>) -> Vec<CheckNote> {
    notes.sort_by_key(|note| note.line);
    let more = notes.len().saturating_sub(MAX_NOTES);
    if more > 0 {
        // The gravest stay; the sort is stable, so the order by line holds within a severity.
        notes.sort_by_key(|note| std::cmp::Reverse(note.severity));
        notes.truncate(MAX_NOTES);
        notes.sort_by_key(|note| note.line);
        notes.push(CheckNote {
            severity: Severity::Info,
            code: NoteCode::MoreNotes,
            line: None,
            sentence: format!("{more} more notes are left out."),
        });
    }
    notes
}

fn warning(code: NoteCode, line: Option<usize>, sentence: String) -> CheckNote {
    CheckNote { severity: Severity::Warning, code, line, sentence }
}

/// Why there is nothing to carry out: no words, only titles, or a single word such as the name of a file.
fn says_nothing(outline: &Outline<'_>) -> Option<&'static str> {
    let is_word = |word: &&str| word.chars().any(char::is_alphanumeric);
    let words = |text: &str| text.split_whitespace().filter(is_word).count();
    let (titles, body): (Vec<_>, Vec<_>) = outline.lines.iter().partition(|line| outline.is_heading(line.number));
    let count = |lines: &[&OutlineLine<'_>]| lines.iter().map(|line| words(line.text)).sum::<usize>();
    match (count(&titles), count(&body)) {
        (0, 0) => Some("The plan is empty: approving it only ends the planning."),
        (_, 0) => Some("The plan has a title and nothing else: it does not say what to do."),
        (_, 1) => Some("The plan is a single word: it does not say what to do."),
        _ => None,
    }
}

fn too_long(plan: &str, length: PlanLength) -> Option<CheckNote> {
    let (limit, severity) = match length {
        PlanLength::Control => return None,
        PlanLength::Trim => (80, Severity::Info),
        PlanLength::Cut => (40, Severity::Info),
        PlanLength::Cap => (40, Severity::Warning),
    };
    let lines = plan.trim_end().lines().count();
    let sentence = format!("The plan has {lines} lines; the chosen length asks for at most {limit}.");
    (lines > limit).then_some(CheckNote { severity, code: NoteCode::TooLong, line: None, sentence })
}

fn verification(outline: &Outline<'_>) -> Option<CheckNote> {
    let sections: Vec<&Heading> = outline.headings.iter().filter(|heading| names_verification(&heading.text)).collect();
    let is_filled =
        |heading: &Heading| outline.section(heading).any(|line| line.text.chars().any(char::is_alphanumeric));
    let prose = outline.lines.iter().filter(|line| !line.is_code && !outline.is_heading(line.number));
    if sections.iter().any(|heading| is_filled(heading)) || prose.into_iter().any(|line| begins_with_verify(line.text))
    {
        return None;
    }
    Some(match sections.first() {
        Some(heading) => {
            let sentence =
                format!("The section \"{}\" is empty: say how the result is verified.", shown(&heading.text));
            warning(NoteCode::EmptyVerification, Some(heading.line), sentence)
        }
        None => warning(NoteCode::NoVerification, None, "The plan does not say how the result is verified.".to_owned()),
    })
}

pub(crate) fn names_verification(heading: &str) -> bool {
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
    }) || ["how to check", "how to try", "definition of done", "done when"]
        .iter()
        .any(|phrase| heading.contains(phrase))
}

/// `**Verify:** …`, `5. Verify with …`, `- Test plan: …`
fn begins_with_verify(line: &str) -> bool {
    let text = line.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase();
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

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn shown(text: &str) -> String {
    crate::reminder::one_line(text, 120)
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
