//! The thread that ranks, and the thread that walks for it. Both end when nobody asks any more.

use super::walk::{Files, walk};
use super::{Age, Found, MOST_FOUND, Ties, rank};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub(super) struct Worker {
    questions: Sender<Message>,
    answers: Receiver<Found>,
    stopped: Arc<AtomicBool>,
}

enum Message {
    Words(String),
    Files(Files),
    Stop,
}

impl Worker {
    pub(super) fn start(root: PathBuf, fresh: Duration) -> Option<Worker> {
        let (questions, inbox) = channel();
        let (outbox, answers) = channel();
        let stopped = Arc::new(AtomicBool::new(false));
        let desk = Desk {
            root,
            fresh,
            inbox,
            outbox,
            questions: questions.clone(),
            stopped: stopped.clone(),
            files: None,
            walking: false,
        };
        thread::Builder::new().name("files".into()).spawn(move || desk.run()).ok()?;
        Some(Worker { questions, answers, stopped })
    }

    pub(super) fn ask(&self, words: &str) {
        // A worker that is gone answers nothing, and nothing is what is shown.
        let _ = self.questions.send(Message::Words(words.into()));
    }

    pub(super) fn news(&self) -> Option<Found> {
        self.answers.try_iter().last()
    }

    #[cfg(test)]
    pub(super) fn wait(&self) -> Option<Found> {
        self.answers.recv().ok()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        let _ = self.questions.send(Message::Stop);
    }
}

struct Desk {
    root: PathBuf,
    /// A list older than this is made again when somebody asks.
    fresh: Duration,
    inbox: Receiver<Message>,
    outbox: Sender<Found>,
    /// For the walk, whose result comes the same way as questions.
    questions: Sender<Message>,
    stopped: Arc<AtomicBool>,
    files: Option<(Files, Instant)>,
    walking: bool,
}

impl Desk {
    fn run(mut self) {
        let mut words = String::new();
        while let Ok(first) = self.inbox.recv() {
            // Only the newest question is worth an answer.
            let waiting: Vec<Message> = std::iter::once(first).chain(self.inbox.try_iter()).collect();
            let mut asked = false;
            for message in waiting {
                match message {
                    Message::Words(newest) => (words, asked) = (newest, true),
                    Message::Files(files) => {
                        self.files = Some((files, Instant::now()));
                        self.walking = false;
                    }
                    Message::Stop => return,
                }
            }
            let Some((files, since)) = &self.files else {
                self.walk();
                continue;
            };
            let rows = rank(&words, files.for_words(&words), MOST_FOUND, Ties::Shortest);
            let age = if asked && since.elapsed() >= self.fresh { Age::Stale } else { Age::Fresh };
            if self.outbox.send(Found { words: words.clone(), rows, age }).is_err() {
                return;
            }
            if age == Age::Stale {
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
            let _ = questions.send(Message::Files(walk(&root, &stopped)));
        });
        self.walking = started.is_ok();
    }
}
