//! The project as far as a request goes: every file counted once, the likely ones read closely.

mod closer;
mod query;
mod structure;

pub(in crate::scout) use closer::{CloserLook, Definition, Piece, Relation};
pub(in crate::scout) use query::Query;

use super::source::FileKind;
use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

/// Files that are looked into.
pub(in crate::scout) const MAX_FILES: usize = 40_000;
/// A longer file is not looked into.
pub(in crate::scout) const MAX_FILE_BYTES: u64 = 768 << 10;
/// Most that is read of all files together.
const MAX_TOTAL_BYTES: usize = 400 << 20;
/// What a word in the tests at the end of a file counts of one before them.
const IN_TESTS: f64 = 0.3;
/// Files that a thread takes at once.
const BATCH: usize = 16;

/// Gives the text of a file by its path in the project; none where it may not or cannot be read.
pub(in crate::scout) trait FileAccess: Sync {
    fn read(&self, path: &str) -> Option<String>;
    /// Whether to stop.
    fn is_over(&self) -> bool;
}

/// What is known about every file.
#[derive(Debug, Default)]
pub(in crate::scout) struct FileCounts {
    pub(in crate::scout) files: Vec<FileCount>,
}

/// One file.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::scout) struct FileCount {
    pub(in crate::scout) path: String,
    pub(in crate::scout) kind: FileKind,
    pub(in crate::scout) bytes: usize,
    /// Without the tests at its end.
    pub(in crate::scout) own_bytes: usize,
    /// How often each term was found, less where only a part of a name was.
    pub(in crate::scout) found: Vec<f64>,
    /// In how many lines.
    pub(in crate::scout) lines: Vec<u32>,
}

impl FileCounts {
    /// Counts the terms in all files, on all processors, in the order of the paths.
    pub(in crate::scout) fn count(
        query: &Query,
        paths: &[String],
        access: &dyn FileAccess,
        threads: usize,
    ) -> FileCounts {
        let batches: Vec<&[String]> = paths.chunks(BATCH).collect();
        let (next, read) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let done: Mutex<Vec<FileCount>> = Mutex::new(Vec::with_capacity(paths.len()));
        let work = || {
            while !access.is_over() && read.load(Ordering::Relaxed) < MAX_TOTAL_BYTES {
                let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                let counted: Vec<FileCount> = batch.iter().map(|path| one(query, path, access)).collect();
                read.fetch_add(counted.iter().map(|file| file.bytes).sum(), Ordering::Relaxed);
                done.lock().unwrap_or_else(PoisonError::into_inner).extend(counted);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.min(batches.len()) {
                scope.spawn(work);
            }
            work();
        });
        let mut files = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        FileCounts { files }
    }
}

fn one(query: &Query, path: &str, access: &dyn FileAccess) -> FileCount {
    let kind = FileKind::of(path);
    let terms = query.terms.len();
    let mut counted = FileCount {
        path: path.to_owned(),
        kind,
        bytes: 0,
        own_bytes: 0,
        found: vec![0.0; terms],
        lines: vec![0; terms],
    };
    // What nobody edits says nothing.
    if kind == FileKind::Generated {
        return counted;
    }
    let Some(text) = access.read(path) else { return counted };
    counted.bytes = text.len();
    counted.own_bytes = own_bytes(path, &text);
    let mut last: Vec<usize> = vec![0; terms];
    for hit in query.hits(&text) {
        if let Some(found) = counted.found.get_mut(hit.term) {
            *found += if hit.at < counted.own_bytes { hit.strength } else { IN_TESTS * hit.strength };
        }
        if let (Some(lines), Some(last)) = (counted.lines.get_mut(hit.term), last.get_mut(hit.term)) {
            // A line counts once: its first hit is behind the end of the line of the last one.
            if *lines == 0 || text.get(*last..hit.at).is_none_or(|between| between.contains('\n')) {
                *lines += 1;
            }
            *last = hit.at;
        }
    }
    counted
}

/// In Rust the tests of a file stand at its end.
fn own_bytes(path: &str, text: &str) -> usize {
    let tests = || text.find("\n#[cfg(test)]\nmod ").filter(|at| *at > 0);
    if path.ends_with(".rs") { tests().unwrap_or(text.len()) } else { text.len() }
}

#[cfg(test)]
mod tests;
