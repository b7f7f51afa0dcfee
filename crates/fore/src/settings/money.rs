//! Settings about money as people write them: prices and caps. Nothing is decided here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a model costs, in US dollars for a million tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "Price")]
pub(crate) struct PriceSection {
    /// What it reads afresh.
    #[schemars(range(min = 0, max = 100000))]
    pub(crate) input: f64,
    /// What it writes.
    #[schemars(range(min = 0, max = 100000))]
    pub(crate) output: f64,
    /// What it reads out of a cache. Not set: a tenth of the input.
    #[schemars(range(min = 0, max = 100000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cached_read: Option<f64>,
    /// What it puts into one. Not set: a quarter more than the input.
    #[schemars(range(min = 0, max = 100000))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cached_write: Option<f64>,
}

/// What may be spent before you are asked. Headless runs stop there, with exit code 12.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
#[schemars(rename = "Budget")]
pub(crate) struct BudgetSection {
    /// By one turn: from a prompt of yours to the end of the work on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) per_turn: Option<String>,
    /// By one session, also after it is resumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) per_session: Option<String>,
    /// By all sessions of a day, which begins at midnight UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) per_day: Option<String>,
    /// Whether the status line shows what the session cost.
    pub(crate) in_status_line: bool,
}
