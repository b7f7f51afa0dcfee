//! Summarising a history, the pure part: what a model is asked, what comes of its answer, and how a history that is too
//! long even for that is shortened. Nothing here calls a model or touches a transcript.

mod by_program;
mod pairs;
mod shrink;

pub(crate) use by_program::by_program;
pub(crate) use shrink::shrink;

use fore_model::{History, Message, ModelRequest, RequestHead, ToolChoice};
use fore_plan::reminder::defuse_str;
use fore_text::cut;
use std::sync::Arc;

/// Of a summary; a longer one is cut.
pub(crate) const MAX_SUMMARY_BYTES: usize = 48 * 1024;
/// Of what the person wants kept.
const MAX_KEEP_BYTES: usize = 4 * 1024;
const MAX_OUTPUT_TOKENS: u32 = 16_384;
const CUT: &str = "\n(the summary was longer and is cut here)";
const FIRST: &str = include_str!("first.md");

/// Asks for a summary of a history. The head is that of the session, so that the provider's cache still serves it.
pub(crate) fn request(history: &History, head: Arc<RequestHead>, keep: &str) -> ModelRequest {
    let mut words = include_str!("prompt.md").to_owned();
    let keep = keep.trim();
    let keep = cut::whole_lines(keep, MAX_KEEP_BYTES);
    if !keep.is_empty() {
        words.push_str(&format!("\nThe person wants this kept in particular:\n{keep}\n"));
    }
    let mut asked = pairs::sound(history);
    asked.push(Message::user(words));
    ModelRequest {
        max_output_tokens: Some(MAX_OUTPUT_TOKENS),
        tool_choice: ToolChoice::None,
        ..ModelRequest::new(head, asked)
    }
}

/// The summary in an answer: bounded and defused. None if there is none; the history then stays as it is.
pub(crate) fn summary(answer_text: &str) -> Option<String> {
    let text = defuse_str(answer_text.trim());
    let kept = cut::whole_lines(&text, MAX_SUMMARY_BYTES);
    let note = if kept.len() < text.len() { CUT } else { "" };
    let kept = kept.trim_end();
    (!kept.is_empty()).then(|| format!("{kept}{note}"))
}

/// The words with which the new context begins.
pub(crate) fn first_message(summary: &str) -> String {
    format!("{FIRST}{}\n", summary.trim())
}

/// Whether a text of the user's role is such a beginning and not the person's own words.
pub(crate) fn is_first_message(text: &str) -> bool {
    text.starts_with(FIRST.trim_end())
}

#[cfg(test)]
mod tests;
