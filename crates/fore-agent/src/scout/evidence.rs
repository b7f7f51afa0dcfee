//! Everything the searches brought to light, by term and by file.

use super::calls::{ScoutCall, ScoutResults};
use super::request::{TaskRequest, Term, TermKind, parts};
use super::source::{FileKind, defined};
use super::tool_output::{CoChanges, ProjectRoot, numbered, together};
use std::collections::{BTreeMap, BTreeSet};

/// A place where something with a term in its name is defined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    pub(super) path: String,
    pub(super) line: u64,
    pub(super) name: String,
    pub(super) text: String,
}

/// What is known about one term.
#[derive(Clone, Debug)]
pub(super) struct TermTrace {
    pub(super) term: Term,
    /// Lines that mention it, by file.
    pub(super) counts: BTreeMap<String, u64>,
    pub(super) definitions: Vec<Definition>,
    /// Whether the search could be made.
    pub(super) was_searched: bool,
}

/// What is known about the project, as far as the request goes.
#[derive(Clone, Debug, Default)]
pub(super) struct ScoutEvidence {
    pub(super) traces: Vec<TermTrace>,
    /// Every file that was seen in a result.
    pub(super) known: BTreeSet<String>,
    /// Files at the top.
    pub(super) top: BTreeSet<String>,
    pub(super) folders: BTreeSet<String>,
    pub(super) manifests: BTreeSet<String>,
    pub(super) together: BTreeMap<String, CoChanges>,
    /// How many files git knows; none without git.
    pub(super) size: Option<u64>,
    pub(super) root: ProjectRoot,
}

impl ScoutEvidence {
    /// What the calls for the request itself brought.
    pub(super) fn gather(request: &TaskRequest, results: ScoutResults<'_>) -> ScoutEvidence {
        let root = ProjectRoot::find(results);
        let paths = |call: ScoutCall| results.text(&call).map(|text| root.names(text)).unwrap_or_default();
        let top = paths(ScoutCall::Top);
        let folders = results.text(&ScoutCall::Folders).unwrap_or_default().lines().filter(|line| line.ends_with('/'));
        let folders = root.paths(&folders.collect::<Vec<_>>().join("\n"));
        let manifests: BTreeSet<String> =
            paths(ScoutCall::Manifests).into_iter().filter(|path| FileKind::of(path) != FileKind::Generated).collect();
        let traces: Vec<TermTrace> = request.terms.iter().map(|term| trace(term, results, &root)).collect();
        let mut known: BTreeSet<String> = manifests.clone();
        for (trace, term) in traces.iter().zip(&request.terms) {
            known.extend(trace.counts.keys().cloned());
            known.extend(trace.definitions.iter().map(|definition| definition.path.clone()));
            known.extend(paths(ScoutCall::Named(term.clone())));
        }
        known.extend(top.iter().filter(|name| !name.starts_with('.')).cloned());
        let size = results
            .text(&ScoutCall::Size)
            .and_then(|text| text.lines().next()?.trim().parse().ok())
            .filter(|size| *size > 0);
        ScoutEvidence { traces, known, top, folders, manifests, together: BTreeMap::new(), size, root }
    }

    /// What the look at the first candidates brought: more files, and what changed together with them.
    pub(super) fn deepen(&mut self, looks: &[ScoutCall], results: ScoutResults<'_>) {
        for call in looks {
            let Some(text) = results.text(call) else { continue };
            if let ScoutCall::Subject(_) = call {
                self.known.extend(self.root.names(text));
            }
            if let ScoutCall::Together(path) = call {
                let together = together(text, path, &self.root);
                self.together.insert(path.clone(), together);
            }
        }
    }

    /// Files that the path in a request may mean.
    pub(super) fn meant(&self, term: &Term) -> Vec<String> {
        if term.kind != TermKind::Path {
            return Vec::new();
        }
        let said = term.said.as_str();
        let is_tail = |long: &str, short: &str| {
            long == short || long.strip_suffix(short).is_some_and(|before| before.ends_with('/'))
        };
        self.known.iter().filter(|path| is_tail(path, said) || is_tail(said, path)).cloned().collect()
    }
}

fn trace(term: &Term, results: ScoutResults<'_>, root: &ProjectRoot) -> TermTrace {
    let count = ScoutCall::Count(term.clone());
    let counts = results.text(&count).map(|text| root.counts(text)).unwrap_or_default();
    let found = results.text(&ScoutCall::Definitions(term.clone())).map(|text| root.lines(text)).unwrap_or_default();
    let definition = |(path, line, text): (String, u64, String)| {
        let name = defined(&text)?.to_owned();
        let is_code = !matches!(FileKind::of(&path), FileKind::Documentation | FileKind::Paper | FileKind::Generated);
        (is_code && term.is_in(&parts(&name))).then_some(Definition { path, line, name, text })
    };
    let definitions = found.into_iter().filter_map(definition).collect();
    TermTrace { term: term.clone(), counts, definitions, was_searched: results.text(&count).is_some() }
}

/// What a file that was read defines, in its order.
pub(super) fn outline(path: &str, text: &str) -> Vec<Definition> {
    let definition = |(line, text): (u64, &str)| {
        let name = defined(text)?.to_owned();
        Some(Definition { path: path.to_owned(), line, name, text: text.to_owned() })
    };
    numbered(text).into_iter().filter_map(definition).collect()
}
