//! The event stream of Anthropic Messages.

use serde_json::{Value, json};

use crate::reply::{Repeat, ServerSentEvent, TurnReply};
use crate::script::{ScriptedCall, ScriptedStop, ScriptedUsage, TurnPart};

pub(super) fn events(reply: &TurnReply<'_>) -> Vec<ServerSentEvent> {
    let mut events = vec![message_start(reply)];
    for (index, part) in reply.turn.say.iter().enumerate() {
        match part {
            TurnPart::Text(text) => text_block(reply, index, text, &mut events),
            TurnPart::Reasoning(text) if text.is_empty() => redacted_block(reply, index, &mut events),
            TurnPart::Reasoning(text) => thinking_block(reply, index, text, &mut events),
            TurnPart::Call(call) => call_block(reply, index, call, &mut events),
        }
        events.push(ServerSentEvent::named(json!({"type": "content_block_stop", "index": index}), Repeat::Harmless));
    }
    let delta = json!({"stop_reason": stop_reason(reply.turn.stop()), "stop_sequence": null});
    let usage = json!({"output_tokens": reply.usage().output});
    events.push(ServerSentEvent::named(
        json!({"type": "message_delta", "delta": delta, "usage": usage}),
        Repeat::Harmless,
    ));
    events.push(ServerSentEvent::named(json!({"type": "message_stop"}), Repeat::Harmless));
    events
}

pub(super) fn ping() -> ServerSentEvent {
    ServerSentEvent::named(json!({"type": "ping"}), Repeat::Harmless)
}

pub(super) fn unknown() -> ServerSentEvent {
    ServerSentEvent::named(
        json!({"type": "event_of_the_future", "index": 0, "payload": {"delta": "?"}}),
        Repeat::Harmless,
    )
}

fn message_start(reply: &TurnReply<'_>) -> ServerSentEvent {
    let ScriptedUsage { input, cached, cache_write, .. } = reply.usage();
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
    ServerSentEvent::named(json!({"type": "message_start", "message": message}), Repeat::Harmless)
}

fn start(index: usize, block: Value) -> ServerSentEvent {
    ServerSentEvent::named(
        json!({"type": "content_block_start", "index": index, "content_block": block}),
        Repeat::Harmless,
    )
}

fn delta(index: usize, delta: Value) -> ServerSentEvent {
    ServerSentEvent::named(json!({"type": "content_block_delta", "index": index, "delta": delta}), Repeat::Doubles)
}

fn text_block(reply: &TurnReply<'_>, index: usize, text: &str, events: &mut Vec<ServerSentEvent>) {
    events.push(start(index, json!({"type": "text", "text": ""})));
    let piece = |piece| delta(index, json!({"type": "text_delta", "text": piece}));
    events.extend(reply.pieces(text).into_iter().map(piece));
}

fn thinking_block(reply: &TurnReply<'_>, index: usize, text: &str, events: &mut Vec<ServerSentEvent>) {
    events.push(start(index, json!({"type": "thinking", "thinking": "", "signature": ""})));
    let piece = |piece| delta(index, json!({"type": "thinking_delta", "thinking": piece}));
    events.extend(reply.pieces(text).into_iter().map(piece));
    events.push(delta(index, json!({"type": "signature_delta", "signature": reply.seal(index)})));
}

fn redacted_block(reply: &TurnReply<'_>, index: usize, events: &mut Vec<ServerSentEvent>) {
    events.push(start(index, json!({"type": "redacted_thinking", "data": reply.seal(index)})));
}

fn call_block(reply: &TurnReply<'_>, index: usize, call: &ScriptedCall, events: &mut Vec<ServerSentEvent>) {
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

fn stop_reason(stop: ScriptedStop) -> &'static str {
    match stop {
        ScriptedStop::End => "end_turn",
        ScriptedStop::ToolCalls => "tool_use",
        ScriptedStop::MaxTokens => "max_tokens",
        ScriptedStop::Refusal => "refusal",
    }
}
