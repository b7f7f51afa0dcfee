//! Reads what servers say when they refuse: one kind out of each provider's own shape of error.

use std::time::Duration;

use serde_json::Value;

use crate::protocol::Protocol;

/// A refusal in the server's words, and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerFault {
    pub(crate) kind: FaultKind,
    pub(crate) message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    ContextOverflow {
        tokens: Option<u64>,
        limit: Option<u64>,
    },
    Auth,
    ModelNotFound,
    RateLimited,
    /// Money or a hard quota: waiting does not help.
    QuotaSpent,
    Overloaded,
    /// The server failed or timed out on its side.
    Server,
    BadRequest,
}

/// Longest part of a server's message that is kept.
const MAX_MESSAGE_BYTES: usize = 2_000;
/// Letters of a page for people.
const MAX_PAGE_LETTERS: usize = 120;

/// An error response.
pub(crate) fn of_response(protocol: Protocol, status: u16, body: &[u8]) -> ServerFault {
    // Some gateways put the error into a stream that they had begun.
    let first = body.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(b"data:"));
    let parsed: Value = serde_json::from_slice(body)
        .or_else(|error| first.map_or(Err(error), serde_json::from_slice))
        .unwrap_or(Value::Null);
    let words = FaultDetails::read(&parsed, body);
    ServerFault { kind: classify(protocol, Some(status), &words), message: words.message }
}

/// An error event inside a stream.
pub(crate) fn in_stream(protocol: Protocol, data: &[u8]) -> ServerFault {
    let parsed: Value = serde_json::from_slice(data).unwrap_or(Value::Null);
    let words = FaultDetails::read(&parsed, data);
    let status = words.status.and_then(|status| u16::try_from(status).ok());
    ServerFault { kind: classify(protocol, status, &words), message: words.message }
}

/// How long the server asks to wait, where it says so in the body (`"retryDelay": "27s"`) instead of a header.
pub(crate) fn retry_delay(body: &[u8]) -> Option<Duration> {
    let parsed: Value = serde_json::from_slice(body).ok()?;
    let details = parsed.get(0).unwrap_or(&parsed).get("error")?.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay").and_then(Value::as_str))?;
    Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()
}

/// What is told of an error without a word.
const NO_REASON: &str = "it gave no reason";

/// The parts of an error that carry meaning, wherever a provider puts them.
struct FaultDetails {
    message: String,
    /// Every machine-readable word: `type`, `code`, `status`, reasons in details.
    labels: Vec<String>,
    status: Option<u64>,
    counts: (Option<u64>, Option<u64>),
}

impl FaultDetails {
    fn read(parsed: &Value, raw: &[u8]) -> Self {
        // Some servers wrap the error in a list, a response object, or an event.
        let outer = parsed.get(0).unwrap_or(parsed);
        let response = outer.get("response").unwrap_or(outer);
        let error = response.get("error").filter(|error| !error.is_null()).unwrap_or(response);
        let message = [error.get("message"), error.get("detail"), outer.get("message"), outer.get("detail")]
            .into_iter()
            .flatten()
            .chain([error])
            .find_map(Value::as_str)
            .map_or_else(|| gist(raw), str::to_owned);
        let message = if message.is_empty() { NO_REASON.to_owned() } else { message };
        let mut labels: Vec<String> = ["type", "code", "status"]
            .into_iter()
            .filter_map(|field| error.get(field).and_then(Value::as_str).map(str::to_owned))
            .collect();
        for detail in error.get("details").and_then(Value::as_array).into_iter().flatten() {
            labels.extend(detail.get("reason").and_then(Value::as_str).map(str::to_owned));
        }
        let number = |field: &str| error.get(field).and_then(Value::as_u64);
        Self {
            message: bounded(message),
            labels,
            status: number("code").or_else(|| number("status")),
            counts: (number("n_prompt_tokens"), number("n_ctx")),
        }
    }

    fn labelled(&self, words: &[&str]) -> bool {
        self.labels.iter().any(|label| words.contains(&label.as_str()))
    }
}

/// What a body says that is no error of a known shape: JSON as it is, of a page for people its title or its first words.
pub(crate) fn gist(raw: &[u8]) -> String {
    let text = String::from_utf8_lossy(raw);
    let text = text.trim();
    if !text.starts_with('<') {
        return bounded(text.to_owned());
    }
    let lower = text.to_ascii_lowercase();
    let title = lower.find("<title").and_then(|at| {
        let from = at + lower.get(at..)?.find('>')? + 1;
        let to = from + lower.get(from..)?.find("</title")?;
        text.get(from..to).map(str::trim).filter(|title| !title.is_empty())
    });
    let words = title.map_or_else(|| without_tags(text), str::to_owned);
    format!("a web page: {}", fore_text::cut::ellipsis(&words, MAX_PAGE_LETTERS))
}

