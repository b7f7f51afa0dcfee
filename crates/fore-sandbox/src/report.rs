//! What a rehearsal would have changed. Data only; `setup::changes` fills it from the throw-away layer.

use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::path::Path;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Changes in the workspace, by path.
    pub changes: Vec<Change>,
    /// More changed than is listed.
    pub truncated: bool,
    /// How many files would have changed outside the workspace, in caches.
    pub elsewhere: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Kept as bytes: a file name need not be text.
    path: OsString,
    pub kind: ChangeKind,
    pub what: Entry,
    /// A unified diff, when asked for and when both sides are text of bearable size.
    pub diff: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    Created,
    Changed,
    Removed,
    /// Only the permission bits differ.
    Mode {
        before: u32,
        after: u32,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Entry {
    File,
    Folder,
    Link,
    /// A pipe, socket or device.
    Special,
}

impl Change {
    pub(crate) fn new(path: impl Into<OsString>, kind: ChangeKind, what: Entry) -> Change {
        Change { path: path.into(), kind, what, diff: None }
    }

    pub fn path(&self) -> &Path {
        Path::new(&self.path)
    }

    pub(crate) fn raw_path(&self) -> &OsStr {
        &self.path
    }
}

impl Report {
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.elsewhere == 0
    }
}
