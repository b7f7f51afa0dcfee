//! The event stream of OpenAI Chat Completions, with `reasoning_content` as the compatible servers send it.

use serde_json::{Value, json};

use crate::reply::{Repeat, ServerSentEvent, TurnReply};
use crate::script::{ScriptedStop, ScriptedUsage, TurnPart};

pub(super) fn events(reply: &TurnReply<'_>) -> Vec<ServerSentEvent> {
    let opening = json!({"role": "assistant", "content": "", "refusal": null});
    let mut events = vec![chunk(reply, opening, None, Repeat::Harmless)];
    let mut call_index = 0;
    for (index, part) in reply.turn.say.iter().enumerate() {
        match part {
            TurnPart::Text(text) => {
                let piece = |piece: &str| chunk(reply, json!({"content": piece}), None, Repeat::Doubles);
                events.extend(reply.pieces(text).into_iter().map(piece));
            }
            TurnPart::Reasoning(text) => {
                let piece = |piece: &str| chunk(reply, json!({"reasoning_content": piece}), None, Repeat::Doubles);
                events.extend(reply.pieces(text).into_iter().map(piece));
            }
            TurnPart::Call(call) => {
                let function = json!({"name": call.name, "arguments": ""});
                let id = reply.call_id(index, call);
                let opening = json!({"index": call_index, "id": id, "type": "function", "function": function});
                events.push(chunk(reply, json!({"tool_calls": [opening]}), None, Repeat::Harmless));
                for piece in reply.pieces(&call.arguments_text()) {
                    let more = json!({"index": call_index, "function": {"arguments": piece}});
                    events.push(chunk(reply, json!({"tool_calls": [more]}), None, Repeat::Doubles));
                }
                call_index += 1;
            }
        }
    }
    events.push(chunk(reply, json!({}), Some(finish_reason(reply.turn.stop())), Repeat::Harmless));
    if reply.wants_usage {
        events.push(ServerSentEvent::plain(envelope(reply, json!([]), usage(reply.usage())), Repeat::Harmless));
    }
    events.push(ServerSentEvent { name: None, data: "[DONE]".to_owned(), repeat: Repeat::Harmless });
    events
}

pub(super) fn unknown(reply: &TurnReply<'_>) -> ServerSentEvent {
    let mut data = envelope(reply, json!([]), Value::Null);
    if let Some(object) = data.as_object_mut() {
        object.insert("object".to_owned(), json!("chat.completion.future"));
    }
    ServerSentEvent::plain(data, Repeat::Harmless)
}

fn chunk(reply: &TurnReply<'_>, delta: Value, finish: Option<&str>, repeat: Repeat) -> ServerSentEvent {
    let choices = json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]);
    ServerSentEvent::plain(envelope(reply, choices, Value::Null), repeat)
}

fn envelope(reply: &TurnReply<'_>, choices: Value, usage: Value) -> Value {
    let mut data = json!({
        "id": reply.id("chatcmpl-"),
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": reply.model,
        "service_tier": "default",
        "system_fingerprint": "fp_scripted",
        "choices": choices,
    });
    // With `include_usage` every chunk has the field, and only the last one has the counts.
    if let (true, Some(object)) = (reply.wants_usage, data.as_object_mut()) {
        object.insert("usage".to_owned(), usage);
    }
    data
}

fn usage(usage: ScriptedUsage) -> Value {
    json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input.saturating_add(usage.output),
        "prompt_tokens_details": {"cached_tokens": usage.cached, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": usage.reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    })
}

fn finish_reason(stop: ScriptedStop) -> &'static str {
    match stop {
        ScriptedStop::End => "stop",
        ScriptedStop::ToolCalls => "tool_calls",
        ScriptedStop::MaxTokens => "length",
        ScriptedStop::Refusal => "content_filter",
    }
}
