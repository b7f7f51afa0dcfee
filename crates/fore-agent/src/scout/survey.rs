//! What to look at in each round, and the picture that comes of it.

use super::calls::{ScoutCall, ScoutResults};
use super::evidence::{Definition, ScoutEvidence, outline};
use super::project::{self, Project};
use super::rank::{Candidate, rank};
use super::related_tests::{TestRelation, belongs};
use super::request::{TaskRequest, TermKind, WorkKind};
use super::source::{FileKind, subject};
use std::collections::BTreeSet;

/// How many files are opened and shown.
const MAX_FILES: usize = 6;
/// For how many of them the history is asked.
const MAX_TOGETHER: usize = 3;
const MAX_SUBJECTS: usize = 4;
const MAX_TESTS: usize = 6;
/// A file that scores less than this share of the best one is left out.
const MIN_SHARE: f64 = 0.04;
/// What a file scores that is certainly meant; a path in the request scores more and must not hide the others.
const SCORE_USUAL: f64 = 5.0;

/// The rounds, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SurveyStage {
    Search,
    Open,
    Confirm,
}

/// What a round looks at.
pub(super) fn calls(stage: SurveyStage, request: &TaskRequest, results: ScoutResults<'_>) -> Vec<ScoutCall> {
    match stage {
        SurveyStage::Search => search(request),
        SurveyStage::Open => open(request, &ScoutEvidence::gather(request, results)),
        SurveyStage::Confirm => confirm(request, results),
    }
}

fn search(request: &TaskRequest) -> Vec<ScoutCall> {
    let mut looks = vec![ScoutCall::Top, ScoutCall::Folders, ScoutCall::Manifests, ScoutCall::Size];
    for term in &request.terms {
        looks.push(ScoutCall::Count(term.clone()));
        looks.push(ScoutCall::Definitions(term.clone()));
        looks.push(ScoutCall::Named(term.clone()));
    }
    looks
}

