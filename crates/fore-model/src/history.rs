//! The conversation as an append-only list whose messages are encoded once and shared by every later request.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use bytes::{Bytes, BytesMut};

use crate::block::{Block, Message};
use crate::protocol::Dialect;
use crate::tokens;

/// A list of messages. Clones share it; appending to a clone that is no longer the newest copies pointers, never contents.
#[derive(Clone, Default)]
pub struct History {
    log: Arc<HistoryLog>,
    len: usize,
}

#[derive(Default)]
struct HistoryLog {
    entries: RwLock<Vec<Arc<HistoryEntry>>>,
    /// Runs of old messages as they lie in a request, joined once and shared by all later ones.
    joined: Mutex<Vec<(JoinKey, JoinedRuns)>>,
}

/// Joined runs in order, and bundles of them: few pieces however long a history gets.
#[derive(Debug, Default)]
struct JoinedRuns {
    runs: Vec<JoinedRun>,
    bundles: Vec<JoinedRun>,
}

/// Runs in one bundle.
pub(crate) const RUNS_PER_BUNDLE: usize = 16;

/// What the bytes of joined messages depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JoinKey {
    pub(crate) dialect: Dialect,
    pub(crate) model: Arc<str>,
    pub(crate) list_is_empty: bool,
}

/// A run of messages in one piece, and how the list stands behind it.
#[derive(Clone, Debug)]
pub(crate) struct JoinedRun {
    pub(crate) bytes: Bytes,
    /// The first message behind the run that has anything to say.
    pub(crate) next: usize,
    pub(crate) continues: bool,
    pub(crate) list_is_empty: bool,
}

#[derive(Debug)]
pub(crate) struct HistoryEntry {
    pub(crate) message: Message,
    pub(crate) encoded: Cached,
    /// Of this message and all before it: likely and at most.
    estimate: (u64, u64),
}

impl History {
    /// A conversation in which nothing was said.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a message. A clone of the history does not get it.
    pub fn push(&mut self, message: Message) {
        let (before, own) = (self.estimate(), tokens::estimate_message(&message));
        let estimate = (before.0.saturating_add(own.0), before.1.saturating_add(own.1));
        let entry = Arc::new(HistoryEntry { message, encoded: Cached::default(), estimate });
        {
            let mut log = self.log.entries.write().unwrap_or_else(PoisonError::into_inner);
            if log.len() == self.len {
                log.push(entry);
                self.len += 1;
                return;
            }
        }
        // Someone else appended after our end: this history becomes a fork of its own.
        let mut fork = self.read(|entries| entries.to_vec());
        fork.push(entry);
        self.len = fork.len();
        self.log = Arc::new(HistoryLog { entries: RwLock::new(fork), joined: Mutex::default() });
    }

    /// How many messages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing was said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// One message, counted from 0.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Message> {
        self.entry(index).map(|entry| entry.message.clone())
    }

    /// Shows one message without a copy of it.
    pub fn with_message<T>(&self, index: usize, look: impl FnOnce(&Message) -> T) -> Option<T> {
        self.entry(index).map(|entry| look(&entry.message))
    }

    /// Tokens: likely, and at most.
    pub(crate) fn estimate(&self) -> (u64, u64) {
        self.read(|entries| entries.last().map_or((0, 0), |entry| entry.estimate))
    }

    pub(crate) fn entry(&self, index: usize) -> Option<Arc<HistoryEntry>> {
        self.read(|entries| entries.get(index).cloned())
    }

    pub(crate) fn read<T>(&self, look: impl FnOnce(&[Arc<HistoryEntry>]) -> T) -> T {
        let log = self.log.entries.read().unwrap_or_else(PoisonError::into_inner);
        look(log.get(..self.len).unwrap_or_default())
    }

    /// What was joined from the run with this number on, and how many runs that is; at most `most` of them.
    pub(crate) fn joined(&self, lay: &JoinKey, number: usize, most: usize) -> Option<(JoinedRun, usize)> {
        let all = self.log.joined.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, held) = all.iter().find(|(known, _)| known == lay)?;
        let bundle = held
            .bundles
            .get(number / RUNS_PER_BUNDLE)
            .filter(|_| number.is_multiple_of(RUNS_PER_BUNDLE) && most >= RUNS_PER_BUNDLE);
        match bundle {
            Some(bundle) => Some((bundle.clone(), RUNS_PER_BUNDLE)),
            None => held.runs.get(number).map(|run| (run.clone(), 1)),
        }
    }

    /// Keeps a run; runs are joined in order, and one that is there already stays.
    pub(crate) fn keep_joined(&self, lay: &JoinKey, number: usize, run: JoinedRun) {
        let mut all = self.log.joined.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.iter().any(|(known, _)| known == lay) {
            all.push((lay.clone(), JoinedRuns::default()));
        }
        let found = all.iter_mut().find(|(known, _)| known == lay);
        if let Some((_, held)) = found.filter(|(_, held)| held.runs.len() == number) {
            held.runs.push(run);
            held.bundle();
        }
    }

    /// The bytes of this message lie in a joined run now; its own are not needed again.
    pub(crate) fn forget_encoded(&self, index: usize) {
        if let Some(entry) = self.entry(index) {
            entry.encoded.forget();
        }
    }
}

