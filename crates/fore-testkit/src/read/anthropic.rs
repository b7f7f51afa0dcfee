//! Requests of Anthropic Messages.

use crate::json_place::JsonPlace;
use crate::protocol::WireProtocol;
use crate::received::{Received, ReceivedBlock, ReceivedEntry, ReceivedRole};
use crate::report::BrokenRules;

use super::schema::{self, SchemaDialect};
use super::{needed_text, needs_stream, not_empty, only_fields, positive};

const FIELDS: [&str; 21] = [
    "model",
    "messages",
    "max_tokens",
    "system",
    "metadata",
    "stop_sequences",
    "stream",
    "temperature",
    "top_k",
    "top_p",
    "tools",
    "tool_choice",
    "thinking",
    "service_tier",
    "container",
    "context_management",
    "mcp_servers",
    "output_config",
    "output_format",
    "inference_geo",
    "cache_control",
];
const BLOCK_RULE: &str = "content blocks have the documented shape";
const MAX_CACHE_MARKS: usize = 4;

pub(super) fn read(root: &JsonPlace<'_>, extra: &[String], findings: &mut BrokenRules) -> Received {
    only_fields(root, "no unknown top-level fields", &FIELDS, extra, findings);
    needs_stream(root, findings);
    let mut received =
        Received { model: needed_text(root, "model", findings), wants_seals: true, ..Received::default() };
    received.wants_usage = true;
    if root.get("max_tokens").is_none() {
        findings.add("max_tokens is required", "$.max_tokens", "a positive whole number", "nothing");
    }
    positive(root, "max_tokens", findings);
    thinking(root, findings);
    received.system = system(root, findings);
    for tool in root.get("tools").map(|tools| tools.items()).unwrap_or_default() {
        read_tool(&tool, &mut received.tools, findings);
    }
    for message in root.get("messages").map(|messages| messages.items()).unwrap_or_default() {
        received.entries.push(read_message(&message, findings));
    }
    let marks = count_cache_marks(root.value);
    if marks > MAX_CACHE_MARKS {
        findings.add(
            "at most 4 cache marks",
            "$",
            format!("at most {MAX_CACHE_MARKS} cache_control"),
            marks.to_string(),
        );
    }
    received
}

fn thinking(root: &JsonPlace<'_>, findings: &mut BrokenRules) {
    let Some(thinking) = root.get("thinking") else { return };
    match thinking.text("type") {
        Some("enabled") => {
            let budget = thinking.value.get("budget_tokens").and_then(serde_json::Value::as_u64).unwrap_or(0);
            let limit = root.value.get("max_tokens").and_then(serde_json::Value::as_u64).unwrap_or(0);
            if budget < 1024 || budget >= limit {
                let path = format!("{}.budget_tokens", thinking.path);
                let expected = format!("at least 1024 and less than max_tokens ({limit})");
                findings.add("the thinking budget fits", path, expected, budget.to_string());
            }
        }
        Some("disabled" | "adaptive") => {}
        _ => findings.add(
            "the kind of thinking is known",
            thinking.path.clone(),
            "enabled, disabled or adaptive",
            thinking.shown(),
        ),
    }
}

fn system(root: &JsonPlace<'_>, findings: &mut BrokenRules) -> String {
    let Some(system) = root.get("system") else { return String::new() };
    if let Some(text) = system.value.as_str() {
        return text.to_owned();
    }
    let mut words = Vec::new();
    for block in system.items() {
        only_fields(&block, BLOCK_RULE, &["type", "text", "cache_control", "citations"], &[], findings);
        let text = block.text("text").unwrap_or_default();
        if block.text("type") != Some("text") {
            findings.add(BLOCK_RULE, block.path.clone(), "a text block", block.shown());
        }
        not_empty(&block, text, findings);
        words.push(text.to_owned());
    }
    words.join("\n")
}

fn read_tool(tool: &JsonPlace<'_>, names: &mut Vec<String>, findings: &mut BrokenRules) {
    schema::name(WireProtocol::Anthropic, tool, names, findings);
    // Tools that the provider runs itself carry a dated type and no schema.
    if tool.text("type").is_some_and(|kind| kind != "custom") {
        return;
    }
    let fields = [
        "type",
        "name",
        "description",
        "input_schema",
        "cache_control",
        "strict",
        "eager_input_streaming",
        "defer_loading",
        "allowed_callers",
        "input_examples",
    ];
    only_fields(tool, "no unknown fields in tools", &fields, &[], findings);
    match tool.get("input_schema") {
        Some(input) => schema::arguments(&input, SchemaDialect::Json, findings),
        None => findings.add("tools have a schema", format!("{}.input_schema", tool.path), "a schema", "nothing"),
    }
}

