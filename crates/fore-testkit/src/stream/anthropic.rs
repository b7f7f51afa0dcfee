//! The event stream of Anthropic Messages.

use serde_json::{Value, json};

use crate::reply::{Event, Repeat, Reply};
use crate::script::{Call, Part, Stop, Usage};

pub(super) fn events(reply: &Reply<'_>) -> Vec<Event> {
    let mut events = vec![message_start(reply)];
    for (index, part) in reply.turn.say.iter().enumerate() {
        match part {
            Part::Text(text) => text_block(reply, index, text, &mut events),
            Part::Reasoning(text) if text.is_empty() => redacted_block(reply, index, &mut events),
            Part::Reasoning(text) => thinking_block(reply, index, text, &mut events),
            Part::Call(call) => call_block(reply, index, call, &mut events),
        }
        events.push(Event::named(json!({"type": "content_block_stop", "index": index}), Repeat::Harmless));
    }
    let delta = json!({"stop_reason": stop_reason(reply.turn.stop()), "stop_sequence": null});
    let usage = json!({"output_tokens": reply.usage().output});
    events.push(Event::named(json!({"type": "message_delta", "delta": delta, "usage": usage}), Repeat::Harmless));
    events.push(Event::named(json!({"type": "message_stop"}), Repeat::Harmless));
    events
}

pub(super) fn ping() -> Event {
    Event::named(json!({"type": "ping"}), Repeat::Harmless)
}

pub(super) fn unknown() -> Event {
    Event::named(json!({"type": "event_of_the_future", "index": 0, "payload": {"delta": "?"}}), Repeat::Harmless)
}

fn message_start(reply: &Reply<'_>) -> Event {
    let Usage { input, cached, cache_write, .. } = reply.usage();
    let message = json!({
        "id": reply.id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": {
            "input_tokens": input.saturating_sub(cached).saturating_sub(cache_write),
            "cache_creation_input_tokens": cache_write,
            "cache_read_input_tokens": cached,
            "output_tokens": 1,
        },
    });
    Event::named(json!({"type": "message_start", "message": message}), Repeat::Harmless)
}

fn start(index: usize, block: Value) -> Event {
    Event::named(json!({"type": "content_block_start", "index": index, "content_block": block}), Repeat::Harmless)
}

fn delta(index: usize, delta: Value) -> Event {
    Event::named(json!({"type": "content_block_delta", "index": index, "delta": delta}), Repeat::Doubles)
}

fn text_block(reply: &Reply<'_>, index: usize, text: &str, events: &mut Vec<Event>) {
    events.push(start(index, json!({"type": "text", "text": ""})));
    let piece = |piece| delta(index, json!({"type": "text_delta", "text": piece}));
    events.extend(reply.pieces(text).into_iter().map(piece));
}

fn thinking_block(reply: &Reply<'_>, index: usize, text: &str, events: &mut Vec<Event>) {
    events.push(start(index, json!({"type": "thinking", "thinking": "", "signature": ""})));
    let piece = |piece| delta(index, json!({"type": "thinking_delta", "thinking": piece}));
    events.extend(reply.pieces(text).into_iter().map(piece));
    events.push(delta(index, json!({"type": "signature_delta", "signature": reply.seal(index)})));
}

fn redacted_block(reply: &Reply<'_>, index: usize, events: &mut Vec<Event>) {
    events.push(start(index, json!({"type": "redacted_thinking", "data": reply.seal(index)})));
}

fn call_block(reply: &Reply<'_>, index: usize, call: &Call, events: &mut Vec<Event>) {
    let id = reply.call_id(index, call);
    events.push(start(index, json!({"type": "tool_use", "id": id, "name": call.name, "input": {}})));
    let piece = |piece| delta(index, json!({"type": "input_json_delta", "partial_json": piece}));
    // The first piece of arguments is documented to be empty; a call without arguments has no other.
    events.push(piece(""));
    let arguments = call.arguments_text();
    if arguments != "{}" {
        events.extend(reply.pieces(&arguments).into_iter().map(piece));
    }
}

fn stop_reason(stop: Stop) -> &'static str {
    match stop {
        Stop::End => "end_turn",
        Stop::ToolCalls => "tool_use",
        Stop::MaxTokens => "max_tokens",
        Stop::Refusal => "refusal",
    }
}
