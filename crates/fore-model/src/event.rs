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
    #[must_use]
    pub fn new(provider: &str, name: &str) -> Self {
        Self { full: format!("{provider}/{name}").into(), slash: provider.len() }
    }

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
    pub model: ModelName,
    pub kind: EventKind,
}

/// `block` numbers the blocks of one answer in their final order; events of parallel blocks may interleave.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// The server answers, and names the model that does; it may be a dated version of the one asked for.
    Started {
        served: String,
    },
    TextDelta {
        block: u32,
        text: String,
    },
    TextFinished {
        block: u32,
        seal: Option<Seal>,
    },
    ReasoningDelta {
        block: u32,
        text: String,
    },
    ReasoningFinished {
        block: u32,
        seal: Option<Seal>,
    },
    ToolCallStarted {
        block: u32,
        id: String,
        name: String,
    },
    ArgumentsDelta {
        block: u32,
        json: String,
    },
    ToolCallFinished {
        block: u32,
        call: ToolUse,
    },
    /// Totals so far; a later one replaces an earlier one.
    Usage(Usage),
    Stopped(StopReason),
    Done,
}

/// Tokens as the server counted them. `cached_read` and `cached_write` are parts of `input`, `reasoning` is a part of `output`,
/// whatever the protocol's own way of adding them up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    pub cached_read: u64,
    pub cached_write: u64,
    pub reasoning: u64,
}

impl Usage {
    #[must_use]
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    EndTurn,
    ToolUse,
    MaxTokens,
    /// The context window filled up while the model was answering.
    ContextFull,
    StopSequence,
    /// The model or a filter declined.
    Refused,
    /// The server paused a long turn; sending the answer back continues it.
    Paused,
    /// The server could not read its own model's tool call.
    MalformedCall,
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
