//! Auto mode's classifier, its pure part: what a model is asked about a call, and what its answer means.
//! Whatever is not one clear verdict blocks; nothing here calls a model or grants a permit.

mod recent;

use crate::document::one_line;
use fore_model::{Message, ModelRequest, RequestHead, Thinking, ToolChoice};
use fore_plan::{gate::Action, reminder::defuse_str};
use fore_text::cut::{self, TextEnds};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

/// Of the input of the call.
const MAX_INPUT_BYTES: usize = 16 * 1024;
const MAX_REASON_CHARS: usize = 300;
/// An answer is far shorter; more is no verdict.
const MAX_ANSWER_BYTES: usize = 8 * 1024;
/// Room for the verdict, and for models that cannot but think first.
const MAX_OUTPUT_TOKENS: u32 = 2_048;

/// The call that is decided about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClassifiedCall<'a> {
    pub tool: &'a str,
    pub action: &'a Action,
    pub input: &'a Value,
}

/// What comes of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClassifierVerdict {
    Allow { reason: String },
    Block { reason: String },
}

/// What the model is asked. Everything that others wrote is inside of one JSON object, which nothing in it can end.
pub(crate) fn request(call: &ClassifiedCall<'_>, recent: &[Message], folder: &Path) -> ModelRequest {
    let (items, left_out) = recent::items(recent);
    let question = json!({
        "folder": folder.display().to_string(),
        "call": { "tool": call.tool, "action": call.action, "input": input(call.input) },
        "earlierMessagesLeftOut": left_out,
        "recent": items,
    });
    let text = format!("{question:#}");
    let history = [Message::user(defuse_str(&text))].into_iter().collect();
    ModelRequest {
        max_output_tokens: Some(MAX_OUTPUT_TOKENS),
        thinking: Thinking::Off,
        tool_choice: ToolChoice::None,
        ..ModelRequest::new(RequestHead::new(include_str!("system.md"), Vec::new()), history)
    }
}

/// What an answer means: a verdict only if it is that and nothing else.
pub(crate) fn verdict(answer_text: &str) -> ClassifierVerdict {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct ClassifierAnswer {
        allow: bool,
        reason: String,
    }
    let block = |why: &str| ClassifierVerdict::Block { reason: format!("the classifier gave no clear verdict: {why}") };
    let text = answer_text.trim();
    if text.is_empty() {
        return block("it said nothing");
    }
    if text.len() > MAX_ANSWER_BYTES {
        return block("its answer is too long");
    }
    // A list of two values would be read as an answer, too.
    let answer = if text.starts_with('{') { serde_json::from_str::<ClassifierAnswer>(text).ok() } else { None };
    let Some(ClassifierAnswer { allow, reason }) = answer else {
        return block("its answer is not the JSON object it was asked for");
    };
    let reason = one_line(&reason, MAX_REASON_CHARS);
    match (allow, reason.is_empty()) {
        (true, true) => block("it gave no reason"),
        (false, true) => ClassifierVerdict::Block { reason: "the classifier gave no reason".to_owned() },
        (true, false) => ClassifierVerdict::Allow { reason },
        (false, false) => ClassifierVerdict::Block { reason },
    }
}

fn input(input: &Value) -> Value {
    let text = input.to_string();
    if text.len() <= MAX_INPUT_BYTES { input.clone() } else { Value::from(middle_left_out(&text, MAX_INPUT_BYTES)) }
}

/// Both ends of a long text: the end of a command matters as much as its beginning.
fn middle_left_out(text: &str, most: usize) -> String {
    match cut::ends(text, most) {
        None => text.to_owned(),
        Some(TextEnds { start, left_out, end }) => format!("{start} [{left_out} bytes left out] {end}"),
    }
}

#[cfg(test)]
mod tests;
