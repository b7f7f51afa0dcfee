//! A file that a plan names and that is not what it was when the plan was made: how, and the difference where it is known.

use super::NamedFile;
use fore_plan::plan::diff;
use serde::Serialize;
use std::{collections::BTreeMap, fmt};

/// Lines of one difference.
const MAX_DIFF_LINES: usize = 20;
/// Files whose difference is shown.
const MAX_DIFFS: usize = 20;

/// A file that a plan names, and that is not what it was when the plan was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MovedFile {
    /// From the project folder.
    pub path: String,
    /// What became of it.
    pub change: FileMove,
    /// Lines that came; none where the text of then or now is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added: Option<usize>,
    /// Lines that went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<usize>,
    /// The beginning of the difference, as unified text; empty where it is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diff: String,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileMove {
    /// It was not there.
    New,
    /// It is no longer there.
    Gone,
    /// It says something else, or is something else.
    Changed,
}

impl FileMove {
    fn word(self) -> &'static str {
        match self {
            FileMove::New => "new",
            FileMove::Gone => "gone",
            FileMove::Changed => "changed",
        }
    }
}

impl fmt::Display for MovedFile {
    /// `src/cart.rs (changed, +3 −1)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}", self.path, self.change.word())?;
        match (self.added, self.removed) {
            (Some(added), Some(removed)) => write!(f, ", +{added} −{removed})"),
            (Some(_) | None, _) => write!(f, ")"),
        }
    }
}

/// What differs between two looks. Where nothing was known then, nothing is said.
pub(super) fn moved(then: &BTreeMap<String, NamedFile>, now: &BTreeMap<String, NamedFile>) -> Vec<MovedFile> {
    let mut found: Vec<MovedFile> = Vec::new();
    for (path, before) in then {
        let Some(after) = now.get(path) else { continue };
        let change = match (before, after) {
            (NamedFile::Unknown, _) => continue,
            (NamedFile::Absent, NamedFile::Absent) | (NamedFile::Other, NamedFile::Other) => continue,
            (NamedFile::There { hash: old, .. }, NamedFile::There { hash: new, .. }) if old == new => continue,
            // It could be read then: it has become too long, or somebody hides it.
            (NamedFile::Absent, NamedFile::There { .. } | NamedFile::Other | NamedFile::Unknown) => FileMove::New,
            (NamedFile::There { .. } | NamedFile::Other, NamedFile::Absent) => FileMove::Gone,
            (
                NamedFile::There { .. } | NamedFile::Other,
                NamedFile::There { .. } | NamedFile::Other | NamedFile::Unknown,
            ) => FileMove::Changed,
        };
        let texts = text(before).zip(text(after)).filter(|_| found.len() < MAX_DIFFS);
        let difference = texts.map(|(old, new)| diff(old, new));
        found.push(MovedFile {
            path: path.clone(),
            change,
            added: difference.as_ref().map(|difference| difference.added),
            removed: difference.as_ref().map(|difference| difference.removed),
            diff: difference.map(|difference| difference.unified(MAX_DIFF_LINES)).unwrap_or_default(),
        });
    }
    found
}

fn text(file: &NamedFile) -> Option<&str> {
    match file {
        NamedFile::Absent => Some(""),
        NamedFile::There { text, .. } => text.as_deref(),
        NamedFile::Other | NamedFile::Unknown => None,
    }
}
