//! The way between a session and the person: events out, questions that wait, prompts and commands that came in.

pub(super) mod pending_questions;
mod pictures;
pub(super) mod prompts;

use crate::{event::NoticeLevel, event_channel::EventSender, lock::lock};
use fore_plan::approval::Reachable;
use pending_questions::PendingQuestions;
use prompts::Prompts;
use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicBool, Ordering},
};
use tokio::sync::Notify;

/// The person's side of a session.
#[derive(Debug)]
pub(crate) struct PersonLink {
    pub(crate) events: EventSender,
    pub(crate) questions: PendingQuestions,
    prompts: Mutex<Prompts>,
    /// A command of the person's own has ended, and the model is to know.
    pub(super) remarked: Notify,
    is_attended: AtomicBool,
    /// The person switched the mode while a turn ran: the model is told with the next request.
    mode_was_switched: AtomicBool,
}

impl PersonLink {
    pub(super) fn new(events: EventSender, reachable: Reachable) -> PersonLink {
        PersonLink {
            events,
            questions: PendingQuestions::default(),
            prompts: Mutex::default(),
            remarked: Notify::new(),
            is_attended: AtomicBool::new(reachable == Reachable::Approver),
            mode_was_switched: AtomicBool::new(false),
        }
    }

    pub(crate) fn notice(&self, level: NoticeLevel, text: impl Into<String>) {
        self.events.notice(level, text);
    }

    pub(crate) fn prompts(&self) -> MutexGuard<'_, Prompts> {
        lock(&self.prompts)
    }

    pub(crate) fn reachable(&self) -> Reachable {
        if self.is_attended.load(Ordering::SeqCst) { Reachable::Approver } else { Reachable::Nobody }
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.prompts().is_closing
    }

    /// Nobody can answer any more.
    pub(super) fn detach(&self) {
        self.is_attended.store(false, Ordering::SeqCst);
        self.questions.close_all();
    }

    pub(super) fn note_switch(&self) {
        self.mode_was_switched.store(true, Ordering::SeqCst);
    }

    /// Whether the mode was switched since the model was last told; asked once.
    pub(super) fn take_switch(&self) -> bool {
        self.mode_was_switched.swap(false, Ordering::SeqCst)
    }
}
