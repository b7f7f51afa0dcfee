//! What was found, by term and by file, with what git knows.

use super::calls::{ScoutCall, ScoutResults};
use super::findings::ScoutFindings;
use super::index::Definition;
use super::request::{Term, TermKind, parts};
use super::score::is_meant;
use super::source::FileKind;
use super::tool_output::{CoChanges, together};
use std::collections::{BTreeMap, BTreeSet};

/// What is known about one term.
#[derive(Clone, Debug)]
pub(super) struct TermTrace {
    pub(super) term: Term,
    /// Lines that mention it, by file.
    pub(super) counts: BTreeMap<String, u64>,
    pub(super) definitions: Vec<Definition>,
}

/// What is known about the project, as far as the request goes.
#[derive(Clone, Debug, Default)]
pub(super) struct ScoutEvidence {
    /// Of the terms that are told.
    pub(super) traces: Vec<TermTrace>,
    /// Every file that was seen.
    pub(super) known: BTreeSet<String>,
    /// Files at the top.
    pub(super) top: BTreeSet<String>,
    pub(super) folders: BTreeSet<String>,
    pub(super) together: BTreeMap<String, CoChanges>,
    /// How many files git tracks; none without git.
    pub(super) size: Option<u64>,
}

impl ScoutEvidence {
    /// What the look and the calls brought.
    pub(super) fn gather(findings: &ScoutFindings, results: ScoutResults<'_>) -> ScoutEvidence {
        let known = findings.known.clone();
        let top = known.iter().filter(|path| !path.contains('/')).cloned().collect();
        let folders =
            known.iter().filter_map(|path| path.split_once('/')).map(|(folder, _)| folder.to_owned()).collect();
        let size = results
            .text(&ScoutCall::Size)
            .and_then(|text| text.lines().next()?.trim().parse().ok())
            .filter(|size| *size > 0);
        let changes = known.iter().filter_map(|path| {
            let text = results.text(&ScoutCall::Together(path.clone()))?;
            Some((path.clone(), together(text, path)))
        });
        let together = changes.collect();
        let traces = findings.request.told().map(|term| trace(term, findings)).collect();
        ScoutEvidence { traces, known, top, folders, together, size }
    }

    /// Files that the path in a request may mean.
    pub(super) fn meant(&self, term: &Term) -> Vec<String> {
        if term.kind != TermKind::Path {
            return Vec::new();
        }
        self.known.iter().filter(|path| is_meant(&term.said, path)).cloned().collect()
    }
}

fn trace(term: &Term, findings: &ScoutFindings) -> TermTrace {
    let at = findings.query.terms.iter().position(|held| held == term);
    let lines = |lines: &[u32]| at.and_then(|at| lines.get(at)).copied().map(u64::from).filter(|lines| *lines > 0);
    let counted = findings.counts.files.iter();
    let counts = counted.filter_map(|file| Some((file.path.clone(), lines(&file.lines)?))).collect();
    let is_code = |path: &str| !matches!(FileKind::of(path), FileKind::Documentation | FileKind::Paper);
    let definitions = findings.looks.values().flat_map(|look| &look.definitions);
    let definitions = definitions.filter(|held| is_code(&held.path) && term.is_in(&parts(&held.name))).cloned();
    TermTrace { term: term.clone(), counts, definitions: definitions.collect() }
}