fn open(request: &TaskRequest, evidence: &ScoutEvidence) -> Vec<ScoutCall> {
    let ranked = first(rank(request, evidence), request.work);
    let mut looks: Vec<ScoutCall> = ranked.iter().map(|candidate| ScoutCall::Source(candidate.path.clone())).collect();
    let subjects: BTreeSet<&str> = ranked
        .iter()
        .take(MAX_SUBJECTS)
        .map(|candidate| subject(&candidate.path))
        .filter(|subject| subject.len() > 2 && subject.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-'))
        .collect();
    looks.extend(subjects.into_iter().map(|subject| ScoutCall::Subject(subject.to_owned())));
    if evidence.size.is_some() {
        looks.extend(ranked.iter().take(MAX_TOGETHER).map(|candidate| ScoutCall::Together(candidate.path.clone())));
    }
    let projects = project::projects(evidence, ranked.first().map(|candidate| candidate.path.as_str()));
    looks.extend(project::manifests(&projects));
    looks.extend(readme(evidence).map(ScoutCall::Readme));
    looks
}

fn confirm(request: &TaskRequest, results: ScoutResults<'_>) -> Vec<ScoutCall> {
    let (evidence, _) = deepened(request, results);
    let ranked = first(rank(request, &evidence), request.work);
    let sources = ranked.iter().map(|candidate| ScoutCall::Source(candidate.path.clone()));
    let projects = project::projects(&evidence, ranked.first().map(|candidate| candidate.path.as_str()));
    sources.chain(project::check(&projects)).collect()
}

fn deepened(request: &TaskRequest, results: ScoutResults<'_>) -> (ScoutEvidence, Vec<ScoutCall>) {
    let mut evidence = ScoutEvidence::gather(request, results);
    let looks = open(request, &evidence);
    evidence.deepen(&looks, results);
    (evidence, looks)
}

fn readme(evidence: &ScoutEvidence) -> Option<String> {
    evidence.top.iter().find(|name| name.to_lowercase().starts_with("readme.")).cloned()
}

/// The files to open: no tests where code is asked for, they have a place of their own.
fn first(ranked: Vec<Candidate>, work: WorkKind) -> Vec<Candidate> {
    let is_wanted = |candidate: &Candidate| match candidate.kind {
        FileKind::Test | FileKind::Benchmark => work == WorkKind::Test,
        FileKind::Generated | FileKind::TestData | FileKind::Paper => {
            candidate.reasons.contains(&super::rank::CandidateReason::Named)
        }
        FileKind::Source | FileKind::Example | FileKind::Documentation | FileKind::Settings => true,
    };
    let wanted: Vec<Candidate> = ranked.into_iter().filter(is_wanted).collect();
    let best = wanted.first().map_or(0.0, |candidate| candidate.score.min(SCORE_USUAL));
    wanted.into_iter().filter(|candidate| candidate.score >= best * MIN_SHARE).take(MAX_FILES).collect()
}

/// A test and the file it belongs to.
#[derive(Clone, Debug)]
pub(super) struct FileTest {
    pub(super) path: String,
    pub(super) file: String,
    pub(super) how: TestRelation,
}

/// The whole picture.
#[derive(Debug)]
pub(super) struct Survey {
    pub(super) request: TaskRequest,
    pub(super) evidence: ScoutEvidence,
    pub(super) files: Vec<Candidate>,
    pub(super) tests: Vec<FileTest>,
    /// Files that have tests inside.
    pub(super) tested_inside: Vec<String>,
    /// What the opened files define around the terms.
    pub(super) reuse: Vec<Definition>,
    pub(super) projects: Vec<Project>,
    pub(super) check: Option<ScoutCall>,
    pub(super) readme: Option<String>,
}

impl Survey {
    pub(super) fn of(request: &TaskRequest, results: ScoutResults<'_>) -> Survey {
        let (evidence, _) = deepened(request, results);
        let text = |path: &str| results.text(&ScoutCall::Source(path.to_owned()));
        let mut files = first(rank(request, &evidence), request.work);
        // A path is only shown when the file could be opened, unless no file can be.
        if files.iter().any(|file| text(&file.path).is_some()) {
            files.retain(|file| text(&file.path).is_some());
        } else {
            files.retain(|file| evidence.known.contains(&file.path));
        }
        let tested_inside = files
            .iter()
            .filter(|file| text(&file.path).is_some_and(|text| text.contains("#[cfg(test)]")))
            .map(|file| file.path.clone())
            .collect();
        let tests = own_tests(&files, &evidence);
        let reuse = reuse(request, &files, &evidence, results);
        let projects = project::projects(&evidence, files.first().map(|file| file.path.as_str()));
        let check = project::check(&projects);
        let readme = readme(&evidence);
        Survey { request: request.clone(), files, tests, tested_inside, reuse, projects, check, readme, evidence }
    }

    /// For the line before the plan is handed in.
    pub(super) fn in_a_line(&self) -> String {
        match self.files.as_slice() {
            [] => "nothing in this project matches the words, so it asks more than it answers.".to_owned(),
            [only] => format!("it begins with {}.", super::markdown::span(&only.path)),
            [first, rest @ ..] => {
                let more =
                    if rest.len() == 1 { "one more file".to_owned() } else { format!("{} more files", rest.len()) };
                format!("it begins with {} and names {more}.", super::markdown::span(&first.path))
            }
        }
    }
}

fn own_tests(files: &[Candidate], evidence: &ScoutEvidence) -> Vec<FileTest> {
    let mut tests: Vec<FileTest> = Vec::new();
    let mentions = |test: &str| evidence.traces.iter().any(|trace| trace.counts.contains_key(test));
    for file in files.iter().filter(|file| file.kind != FileKind::Test) {
        for test in &evidence.known {
            let is_held = tests.iter().any(|held| held.path == *test);
            // A name that only has the file's name in it needs the words of the request inside.
            let fits = |how: &TestRelation| *how == TestRelation::ByName || mentions(test);
            if let Some(how) = belongs(test, &file.path).filter(|how| !is_held && fits(how)) {
                tests.push(FileTest { path: test.clone(), file: file.path.clone(), how });
            }
        }
    }
    let place = |file: &str| files.iter().position(|held| held.path == file);
    tests.sort_by_key(|test| (test.how, place(&test.file), test.path.clone()));
    tests.truncate(MAX_TESTS);
    tests
}

/// Definitions that have to do with the request: in the opened files first, then elsewhere.
fn reuse(
    request: &TaskRequest,
    files: &[Candidate],
    evidence: &ScoutEvidence,
    results: ScoutResults<'_>,
) -> Vec<Definition> {
    let mut found: Vec<(usize, usize, Definition)> = Vec::new();
    for (place, file) in files.iter().enumerate() {
        let text = results.text(&ScoutCall::Source(file.path.clone())).unwrap_or_default();
        for definition in outline(&file.path, text) {
            // What the best file defines is worth knowing, whatever it is called.
            let relevance = relevance(request, &definition).max(usize::from(place == 0));
            found.push((relevance, place, definition));
        }
    }
    for definition in evidence.traces.iter().flat_map(|trace| &trace.definitions) {
        let is_held = found.iter().any(|(_, _, held)| held.path == definition.path && held.line == definition.line);
        if !is_held && matches!(FileKind::of(&definition.path), FileKind::Source) {
            found.push((relevance(request, definition), files.len(), definition.clone()));
        }
    }
    found.retain(|(relevance, ..)| *relevance > 0);
    found.sort_by(|a, b| (b.0, a.1, &a.2.path, a.2.line).cmp(&(a.0, b.1, &b.2.path, b.2.line)));
    let mut seen = BTreeSet::new();
    found.retain(|(_, _, definition)| seen.insert((definition.path.clone(), definition.name.clone())));
    found.into_iter().map(|(_, _, definition)| definition).take(MAX_FILES + 2).collect()
}

/// Whole names before parts, names in the request before words.
fn relevance(request: &TaskRequest, definition: &Definition) -> usize {
    let parts = super::request::parts(&definition.name);
    let of_term = |term: &super::request::Term| {
        let is_name = matches!(term.kind, TermKind::Name | TermKind::Pair);
        match (term.is_all_of(&parts), term.is_in(&parts)) {
            (true, _) => 4,
            (false, true) if is_name => 3,
            (false, true) => 2,
            (false, false) => 0,
        }
    };
    request.terms.iter().map(of_term).sum()
}
