//! The questions of `AskUserQuestion`: one to four, each with two to four options and always a free answer.

use crate::tools::input::without_closing;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) const MAX_QUESTIONS: usize = 4;
pub(crate) const MIN_OPTIONS: usize = 2;
pub(crate) const MAX_OPTIONS: usize = 4;

/// A small form for the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "doc comments would go into the schema that the model reads")]
pub struct Form {
    #[schemars(length(min = 1, max = MAX_QUESTIONS))]
    pub questions: Vec<FormQuestion>,
    // The program itself offers something: to leave it is a no, and there are no words of one's own.
    #[serde(default, skip_deserializing, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(skip)]
    pub is_offer: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = without_closing)]
#[expect(missing_docs, reason = "doc comments would go into the schema that the model reads")]
pub struct FormQuestion {
    /// A word or two, for a tab.
    #[serde(default)]
    #[schemars(description = "One or two words.")]
    pub header: String,
    pub question: String,
    #[serde(default)]
    pub multi_select: bool,
    #[schemars(length(min = MIN_OPTIONS, max = MAX_OPTIONS))]
    pub options: Vec<FormOption>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = without_closing)]
#[expect(missing_docs, reason = "doc comments would go into the schema that the model reads")]
pub struct FormOption {
    pub label: String,
    #[serde(default)]
    pub description: String,
}
