//! What is left of a history when no model can summarise it: the person's prompts and the newest steps, put together by the program.

use super::pairs::has_results;
use super::shrink::{arguments, shortened};
use fore_model::{Block, History, Message, ResultPart, Role};
use fore_plan::reminder::defuse_str;
use fore_text::cut;

/// Of one prompt of the person, in lines that are whole.
const MAX_PROMPT_BYTES: usize = 4 * 1024;
/// The share of the room that prompts may take: one in so many.
const PROMPT_SHARE: usize = 2;
/// Of the arguments and of the result of one step.
const MAX_STEP_BYTES: usize = 400;
const REMINDER: &str = "<system-reminder>";

/// A text of about so many bytes. Old results go first, then old steps; what the person asked stays.
pub(crate) fn by_program(history: &History, bytes: usize) -> String {
    let messages: Vec<Message> = (0..history.len()).filter_map(|at| history.get(at)).collect();
    let prompts = prompts(&messages, bytes / PROMPT_SHARE);
    let mut text = format!(
        "No model could summarise the conversation, so this is a list.\n\n## What the person asked, in order\n{prompts}"
    );
    let mut steps: Vec<String> = Vec::new();
    let mut room = bytes.saturating_sub(text.len());
    for message in messages.iter().rev() {
        let step = step(message);
        let Some(left) = room.checked_sub(step.len()) else { break };
        room = left;
        steps.push(step);
    }
    steps.reverse();
    text.push_str("\n## The newest steps\n");
    text.push_str(&steps.concat());
    text
}

/// The words of the person: neither reminders nor results.
fn prompts(messages: &[Message], bytes: usize) -> String {
    let is_theirs = |text: &str| !text.trim_start().starts_with(REMINDER) && !text.trim().is_empty();
    let texts: Vec<String> = messages
        .iter()
        .filter(|message| message.role == Role::User)
        .flat_map(|message| &message.blocks)
        .filter_map(|block| match block {
            Block::Text(text) if is_theirs(&text.text) => {
                let text = text.text.trim();
                let text = if super::is_first_message(text) {
                    "(an earlier summary)\n".to_owned() + text
                } else {
                    text.to_owned()
                };
                Some(format!("- {}\n", shortened(&text, MAX_PROMPT_BYTES.min(bytes.max(1)))))
            }
            Block::Text(_) | Block::Image(_) | Block::ToolUse(_) | Block::ToolResult(_) | Block::Reasoning(_) => None,
        })
        .collect();
    // The newest are worth most; of many only these stay.
    let mut room = bytes;
    let kept: Vec<&String> = texts
        .iter()
        .rev()
        .take_while(|text| {
            let fits = text.len() <= room;
            room = room.saturating_sub(text.len());
            fits
        })
        .collect();
    let left_out = texts.len() - kept.len();
    let note = if left_out > 0 { format!("- ({left_out} earlier prompts are left out)\n") } else { String::new() };
    note + &kept.into_iter().rev().map(String::as_str).collect::<String>()
}

fn text_of(parts: &[ResultPart]) -> String {
    let text = |part: &ResultPart| match part {
        ResultPart::Text(text) => text.clone(),
        ResultPart::Image(_) => "[a picture]".to_owned(),
    };
    parts.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// What a message did, in a few lines.
fn step(message: &Message) -> String {
    let line =
        |text: &str| cut::whole_lines(&shortened(text.trim(), MAX_STEP_BYTES), 2 * MAX_STEP_BYTES).trim().to_owned();
    let of_block = |block: &Block| match block {
        Block::Text(text) if message.role == Role::Assistant && !text.text.trim().is_empty() => {
            format!("You said: {}\n", line(&text.text))
        }
        Block::ToolUse(call) => format!("You called {} {}\n", call.name, line(&arguments(&call.arguments))),
        Block::ToolResult(result) if has_results(message) => {
            let how = if result.is_error { "failed" } else { "gave" };
            format!("{} {how}: {}\n", result.name, line(&text_of(&result.content)))
        }
        Block::Text(_) | Block::Image(_) | Block::ToolResult(_) | Block::Reasoning(_) => String::new(),
    };
    defuse_str(&message.blocks.iter().map(of_block).collect::<String>()).into_owned()
}
