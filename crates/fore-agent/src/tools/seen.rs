//! Which bytes of which files the model has seen: an edit of anything else is refused.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// Files that are remembered at most; beyond that all are forgotten and have to be read again.
const MAX_FILES: usize = 10_000;

#[derive(Debug, Default)]
pub struct SeenFiles(Mutex<HashMap<PathBuf, u64>>);

impl SeenFiles {
    /// The model has seen the file with this fingerprint ([`fore_sandbox::edit::fingerprint`]).
    pub fn note(&self, path: &Path, fingerprint: u64) {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if files.len() >= MAX_FILES {
            files.clear();
        }
        files.insert(path.to_owned(), fingerprint);
    }

    pub fn fingerprint(&self, path: &Path) -> Option<u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).copied()
    }

    /// The model no longer sees what it read: its history was cut.
    pub fn forget_all(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