fn read_message(message: &JsonPlace<'_>, findings: &mut BrokenRules) -> ReceivedEntry {
    only_fields(message, "no unknown fields in messages", &["role", "content"], &[], findings);
    let role = match message.text("role") {
        Some("user") => ReceivedRole::User,
        Some("assistant") => ReceivedRole::Assistant,
        other => {
            let path = format!("{}.role", message.path);
            findings.add("roles are known", path, "user or assistant", other.unwrap_or("nothing"));
            ReceivedRole::User
        }
    };
    let mut blocks = Vec::new();
    match message.get("content") {
        Some(content) if content.value.is_string() => {
            let text = content.value.as_str().unwrap_or_default();
            not_empty(&content, text, findings);
            blocks.push(ReceivedBlock::Text(text.to_owned()));
        }
        Some(content) if !content.items().is_empty() => {
            blocks.extend(content.items().iter().filter_map(|block| read_block(block, role, findings)));
        }
        _ => findings.add("messages have content", format!("{}.content", message.path), "blocks", "nothing"),
    }
    let late = blocks.iter().skip_while(|block| matches!(block, ReceivedBlock::Result { .. }));
    if late.clone().any(|block| matches!(block, ReceivedBlock::Result { .. })) {
        findings.add("tool results come first", &message.path, "tool_result blocks before all others", "the reverse");
    }
    ReceivedEntry { path: message.path.clone(), role, blocks }
}

fn read_block(block: &JsonPlace<'_>, role: ReceivedRole, findings: &mut BrokenRules) -> Option<ReceivedBlock> {
    let kind = block.text("type").unwrap_or_default();
    let owned = |name: &str| block.text(name).unwrap_or_default().to_owned();
    let (fields, read): (&[&str], ReceivedBlock) = match (kind, role) {
        ("text", _) => {
            not_empty(block, block.text("text").unwrap_or_default(), findings);
            (&["type", "text", "cache_control", "citations"], ReceivedBlock::Text(owned("text")))
        }
        ("image" | "document", ReceivedRole::User) => {
            (&["type", "source", "cache_control", "citations", "context", "title"], ReceivedBlock::Image)
        }
        ("thinking", ReceivedRole::Assistant) => {
            let seal = Some(needed_text(block, "signature", findings));
            (&["type", "thinking", "signature"], ReceivedBlock::Reasoning { text: owned("thinking"), seal })
        }
        ("redacted_thinking", ReceivedRole::Assistant) => {
            let seal = Some(needed_text(block, "data", findings));
            (&["type", "data"], ReceivedBlock::Reasoning { text: String::new(), seal })
        }
        ("tool_use", ReceivedRole::Assistant) => {
            let input = block.get("input");
            if !input.as_ref().is_some_and(|input| input.value.is_object()) {
                let found = input.as_ref().map_or_else(|| "nothing".to_owned(), JsonPlace::shown);
                findings.add(BLOCK_RULE, format!("{}.input", block.path), "an object", found);
            }
            let arguments = input.map(|input| input.value.to_string()).unwrap_or_default();
            let id = needed_text(block, "id", findings);
            let call = ReceivedBlock::Call { id, name: needed_text(block, "name", findings), arguments, seal: None };
            (&["type", "id", "name", "input", "cache_control", "caller"], call)
        }
        ("tool_result", ReceivedRole::User) => {
            let is_error = block.value.get("is_error") == Some(&serde_json::Value::Bool(true));
            let id = needed_text(block, "tool_use_id", findings);
            let result = ReceivedBlock::Result { id, text: result_text(block, findings), is_error };
            (&["type", "tool_use_id", "content", "is_error", "cache_control"], result)
        }
        _ => {
            findings.add(BLOCK_RULE, &block.path, format!("a block that fits the role {role:?}"), block.shown());
            return None;
        }
    };
    only_fields(block, BLOCK_RULE, fields, &[], findings);
    Some(read)
}

fn result_text(block: &JsonPlace<'_>, findings: &mut BrokenRules) -> String {
    let Some(content) = block.get("content") else { return String::new() };
    if let Some(text) = content.value.as_str() {
        return text.to_owned();
    }
    let mut words = Vec::new();
    for part in content.items() {
        match part.text("type") {
            Some("text") => {
                not_empty(&part, part.text("text").unwrap_or_default(), findings);
                words.push(part.text("text").unwrap_or_default().to_owned());
            }
            Some("image" | "document" | "search_result" | "tool_reference") => {}
            _ => findings.add(BLOCK_RULE, part.path.clone(), "text, image or document", part.shown()),
        }
    }
    words.join("\n")
}

fn count_cache_marks(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::Array(array) => array.iter().map(count_cache_marks).sum(),
        serde_json::Value::Object(object) => object
            .iter()
            .map(|(name, member)| match name.as_str() {
                "cache_control" if !member.is_null() => 1,
                // What a tool is given is the model's data, and a schema may name a property like the mark.
                "input" | "input_schema" => 0,
                _ => count_cache_marks(member),
            })
            .sum(),
        _ => 0,
    }
}
