//! What can go wrong between a request and its answer. No variant ever holds a key.

use std::time::Duration;

use crate::answer::Answer;
use crate::event::ModelName;
use crate::secret::KeySource;

/// Why there is no answer, or not a whole one.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what it is")]
pub enum Error {
    /// The conversation does not fit; compaction helps, repeating does not.
    #[error("the conversation is too long for {model}: {message}")]
    ContextOverflow { model: ModelName, tokens: Option<u64>, limit: Option<u64>, message: String },

    #[error("{model} refused the key from {source_of_key} ({status}): {message}")]
    Auth { model: ModelName, source_of_key: KeySource, status: u16, message: String },

    #[error("{model} is not a model of its server: {message}{}", near_names(.near))]
    ModelNotFound { model: ModelName, near: Vec<String>, message: String },

    #[error("{model} limits the rate of requests{}: {message}{}", tries(.attempts), wait(.retry_after))]
    RateLimited { model: ModelName, attempts: u32, retry_after: Option<Duration>, message: String },

    #[error("the quota for {model} is spent: {message}")]
    QuotaSpent { model: ModelName, message: String },

    #[error("{model} is overloaded{}: {message}{}", tries(.attempts), wait(.retry_after))]
    Overloaded { model: ModelName, attempts: u32, retry_after: Option<Duration>, message: String },

    #[error("the server of {model} failed{}{}: {message}", code(.status), tries(.attempts))]
    Server { model: ModelName, status: u16, attempts: u32, message: String },

    #[error("{model} refused the request{}: {message}", code(.status))]
    BadRequest { model: ModelName, status: u16, message: String },

    /// Not reached, or lost before the first byte.
    #[error("could not reach {address} for {model}{}: {message}", tries(.attempts))]
    Network { model: ModelName, address: String, attempts: u32, message: String },

    #[error("{model} was silent for {} s {phase}", .after.as_secs())]
    Timeout { model: ModelName, after: Duration, phase: FailurePhase, so_far: Box<Answer> },

    /// The stream ended before its terminal event.
    #[error("the answer of {model} was cut off: {message}")]
    Cut { model: ModelName, message: String, so_far: Box<Answer> },

    /// The server reported an error in the middle of its answer.
    #[error("{model} stopped in the middle of its answer: {cause}")]
    Broke { model: ModelName, cause: Box<Error>, so_far: Box<Answer> },

    #[error("{model} sent something that cannot be read: {message}")]
    Garbled { model: ModelName, message: String, so_far: Box<Answer> },

    #[error("{model} sent more than {limit} bytes in one piece")]
    TooLarge { model: ModelName, limit: usize, so_far: Box<Answer> },

    #[error("the request to {model} cannot be made: {message}")]
    Unsendable { model: ModelName, message: String },
}

/// When a server fell silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailurePhase {
    /// Nothing of the answer was there.
    BeforeAnswering,
    /// A part of it was.
    WhileAnswering,
}

impl std::fmt::Display for FailurePhase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::BeforeAnswering => "before its answer began",
            Self::WhileAnswering => "in the middle of its answer",
        })
    }
}

fn near_names(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!(". Did you mean: {}?", near.join(", ")) }
}

fn tries(attempts: &u32) -> String {
    if *attempts > 1 { format!(" after {attempts} tries") } else { String::new() }
}

/// A status that says something; what comes in the middle of an answer has none.
fn code(status: &u16) -> String {
    if *status == 0 { String::new() } else { format!(" ({status})") }
}

fn wait(retry_after: &Option<Duration>) -> String {
    retry_after.map(|after| format!("; it asks to wait {} s", after.as_secs())).unwrap_or_default()
}

impl Error {
    /// What had arrived when it went wrong.
    #[must_use]
    pub fn so_far(&self) -> Option<&Answer> {
        match self {
            Self::Timeout { so_far, .. }
            | Self::Cut { so_far, .. }
            | Self::Broke { so_far, .. }
            | Self::Garbled { so_far, .. }
            | Self::TooLarge { so_far, .. } => Some(so_far),
            Self::ContextOverflow { .. }
            | Self::Auth { .. }
            | Self::ModelNotFound { .. }
            | Self::RateLimited { .. }
            | Self::QuotaSpent { .. }
            | Self::Overloaded { .. }
            | Self::Server { .. }
            | Self::BadRequest { .. }
            | Self::Network { .. }
            | Self::Unsendable { .. } => None,
        }
    }
}
