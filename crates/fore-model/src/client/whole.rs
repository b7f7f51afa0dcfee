//! An answer that came in one piece instead of a stream, read as if it were one; or what a page says that is none.

use serde_json::{Value, json};

use crate::fault::{self, FaultKind, ServerFault};
use crate::protocol::Protocol;

/// The document as the bytes of a stream; none where it holds no answer.
pub(super) fn as_stream(protocol: Protocol, document: &[u8]) -> Option<Vec<u8>> {
    let answer: Value = serde_json::from_slice(document).ok()?;
    let frames = match protocol {
        Protocol::ChatCompletions => chat(answer)?,
        Protocol::OpenAiResponses => {
            answer.get("output")?.as_array()?;
            let kind = if answer.get("status")? == "incomplete" { "response.incomplete" } else { "response.completed" };
            vec![json!({"type": kind, "response": answer})]
        }
        Protocol::AnthropicMessages => anthropic(&answer)?,
        // The same pieces in a list, or one alone.
        Protocol::Gemini => match answer {
            Value::Array(pieces) if pieces.iter().any(|piece| piece.get("candidates").is_some()) => pieces,
            one => {
                one.get("candidates")?.as_array()?;
                vec![one]
            }
        },
    };
    Some(frames.iter().flat_map(|frame| format!("data: {frame}\n\n").into_bytes()).collect())
}

fn chat(mut answer: Value) -> Option<Vec<Value>> {
    for choice in answer.get_mut("choices")?.as_array_mut()? {
        let message = choice.as_object_mut()?.remove("message")?;
        choice.as_object_mut()?.insert("delta".to_owned(), message);
    }
    Some(vec![answer])
}

fn anthropic(answer: &Value) -> Option<Vec<Value>> {
    let blocks = answer.get("content")?.as_array()?;
    let mut frames = vec![json!({"type": "message_start", "message": {
        "id": answer.get("id"), "model": answer.get("model"), "usage": answer.get("usage"),
    }})];
    for (index, block) in blocks.iter().enumerate() {
        let (mut start, deltas) = (block.clone(), anthropic_deltas(block));
        for field in ["text", "thinking"] {
            if let Some(text) = start.get_mut(field) {
                *text = json!("");
            }
        }
        if let Some(input) = start.get_mut("input") {
            *input = json!({});
        }
        frames.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        frames.extend(
            deltas.into_iter().map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta})),
        );
        frames.push(json!({"type": "content_block_stop", "index": index}));
    }
    let stop = json!({"stop_reason": answer.get("stop_reason")});
    frames.push(json!({"type": "message_delta", "delta": stop, "usage": answer.get("usage")}));
    frames.push(json!({"type": "message_stop"}));
    Some(frames)
}

fn anthropic_deltas(block: &Value) -> Vec<Value> {
    let mut deltas = Vec::new();
    if let Some(text) = block.get("text") {
        deltas.push(json!({"type": "text_delta", "text": text}));
    }
    if let Some(thought) = block.get("thinking") {
        deltas.push(json!({"type": "thinking_delta", "thinking": thought}));
        if let Some(signature) = block.get("signature") {
            deltas.push(json!({"type": "signature_delta", "signature": signature}));
        }
    }
    if let Some(input) = block.get("input") {
        deltas.push(json!({"type": "input_json_delta", "partial_json": input.to_string()}));
    }
    deltas
}

/// What a document says that holds no answer: an error in disguise, or something that is no model server at all.
pub(super) fn refusal(protocol: Protocol, document: &[u8]) -> ServerFault {
    let parsed: Value = serde_json::from_slice(document).unwrap_or(Value::Null);
    let outer = parsed.get(0).unwrap_or(&parsed);
    if outer.get("error").is_some_and(|error| !error.is_null()) || outer.get("detail").is_some() {
        return fault::in_stream(protocol, document);
    }
    let message = format!("it sent a page instead of an answer ({}); is this a model server?", fault::gist(document));
    ServerFault { kind: FaultKind::BadRequest, message }
}
