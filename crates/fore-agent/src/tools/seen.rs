//! Which bytes of which files the model has seen: an edit of anything else is refused.

use crate::lock::lock;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Mutex,
};

/// Files that are remembered at most; beyond that all are forgotten and have to be read again.
const MAX_FILES: usize = 10_000;

#[derive(Debug, Default)]
pub(crate) struct SeenFiles(Mutex<HashMap<PathBuf, u64>>);

impl SeenFiles {
    /// The model has seen the file with this fingerprint ([`fore_sandbox::edit::fingerprint`]).
    pub(crate) fn note(&self, path: &Path, fingerprint: u64) {
        let mut files = lock(&self.0);
        if files.len() >= MAX_FILES {
            files.clear();
        }
        files.insert(path.to_owned(), fingerprint);
    }

    pub(crate) fn fingerprint(&self, path: &Path) -> Option<u64> {
        lock(&self.0).get(path).copied()
    }

    /// The model no longer sees what it read: its history was cut.
    pub(crate) fn forget_all(&self) {
        lock(&self.0).clear();
    }
}
