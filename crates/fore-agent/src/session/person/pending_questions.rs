//! Questions that wait for the person. Each has an id and takes one answer; anything else does not count.

use crate::{
    cancel::Cancel,
    command::{FormAnswer, QuestionId, Reply},
    lock::lock,
};
use fore_plan::approval::ExitResponse;
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard},
};
use tokio::sync::oneshot;

/// Questions that wait at once.
const MAX_WAITING: usize = 64;

/// An answer as it came in.
#[derive(Debug)]
pub(crate) enum GivenAnswer {
    Reply(Reply),
    Form(Vec<FormAnswer>),
    Confirmed(bool),
    Approval(ExitResponse),
}

/// What kind of answer a question takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerKind {
    Reply,
    Form,
    Confirmation,
    Approval,
}

#[derive(Debug, Default)]
pub(crate) struct PendingQuestions {
    open: Mutex<QuestionMap>,
}

#[derive(Debug, Default)]
struct QuestionMap {
    questions: HashMap<QuestionId, (AnswerKind, oneshot::Sender<GivenAnswer>)>,
    /// Nobody can answer any more.
    is_closed: bool,
}

impl GivenAnswer {
    fn kind(&self) -> AnswerKind {
        match self {
            GivenAnswer::Reply(_) => AnswerKind::Reply,
            GivenAnswer::Form(_) => AnswerKind::Form,
            GivenAnswer::Confirmed(_) => AnswerKind::Confirmation,
            GivenAnswer::Approval(_) => AnswerKind::Approval,
        }
    }
}

impl PendingQuestions {
    /// Opens a question before it is shown, so that no answer can be too early. None: too many are open, or nobody can
    /// answer any more.
    pub(crate) fn open(&self, id: QuestionId, wants: AnswerKind) -> Option<oneshot::Receiver<GivenAnswer>> {
        let (sender, receiver) = oneshot::channel();
        let mut open = self.lock();
        if open.is_closed || open.questions.len() >= MAX_WAITING {
            return None;
        }
        open.questions.insert(id, (wants, sender));
        Some(receiver)
    }

    /// Waits for the answer; none when the question was taken back.
    pub(crate) async fn answer(
        &self,
        id: &QuestionId,
        receiver: oneshot::Receiver<GivenAnswer>,
        cancel: &Cancel,
    ) -> Option<GivenAnswer> {
        let given = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            given = receiver => given.ok(),
        };
        self.lock().questions.remove(id);
        given
    }

    /// Hands an answer to its question. The error says why it does not count.
    pub(crate) fn give(&self, id: &QuestionId, given: GivenAnswer) -> Result<(), &'static str> {
        let mut open = self.lock();
        match open.questions.get(id) {
            None => return Err("no such question is open"),
            Some((wants, _)) if *wants != given.kind() => {
                return Err("the answer is of another kind than the question");
            }
            Some(_) => {}
        }
        let Some((_, sender)) = open.questions.remove(id) else { return Err("no such question is open") };
        sender.send(given).map_err(|_| "the question was taken back")
    }

    /// Takes one question back: it has become void.
    pub(crate) fn close(&self, id: &QuestionId) {
        self.lock().questions.remove(id);
    }

    /// Takes all questions back, also those to come: nobody can answer any more.
    pub(crate) fn close_all(&self) {
        let mut open = self.lock();
        open.is_closed = true;
        open.questions.clear();
    }

    fn lock(&self) -> MutexGuard<'_, QuestionMap> {
        lock(&self.open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> QuestionId {
        QuestionId(text.into())
    }

    #[tokio::test(flavor = "current_thread")]
    async fn one_answer_of_the_right_kind_counts() {
        let (waiting, cancel) = (PendingQuestions::default(), Cancel::default());
        let receiver = waiting.open(id("q1"), AnswerKind::Confirmation).unwrap();
        assert_eq!(waiting.give(&id("q2"), GivenAnswer::Confirmed(true)), Err("no such question is open"));
        let wrong = waiting.give(&id("q1"), GivenAnswer::Reply(Reply::Yes));
        assert_eq!(wrong, Err("the answer is of another kind than the question"));
        assert_eq!(waiting.give(&id("q1"), GivenAnswer::Confirmed(true)), Ok(()));
        assert_eq!(waiting.give(&id("q1"), GivenAnswer::Confirmed(false)), Err("no such question is open"));
        let given = waiting.answer(&id("q1"), receiver, &cancel).await;
        assert!(matches!(given, Some(GivenAnswer::Confirmed(true))));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn e1_an_interrupt_or_a_lost_person_is_no_answer() {
        let (waiting, cancel) = (PendingQuestions::default(), Cancel::default());
        let receiver = waiting.open(id("q1"), AnswerKind::Approval).unwrap();
        waiting.close_all();
        assert!(waiting.answer(&id("q1"), receiver, &cancel).await.is_none());
        assert!(waiting.open(id("q2"), AnswerKind::Approval).is_none(), "whoever has gone is not asked again");
        let waiting = PendingQuestions::default();
        let receiver = waiting.open(id("q2"), AnswerKind::Approval).unwrap();
        waiting.close(&id("q2"));
        assert!(waiting.answer(&id("q2"), receiver, &cancel).await.is_none());
        let receiver = waiting.open(id("q3"), AnswerKind::Approval).unwrap();
        cancel.cancel();
        assert!(waiting.answer(&id("q3"), receiver, &cancel).await.is_none());
        assert_eq!(waiting.give(&id("q3"), GivenAnswer::Confirmed(true)), Err("no such question is open"));
    }
}
