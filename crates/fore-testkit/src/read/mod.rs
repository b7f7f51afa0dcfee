//! Requests read by the rules of their protocol: what breaks a rule is noted, never fixed in silence.

mod anthropic;
mod chat;
mod gemini;
mod headers;
mod responses;
mod schema;

pub(crate) use headers::{Headers, presented_key};
use serde_json::Value;

use crate::json_place::JsonPlace;
use crate::protocol::WireProtocol;
use crate::received::Received;
use crate::report::BrokenRules;

/// What the address of the request says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Address {
    /// Gemini has the model in the path.
    pub(crate) model: String,
    pub(crate) query: String,
}

/// The request in shared words; `extra` are fields to accept beside the documented ones.
pub(crate) fn read(
    protocol: WireProtocol,
    address: &Address,
    headers: &Headers,
    body: &Value,
    extra: &[String],
    findings: &mut BrokenRules,
) -> Received {
    headers::check(protocol, headers, &address.query, findings);
    let root = JsonPlace::root(body);
    if !body.is_object() {
        findings.add("the body is a JSON object", "$", "an object", root.shown());
        return Received::default();
    }
    match protocol {
        WireProtocol::Anthropic => anthropic::read(&root, extra, findings),
        WireProtocol::Responses => responses::read(&root, extra, findings),
        WireProtocol::Chat => chat::read(&root, extra, findings),
        WireProtocol::Gemini => gemini::read(&root, address, extra, findings),
    }
}

/// Notes every member that is not in the list.
fn only_fields(
    place: &JsonPlace<'_>,
    rule: &'static str,
    known: &[&str],
    extra: &[String],
    findings: &mut BrokenRules,
) {
    for (name, member) in place.members() {
        if !known.contains(&name) && !extra.iter().any(|field| field == name) {
            findings.add(rule, member.path, "only documented fields", format!("the field `{name}`"));
        }
    }
}

/// The text of a member that has to be there.
fn needed_text(place: &JsonPlace<'_>, name: &str, findings: &mut BrokenRules) -> String {
    match place.text(name) {
        Some(text) if !text.is_empty() => text.to_owned(),
        _ => {
            let found = place.get(name).map_or_else(|| "nothing".to_owned(), |member| member.shown());
            findings.add("required fields are there", format!("{}.{name}", place.path), "a text", found);
            String::new()
        }
    }
}

/// Notes a text block without text.
fn not_empty(place: &JsonPlace<'_>, text: &str, findings: &mut BrokenRules) {
    if text.trim().is_empty() {
        findings.add("text blocks are not empty", &place.path, "words", format!("{text:?}"));
    }
}

fn needs_stream(root: &JsonPlace<'_>, findings: &mut BrokenRules) {
    if root.value.get("stream") != Some(&Value::Bool(true)) {
        let found = root.get("stream").map_or_else(|| "nothing".to_owned(), |member| member.shown());
        findings.add("this server only streams", "$.stream", "true", found);
    }
}

/// Notes a limit that is no positive whole number.
fn positive(root: &JsonPlace<'_>, name: &str, findings: &mut BrokenRules) {
    if let Some(limit) = root.get(name)
        && limit.value.as_u64().is_none_or(|limit| limit == 0)
    {
        findings.add("limits are positive whole numbers", &limit.path, "at least 1", limit.shown());
    }
}
