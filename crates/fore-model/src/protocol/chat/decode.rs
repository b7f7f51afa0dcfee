//! Decodes the chunk stream of the Chat Completions protocol, with what its many servers do differently.

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::{Decode, DeltaKind, StreamEnd, StreamFault, read};
use super::details;
use super::think::ThinkTags;
use crate::block::{Arguments, Seal, ToolUse};
use crate::event::{EventKind, StopReason, Usage};
use crate::fault;
use crate::framing::sse::SseFrame;
use crate::protocol::Protocol;

pub(crate) struct ChatDecoder {
    model: String,
    response_id: String,
    next_block: u32,
    /// The block of text or reasoning being written.
    open_block: Option<(u32, DeltaKind)>,
    details: Vec<Value>,
    think: ThinkTags,
    calls: Vec<PartialCall>,
    stop: Option<StopReason>,
    usage: Option<Usage>,
    called_tools: bool,
    started: bool,
    done: bool,
}

struct PartialCall {
    index: u64,
    block: u32,
    id: String,
    name: String,
    json: String,
}

#[derive(Deserialize)]
struct ChatChunk {
    #[serde(default)]
    id: Option<String>,
    model: Option<String>,
    #[serde(default)]
    choices: Vec<ChatChoice>,
    usage: Option<ChatUsage>,
    error: Option<Value>,
    prompt_progress: Option<PromptProgress>,
}

/// llama.cpp's own: how far the prompt is read.
#[derive(Deserialize)]
struct PromptProgress {
    total: u64,
    processed: u64,
}

