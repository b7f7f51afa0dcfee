//! Decodes the event stream of the Anthropic Messages protocol.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::json;

use super::super::{Decode, StreamEnd, StreamFault, read};
use crate::block::{Arguments, Seal, ToolUse};
use crate::event::{EventKind, StopReason, Usage};
use crate::fault;
use crate::framing::sse::SseFrame;
use crate::protocol::Protocol;

pub(crate) struct AnthropicDecoder {
    model: String,
    open: Vec<(u32, OpenBlock)>,
    usage: Usage,
    stop: Option<StopReason>,
    started: bool,
    done: bool,
}

enum OpenBlock {
    Text,
    Thinking { signature: String },
    Redacted { data: String },
    Tool { id: String, name: String, json: String },
}

#[derive(Deserialize)]
struct AnthropicEvent<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    index: Option<u32>,
    #[serde(borrow)]
    delta: Option<AnthropicDelta<'a>>,
    content_block: Option<BlockStart>,
    message: Option<MessageStart>,
    usage: Option<AnthropicUsage>,
}

#[derive(Deserialize)]
struct AnthropicDelta<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Cow<'a, str>,
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    partial_json: Option<String>,
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct BlockStart {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    data: Option<String>,
    id: Option<String>,
    name: Option<String>,
    input: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct MessageStart {
    model: Option<String>,
    usage: Option<AnthropicUsage>,
}

#[derive(Deserialize)]
struct AnthropicUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
}

impl AnthropicDecoder {
    pub(crate) fn new(model: &str) -> Self {
        let usage = Usage::default();
        Self { model: model.to_owned(), open: Vec::new(), usage, stop: None, started: false, done: false }
    }

    fn seal(&self, data: serde_json::Value) -> Seal {
        Seal { from: Protocol::AnthropicMessages, model: self.model.clone(), data }
    }

    /// The protocol counts cached input beside `input_tokens`; ours counts it within.
    fn count(&mut self, wire: &AnthropicUsage) {
        let cached = self.usage.cached_read.saturating_add(self.usage.cached_write);
        let fresh = self.usage.input.saturating_sub(cached);
        let fresh = wire.input_tokens.unwrap_or(fresh);
        if let Some(read) = wire.cache_read_input_tokens {
            self.usage.cached_read = read;
        }
        if let Some(written) = wire.cache_creation_input_tokens {
            self.usage.cached_write = written;
        }
        if let Some(output) = wire.output_tokens {
            self.usage.output = output;
        }
        self.usage.input = fresh.saturating_add(self.usage.cached_read).saturating_add(self.usage.cached_write);
    }

    fn start_block(&mut self, block: u32, start: BlockStart, out: &mut Vec<EventKind>) {
        if self.open.iter().any(|(index, _)| *index == block) {
            return;
        }
        let open = match start.kind.as_str() {
            "text" => {
                if let Some(text) = start.text.filter(|text| !text.is_empty()) {
                    out.push(EventKind::TextDelta { block, text });
                }
                OpenBlock::Text
            }
            "thinking" => {
                if let Some(text) = start.thinking.filter(|text| !text.is_empty()) {
                    out.push(EventKind::ReasoningDelta { block, text });
                }
                OpenBlock::Thinking { signature: start.signature.unwrap_or_default() }
            }
            "redacted_thinking" => OpenBlock::Redacted { data: start.data.unwrap_or_default() },
            "tool_use" => {
                let (id, name) = (start.id.unwrap_or_default(), start.name.unwrap_or_default());
                out.push(EventKind::ToolCallStarted { block, id: id.clone(), name: name.clone() });
                // Some compatible servers put the whole input here and stream no deltas.
                let whole = start.input.filter(|input| input.as_object().is_some_and(|object| !object.is_empty()));
                let json = whole.map(|input| input.to_string()).unwrap_or_default();
                if !json.is_empty() {
                    out.push(EventKind::ArgumentsDelta { block, json: json.clone() });
                }
                OpenBlock::Tool { id, name, json }
            }
            _ => return,
        };
        self.open.push((block, open));
    }

