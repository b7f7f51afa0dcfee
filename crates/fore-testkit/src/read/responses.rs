//! Requests of OpenAI Responses.

use serde_json::Value;

use crate::json_place::JsonPlace;
use crate::protocol::WireProtocol;
use crate::received::{Received, ReceivedBlock, ReceivedRole};
use crate::report::BrokenRules;

use super::schema::{self, SchemaDialect};
use super::{needed_text, needs_stream, not_empty, only_fields, positive};

const FIELDS: [&str; 28] = [
    "background",
    "context_management",
    "conversation",
    "include",
    "input",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "model",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
];
const ITEM_RULE: &str = "input items have the documented shape";

pub(super) fn read(root: &JsonPlace<'_>, extra: &[String], findings: &mut BrokenRules) -> Received {
    only_fields(root, "no unknown top-level fields", &FIELDS, extra, findings);
    needs_stream(root, findings);
    let mut received =
        Received { model: needed_text(root, "model", findings), wants_usage: true, ..Received::default() };
    let include = root.get("include").map(|include| include.items()).unwrap_or_default();
    received.wants_seals = include.iter().any(|item| item.value.as_str() == Some("reasoning.encrypted_content"));
    received.system = root.text("instructions").unwrap_or_default().to_owned();
    positive(root, "max_output_tokens", findings);
    for name in ["previous_response_id", "conversation"] {
        if let Some(member) = root.get(name) {
            findings.add(
                "this server keeps no responses",
                member.path.clone(),
                "the whole history in `input`",
                member.shown(),
            );
        }
    }
    for tool in root.get("tools").map(|tools| tools.items()).unwrap_or_default() {
        read_tool(&tool, &mut received.tools, findings);
    }
    match root.get("input") {
        Some(input) if input.value.is_string() => {
            let text = input.value.as_str().unwrap_or_default();
            not_empty(&input, text, findings);
            received.extend(&input.path, ReceivedRole::User, vec![ReceivedBlock::Text(text.to_owned())]);
        }
        Some(input) => {
            for item in input.items() {
                read_item(&item, &mut received, findings);
            }
        }
        None => findings.add("required fields are there", "$.input", "a text or items", "nothing"),
    }
    received
}

fn read_tool(tool: &JsonPlace<'_>, names: &mut Vec<String>, findings: &mut BrokenRules) {
    // The other types are run by the provider.
    if tool.text("type") != Some("function") {
        if tool.text("type").is_none() {
            findings.add("tools have the documented shape", format!("{}.type", tool.path), "function", tool.shown());
        }
        return;
    }
    let fields = ["type", "name", "description", "parameters", "strict", "defer_loading"];
    only_fields(tool, "no unknown fields in tools", &fields, &[], findings);
    schema::name(WireProtocol::Responses, tool, names, findings);
    match tool.get("parameters") {
        Some(parameters) => {
            // Without the field the provider makes the schema strict itself where it can, so that is no error.
            let strict = tool.value.get("strict") == Some(&Value::Bool(true));
            schema::arguments(&parameters, if strict { SchemaDialect::Strict } else { SchemaDialect::Json }, findings);
        }
        None => findings.add("tools have a schema", format!("{}.parameters", tool.path), "a schema", "nothing"),
    }
}

