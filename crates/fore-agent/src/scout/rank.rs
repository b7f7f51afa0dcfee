//! Puts files in the order in which a person should open them, each with its reasons.

use super::evidence::ScoutEvidence;
use super::request::{TaskRequest, Term, TermKind, WorkKind, parts};
use super::source::{FileKind, subject};
use std::collections::{BTreeMap, BTreeSet};

/// How many candidates are kept.
const MAX_CANDIDATES: usize = 60;
/// A file that changed together with a candidate at least this often counts as its companion.
const MIN_TOGETHER: u64 = 2;
/// How many reasons of one kind a candidate gets.
const MAX_REASONS: usize = 3;

const NAMED: f64 = 50.0;
const IS_SUBJECT: f64 = 3.0;
const IN_NAME: f64 = 1.6;
const IN_FOLDER: f64 = 0.7;
const DEFINES: f64 = 2.2;
const DEFINES_PART: f64 = 1.1;
const MENTIONS: f64 = 0.5;
const COMPANION: f64 = 0.45;

/// A file that may have to change.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) path: String,
    pub(super) kind: FileKind,
    pub(super) score: f64,
    pub(super) reasons: Vec<CandidateReason>,
}

/// Why a file is a candidate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CandidateReason {
    Named,
    Defines { name: String, line: u64 },
    InName { said: String },
    InFolder { said: String },
    Mentions { said: String, lines: u64 },
    Together { with: String, times: u64, of: u64 },
}

/// All candidates, best first; ties by path.
pub(super) fn rank(request: &TaskRequest, evidence: &ScoutEvidence) -> Vec<Candidate> {
    let mut candidates: BTreeMap<&str, Candidate> = BTreeMap::new();
    let split: BTreeMap<&str, SplitPath> =
        evidence.known.iter().map(|path| (path.as_str(), SplitPath::of(path))).collect();
    let mut covered: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (at, term) in request.terms.iter().enumerate() {
        for (path, (score, reasons)) in by_term(at, term, evidence, &split) {
            let kind = FileKind::of(path);
            let new = || Candidate { path: path.to_owned(), kind, score: 0.0, reasons: Vec::new() };
            let candidate = candidates.entry(path).or_insert_with(new);
            candidate.score += score;
            candidate.reasons.extend(reasons);
            covered.entry(path).or_default().insert(at);
        }
    }
    for (path, candidate) in &mut candidates {
        let terms = covered.get(path).map_or(1, BTreeSet::len);
        candidate.score *= share(candidate.kind, request.work) * (1.0 + 0.35 * (terms as f64 - 1.0));
    }
    let mut candidates: Vec<Candidate> = candidates.into_values().collect();
    add_companions(&mut candidates, evidence, request.work);
    for candidate in &mut candidates {
        tidy(&mut candidate.reasons);
    }
    sort(&mut candidates);
    candidates.truncate(MAX_CANDIDATES);
    candidates
}

fn sort(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
}

/// A path with its names split into parts.
struct SplitPath {
    subject: Vec<String>,
    name: Vec<String>,
    folders: Vec<Vec<String>>,
}

impl SplitPath {
    fn of(path: &str) -> SplitPath {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        SplitPath { subject: parts(subject(path)), name: parts(stem), folders: folders.split('/').map(parts).collect() }
    }
}

type Scored<'a> = BTreeMap<&'a str, (f64, Vec<CandidateReason>)>;

/// What one term says about every file. The rarer a kind of match, the more it says.
fn by_term<'a>(
    at: usize,
    term: &Term,
    evidence: &'a ScoutEvidence,
    split: &BTreeMap<&'a str, SplitPath>,
) -> Scored<'a> {
    let mut scored: Scored<'a> = BTreeMap::new();
    let Some(trace) = evidence.traces.get(at) else { return scored };
    let mut add = |paths: Vec<(&'a str, f64, CandidateReason)>| {
        let files: BTreeSet<&str> = paths.iter().map(|(path, ..)| *path).collect();
        let rarity = term.weight() / (2.0 + files.len() as f64).ln();
        for (path, score, reason) in paths {
            let entry = scored.entry(path).or_default();
            entry.0 += score * rarity;
            entry.1.push(reason);
        }
    };
    let said = || term.said.clone();
    if term.kind == TermKind::Path {
        let meant = evidence.meant(term);
        let named = evidence.known.iter().filter(|path| meant.contains(path));
        add(named.map(|path| (path.as_str(), NAMED, CandidateReason::Named)).collect());
        let folder = format!("{}/", term.said);
        let inside =
            evidence.known.iter().filter(|path| path.starts_with(&folder) || path.contains(&format!("/{folder}")));
        add(inside.map(|path| (path.as_str(), IS_SUBJECT, CandidateReason::InFolder { said: said() })).collect());
    }
    let place = |wanted: PathPart| {
        let here = split.iter().filter(move |(_, split)| PathPart::of(term, split) == Some(wanted));
        here.map(|(path, _)| *path).collect::<Vec<_>>()
    };
    let in_name = |score: f64| move |path| (path, score, CandidateReason::InName { said: said() });
    add(place(PathPart::Subject).into_iter().map(in_name(IS_SUBJECT)).collect());
    add(place(PathPart::Name).into_iter().map(in_name(IN_NAME)).collect());
    add(place(PathPart::Folder)
        .into_iter()
        .map(|path| (path, IN_FOLDER, CandidateReason::InFolder { said: said() }))
        .collect());
    let (whole, part): (Vec<_>, Vec<_>) =
        best_definitions(trace, term).into_iter().partition(|(_, is_whole, _)| *is_whole);
    add(whole.into_iter().map(|(path, _, reason)| (path, DEFINES, reason)).collect());
    add(part.into_iter().map(|(path, _, reason)| (path, DEFINES_PART, reason)).collect());
    let mentions = trace.counts.iter().map(|(path, lines)| {
        let score = MENTIONS * (1.0 + *lines as f64).ln();
        (path.as_str(), score, CandidateReason::Mentions { said: said(), lines: *lines })
    });
    add(mentions.collect());
    scored
}

