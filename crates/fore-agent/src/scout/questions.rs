//! What only you can say: questions that follow from what was found and what was not.

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
    if !survey.request.renaming.as_ref().is_some_and(|renaming| renaming.keeps_old) {
        questions.push(of_the_work(survey.request.work).to_owned());
    }
    questions.extend(new_name_taken(survey));
    if questions.len() < 2 {
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
    Some(format!("{} was not found: should it be created, or do you mean another file?", span(name)))
}

fn missing_terms(survey: &Survey) -> Option<String> {
    let traces = survey.evidence.traces.iter();
    let missing: Vec<String> = traces
        .filter(|trace| !trace.counts.keys().any(|path| is_code(path)))
        // A message may come from the language or a library.
        .filter(|trace| !matches!(trace.term.kind, TermKind::Pair | TermKind::Path | TermKind::Quoted))
        .map(|trace| span(&trace.term.said))
        .collect();
    match missing.as_slice() {
        [] => None,
        _ if survey.files.is_empty() => Some(format!(
            "No code mentions {}: what does the project call it, and where would you start?",
            missing.join(" or ")
        )),
        [only] => Some(format!("No code mentions {only} yet: is it new, or does the project call it something else?")),
        _ => Some(format!(
            "No code mentions {} yet: are they new, or does the project call them something else?",
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
            format!("{} is defined in {many}{}: which one do you mean?", span(&trace.term.said), shown.join(" and "))
        })
    })
}

fn two_places(survey: &Survey) -> Option<String> {
    let [first, second, ..] = survey.files.as_slice() else { return None };
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    (second.score >= first.score * ALIKE && folder(&first.path) != folder(&second.path)).then(|| {
        format!("{} and {} fit about equally well: which one should change?", span(&first.path), span(&second.path))
    })
}

fn no_tests(survey: &Survey) -> Option<String> {
    let first = survey.files.first()?;
    let is_bare =
        survey.tests.is_empty() && survey.tested_inside.is_empty() && survey.request.work != WorkKind::Document;
    is_bare.then(|| format!("No test is named after {}: where should the tests for this go?", span(&first.path)))
}

/// A new name that something else already has.
fn new_name_taken(survey: &Survey) -> Option<String> {
    let renaming = survey.request.renaming.as_ref()?;
    let is_taken = survey.reuse.iter().any(|held| held.name == renaming.to);
    is_taken.then(|| format!("{} is already defined: should the two become one?", span(&renaming.to)))
}

fn of_the_work(work: WorkKind) -> &'static str {
    match work {
        WorkKind::Add => "How should edge cases behave: empty, invalid, or existing data?",
        WorkKind::Fix => "How can I reproduce it: with which input, and what should happen instead?",
        WorkKind::Rename => "Does anyone outside this repository use the old name?",
        WorkKind::Remove => "Who still relies on it, and what should they use instead?",
        WorkKind::Deprecate => "What should people use instead, and until when must the old way keep working?",
        WorkKind::Speed => "Which measurement shows that it is slow, and what would be fast enough?",
        WorkKind::Test => "Which behaviour matters most and is not covered yet?",
        WorkKind::Document => "Who reads it, and what should they be able to do afterwards?",
        WorkKind::Restructure => "Which names and formats do others rely on, so that they must stay?",
        WorkKind::Upgrade => "Which version do you want, and must the old one keep working?",
        WorkKind::Other => "How will you see that it is done?",
    }
}

fn is_code(path: &str) -> bool {
    !matches!(FileKind::of(path), FileKind::Documentation | FileKind::Paper | FileKind::Generated)
}
