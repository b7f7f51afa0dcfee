//! The headers a protocol requires; keys are looked at, never kept.

use crate::protocol::WireProtocol;
use crate::report::BrokenRules;

const RULE: &str = "required headers are there";

/// Headers of a request by lower-case name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Headers(pub(crate) Vec<(String, String)>);

impl Headers {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(have, _)| have == name).map(|(_, value)| value.as_str())
    }
}

/// The key the client presented, wherever its protocol puts it.
pub(crate) fn presented_key<'a>(protocol: WireProtocol, headers: &'a Headers, query: &'a str) -> Option<&'a str> {
    let bearer = || headers.get("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let key = match protocol {
        WireProtocol::Anthropic => headers.get("x-api-key").or_else(bearer),
        WireProtocol::Responses | WireProtocol::Chat => bearer(),
        WireProtocol::Gemini => headers.get("x-goog-api-key").or_else(|| query_key(query)).or_else(bearer),
    };
    key.filter(|key| !key.trim().is_empty())
}

fn query_key(query: &str) -> Option<&str> {
    query.split('&').find_map(|pair| pair.strip_prefix("key="))
}

pub(super) fn check(protocol: WireProtocol, headers: &Headers, query: &str, findings: &mut BrokenRules) {
    let json = headers.get("content-type").is_some_and(|kind| kind.starts_with("application/json"));
    if !json {
        findings.add(RULE, "content-type", "application/json", headers.get("content-type").unwrap_or("nothing"));
    }
    let authorization = headers.get("authorization");
    if let Some(value) = authorization.filter(|value| !well_formed_bearer(value)) {
        let scheme = value.split(' ').next().unwrap_or_default();
        let shown = if scheme == value { "one word without a scheme" } else { scheme };
        findings.add(RULE, "authorization", "`Bearer` and one key without spaces", shown);
    }
    let missing = presented_key(protocol, headers, query).is_none();
    match protocol {
        WireProtocol::Anthropic => {
            if headers.get("anthropic-version") != Some("2023-06-01") {
                let found = headers.get("anthropic-version").unwrap_or("nothing");
                findings.add(RULE, "anthropic-version", "2023-06-01", found);
            }
            if missing {
                findings.add(RULE, "x-api-key", "a key, or `authorization: Bearer`", "nothing");
            }
            if headers.get("x-api-key").is_some() && authorization.is_some() {
                findings.add(RULE, "x-api-key", "one way of authentication", "also `authorization`");
            }
        }
        WireProtocol::Responses if missing => findings.add(RULE, "authorization", "`Bearer` and a key", "nothing"),
        // Servers on the own machine speak this protocol too, and they need no key.
        WireProtocol::Responses | WireProtocol::Chat => {}
        WireProtocol::Gemini => {
            if missing {
                findings.add(RULE, "x-goog-api-key", "a key", "nothing");
            }
            if !query.split('&').any(|pair| pair == "alt=sse") {
                findings.add("this server only streams", "query", "alt=sse", "a query without it");
            }
        }
    }
}

fn well_formed_bearer(value: &str) -> bool {
    value.strip_prefix("Bearer ").is_some_and(|key| !key.is_empty() && !key.contains(char::is_whitespace))
}
