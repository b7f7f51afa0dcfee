//! Encodes requests for the Chat Completions protocol and its dialects.

use serde_json::Value;

use super::super::json::Writer;
use super::super::{Dialect, ReasoningReturn, Receiver};
use crate::block::{Block, Image, Message, Reasoning, Role, ToolUse};
use crate::provider::{EffortField, LimitField, ThinkingControl};
use crate::request::{ModelRequest, RequestHead, Thinking, ToolChoice};

pub(crate) fn head(head: &RequestHead) -> Vec<u8> {
    let mut out = Writer::default();
    out.raw("{");
    if !head.tools.is_empty() {
        out.raw("\"tools\":[");
        for (index, tool) in head.tools.iter().enumerate() {
            out.raw(if index == 0 { "" } else { "," });
            out.raw("{\"type\":\"function\",\"function\":{\"name\":").value(&tool.name);
            out.raw(",\"description\":").value(&tool.description);
            out.raw(",\"parameters\":").value(&tool.parameters).raw("}}");
        }
        out.raw("],");
    }
    out.raw("\"messages\":[");
    if !head.system.is_empty() {
        out.raw("{\"role\":\"system\",\"content\":").value(&head.system).raw("}");
    }
    out.into_vec()
}

pub(crate) fn message(message: &Message, model: &str, returns: ReasoningReturn) -> Vec<u8> {
    let mut out = Writer::with_capacity(message.size_hint());
    match message.role {
        Role::User => user(&mut out, message),
        Role::Assistant => assistant(&mut out, message, model, returns),
    }
    out.into_vec()
}

fn user(out: &mut Writer, message: &Message) {
    let mut pictures: Vec<&Image> = Vec::new();
    let mut texts: Vec<&str> = Vec::new();
    for block in &message.blocks {
        match block {
            Block::ToolResult(result) => {
                let prefix = if result.is_error { "Error: " } else { "" };
                out.raw(",{\"role\":\"tool\",\"tool_call_id\":").value(&result.id);
                out.raw(",\"content\":").text(prefix, &result.joined_text()).raw("}");
                // A tool message holds only text; its pictures follow as words of the user.
                pictures.extend(result.images());
            }
            Block::Text(text) if text.text.trim().is_empty() => {}
            Block::Text(text) => texts.push(&text.text),
            Block::Image(picture) => pictures.push(picture),
            Block::ToolUse(_) | Block::Reasoning(_) => {}
        }
    }
    if texts.is_empty() && pictures.is_empty() {
        return;
    }
    out.raw(",{\"role\":\"user\",\"content\":");
    // Plain text is understood everywhere, lists of parts only by servers that know pictures.
    if let ([only], []) = (texts.as_slice(), pictures.as_slice()) {
        out.value(only).raw("}");
        return;
    }
    if pictures.is_empty() {
        out.value(&texts.join("\n\n")).raw("}");
        return;
    }
    out.raw("[");
    let from = out.len();
    for text in texts {
        out.comma_since(from).raw("{\"type\":\"text\",\"text\":").value(text).raw("}");
    }
    for picture in pictures {
        out.comma_since(from).raw("{\"type\":\"image_url\",\"image_url\":{\"url\":");
        out.value(&format!("data:{};base64,{}", picture.media_type, picture.base64)).raw("}}");
    }
    out.raw("]}");
}

fn assistant(out: &mut Writer, message: &Message, model: &str, returns: ReasoningReturn) {
    let mut text = String::new();
    let mut calls: Vec<&ToolUse> = Vec::new();
    let mut thoughts: Vec<(&Reasoning, &Value)> = Vec::new();
    for block in &message.blocks {
        match block {
            Block::Text(part) => text.push_str(&part.text),
            Block::ToolUse(call) => calls.push(call),
            Block::Reasoning(reasoning) => {
                let sealed = Dialect::Chat(returns).opens(reasoning.seal.as_ref(), model);
                thoughts.extend(sealed.map(|data| (reasoning, data)));
            }
            Block::Image(_) | Block::ToolResult(_) => {}
        }
    }
    if text.is_empty() && calls.is_empty() {
        return;
    }
    out.raw(",{\"role\":\"assistant\",\"content\":");
    if text.is_empty() {
        out.raw("null")
    } else {
        out.value(&text)
    };
    reasoning(out, &thoughts, returns);
    if !calls.is_empty() {
        out.raw(",\"tool_calls\":[");
        let from = out.len();
        for call in calls {
            out.comma_since(from).raw("{\"id\":").value(&call.id).raw(",\"type\":\"function\",\"function\":{\"name\":");
            out.value(&call.name).raw(",\"arguments\":").quoted(&*call.arguments.object()).raw("}}");
        }
        out.raw("]");
    }
    out.raw("}");
}

