//! Requests as they came, for tests that compare them; keys are replaced before anything is kept.

use bytes::Bytes;
use serde_json::Value;

use crate::protocol::WireProtocol;
use crate::read::Headers;

const REDACTED: &str = "<redacted>";

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedRequest {
    /// For example `POST`.
    pub method: String,
    /// The path and query; a key in the query is replaced.
    pub path: String,
    /// Names in lower case; values that hold keys are replaced.
    pub headers: Vec<(String, String)>,
    /// The body, byte for byte.
    pub body: Bytes,
    /// The protocol, if the path belongs to one.
    pub protocol: Option<WireProtocol>,
    /// The conversation, `main` or its name, once it is known.
    pub conversation: Option<String>,
    /// The number of the turn that answered it, from 0 in its conversation; nothing if it was refused.
    pub turn: Option<usize>,
    /// What the request says, in the words that all protocols share.
    pub told: Vec<ToldPart>,
    /// The tools that it offers.
    pub tools: Vec<String>,
}

/// One piece of what a request tells a model; thinking is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToldPart {
    /// Words of the user's side.
    Words(String),
    /// An image of the user's side.
    Image,
    /// What a call came to.
    Result {
        /// The tool that was called.
        tool: String,
        /// The result.
        text: String,
    },
    /// What the model said itself.
    Said(String),
    /// What the model called.
    Called(String),
}

impl RecordedRequest {
    pub(crate) fn new(method: &str, path: &str, query: &str, headers: &Headers, body: Bytes) -> RecordedRequest {
        let path = if query.is_empty() { path.to_owned() } else { format!("{path}?{}", without_key(query)) };
        RecordedRequest {
            method: method.to_owned(),
            path,
            headers: headers.0.iter().map(|(name, value)| (name.clone(), without_secret(name, value))).collect(),
            body,
            protocol: None,
            conversation: None,
            turn: None,
            told: Vec::new(),
            tools: Vec::new(),
        }
    }

    /// The body as JSON; null if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(have, _)| have == name).map(|(_, value)| value.as_str())
    }
}

fn without_secret(name: &str, value: &str) -> String {
    match name {
        "authorization" | "proxy-authorization" => match value.split_once(' ') {
            Some((scheme, _)) => format!("{scheme} {REDACTED}"),
            None => REDACTED.to_owned(),
        },
        "x-api-key" | "x-goog-api-key" | "api-key" | "cookie" => REDACTED.to_owned(),
        _ => value.to_owned(),
    }
}

fn without_key(query: &str) -> String {
    let pair = |pair: &str| if pair.starts_with("key=") { format!("key={REDACTED}") } else { pair.to_owned() };
    query.split('&').map(pair).collect::<Vec<_>>().join("&")
}
