//! A turn on its way out: the ids and seals that the server makes for it, the same every time.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::protocol::WireProtocol;
use crate::received::Received;
use crate::script::{ScriptedCall, ScriptedTurn, ScriptedUsage, TurnPart};

/// Which turn of which conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TurnKey {
    pub(crate) conversation: usize,
    pub(crate) turn: usize,
}

/// Everything an encoder needs.
#[derive(Debug)]
pub(crate) struct TurnReply<'a> {
    pub(crate) protocol: WireProtocol,
    pub(crate) key: TurnKey,
    pub(crate) model: &'a str,
    pub(crate) turn: &'a ScriptedTurn,
    /// The client asked for usage (Chat Completions sends it only then).
    pub(crate) wants_usage: bool,
    /// The client asked for encrypted reasoning (Responses sends it only then).
    pub(crate) wants_seals: bool,
}

impl<'a> TurnReply<'a> {
    pub(crate) fn new(
        protocol: WireProtocol,
        key: TurnKey,
        turn: &'a ScriptedTurn,
        received: &'a Received,
    ) -> TurnReply<'a> {
        TurnReply {
            protocol,
            key,
            model: &received.model,
            turn,
            wants_usage: received.wants_usage,
            wants_seals: received.wants_seals,
        }
    }

    /// An id such as `msg_c0t2`.
    pub(crate) fn id(&self, prefix: &str) -> String {
        format!("{prefix}c{}t{}", self.key.conversation, self.key.turn)
    }

    /// An id for one part of the turn, such as `fc_c0t2p1`.
    pub(crate) fn part_id(&self, prefix: &str, part: usize) -> String {
        format!("{}p{part}", self.id(prefix))
    }

    /// The id under which the client has to answer a call.
    pub(crate) fn call_id(&self, part: usize, call: &ScriptedCall) -> String {
        let prefix = match self.protocol {
            WireProtocol::Anthropic => "toolu_",
            WireProtocol::Responses | WireProtocol::Chat | WireProtocol::Gemini => "call_",
        };
        call.id.clone().unwrap_or_else(|| self.part_id(prefix, part))
    }

    /// The signature or encrypted content of the reasoning in this part.
    pub(crate) fn seal(&self, part: usize) -> String {
        let mut hash = Sha256::new();
        hash.update(self.part_id(self.protocol.name(), part));
        if let Some(TurnPart::Reasoning(text)) = self.turn.say.get(part) {
            hash.update(text);
        }
        STANDARD.encode(hash.finalize())
    }

    /// The one signature of a Gemini answer, where the turn thinks at all.
    pub(crate) fn gemini_seal(&self) -> Option<String> {
        let first = self.turn.say.iter().position(|part| matches!(part, TurnPart::Reasoning(_)))?;
        Some(self.seal(first))
    }

    pub(crate) fn usage(&self) -> ScriptedUsage {
        self.turn.usage.unwrap_or_default()
    }

    /// Text cut into deltas.
    pub(crate) fn pieces<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let size = self.turn.pace.piece_chars.max(1);
        let mut rest = text;
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let (piece, tail) = rest.split_at(fore_text::cut::chars(rest, size).len());
            pieces.push(piece);
            rest = tail;
        }
        pieces
    }
}

/// Whether sending an event twice changes what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// A client can tell: the event carries no delta, or it is numbered.
    Harmless,
    /// Twice means twice the content.
    Doubles,
}

/// One server-sent event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerSentEvent {
    pub(crate) name: Option<String>,
    pub(crate) data: String,
    pub(crate) repeat: Repeat,
}

impl ServerSentEvent {
    /// An event whose name is also the `type` in its data.
    pub(crate) fn named(data: Value, repeat: Repeat) -> ServerSentEvent {
        let name = data.get("type").and_then(Value::as_str).map(str::to_owned);
        ServerSentEvent { name, data: data.to_string(), repeat }
    }

    /// An event without a name.
    pub(crate) fn plain(data: Value, repeat: Repeat) -> ServerSentEvent {
        ServerSentEvent { name: None, data: data.to_string(), repeat }
    }

    /// The bytes on the wire.
    pub(crate) fn encode(&self, line_end: &str) -> Vec<u8> {
        let mut text = String::new();
        if let Some(name) = &self.name {
            text.push_str(&format!("event: {name}{line_end}"));
        }
        text.push_str(&format!("data: {}{line_end}{line_end}", self.data));
        text.into_bytes()
    }
}
