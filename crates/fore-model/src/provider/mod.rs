//! Providers as rows of a table: a new one is a row, not a copy of a client.

mod choose;
mod facts;
mod nearest;
mod rows;

pub use choose::{ChosenModel, NameError, ProviderSettings, choose, parse_name};
pub use facts::{ModelFacts, Price, facts};
pub(crate) use facts::{known_names, thinks};
pub use nearest::nearest;
pub use rows::PROVIDERS;

use crate::auth::Auth;
use crate::protocol::{Protocol, ReasoningReturn};

/// One provider.
#[derive(Clone, Copy, Debug)]
pub struct Provider {
    pub id: &'static str,
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
    pub quirks: Quirks,
}

/// Where servers of the same protocol differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quirks {
    pub reasoning_return: ReasoningReturn,
    pub effort_field: EffortField,
    pub limit_field: LimitField,
    /// Whether usage must be asked for, and asking is understood.
    pub stream_options: bool,
    /// Whether `prompt_cache_key` is understood.
    pub cache_key: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffortField {
    None,
    ReasoningEffort,
    ReasoningObject,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitField {
    MaxTokens,
    MaxCompletionTokens,
}

/// How a model is asked to reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThinkingControl {
    Never,
    ByEffort,
    ByBudget,
}

#[must_use]
pub fn provider(id: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.id == id)
}