fn without_tags(text: &str) -> String {
    let mut is_inside = false;
    let kept: String = text
        .chars()
        .filter(|letter| {
            let was_inside = is_inside;
            is_inside = *letter == '<' || (is_inside && *letter != '>');
            !is_inside && !was_inside
        })
        .collect();
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn bounded(message: String) -> String {
    let kept = fore_text::cut::bytes(&message, MAX_MESSAGE_BYTES);
    if kept.len() < message.len() { format!("{kept}…") } else { message }
}

fn classify(protocol: Protocol, status: Option<u16>, words: &FaultDetails) -> FaultKind {
    let lower = words.message.to_lowercase();
    if is_overflow(status, words, &lower) {
        let (tokens, limit) =
            if words.counts.0.is_some() || words.counts.1.is_some() { words.counts } else { numbers(&lower) };
        return FaultKind::ContextOverflow { tokens, limit: limit.or_else(|| named_limit(&lower)) };
    }
    if words.labelled(&["insufficient_quota", "billing_hard_limit_reached", "billing_error"]) || status == Some(402) {
        return FaultKind::QuotaSpent;
    }
    let wrong_key = words.labelled(&["authentication_error", "invalid_api_key", "API_KEY_INVALID", "UNAUTHENTICATED"]);
    if matches!(status, Some(401 | 403)) || wrong_key {
        return FaultKind::Auth;
    }
    if is_unknown_model(protocol, status, words, &lower) {
        return FaultKind::ModelNotFound;
    }
    if words.labelled(&["overloaded_error", "UNAVAILABLE", "server_is_overloaded", "slow_down"]) {
        return FaultKind::Overloaded;
    }
    if words.labelled(&["rate_limit_error", "rate_limit_exceeded", "RESOURCE_EXHAUSTED"]) {
        return FaultKind::RateLimited;
    }
    match status {
        Some(429) => FaultKind::RateLimited,
        Some(503 | 529) => FaultKind::Overloaded,
        Some(408 | 500..=599) => FaultKind::Server,
        Some(_) => FaultKind::BadRequest,
        None if words.labelled(&["invalid_request_error", "INVALID_ARGUMENT"]) => FaultKind::BadRequest,
        None => FaultKind::Server,
    }
}

/// Phrases of providers whose overflow has no code of its own. All lower case.
const OVERFLOW_PHRASES: [&str; 15] = [
    "prompt is too long",
    "exceed context limit",
    "exceeds the context window",
    "exceeds the maximum number of tokens allowed",
    "maximum context length",
    "maximum prompt length",
    "exceeds the available context size",
    "context length exceeded",
    "exceeds the context length",
    "exceed the context length",
    "reduce the length of the messages",
    "range of input length should be",
    "tokens + `max_new_tokens` must be",
    "context the overflows",
    "input token count exceeds",
];

fn is_overflow(status: Option<u16>, words: &FaultDetails, lower: &str) -> bool {
    // A rate limit also speaks of too many tokens, and clears by waiting; an overflow does not.
    if matches!(status, Some(429 | 401 | 402 | 403)) {
        return false;
    }
    words.labelled(&["context_length_exceeded", "exceed_context_size_error", "request_too_large"])
        || status == Some(413)
        || OVERFLOW_PHRASES.iter().any(|phrase| lower.contains(phrase))
}

fn is_unknown_model(protocol: Protocol, status: Option<u16>, words: &FaultDetails, lower: &str) -> bool {
    if words.labelled(&["model_not_found", "model_not_available"]) {
        return true;
    }
    let names_model = lower.contains("model");
    let said = ["not found", "does not exist", "not a valid model", "unknown model", "invalid model", "no such model"];
    let is_said = matches!(status, Some(400 | 404 | 422) | None) && said.iter().any(|words| lower.contains(words));
    let by_status = match protocol {
        Protocol::AnthropicMessages | Protocol::Gemini => status == Some(404),
        Protocol::OpenAiResponses | Protocol::ChatCompletions => false,
    };
    names_model && (is_said || by_status)
}

/// Where exactly two large numbers are named, the larger one was sent and the smaller one is the limit.
fn numbers(text: &str) -> (Option<u64>, Option<u64>) {
    let mut found: Vec<u64> = Vec::new();
    for run in text.split(|c: char| !c.is_ascii_digit() && c != ',') {
        if let Ok(number) = run.replace(',', "").parse::<u64>()
            && number >= 100
            && !found.contains(&number)
        {
            found.push(number);
        }
    }
    match found.as_slice() {
        [one, other] => (Some(*one.max(other)), Some(*one.min(other))),
        _ => (None, None),
    }
}

/// What stands before the size of a window in servers' own words. All lower case.
const BEFORE_LIMIT: [&str; 6] = [
    "maximum context length is ",
    "maximum context length of ",
    "available context size (",
    "context window of ",
    "context length of only ",
    "context size of ",
];

fn named_limit(text: &str) -> Option<u64> {
    BEFORE_LIMIT.iter().find_map(|words| {
        let at = text.find(words)? + words.len();
        let digits: String = text.get(at..)?.chars().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
        digits.replace(',', "").parse().ok()
    })
}

#[cfg(test)]
#[path = "fault_tests.rs"]
mod tests;
