//! Questions that wait for the person. Each has an id and takes one answer; anything else does not count.

use crate::{
    cancel::Cancel,
    command::{FormAnswer, QuestionId, Reply},
};
use fore_plan::approval::ExitResponse;
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};
use tokio::sync::oneshot;

/// Questions that wait at once.
const MOST_WAITING: usize = 64;

/// An answer as it came in.
#[derive(Debug)]
pub(crate) enum Given {
    Reply(Reply),
    Form(Vec<FormAnswer>),
    Confirmed(bool),
    Approval(ExitResponse),
}

/// What kind of answer a question takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wants {
    Reply,
    Form,
    Confirmation,
    Approval,
}

#[derive(Debug, Default)]
pub(crate) struct Waiting {
    open: Mutex<HashMap<QuestionId, (Wants, oneshot::Sender<Given>)>>,
}

impl Given {
    fn kind(&self) -> Wants {
        match self {
            Given::Reply(_) => Wants::Reply,
            Given::Form(_) => Wants::Form,
            Given::Confirmed(_) => Wants::Confirmation,
            Given::Approval(_) => Wants::Approval,
        }
    }
}

impl Waiting {
    /// Opens a question before it is shown, so that no answer can be too early. None: too many are open.
    pub(crate) fn open(&self, id: QuestionId, wants: Wants) -> Option<oneshot::Receiver<Given>> {
        let (sender, receiver) = oneshot::channel();
        let mut open = self.lock();
        if open.len() >= MOST_WAITING {
            return None;
        }
        open.insert(id, (wants, sender));
        Some(receiver)
    }

    /// Waits for the answer; none when the question was taken back.
    pub(crate) async fn answer(
        &self,
        id: &QuestionId,
        receiver: oneshot::Receiver<Given>,
        cancel: &Cancel,
    ) -> Option<Given> {
        let given = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            given = receiver => given.ok(),
        };
        self.lock().remove(id);
        given
    }

    /// Hands an answer to its question. The error says why it does not count.
    pub(crate) fn give(&self, id: &QuestionId, given: Given) -> Result<(), &'static str> {
        let mut open = self.lock();
        match open.get(id) {
            None => return Err("no such question is open"),
            Some((wants, _)) if *wants != given.kind() => {
                return Err("the answer is of another kind than the question");
            }
            Some(_) => {}
        }
        let Some((_, sender)) = open.remove(id) else { return Err("no such question is open") };
        sender.send(given).map_err(|_| "the question was taken back")
    }

    /// Takes the questions of one kind back: they have lost their meaning.
    pub(crate) fn close(&self, kind: Wants) {
        self.lock().retain(|_, (wants, _)| *wants != kind);
    }

    /// Takes all questions back: nobody can answer any more.
    pub(crate) fn close_all(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<QuestionId, (Wants, oneshot::Sender<Given>)>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
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
        let (waiting, cancel) = (Waiting::default(), Cancel::default());
        let receiver = waiting.open(id("q1"), Wants::Confirmation).unwrap();
        assert_eq!(waiting.give(&id("q2"), Given::Confirmed(true)), Err("no such question is open"));
        let wrong = waiting.give(&id("q1"), Given::Reply(Reply::Yes));
        assert_eq!(wrong, Err("the answer is of another kind than the question"));
        assert_eq!(waiting.give(&id("q1"), Given::Confirmed(true)), Ok(()));
        assert_eq!(waiting.give(&id("q1"), Given::Confirmed(false)), Err("no such question is open"));
        let given = waiting.answer(&id("q1"), receiver, &cancel).await;
        assert!(matches!(given, Some(Given::Confirmed(true))));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn e1_an_interrupt_or_a_lost_person_is_no_answer() {
        let (waiting, cancel) = (Waiting::default(), Cancel::default());
        let receiver = waiting.open(id("q1"), Wants::Approval).unwrap();
        waiting.close_all();
        assert!(waiting.answer(&id("q1"), receiver, &cancel).await.is_none());
        let receiver = waiting.open(id("q2"), Wants::Approval).unwrap();
        cancel.cancel();
        assert!(waiting.answer(&id("q2"), receiver, &cancel).await.is_none());
        assert_eq!(waiting.give(&id("q2"), Given::Confirmed(true)), Err("no such question is open"));
    }
}
