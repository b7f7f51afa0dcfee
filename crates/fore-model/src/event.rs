//! The one stream of events every protocol is decoded into.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::block::{Seal, ToolUse};

/// `provider/name`, cheap to copy: every event carries one.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelName {
    full: Arc<str>,
    slash: usize,
}

impl ModelName {
    /// The name of a provider and of its model.
    #[must_use]
    pub fn new(provider: &str, name: &str) -> Self {
        Self { full: format!("{provider}/{name}").into(), slash: provider.len() }
    }

    /// The part before the slash.
    #[must_use]
    pub fn provider(&self) -> &str {
        self.full.get(..self.slash).unwrap_or_default()
    }

    /// The name as the provider knows it.
    #[must_use]
    pub fn name(&self) -> &str {
        self.full.get(self.slash + 1..).unwrap_or_default()
    }
}

impl Serialize for ModelName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.full)
    }
}

impl<'de> Deserialize<'de> for ModelName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        let (provider, name) =
            text.split_once('/').ok_or_else(|| serde::de::Error::custom("expected provider/name"))?;
        Ok(Self::new(provider, name))
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.full)
    }
}

impl fmt::Debug for ModelName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.full)
    }
}

/// Something a model said, and which model said it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelEvent {
    /// Who said it.
    pub model: ModelName,
    /// What was said.
    pub kind: EventKind,
}

/// `block` numbers the blocks of one answer in their final order; events of parallel blocks may interleave.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// The server answers, and names the model that does; it may be a dated version of the one asked for.
    Started {
        /// The name the server gives.
        served: String,
    },
    /// The server is still reading the prompt, and says how far it is.
    PromptRead {
        /// Tokens it has read.
        read: u64,
        /// Tokens of the whole prompt.
        total: u64,
    },
    /// More words of a text.
    TextDelta {
        /// The block they belong to.
        block: u32,
        /// The words.
        text: String,
    },
    /// A text is whole.
    TextFinished {
        /// Its block.
        block: u32,
        /// What goes back with it.
        seal: Option<Seal>,
    },
    /// More thoughts.
    ReasoningDelta {
        /// The block they belong to.
        block: u32,
        /// The thoughts.
        text: String,
    },
    /// A thought is whole.
    ReasoningFinished {
        /// Its block.
        block: u32,
        /// What goes back with it.
        seal: Option<Seal>,
    },
    /// The model begins a call.
    ToolCallStarted {
        /// Its block.
        block: u32,
        /// Pairs the call with its result.
        id: String,
        /// The tool.
        name: String,
    },
    /// More of the arguments of a call.
    ArgumentsDelta {
        /// The block of the call.
        block: u32,
        /// A piece of JSON that is not whole by itself.
        json: String,
    },
    /// A call is whole and can be made.
    ToolCallFinished {
        /// Its block.
        block: u32,
        /// The call.
        call: ToolUse,
    },
    /// Totals so far; a later one replaces an earlier one.
    Usage(Usage),
    /// Why the model ends here.
    Stopped(StopReason),
    /// Nothing comes after it.
    Done,
}

/// Tokens as the server counted them. `cached_read` and `cached_write` are parts of `input`, `reasoning` is a part of `output`,
/// whatever the protocol's own way of adding them up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// What the model read.
    pub input: u64,
    /// What it wrote.
    pub output: u64,
    /// What of the input came out of a cache.
    pub cached_read: u64,
    /// What of the input was put into one.
    pub cached_write: u64,
    /// What of the output were thoughts.
    pub reasoning: u64,
}

impl Usage {
    /// Whether the server counted at all. Every request has words in it: gateways that say 0 do not know.
    pub(crate) fn is_counted(&self) -> bool {
        self.input > 0
    }

    /// Input and output together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// The sum of two.
    #[must_use]
    pub fn plus(&self, other: &Usage) -> Usage {
        Usage {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cached_read: self.cached_read.saturating_add(other.cached_read),
            cached_write: self.cached_write.saturating_add(other.cached_write),
            reasoning: self.reasoning.saturating_add(other.reasoning),
        }
    }
}

/// Why a model ended its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It has said all it wanted to.
    EndTurn,
    /// It waits for the results of its calls.
    ToolUse,
    /// It met the limit of the request.
    MaxTokens,
    /// The context window filled up while the model was answering.
    ContextFull,
    /// It wrote a text that ends answers.
    StopSequence,
    /// The model or a filter declined.
    Refused,
    /// The server paused a long turn; sending the answer back continues it.
    Paused,
    /// The server could not read its own model's tool call.
    MalformedCall,
    /// A reason of the server's own.
    Other(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_name_keeps_slashes_of_the_provider_own_names() {
        let name = ModelName::new("openrouter", "some/model:free");
        assert_eq!((name.provider(), name.name()), ("openrouter", "some/model:free"));
        assert_eq!(name.to_string(), "openrouter/some/model:free");
        let json = serde_json::to_string(&name).unwrap();
        assert_eq!(serde_json::from_str::<ModelName>(&json).unwrap(), name);
        assert!(serde_json::from_str::<ModelName>("\"nothing\"").is_err());
    }
}
