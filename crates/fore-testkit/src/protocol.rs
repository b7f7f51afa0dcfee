//! The four wire protocols, with the addresses and variables a client needs to reach each of them.

use serde::{Deserialize, Serialize};

/// A way of talking to a model over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WireProtocol {
    /// Anthropic Messages, `POST /v1/messages`.
    Anthropic,
    /// OpenAI Responses, `POST /v1/responses`.
    Responses,
    /// OpenAI Chat Completions, `POST /v1/chat/completions`.
    Chat,
    /// Gemini, `POST /v1beta/models/{model}:streamGenerateContent?alt=sse`.
    Gemini,
}

impl WireProtocol {
    /// Every protocol, in the order reports list them.
    pub const ALL: [WireProtocol; 4] =
        [WireProtocol::Anthropic, WireProtocol::Responses, WireProtocol::Chat, WireProtocol::Gemini];

    /// The word used in scripts, reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            WireProtocol::Anthropic => "anthropic",
            WireProtocol::Responses => "responses",
            WireProtocol::Chat => "chat",
            WireProtocol::Gemini => "gemini",
        }
    }

    /// The protocol with this name.
    pub(crate) fn from_name(name: &str) -> Option<WireProtocol> {
        WireProtocol::ALL.into_iter().find(|protocol| protocol.name() == name)
    }

    /// The base address as this provider's own clients expect it: OpenAI's ends in `/v1`, the others have no path.
    pub(crate) fn base_url(self, origin: &str) -> String {
        match self {
            WireProtocol::Anthropic | WireProtocol::Gemini => origin.to_owned(),
            WireProtocol::Responses | WireProtocol::Chat => format!("{origin}/v1"),
        }
    }

    /// The variables that point a client at this server.
    pub(crate) fn variables(self, origin: &str, key: &str) -> Vec<(&'static str, String)> {
        let (address, secret) = match self {
            WireProtocol::Anthropic => ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
            WireProtocol::Responses | WireProtocol::Chat => ("OPENAI_BASE_URL", "OPENAI_API_KEY"),
            WireProtocol::Gemini => ("GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY"),
        };
        vec![(address, self.base_url(origin)), (secret, key.to_owned())]
    }

    /// The path a client posts to.
    pub fn path(self, model: &str) -> String {
        match self {
            WireProtocol::Anthropic => "/v1/messages".to_owned(),
            WireProtocol::Responses => "/v1/responses".to_owned(),
            WireProtocol::Chat => "/v1/chat/completions".to_owned(),
            WireProtocol::Gemini => format!("/v1beta/models/{model}:streamGenerateContent"),
        }
    }
}

impl std::fmt::Display for WireProtocol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
