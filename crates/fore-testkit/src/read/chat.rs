//! Requests of OpenAI Chat Completions.

use serde_json::Value;

use crate::json_place::JsonPlace;
use crate::protocol::WireProtocol;
use crate::received::{Received, ReceivedBlock, ReceivedEntry, ReceivedRole};
use crate::report::BrokenRules;

use super::schema::{self, SchemaDialect};
use super::{needed_text, needs_stream, not_empty, only_fields, positive};

const FIELDS: [&str; 36] = [
    "audio",
    "frequency_penalty",
    "function_call",
    "functions",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "metadata",
    "modalities",
    "model",
    "n",
    "parallel_tool_calls",
    "prediction",
    "presence_penalty",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning_effort",
    "response_format",
    "safety_identifier",
    "seed",
    "service_tier",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
    "verbosity",
    "web_search_options",
    "moderation",
];
const MESSAGE_RULE: &str = "messages have the documented shape";

pub(super) fn read(root: &JsonPlace<'_>, extra: &[String], findings: &mut BrokenRules) -> Received {
    only_fields(root, "no unknown top-level fields", &FIELDS, extra, findings);
    needs_stream(root, findings);
    let mut received = Received { model: needed_text(root, "model", findings), ..Received::default() };
    let options = root.get("stream_options");
    received.wants_usage =
        options.is_some_and(|options| options.value.get("include_usage") == Some(&Value::Bool(true)));
    positive(root, "max_tokens", findings);
    positive(root, "max_completion_tokens", findings);
    if root.get("max_tokens").is_some() && root.get("max_completion_tokens").is_some() {
        let found = "also max_completion_tokens";
        findings.add("one limit of output tokens", "$.max_tokens", "one of the two", found);
    }
    for tool in root.get("tools").map(|tools| tools.items()).unwrap_or_default() {
        read_tool(&tool, &mut received.tools, findings);
    }
    for message in root.get("messages").map(|messages| messages.items()).unwrap_or_default() {
        read_message(&message, &mut received, findings);
    }
    received
}

fn read_tool(tool: &JsonPlace<'_>, names: &mut Vec<String>, findings: &mut BrokenRules) {
    let Some(function) = tool.get("function").filter(|_| tool.text("type") == Some("function")) else {
        findings.add("tools have the documented shape", &tool.path, "type function and a function", tool.shown());
        return;
    };
    only_fields(tool, "no unknown fields in tools", &["type", "function"], &[], findings);
    let fields = ["name", "description", "parameters", "strict"];
    only_fields(&function, "no unknown fields in tools", &fields, &[], findings);
    schema::name(WireProtocol::Chat, &function, names, findings);
    if let Some(parameters) = function.get("parameters") {
        let strict = function.value.get("strict") == Some(&Value::Bool(true));
        schema::arguments(&parameters, if strict { SchemaDialect::Strict } else { SchemaDialect::Json }, findings);
    }
}

fn read_message(message: &JsonPlace<'_>, received: &mut Received, findings: &mut BrokenRules) {
    match message.text("role") {
        Some("system" | "developer") => {
            only_fields(message, MESSAGE_RULE, &["role", "content", "name"], &[], findings);
            let words = words(message, findings);
            received.system = [received.system.as_str(), &words].join("\n").trim().to_owned();
        }
        Some("user") => {
            only_fields(message, MESSAGE_RULE, &["role", "content", "name"], &[], findings);
            let blocks = user_blocks(message, findings);
            received.entries.push(ReceivedEntry { path: message.path.clone(), role: ReceivedRole::User, blocks });
        }
        Some("assistant") => {
            let blocks = assistant_blocks(message, findings);
            received.entries.push(ReceivedEntry { path: message.path.clone(), role: ReceivedRole::Assistant, blocks });
        }
        Some("tool") => {
            only_fields(message, MESSAGE_RULE, &["role", "content", "tool_call_id"], &[], findings);
            let id = needed_text(message, "tool_call_id", findings);
            let block = ReceivedBlock::Result { id, text: words(message, findings), is_error: false };
            let results_only =
                |entry: &ReceivedEntry| entry.blocks.iter().all(|block| matches!(block, ReceivedBlock::Result { .. }));
            match received.entries.last_mut() {
                Some(last) if last.role == ReceivedRole::User && results_only(last) => last.blocks.push(block),
                _ => received.entries.push(ReceivedEntry {
                    path: message.path.clone(),
                    role: ReceivedRole::User,
                    blocks: vec![block],
                }),
            }
        }
        other => {
            let expected = "system, developer, user, assistant or tool";
            findings.add("roles are known", format!("{}.role", message.path), expected, other.unwrap_or("nothing"));
        }
    }
}

