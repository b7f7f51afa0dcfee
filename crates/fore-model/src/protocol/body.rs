//! A request body as segments: head, one piece per message, tail. Old messages are shared with earlier requests, not copied.

use std::sync::Arc;

use bytes::Bytes;

use super::{Dialect, Receiver};
use crate::block::{Message, Role};
use crate::history::{History, sealed_for};
use crate::request::{CacheMarks, Request};

#[derive(Clone, Debug)]
pub(crate) struct Body {
    head: Bytes,
    history: History,
    dialect: Dialect,
    model: Arc<str>,
    /// Messages that carry a rolling cache mark.
    marked: [Option<usize>; 2],
    tail: Bytes,
    len: u64,
}

const MARK: &[u8] = br#","cache_control":{"type":"ephemeral"}"#;
/// How an encoded message that can carry a mark ends: its last block, its content, itself.
const MESSAGE_END: &[u8] = b"}]}";

impl Body {
    pub(crate) fn new(request: &Request, receiver: &Receiver<'_>) -> Self {
        let dialect = receiver.dialect();
        let head = request.head.encoded.get_or_encode(dialect, None, || dialect.head(&request.head));
        let mut body = Self {
            head,
            history: request.history.clone(),
            dialect,
            model: Arc::from(receiver.model),
            marked: [None; 2],
            tail: dialect.tail(request, receiver).into(),
            len: 0,
        };
        if dialect == Dialect::Anthropic && request.cache.marks == CacheMarks::Rolling {
            body.marked = body.last_two_user_messages();
        }
        body.len = body.segments().map(|segment| segment.len() as u64).sum();
        body
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn segments(&self) -> Segments {
        // The list is still empty when the head ends with its bracket.
        let list_is_empty = self.head.ends_with(b"[");
        Segments { body: self.clone(), step: Step::Head, list_is_empty, pending: [Bytes::new(), Bytes::new()] }
    }

    #[cfg(test)]
    pub(crate) fn to_vec(&self) -> Vec<u8> {
        self.segments().flatten().collect()
    }

    fn last_two_user_messages(&self) -> [Option<usize>; 2] {
        self.history.read(|entries| {
            let mut users = entries.iter().enumerate().rev().filter(|(_, entry)| entry.message.role == Role::User);
            [users.next().map(|(index, _)| index), users.next().map(|(index, _)| index)]
        })
    }

    fn encoded(&self, index: usize) -> Option<Bytes> {
        let entry = self.history.entry(index)?;
        let message: &Message = &entry.message;
        let model = sealed_for(message, self.dialect, &self.model);
        Some(entry.encoded.get_or_encode(self.dialect, model, || self.dialect.message(message, &self.model)))
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Head,
    Message(usize),
    End,
}

/// Hands out the segments one by one, so that a body is never whole in memory.
#[derive(Debug)]
pub(crate) struct Segments {
    body: Body,
    step: Step,
    list_is_empty: bool,
    pending: [Bytes; 2],
}

impl Iterator for Segments {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        for slot in &mut self.pending {
            if !slot.is_empty() {
                return Some(std::mem::take(slot));
            }
        }
        loop {
            match self.step {
                Step::Head => {
                    self.step = Step::Message(0);
                    return Some(self.body.head.clone());
                }
                Step::Message(index) => {
                    let Some(mut bytes) = self.body.encoded(index) else {
                        self.step = Step::End;
                        return Some(self.body.tail.clone());
                    };
                    self.step = Step::Message(index + 1);
                    if bytes.is_empty() {
                        continue;
                    }
                    if std::mem::take(&mut self.list_is_empty) {
                        bytes = bytes.slice(1..);
                    }
                    if self.body.marked.contains(&Some(index)) && bytes.ends_with(MESSAGE_END) {
                        let end = bytes.split_off(bytes.len() - MESSAGE_END.len());
                        self.pending = [Bytes::from_static(MARK), end];
                    }
                    return Some(bytes);
                }
                Step::End => return None,
            }
        }
    }
}
