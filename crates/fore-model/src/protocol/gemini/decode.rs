//! Decodes the chunk stream of the Gemini protocol.

use serde::Deserialize;
use serde_json::{Value, json};

use super::super::{Decode, DeltaKind, StreamEnd, StreamFault, read};
use super::OWN_ID;
use crate::block::{Arguments, Seal, ToolUse};
use crate::event::{EventKind, StopReason, Usage};
use crate::fault;
use crate::framing::sse::SseFrame;
use crate::protocol::Protocol;

pub(crate) struct GeminiDecoder {
    model: String,
    response_id: String,
    next_block: u32,
    open_block: Option<(u32, DeltaKind)>,
    usage: Option<Usage>,
    stop: Option<StopReason>,
    called_tools: bool,
    started: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiChunk {
    #[serde(default)]
    candidates: Vec<GeminiCandidate>,
    usage_metadata: Option<GeminiUsage>,
    model_version: Option<String>,
    response_id: Option<String>,
    prompt_feedback: Option<Feedback>,
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiCandidate {
    #[serde(default)]
    index: u32,
    content: Option<GeminiContent>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct GeminiContent {
    #[serde(default)]
    parts: Vec<GeminiPart>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiPart {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
    thought_signature: Option<String>,
    function_call: Option<FunctionCall>,
}

#[derive(Deserialize)]
struct FunctionCall {
    id: Option<String>,
    name: Option<String>,
    args: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiUsage {
    prompt_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
    tool_use_prompt_token_count: Option<u64>,
}

impl GeminiUsage {
    /// The protocol counts thoughts beside the answer; ours counts them within.
    fn usage(&self) -> Usage {
        let thoughts = self.thoughts_token_count.unwrap_or(0);
        Usage {
            input: self.prompt_token_count.unwrap_or(0).saturating_add(self.tool_use_prompt_token_count.unwrap_or(0)),
            output: self.candidates_token_count.unwrap_or(0).saturating_add(thoughts),
            cached_read: self.cached_content_token_count.unwrap_or(0),
            cached_write: 0,
            reasoning: thoughts,
        }
    }
}

impl GeminiDecoder {
    pub(crate) fn new(model: &str) -> Self {
        Self {
            model: model.to_owned(),
            response_id: String::new(),
            next_block: 0,
            open_block: None,
            usage: None,
            stop: None,
            called_tools: false,
            started: false,
        }
    }

    fn new_block(&mut self) -> u32 {
        let block = self.next_block;
        self.next_block += 1;
        block
    }

    fn seal(&self, signature: Option<&str>) -> Seal {
        let data = signature.map_or_else(|| json!({}), |signature| json!({ "thoughtSignature": signature }));
        Seal { from: Protocol::Gemini, model: self.model.clone(), data }
    }

    fn finish_block(&mut self, out: &mut Vec<EventKind>) {
        match self.open_block.take() {
            Some((block, DeltaKind::Text)) => out.push(EventKind::TextFinished { block, seal: None }),
            Some((block, DeltaKind::Reasoning)) => {
                out.push(EventKind::ReasoningFinished { block, seal: Some(self.seal(None)) });
            }
            None => {}
        }
    }

    fn part(&mut self, part: GeminiPart, out: &mut Vec<EventKind>) {
        let signature = part.thought_signature.as_deref().filter(|signature| !signature.is_empty());
        if let Some(call) = part.function_call {
            self.call(call, signature, out);
            return;
        }
        // A part may hold nothing but a signature; parts of other kinds (code, files) hold neither and are skipped.
        if part.text.is_none() && signature.is_none() {
            return;
        }
        let kind = if part.thought { DeltaKind::Reasoning } else { DeltaKind::Text };
        let text = part.text.unwrap_or_default();
        match signature {
            None if text.is_empty() => {}
            None => {
                let block = match self.open_block {
                    Some((block, current)) if current == kind => block,
                    _ => {
                        self.finish_block(out);
                        let block = self.new_block();
                        self.open_block = Some((block, kind));
                        block
                    }
                };
                out.push(delta(kind, block, text));
            }
            // A signed part is a block of its own: joining it with its neighbours would break the signature.
            Some(signature) => {
                self.finish_block(out);
                let block = self.new_block();
                if !text.is_empty() {
                    out.push(delta(kind, block, text));
                }
                let seal = Some(self.seal(Some(signature)));
                out.push(match kind {
                    DeltaKind::Text => EventKind::TextFinished { block, seal },
                    DeltaKind::Reasoning => EventKind::ReasoningFinished { block, seal },
                });
            }
        }
    }

    fn call(&mut self, call: FunctionCall, signature: Option<&str>, out: &mut Vec<EventKind>) {
        self.finish_block(out);
        self.called_tools = true;
        let block = self.new_block();
        let id = call.id.filter(|id| !id.is_empty());
        let id = id.unwrap_or_else(|| format!("{OWN_ID}{}-{block}", self.response_id));
        let name = call.name.unwrap_or_default();
        let json = call.args.filter(|args| !args.is_null()).map(|args| args.to_string()).unwrap_or_default();
        out.push(EventKind::ToolCallStarted { block, id: id.clone(), name: name.clone() });
        let arguments = Arguments::parse(&json);
        if !json.is_empty() {
            out.push(EventKind::ArgumentsDelta { block, json });
        }
        let call = ToolUse { id, name, arguments, seal: Some(self.seal(signature)) };
        out.push(EventKind::ToolCallFinished { block, call });
    }
}

fn delta(kind: DeltaKind, block: u32, text: String) -> EventKind {
    match kind {
        DeltaKind::Text => EventKind::TextDelta { block, text },
        DeltaKind::Reasoning => EventKind::ReasoningDelta { block, text },
    }
}

fn stop_reason(word: &str, called_tools: bool) -> StopReason {
    match word {
        "STOP" if called_tools => StopReason::ToolUse,
        "STOP" => StopReason::EndTurn,
        "MAX_TOKENS" => StopReason::MaxTokens,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE" => StopReason::Refused,
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" => StopReason::MalformedCall,
        other => StopReason::Other(other.to_owned()),
    }
}

impl Decode for GeminiDecoder {
    fn frame(&mut self, frame: SseFrame<'_>, out: &mut Vec<EventKind>) -> Result<(), StreamFault> {
        if frame.data.trim_ascii() == b"[DONE]" {
            return Ok(());
        }
        let Some(chunk) = read::<GeminiChunk>(frame.data)? else { return Ok(()) };
        if chunk.error.is_some_and(|error| !error.is_null()) {
            return Err(StreamFault::Server(fault::in_stream(Protocol::Gemini, frame.data)));
        }
        if !self.started {
            self.started = true;
            self.response_id = chunk.response_id.unwrap_or_default();
            out.push(EventKind::Started { served: chunk.model_version.unwrap_or_else(|| self.model.clone()) });
        }
        if let Some(usage) = &chunk.usage_metadata {
            self.usage = Some(usage.usage());
        }
        if chunk.prompt_feedback.is_some_and(|feedback| feedback.block_reason.is_some()) {
            self.stop = Some(StopReason::Refused);
        }
        for candidate in chunk.candidates.into_iter().filter(|candidate| candidate.index == 0) {
            for part in candidate.content.into_iter().flat_map(|content| content.parts) {
                self.part(part, out);
            }
            if let Some(word) = candidate.finish_reason.filter(|word| word != "FINISH_REASON_UNSPECIFIED") {
                self.finish_block(out);
                if self.stop.is_none() {
                    self.stop = Some(stop_reason(&word, self.called_tools));
                }
            }
        }
        Ok(())
    }

    /// The protocol has no terminal event: an answer with a finish reason is whole, and more parts may follow it.
    fn end(&mut self, out: &mut Vec<EventKind>) -> StreamEnd {
        let Some(stop) = self.stop.take() else { return StreamEnd::Cut };
        self.finish_block(out);
        out.extend(self.usage.map(EventKind::Usage));
        out.push(EventKind::Stopped(stop));
        out.push(EventKind::Done);
        StreamEnd::Complete
    }
}
