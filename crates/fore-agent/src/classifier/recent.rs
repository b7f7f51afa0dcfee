//! The end of a conversation as the classifier sees it: who said what, without what tools returned, because foreign text
//! comes in there.

use super::middle_left_out;
use crate::compaction;
use fore_model::{Arguments, Block, Message, Role};
use serde_json::{Value, json};

const MAX_BYTES: usize = 32 * 1024;
const MAX_ITEM_BYTES: usize = 4 * 1024;
const MAX_MESSAGES: usize = 40;
/// How reminders begin. Foreign text cannot begin so: it was defused.
const REMINDER: &str = "<system-reminder>";

/// What was said last, oldest first, and how many messages are not shown.
pub(super) fn items(recent: &[Message]) -> (Vec<Value>, usize) {
    let mut shown: Vec<Vec<Value>> = Vec::new();
    let mut bytes = 0;
    for message in recent.iter().rev().take(MAX_MESSAGES) {
        let items: Vec<Value> = message.blocks.iter().filter_map(|block| item(message.role, block)).collect();
        let size: usize = items.iter().map(|item| item.to_string().len()).sum();
        if bytes + size > MAX_BYTES {
            break;
        }
        bytes += size;
        shown.push(items);
    }
    let left_out = recent.len() - shown.len();
    (shown.into_iter().rev().flatten().collect(), left_out)
}

fn item(role: Role, block: &Block) -> Option<Value> {
    let cut = |text: &str| middle_left_out(text, MAX_ITEM_BYTES);
    match (role, block) {
        (Role::User, Block::Text(text)) if text.text.starts_with(REMINDER) => None,
        (Role::User, Block::Text(text)) if compaction::is_first_message(&text.text) => {
            Some(json!({ "from": "summary", "says": cut(&text.text) }))
        }
        (Role::User, Block::Text(text)) => Some(json!({ "from": "person", "says": cut(&text.text) })),
        (Role::Assistant, Block::Text(text)) => Some(json!({ "from": "agent", "says": cut(&text.text) })),
        (_, Block::ToolUse(call)) => {
            let with = match &call.arguments {
                Arguments::Ok(value) => value.to_string(),
                Arguments::Broken { raw, .. } => raw.clone(),
            };
            Some(json!({ "from": "agent", "calls": call.name, "with": cut(&with) }))
        }
        (_, Block::Image(_) | Block::ToolResult(_) | Block::Reasoning(_)) => None,
    }
}
