//! Requests of Gemini's `streamGenerateContent`.

use serde_json::Value;

use crate::json_place::JsonPlace;
use crate::protocol::WireProtocol;
use crate::received::{Received, ReceivedBlock, ReceivedEntry, ReceivedRole};
use crate::report::BrokenRules;

use super::schema::{self, SchemaDialect};
use super::{Address, not_empty, only_fields, positive};

const FIELDS: [&str; 12] = [
    "contents",
    "tools",
    "toolConfig",
    "tool_config",
    "safetySettings",
    "safety_settings",
    "systemInstruction",
    "system_instruction",
    "generationConfig",
    "generation_config",
    "cachedContent",
    "serviceTier",
];
const CONFIG_FIELDS: [&str; 22] = [
    "stopSequences",
    "responseMimeType",
    "responseSchema",
    "responseJsonSchema",
    "_responseJsonSchema",
    "responseModalities",
    "candidateCount",
    "maxOutputTokens",
    "temperature",
    "topP",
    "topK",
    "seed",
    "presencePenalty",
    "frequencyPenalty",
    "responseLogprobs",
    "logprobs",
    "enableEnhancedCivicAnswers",
    "speechConfig",
    "thinkingConfig",
    "imageConfig",
    "mediaResolution",
    "responseFormat",
];
const PART_RULE: &str = "parts have the documented shape";

pub(super) fn read(root: &JsonPlace<'_>, address: &Address, extra: &[String], findings: &mut BrokenRules) -> Received {
    only_fields(root, "no unknown top-level fields", &FIELDS, extra, findings);
    let mut received =
        Received { model: address.model.clone(), wants_seals: true, wants_usage: true, ..Received::default() };
    if let Some(config) = root.get("generationConfig").or_else(|| root.get("generation_config")) {
        only_fields(&config, "no unknown fields in generationConfig", &CONFIG_FIELDS, &[], findings);
        positive(&config, "maxOutputTokens", findings);
    }
    if let Some(system) = root.get("systemInstruction").or_else(|| root.get("system_instruction")) {
        for part in system.get("parts").map(|parts| parts.items()).unwrap_or_default() {
            let text = part.text("text").unwrap_or_default();
            not_empty(&part, text, findings);
            received.system = [received.system.as_str(), text].join("\n").trim().to_owned();
        }
    }
    for tool in root.get("tools").map(|tools| tools.items()).unwrap_or_default() {
        let declarations = tool.get("functionDeclarations").or_else(|| tool.get("function_declarations"));
        for function in declarations.map(|list| list.items()).unwrap_or_default() {
            read_tool(&function, &mut received.tools, findings);
        }
    }
    for content in root.get("contents").map(|contents| contents.items()).unwrap_or_default() {
        let entry = read_content(&content, findings);
        received.entries.push(entry);
    }
    received
}

fn read_tool(function: &JsonPlace<'_>, names: &mut Vec<String>, findings: &mut BrokenRules) {
    let fields =
        ["name", "description", "behavior", "parameters", "parametersJsonSchema", "response", "responseJsonSchema"];
    only_fields(function, "no unknown fields in tools", &fields, &[], findings);
    schema::name(WireProtocol::Gemini, function, names, findings);
    if let Some(parameters) = function.get("parameters") {
        schema::arguments(&parameters, SchemaDialect::GeminiSubset, findings);
    }
    if let Some(parameters) = function.get("parametersJsonSchema") {
        schema::arguments(&parameters, SchemaDialect::Json, findings);
        if function.get("parameters").is_some() {
            findings.add("tools have one schema", &function.path, "parameters or parametersJsonSchema", "both");
        }
    }
}

