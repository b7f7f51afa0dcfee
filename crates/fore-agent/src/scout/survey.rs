//! What to ask git and the project once the files were looked at, and the picture that comes of it.

use super::calls::{ScoutCall, ScoutResults};
use super::evidence::ScoutEvidence;
use super::findings::ScoutFindings;
use super::index::Definition;
use super::project::{self, Project};
use super::rank::{Candidate, CandidateReason, rank};
use super::related_tests::{TestRelation, belongs};
use super::request::{TaskRequest, Term, TermKind, WorkKind, parts};
use super::source::FileKind;
use std::collections::BTreeSet;

/// How many files are shown.
const MAX_FILES: usize = 6;
/// A name that changes may be in more of them.
const MAX_RENAMED: usize = 14;
/// For how many of them the history is asked.
const MAX_TOGETHER: usize = 3;
const MAX_TESTS: usize = 6;
/// How many files of documentation and settings are shown beside the code.
const MAX_RELATED: usize = 4;
/// A file that scores less than this share of the best one is left out.
const MIN_SHARE: f64 = 0.04;
/// Documentation that scores less than this share of the best is left out.
const MIN_RELATED_SHARE: f64 = 0.5;

/// What is asked after the look: how much git tracks, what changes together, and whether the project's own check works.
pub(super) fn calls(findings: &ScoutFindings) -> Vec<ScoutCall> {
    let evidence = ScoutEvidence::gather(findings, ScoutResults(&[]));
    let ranked = first(rank(findings, &evidence), &findings.request);
    let mut looks = vec![ScoutCall::Size];
    looks.extend(ranked.iter().take(MAX_TOGETHER).map(|candidate| ScoutCall::Together(candidate.path.clone())));
    looks.extend(project::check(&findings.projects()));
    looks
}

/// The files to open: no tests where code is asked for, they have a place of their own.
fn first(ranked: Vec<Candidate>, request: &TaskRequest) -> Vec<Candidate> {
    let is_wanted = |candidate: &Candidate| match candidate.kind {
        FileKind::Test | FileKind::Benchmark => {
            request.work == WorkKind::Test || candidate.reasons.contains(&CandidateReason::Named)
        }
        FileKind::Generated | FileKind::TestData | FileKind::Paper => {
            candidate.reasons.contains(&CandidateReason::Named)
        }
        FileKind::Source | FileKind::Example | FileKind::Documentation | FileKind::Settings => true,
    };
    let wanted: Vec<Candidate> = ranked.into_iter().filter(is_wanted).collect();
    let is_usual = |candidate: &&Candidate| !candidate.reasons.contains(&CandidateReason::Named);
    let best = wanted.iter().filter(is_usual).map(|candidate| candidate.score).fold(0.0, f64::max);
    let wanted = wanted.into_iter().filter(|candidate| candidate.score >= best * MIN_SHARE);
    match &request.renaming {
        None => wanted.take(MAX_FILES).collect(),
        // Only what has the name; without any such file, what fits otherwise.
        Some(renaming) => {
            let (having, rest): (Vec<Candidate>, Vec<Candidate>) =
                wanted.partition(|candidate| has_name(candidate, &renaming.from));
            if having.is_empty() {
                rest.into_iter().take(MAX_FILES).collect()
            } else {
                having.into_iter().take(MAX_RENAMED).collect()
            }
        }
    }
}

/// Whether a file was named, or has the old name of something; to have what it belongs to is not enough.
fn has_name(candidate: &Candidate, old: &str) -> bool {
    let old = parts(old);
    let has = |reason: &CandidateReason| match reason {
        CandidateReason::Named => true,
        CandidateReason::Defines { name, .. }
        | CandidateReason::HandsOn { name, .. }
        | CandidateReason::Uses { name, .. }
        | CandidateReason::Mentions { said: name, .. } => parts(name) == old,
        CandidateReason::Closest { .. }
        | CandidateReason::InName { .. }
        | CandidateReason::InFolder { .. }
        | CandidateReason::Together { .. } => false,
    };
    candidate.reasons.iter().any(has)
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
    /// Documentation and settings that speak of the same.
    pub(super) related: Vec<Candidate>,
    pub(super) tests: Vec<FileTest>,
    /// Files that have tests inside.
    pub(super) tested_inside: Vec<String>,
    /// What the likely files define around the terms.
    pub(super) reuse: Vec<Definition>,
    pub(super) projects: Vec<Project>,
    pub(super) check: Option<ScoutCall>,
    pub(super) readme: Option<String>,
}

