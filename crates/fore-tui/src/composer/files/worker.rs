//! The thread that ranks, and the thread that walks for it. Both end when nobody asks any more.

use super::walk::{ProjectFiles, walk};
use super::{FileMatches, Freshness, MAX_FOUND, Ties, rank};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(super) struct Worker {
    questions: Sender<WorkerMessage>,
    answers: Receiver<FileMatches>,
    stopped: Arc<AtomicBool>,
}

enum WorkerMessage {
    Words(String),
    Files(ProjectFiles),
    Stop,
}

impl Worker {
    pub(super) fn start(root: PathBuf, fresh: Duration) -> Option<Worker> {
        let (questions, inbox) = channel();
        let (sender, answers) = channel();
        let stopped = Arc::new(AtomicBool::new(false));
        let ranking = RankingLoop {
            root,
            fresh,
            messages: inbox,
            results: sender,
            questions: questions.clone(),
            stopped: stopped.clone(),
            files: None,
            walking: false,
        };
        thread::Builder::new().name("files".into()).spawn(move || ranking.run()).ok()?;
        Some(Worker { questions, answers, stopped })
    }

    pub(super) fn ask(&self, words: &str) {
        // A worker that is gone answers nothing, and nothing is what is shown.
        let _ = self.questions.send(WorkerMessage::Words(words.into()));
    }

    pub(super) fn news(&self) -> Option<FileMatches> {
        self.answers.try_iter().last()
    }

    #[cfg(test)]
    pub(super) fn wait(&self) -> Option<FileMatches> {
        self.answers.recv().ok()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        let _ = self.questions.send(WorkerMessage::Stop);
    }
}

struct RankingLoop {
    root: PathBuf,
    /// A list older than this is made again when somebody asks.
    fresh: Duration,
    messages: Receiver<WorkerMessage>,
    results: Sender<FileMatches>,
    /// For the walk, whose result comes the same way as questions.
    questions: Sender<WorkerMessage>,
    stopped: Arc<AtomicBool>,
    files: Option<(ProjectFiles, Instant)>,
    walking: bool,
}

impl RankingLoop {
    fn run(mut self) {
        let mut words = String::new();
        while let Ok(first) = self.messages.recv() {
            // Only the newest question is worth an answer.
            let waiting: Vec<WorkerMessage> = std::iter::once(first).chain(self.messages.try_iter()).collect();
            let mut asked = false;
            for message in waiting {
                match message {
                    WorkerMessage::Words(newest) => (words, asked) = (newest, true),
                    WorkerMessage::Files(files) => {
                        self.files = Some((files, Instant::now()));
                        self.walking = false;
                    }
                    WorkerMessage::Stop => return,
                }
            }
            let Some((files, since)) = &self.files else {
                self.walk();
                continue;
            };
            let rows = rank(&words, files.for_words(&words), MAX_FOUND, Ties::Shortest);
            let age = if asked && since.elapsed() >= self.fresh { Freshness::Stale } else { Freshness::Fresh };
            if self.results.send(FileMatches { words: words.clone(), rows, age }).is_err() {
                return;
            }
            if age == Freshness::Stale {
                self.walk();
            }
        }
    }

    fn walk(&mut self) {
        if self.walking {
            return;
        }
        let (root, stopped, questions) = (self.root.clone(), self.stopped.clone(), self.questions.clone());
        let started = thread::Builder::new().name("walk".into()).spawn(move || {
            let _ = questions.send(WorkerMessage::Files(walk(&root, &stopped)));
        });
        self.walking = started.is_ok();
    }
}
