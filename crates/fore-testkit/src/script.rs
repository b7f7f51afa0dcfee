//! What the scripted model says, turn by turn: plain data, the same for all four protocols.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::expect::Expect;

/// The whole story: turns of the main conversation, and of any others that run beside it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelScript {
    /// Models that exist; any other name is answered with the provider's "not found". Empty: every name exists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// The only key that is accepted; without it every key is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Top-level request fields to accept beside the documented ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extra_fields: Vec<String>,
    /// Whether the history may hold calls and signatures that this server did not make.
    pub history: HistoryRule,
    /// Whether `finish` accepts turns that nobody asked for.
    pub unused_turns: UnusedTurns,
    /// Tokens that fit one request, a token for every three bytes: more is refused as llama.cpp's server refuses it, and the list of models
    /// says so. No turn is used up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// Top-level request fields that are refused as unknown (400). No turn is used up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused_fields: Vec<String>,
    /// Words that calls may repeat from their request, by the name that stands for them as `{{name}}` in arguments.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub learn: BTreeMap<String, Learn>,
    /// Turns of every request that belongs to no named conversation.
    pub turns: Vec<ScriptedTurn>,
    /// Conversations told apart by a substring, for example those of subagents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conversations: Vec<ScriptedConversation>,
}

/// Where the history in a request may come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HistoryRule {
    /// Everything the model is said to have called or thought was really sent by this server.
    #[default]
    Own,
    /// Calls and signatures unknown to this server are accepted.
    Foreign,
}

/// The last word of a request that contains one text and ends with another, such as a path that was made up at random.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learn {
    /// What is in the word.
    pub contains: String,
    /// What the word ends with.
    pub ends: String,
}

/// What `finish` makes of turns that were never delivered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnusedTurns {
    /// They fail the test.
    #[default]
    Fail,
    /// They are fine.
    Allow,
}

/// Turns for requests whose system prompt or first user message contains `key`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedConversation {
    /// The name in reports.
    pub name: String,
    /// The substring that marks a request as part of this conversation.
    pub key: String,
    /// The turns, in order.
    pub turns: Vec<ScriptedTurn>,
}

/// One answer of the model, or one failure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptedTurn {
    /// What the request must look like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expect>,
    /// The content, in order.
    pub say: Vec<TurnPart>,
    /// Token counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<ScriptedUsage>,
    /// Why the answer ends; by default `tool_calls` when there are calls and `end` otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<ScriptedStop>,
    /// What goes wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// What is added to the stream that a client has to bear.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub noise: Vec<Noise>,
    /// How content and bytes are cut into pieces.
    pub pace: Chunking,
    /// Writes a second, by the clock: one that comes late is made up for by the next. Instead of the pauses of `pace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<u32>,
}

/// One piece of content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnPart {
    /// Words for the user.
    Text(String),
    /// Thinking, sealed with a signature by the server. Empty text: thinking that only the provider can read.
    Reasoning(String),
    /// A tool call.
    Call(ScriptedCall),
}

/// A tool call; its id is made by the server unless given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedCall {
    /// The tool.
    pub name: String,
    /// The arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// The arguments as literal text, for arguments that are broken JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_arguments: Option<String>,
    /// A fixed id instead of a made one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl ScriptedCall {
    /// The arguments as they are streamed.
    pub(crate) fn arguments_text(&self) -> String {
        match (&self.raw_arguments, &self.arguments) {
            (Some(raw), _) => raw.clone(),
            (None, Some(value)) => value.to_string(),
            (None, None) => "{}".to_owned(),
        }
    }

    /// The arguments as an object, or nothing when they are broken.
    pub(crate) fn arguments_object(&self) -> Option<Value> {
        serde_json::from_str::<Value>(&self.arguments_text()).ok().filter(Value::is_object)
    }
}

/// Token counts: `input` counts cached tokens too, `output` counts reasoning too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScriptedUsage {
    /// All tokens of the prompt.
    pub input: u64,
    /// Of these, read from the cache.
    pub cached: u64,
    /// Of these, written to the cache.
    pub cache_write: u64,
    /// All tokens of the answer.
    pub output: u64,
    /// Of these, reasoning.
    pub reasoning: u64,
}

