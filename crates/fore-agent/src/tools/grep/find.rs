//! Searches files on all processors and gives what they hold in the order of the files; stops when enough is found.
//!
//! Workers take the next few files in turn. A front moves over the finished ones in order, so the same limit always cuts at
//! the same place, however fast each worker is.

use super::{
    MAX_BYTES,
    matches::{MatchSink, Matches},
    query::{GrepMode, SearchQuery},
};
use crate::lock::lock;
use crate::{cancel::Cancel, walk::threads};
use fore_sandbox::open::{Links, Opener};
use grep_searcher::Searcher;
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

/// Files that a worker takes at once: enough that they seldom wait for each other.
const BATCH: usize = 16;

/// What was found, in the order of the files.
pub(super) struct SearchResults<'a> {
    pub(super) matches: Vec<(&'a Path, Matches)>,
    /// Enough was found before the last file.
    pub(super) is_cut: bool,
}

/// The finished part of a search.
struct ResultsInOrder<'a> {
    limit: usize,
    /// The batch that is missing.
    next: usize,
    /// Finished batches behind it.
    out_of_order: BTreeMap<usize, Vec<(&'a Path, Matches)>>,
    matches: Vec<(&'a Path, Matches)>,
    results: usize,
    bytes: usize,
}

pub(super) fn find<'a>(
    files: &'a [PathBuf],
    asked: &SearchQuery,
    opener: &Opener,
    cancel: &Cancel,
) -> SearchResults<'a> {
    let batches: Vec<&[PathBuf]> = files.chunks(BATCH).collect();
    let (next, is_enough) = (AtomicUsize::new(0), AtomicBool::new(false));
    let front = Mutex::new(ResultsInOrder::new(asked.limit));
    let work = || {
        let mut searcher = asked.searcher();
        while !is_enough.load(Ordering::Relaxed) && !cancel.is_cancelled() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(batch) = batches.get(index) else { return };
            let found = batch.iter().filter_map(|path| {
                // What cannot be read is left out, as by every search tool.
                let file = opener.open(path, Links::Refused).ok()?.file;
                Some((path.as_path(), search_file(&mut searcher, file, asked, cancel)?))
            });
            let found = found.collect();
            if lock(&front).add(index, found) == SearchNeed::Nothing {
                is_enough.store(true, Ordering::Relaxed);
            }
        }
    };
    // One thread more is not worth its start for a few files.
    let workers = threads().min(batches.len());
    std::thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(work);
        }
        work();
    });
    let front = front.into_inner().unwrap_or_else(PoisonError::into_inner);
    SearchResults { is_cut: front.results > asked.limit || front.bytes > MAX_BYTES, matches: front.matches }
}

/// What a search still has to find.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SearchNeed {
    More,
    Nothing,
}

impl<'a> ResultsInOrder<'a> {
    fn new(limit: usize) -> ResultsInOrder<'a> {
        ResultsInOrder { limit, next: 0, out_of_order: BTreeMap::new(), matches: Vec::new(), results: 0, bytes: 0 }
    }

    /// Takes a finished batch. What comes behind the limit is dropped, whoever was faster.
    fn add(&mut self, index: usize, found: Vec<(&'a Path, Matches)>) -> SearchNeed {
        self.out_of_order.insert(index, found);
        while self.results <= self.limit && self.bytes <= MAX_BYTES {
            let Some(found) = self.out_of_order.remove(&self.next) else { return SearchNeed::More };
            self.next = self.next.saturating_add(1);
            for (_, matches) in &found {
                let (results, bytes) = matches.size();
                self.results = self.results.saturating_add(results);
                self.bytes = self.bytes.saturating_add(bytes);
            }
            self.matches.extend(found);
        }
        SearchNeed::Nothing
    }
}

/// One file.
fn search_file(searcher: &mut Searcher, file: File, asked: &SearchQuery, cancel: &Cancel) -> Option<Matches> {
    let mut taker = MatchSink::new(asked);
    let searched = searcher.search_reader(&asked.matcher, CancellableReader { inner: file, cancel }, &mut taker);
    match (searched, asked.mode) {
        (Ok(()), _) => taker.matches(),
        // A line too long to hold: what came before it counts.
        (Err(_), GrepMode::Content | GrepMode::Files) => taker.matches(),
        (Err(_), GrepMode::Count) => None,
    }
}

/// Ends a long file as soon as the call is cancelled.
struct CancellableReader<'a, R> {
    inner: R,
    cancel: &'a Cancel,
}

impl<R: Read> Read for CancellableReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        self.inner.read(buffer)
    }
}