fn read_content(content: &JsonPlace<'_>, findings: &mut BrokenRules) -> ReceivedEntry {
    only_fields(content, "no unknown fields in contents", &["role", "parts"], &[], findings);
    let role = match content.text("role") {
        Some("user" | "function") => ReceivedRole::User,
        Some("model") => ReceivedRole::Assistant,
        other => {
            let path = format!("{}.role", content.path);
            findings.add("roles are known", path, "user or model", other.unwrap_or("nothing"));
            ReceivedRole::User
        }
    };
    let parts = content.get("parts").map(|parts| parts.items()).unwrap_or_default();
    if parts.is_empty() {
        findings.add("messages have content", format!("{}.parts", content.path), "parts", "nothing");
    }
    let blocks = parts.iter().flat_map(|part| read_part(part, role, findings)).collect();
    ReceivedEntry { path: content.path.clone(), role, blocks }
}

fn read_part(part: &JsonPlace<'_>, role: ReceivedRole, findings: &mut BrokenRules) -> Vec<ReceivedBlock> {
    let fields = [
        "text",
        "thought",
        "thoughtSignature",
        "functionCall",
        "functionResponse",
        "inlineData",
        "fileData",
        "executableCode",
        "codeExecutionResult",
        "videoMetadata",
        "mediaResolution",
        "partMetadata",
    ];
    only_fields(part, PART_RULE, &fields, &[], findings);
    let kinds = ["text", "functionCall", "functionResponse", "inlineData", "fileData"];
    let present: Vec<&str> = kinds.into_iter().filter(|kind| part.get(kind).is_some()).collect();
    let seal = part.text("thoughtSignature").map(str::to_owned);
    match (present.as_slice(), role) {
        (["text"], _) => {
            let text = part.text("text").unwrap_or_default();
            if part.value.get("thought") == Some(&Value::Bool(true)) {
                return vec![ReceivedBlock::Reasoning { text: text.to_owned(), seal }];
            }
            let mut blocks = Vec::new();
            match &seal {
                None => not_empty(part, text, findings),
                Some(_) => blocks.push(ReceivedBlock::Reasoning { text: String::new(), seal }),
            }
            if !text.is_empty() {
                blocks.push(ReceivedBlock::Text(text.to_owned()));
            }
            blocks
        }
        (["functionCall"], ReceivedRole::Assistant) => {
            let Some(call) = part.get("functionCall") else { return Vec::new() };
            only_fields(&call, PART_RULE, &["id", "name", "args"], &[], findings);
            let arguments = call.get("args").map_or_else(|| "{}".to_owned(), |args| args.value.to_string());
            vec![ReceivedBlock::Call { id: needed_id(&call, findings), name: name(&call, findings), arguments, seal }]
        }
        (["functionResponse"], ReceivedRole::User) => {
            let Some(response) = part.get("functionResponse") else { return Vec::new() };
            let fields = ["id", "name", "response", "parts", "willContinue", "scheduling"];
            only_fields(&response, PART_RULE, &fields, &[], findings);
            name(&response, findings);
            let content = response.get("response");
            if !content.as_ref().is_some_and(|content| content.value.is_object()) {
                findings.add(PART_RULE, format!("{}.response", response.path), "an object", response.shown());
            }
            let text = content.map(|content| response_text(&content)).unwrap_or_default();
            vec![ReceivedBlock::Result { id: needed_id(&response, findings), text, is_error: false }]
        }
        (["inlineData" | "fileData"], ReceivedRole::User) => vec![ReceivedBlock::Image],
        _ => {
            let expected = format!("one kind of data that fits the role {role:?}");
            findings.add(PART_RULE, &part.path, expected, part.shown());
            Vec::new()
        }
    }
}

/// The texts of the members, so that a substring can be looked for without JSON escapes.
fn response_text(response: &JsonPlace<'_>) -> String {
    let text = |(_, member): (&str, JsonPlace<'_>)| {
        member.value.as_str().map_or_else(|| member.value.to_string(), str::to_owned)
    };
    response.members().into_iter().map(text).collect::<Vec<_>>().join("\n")
}

fn name(place: &JsonPlace<'_>, findings: &mut BrokenRules) -> String {
    super::needed_text(place, "name", findings)
}

/// Calls of this server have an id, and whoever got an id has to give it back.
fn needed_id(place: &JsonPlace<'_>, findings: &mut BrokenRules) -> String {
    super::needed_text(place, "id", findings)
}