impl Default for ScriptedUsage {
    fn default() -> Self {
        ScriptedUsage { input: 100, cached: 0, cache_write: 0, output: 20, reasoning: 0 }
    }
}

/// Why an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptedStop {
    /// The model is done.
    End,
    /// The model waits for tool results.
    ToolCalls,
    /// The limit of output tokens is reached.
    MaxTokens,
    /// The provider's filter stopped it.
    Refusal,
}

/// What goes wrong in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Fault {
    /// An error response instead of a stream, in the provider's own shape.
    Status(ProviderFailure),
    /// The connection closes before the first byte of the response.
    HangUp,
    /// One JSON document with status 200 instead of a stream.
    Document(Value),
    /// The stream ends early.
    Cut {
        /// Where.
        at: CutAt,
        /// How.
        #[serde(default)]
        how: CutHow,
    },
    /// The JSON of the event with this number (from 0) is broken.
    MalformedEvent(usize),
    /// After so many events nothing more comes until the client closes the connection.
    Stall {
        /// How many events come first.
        after_event: usize,
    },
    /// After so many events the provider reports an error inside the stream.
    ErrorEvent {
        /// How many events come first.
        after_event: usize,
        /// Which error.
        failure: ProviderFailure,
    },
}

/// The place where a stream ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutAt {
    /// After so many bytes.
    Bytes(usize),
    /// After so many whole events.
    AfterEvent(usize),
    /// In the middle of the event with this number (from 0).
    InsideEvent(usize),
}

/// The way a stream ends early.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutHow {
    /// The connection breaks: HTTP itself is incomplete.
    #[default]
    Break,
    /// HTTP ends properly, only the protocol's last events are missing.
    End,
}

/// An error as the provider reports it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderFailure {
    /// Which error.
    pub kind: FailureKind,
    /// Another status code than the provider's usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<u16>,
    /// The header `retry-after`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<RetryAfter>,
    /// Other words than the provider's usual ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl ProviderFailure {
    /// The error with its usual code and words.
    pub fn new(kind: FailureKind) -> ProviderFailure {
        ProviderFailure { kind, code: None, retry_after: None, message: None }
    }
}

/// The errors every provider knows under its own name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The request is wrong (400).
    InvalidRequest,
    /// The prompt does not fit the context window (400).
    Overflow,
    /// The key is wrong (401; Gemini: 400).
    Unauthorized,
    /// The key may not do this (403).
    Forbidden,
    /// There is no such model (404).
    ModelNotFound,
    /// The request took too long (408; Anthropic and Gemini: 504).
    Timeout,
    /// Too many requests (429).
    RateLimit,
    /// The provider failed (500).
    ServerError,
    /// The provider has no capacity (Anthropic: 529, others: 503).
    Overloaded,
}

/// The two forms of the header `retry-after`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryAfter {
    /// So many seconds from now.
    Seconds(u64),
    /// A date in the format of HTTP.
    Date(String),
}

impl RetryAfter {
    /// The value of the header.
    pub(crate) fn header(&self) -> String {
        match self {
            RetryAfter::Seconds(seconds) => seconds.to_string(),
            RetryAfter::Date(date) => date.clone(),
        }
    }
}

/// What a client has to bear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Noise {
    /// The protocol's ping event where it has one, else a comment, after every event.
    Ping,
    /// A comment line before every event.
    Comment,
    /// An event of an unknown type after every event.
    UnknownEvent,
    /// Events that carry no delta come twice (with sequence numbers: all events).
    DuplicateEvents,
    /// Lines end in CR LF.
    CarriageReturn,
}

/// How content and bytes are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Chunking {
    /// Characters in each delta.
    pub piece_chars: usize,
    /// Bytes in each write to the network; 0: one write for each event.
    pub write_bytes: usize,
    /// Pause before each write.
    pub delay_ms: u64,
}

impl Default for Chunking {
    fn default() -> Self {
        Chunking { piece_chars: 12, write_bytes: 0, delay_ms: 0 }
    }
}

impl ScriptedTurn {
    /// Why the answer ends, given or derived.
    pub(crate) fn stop(&self) -> ScriptedStop {
        let calls = self.say.iter().any(|part| matches!(part, TurnPart::Call(_)));
        self.stop.unwrap_or(if calls { ScriptedStop::ToolCalls } else { ScriptedStop::End })
    }
}
