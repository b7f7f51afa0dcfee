//! Decodes the event stream of the OpenAI Responses protocol.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::{Decode, StreamEnd, StreamFault, read};
use crate::block::{Arguments, Seal, ToolUse};
use crate::event::{EventKind, StopReason, Usage};
use crate::fault;
use crate::framing::sse::SseFrame;
use crate::protocol::Protocol;

pub(crate) struct ResponsesDecoder {
    model: String,
    open: Vec<(u32, OpenItem)>,
    /// Blocks by the ids of their items, for servers that do not number them.
    ids: Vec<(String, u32)>,
    /// The number of the next block of such a server.
    next_block: u32,
    last_sequence: u64,
    called_tools: bool,
    refused: bool,
    /// Whether an item was announced.
    has_items: bool,
    started: bool,
    done: bool,
}

enum OpenItem {
    Message { spoke: bool },
    Reasoning { spoke: bool },
    Call { id: String, name: String, json: String },
}

impl OpenItem {
    /// Whether an event without a number could be about it.
    fn fits(&self, wire: &ResponsesEvent<'_>) -> bool {
        let kind = wire.item.as_ref().map_or("", |item| text_of(item, "type"));
        match self {
            OpenItem::Message { .. } => {
                kind == "message" || wire.kind.contains("output_text") || wire.kind.contains("refusal")
            }
            OpenItem::Reasoning { .. } => kind == "reasoning" || wire.kind.contains("reasoning"),
            OpenItem::Call { .. } => kind == "function_call" || wire.kind.contains("function_call"),
        }
    }
}

#[derive(Deserialize)]
struct ResponsesEvent<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    sequence_number: Option<u64>,
    output_index: Option<u32>,
    item_id: Option<String>,
    summary_index: Option<u32>,
    content_index: Option<u32>,
    delta: Option<String>,
    item: Option<Value>,
    response: Option<Response>,
}

#[derive(Deserialize)]
struct Response {
    model: Option<String>,
    usage: Option<ResponsesUsage>,
    incomplete_details: Option<Incomplete>,
    output: Option<Vec<Value>>,
}

#[derive(Deserialize)]
struct Incomplete {
    reason: Option<String>,
}

#[derive(Deserialize)]
struct ResponsesUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    input_tokens_details: Option<InputDetails>,
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Deserialize)]
struct InputDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct OutputDetails {
    reasoning_tokens: Option<u64>,
}

impl ResponsesUsage {
    fn usage(&self) -> Usage {
        let input = self.input_tokens_details.as_ref();
        Usage {
            input: self.input_tokens.unwrap_or(0),
            output: self.output_tokens.unwrap_or(0),
            cached_read: input.and_then(|details| details.cached_tokens).unwrap_or(0),
            cached_write: input.and_then(|details| details.cache_write_tokens).unwrap_or(0),
            reasoning: self.output_tokens_details.as_ref().and_then(|details| details.reasoning_tokens).unwrap_or(0),
        }
    }
}

fn text_of<'v>(item: &'v Value, field: &str) -> &'v str {
    item.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The texts of a list of parts, with `gap` between them.
fn joined(item: &Value, list: &str, gap: &str) -> String {
    let parts = item.get(list).and_then(Value::as_array).into_iter().flatten();
    let texts: Vec<&str> = parts
        .map(|part| if part.get("text").is_some() { text_of(part, "text") } else { text_of(part, "refusal") })
        .collect();
    texts.join(gap)
}

impl ResponsesDecoder {
    pub(crate) fn new(model: &str) -> Self {
        Self {
            model: model.to_owned(),
            open: Vec::new(),
            ids: Vec::new(),
            next_block: 0,
            last_sequence: 0,
            called_tools: false,
            refused: false,
            has_items: false,
            started: false,
            done: false,
        }
    }

    fn seal(&self, data: Value) -> Seal {
        Seal { from: Protocol::OpenAiResponses, model: self.model.clone(), data }
    }

    fn start(&mut self, response: Option<&Response>, out: &mut Vec<EventKind>) {
        if !std::mem::replace(&mut self.started, true) {
            let served = response.and_then(|response| response.model.clone()).unwrap_or_else(|| self.model.clone());
            out.push(EventKind::Started { served });
        }
    }

