//! Auto mode's classifier, its pure part: what a model is asked about a call, and what its answer means.
//! Whatever is not one clear verdict blocks; nothing here calls a model or grants a permit.

mod recent;

use crate::document::{line_end, one_line};
use fore_model::{Head, Message, Request, Thinking, ToolChoice};
use fore_plan::{gate::Action, reminder::defuse_str};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

/// Of the input of the call.
const MOST_INPUT_BYTES: usize = 16 * 1024;
const MOST_REASON_CHARS: usize = 300;
/// An answer is far shorter; more is no verdict.
const MOST_ANSWER_BYTES: usize = 8 * 1024;
/// Room for the verdict, and for models that cannot but think first.
const MOST_OUTPUT_TOKENS: u32 = 2_048;

/// The call that is decided about.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    pub tool: &'a str,
    pub action: &'a Action,
    pub input: &'a Value,
}

/// What comes of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Allow { reason: String },
    Block { reason: String },
}

/// What the model is asked. Everything that others wrote is inside of one JSON object, which nothing in it can end.
pub fn request(call: &Call<'_>, recent: &[Message], folder: &Path) -> Request {
    let (items, left_out) = recent::items(recent);
    let question = json!({
        "folder": folder.display().to_string(),
        "call": { "tool": call.tool, "action": call.action, "input": input(call.input) },
        "earlierMessagesLeftOut": left_out,
        "recent": items,
    });
    let text = format!("{question:#}");
    let history = [Message::user(defuse_str(&text))].into_iter().collect();
    Request {
        max_output_tokens: Some(MOST_OUTPUT_TOKENS),
        thinking: Thinking::Off,
        tool_choice: ToolChoice::None,
        ..Request::new(Head::new(include_str!("system.md"), Vec::new()), history)
    }
}

/// What an answer means: a verdict only if it is that and nothing else.
pub fn verdict(answer_text: &str) -> Verdict {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Answer {
        allow: bool,
        reason: String,
    }
    let block = |why: &str| Verdict::Block { reason: format!("the classifier gave no clear verdict: {why}") };
    let text = answer_text.trim();
    if text.is_empty() {
        return block("it said nothing");
    }
    if text.len() > MOST_ANSWER_BYTES {
        return block("its answer is too long");
    }
    // A list of two values would be read as an answer, too.
    let answer = if text.starts_with('{') { serde_json::from_str::<Answer>(text).ok() } else { None };
    let Some(Answer { allow, reason }) = answer else {
        return block("its answer is not the JSON object it was asked for");
    };
    let reason = one_line(&reason, MOST_REASON_CHARS);
    match (allow, reason.is_empty()) {
        (true, true) => block("it gave no reason"),
        (false, true) => Verdict::Block { reason: "the classifier gave no reason".to_owned() },
        (true, false) => Verdict::Allow { reason },
        (false, false) => Verdict::Block { reason },
    }
}

fn input(input: &Value) -> Value {
    let text = input.to_string();
    if text.len() <= MOST_INPUT_BYTES { input.clone() } else { Value::from(middle_left_out(&text, MOST_INPUT_BYTES)) }
}

/// Both ends of a long text: the end of a command matters as much as its beginning.
fn middle_left_out(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let start = line_end(text, most / 2);
    let end = (text.len() - most / 2..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let (first, last) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    format!("{first} [{} bytes left out] {last}", end - start)
}

#[cfg(test)]
mod tests;