fn read_item(item: &JsonPlace<'_>, received: &mut Received, findings: &mut BrokenRules) {
    match item.text("type") {
        Some("message") | None => read_message(item, received, findings),
        Some("function_call") => {
            only_fields(item, ITEM_RULE, &["type", "id", "call_id", "name", "arguments", "status"], &[], findings);
            if item.text("arguments").is_none() {
                findings.add(ITEM_RULE, format!("{}.arguments", item.path), "a text", item.shown());
            }
            id_prefix(item, "fc_", findings);
            let call = ReceivedBlock::Call {
                id: needed_text(item, "call_id", findings),
                name: needed_text(item, "name", findings),
                arguments: item.text("arguments").unwrap_or_default().to_owned(),
                seal: None,
            };
            received.extend(&item.path, ReceivedRole::Assistant, vec![call]);
        }
        Some("function_call_output") => {
            only_fields(item, ITEM_RULE, &["type", "id", "call_id", "output", "status"], &[], findings);
            let id = needed_text(item, "call_id", findings);
            let text = output_text(item, findings);
            received.extend(&item.path, ReceivedRole::User, vec![ReceivedBlock::Result { id, text, is_error: false }]);
        }
        Some("reasoning") => {
            let fields = ["type", "id", "summary", "content", "encrypted_content", "status"];
            only_fields(item, ITEM_RULE, &fields, &[], findings);
            id_prefix(item, "rs_", findings);
            if item.get("summary").is_none() {
                findings.add(ITEM_RULE, format!("{}.summary", item.path), "a list, empty if there is none", "nothing");
            }
            let parts = item.get("summary").map(|summary| summary.items()).unwrap_or_default();
            let text = parts.iter().filter_map(|part| part.text("text")).collect::<String>();
            let seal = item.text("encrypted_content").map(str::to_owned);
            received.extend(&item.path, ReceivedRole::Assistant, vec![ReceivedBlock::Reasoning { text, seal }]);
        }
        Some(other) => findings.add(
            ITEM_RULE,
            item.path.clone(),
            "message, function_call, function_call_output or reasoning",
            other,
        ),
    }
}

fn id_prefix(item: &JsonPlace<'_>, prefix: &str, findings: &mut BrokenRules) {
    if let Some(id) = item.text("id").filter(|id| !id.starts_with(prefix)) {
        findings.add(ITEM_RULE, format!("{}.id", item.path), format!("an id that begins with {prefix}"), id);
    }
}

fn read_message(item: &JsonPlace<'_>, received: &mut Received, findings: &mut BrokenRules) {
    only_fields(item, ITEM_RULE, &["type", "role", "content", "id", "status", "phase"], &[], findings);
    let (role, kinds): (Option<ReceivedRole>, &[&str]) = match item.text("role") {
        Some("user") => (Some(ReceivedRole::User), &["input_text", "input_image", "input_file"]),
        Some("assistant") => (Some(ReceivedRole::Assistant), &["output_text", "refusal"]),
        Some("system" | "developer") => (None, &["input_text"]),
        other => {
            let expected = "user, assistant, system or developer";
            findings.add("roles are known", format!("{}.role", item.path), expected, other.unwrap_or("nothing"));
            return;
        }
    };
    let mut blocks = Vec::new();
    match item.get("content") {
        Some(content) if content.value.is_string() => {
            let text = content.value.as_str().unwrap_or_default();
            not_empty(&content, text, findings);
            blocks.push(ReceivedBlock::Text(text.to_owned()));
        }
        Some(content) => {
            for part in content.items() {
                let kind = part.text("type").unwrap_or_default();
                if !kinds.contains(&kind) {
                    findings.add(ITEM_RULE, part.path.clone(), kinds.join(" or "), part.shown());
                } else if let Some(text) = part.text("text") {
                    not_empty(&part, text, findings);
                    blocks.push(ReceivedBlock::Text(text.to_owned()));
                } else {
                    blocks.push(ReceivedBlock::Image);
                }
            }
        }
        None => {}
    }
    if blocks.is_empty() {
        findings.add("messages have content", format!("{}.content", item.path), "a text or parts", "nothing");
    }
    match role {
        Some(role) => received.extend(&item.path, role, blocks),
        None => {
            let texts = blocks.iter().filter_map(|block| match block {
                ReceivedBlock::Text(text) => Some(text.as_str()),
                _ => None,
            });
            received.system = std::iter::once(received.system.as_str()).chain(texts).collect::<Vec<_>>().join("\n");
        }
    }
}

fn output_text(item: &JsonPlace<'_>, findings: &mut BrokenRules) -> String {
    let Some(output) = item.get("output") else {
        findings.add(ITEM_RULE, format!("{}.output", item.path), "a text or parts", "nothing");
        return String::new();
    };
    if let Some(text) = output.value.as_str() {
        return text.to_owned();
    }
    let mut words = Vec::new();
    for part in output.items() {
        match part.text("type") {
            Some("input_text") => words.push(part.text("text").unwrap_or_default().to_owned()),
            Some("input_image" | "input_file") => {}
            _ => findings.add(ITEM_RULE, part.path.clone(), "input_text, input_image or input_file", part.shown()),
        }
    }
    words.join("\n")
}