    /// The block that an event belongs to: by number, by the id of its item, or the newest of its kind.
    fn block_of(&mut self, wire: &ResponsesEvent<'_>) -> u32 {
        if let Some(index) = wire.output_index {
            self.next_block = self.next_block.max(index.saturating_add(1));
            return index;
        }
        let of_item = wire.item.as_ref().map(|item| text_of(item, "id")).filter(|id| !id.is_empty());
        let id = wire.item_id.as_deref().or(of_item);
        if let Some((_, block)) = id.and_then(|id| self.ids.iter().find(|(known, _)| known == id)) {
            return *block;
        }
        let is_new = wire.kind == "response.output_item.added";
        let newest = self.open.iter().rev().find(|(_, open)| open.fits(wire)).map(|(block, _)| *block);
        if let Some(block) = newest.filter(|_| !is_new) {
            return block;
        }
        let block = self.next_block;
        self.next_block += 1;
        self.ids.extend(id.map(|id| (id.to_owned(), block)));
        block
    }

    fn item_added(&mut self, block: u32, item: &Value, out: &mut Vec<EventKind>) {
        if self.open.iter().any(|(index, _)| *index == block) {
            return;
        }
        let open = match text_of(item, "type") {
            "message" => OpenItem::Message { spoke: false },
            "reasoning" => OpenItem::Reasoning { spoke: false },
            "function_call" => {
                self.called_tools = true;
                let given = [text_of(item, "call_id"), text_of(item, "id")].into_iter().find(|id| !id.is_empty());
                let id = given.map_or_else(|| format!("call_{block}"), str::to_owned);
                let name = text_of(item, "name").to_owned();
                out.push(EventKind::ToolCallStarted { block, id: id.clone(), name: name.clone() });
                OpenItem::Call { id, name, json: String::new() }
            }
            _ => return,
        };
        self.open.push((block, open));
    }

    fn delta(&mut self, wire: ResponsesEvent<'_>, out: &mut Vec<EventKind>) {
        let block = self.block_of(&wire);
        let Some(text) = wire.delta else { return };
        // Servers that skip the beginning of an item still send its pieces.
        if !self.open.iter().any(|(index, _)| *index == block) && wire.kind == "response.output_text.delta" {
            self.open.push((block, OpenItem::Message { spoke: false }));
        }
        let Some((_, open)) = self.open.iter_mut().find(|(index, _)| *index == block) else { return };
        match (open, &*wire.kind) {
            (OpenItem::Message { spoke }, "response.output_text.delta") => {
                *spoke = true;
                out.push(EventKind::TextDelta { block, text });
            }
            (OpenItem::Message { spoke }, "response.refusal.delta") => {
                *spoke = true;
                self.refused = true;
                out.push(EventKind::TextDelta { block, text });
            }
            (
                OpenItem::Reasoning { spoke },
                "response.reasoning_summary_text.delta" | "response.reasoning_text.delta",
            ) => {
                *spoke = true;
                out.push(EventKind::ReasoningDelta { block, text });
            }
            (OpenItem::Call { json, .. }, "response.function_call_arguments.delta") => {
                json.push_str(&text);
                out.push(EventKind::ArgumentsDelta { block, json: text });
            }
            _ => {}
        }
    }

    /// Paragraphs of a summary arrive as parts; people see them apart.
    fn part_added(&mut self, wire: &ResponsesEvent<'_>, out: &mut Vec<EventKind>) {
        let part = wire.summary_index.or(wire.content_index).unwrap_or(0);
        let block = self.block_of(wire);
        if part > 0
            && let Some((_, OpenItem::Reasoning { spoke: true })) = self.open.iter().find(|(index, _)| *index == block)
        {
            out.push(EventKind::ReasoningDelta { block, text: "\n\n".into() });
        }
    }

