//! Searches files on all processors and gives what they hold in the order of the files; stops when enough is found.
//!
//! Workers take the next few files in turn. A front moves over the finished ones in order, so the same limit always cuts at
//! the same place, however fast each worker is.

use super::{
    MOST_BYTES,
    asked::{Asked, Mode},
    matches::{Matches, Taker},
};
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
pub(super) struct Found<'a> {
    pub(super) matches: Vec<(&'a Path, Matches)>,
    /// Enough was found before the last file.
    pub(super) is_cut: bool,
}

/// The finished part of a search.
struct Front<'a> {
    limit: usize,
    /// The batch that is missing.
    next: usize,
    /// Finished batches behind it.
    ahead: BTreeMap<usize, Vec<(&'a Path, Matches)>>,
    matches: Vec<(&'a Path, Matches)>,
    results: usize,
    bytes: usize,
}

pub(super) fn find<'a>(files: &'a [PathBuf], asked: &Asked, opener: &Opener, cancel: &Cancel) -> Found<'a> {
    let batches: Vec<&[PathBuf]> = files.chunks(BATCH).collect();
    let (next, is_enough) = (AtomicUsize::new(0), AtomicBool::new(false));
    let front = Mutex::new(Front::new(asked.limit));
    let work = || {
        let mut searcher = asked.searcher();
        while !is_enough.load(Ordering::Relaxed) && !cancel.is_cancelled() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(batch) = batches.get(index) else { return };
            let found = batch.iter().filter_map(|path| {
                // What cannot be read is left out, as by every search tool.
                let file = opener.open(path, Links::Refused).ok()?.file;
                Some((path.as_path(), look(&mut searcher, file, asked, cancel)?))
            });
            let found = found.collect();
            if front.lock().unwrap_or_else(PoisonError::into_inner).add(index, found) == Need::Nothing {
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
    Found { is_cut: front.results > asked.limit || front.bytes > MOST_BYTES, matches: front.matches }
}

/// What a search still has to find.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    More,
    Nothing,
}

impl<'a> Front<'a> {
    fn new(limit: usize) -> Front<'a> {
        Front { limit, next: 0, ahead: BTreeMap::new(), matches: Vec::new(), results: 0, bytes: 0 }
    }

    /// Takes a finished batch. What comes behind the limit is dropped, whoever was faster.
    fn add(&mut self, index: usize, found: Vec<(&'a Path, Matches)>) -> Need {
        self.ahead.insert(index, found);
        while self.results <= self.limit && self.bytes <= MOST_BYTES {
            let Some(found) = self.ahead.remove(&self.next) else { return Need::More };
            self.next = self.next.saturating_add(1);
            for (_, matches) in &found {
                let (results, bytes) = matches.size();
                self.results = self.results.saturating_add(results);
                self.bytes = self.bytes.saturating_add(bytes);
            }
            self.matches.extend(found);
        }
        Need::Nothing
    }
}

/// One file.
fn look(searcher: &mut Searcher, file: File, asked: &Asked, cancel: &Cancel) -> Option<Matches> {
    let mut taker = Taker::new(asked);
    let searched = searcher.search_reader(&asked.matcher, Stoppable { inner: file, cancel }, &mut taker);
    match (searched, asked.mode) {
        (Ok(()), _) => taker.matches(),
        // A line too long to hold: what came before it counts.
        (Err(_), Mode::Content | Mode::Files) => taker.matches(),
        (Err(_), Mode::Count) => None,
    }
}

/// Ends a long file as soon as the call is cancelled.
struct Stoppable<'a, R> {
    inner: R,
    cancel: &'a Cancel,
}

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        self.inner.read(buffer)
    }
}
