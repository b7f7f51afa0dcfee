//! Shortens a history that is too long to be summarised: the first words of the person and the newest messages stay.

use super::pairs::{has_results, repaired};
use crate::document::grouped;
use fore_model::{Arguments, Block, History, Message, ResultPart, Role};
use fore_text::cut;
use serde_json::json;

/// Roles, ids and braces around each block.
const BLOCK_BYTES: usize = 96;
/// The share of the bound that the first message may have: one in so many.
const FIRST_SHARE: usize = 4;
/// The least that is left of a text that is cut.
const MIN_TEXT_BYTES: usize = 200;

/// The same history if it has at most so many bytes; else its first message of the person and as many of the newest as
/// fit, calls and results in pairs. Old texts are left out before new ones are cut.
pub(crate) fn shrink(history: &History, bytes: usize) -> History {
    let messages: Vec<Message> = (0..history.len()).filter_map(|at| history.get(at)).collect();
    if messages.iter().map(size).sum::<usize>() <= bytes {
        return history.clone();
    }
    let first_at = messages.iter().position(|message| message.role == Role::User && !has_results(message));
    let first = first_at.and_then(|at| messages.get(at)).map(|message| cut_message(message, bytes / FIRST_SHARE));
    let rest = messages.get(first_at.map_or(0, |at| at + 1)..).unwrap_or_default();
    let room = bytes.saturating_sub(first.as_ref().map_or(0, size)).saturating_sub(BLOCK_BYTES * 3);
    let newest = newest(rest, room);
    let left_out = messages.len() - newest.len() - usize::from(first.is_some());
    let note = format!("[{} messages are left out here]", grouped(left_out as u64));
    let mut first = first.unwrap_or(Message { role: Role::User, blocks: Vec::new() });
    if left_out > 0 {
        first.blocks.push(Block::text(note));
    }
    let whole = [vec![first], newest].concat();
    repaired(whole.into_iter().filter(|message| !message.blocks.is_empty()).collect()).into_iter().collect()
}

/// The newest messages that fit. A call and its results stay or go together; the newest of all are cut if they must be.
fn newest(messages: &[Message], room: usize) -> Vec<Message> {
    let mut start = messages.len();
    let mut held = 0;
    while start > 0 {
        let begin = group_start(messages, start - 1);
        let group = messages.get(begin..start).unwrap_or_default();
        let bytes: usize = group.iter().map(size).sum();
        if held + bytes > room {
            return if held == 0 { cut_group(group, room) } else { messages.get(start..).unwrap_or_default().to_vec() };
        }
        held += bytes;
        start = begin;
    }
    messages.to_vec()
}

/// Where the group of a message begins: results belong to the message before them.
fn group_start(messages: &[Message], mut at: usize) -> usize {
    while at > 0 && messages.get(at).is_some_and(has_results) {
        at -= 1;
    }
    at
}

/// A group that does not fit, with every text cut to its share; nothing if even that is too long.
fn cut_group(group: &[Message], room: usize) -> Vec<Message> {
    let share = room / group.len().max(1);
    let messages: Vec<Message> = group.iter().map(|message| cut_message(message, share)).collect();
    if messages.iter().map(size).sum::<usize>() <= room { messages } else { Vec::new() }
}

/// A message of about so many bytes: long texts are cut, pictures become words. Reasoning is sealed and stays.
fn cut_message(message: &Message, most: usize) -> Message {
    if size(message) <= most {
        return message.clone();
    }
    let count = message.blocks.len().max(1);
    let each = (most / count).saturating_sub(BLOCK_BYTES).max(MIN_TEXT_BYTES);
    Message { role: message.role, blocks: message.blocks.iter().map(|block| cut_block(block, each)).collect() }
}

fn cut_block(block: &Block, most: usize) -> Block {
    match block {
        Block::Text(text) if text.text.len() > most => Block::text(shortened(&text.text, most)),
        Block::Image(_) => Block::text("[a picture is left out here]"),
        Block::ToolUse(call) => {
            let mut call = call.clone();
            let text = arguments(&call.arguments);
            if text.len() > most {
                call.arguments = Arguments::Ok(json!({ "cut": shortened(&text, most) }));
            }
            Block::ToolUse(call)
        }
        Block::ToolResult(result) => {
            let mut result = result.clone();
            let each = most / result.content.len().max(1);
            for piece in &mut result.content {
                *piece = match piece {
                    ResultPart::Text(text) => ResultPart::Text(shortened(text, each)),
                    ResultPart::Image(_) => ResultPart::Text("[a picture is left out here]".to_owned()),
                };
            }
            Block::ToolResult(result)
        }
        Block::Text(_) | Block::Reasoning(_) => block.clone(),
    }
}

pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let note = |left: usize| format!("[{} bytes are left out here]", grouped(left as u64));
    let kept = cut::whole_lines(text, most.saturating_sub(note(text.len()).len()));
    format!("{kept}{}", note(text.len() - kept.len()))
}

pub(super) fn arguments(arguments: &Arguments) -> String {
    match arguments {
        Arguments::Ok(value) => value.to_string(),
        Arguments::Broken { raw, .. } => raw.clone(),
    }
}

/// About how many bytes a message takes in a request.
pub(super) fn size(message: &Message) -> usize {
    let of_piece = |piece: &ResultPart| match piece {
        ResultPart::Text(text) => text.len(),
        ResultPart::Image(image) => image.base64.len(),
    };
    let of_block = |block: &Block| match block {
        Block::Text(text) => text.text.len(),
        Block::Image(image) => image.base64.len(),
        Block::ToolUse(call) => call.name.len() + arguments(&call.arguments).len(),
        Block::ToolResult(result) => result.content.iter().map(of_piece).sum(),
        Block::Reasoning(reasoning) => {
            reasoning.text.len() + reasoning.seal.as_ref().map_or(0, |seal| seal.data.to_string().len())
        }
    };
    message.blocks.iter().map(|block| of_block(block) + BLOCK_BYTES).sum()
}