    fn item_done(&mut self, block: u32, mut item: Value, out: &mut Vec<EventKind>) {
        self.item_added(block, &item, out);
        let Some(position) = self.open.iter().position(|(index, _)| *index == block) else { return };
        let (_, open) = self.open.remove(position);
        match open {
            OpenItem::Message { spoke } => {
                let text = joined(&item, "content", "");
                if !spoke && !text.is_empty() {
                    out.push(EventKind::TextDelta { block, text });
                }
                let seal = item
                    .get("phase")
                    .filter(|phase| phase.is_string())
                    .map(|phase| self.seal(json!({ "phase": phase })));
                out.push(EventKind::TextFinished { block, seal });
            }
            OpenItem::Reasoning { spoke } => {
                let summary = joined(&item, "summary", "\n\n");
                let text = if summary.is_empty() { joined(&item, "content", "\n\n") } else { summary };
                if !spoke && !text.is_empty() {
                    out.push(EventKind::ReasoningDelta { block, text });
                }
                if let Some(fields) = item.as_object_mut() {
                    // Says how far the server was; it is not part of what goes back.
                    fields.remove("status");
                }
                out.push(EventKind::ReasoningFinished { block, seal: Some(self.seal(json!({ "item": item }))) });
            }
            OpenItem::Call { id, name, json } => {
                let whole = text_of(&item, "arguments");
                if json.is_empty() && !whole.is_empty() {
                    out.push(EventKind::ArgumentsDelta { block, json: whole.to_owned() });
                }
                let arguments = Arguments::parse(if whole.is_empty() { &json } else { whole });
                out.push(EventKind::ToolCallFinished { block, call: ToolUse { id, name, arguments, seal: None } });
            }
        }
    }

    fn finish(&mut self, response: Option<&Response>, incomplete: bool, out: &mut Vec<EventKind>) {
        self.start(response, out);
        // Nothing came in pieces: the end has all of it.
        if !self.has_items && self.open.is_empty() {
            let items = response.and_then(|response| response.output.clone()).unwrap_or_default();
            for (block, item) in (0..).zip(items) {
                self.item_done(block, item, out);
            }
        }
        for (block, open) in std::mem::take(&mut self.open) {
            out.push(match open {
                OpenItem::Message { .. } => EventKind::TextFinished { block, seal: None },
                OpenItem::Reasoning { .. } => EventKind::ReasoningFinished { block, seal: None },
                OpenItem::Call { id, name, json } => {
                    let call = ToolUse { id, name, arguments: Arguments::parse(&json), seal: None };
                    EventKind::ToolCallFinished { block, call }
                }
            });
        }
        if let Some(usage) = response.and_then(|response| response.usage.as_ref()) {
            out.push(EventKind::Usage(usage.usage()));
        }
        let reason = response.and_then(|response| response.incomplete_details.as_ref()?.reason.as_deref());
        let stop = match (incomplete, reason) {
            (true, Some("max_output_tokens")) => StopReason::MaxTokens,
            (true, Some("content_filter")) => StopReason::Refused,
            (true, other) => StopReason::Other(other.unwrap_or("incomplete").to_owned()),
            (false, _) if self.refused => StopReason::Refused,
            (false, _) if self.called_tools => StopReason::ToolUse,
            (false, _) => StopReason::EndTurn,
        };
        out.push(EventKind::Stopped(stop));
        out.push(EventKind::Done);
        self.done = true;
    }
}

impl Decode for ResponsesDecoder {
    fn frame(&mut self, frame: SseFrame<'_>, out: &mut Vec<EventKind>) -> Result<(), StreamFault> {
        if self.done || frame.data == b"[DONE]" {
            return Ok(());
        }
        let Some(wire) = read::<ResponsesEvent<'_>>(frame.data)? else { return Ok(()) };
        // Events are numbered; the same number twice is the same event twice. Servers that do not number send none or zero.
        if let Some(sequence) = wire.sequence_number {
            if sequence != 0 && sequence == self.last_sequence {
                return Ok(());
            }
            self.last_sequence = sequence;
        }
        match &*wire.kind {
            "response.created" | "response.in_progress" | "response.queued" => self.start(wire.response.as_ref(), out),
            "response.output_item.added" => {
                if let Some(item) = &wire.item {
                    let block = self.block_of(&wire);
                    self.has_items = true;
                    self.item_added(block, item, out);
                }
            }
            "response.output_item.done" => {
                let block = self.block_of(&wire);
                if let Some(item) = wire.item {
                    self.has_items = true;
                    self.item_done(block, item, out);
                }
            }
            "response.reasoning_summary_part.added" => self.part_added(&wire, out),
            "response.completed" => self.finish(wire.response.as_ref(), false, out),
            "response.incomplete" => self.finish(wire.response.as_ref(), true, out),
            "response.failed" | "error" => {
                return Err(StreamFault::Server(fault::in_stream(Protocol::OpenAiResponses, frame.data)));
            }
            kind if kind.ends_with(".delta") => self.delta(wire, out),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, _out: &mut Vec<EventKind>) -> StreamEnd {
        if self.done { StreamEnd::Complete } else { StreamEnd::Cut }
    }
}