#[derive(Deserialize)]
struct ChatChoice {
    #[serde(default)]
    index: u32,
    delta: Option<ChatDelta>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct ChatDelta {
    content: Option<ChatContent>,
    refusal: Option<String>,
    reasoning_content: Option<String>,
    reasoning: Option<String>,
    reasoning_details: Option<Vec<Value>>,
    tool_calls: Option<Vec<CallDelta>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ChatContent {
    Text(String),
    Parts(Vec<Value>),
}

#[derive(Deserialize)]
struct CallDelta {
    index: Option<u64>,
    id: Option<String>,
    function: Option<Function>,
}

#[derive(Deserialize)]
struct Function {
    name: Option<String>,
    arguments: Option<Value>,
}

#[derive(Deserialize)]
struct ChatUsage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
    prompt_cache_hit_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct CompletionDetails {
    reasoning_tokens: Option<u64>,
}

impl ChatUsage {
    fn usage(&self) -> Usage {
        let prompt = self.prompt_tokens_details.as_ref();
        Usage {
            input: self.prompt_tokens.unwrap_or(0),
            output: self.completion_tokens.unwrap_or(0),
            cached_read: prompt.and_then(|details| details.cached_tokens).or(self.prompt_cache_hit_tokens).unwrap_or(0),
            cached_write: prompt.and_then(|details| details.cache_write_tokens).unwrap_or(0),
            reasoning: self
                .completion_tokens_details
                .as_ref()
                .and_then(|details| details.reasoning_tokens)
                .unwrap_or(0),
        }
    }
}

impl ChatDecoder {
    pub(crate) fn new(model: &str) -> Self {
        Self {
            model: model.to_owned(),
            response_id: String::new(),
            next_block: 0,
            open_block: None,
            details: Vec::new(),
            think: ThinkTags::default(),
            calls: Vec::new(),
            stop: None,
            usage: None,
            called_tools: false,
            started: false,
            done: false,
        }
    }

    fn new_block(&mut self) -> u32 {
        let block = self.next_block;
        self.next_block += 1;
        block
    }

    fn write(&mut self, kind: DeltaKind, text: String, out: &mut Vec<EventKind>) {
        if text.is_empty() {
            return;
        }
        let block = self.block_for(kind, out);
        out.push(match kind {
            DeltaKind::Text => EventKind::TextDelta { block, text },
            DeltaKind::Reasoning => EventKind::ReasoningDelta { block, text },
        });
    }

    fn block_for(&mut self, kind: DeltaKind, out: &mut Vec<EventKind>) -> u32 {
        match self.open_block {
            Some((block, current)) if current == kind => block,
            _ => {
                self.finish_block(out);
                let block = self.new_block();
                self.open_block = Some((block, kind));
                block
            }
        }
    }

    /// Ends the block of text or reasoning being written.
    fn finish_block(&mut self, out: &mut Vec<EventKind>) {
        match self.open_block.take() {
            Some((block, DeltaKind::Text)) => out.push(EventKind::TextFinished { block, seal: None }),
            Some((block, DeltaKind::Reasoning)) => {
                let details = std::mem::take(&mut self.details);
                let data = if details.is_empty() { json!({}) } else { json!({ "details": details }) };
                let seal = Some(Seal { from: Protocol::ChatCompletions, model: self.model.clone(), data });
                out.push(EventKind::ReasoningFinished { block, seal });
            }
            None => {}
        }
    }

    fn parts(&mut self, parts: &[Value], out: &mut Vec<EventKind>) {
        for part in parts {
            match part.get("type").and_then(Value::as_str) {
                Some("text") => {
                    let text = part.get("text").and_then(Value::as_str).unwrap_or_default();
                    self.write(DeltaKind::Text, text.to_owned(), out);
                }
                Some("thinking") => {
                    for thought in part.get("thinking").and_then(Value::as_array).into_iter().flatten() {
                        let text = thought.get("text").and_then(Value::as_str).unwrap_or_default();
                        self.write(DeltaKind::Reasoning, text.to_owned(), out);
                    }
                }
                _ => {}
            }
        }
    }

    fn delta(&mut self, delta: ChatDelta, out: &mut Vec<EventKind>) {
        // Some servers send the same thought under both names.
        if let Some(thought) = delta.reasoning_content.filter(|text| !text.is_empty()).or(delta.reasoning) {
            self.write(DeltaKind::Reasoning, thought, out);
        }
        if let Some(pieces) = delta.reasoning_details.filter(|pieces| !pieces.is_empty()) {
            self.block_for(DeltaKind::Reasoning, out);
            details::merge(&mut self.details, pieces);
        }
        match delta.content {
            Some(ChatContent::Text(text)) => {
                for (kind, text) in self.think.split(text) {
                    self.write(kind, text, out);
                }
            }
            Some(ChatContent::Parts(parts)) => self.parts(&parts, out),
            None => {}
        }
        if let Some(refusal) = delta.refusal.filter(|text| !text.is_empty()) {
            self.stop = Some(StopReason::Refused);
            self.write(DeltaKind::Text, refusal, out);
        }
        for (position, call) in delta.tool_calls.into_iter().flatten().enumerate() {
            self.call(position as u64, call, out);
        }
    }

    fn call(&mut self, position: u64, delta: CallDelta, out: &mut Vec<EventKind>) {
        let index = delta.index.unwrap_or(position);
        let id = delta.id.unwrap_or_default();
        let (name, arguments) = delta.function.map_or((None, None), |function| (function.name, function.arguments));
        let name = name.unwrap_or_default();
        // The newest call of this index; a second id under the same index is a second call of a server that cannot count.
        let known = self.calls.iter().rposition(|call| call.index == index);
        let known = known.filter(|at| self.calls.get(*at).is_some_and(|call| id.is_empty() || call.id == id));
        let at = known.unwrap_or_else(|| {
            self.finish_block(out);
            self.called_tools = true;
            let block = self.new_block();
            let id = if id.is_empty() { format!("call_{}_{block}", self.response_id) } else { id };
            out.push(EventKind::ToolCallStarted { block, id: id.clone(), name: name.clone() });
            self.calls.push(PartialCall { index, block, id, name, json: String::new() });
            self.calls.len() - 1
        });
        let Some(call) = self.calls.get_mut(at) else { return };
        let json = match arguments {
            Some(Value::String(text)) => text,
            Some(Value::Null) | None => String::new(),
            Some(whole) => whole.to_string(),
        };
        if !json.is_empty() {
            call.json.push_str(&json);
            out.push(EventKind::ArgumentsDelta { block: call.block, json });
        }
    }

    fn close_blocks(&mut self, out: &mut Vec<EventKind>) {
        if let Some((kind, text)) = self.think.rest() {
            self.write(kind, text, out);
        }
        self.finish_block(out);
        for PartialCall { block, id, name, json, .. } in std::mem::take(&mut self.calls) {
            let call = ToolUse { id, name, arguments: Arguments::parse(&json), seal: None };
            out.push(EventKind::ToolCallFinished { block, call });
        }
    }

    fn finish(&mut self, out: &mut Vec<EventKind>) {
        self.close_blocks(out);
        out.extend(self.usage.map(EventKind::Usage));
        out.push(EventKind::Stopped(self.stop.take().unwrap_or(StopReason::Other("none given".into()))));
        out.push(EventKind::Done);
        self.done = true;
    }
}

fn stop_reason(word: &str, called_tools: bool) -> StopReason {
    match word {
        // Some servers say "stop" after a call.
        "stop" if called_tools => StopReason::ToolUse,
        "stop" | "eos" | "end_turn" => StopReason::EndTurn,
        "tool_calls" | "function_call" => StopReason::ToolUse,
        "length" | "max_tokens" => StopReason::MaxTokens,
        "model_length" => StopReason::ContextFull,
        "content_filter" => StopReason::Refused,
        other => StopReason::Other(other.to_owned()),
    }
}

impl Decode for ChatDecoder {
    fn frame(&mut self, frame: SseFrame<'_>, out: &mut Vec<EventKind>) -> Result<(), StreamFault> {
        if self.done {
            return Ok(());
        }
        if frame.data.trim_ascii() == b"[DONE]" {
            self.finish(out);
            return Ok(());
        }
        let Some(chunk) = read::<ChatChunk>(frame.data)? else { return Ok(()) };
        if chunk.error.is_some_and(|error| !error.is_null()) {
            return Err(StreamFault::Server(fault::in_stream(Protocol::ChatCompletions, frame.data)));
        }
        if !self.started {
            self.started = true;
            self.response_id = chunk.id.unwrap_or_default();
            let served = chunk.model.filter(|model| !model.is_empty()).unwrap_or_else(|| self.model.clone());
            out.push(EventKind::Started { served });
        }
        if let Some(PromptProgress { total, processed }) = chunk.prompt_progress {
            out.push(EventKind::PromptRead { read: processed.min(total), total });
        }
        if let Some(usage) = &chunk.usage {
            self.usage = Some(usage.usage());
        }
        for choice in chunk.choices.into_iter().filter(|choice| choice.index == 0) {
            if let Some(delta) = choice.delta {
                self.delta(delta, out);
            }
            if let Some(word) = choice.finish_reason.filter(|word| !word.is_empty()) {
                self.close_blocks(out);
                if self.stop.is_none() {
                    self.stop = Some(stop_reason(&word, self.called_tools));
                }
            }
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<EventKind>) -> StreamEnd {
        if self.done {
            return StreamEnd::Complete;
        }
        // Some servers close after the finish reason and never say that they are done.
        if self.stop.is_some() {
            self.finish(out);
            return StreamEnd::Complete;
        }
        StreamEnd::Cut
    }
}
