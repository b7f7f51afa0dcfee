//! Providers as rows of a table: a new one is a row, not a copy of a client.

mod choose;
mod facts;
mod rows;

pub use choose::{AnswerOptions, ChosenModel, NameError, ProviderSettings, choose, parse_name};
pub use facts::{ModelFacts, Price, facts};
pub(crate) use facts::{known_names, thinks};
pub use rows::PROVIDERS;

use crate::auth::Auth;
use crate::protocol::{Protocol, ReasoningReturn};

/// One provider.
#[derive(Clone, Copy, Debug)]
pub struct Provider {
    /// The word before the slash in a model's name.
    pub id: &'static str,
    /// What its own server speaks.
    pub protocol: Protocol,
    /// Spoken instead when the base URL was changed: many servers copy only the older protocol of a provider.
    pub elsewhere: Option<Protocol>,
    /// `None`: must be given in the settings.
    pub base_url: Option<&'static str>,
    /// Variables that replace the base URL, first one set wins.
    pub base_url_variables: &'static [&'static str],
    /// Variables that hold a key, first one set wins, each with the way its key is sent.
    pub key_variables: &'static [(&'static str, Auth)],
    /// How a key from a command, a keyring or the settings is sent.
    pub auth: Auth,
    /// Whether the server works without a key (those on one's own machine).
    pub keyless: bool,
    /// Where it differs from others of its protocol.
    pub(crate) quirks: Quirks,
}

/// Where servers of the same protocol differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quirks {
    /// How thoughts go back.
    pub(crate) reasoning_return: ReasoningReturn,
    /// Where an effort is asked for.
    pub(crate) effort_field: EffortField,
    /// Where a limit of the answer is set.
    pub(crate) limit_field: LimitField,
    /// Whether usage must be asked for, and asking is understood.
    pub(crate) stream_options: bool,
    /// Whether `prompt_cache_key` is understood.
    pub(crate) cache_key: bool,
}

/// The field that asks for an effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EffortField {
    /// There is none.
    None,
    /// `reasoning_effort`.
    ReasoningEffort,
    /// `reasoning.effort`.
    ReasoningObject,
}

/// The field that limits an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitField {
    /// `max_tokens`.
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

/// How a model is asked to reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThinkingControl {
    Never,
    ByEffort,
    ByBudget,
}

/// The row with this id.
#[must_use]
pub fn provider(id: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.id == id)
}
