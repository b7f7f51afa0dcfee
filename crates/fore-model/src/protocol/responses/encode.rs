//! Encodes requests for the OpenAI Responses protocol. Always asks the server to store nothing.

use serde_json::Value;

use super::super::json::Writer;
use super::super::{Dialect, Receiver};
use crate::block::{Block, Image, Message, ResultPart, Role, ToolResult};
use crate::provider::ThinkingControl;
use crate::request::{ModelRequest, RequestHead, Thinking, ToolChoice};

pub(crate) fn head(head: &RequestHead) -> Vec<u8> {
    let mut out = Writer::default();
    out.raw("{");
    if !head.tools.is_empty() {
        out.raw("\"tools\":[");
        for (index, tool) in head.tools.iter().enumerate() {
            out.raw(if index == 0 { "" } else { "," });
            out.raw("{\"type\":\"function\",\"name\":").value(&tool.name);
            out.raw(",\"description\":").value(&tool.description);
            out.raw(",\"parameters\":").value(&tool.parameters).raw(",\"strict\":false}");
        }
        out.raw("],");
    }
    if !head.system.is_empty() {
        out.raw("\"instructions\":").value(&head.system).raw(",");
    }
    out.raw("\"input\":[");
    out.into_vec()
}

pub(crate) fn message(message: &Message, model: &str) -> Vec<u8> {
    let mut out = Writer::with_capacity(message.size_hint());
    match message.role {
        Role::User => user(&mut out, message),
        Role::Assistant => assistant(&mut out, message, model),
    }
    out.into_vec()
}

fn user(out: &mut Writer, message: &Message) {
    for block in &message.blocks {
        if let Block::ToolResult(result) = block {
            tool_result(out, result);
        }
    }
    let start = out.len();
    out.raw(",{\"type\":\"message\",\"role\":\"user\",\"content\":[");
    let from = out.len();
    for block in &message.blocks {
        match block {
            Block::Text(text) if text.text.trim().is_empty() => {}
            Block::Text(text) => {
                out.comma_since(from);
                input_text(out, &text.text);
            }
            Block::Image(picture) => {
                out.comma_since(from);
                image(out, picture);
            }
            Block::ToolUse(_) | Block::ToolResult(_) | Block::Reasoning(_) => {}
        }
    }
    if out.len() == from {
        out.truncate(start);
    } else {
        out.raw("]}");
    }
}

fn assistant(out: &mut Writer, message: &Message, model: &str) {
    for block in &message.blocks {
        match block {
            Block::Text(text) if text.text.trim().is_empty() => {}
            Block::Text(text) => {
                out.raw(
                    ",{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":",
                );
                out.value(&text.text).raw("}]");
                let sealed = Dialect::Responses.opens(text.seal.as_ref(), model);
                if let Some(phase) = sealed.and_then(|data| data.get("phase")) {
                    out.raw(",\"phase\":").value(phase);
                }
                out.raw("}");
            }
            Block::ToolUse(call) => {
                out.raw(",{\"type\":\"function_call\",\"call_id\":")
                    .value(&call.id)
                    .raw(",\"name\":")
                    .value(&call.name);
                out.raw(",\"arguments\":").quoted(&*call.arguments.object()).raw("}");
            }
            Block::Reasoning(reasoning) => {
                let sealed = Dialect::Responses.opens(reasoning.seal.as_ref(), model);
                if let Some(item) = sealed.and_then(|data| data.get("item")).filter(|item| carries_reasoning(item)) {
                    out.raw(",").value(item);
                }
            }
            Block::Image(_) | Block::ToolResult(_) => {}
        }
    }
}

/// Nothing is stored on the server, so an item that is only an id would not be found there.
fn carries_reasoning(item: &Value) -> bool {
    let filled = |field: &str| item.get(field).and_then(Value::as_array).is_some_and(|list| !list.is_empty());
    item.get("encrypted_content").is_some_and(Value::is_string) || filled("content")
}

fn tool_result(out: &mut Writer, result: &ToolResult) {
    out.raw(",{\"type\":\"function_call_output\",\"call_id\":").value(&result.id).raw(",\"output\":");
    let prefix = if result.is_error { "Error: " } else { "" };
    if result.images().next().is_none() {
        out.text(prefix, &result.joined_text()).raw("}");
        return;
    }
    out.raw("[");
    let from = out.len();
    if result.is_error {
        input_text(out, "Error:");
    }
    for piece in &result.content {
        out.comma_since(from);
        match piece {
            ResultPart::Text(text) => input_text(out, text),
            ResultPart::Image(picture) => image(out, picture),
        }
    }
    out.raw("]}");
}

fn input_text(out: &mut Writer, text: &str) {
    out.raw("{\"type\":\"input_text\",\"text\":").value(text).raw("}");
}

fn image(out: &mut Writer, image: &Image) {
    out.raw("{\"type\":\"input_image\",\"image_url\":");
    out.value(&format!("data:{};base64,{}", image.media_type, image.base64)).raw("}");
}

pub(crate) fn tail(request: &ModelRequest, receiver: &Receiver<'_>) -> Vec<u8> {
    let mut out = Writer::default();
    out.raw("],\"model\":").value(receiver.model).raw(",\"stream\":true");
    if receiver.sends("store") {
        out.raw(",\"store\":false");
    }
    if receiver.sends("max_output_tokens") {
        out.raw(",\"max_output_tokens\":").value(&receiver.limit_for(request));
    }
    receiver.sampling(&mut out);
    if receiver.thinks != ThinkingControl::Never {
        if receiver.sends("include") {
            out.raw(",\"include\":[\"reasoning.encrypted_content\"]");
        }
        let wanted = receiver.thinking(request);
        match wanted {
            _ if !receiver.sends("reasoning") => {}
            Thinking::Default => {}
            Thinking::Off => {
                out.raw(",\"reasoning\":{\"effort\":\"low\"}");
            }
            Thinking::Effort(_) | Thinking::Budget(_) => {
                let effort = wanted.effort().map_or("medium", crate::request::Effort::word);
                out.raw(",\"reasoning\":{\"effort\":").value(effort).raw(",\"summary\":\"auto\"}");
            }
        }
    }
    if request.tool_choice == ToolChoice::None && !request.head.tools.is_empty() && receiver.sends("tool_choice") {
        out.raw(",\"tool_choice\":\"none\"");
    }
    if let Some(key) =
        request.cache.key.as_ref().filter(|_| receiver.quirks.cache_key && receiver.sends("prompt_cache_key"))
    {
        out.raw(",\"prompt_cache_key\":").value(key);
    }
    receiver.extra(&mut out);
    out.raw("}");
    out.into_vec()
}
