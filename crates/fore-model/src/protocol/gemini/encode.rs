//! Encodes requests for the Gemini protocol. The model's name and the key travel outside of the body.

use serde_json::Value;

use super::super::json::Writer;
use super::super::{Dialect, Receiver};
use super::OWN_ID;
use crate::block::{Block, Image, Message, Role, ToolResult};
use crate::provider::ThinkingControl;
use crate::request::{Effort, ModelRequest, RequestHead, Thinking, ToolChoice};

/// What the documentation wants in place of the signature of a call that another model made.
const FOREIGN_SIGNATURE: &str = "skip_thought_signature_validator";

pub(crate) fn head(head: &RequestHead) -> Vec<u8> {
    let mut out = Writer::default();
    out.raw("{");
    if !head.tools.is_empty() {
        out.raw("\"tools\":[{\"functionDeclarations\":[");
        for (index, tool) in head.tools.iter().enumerate() {
            out.raw(if index == 0 { "{\"name\":" } else { ",{\"name\":" });
            out.value(&tool.name).raw(",\"description\":").value(&tool.description);
            out.raw(",\"parametersJsonSchema\":").value(&tool.parameters).raw("}");
        }
        out.raw("]}],");
    }
    if !head.system.is_empty() {
        out.raw("\"systemInstruction\":{\"parts\":[{\"text\":").value(&head.system).raw("}]},");
    }
    out.raw("\"contents\":[");
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
    content(out, "user", |out, from| {
        // Results come before any other words.
        for block in &message.blocks {
            if let Block::ToolResult(result) = block {
                out.comma_since(from);
                tool_result(out, result);
            }
        }
        for block in &message.blocks {
            match block {
                Block::Text(text) if text.text.trim().is_empty() => {}
                Block::Text(text) => {
                    out.comma_since(from).raw("{\"text\":").value(&text.text).raw("}");
                }
                Block::Image(picture) => {
                    out.comma_since(from);
                    image(out, picture);
                }
                Block::ToolResult(result) => {
                    for picture in result.images() {
                        out.comma_since(from);
                        image(out, picture);
                    }
                }
                Block::ToolUse(_) | Block::Reasoning(_) => {}
            }
        }
    });
}

fn content(out: &mut Writer, role: &str, parts: impl FnOnce(&mut Writer, usize)) {
    let start = out.len();
    out.raw(",{\"role\":").value(role).raw(",\"parts\":[");
    let from = out.len();
    parts(out, from);
    if out.len() == from {
        out.truncate(start);
    } else {
        out.raw("]}");
    }
}

fn assistant(out: &mut Writer, message: &Message, model: &str) {
    content(out, "model", |out, from| {
        let mut first_call = true;
        for block in &message.blocks {
            let sealed = Dialect::Gemini.opens(block.seal(), model);
            let signature = sealed.and_then(|data| data.get("thoughtSignature")).and_then(Value::as_str);
            match block {
                Block::Text(text) if text.text.is_empty() && signature.is_none() => continue,
                Block::Text(text) => {
                    out.comma_since(from).raw("{\"text\":").value(&text.text);
                }
                Block::Reasoning(reasoning) if sealed.is_some() => {
                    out.comma_since(from).raw("{\"text\":").value(&reasoning.text).raw(",\"thought\":true");
                }
                Block::ToolUse(call) => {
                    out.comma_since(from).raw("{\"functionCall\":{\"name\":").value(&call.name);
                    id(out, &call.id);
                    out.raw(",\"args\":").value(&*call.arguments.object()).raw("}");
                    let foreign = sealed.is_none() && wants_signatures(model);
                    if std::mem::take(&mut first_call) && foreign {
                        out.raw(",\"thoughtSignature\":").value(FOREIGN_SIGNATURE);
                    }
                }
                Block::Reasoning(_) | Block::Image(_) | Block::ToolResult(_) => continue,
            }
            if let Some(signature) = signature {
                out.raw(",\"thoughtSignature\":").value(signature);
            }
            out.raw("}");
        }
    });
}

/// From the third generation on, a call without a signature is refused.
fn wants_signatures(model: &str) -> bool {
    !["gemini-1", "gemini-2", "gemma"].iter().any(|old| model.starts_with(old))
}

fn id(out: &mut Writer, id: &str) {
    if !id.starts_with(OWN_ID) {
        out.raw(",\"id\":").value(id);
    }
}

fn tool_result(out: &mut Writer, result: &ToolResult) {
    out.raw("{\"functionResponse\":{\"name\":").value(&result.name);
    id(out, &result.id);
    out.raw(if result.is_error { ",\"response\":{\"error\":" } else { ",\"response\":{\"output\":" });
    out.value(&*result.joined_text()).raw("}}}");
}

fn image(out: &mut Writer, image: &Image) {
    out.raw("{\"inlineData\":{\"mimeType\":").value(&image.media_type).raw(",\"data\":").value(&image.base64).raw("}}");
}

pub(crate) fn tail(request: &ModelRequest, receiver: &Receiver<'_>) -> Vec<u8> {
    let mut out = Writer::default();
    out.raw("]");
    if request.tool_choice == ToolChoice::None && !request.head.tools.is_empty() {
        out.raw(",\"toolConfig\":{\"functionCallingConfig\":{\"mode\":\"NONE\"}}");
    }
    let start = out.len();
    out.raw(",\"generationConfig\":{");
    let from = out.len();
    out.raw("\"maxOutputTokens\":").value(&receiver.limit_for(request));
    for (field, value) in [("temperature", receiver.options.temperature), ("topP", receiver.options.top_p)] {
        if let Some(value) = value {
            out.comma_since(from).value(field).raw(":").value(&value);
        }
    }
    thinking(&mut out, from, receiver.thinking(request), receiver.thinks);
    if out.len() == from {
        out.truncate(start);
    } else {
        out.raw("}");
    }
    receiver.extra(&mut out);
    out.raw("}");
    out.into_vec()
}

fn thinking(out: &mut Writer, from: usize, thinking: Thinking, thinks: ThinkingControl) {
    match (thinks, thinking) {
        (ThinkingControl::Never, _) | (_, Thinking::Default) | (ThinkingControl::ByBudget, Thinking::Off) => {}
        (ThinkingControl::ByEffort, Thinking::Off) => {
            out.comma_since(from).raw("\"thinkingConfig\":{\"thinkingLevel\":\"low\"}");
        }
        (ThinkingControl::ByEffort, Thinking::Effort(_) | Thinking::Budget(_)) => {
            let level = thinking.effort().unwrap_or(Effort::Medium).word();
            out.comma_since(from).raw("\"thinkingConfig\":{\"includeThoughts\":true,\"thinkingLevel\":");
            out.value(level).raw("}");
        }
        (ThinkingControl::ByBudget, Thinking::Effort(_) | Thinking::Budget(_)) => {
            let budget = thinking.budget().unwrap_or(Effort::Medium.budget());
            out.comma_since(from).raw("\"thinkingConfig\":{\"includeThoughts\":true,\"thinkingBudget\":");
            out.value(&budget).raw("}");
        }
    }
}
