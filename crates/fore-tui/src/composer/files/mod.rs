//! The project's files for `@`, found and ranked in the background. No key ever waits for it, and nothing outside the
//! project is ever offered.

mod rank;
mod walk;
mod worker;

pub(super) use rank::{NameMatch, Ties, rank};
use std::path::PathBuf;
use std::time::Duration;
use worker::Worker;

/// Most rows that are kept of one search; the popup shows a part of them.
pub(super) const MAX_FOUND: usize = 50;

/// For how long a list of files is good enough.
const FRESH: Duration = Duration::from_secs(5);

/// Where the files come from. Nothing is read before the first `@`.
#[derive(Debug)]
pub(crate) struct FileSource {
    root: PathBuf,
    fresh: Duration,
    worker: Option<Worker>,
    asked: String,
    found: Option<FileMatches>,
}

/// What was found for some words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileMatches {
    pub(super) words: String,
    pub(super) rows: Vec<NameMatch>,
    pub(super) age: Freshness,
}

/// Whether the list of files it was found in is being made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freshness {
    Fresh,
    Stale,
}

impl FileSource {
    /// The files of one project folder.
    pub(crate) fn new(root: impl Into<PathBuf>) -> FileSource {
        FileSource { root: root.into(), fresh: FRESH, worker: None, asked: String::new(), found: None }
    }

    /// Asks for files that match; [`FileSource::refresh`] tells when they are there.
    pub(super) fn ask(&mut self, words: &str) {
        if self.worker.is_none() {
            self.worker = Worker::start(self.root.clone(), self.fresh);
        }
        words.clone_into(&mut self.asked);
        if let Some(worker) = &self.worker {
            worker.ask(words);
        }
    }

    /// Takes what has been found since; whether there was anything.
    pub(crate) fn refresh(&mut self) -> bool {
        let news = self.worker.as_ref().and_then(Worker::news);
        let fresh = news.is_some();
        if fresh {
            self.found = news;
        }
        fresh
    }

    /// What is known for these words, also if it was found for a shorter beginning of them.
    pub(super) fn found(&self) -> Option<&FileMatches> {
        self.found.as_ref()
    }

    /// Whether an answer is still to come.
    pub(super) fn waits(&self) -> bool {
        self.worker.is_some()
            && self.found.as_ref().is_none_or(|found| found.words != self.asked || found.age == Freshness::Stale)
    }

    /// The same files, looked for again at every question.
    #[cfg(test)]
    pub(super) fn never_fresh(self) -> FileSource {
        FileSource { fresh: Duration::ZERO, ..self }
    }

    /// Waits for the answer, for tests alone.
    #[cfg(test)]
    pub(super) fn settle(&mut self) {
        while self.waits() {
            match self.worker.as_ref().and_then(Worker::wait) {
                Some(found) => self.found = Some(found),
                None => return,
            }
        }
    }
}
