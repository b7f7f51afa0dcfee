//! What is asked of a model: head (tools and system text), history, and limits.

use std::sync::Arc;

use serde_json::Value;

use crate::history::{Cached, History};
use crate::tokens::{self, TokenCount};

/// A tool as the model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSchema {
    /// What the model calls it by.
    pub name: String,
    /// What the model reads about it.
    pub description: String,
    /// JSON Schema of the arguments, an object.
    pub parameters: Value,
}

/// Tools and system text. It is encoded once and shared by all turns: nothing that changes during a session belongs here,
/// or the provider's prompt cache is lost. What changes (mode, reminders) is said in user messages.
#[derive(Debug)]
pub struct RequestHead {
    pub(crate) system: String,
    pub(crate) tools: Vec<ToolSchema>,
    pub(crate) encoded: Cached,
}

impl RequestHead {
    /// What stays the same in all requests of a conversation.
    #[must_use]
    pub fn new(system: impl Into<String>, tools: Vec<ToolSchema>) -> Arc<Self> {
        Arc::new(Self { system: system.into(), tools, encoded: Cached::default() })
    }

    /// The words before the conversation.
    #[must_use]
    pub fn system(&self) -> &str {
        &self.system
    }

    /// What may be called.
    #[must_use]
    pub fn tools(&self) -> &[ToolSchema] {
        &self.tools
    }
}

/// What is asked of a model.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// What does not change from turn to turn.
    pub head: Arc<RequestHead>,
    /// The conversation so far.
    pub history: History,
    /// `None`: the model's own limit where the table knows it, else a protocol default.
    pub max_output_tokens: Option<u32>,
    /// How much the model should reason.
    pub thinking: Thinking,
    /// Whether it may call tools.
    pub tool_choice: ToolChoice,
    /// How the provider finds what it has read before.
    pub cache: CacheHint,
}

impl ModelRequest {
    /// A request that asks for nothing special.
    #[must_use]
    pub fn new(head: Arc<RequestHead>, history: History) -> Self {
        Self {
            head,
            history,
            max_output_tokens: None,
            thinking: Thinking::Default,
            tool_choice: ToolChoice::Auto,
            cache: CacheHint::default(),
        }
    }

    /// About how many tokens it takes; what a server reports after the answer is better.
    #[must_use]
    pub fn estimated_tokens(&self) -> TokenCount {
        let (head, history) = (tokens::estimate_head(&self.head), self.history.estimate());
        TokenCount::Estimated { likely: head.0 + history.0, at_most: head.1 + history.1 }
    }
}

/// How much a model should reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thinking {
    /// Whatever the server does when nothing is said.
    #[default]
    Default,
    /// As little as the protocol lets one ask for.
    Off,
    /// In three steps.
    Effort(Effort),
    /// Tokens; where a protocol or model has only efforts, the nearest effort is asked for.
    Budget(u32),
}

/// How much a model should reason, without a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// A little.
    Low,
    /// Some.
    Medium,
    /// A lot.
    High,
}

impl Effort {
    #[must_use]
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    pub(crate) fn budget(self) -> u32 {
        match self {
            Self::Low => 2_048,
            Self::Medium => 8_192,
            Self::High => 24_576,
        }
    }

    pub(crate) fn nearest(budget: u32) -> Self {
        match budget {
            0..=4_096 => Self::Low,
            4_097..=16_384 => Self::Medium,
            _ => Self::High,
        }
    }
}

impl Thinking {
    /// The same wish as an effort, for protocols that know no budgets.
    pub(crate) fn effort(self) -> Option<Effort> {
        match self {
            Self::Default | Self::Off => None,
            Self::Effort(effort) => Some(effort),
            Self::Budget(tokens) => Some(Effort::nearest(tokens)),
        }
    }

    /// The same wish as a budget, for protocols that know no efforts.
    pub(crate) fn budget(self) -> Option<u32> {
        match self {
            Self::Default | Self::Off => None,
            Self::Effort(effort) => Some(effort.budget()),
            Self::Budget(tokens) => Some(tokens),
        }
    }
}

/// Whether a model may call tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// Tools stay in the request (the prefix is unchanged) and may not be called.
    None,
}

/// What helps a provider to find the cached prefix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheHint {
    /// Groups requests that share a prefix; a session id is a good one.
    pub key: Option<String>,
    /// How the end of the history is marked.
    pub marks: CacheMarks,
}

/// How the end of the history is marked for caching where the protocol has marks.
///
/// A mark inside a message must move with every turn, so the message's bytes would change. `Trailing` leaves the message alone:
/// the mark is one field after the history and the server applies it to the last block. `Rolling` is for servers that do not
/// know that field: the last two user messages carry a mark each (two, so that a turn with many blocks still finds the
/// earlier one). Providers do not hash marks, so their cache sees the same prefix; only the bytes on the wire differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheMarks {
    /// One field after the history.
    #[default]
    Trailing,
    /// A mark in each of the last two user messages.
    Rolling,
    /// No marks.
    None,
}
