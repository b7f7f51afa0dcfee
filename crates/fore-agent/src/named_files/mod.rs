//! The files that a plan names, as they were at one moment, and which of them have moved since. Only what the opener gives is read.
//!
//! Bytes of texts are kept within bounds, so that the difference can be shown whatever git knows; of the rest the hash is.

mod moved;

pub use moved::{FileMove, MovedFile};

use fore_plan::{
    approval::Timestamp,
    contract::{Contract, NotGrantedReason, PathShape, PlannedChange},
    plan::Hash,
};
use fore_sandbox::{
    Opener,
    open::{Links, NotOpened},
};
use fore_store::{
    Home,
    named_files::{NamedBy, find, keep},
};
use moved::moved;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    io::Read,
    path::{Component, Path},
};

/// Files that are remembered; what a plan names behind them is not.
const MAX_FILES: usize = 200;
/// A longer file is not compared.
const MAX_READ_BYTES: u64 = 8 * 1024 * 1024;
/// What is read of all files together.
const MAX_READ_IN_ALL: u64 = 64 * 1024 * 1024;
/// A longer text is known by its hash alone.
const MAX_TEXT_BYTES: usize = 64 * 1024;
/// Texts of all files together.
const MAX_TEXTS_BYTES: usize = 512 * 1024;

/// The files that a plan names, at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NamedFiles {
    /// When that was.
    pub(crate) at: Timestamp,
    /// Where the repository stood, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) head: Option<String>,
    /// By path from the project folder.
    files: BTreeMap<String, NamedFile>,
}

/// What one of them was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum NamedFile {
    Absent,
    /// An ordinary file; its text where that is kept.
    There {
        hash: Hash,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// A link, a folder or something else that is not read.
    Other,
    /// It may not be read, or is too long: nothing is known of it.
    Unknown,
}

/// How much may still be read and kept.
#[derive(Debug)]
struct ReadBudget {
    bytes: u64,
    texts: usize,
}

impl NamedFiles {
    /// Looks at what a contract names. Call it where blocking is allowed.
    pub(crate) fn of(contract: &Contract, opener: &Opener, project: &Path, at: Timestamp) -> NamedFiles {
        let opener = opener.clone().for_many();
        let mut budget = ReadBudget { bytes: MAX_READ_IN_ALL, texts: MAX_TEXTS_BYTES };
        let mut files = BTreeMap::new();
        for (path, is_granted) in named_paths(contract) {
            if files.len() >= MAX_FILES {
                break;
            }
            if !is_plain(path) || files.contains_key(path) {
                continue;
            }
            let file = budget.look(&opener, &project.join(path));
            // What is only pointed to may be anything but a file.
            if is_granted || matches!(file, NamedFile::There { .. }) {
                files.insert(path.to_owned(), file);
            }
        }
        NamedFiles { at, head: crate::proof::git_head(&opener, project), files }
    }

    /// The same files as they are now.
    pub(crate) fn again(&self, opener: &Opener, project: &Path, at: Timestamp) -> NamedFiles {
        let opener = opener.clone().for_many();
        let mut budget = ReadBudget { bytes: MAX_READ_IN_ALL, texts: MAX_TEXTS_BYTES };
        let paths = self.files.keys().filter(|path| is_plain(path)).take(MAX_FILES);
        let files = paths.map(|path| (path.clone(), budget.look(&opener, &project.join(path)))).collect();
        NamedFiles { at, head: crate::proof::git_head(&opener, project), files }
    }

    /// What an earlier look knows of the same files counts: the plan was made then, and edited since.
    #[must_use]
    pub(crate) fn edited_since(mut self, earlier: &NamedFiles) -> NamedFiles {
        for (path, file) in &mut self.files {
            if let Some(then) = earlier.files.get(path) {
                file.clone_from(then);
            }
        }
        NamedFiles { at: earlier.at, head: earlier.head.clone(), ..self }
    }

    /// What has moved until a later look at the same files.
    pub(crate) fn moved(&self, now: &NamedFiles) -> Vec<MovedFile> {
        moved(&self.files, &now.files)
    }

    /// The record that is kept; none if there is none that can be read.
    pub(crate) fn find(home: &Home, by: NamedBy<'_>) -> Option<NamedFiles> {
        let bytes = find(home, by).ok().flatten()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Keeps it. Without the record nothing is known later, and that is said; the work itself continues.
    pub(crate) fn keep(&self, home: &Home, by: NamedBy<'_>) {
        if let Ok(bytes) = serde_json::to_vec(self) {
            let _ = keep(home, by, &bytes);
        }
    }
}

/// The files that a plan builds on, and whether it is granted that they are changed. What it leaves alone is none of them.
fn named_paths(contract: &Contract) -> impl Iterator<Item = (&str, bool)> {
    let granted = contract.files.iter().filter(|grant| grant.shape == PathShape::File).flat_map(|grant| {
        let to = match &grant.change {
            PlannedChange::Move { to } => Some(to.as_str()),
            PlannedChange::New | PlannedChange::Change | PlannedChange::Delete => None,
        };
        std::iter::once(grant.path.as_str()).chain(to).map(|path| (path, true))
    });
    let named = contract.not_granted.iter().filter_map(|named| match named.why {
        NotGrantedReason::NotFound => Some((named.named.as_str(), true)),
        NotGrantedReason::Reference | NotGrantedReason::GivesOrders | NotGrantedReason::TooMany => {
            Some((named.named.as_str(), false))
        }
        NotGrantedReason::OutOfScope
        | NotGrantedReason::OutsideProject
        | NotGrantedReason::Unreadable
        | NotGrantedReason::TooBroad
        | NotGrantedReason::Hidden
        | NotGrantedReason::LinkDiffers
        | NotGrantedReason::Ambiguous
        | NotGrantedReason::AnyHost
        | NotGrantedReason::Service
        | NotGrantedReason::Sends
        | NotGrantedReason::Struck => None,
    });
    granted.chain(named)
}

/// A path from the project folder in its one spelling, as a record on disk may not have it.
fn is_plain(path: &str) -> bool {
    let is_normal = |part| matches!(part, Component::Normal(_));
    !path.is_empty() && Path::new(path).components().all(is_normal)
}

impl ReadBudget {
    fn look(&mut self, opener: &Opener, path: &Path) -> NamedFile {
        let opened = match opener.open(path, Links::Refused) {
            Ok(opened) => opened,
            Err(NotOpened::Missing) => return NamedFile::Absent,
            Err(NotOpened::Link | NotOpened::NotAFile(_)) => return NamedFile::Other,
            Err(NotOpened::Secret | NotOpened::Denied | NotOpened::Io(_)) => return NamedFile::Unknown,
        };
        let most = MAX_READ_BYTES.min(self.bytes);
        let mut bytes = Vec::new();
        let read = opened.file.take(most.saturating_add(1)).read_to_end(&mut bytes);
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if read.is_err() || length > most {
            return NamedFile::Unknown;
        }
        self.bytes = self.bytes.saturating_sub(length);
        let hash = Hash::of(&bytes);
        let is_short = bytes.len() <= MAX_TEXT_BYTES.min(self.texts);
        let text = String::from_utf8(bytes).ok().filter(|text| is_short && !text.contains('\0'));
        self.texts = self.texts.saturating_sub(text.as_deref().map_or(0, str::len));
        NamedFile::There { hash, text }
    }
}

#[cfg(test)]
mod tests;
