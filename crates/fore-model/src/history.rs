//! The conversation as an append-only list whose messages are encoded once and shared by every later request.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use bytes::Bytes;

use crate::block::{Block, Message};
use crate::protocol::Dialect;
use crate::tokens;

/// A list of messages. Clones share it; appending to a clone that is no longer the newest copies pointers, never contents.
#[derive(Clone, Default)]
pub struct History {
    log: Arc<RwLock<Vec<Arc<Entry>>>>,
    len: usize,
}

#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) message: Message,
    pub(crate) encoded: Cached,
    /// Likely and at most.
    estimate: (u64, u64),
}

impl History {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub fn push(&mut self, message: Message) {
        let estimate = tokens::estimate_message(&message);
        let entry = Arc::new(Entry { message, encoded: Cached::default(), estimate });
        {
            let mut log = self.log.write().unwrap_or_else(PoisonError::into_inner);
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
        self.log = Arc::new(RwLock::new(fork));
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[must_use]
    pub fn get(&self, index: usize) -> Option<Message> {
        self.entry(index).map(|entry| entry.message.clone())
    }

    /// Shows one message without a copy of it.
    pub fn look<T>(&self, index: usize, look: impl FnOnce(&Message) -> T) -> Option<T> {
        self.entry(index).map(|entry| look(&entry.message))
    }

    /// Tokens: likely, and at most.
    pub(crate) fn estimate(&self) -> (u64, u64) {
        let add = |held: (u64, u64), entry: &Arc<Entry>| (held.0 + entry.estimate.0, held.1 + entry.estimate.1);
        self.read(|entries| entries.iter().fold((0, 0), add))
    }

    pub(crate) fn entry(&self, index: usize) -> Option<Arc<Entry>> {
        self.read(|entries| entries.get(index).cloned())
    }

    pub(crate) fn read<T>(&self, look: impl FnOnce(&[Arc<Entry>]) -> T) -> T {
        let log = self.log.read().unwrap_or_else(PoisonError::into_inner);
        look(log.get(..self.len).unwrap_or_default())
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

impl fmt::Debug for History {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.read(|entries| formatter.debug_list().entries(entries.iter().map(|entry| &entry.message)).finish())
    }
}

/// Encoded bytes by what they depend on: the dialect and, where a block is sealed, the model they are sent to.
#[derive(Debug, Default)]
pub(crate) struct Cached(Mutex<Vec<(Key, Bytes)>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    dialect: Dialect,
    model: Option<Arc<str>>,
}

impl Cached {
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
        held.push((Key { dialect, model: model.map(Arc::from) }, bytes.clone()));
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
        assert_eq!((first.look(1, |message| message.blocks.len()), first.look(2, |_| ())), (Some(1), None));
    }

    #[test]
    fn a_snapshot_does_not_see_later_messages() {
        let mut history: History = [Message::user("a")].into_iter().collect();
        let snapshot = history.clone();
        history.push(Message::user("b"));
        assert_eq!((snapshot.len(), history.len()), (1, 2));
    }
}