impl FromIterator<Message> for History {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        let mut history = Self::new();
        for message in messages {
            history.push(message);
        }
        history
    }
}

impl JoinedRuns {
    /// Joins the newest runs when there are enough of them; they go on as parts of the bundle's bytes.
    fn bundle(&mut self) {
        let start = self.bundles.len() * RUNS_PER_BUNDLE;
        let Some(runs) = self.runs.get_mut(start..start + RUNS_PER_BUNDLE) else { return };
        let mut bytes = BytesMut::with_capacity(runs.iter().map(|run| run.bytes.len()).sum());
        runs.iter().for_each(|run| bytes.extend_from_slice(&run.bytes));
        let bytes = bytes.freeze();
        let mut at = 0;
        for run in runs.iter_mut() {
            let end = at + run.bytes.len();
            run.bytes = bytes.slice(at..end);
            at = end;
        }
        self.bundles.extend(runs.last().map(|last| JoinedRun { bytes, ..last.clone() }));
    }
}

impl fmt::Debug for History {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.read(|entries| formatter.debug_list().entries(entries.iter().map(|entry| &entry.message)).finish())
    }
}

/// Encoded bytes by what they depend on: the dialect and, where a block is sealed, the model they are sent to.
#[derive(Debug, Default)]
pub(crate) struct Cached(Mutex<Vec<(EncodingKey, Bytes)>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct EncodingKey {
    dialect: Dialect,
    model: Option<Arc<str>>,
}

impl Cached {
    fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Vec::new();
    }

    pub(crate) fn get_or_encode(
        &self,
        dialect: Dialect,
        model: Option<&str>,
        encode: impl FnOnce() -> Vec<u8>,
    ) -> Bytes {
        let mut held: MutexGuard<'_, _> = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = held.iter().find(|(key, _)| key.dialect == dialect && key.model.as_deref() == model);
        if let Some((_, bytes)) = found {
            return bytes.clone();
        }
        let bytes = Bytes::from(encode());
        held.push((EncodingKey { dialect, model: model.map(Arc::from) }, bytes.clone()));
        bytes
    }
}

/// The model an encoding depends on: none for messages that carry nothing sealed. One protocol wants a word in place of a
/// missing seal, depending on the model.
pub(crate) fn sealed_for<'m>(message: &Message, dialect: Dialect, model: &'m str) -> Option<&'m str> {
    let sealed = message.blocks.iter().any(|block| Block::seal(block).is_some());
    (sealed || dialect == Dialect::Gemini).then_some(model)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_leaves_the_original_alone() {
        let mut first: History = [Message::user("a")].into_iter().collect();
        let mut second = first.clone();
        first.push(Message::user("b"));
        second.push(Message::user("c"));
        second.push(Message::user("d"));
        let texts = |history: &History| format!("{history:?}").matches("text: ").count();
        assert_eq!((first.len(), texts(&first)), (2, 2));
        assert_eq!((second.len(), texts(&second)), (3, 3));
        assert_eq!(first.get(1), Some(Message::user("b")));
        assert_eq!(second.get(1), Some(Message::user("c")));
        assert_eq!(first.get(2), None);
        assert_eq!(
            (first.with_message(1, |message| message.blocks.len()), first.with_message(2, |_| ())),
            (Some(1), None)
        );
    }

    #[test]
    fn a_snapshot_does_not_see_later_messages() {
        let mut history: History = [Message::user("a")].into_iter().collect();
        let snapshot = history.clone();
        history.push(Message::user("b"));
        assert_eq!((snapshot.len(), history.len()), (1, 2));
    }
}