    fn delta(&mut self, block: u32, delta: AnthropicDelta<'_>, out: &mut Vec<EventKind>) {
        let Some((_, open)) = self.open.iter_mut().find(|(index, _)| *index == block) else { return };
        match (open, &*delta.kind) {
            (OpenBlock::Text, "text_delta") => {
                if let Some(text) = delta.text {
                    out.push(EventKind::TextDelta { block, text });
                }
            }
            (OpenBlock::Thinking { .. }, "thinking_delta") => {
                if let Some(text) = delta.thinking {
                    out.push(EventKind::ReasoningDelta { block, text });
                }
            }
            (OpenBlock::Thinking { signature }, "signature_delta") => {
                signature.push_str(delta.signature.as_deref().unwrap_or_default());
            }
            (OpenBlock::Tool { json, .. }, "input_json_delta") => {
                if let Some(part) = delta.partial_json.filter(|part| !part.is_empty()) {
                    json.push_str(&part);
                    out.push(EventKind::ArgumentsDelta { block, json: part });
                }
            }
            _ => {}
        }
    }

    fn stop_block(&mut self, block: u32, out: &mut Vec<EventKind>) {
        let Some(position) = self.open.iter().position(|(index, _)| *index == block) else { return };
        let (_, open) = self.open.remove(position);
        out.push(match open {
            OpenBlock::Text => EventKind::TextFinished { block, seal: None },
            OpenBlock::Thinking { signature } if signature.is_empty() => {
                EventKind::ReasoningFinished { block, seal: None }
            }
            OpenBlock::Thinking { signature } => {
                EventKind::ReasoningFinished { block, seal: Some(self.seal(json!({ "signature": signature }))) }
            }
            OpenBlock::Redacted { data } => {
                EventKind::ReasoningFinished { block, seal: Some(self.seal(json!({ "redacted": data }))) }
            }
            OpenBlock::Tool { id, name, json } => EventKind::ToolCallFinished {
                block,
                call: ToolUse { id, name, arguments: Arguments::parse(&json), seal: None },
            },
        });
    }

    fn finish(&mut self, out: &mut Vec<EventKind>) {
        // A server that forgets to close its blocks has still said what is in them.
        while let Some((block, _)) = self.open.first() {
            self.stop_block(*block, out);
        }
        out.push(EventKind::Usage(self.usage));
        out.push(EventKind::Stopped(self.stop.take().unwrap_or(StopReason::Other("none given".into()))));
        out.push(EventKind::Done);
        self.done = true;
    }
}

fn stop_reason(word: &str) -> StopReason {
    match word {
        "end_turn" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" => StopReason::MaxTokens,
        "model_context_window_exceeded" => StopReason::ContextFull,
        "stop_sequence" => StopReason::StopSequence,
        "refusal" => StopReason::Refused,
        "pause_turn" => StopReason::Paused,
        other => StopReason::Other(other.to_owned()),
    }
}

impl Decode for AnthropicDecoder {
    fn frame(&mut self, frame: SseFrame<'_>, out: &mut Vec<EventKind>) -> Result<(), StreamFault> {
        if self.done {
            return Ok(());
        }
        let Some(wire) = read::<AnthropicEvent<'_>>(frame.data)? else { return Ok(()) };
        match &*wire.kind {
            "content_block_delta" => {
                if let (Some(block), Some(delta)) = (wire.index, wire.delta) {
                    self.delta(block, delta, out);
                }
            }
            "content_block_start" => {
                if let (Some(block), Some(start)) = (wire.index, wire.content_block) {
                    self.start_block(block, start, out);
                }
            }
            "content_block_stop" => {
                if let Some(block) = wire.index {
                    self.stop_block(block, out);
                }
            }
            "message_start" if !self.started => {
                self.started = true;
                let message = wire.message;
                if let Some(usage) = message.as_ref().and_then(|message| message.usage.as_ref()) {
                    self.count(usage);
                }
                let served = message.and_then(|message| message.model).unwrap_or_else(|| self.model.clone());
                out.push(EventKind::Started { served });
                out.push(EventKind::Usage(self.usage));
            }
            "message_delta" => {
                if let Some(usage) = &wire.usage {
                    self.count(usage);
                }
                if let Some(word) = wire.delta.and_then(|delta| delta.stop_reason) {
                    self.stop = Some(stop_reason(&word));
                }
            }
            "message_stop" => self.finish(out),
            "error" => return Err(StreamFault::Server(fault::in_stream(Protocol::AnthropicMessages, frame.data))),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, _out: &mut Vec<EventKind>) -> StreamEnd {
        if self.done { StreamEnd::Complete } else { StreamEnd::Cut }
    }
}
