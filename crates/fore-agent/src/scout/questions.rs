//! What only a person can say: questions that follow from what was found and what was not.

use super::markdown::span;
use super::request::{TermKind, WorkKind, parts};
use super::source::FileKind;
use super::survey::Survey;
use std::collections::BTreeSet;

const MAX_QUESTIONS: usize = 5;
/// Two files with scores nearer than this are equally likely.
const ALIKE: f64 = 0.85;
/// A second file further behind than this leaves no doubt about the first.
const UNLIKE: f64 = 0.5;

/// Two to five questions, the most pressing first.
pub(super) fn questions(survey: &Survey) -> Vec<String> {
    let mut questions: Vec<String> = Vec::new();
    questions.extend(missing_paths(survey));
    questions.extend(missing_terms(survey));
    questions.extend(ambiguous_names(survey));
    questions.extend(two_places(survey));
    questions.extend(no_tests(survey));
    questions.truncate(MAX_QUESTIONS - 1);
    questions.push(of_the_work(survey.request.work).to_owned());
    if questions.len() == 1 {
        questions.push("What must stay exactly as it is?".to_owned());
    }
    questions
}

fn missing_paths(survey: &Survey) -> Option<String> {
    let is_there = |said: &str| survey.evidence.known.iter().any(|path| path.contains(&format!("{said}/")));
    let missing =
        survey.request.terms.iter().find(|term| {
            term.kind == TermKind::Path && survey.evidence.meant(term).is_empty() && !is_there(&term.said)
        })?;
    let name = missing.said.rsplit('/').next().unwrap_or_default();
    Some(format!("{} was not found: is it still to be made, or is another file meant?", span(name)))
}

fn missing_terms(survey: &Survey) -> Option<String> {
    let traces = survey.evidence.traces.iter();
    let missing: Vec<String> = traces
        .filter(|trace| trace.was_searched && !trace.counts.keys().any(|path| is_code(path)))
        .filter(|trace| !matches!(trace.term.kind, TermKind::Pair | TermKind::Path))
        .map(|trace| span(&trace.term.said))
        .collect();
    match missing.as_slice() {
        [] => None,
        _ if survey.files.is_empty() => Some(format!(
            "No code mentions {}: which words does the project use for it, and where would you begin?",
            missing.join(" or ")
        )),
        [only] => {
            Some(format!("No code mentions {only} yet: does it come in with this, or does it go by another name here?"))
        }
        _ => Some(format!(
            "No code mentions {} yet: do they come in with this, or go by other names here?",
            missing.join(" or ")
        )),
    }
}

/// One name, defined in several files, where the rest of the request does not tell which is meant.
fn ambiguous_names(survey: &Survey) -> Option<String> {
    if let [first, second, ..] = survey.files.as_slice()
        && second.score < first.score * UNLIKE
    {
        return None;
    }
    survey.evidence.traces.iter().find_map(|trace| {
        let whole = trace
            .definitions
            .iter()
            .filter(|held| trace.term.is_all_of(&parts(&held.name)) && FileKind::of(&held.path) == FileKind::Source);
        let places: BTreeSet<&str> = whole.map(|held| held.path.as_str()).collect();
        let mut first = places.iter().take(3).map(|path| span(path));
        let shown: Vec<String> = first.by_ref().collect();
        (places.len() > 1).then(|| {
            let many = if places.len() > 3 { format!("{} files, such as ", places.len()) } else { String::new() };
            format!("{} is defined in {many}{}: which one is meant?", span(&trace.term.said), shown.join(" and "))
        })
    })
}

fn two_places(survey: &Survey) -> Option<String> {
    let [first, second, ..] = survey.files.as_slice() else { return None };
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    (second.score >= first.score * ALIKE && folder(&first.path) != folder(&second.path)).then(|| {
        format!("{} and {} fit about equally well: which is the place for it?", span(&first.path), span(&second.path))
    })
}

fn no_tests(survey: &Survey) -> Option<String> {
    let first = survey.files.first()?;
    let is_bare =
        survey.tests.is_empty() && survey.tested_inside.is_empty() && survey.request.work != WorkKind::Document;
    is_bare.then(|| format!("No test belongs to {}: where should the tests for this go?", span(&first.path)))
}

fn of_the_work(work: WorkKind) -> &'static str {
    match work {
        WorkKind::Add => "What should happen at the edges: nothing there, wrong input, data from before?",
        WorkKind::Fix => "How can the fault be seen: with which input, and what should happen instead?",
        WorkKind::Rename => "Does anybody outside of this repository use the old name?",
        WorkKind::Remove => "Who still relies on it, and is there a way for them to go on?",
        WorkKind::Speed => "Which measurement shows that it is slow, and what would be fast enough?",
        WorkKind::Test => "Which behaviour matters most and is not covered yet?",
        WorkKind::Document => "Who reads it, and what should they be able to do afterwards?",
        WorkKind::Restructure => "Which names and formats do others rely on, so that they must stay?",
        WorkKind::Upgrade => "Which version is wanted, and must the old one go on working?",
        WorkKind::Other => "What should a person see when it is done?",
    }
}

fn is_code(path: &str) -> bool {
    !matches!(FileKind::of(path), FileKind::Documentation | FileKind::Paper | FileKind::Generated)
}
