//! The event stream of Gemini's `streamGenerateContent` with `alt=sse`.

use serde_json::{Map, Value, json};

use crate::reply::{Repeat, ServerSentEvent, TurnReply};
use crate::script::{ScriptedStop, ScriptedUsage, TurnPart};

pub(super) fn events(reply: &TurnReply<'_>) -> Vec<ServerSentEvent> {
    let mut seal = reply.gemini_seal();
    let mut events = Vec::new();
    let mut broken = None;
    for (index, part) in reply.turn.say.iter().enumerate() {
        match part {
            TurnPart::Text(text) => {
                events.extend(reply.pieces(text).into_iter().map(|piece| chunk(reply, json!({"text": piece}))));
            }
            TurnPart::Reasoning(text) => {
                let thought = |piece| chunk(reply, json!({"text": piece, "thought": true}));
                events.extend(reply.pieces(text).into_iter().map(thought));
            }
            TurnPart::Call(call) => {
                // Arguments are an object on this wire, so broken ones come as a finish reason instead of a call.
                let Some(arguments) = call.arguments_object() else {
                    broken = Some(format!("Malformed function call: {}({})", call.name, call.arguments_text()));
                    continue;
                };
                let id = reply.call_id(index, call);
                let mut part = Map::new();
                part.insert("functionCall".to_owned(), json!({"id": id, "name": call.name, "args": arguments}));
                if let Some(seal) = seal.take() {
                    part.insert("thoughtSignature".to_owned(), json!(seal));
                }
                events.push(chunk(reply, Value::Object(part)));
            }
        }
    }
    events.push(last(reply, seal, broken));
    events
}

pub(super) fn unknown(reply: &TurnReply<'_>) -> ServerSentEvent {
    let mut event = chunk(reply, json!({"partOfTheFuture": {"delta": "?"}}));
    event.repeat = Repeat::Harmless;
    event
}

fn chunk(reply: &TurnReply<'_>, part: Value) -> ServerSentEvent {
    let candidate = json!({"content": {"parts": [part], "role": "model"}, "index": 0});
    let usage = json!({"promptTokenCount": reply.usage().input, "totalTokenCount": reply.usage().input});
    ServerSentEvent::plain(envelope(reply, candidate, usage), Repeat::Doubles)
}

/// The last chunk has no words; a signature that no call took stands on an empty text.
fn last(reply: &TurnReply<'_>, seal: Option<String>, broken: Option<String>) -> ServerSentEvent {
    let mut part = Map::new();
    part.insert("text".to_owned(), json!(""));
    if let Some(seal) = seal {
        part.insert("thoughtSignature".to_owned(), json!(seal));
    }
    let mut candidate = json!({"content": {"parts": [part], "role": "model"}, "index": 0});
    if let Some(object) = candidate.as_object_mut() {
        let reason = if broken.is_some() { "MALFORMED_FUNCTION_CALL" } else { finish_reason(reply.turn.stop()) };
        object.insert("finishReason".to_owned(), json!(reason));
        if let Some(message) = broken {
            object.insert("finishMessage".to_owned(), json!(message));
        }
    }
    ServerSentEvent::plain(envelope(reply, candidate, usage(reply.usage())), Repeat::Harmless)
}

fn envelope(reply: &TurnReply<'_>, candidate: Value, usage: Value) -> Value {
    json!({
        "candidates": [candidate],
        "usageMetadata": usage,
        "modelVersion": reply.model,
        "responseId": reply.id("resp"),
    })
}

fn usage(usage: ScriptedUsage) -> Value {
    let mut data = json!({
        "promptTokenCount": usage.input,
        "candidatesTokenCount": usage.output.saturating_sub(usage.reasoning),
        "totalTokenCount": usage.input.saturating_add(usage.output),
    });
    if let Some(object) = data.as_object_mut() {
        if usage.cached > 0 {
            object.insert("cachedContentTokenCount".to_owned(), json!(usage.cached));
        }
        if usage.reasoning > 0 {
            object.insert("thoughtsTokenCount".to_owned(), json!(usage.reasoning));
        }
    }
    data
}

fn finish_reason(stop: ScriptedStop) -> &'static str {
    match stop {
        ScriptedStop::End | ScriptedStop::ToolCalls => "STOP",
        ScriptedStop::MaxTokens => "MAX_TOKENS",
        ScriptedStop::Refusal => "SAFETY",
    }
}
