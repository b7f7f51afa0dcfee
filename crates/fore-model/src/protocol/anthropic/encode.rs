//! Encodes requests for the Anthropic Messages protocol.

use serde_json::Value;

use super::super::json::Writer;
use super::super::{Dialect, Receiver};
use crate::block::{Block, Image, Message, ResultPart, Role, ToolResult};
use crate::provider::ThinkingControl;
use crate::request::{CacheMarks, ModelRequest, RequestHead, Thinking, ToolChoice};

const MARK: &str = r#","cache_control":{"type":"ephemeral"}"#;

/// Tools, then system text; the last of each carries a cache mark that never moves.
pub(crate) fn head(head: &RequestHead) -> Vec<u8> {
    let mut out = Writer::default();
    out.raw("{");
    if !head.tools.is_empty() {
        out.raw("\"tools\":[");
        for (index, tool) in head.tools.iter().enumerate() {
            out.raw(if index == 0 { "{\"name\":" } else { ",{\"name\":" });
            out.value(&tool.name).raw(",\"description\":").value(&tool.description);
            out.raw(",\"input_schema\":").value(&tool.parameters);
            out.raw(if index + 1 == head.tools.len() { MARK } else { "" }).raw("}");
        }
        out.raw("],");
    }
    if !head.system.trim().is_empty() {
        out.raw("\"system\":[{\"type\":\"text\",\"text\":").value(&head.system).raw(MARK).raw("}],");
    }
    out.raw("\"messages\":[");
    out.into_vec()
}

pub(crate) fn message(message: &Message, model: &str) -> Vec<u8> {
    let mut out = Writer::with_capacity(message.size_hint());
    out.raw(match message.role {
        Role::User => ",{\"role\":\"user\",\"content\":[",
        Role::Assistant => ",{\"role\":\"assistant\",\"content\":[",
    });
    let from = out.len();
    for block in &message.blocks {
        if let Block::ToolResult(result) = block {
            out.comma_since(from);
            tool_result(&mut out, result);
        }
    }
    for block in &message.blocks {
        other_block(&mut out, from, block, model);
    }
    if out.len() == from {
        return Vec::new();
    }
    out.raw("]}");
    out.into_vec()
}

fn other_block(out: &mut Writer, from: usize, block: &Block, model: &str) {
    match block {
        // The server refuses text blocks that are blank.
        Block::Text(text) if text.text.trim().is_empty() => {}
        Block::Text(text) => {
            out.comma_since(from).raw("{\"type\":\"text\",\"text\":").value(&text.text).raw("}");
        }
        Block::Image(picture) => {
            out.comma_since(from);
            image(out, picture);
        }
        Block::ToolUse(call) => {
            out.comma_since(from).raw("{\"type\":\"tool_use\",\"id\":").value(&tool_id(&call.id));
            out.raw(",\"name\":").value(&call.name).raw(",\"input\":").value(&*call.arguments.object()).raw("}");
        }
        Block::ToolResult(_) => {}
        Block::Reasoning(reasoning) => {
            let Some(sealed) = Dialect::Anthropic.opens(reasoning.seal.as_ref(), model) else { return };
            if let Some(data) = sealed.get("redacted").and_then(Value::as_str) {
                out.comma_since(from).raw("{\"type\":\"redacted_thinking\",\"data\":").value(data).raw("}");
            } else if let Some(signature) = sealed.get("signature").and_then(Value::as_str) {
                out.comma_since(from).raw("{\"type\":\"thinking\",\"thinking\":").value(&reasoning.text);
                out.raw(",\"signature\":").value(signature).raw("}");
            }
        }
    }
}

fn tool_result(out: &mut Writer, result: &ToolResult) {
    out.raw("{\"type\":\"tool_result\",\"tool_use_id\":").value(&tool_id(&result.id));
    out.raw(",\"content\":[");
    let from = out.len();
    for piece in &result.content {
        match piece {
            ResultPart::Text(text) if text.trim().is_empty() => {}
            ResultPart::Text(text) => {
                out.comma_since(from).raw("{\"type\":\"text\",\"text\":").value(text).raw("}");
            }
            ResultPart::Image(picture) => {
                out.comma_since(from);
                image(out, picture);
            }
        }
    }
    out.raw(if result.is_error { "],\"is_error\":true}" } else { "]}" });
}

fn image(out: &mut Writer, image: &Image) {
    out.raw("{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":").value(&image.media_type);
    out.raw(",\"data\":").value(&image.base64).raw("}}");
}

/// Ids of other providers may hold characters this one refuses; calls and results are mapped the same way.
fn tool_id(id: &str) -> String {
    id.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect()
}

pub(crate) fn tail(request: &ModelRequest, receiver: &Receiver<'_>) -> Vec<u8> {
    let limit = receiver.limit_for(request);
    let mut out = Writer::default();
    out.raw("],\"model\":").value(receiver.model).raw(",\"max_tokens\":").value(&limit).raw(",\"stream\":true");
    receiver.sampling(&mut out);
    thinking(&mut out, request, receiver, limit);
    if request.tool_choice == ToolChoice::None && !request.head.tools.is_empty() && receiver.sends("tool_choice") {
        out.raw(",\"tool_choice\":{\"type\":\"none\"}");
    }
    if request.cache.marks == CacheMarks::Trailing && receiver.sends("cache_control") {
        out.raw(MARK);
    }
    receiver.extra(&mut out);
    out.raw("}");
    out.into_vec()
}

fn thinking(out: &mut Writer, request: &ModelRequest, receiver: &Receiver<'_>, limit: u32) {
    let wanted = receiver.thinking(request);
    if matches!(wanted, Thinking::Default | Thinking::Off) || !receiver.sends("thinking") {
        return;
    }
    match receiver.thinks {
        ThinkingControl::Never => {}
        ThinkingControl::ByEffort => {
            out.raw(",\"thinking\":{\"type\":\"adaptive\",\"display\":\"summarized\"}");
            if let Some(effort) = wanted.effort().filter(|_| receiver.sends("output_config")) {
                out.raw(",\"output_config\":{\"effort\":").value(effort.word()).raw("}");
            }
        }
        ThinkingControl::ByBudget => {
            // Below 1,024 tokens, or with an unfinished tool round that began without thinking, the server refuses it.
            let budget = wanted.budget().unwrap_or(0).min(limit.saturating_sub(1_024));
            if budget >= 1_024 && !inside_round_without_thinking(request, receiver.model) {
                out.raw(",\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":").value(&budget).raw("}");
            }
        }
    }
}

/// Whether the last answer called tools and none of its reasoning can be returned to this model.
fn inside_round_without_thinking(request: &ModelRequest, model: &str) -> bool {
    request.history.read(|entries| {
        entries.iter().rev().find(|entry| entry.message.role == Role::Assistant).is_some_and(|entry| {
            let blocks = &entry.message.blocks;
            let reasoned = blocks.iter().any(|block| {
                matches!(block, Block::Reasoning(_)) && Dialect::Anthropic.opens(block.seal(), model).is_some()
            });
            !reasoned && blocks.iter().any(|block| matches!(block, Block::ToolUse(_)))
        })
    })
}
