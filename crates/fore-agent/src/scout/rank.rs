//! Puts files in the order in which you should open them, each with its reasons.

use super::evidence::ScoutEvidence;
use super::findings::ScoutFindings;
use super::index::{CloserLook, FileCount, Relation};
use super::request::{TaskRequest, Term, TermKind, parts};
use super::score::{NAMED, PathPart, is_meant, is_package_index};
use super::source::FileKind;
use std::collections::BTreeMap;

/// How many candidates are kept.
const MAX_CANDIDATES: usize = 60;
/// A file that changed together with a candidate at least this often counts as its companion.
const MIN_TOGETHER: u64 = 2;
/// How many reasons of one kind a candidate gets.
const MAX_REASONS: usize = 3;
/// What a companion gains of the score of its file.
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
    Defines {
        name: String,
        line: u64,
    },
    /// It takes the name from elsewhere and is the index of a package.
    HandsOn {
        name: String,
        line: u64,
    },
    Uses {
        name: String,
        line: u64,
    },
    /// The function whose words fit best.
    Closest {
        name: String,
        line: u64,
    },
    InName {
        said: String,
    },
    InFolder {
        said: String,
    },
    Mentions {
        said: String,
        lines: u64,
    },
    Together {
        with: String,
        times: u64,
        of: u64,
    },
}

/// All candidates, best first; ties by path.
pub(super) fn rank(findings: &ScoutFindings, evidence: &ScoutEvidence) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for file in &findings.counts.files {
        let score = findings.score(file);
        if score > 0.0 {
            candidates.push(Candidate { path: file.path.clone(), kind: file.kind, score, reasons: Vec::new() });
        }
    }
    add_companions(&mut candidates, evidence);
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
    // What has the old name of something has to change with it, however little it says otherwise.
    if findings.request.renaming.is_some() {
        candidates.sort_by_key(|held| closeness(findings, held));
    }
    candidates.truncate(MAX_CANDIDATES);
    for candidate in &mut candidates {
        let file = findings.counts.files.iter().find(|file| file.path == candidate.path);
        if let Some(file) = file {
            candidate.reasons.extend(reasons(&findings.request, findings, file));
        }
        tidy(&mut candidate.reasons);
    }
    candidates
}

/// How a file relates to the name that is to change: what defines it comes first.
fn closeness(findings: &ScoutFindings, candidate: &Candidate) -> u8 {
    if candidate.score >= NAMED {
        return 0;
    }
    let old = findings.request.renaming.as_ref().map(|renaming| parts(&renaming.from));
    let at =
        findings.query.terms.iter().position(|term| Some(&term.stems) == old.as_ref() && term.kind == TermKind::Name);
    let relation = at.and_then(|at| findings.looks.get(&candidate.path)?.relations.get(&at).copied());
    match relation {
        Some((Relation::Defines, _)) => 1,
        Some((Relation::Imports, _)) if is_package_index(&candidate.path) => 2,
        Some((Relation::Imports | Relation::Uses, _)) => 3,
        Some((Relation::Mentions, _)) => 4,
        None => 5,
    }
}

fn reasons(request: &TaskRequest, findings: &ScoutFindings, file: &FileCount) -> Vec<CandidateReason> {
    let mut reasons = Vec::new();
    let look = findings.looks.get(&file.path);
    for term in request.terms.iter() {
        if term.kind == TermKind::Path && is_meant(&term.said, &file.path) {
            reasons.push(CandidateReason::Named);
        }
    }
    for term in request.told() {
        let at = findings.query.terms.iter().position(|held| held == term);
        let said = || term.said.clone();
        match PathPart::of(term, &file.path) {
            Some(PathPart::Subject | PathPart::Name) => reasons.push(CandidateReason::InName { said: said() }),
            Some(PathPart::Folder) => reasons.push(CandidateReason::InFolder { said: said() }),
            None => {}
        }
        if let Some(look) = look {
            reasons.extend(of_look(term, at, look, &file.path));
        }
        if let Some(lines) = at.and_then(|at| file.lines.get(at)).filter(|lines| **lines > 0) {
            reasons.push(CandidateReason::Mentions { said: said(), lines: u64::from(*lines) });
        }
    }
    if let Some((name, line)) = look.and_then(|look| findings.closest(look)) {
        // What is renamed is where its name stands.
        let is_told = request.renaming.is_some()
            || reasons.iter().any(|held| matches!(held, CandidateReason::Defines { name: told, .. } if *told == name));
        if !is_told {
            reasons.push(CandidateReason::Closest { name, line });
        }
    }
    reasons
}

/// What a closer look says about one term.
fn of_look(term: &Term, at: Option<usize>, look: &CloserLook, path: &str) -> Option<CandidateReason> {
    let whole = look.definitions.iter().find(|held| term.is_all_of(&parts(&held.name)));
    let is_name = term.kind == TermKind::Name;
    let defined = whole.or_else(|| look.definitions.iter().find(|held| term.is_in(&parts(&held.name))));
    if let Some(held) = defined.filter(|_| whole.is_some() || !is_name) {
        return Some(CandidateReason::Defines { name: held.name.clone(), line: held.line });
    }
    let (relation, line) = at.and_then(|at| look.relations.get(&at)).filter(|_| is_name)?;
    let (name, line) = (term.said.clone(), *line);
    match relation {
        Relation::Imports if is_package_index(path) => Some(CandidateReason::HandsOn { name, line }),
        Relation::Imports | Relation::Uses => Some(CandidateReason::Uses { name, line }),
        Relation::Defines | Relation::Mentions => None,
    }
}

/// Files that changed together with the first candidates.
fn add_companions(candidates: &mut Vec<Candidate>, evidence: &ScoutEvidence) {
    let scores: BTreeMap<String, f64> = candidates.iter().map(|held| (held.path.clone(), held.score)).collect();
    let usual = scores.values().copied().filter(|score| *score < NAMED).fold(1.0, f64::max);
    for (with, together) in &evidence.together {
        let Some(score) = scores.get(with) else { continue };
        for (path, times) in together.others.iter().filter(|(_, times)| **times >= MIN_TOGETHER) {
            let kind = FileKind::of(path);
            let gain = COMPANION * score.min(usual) * (*times as f64 / together.commits.max(1) as f64) * kind.share();
            let reason = CandidateReason::Together { with: with.clone(), times: *times, of: together.commits };
            match candidates.iter_mut().find(|held| held.path == *path) {
                Some(held) => {
                    held.score += gain;
                    held.reasons.push(reason);
                }
                // What git remembers may be gone.
                None if evidence.known.contains(path) => {
                    candidates.push(Candidate { path: path.clone(), kind, score: gain, reasons: vec![reason] });
                }
                None => {}
            }
        }
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
    // A folder says nothing that the file's own name does not say better.
    if kept.iter().any(|reason| matches!(reason, CandidateReason::InName { .. })) {
        kept.retain(|reason| !matches!(reason, CandidateReason::InFolder { .. }));
    }
    *reasons = kept;
}

#[cfg(test)]
#[path = "rank_tests.rs"]
mod tests;
