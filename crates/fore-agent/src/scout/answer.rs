//! Answers a question with what was found: where something is, who uses it, and which code is about it.

use super::findings::ScoutFindings;
use super::index::Relation;
use super::markdown::span;
use super::rank::CandidateReason;
use super::request::{TermKind, parts};
use super::source::FileKind;
use super::survey::Survey;
use std::fmt::Write as _;

const MAX_PLACES: usize = 6;

/// The answer as Markdown.
pub(super) fn write(survey: &Survey, findings: &ScoutFindings) -> String {
    let mut text = String::new();
    for line in places(findings) {
        let _ = writeln!(text, "- {line}");
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let code = survey.files.iter().filter(|file| file.kind != FileKind::Paper).take(MAX_PLACES);
    let code: Vec<String> = code.map(|file| format!("- {}{}", span(&file.path), about(&file.reasons))).collect();
    match code.as_slice() {
        [] if text.is_empty() => {
            text.push_str("Nothing in this project matches the words of your question. ");
            text.push_str("Names of files and functions, or the words the project uses, help most.\n");
        }
        [] => {}
        code => {
            let _ = writeln!(text, "The code this is about, the closest first:\n\n{}\n", code.join("\n"));
        }
    }
    let _ = write!(text, "{}", include_str!("answer-by.md"));
    text
}

/// Where each name of the question is defined and used.
fn places(findings: &ScoutFindings) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, term) in findings.query.terms.iter().enumerate() {
        let is_name = matches!(term.kind, TermKind::Name | TermKind::Word);
        let definitions = findings.looks.values().flat_map(|look| &look.definitions);
        let whole: Vec<String> = definitions
            .filter(|held| is_name && !held.is_test && term.is_all_of(&parts(&held.name)))
            .filter(|held| FileKind::of(&held.path) == FileKind::Source)
            // An `impl` block belongs to what is defined elsewhere.
            .filter(|held| !held.text.trim_start().starts_with("impl"))
            .map(|held| {
                let text = held.text.trim().trim_end_matches(['{', ':', ' ']);
                format!("{}: {}", span(&format!("{}:{}", held.path, held.line)), span(text))
            })
            .take(MAX_PLACES)
            .collect();
        if whole.is_empty() {
            continue;
        }
        let uses = findings.looks.iter().filter(|(_, look)| {
            let relation = look.relations.get(&at).map(|(relation, _)| *relation);
            matches!(relation, Some(Relation::Uses | Relation::Imports))
        });
        let mut uses: Vec<&String> = uses.map(|(path, _)| path).collect();
        uses.sort_by_key(|path| (FileKind::of(path), *path));
        let uses: Vec<String> = uses.into_iter().map(|path| span(path)).take(MAX_PLACES).collect();
        let used = if uses.is_empty() { String::new() } else { format!("; used in {}", uses.join(", ")) };
        lines.push(format!("{} is defined at {}{used}.", span(&term.said), whole.join(", ")));
    }
    lines.truncate(MAX_PLACES);
    lines
}

/// The one thing that tells most about a file.
fn about(reasons: &[CandidateReason]) -> String {
    let told = reasons.iter().find_map(|reason| match reason {
        CandidateReason::Closest { name, line } => Some(format!(", in {} (line {line})", span(name))),
        CandidateReason::Defines { .. }
        | CandidateReason::HandsOn { .. }
        | CandidateReason::Uses { .. }
        | CandidateReason::Named
        | CandidateReason::InName { .. }
        | CandidateReason::InFolder { .. }
        | CandidateReason::Mentions { .. }
        | CandidateReason::Together { .. } => None,
    });
    let defined = reasons.iter().find_map(|reason| match reason {
        CandidateReason::Defines { name, line } => Some(format!(", which defines {} (line {line})", span(name))),
        CandidateReason::Closest { .. }
        | CandidateReason::HandsOn { .. }
        | CandidateReason::Uses { .. }
        | CandidateReason::Named
        | CandidateReason::InName { .. }
        | CandidateReason::InFolder { .. }
        | CandidateReason::Mentions { .. }
        | CandidateReason::Together { .. } => None,
    });
    told.or(defined).unwrap_or_default()
}