fn reasoning(out: &mut Writer, thoughts: &[(&Reasoning, &Value)], returns: ReasoningReturn) {
    match returns {
        ReasoningReturn::Omit => {}
        ReasoningReturn::Content => {
            let text: String = thoughts.iter().map(|(reasoning, _)| reasoning.text.as_str()).collect();
            if !text.is_empty() {
                out.raw(",\"reasoning_content\":").value(&text);
            }
        }
        ReasoningReturn::Details => {
            let details: Vec<&Value> = thoughts
                .iter()
                .filter_map(|(_, data)| data.get("details").and_then(Value::as_array))
                .flatten()
                .collect();
            if !details.is_empty() {
                out.raw(",\"reasoning_details\":").value(&details);
            }
        }
    }
}

pub(crate) fn tail(request: &ModelRequest, receiver: &Receiver<'_>) -> Vec<u8> {
    let quirks = receiver.quirks;
    let mut out = Writer::default();
    out.raw("],\"model\":").value(receiver.model).raw(",\"stream\":true");
    if quirks.stream_options && receiver.sends("stream_options") {
        out.raw(",\"stream_options\":{\"include_usage\":true}");
    }
    limit(&mut out, receiver, receiver.limit_for(request));
    receiver.sampling(&mut out);
    if receiver.tells_progress && receiver.sends("return_progress") {
        out.raw(",\"return_progress\":true");
    }
    if receiver.thinks != ThinkingControl::Never {
        thinking(&mut out, receiver.thinking(request), receiver);
    }
    if request.tool_choice == ToolChoice::None && !request.head.tools.is_empty() && receiver.sends("tool_choice") {
        out.raw(",\"tool_choice\":\"none\"");
    }
    if let Some(key) = request.cache.key.as_ref().filter(|_| quirks.cache_key && receiver.sends("prompt_cache_key")) {
        out.raw(",\"prompt_cache_key\":").value(key);
    }
    receiver.extra(&mut out);
    out.raw("}");
    out.into_vec()
}

/// Under the newer name where the server knows it, else under the older one.
fn limit(out: &mut Writer, receiver: &Receiver<'_>, most: u32) {
    let newer = receiver.quirks.limit_field == LimitField::MaxCompletionTokens;
    if newer && receiver.sends("max_completion_tokens") {
        out.raw(",\"max_completion_tokens\":").value(&most);
    } else if receiver.sends("max_tokens") {
        out.raw(",\"max_tokens\":").value(&most);
    }
}

fn thinking(out: &mut Writer, thinking: Thinking, receiver: &Receiver<'_>) {
    let field = match receiver.quirks.effort_field {
        EffortField::ReasoningEffort if !receiver.sends("reasoning_effort") => EffortField::None,
        EffortField::ReasoningObject if !receiver.sends("reasoning") => EffortField::None,
        field => field,
    };
    match (field, thinking) {
        (EffortField::None, _) | (_, Thinking::Default) => {}
        (EffortField::ReasoningEffort, Thinking::Off) => {
            out.raw(",\"reasoning_effort\":\"low\"");
        }
        (EffortField::ReasoningEffort, Thinking::Effort(_) | Thinking::Budget(_)) => {
            if let Some(effort) = thinking.effort() {
                out.raw(",\"reasoning_effort\":").value(effort.word());
            }
        }
        (EffortField::ReasoningObject, Thinking::Off) => {
            out.raw(",\"reasoning\":{\"enabled\":false}");
        }
        (EffortField::ReasoningObject, Thinking::Effort(effort)) => {
            out.raw(",\"reasoning\":{\"effort\":").value(effort.word()).raw("}");
        }
        (EffortField::ReasoningObject, Thinking::Budget(tokens)) => {
            out.raw(",\"reasoning\":{\"max_tokens\":").value(&tokens).raw("}");
        }
    }
}