impl Survey {
    pub(super) fn of(findings: &ScoutFindings, results: ScoutResults<'_>) -> Survey {
        let evidence = ScoutEvidence::gather(findings, results);
        let request = findings.request.clone();
        let ranked = rank(findings, &evidence);
        let files = first(ranked.clone(), &request);
        let related = related(ranked, &files);
        let has_tests = |path: &str| findings.looks.get(path).is_some_and(|look| look.has_tests);
        let tested_inside = files.iter().filter(|file| has_tests(&file.path)).map(|file| file.path.clone()).collect();
        let tests = own_tests(&files, &evidence);
        let reuse = reuse(&request, &files, findings);
        let projects = findings.projects();
        let check = project::check(&projects);
        let readme = findings.readme();
        Survey { request, files, related, tests, tested_inside, reuse, projects, check, readme, evidence }
    }

    /// For the line before the plan is handed in.
    pub(super) fn in_a_line(&self) -> String {
        match self.files.as_slice() {
            [] => "nothing in this project matches your words, so it asks more than it answers.".to_owned(),
            [only] => format!("it begins with {}.", super::markdown::span(&only.path)),
            [first, rest @ ..] => {
                let more =
                    if rest.len() == 1 { "one more file".to_owned() } else { format!("{} more files", rest.len()) };
                format!("it begins with {} and names {more}.", super::markdown::span(&first.path))
            }
        }
    }
}

/// Documentation and settings that speak of the same and are not among the files.
fn related(ranked: Vec<Candidate>, files: &[Candidate]) -> Vec<Candidate> {
    let is_beside = |held: &Candidate| {
        matches!(held.kind, FileKind::Documentation | FileKind::Settings)
            && !files.iter().any(|file| file.path == held.path)
            // One common word is no relation.
            && held.reasons.iter().filter(|reason| !matches!(reason, CandidateReason::InFolder { .. })).count() > 1
    };
    let beside: Vec<Candidate> = ranked.into_iter().filter(is_beside).collect();
    let best = beside.first().map_or(0.0, |held| held.score);
    beside.into_iter().filter(|held| held.score >= best * MIN_RELATED_SHARE).take(MAX_RELATED).collect()
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

/// Definitions that have to do with the request: in the likely files first, then elsewhere.
fn reuse(request: &TaskRequest, files: &[Candidate], findings: &ScoutFindings) -> Vec<Definition> {
    let mut found: Vec<(usize, usize, &Definition)> = Vec::new();
    for (path, look) in &findings.looks {
        let place = files.iter().position(|file| file.path == *path);
        if FileKind::of(path) != FileKind::Source {
            continue;
        }
        for definition in look.definitions.iter().filter(|held| !held.is_test) {
            // What the best file defines is worth knowing, whatever it is called.
            let relevance = relevance(request, definition).max(usize::from(place == Some(0)));
            found.push((relevance, place.unwrap_or(files.len()), definition));
        }
    }
    found.retain(|(relevance, ..)| *relevance > 0);
    found.sort_by(|a, b| (b.0, a.1, &a.2.path, a.2.line).cmp(&(a.0, b.1, &b.2.path, b.2.line)));
    let mut seen = BTreeSet::new();
    found.retain(|(_, _, definition)| seen.insert((definition.path.clone(), definition.name.clone())));
    found.into_iter().map(|(_, _, definition)| definition.clone()).take(MAX_FILES + 2).collect()
}

/// Whole names before parts, names in the request before words.
fn relevance(request: &TaskRequest, definition: &Definition) -> usize {
    let name = parts(&definition.name);
    let of_term = |term: &Term| {
        let is_name = matches!(term.kind, TermKind::Name | TermKind::Pair);
        match (term.is_all_of(&name), term.is_in(&name)) {
            (true, _) => 4,
            (false, true) if is_name => 3,
            (false, true) => 2,
            (false, false) => 0,
        }
    };
    request.terms.iter().map(of_term).sum()
}
