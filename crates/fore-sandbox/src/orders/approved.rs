//! What the person has let the model write while commands run: no command has planted it, as long as it is what was written.

use crate::small_file::{self, LinkPolicy};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Files that are kept in mind, the latest last; how large one is, and how many lie in a folder that is looked through.
const MAX_FILES: usize = 256;
const MAX_BYTES: usize = 256 << 10;
const MAX_IN_FOLDER: usize = 1_000;

static WRITTEN: Mutex<VecDeque<(PathBuf, Vec<u8>)>> = Mutex::new(VecDeque::new());

/// Notes what a file is to hold, by its true path.
pub(crate) fn note(path: &Path, bytes: &[u8]) {
    let mut written = locked();
    written.retain(|(known, _)| known != path);
    if bytes.len() <= MAX_BYTES {
        written.push_back((path.to_owned(), bytes.to_vec()));
    }
    while written.len() > MAX_FILES {
        written.pop_front();
    }
}

/// Whether a file holds what was approved, or a folder nothing else. A command may have changed either since.
pub(super) fn is_as_approved(path: &Path) -> bool {
    if !locked().iter().any(|(known, _)| known.starts_with(path)) {
        return false;
    }
    let mut paths = vec![path.to_owned()];
    let mut count = 0;
    while let Some(path) = paths.pop() {
        count += 1;
        let Ok(found) = path.symlink_metadata() else { return false };
        if found.is_dir() {
            let Ok(entries) = std::fs::read_dir(&path) else { return false };
            paths.extend(entries.take(MAX_IN_FOLDER).flatten().map(|entry| entry.path()));
        } else if !holds_what_was_written(&path) {
            return false;
        }
        if count + paths.len() > MAX_IN_FOLDER {
            return false;
        }
    }
    true
}

fn holds_what_was_written(path: &Path) -> bool {
    let found = small_file::read(path, LinkPolicy::Refused, MAX_BYTES as u64);
    found.is_some_and(|found| locked().iter().any(|(known, bytes)| known == path && *bytes == found))
}

fn locked() -> MutexGuard<'static, VecDeque<(PathBuf, Vec<u8>)>> {
    WRITTEN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "makes the files that are looked at")]
    use super::*;

    #[test]
    fn what_was_approved_is_nobodys_plant_until_somebody_else_changes_it() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let (flows, file) = (top.join("workflows"), top.join("workflows/ci.yml"));
        std::fs::create_dir(&flows).unwrap();
        std::fs::write(&file, "on: push").unwrap();
        let both = || (is_as_approved(&flows), is_as_approved(&file));
        assert_eq!(both(), (false, false));
        note(&file, b"on: push");
        assert_eq!(both(), (true, true));
        std::fs::write(flows.join("evil.yml"), "on: push").unwrap();
        assert_eq!(both(), (false, true));
        std::fs::remove_file(flows.join("evil.yml")).unwrap();
        std::fs::write(&file, "on: evil").unwrap();
        assert_eq!(both(), (false, false));
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", &file).unwrap();
        assert_eq!(both(), (false, false));
    }
}
