//! A request in the words that all protocols share, so that the rules about history are written once.

use crate::record::ToldPart;

/// Who speaks. Tool results are the user's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReceivedRole {
    User,
    Assistant,
}

/// One piece of a message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ReceivedBlock {
    Text(String),
    Image,
    /// Thinking; `seal` is the signature or the encrypted content that came back.
    Reasoning {
        text: String,
        seal: Option<String>,
    },
    /// A call; `seal` is a signature that the protocol puts on the call itself.
    Call {
        id: String,
        name: String,
        arguments: String,
        seal: Option<String>,
    },
    Result {
        id: String,
        text: String,
        is_error: bool,
    },
}

/// One message, or a run of items that a protocol without messages sends.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReceivedEntry {
    pub(crate) path: String,
    pub(crate) role: ReceivedRole,
    pub(crate) blocks: Vec<ReceivedBlock>,
}

/// The request.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Received {
    pub(crate) model: String,
    pub(crate) system: String,
    pub(crate) entries: Vec<ReceivedEntry>,
    pub(crate) tools: Vec<String>,
    /// Whether signatures were asked for, where a protocol sends them only then.
    pub(crate) wants_seals: bool,
    /// Whether usage was asked for, where a protocol sends it only then.
    pub(crate) wants_usage: bool,
}

impl Received {
    /// Adds to the last entry when the same side goes on speaking, else opens a new one.
    pub(crate) fn extend(&mut self, path: &str, role: ReceivedRole, blocks: Vec<ReceivedBlock>) {
        match self.entries.last_mut() {
            Some(last) if last.role == role => last.blocks.extend(blocks),
            _ => self.entries.push(ReceivedEntry { path: path.to_owned(), role, blocks }),
        }
    }

    pub(crate) fn first_user_words(&self) -> String {
        self.entries.iter().find(|entry| entry.role == ReceivedRole::User).map(ReceivedEntry::words).unwrap_or_default()
    }

    /// The words of the last entry of the user that has any.
    pub(crate) fn last_user_words(&self) -> String {
        let with_words = |entry: &&ReceivedEntry| entry.role == ReceivedRole::User && !entry.words().is_empty();
        self.entries.iter().rev().find(with_words).map(ReceivedEntry::words).unwrap_or_default()
    }

    /// Everything that is said, in order.
    pub(crate) fn told(&self) -> Vec<ToldPart> {
        let blocks = self.entries.iter().flat_map(|entry| entry.blocks.iter().map(move |block| (entry.role, block)));
        let told = blocks.filter_map(|(role, block)| match (block, role) {
            (ReceivedBlock::Text(text), ReceivedRole::User) => Some(ToldPart::Words(text.clone())),
            (ReceivedBlock::Text(text), ReceivedRole::Assistant) => Some(ToldPart::Said(text.clone())),
            (ReceivedBlock::Image, _) => Some(ToldPart::Image),
            (ReceivedBlock::Reasoning { .. }, _) => None,
            (ReceivedBlock::Call { name, .. }, _) => Some(ToldPart::Called(name.clone())),
            (ReceivedBlock::Result { id, text, .. }, _) => {
                Some(ToldPart::Result { tool: self.tool_of(id).to_owned(), text: text.clone() })
            }
        });
        told.collect()
    }

    /// The tool that was called under this id, or the id itself.
    pub(crate) fn tool_of<'a>(&'a self, wanted: &'a str) -> &'a str {
        let mut blocks = self.entries.iter().flat_map(|entry| &entry.blocks);
        let name = blocks.find_map(|block| match block {
            ReceivedBlock::Call { id, name, .. } if id == wanted => Some(name.as_str()),
            _ => None,
        });
        name.unwrap_or(wanted)
    }
}

impl ReceivedEntry {
    /// The words, without results, calls and thinking.
    pub(crate) fn words(&self) -> String {
        let text = |block: &ReceivedBlock| match block {
            ReceivedBlock::Text(text) => Some(text.clone()),
            ReceivedBlock::Image
            | ReceivedBlock::Reasoning { .. }
            | ReceivedBlock::Call { .. }
            | ReceivedBlock::Result { .. } => None,
        };
        self.blocks.iter().filter_map(text).collect::<Vec<_>>().join("\n")
    }
}
