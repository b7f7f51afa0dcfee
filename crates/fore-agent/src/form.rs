//! The questions of `AskUserQuestion`: one to four, each with two to four options and always a free answer.

use serde::{Deserialize, Serialize};

pub const MAX_QUESTIONS: usize = 4;
pub const MIN_OPTIONS: usize = 2;
pub const MAX_OPTIONS: usize = 4;

/// A small form for the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form {
    pub questions: Vec<FormQuestion>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FormQuestion {
    /// A word or two, for a tab.
    #[serde(default)]
    pub header: String,
    pub question: String,
    #[serde(default)]
    pub multi_select: bool,
    pub options: Vec<FormOption>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FormOption {
    pub label: String,
    #[serde(default)]
    pub description: String,
}
