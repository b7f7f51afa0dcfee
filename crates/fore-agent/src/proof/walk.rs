//! Walks a workspace with several threads and collects the facts of its files, up to a number and a time.

use super::{Facts, File, Gap};
use crate::cancel::Cancel;
use ignore::{DirEntry, ParallelVisitor, ParallelVisitorBuilder, WalkBuilder, WalkState};
use std::{
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

const MOST_THREADS: usize = 8;

/// The files in no order, and why they are not all.
pub(super) fn files(root: &Path, cancel: &Cancel, most: usize, time: Duration) -> (Vec<File>, Option<Gap>) {
    let threads = std::thread::available_parallelism().map_or(2, |threads| threads.get().min(MOST_THREADS));
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .ignore(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .threads(threads)
        .build_parallel();
    let shared = Shared {
        root,
        cancel,
        most,
        until: Instant::now().checked_add(time),
        count: AtomicUsize::new(0),
        found: Mutex::default(),
    };
    walk.visit(&mut &shared);
    let found = shared.found.into_inner().unwrap_or_else(PoisonError::into_inner);
    (found.files, found.gap)
}

/// What the threads have in common.
struct Shared<'a> {
    root: &'a Path,
    cancel: &'a Cancel,
    most: usize,
    until: Option<Instant>,
    count: AtomicUsize,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    files: Vec<File>,
    gap: Option<Gap>,
}

/// One thread's share; it is added to the rest at the end, so that threads need not wait for each other.
struct Visitor<'a> {
    shared: &'a Shared<'a>,
    own: Found,
}

impl<'s> ParallelVisitorBuilder<'s> for &'s Shared<'s> {
    fn build(&mut self) -> Box<dyn ParallelVisitor + 's> {
        Box::new(Visitor { shared: self, own: Found::default() })
    }
}

impl ParallelVisitor for Visitor<'_> {
    fn visit(&mut self, entry: Result<DirEntry, ignore::Error>) -> WalkState {
        let shared = self.shared;
        if shared.cancel.is_cancelled() {
            return self.stop(Gap::Stopped);
        }
        if shared.until.is_some_and(|until| Instant::now() > until) {
            return self.stop(Gap::TooSlow);
        }
        let Ok(entry) = entry else {
            self.own.gap.get_or_insert(Gap::Unreadable);
            return WalkState::Continue;
        };
        if entry.file_type().is_none_or(|kind| kind.is_dir()) {
            return WalkState::Continue;
        }
        if shared.count.fetch_add(1, Ordering::Relaxed) >= shared.most {
            return self.stop(Gap::TooMany);
        }
        // One that is gone by now is gone.
        if let (Ok(metadata), Ok(path)) = (entry.path().symlink_metadata(), entry.path().strip_prefix(shared.root)) {
            self.own.files.push(File { path: path.into(), facts: Facts::of(&metadata) });
        }
        WalkState::Continue
    }
}

impl Visitor<'_> {
    fn stop(&mut self, gap: Gap) -> WalkState {
        self.own.gap = Some(gap);
        WalkState::Quit
    }
}

impl Drop for Visitor<'_> {
    fn drop(&mut self) {
        let mut found = self.shared.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.files.append(&mut self.own.files);
        // A limit says more than a folder that could not be read.
        if matches!(found.gap, None | Some(Gap::Unreadable)) {
            found.gap = self.own.gap.or(found.gap);
        }
    }
}
