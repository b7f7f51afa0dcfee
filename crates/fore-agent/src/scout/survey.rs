//! What to look at in each round, and the picture that comes of it.

use super::belongs::{Belongs, belongs};
use super::evidence::{Definition, Evidence, outline};
use super::look::{Look, Looked};
use super::project::{self, Project};
use super::rank::{Candidate, rank};
use super::source::{FileKind, subject};
use super::words::{Request, TermKind, Work};
use std::collections::BTreeSet;

/// How many files are opened and shown.
const FILES_MAX: usize = 6;
/// For how many of them the history is asked.
const TOGETHER_MAX: usize = 3;
const SUBJECTS_MAX: usize = 4;
const TESTS_MAX: usize = 6;
/// A file that scores less than this share of the best one is left out.
const SHARE_LEAST: f64 = 0.04;
/// What a file scores that is certainly meant; a path in the request scores more and must not hide the others.
const SCORE_USUAL: f64 = 5.0;

/// The rounds, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Search,
    Open,
    Confirm,
}

/// What a round looks at.
pub(super) fn looks(stage: Stage, request: &Request, looked: Looked<'_>) -> Vec<Look> {
    match stage {
        Stage::Search => search(request),
        Stage::Open => open(request, &Evidence::gather(request, looked)),
        Stage::Confirm => confirm(request, looked),
    }
}

fn search(request: &Request) -> Vec<Look> {
    let mut looks = vec![Look::Top, Look::Folders, Look::Manifests, Look::Size];
    for term in &request.terms {
        looks.push(Look::Count(term.clone()));
        looks.push(Look::Definitions(term.clone()));
        looks.push(Look::Named(term.clone()));
    }
    looks
}

fn open(request: &Request, evidence: &Evidence) -> Vec<Look> {
    let ranked = first(rank(request, evidence), request.work);
    let mut looks: Vec<Look> = ranked.iter().map(|candidate| Look::Source(candidate.path.clone())).collect();
    let subjects: BTreeSet<&str> = ranked
        .iter()
        .take(SUBJECTS_MAX)
        .map(|candidate| subject(&candidate.path))
        .filter(|subject| subject.len() > 2 && subject.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-'))
        .collect();
    looks.extend(subjects.into_iter().map(|subject| Look::Subject(subject.to_owned())));
    if evidence.size.is_some() {
        looks.extend(ranked.iter().take(TOGETHER_MAX).map(|candidate| Look::Together(candidate.path.clone())));
    }
    let projects = project::projects(evidence, ranked.first().map(|candidate| candidate.path.as_str()));
    looks.extend(project::manifests(&projects));
    looks.extend(readme(evidence).map(Look::Readme));
    looks
}

fn confirm(request: &Request, looked: Looked<'_>) -> Vec<Look> {
    let (evidence, _) = deepened(request, looked);
    let ranked = first(rank(request, &evidence), request.work);
    let sources = ranked.iter().map(|candidate| Look::Source(candidate.path.clone()));
    let projects = project::projects(&evidence, ranked.first().map(|candidate| candidate.path.as_str()));
    sources.chain(project::check(&projects)).collect()
}

fn deepened(request: &Request, looked: Looked<'_>) -> (Evidence, Vec<Look>) {
    let mut evidence = Evidence::gather(request, looked);
    let looks = open(request, &evidence);
    evidence.deepen(&looks, looked);
    (evidence, looks)
}

fn readme(evidence: &Evidence) -> Option<String> {
    evidence.top.iter().find(|name| name.to_lowercase().starts_with("readme.")).cloned()
}

/// The files to open: no tests where code is asked for, they have a place of their own.
fn first(ranked: Vec<Candidate>, work: Work) -> Vec<Candidate> {
    let is_wanted = |candidate: &Candidate| match candidate.kind {
        FileKind::Test | FileKind::Benchmark => work == Work::Test,
        FileKind::Generated | FileKind::TestData | FileKind::Paper => {
            candidate.reasons.contains(&super::rank::Reason::Named)
        }
        FileKind::Source | FileKind::Example | FileKind::Documentation | FileKind::Settings => true,
    };
    let wanted: Vec<Candidate> = ranked.into_iter().filter(is_wanted).collect();
    let best = wanted.first().map_or(0.0, |candidate| candidate.score.min(SCORE_USUAL));
    wanted.into_iter().filter(|candidate| candidate.score >= best * SHARE_LEAST).take(FILES_MAX).collect()
}

/// A test and the file it belongs to.
#[derive(Clone, Debug)]
pub(super) struct OwnTest {
    pub(super) path: String,
    pub(super) file: String,
    pub(super) how: Belongs,
}

/// The whole picture.
#[derive(Debug)]
pub(super) struct Survey {
    pub(super) request: Request,
    pub(super) evidence: Evidence,
    pub(super) files: Vec<Candidate>,
    pub(super) tests: Vec<OwnTest>,
    /// Files that have tests inside.
    pub(super) tested_inside: Vec<String>,
    /// What the opened files define around the terms.
    pub(super) reuse: Vec<Definition>,
    pub(super) projects: Vec<Project>,
    pub(super) check: Option<Look>,
    pub(super) readme: Option<String>,
}

impl Survey {
    pub(super) fn of(request: &Request, looked: Looked<'_>) -> Survey {
        let (evidence, _) = deepened(request, looked);
        let text = |path: &str| looked.text(&Look::Source(path.to_owned()));
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
        let reuse = reuse(request, &files, &evidence, looked);
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

fn own_tests(files: &[Candidate], evidence: &Evidence) -> Vec<OwnTest> {
    let mut tests: Vec<OwnTest> = Vec::new();
    let mentions = |test: &str| evidence.traces.iter().any(|trace| trace.counts.contains_key(test));
    for file in files.iter().filter(|file| file.kind != FileKind::Test) {
        for test in &evidence.known {
            let is_held = tests.iter().any(|held| held.path == *test);
            // A name that only has the file's name in it needs the words of the request inside.
            let fits = |how: &Belongs| *how == Belongs::ByName || mentions(test);
            if let Some(how) = belongs(test, &file.path).filter(|how| !is_held && fits(how)) {
                tests.push(OwnTest { path: test.clone(), file: file.path.clone(), how });
            }
        }
    }
    let place = |file: &str| files.iter().position(|held| held.path == file);
    tests.sort_by_key(|test| (test.how, place(&test.file), test.path.clone()));
    tests.truncate(TESTS_MAX);
    tests
}

/// Definitions that have to do with the request: in the opened files first, then elsewhere.
fn reuse(request: &Request, files: &[Candidate], evidence: &Evidence, looked: Looked<'_>) -> Vec<Definition> {
    let mut found: Vec<(usize, usize, Definition)> = Vec::new();
    for (place, file) in files.iter().enumerate() {
        let text = looked.text(&Look::Source(file.path.clone())).unwrap_or_default();
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
    found.into_iter().map(|(_, _, definition)| definition).take(FILES_MAX + 2).collect()
}

/// Whole names before parts, names in the request before words.
fn relevance(request: &Request, definition: &Definition) -> usize {
    let parts = super::words::parts(&definition.name);
    let of_term = |term: &super::words::Term| match term.kind {
        _ if term.is_all_of(&parts) => 4,
        TermKind::Name | TermKind::Pair if term.is_in(&parts) => 3,
        _ if term.is_in(&parts) => 2,
        _ => 0,
    };
    request.terms.iter().map(of_term).sum()
}
