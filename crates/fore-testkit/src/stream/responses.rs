//! The event stream of OpenAI Responses.

use serde_json::{Value, json};

use crate::reply::{Repeat, ServerSentEvent, TurnReply};
use crate::script::{ScriptedCall, ScriptedStop, ScriptedUsage, TurnPart};

pub(super) fn events(reply: &TurnReply<'_>) -> Vec<ServerSentEvent> {
    let mut numbered = Numbered { events: Vec::new() };
    numbered.push(json!({"type": "response.created", "response": response(reply, "in_progress", &[])}));
    numbered.push(json!({"type": "response.in_progress", "response": response(reply, "in_progress", &[])}));
    let mut output = Vec::new();
    for (index, part) in reply.turn.say.iter().enumerate() {
        let item = match part {
            TurnPart::Text(text) => message(reply, index, text, &mut numbered),
            TurnPart::Reasoning(text) => reasoning(reply, index, text, &mut numbered),
            TurnPart::Call(call) => function_call(reply, index, call, &mut numbered),
        };
        numbered.push(json!({"type": "response.output_item.done", "output_index": index, "item": item}));
        output.push(item);
    }
    let (kind, status) = match reply.turn.stop() {
        ScriptedStop::End | ScriptedStop::ToolCalls => ("response.completed", "completed"),
        ScriptedStop::MaxTokens | ScriptedStop::Refusal => ("response.incomplete", "incomplete"),
    };
    numbered.push(json!({"type": kind, "response": response(reply, status, &output)}));
    numbered.events
}

pub(super) fn unknown() -> ServerSentEvent {
    ServerSentEvent::named(json!({"type": "response.event_of_the_future", "delta": "?"}), Repeat::Harmless)
}

/// Events with the running number that each of them carries.
struct Numbered {
    events: Vec<ServerSentEvent>,
}

impl Numbered {
    fn push(&mut self, mut data: Value) {
        if let Some(object) = data.as_object_mut() {
            object.insert("sequence_number".to_owned(), json!(self.events.len()));
        }
        self.events.push(ServerSentEvent::named(data, Repeat::Harmless));
    }

    fn added(&mut self, index: usize, item: Value) {
        self.push(json!({"type": "response.output_item.added", "output_index": index, "item": item}));
    }
}

fn message(reply: &TurnReply<'_>, index: usize, text: &str, out: &mut Numbered) -> Value {
    let id = reply.part_id("msg_", index);
    let item = |status: &str, content: Value| json!({"id": id, "type": "message", "status": status, "role": "assistant", "content": content});
    let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []});
    let event = |kind: &str, field: &str, value: Value| json!({"type": kind, "item_id": id, "output_index": index, "content_index": 0, field: value});
    out.added(index, item("in_progress", json!([])));
    out.push(event("response.content_part.added", "part", part("")));
    for piece in reply.pieces(text) {
        let mut delta = event("response.output_text.delta", "delta", json!(piece));
        if let Some(object) = delta.as_object_mut() {
            object.insert("logprobs".to_owned(), json!([]));
        }
        out.push(delta);
    }
    out.push(event("response.output_text.done", "text", json!(text)));
    out.push(event("response.content_part.done", "part", part(text)));
    item("completed", json!([part(text)]))
}

fn reasoning(reply: &TurnReply<'_>, index: usize, text: &str, out: &mut Numbered) -> Value {
    let id = reply.part_id("rs_", index);
    let event = |kind: &str, field: &str, value: Value| json!({"type": kind, "item_id": id, "output_index": index, "summary_index": 0, field: value});
    out.added(index, json!({"id": id, "type": "reasoning", "summary": []}));
    let part = |text: &str| json!({"type": "summary_text", "text": text});
    let mut summary = Vec::new();
    if !text.is_empty() {
        out.push(event("response.reasoning_summary_part.added", "part", part("")));
        for piece in reply.pieces(text) {
            out.push(event("response.reasoning_summary_text.delta", "delta", json!(piece)));
        }
        out.push(event("response.reasoning_summary_text.done", "text", json!(text)));
        out.push(event("response.reasoning_summary_part.done", "part", part(text)));
        summary.push(part(text));
    }
    let mut item = json!({"id": id, "type": "reasoning", "summary": summary});
    if let (true, Some(object)) = (reply.wants_seals, item.as_object_mut()) {
        object.insert("encrypted_content".to_owned(), json!(reply.seal(index)));
    }
    item
}

fn function_call(reply: &TurnReply<'_>, index: usize, call: &ScriptedCall, out: &mut Numbered) -> Value {
    let id = reply.part_id("fc_", index);
    let call_id = reply.call_id(index, call);
    let item = |status: &str, arguments: &str| {
        json!({
            "id": id,
            "type": "function_call",
            "status": status,
            "call_id": call_id,
            "name": call.name,
            "arguments": arguments,
        })
    };
    let arguments = call.arguments_text();
    out.added(index, item("in_progress", ""));
    for piece in reply.pieces(&arguments) {
        out.push(json!({
            "type": "response.function_call_arguments.delta",
            "item_id": id,
            "output_index": index,
            "delta": piece,
        }));
    }
    out.push(json!({
        "type": "response.function_call_arguments.done",
        "item_id": id,
        "output_index": index,
        "name": call.name,
        "arguments": arguments,
    }));
    item("completed", &arguments)
}

fn response(reply: &TurnReply<'_>, status: &str, output: &[Value]) -> Value {
    let incomplete = match (status, reply.turn.stop()) {
        ("incomplete", ScriptedStop::Refusal) => json!({"reason": "content_filter"}),
        ("incomplete", _) => json!({"reason": "max_output_tokens"}),
        _ => Value::Null,
    };
    let usage = if status == "in_progress" { Value::Null } else { usage(reply.usage()) };
    json!({
        "id": reply.id("resp_"),
        "object": "response",
        "created_at": 1_700_000_000,
        "status": status,
        "error": null,
        "incomplete_details": incomplete,
        "model": reply.model,
        "output": output,
        "parallel_tool_calls": true,
        "store": false,
        "usage": usage,
    })
}

fn usage(usage: ScriptedUsage) -> Value {
    json!({
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.input.saturating_add(usage.output),
    })
}
