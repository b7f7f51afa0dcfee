//! A request body as segments: head, messages, tail. Old messages are shared with earlier requests, not copied.
//! Two protocols want roles to alternate: neighbours of one role are sent as one message, without changing their bytes.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};

use super::{Dialect, Receiver};
use crate::block::{Message, Role};
use crate::history::{History, JoinKey, JoinedRun, sealed_for};
use crate::request::{CacheMarks, ModelRequest};

#[derive(Clone, Debug)]
pub(crate) struct RequestBody {
    head: Bytes,
    history: History,
    dialect: Dialect,
    model: Arc<str>,
    /// Messages that carry a rolling cache mark.
    marked: [Option<usize>; 2],
    tail: Bytes,
    len: u64,
}

/// Messages in one joined run, and how many at the end of a history stay on their own because they may still change.
const MESSAGES_PER_RUN: usize = 32;
const UNJOINED_MESSAGES: usize = 8;

const MARK: &[u8] = br#","cache_control":{"type":"ephemeral"}"#;
/// How an encoded message ends: its list of blocks, itself. Before that comes the end of its last block.
const MESSAGE_END: &[u8] = b"]}";
const BLOCK_END: &[u8] = b"}";

impl RequestBody {
    pub(crate) fn new(request: &ModelRequest, receiver: &Receiver<'_>) -> Self {
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

    /// Everything after the messages, where all that a server may not know stands.
    pub(crate) fn tail(&self) -> &[u8] {
        &self.tail
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn segments(&self) -> Segments {
        Segments::new(self.clone())
    }

    fn last_two_user_messages(&self) -> [Option<usize>; 2] {
        self.history.read(|entries| {
            let mut users = entries.iter().enumerate().rev().filter(|(_, entry)| entry.message.role == Role::User);
            [users.next().map(|(index, _)| index), users.next().map(|(index, _)| index)]
        })
    }

    fn encoded(&self, index: usize) -> Option<(Role, Bytes)> {
        let entry = self.history.entry(index)?;
        let message: &Message = &entry.message;
        let model = sealed_for(message, self.dialect, &self.model);
        let bytes = entry.encoded.get_or_encode(self.dialect, model, || self.dialect.message(message, &self.model));
        Some((message.role, bytes))
    }
}

/// One message that is next in line.
#[derive(Debug)]
struct NextMessage {
    index: usize,
    role: Role,
    bytes: Bytes,
}

/// Hands out the segments one by one, so that a body is never whole in memory.
#[derive(Debug)]
pub(crate) struct Segments {
    body: RequestBody,
    pending: VecDeque<Bytes>,
    next: Option<NextMessage>,
    /// Where the next message is looked for, until somebody has.
    from: Option<usize>,
    /// Whether the next message goes on in the list of blocks of the one before.
    continues: bool,
    list_is_empty: bool,
    join_key: JoinKey,
    /// The next joined run, and how many there are.
    run: usize,
    runs: usize,
    tail: Option<Bytes>,
}

impl Segments {
    /// Old messages come in runs that were laid out once: the cost of a request grows with what is new in it.
    fn new(body: RequestBody) -> Self {
        let first_mark = body.marked.iter().flatten().min().copied().unwrap_or(usize::MAX);
        let runs = body.history.len().saturating_sub(UNJOINED_MESSAGES).min(first_mark) / MESSAGES_PER_RUN;
        Self { runs, ..Self::loose(body) }
    }

    /// Message by message.
    fn loose(body: RequestBody) -> Self {
        // The list is still empty when the head ends with its bracket.
        let list_is_empty = body.head.ends_with(b"[");
        Self {
            pending: VecDeque::from([body.head.clone()]),
            next: None,
            from: Some(0),
            continues: false,
            list_is_empty,
            join_key: JoinKey { dialect: body.dialect, model: Arc::clone(&body.model), list_is_empty },
            run: 0,
            runs: 0,
            tail: Some(body.tail.clone()),
            body,
        }
    }

    /// The first message from `index` on that has anything to say in this dialect.
    fn speaking_from(&self, mut index: usize) -> Option<NextMessage> {
        loop {
            let (role, bytes) = self.body.encoded(index)?;
            if !bytes.is_empty() {
                return Some(NextMessage { index, role, bytes });
            }
            index += 1;
        }
    }

    fn fetch_next(&mut self) {
        if let Some(index) = self.from.take() {
            self.next = self.speaking_from(index);
        }
    }

    /// Puts the next joined run in line; false when the rest comes message by message.
    fn take_run(&mut self) -> bool {
        if self.run >= self.runs {
            return false;
        }
        let history = self.body.history.clone();
        if let Some((run, count)) = history.joined(&self.join_key, self.run, self.runs - self.run) {
            // Joined by a longer history of the same beginning, whose next message this one does not have.
            if run.next >= history.len() {
                self.runs = self.run;
                return false;
            }
            (self.continues, self.list_is_empty) = (run.continues, run.list_is_empty);
            (self.next, self.from) = (None, Some(run.next));
            self.pending.push_back(run.bytes);
            self.run += count;
            return true;
        }
        let Some(run) = self.join((self.run + 1) * MESSAGES_PER_RUN) else {
            self.runs = self.run;
            return !self.pending.is_empty();
        };
        self.pending.push_back(run.bytes.clone());
        history.keep_joined(&self.join_key, self.run, run);
        (self.run * MESSAGES_PER_RUN..(self.run + 1) * MESSAGES_PER_RUN)
            .for_each(|index| history.forget_encoded(index));
        self.run += 1;
        true
    }

    /// Lays out the messages before `end` in one piece. None when nobody speaks behind them: the end may still change.
    fn join(&mut self, end: usize) -> Option<JoinedRun> {
        let before = std::mem::take(&mut self.pending);
        self.fetch_next();
        while let Some(message) = self.next.take_if(|message| message.index < end) {
            self.next = self.speaking_from(message.index + 1);
            self.split_message(message);
        }
        let pieces = std::mem::replace(&mut self.pending, before);
        let Some(next) = self.next.as_ref().map(|message| message.index) else {
            self.pending.extend(pieces);
            return None;
        };
        let mut bytes = BytesMut::with_capacity(pieces.iter().map(Bytes::len).sum());
        pieces.iter().for_each(|piece| bytes.extend_from_slice(piece));
        let (continues, list_is_empty) = (self.continues, self.list_is_empty);
        Some(JoinedRun { bytes: bytes.freeze(), next, continues, list_is_empty })
    }

    /// Cuts a message so that neighbours of the same role become one, and puts in a mark where one belongs.
    fn split_message(&mut self, message: NextMessage) {
        let NextMessage { index, role, mut bytes } = message;
        let joins = matches!(self.body.dialect, Dialect::Anthropic | Dialect::Gemini);
        if std::mem::take(&mut self.list_is_empty) {
            bytes = bytes.slice(1..);
        } else if self.continues {
            let opening = bytes.iter().position(|byte| *byte == b'[').map_or(0, |at| at + 1);
            self.pending.push_back(bytes.slice(..1));
            bytes = bytes.slice(opening..);
        }
        self.continues = joins && self.next.as_ref().is_some_and(|next| next.role == role);
        if self.continues {
            bytes.truncate(bytes.len().saturating_sub(MESSAGE_END.len()));
        }
        let kept = if self.continues { BLOCK_END.len() } else { BLOCK_END.len() + MESSAGE_END.len() };
        if self.body.marked.contains(&Some(index)) && bytes.len() > kept {
            let end = bytes.split_off(bytes.len() - kept);
            self.pending.extend([bytes, Bytes::from_static(MARK), end]);
        } else {
            self.pending.push_back(bytes);
        }
    }
}

impl Iterator for Segments {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if self.pending.is_empty() && !self.take_run() {
            self.fetch_next();
            match self.next.take() {
                Some(message) => {
                    self.next = self.speaking_from(message.index + 1);
                    self.split_message(message);
                }
                None => self.pending.extend(self.tail.take()),
            }
        }
        self.pending.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{Block, Reasoning};
    use crate::provider::{ProviderSettings, choose, parse_name};
    use crate::request::RequestHead;
    use crate::secret::{KeySource, Secret};
    use proptest::prelude::*;

    fn whole(segments: Segments) -> String {
        let bytes: Vec<u8> = segments.flatten().collect();
        String::from_utf8(bytes).unwrap()
    }

    /// A message by a number: roles in any order, some of them silent.
    fn message(kind: u8, number: usize) -> Message {
        let silent = Block::Reasoning(Reasoning { text: "hm".into(), seal: None });
        match kind % 4 {
            0 | 1 => Message::user(format!("user {number}")),
            2 => Message::assistant(vec![Block::text(format!("assistant {number}"))]),
            _ => Message::assistant(vec![silent]),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn joined_messages_have_the_bytes_of_loose_ones(kinds in prop::collection::vec(0_u8..4, 0..700), cut in 0_usize..700) {
            let settings = ProviderSettings {
                base_url: Some("http://127.0.0.1:1".into()),
                key: Some((Secret::new("k"), KeySource::Settings)),
                ..ProviderSettings::default()
            };
            for name in ["anthropic/x", "openai/x", "google/x", "custom/x"] {
                let chosen = choose(&parse_name(name).unwrap(), &settings, &|_| None).unwrap();
                for marks in [CacheMarks::Trailing, CacheMarks::Rolling] {
                    let mut history = History::new();
                    for (number, kind) in kinds.iter().enumerate() {
                        history.push(message(*kind, number));
                        let early = number == cut || number + 1 == kinds.len();
                        if early || number % 61 == 0 {
                            let mut request = ModelRequest::new(RequestHead::new("s", vec![]), history.clone());
                            request.cache.marks = marks;
                            let body = RequestBody::new(&request, &Receiver::of(&chosen));
                            let loose = whole(Segments::loose(body.clone()));
                            prop_assert_eq!(body.len(), loose.len() as u64);
                            prop_assert_eq!(whole(body.segments()), loose);
                        }
                    }
                }
            }
        }
    }
}
