//! Requests as clients of the four protocols write them.

use fore_testkit::WireProtocol;
use serde_json::{Value, json};

/// A tool call with its result, as the client's history holds it.
#[derive(Debug, Clone)]
pub(crate) struct Done {
    pub(crate) id: String,
    pub(crate) name: &'static str,
    pub(crate) arguments: Value,
    pub(crate) result: &'static str,
}

/// A request with one message of the user.
pub(crate) fn ask(protocol: WireProtocol, words: &str) -> Value {
    ask_with(protocol, "You are a test.", words)
}

/// The same with a system prompt.
pub(crate) fn ask_with(protocol: WireProtocol, system: &str, words: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    match protocol {
        WireProtocol::Anthropic => json!({
            "model": "m",
            "max_tokens": 4096,
            "stream": true,
            "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
            "tools": [{"name": "Read", "description": "Reads.", "input_schema": schema}],
            "messages": [{"role": "user", "content": [{"type": "text", "text": words}]}],
        }),
        WireProtocol::Responses => json!({
            "model": "m",
            "stream": true,
            "store": false,
            "include": ["reasoning.encrypted_content"],
            "instructions": system,
            "tools": [{"type": "function", "name": "Read", "description": "Reads.", "parameters": schema, "strict": false}],
            "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": words}]}],
        }),
        WireProtocol::Chat => json!({
            "model": "m",
            "stream": true,
            "stream_options": {"include_usage": true},
            "tools": [{"type": "function", "function": {"name": "Read", "description": "Reads.", "parameters": schema}}],
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": words}],
        }),
        WireProtocol::Gemini => json!({
            "systemInstruction": {"parts": [{"text": system}]},
            "tools": [{"functionDeclarations": [{"name": "Read", "description": "Reads.", "parameters": schema}]}],
            "contents": [{"role": "user", "parts": [{"text": words}]}],
        }),
    }
}

/// The field that holds the history.
pub(crate) fn history(protocol: WireProtocol) -> &'static str {
    match protocol {
        WireProtocol::Anthropic | WireProtocol::Chat => "messages",
        WireProtocol::Responses => "input",
        WireProtocol::Gemini => "contents",
    }
}

/// Adds the model's answer and the results; `reasoning` is its text and seal.
pub(crate) fn answered(
    protocol: WireProtocol,
    mut body: Value,
    reasoning: Option<(&str, &str)>,
    words: Option<&str>,
    calls: &[Done],
) -> Value {
    let more: Vec<Value> = match protocol {
        WireProtocol::Anthropic => anthropic(reasoning, words, calls),
        WireProtocol::Responses => responses(reasoning, words, calls),
        WireProtocol::Chat => chat(words, calls),
        WireProtocol::Gemini => gemini(reasoning, words, calls),
    };
    body[history(protocol)].as_array_mut().unwrap().extend(more);
    body
}

fn anthropic(reasoning: Option<(&str, &str)>, words: Option<&str>, calls: &[Done]) -> Vec<Value> {
    let thinking = |(text, seal): (&str, &str)| json!({"type": "thinking", "thinking": text, "signature": seal});
    let used = |done: &Done| json!({"type": "tool_use", "id": done.id, "name": done.name, "input": done.arguments});
    let result = |done: &Done| json!({"type": "tool_result", "tool_use_id": done.id, "content": done.result});
    let mut blocks: Vec<Value> = reasoning.into_iter().map(thinking).collect();
    blocks.extend(words.map(|words| json!({"type": "text", "text": words})));
    blocks.extend(calls.iter().map(used));
    let mut messages = vec![json!({"role": "assistant", "content": blocks})];
    if !calls.is_empty() {
        messages.push(json!({"role": "user", "content": calls.iter().map(result).collect::<Vec<_>>()}));
    }
    messages
}

fn responses(reasoning: Option<(&str, &str)>, words: Option<&str>, calls: &[Done]) -> Vec<Value> {
    let thinking = |(text, seal): (&str, &str)| json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": text}], "encrypted_content": seal});
    let said = |words| json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": words, "annotations": []}]});
    let mut items: Vec<Value> = reasoning.into_iter().map(thinking).collect();
    items.extend(words.map(said));
    for done in calls {
        let arguments = done.arguments.to_string();
        items.push(json!({"type": "function_call", "call_id": done.id, "name": done.name, "arguments": arguments}));
    }
    for done in calls {
        items.push(json!({"type": "function_call_output", "call_id": done.id, "output": done.result}));
    }
    items
}

fn chat(words: Option<&str>, calls: &[Done]) -> Vec<Value> {
    let call = |done: &Done| {
        let function = json!({"name": done.name, "arguments": done.arguments.to_string()});
        json!({"id": done.id, "type": "function", "function": function})
    };
    let mut message = json!({"role": "assistant", "content": words});
    if !calls.is_empty() {
        message["tool_calls"] = calls.iter().map(call).collect();
    }
    let mut messages = vec![message];
    let result = |done: &Done| json!({"role": "tool", "tool_call_id": done.id, "content": done.result});
    messages.extend(calls.iter().map(result));
    messages
}

fn gemini(reasoning: Option<(&str, &str)>, words: Option<&str>, calls: &[Done]) -> Vec<Value> {
    let mut parts: Vec<Value> = words.into_iter().map(|words| json!({"text": words})).collect();
    let first_call = parts.len();
    for done in calls {
        parts.push(json!({"functionCall": {"id": done.id, "name": done.name, "args": done.arguments}}));
    }
    if let Some((_, seal)) = reasoning {
        if calls.is_empty() {
            parts.push(json!({"text": "", "thoughtSignature": seal}));
        } else {
            parts[first_call]["thoughtSignature"] = json!(seal);
        }
    }
    let mut contents = vec![json!({"role": "model", "parts": parts})];
    let result = |done: &Done| json!({"functionResponse": {"id": done.id, "name": done.name, "response": {"output": done.result}}});
    if !calls.is_empty() {
        contents.push(json!({"role": "user", "parts": calls.iter().map(result).collect::<Vec<_>>()}));
    }
    contents
}
