//! What the agent changed in one turn: each file as it was before the first change and after the last one. This is what lies on disk.

use fore_sandbox::edit::{FileMark, MarkedKind};
use fore_store::UndoFolder;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The form of what follows; a turn of another form is none.
const FORM: u32 = 1;

/// The changes of one turn, or of one undo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TurnChanges {
    form: u32,
    pub(crate) session: String,
    /// When the turn began, in milliseconds since 1970.
    pub(crate) at_ms: u64,
    /// What the person asked, in one line.
    pub(crate) prompt: String,
    /// The turns that were undone here, the newest first; none where the agent worked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) undoes: Vec<String>,
    /// It was taken back.
    #[serde(default)]
    pub(crate) is_undone: bool,
    /// By absolute path.
    pub(crate) files: BTreeMap<String, TouchedFile>,
    /// What may have changed besides and was not remembered, in words for the person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) gaps: Vec<String>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TouchedFile {
    pub(crate) before: FileThen,
    pub(crate) after: FileThen,
    /// Somebody else changed it in between, or nobody knows who changed it.
    #[serde(default)]
    pub(crate) is_mixed: bool,
}

/// What a path stood for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum FileThen {
    Missing,
    File {
        mark: FileMark,
        content: ContentPlace,
    },
    Link {
        mark: FileMark,
        target: String,
    },
    Folder {
        mark: FileMark,
    },
    /// A pipe, a socket or a device, or a link that is no text.
    Special {
        mark: FileMark,
    },
}

/// Where the content of a file is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ContentPlace {
    /// Among the contents that are kept for undo.
    Kept(String),
    /// In the repository, as this object.
    Git(String),
    /// Nowhere.
    Lost(NotKept),
}

/// Why a content is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum NotKept {
    /// Secrets are copied nowhere.
    Secret,
    /// A rule denies reading it.
    Denied,
    TooLarge,
    /// There was more to keep than time or room for it.
    TooMuch,
    Unreadable,
}

impl NotKept {
    pub(crate) fn words(self) -> &'static str {
        match self {
            NotKept::Secret => "is kept secret, so no copy of it was made",
            NotKept::Denied => "may not be read, so no copy of it was made",
            NotKept::TooLarge => "is too large to be kept",
            NotKept::TooMuch => "was not kept in time",
            NotKept::Unreadable => "could not be read",
        }
    }
}

impl TurnChanges {
    pub(crate) fn new(session: String, at_ms: u64, prompt: String) -> TurnChanges {
        TurnChanges {
            form: FORM,
            session,
            at_ms,
            prompt,
            undoes: Vec::new(),
            is_undone: false,
            files: BTreeMap::new(),
            gaps: Vec::new(),
        }
    }

    pub(crate) fn read(bytes: &[u8]) -> Option<TurnChanges> {
        serde_json::from_slice(bytes).ok().filter(|turn: &TurnChanges| turn.form == FORM)
    }

    pub(crate) fn write(&self, folder: &UndoFolder, id: &str) -> Result<(), String> {
        let bytes = serde_json::to_vec(self).map_err(|error| error.to_string())?;
        folder.write_turn(id, &bytes).map_err(|error| error.to_string())
    }

    /// The contents that it needs.
    pub(crate) fn contents(&self) -> Vec<String> {
        let both = self.files.values().flat_map(|change| [&change.before, &change.after]);
        both.filter_map(|then| match then {
            FileThen::File { content: ContentPlace::Kept(name), .. } => Some(name.clone()),
            FileThen::File { .. }
            | FileThen::Missing
            | FileThen::Link { .. }
            | FileThen::Folder { .. }
            | FileThen::Special { .. } => None,
        })
        .collect()
    }

    /// Adds what happened to a path. `before` counts only the first time.
    pub(crate) fn add(&mut self, path: String, change: TouchedFile) {
        match self.files.get_mut(&path) {
            None => {
                self.files.insert(path, change);
            }
            Some(known) if known.after.is_same_as(&change.after) => {}
            Some(known) => {
                known.is_mixed |= change.is_mixed || !known.after.is_same_as(&change.before);
                known.after = change.after;
            }
        }
    }

    pub(crate) fn add_gap(&mut self, gap: String) {
        if !self.gaps.contains(&gap) {
            self.gaps.push(gap);
        }
    }
}

impl FileThen {
    /// The same by what is written down, without looking at contents.
    pub(crate) fn is_same_as(&self, other: &FileThen) -> bool {
        match (self.mark(), other.mark()) {
            (None, None) => true,
            (Some(one), Some(two)) => one.is_same(two),
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    pub(crate) fn mark(&self) -> Option<&FileMark> {
        match self {
            FileThen::Missing => None,
            FileThen::File { mark, .. }
            | FileThen::Link { mark, .. }
            | FileThen::Folder { mark }
            | FileThen::Special { mark } => Some(mark),
        }
    }

    pub(crate) fn kind(&self) -> Option<MarkedKind> {
        self.mark().map(FileMark::kind)
    }
}