/// The words of `content`, a text or a list of text parts.
fn words(message: &JsonPlace<'_>, findings: &mut BrokenRules) -> String {
    let Some(content) = message.get("content") else {
        findings.add("messages have content", format!("{}.content", message.path), "a text or parts", "nothing");
        return String::new();
    };
    if let Some(text) = content.value.as_str() {
        return text.to_owned();
    }
    let mut words = Vec::new();
    for part in content.items() {
        if part.text("type") != Some("text") {
            findings.add(MESSAGE_RULE, part.path.clone(), "a text part", part.shown());
        }
        not_empty(&part, part.text("text").unwrap_or_default(), findings);
        words.push(part.text("text").unwrap_or_default().to_owned());
    }
    words.join("\n")
}

fn user_blocks(message: &JsonPlace<'_>, findings: &mut BrokenRules) -> Vec<ReceivedBlock> {
    let Some(content) = message.get("content") else {
        findings.add("messages have content", format!("{}.content", message.path), "a text or parts", "nothing");
        return Vec::new();
    };
    if let Some(text) = content.value.as_str() {
        not_empty(&content, text, findings);
        return vec![ReceivedBlock::Text(text.to_owned())];
    }
    let mut blocks = Vec::new();
    for part in content.items() {
        match part.text("type") {
            Some("text") => {
                not_empty(&part, part.text("text").unwrap_or_default(), findings);
                blocks.push(ReceivedBlock::Text(part.text("text").unwrap_or_default().to_owned()));
            }
            Some("image_url" | "input_audio" | "file") => blocks.push(ReceivedBlock::Image),
            _ => findings.add(MESSAGE_RULE, part.path.clone(), "text, image_url, input_audio or file", part.shown()),
        }
    }
    blocks
}

fn assistant_blocks(message: &JsonPlace<'_>, findings: &mut BrokenRules) -> Vec<ReceivedBlock> {
    let fields = [
        "role",
        "content",
        "tool_calls",
        "name",
        "refusal",
        "audio",
        "reasoning_content",
        "reasoning",
        "reasoning_details",
    ];
    only_fields(message, MESSAGE_RULE, &fields, &[], findings);
    let mut blocks = Vec::new();
    if let Some(text) = message.text("reasoning_content") {
        blocks.push(ReceivedBlock::Reasoning { text: text.to_owned(), seal: None });
    }
    let calls = message.get("tool_calls");
    if message.get("content").is_some() || calls.is_none() {
        let words = words(message, findings);
        if words.is_empty() && calls.is_none() {
            findings.add("text blocks are not empty", format!("{}.content", message.path), "words", "\"\"");
        }
        if !words.is_empty() {
            blocks.push(ReceivedBlock::Text(words));
        }
    }
    if let Some(empty) = calls.as_ref().filter(|calls| calls.items().is_empty()) {
        findings.add(MESSAGE_RULE, empty.path.clone(), "at least one call, or no such field", empty.shown());
    }
    for call in calls.map(|calls| calls.items()).unwrap_or_default() {
        only_fields(&call, MESSAGE_RULE, &["id", "type", "function"], &[], findings);
        if call.text("type") != Some("function") {
            findings.add(MESSAGE_RULE, format!("{}.type", call.path), "function", call.shown());
        }
        let Some(function) = call.get("function") else {
            findings.add(MESSAGE_RULE, format!("{}.function", call.path), "a function", "nothing");
            continue;
        };
        only_fields(&function, MESSAGE_RULE, &["name", "arguments"], &[], findings);
        if function.text("arguments").is_none() {
            findings.add(MESSAGE_RULE, format!("{}.arguments", function.path), "a text", function.shown());
        }
        blocks.push(ReceivedBlock::Call {
            id: needed_text(&call, "id", findings),
            name: needed_text(&function, "name", findings),
            arguments: function.text("arguments").unwrap_or_default().to_owned(),
            seal: None,
        });
    }
    blocks
}
