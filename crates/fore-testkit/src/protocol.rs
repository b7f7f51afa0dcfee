//! The four wire protocols, with the addresses and variables a client needs to reach each of them.

use serde::{Deserialize, Serialize};

/// A way of talking to a model over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// Anthropic Messages, `POST /v1/messages`.
    Anthropic,
    /// OpenAI Responses, `POST /v1/responses`.
    Responses,
    /// OpenAI Chat Completions, `POST /v1/chat/completions`.
    Chat,
    /// Gemini, `POST /v1beta/models/{model}:streamGenerateContent?alt=sse`.
    Gemini,
}

impl Protocol {
    /// Every protocol, in the order reports list them.
    pub const ALL: [Protocol; 4] = [Protocol::Anthropic, Protocol::Responses, Protocol::Chat, Protocol::Gemini];

    /// The word used in scripts, reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Anthropic => "anthropic",
            Protocol::Responses => "responses",
            Protocol::Chat => "chat",
            Protocol::Gemini => "gemini",
        }
    }

    /// The protocol with this name.
    pub fn from_name(name: &str) -> Option<Protocol> {
        Protocol::ALL.into_iter().find(|protocol| protocol.name() == name)
    }

    /// The base address as this provider's own clients expect it: OpenAI's ends in `/v1`, the others have no path.
    pub fn base_url(self, origin: &str) -> String {
        match self {
            Protocol::Anthropic | Protocol::Gemini => origin.to_owned(),
            Protocol::Responses | Protocol::Chat => format!("{origin}/v1"),
        }
    }

    /// The variables that point a client at this server.
    pub fn variables(self, origin: &str, key: &str) -> Vec<(&'static str, String)> {
        let (address, secret) = match self {
            Protocol::Anthropic => ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
            Protocol::Responses | Protocol::Chat => ("OPENAI_BASE_URL", "OPENAI_API_KEY"),
            Protocol::Gemini => ("GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY"),
        };
        vec![(address, self.base_url(origin)), (secret, key.to_owned())]
    }

    /// The path a client posts to.
    pub fn path(self, model: &str) -> String {
        match self {
            Protocol::Anthropic => "/v1/messages".to_owned(),
            Protocol::Responses => "/v1/responses".to_owned(),
            Protocol::Chat => "/v1/chat/completions".to_owned(),
            Protocol::Gemini => format!("/v1beta/models/{model}:streamGenerateContent"),
        }
    }
}

impl std::fmt::Display for Protocol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