/// One definition for each file: one that is the whole name if there is one, the first otherwise.
fn best_definitions<'a>(trace: &'a super::evidence::TermTrace, term: &Term) -> Vec<(&'a str, bool, CandidateReason)> {
    let mut best: BTreeMap<&str, (bool, CandidateReason)> = BTreeMap::new();
    for definition in &trace.definitions {
        let is_whole = term.is_all_of(&parts(&definition.name));
        let reason = CandidateReason::Defines { name: definition.name.clone(), line: definition.line };
        match best.get(definition.path.as_str()) {
            Some((held, _)) if *held || !is_whole => {}
            _ => {
                best.insert(&definition.path, (is_whole, reason));
            }
        }
    }
    best.into_iter().map(|(path, (is_whole, reason))| (path, is_whole, reason)).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PathPart {
    Subject,
    Name,
    Folder,
}

impl PathPart {
    fn of(term: &Term, split: &SplitPath) -> Option<PathPart> {
        if term.is_all_of(&split.subject) || term.is_all_of(&split.name) {
            Some(PathPart::Subject)
        } else if term.is_in(&split.name) {
            Some(PathPart::Name)
        } else if split.folders.iter().any(|folder| term.is_in(folder)) {
            Some(PathPart::Folder)
        } else {
            None
        }
    }
}

/// Files that changed together with the first candidates.
fn add_companions(candidates: &mut Vec<Candidate>, evidence: &ScoutEvidence, work: WorkKind) {
    let scores: BTreeMap<String, f64> = candidates.iter().map(|held| (held.path.clone(), held.score)).collect();
    for (with, together) in &evidence.together {
        let Some(score) = scores.get(with) else { continue };
        for (path, times) in together.others.iter().filter(|(_, times)| **times >= MIN_TOGETHER) {
            let kind = FileKind::of(path);
            let gain = COMPANION * score.min(NAMED / 10.0) * (*times as f64 / together.commits.max(1) as f64);
            let gain = gain * share(kind, work);
            let reason = CandidateReason::Together { with: with.clone(), times: *times, of: together.commits };
            match candidates.iter_mut().find(|held| held.path == *path) {
                Some(held) => {
                    held.score += gain;
                    held.reasons.push(reason);
                }
                None => candidates.push(Candidate { path: path.clone(), kind, score: gain, reasons: vec![reason] }),
            }
        }
    }
}

/// How much of its score a file keeps: tests count when tests are asked for.
fn share(kind: FileKind, work: WorkKind) -> f64 {
    match (kind, work) {
        (FileKind::Test, WorkKind::Test) | (FileKind::Documentation, WorkKind::Document) => 1.0,
        (FileKind::Settings, WorkKind::Upgrade) => 1.0,
        _ => kind.share(),
    }
}

/// The strongest reasons, each once.
fn tidy(reasons: &mut Vec<CandidateReason>) {
    reasons.sort();
    reasons.dedup();
    let mut kept: Vec<CandidateReason> = Vec::new();
    for reason in reasons.drain(..) {
        let alike = kept.iter().filter(|held| std::mem::discriminant(*held) == std::mem::discriminant(&reason)).count();
        if alike < MAX_REASONS {
            kept.push(reason);
        }
    }
    // Named once is enough; a folder says nothing that the file's own name does not say better.
    if kept.iter().any(|reason| matches!(reason, CandidateReason::InName { .. })) {
        kept.retain(|reason| !matches!(reason, CandidateReason::InFolder { .. }));
    }
    *reasons = kept;
}

#[cfg(test)]
#[path = "rank_tests.rs"]
mod tests;
