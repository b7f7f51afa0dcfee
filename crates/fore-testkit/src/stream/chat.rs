//! The event stream of OpenAI Chat Completions, with `reasoning_content` as the compatible servers send it.

use serde_json::{Value, json};

use crate::reply::{Event, Repeat, Reply};
use crate::script::{Part, Stop, Usage};

pub(super) fn events(reply: &Reply<'_>) -> Vec<Event> {
    let opening = json!({"role": "assistant", "content": "", "refusal": null});
    let mut events = vec![chunk(reply, opening, None, Repeat::Harmless)];
    let mut call_index = 0;
    for (index, part) in reply.turn.say.iter().enumerate() {
        match part {
            Part::Text(text) => {
                let piece = |piece: &str| chunk(reply, json!({"content": piece}), None, Repeat::Doubles);
                events.extend(reply.pieces(text).into_iter().map(piece));
            }
            Part::Reasoning(text) => {
                let piece = |piece: &str| chunk(reply, json!({"reasoning_content": piece}), None, Repeat::Doubles);
                events.extend(reply.pieces(text).into_iter().map(piece));
            }
            Part::Call(call) => {
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
        events.push(Event::plain(envelope(reply, json!([]), usage(reply.usage())), Repeat::Harmless));
    }
    events.push(Event { name: None, data: "[DONE]".to_owned(), repeat: Repeat::Harmless });
    events
}

pub(super) fn unknown(reply: &Reply<'_>) -> Event {
    let mut data = envelope(reply, json!([]), Value::Null);
    if let Some(object) = data.as_object_mut() {
        object.insert("object".to_owned(), json!("chat.completion.future"));
    }
    Event::plain(data, Repeat::Harmless)
}

fn chunk(reply: &Reply<'_>, delta: Value, finish: Option<&str>, repeat: Repeat) -> Event {
    let choices = json!([{"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish}]);
    Event::plain(envelope(reply, choices, Value::Null), repeat)
}

fn envelope(reply: &Reply<'_>, choices: Value, usage: Value) -> Value {
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

fn usage(usage: Usage) -> Value {
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

fn finish_reason(stop: Stop) -> &'static str {
    match stop {
        Stop::End => "stop",
        Stop::ToolCalls => "tool_calls",
        Stop::MaxTokens => "length",
        Stop::Refusal => "content_filter",
    }
}
