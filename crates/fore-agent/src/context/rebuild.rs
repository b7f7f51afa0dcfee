//! The conversation again from the entries on disk: the same messages with the same bytes as before the restart.
//!
//! What was lost to a crash or to damage is mended so that roles alternate and every call has its result.

use super::conversation::SpokenBlock;
use crate::compaction;
use fore_model::{Arguments, Block, History, Message, ResultPart, Role, ToolResult, ToolUse};
use fore_store::entry::{Cut, Speaker, StoredMessage as Saved};
use std::collections::BTreeSet;

const LOST: &str = "The result of this call was lost.";

/// What a session goes on with.
#[derive(Debug, Default)]
pub(crate) struct RebuiltConversation {
    pub(crate) history: History,
    pub(crate) pending: Vec<Block>,
    /// What of the pending message outlives a cut.
    pub(crate) spoken: Vec<SpokenBlock>,
    /// Calls of the last answer that have no result: the program ended while they ran or waited.
    pub(crate) unanswered: Vec<ToolUse>,
}

/// Puts saved messages together again.
pub(crate) fn rebuild(cut: Option<&Cut>, conversation: &[Saved]) -> RebuiltConversation {
    let mut rebuilt = RebuiltConversation::default();
    if let Some(Cut::Compacted { summary }) = cut {
        rebuilt.pending.push(Block::text(compaction::first_message(summary)));
    }
    let mut open: Vec<ToolUse> = Vec::new();
    for saved in conversation {
        // Blocks that this version cannot read are left out rather than guessed.
        let blocks: Vec<Block> = serde_json::from_str(saved.content.get()).unwrap_or_default();
        if saved.speaker != Speaker::Model {
            let fitting: Vec<Block> = blocks.into_iter().filter(|block| fits(block, &open)).collect();
            if outlives_a_cut(saved) {
                rebuilt.spoken.extend(fitting.iter().map(|block| (saved.speaker, block.clone())));
            }
            fitting.into_iter().for_each(|block| add(&mut rebuilt.pending, block));
            continue;
        }
        if !blocks.iter().any(is_sendable) {
            continue;
        }
        mend(&mut rebuilt.pending, &open);
        if rebuilt.pending.is_empty() {
            rebuilt.pending.push(Block::text("(What was said here was lost.)"));
        }
        let said = std::mem::take(&mut rebuilt.pending);
        rebuilt.spoken.clear();
        rebuilt.history.push(Message { role: Role::User, blocks: said });
        open = blocks.iter().filter_map(call).collect();
        rebuilt.history.push(Message::assistant(blocks));
    }
    let answered = results(&rebuilt.pending);
    rebuilt.unanswered = open.into_iter().filter(|call| !answered.contains(&call.id)).collect();
    rebuilt
}

/// Results stand before all other words of their message, also where something was said while a call waited.
fn add(pending: &mut Vec<Block>, block: Block) {
    let place = match block {
        Block::ToolResult(_) => pending.iter().take_while(|block| matches!(block, Block::ToolResult(_))).count(),
        Block::Text(_) | Block::Image(_) | Block::ToolUse(_) | Block::Reasoning(_) => pending.len(),
    };
    pending.insert(place, block);
}

/// The person's words and what they did, but not the program's reminders nor the plan, which are made anew.
fn outlives_a_cut(saved: &Saved) -> bool {
    match saved.speaker {
        Speaker::Human => true,
        Speaker::Program => !saved.meta && saved.plan.is_none(),
        Speaker::Model | Speaker::Tool => false,
    }
}

fn call(block: &Block) -> Option<ToolUse> {
    match block {
        Block::ToolUse(call) => Some(call.clone()),
        Block::Text(_) | Block::Image(_) | Block::ToolResult(_) | Block::Reasoning(_) => None,
    }
}

/// Whether an answer has something that can be sent back.
pub(crate) fn is_sendable(block: &Block) -> bool {
    match block {
        Block::Text(text) => !text.text.is_empty(),
        Block::ToolUse(_) | Block::Image(_) => true,
        Block::ToolResult(_) | Block::Reasoning(_) => false,
    }
}

/// A result belongs to a call of the last answer; everything else fits anywhere.
fn fits(block: &Block, open: &[ToolUse]) -> bool {
    match block {
        Block::ToolResult(result) => open.iter().any(|call| call.id == result.id),
        Block::Text(_) | Block::Image(_) => true,
        Block::ToolUse(_) | Block::Reasoning(_) => false,
    }
}

fn results(blocks: &[Block]) -> BTreeSet<String> {
    let id = |block: &Block| match block {
        Block::ToolResult(result) => Some(result.id.clone()),
        Block::Text(_) | Block::Image(_) | Block::ToolUse(_) | Block::Reasoning(_) => None,
    };
    blocks.iter().filter_map(id).collect()
}

/// Gives every call of the last answer a result.
fn mend(pending: &mut Vec<Block>, open: &[ToolUse]) {
    let answered = results(pending);
    for call in open.iter().filter(|call| !answered.contains(&call.id)) {
        let content = vec![ResultPart::Text(LOST.to_owned())];
        let result = ToolResult { id: call.id.clone(), name: call.name.clone(), content, is_error: true };
        add(pending, Block::ToolResult(result));
    }
}

/// Whether a call could be read at all.
pub(crate) fn input_of(call: &ToolUse) -> Option<&serde_json::Value> {
    match &call.arguments {
        Arguments::Ok(input) => Some(input),
        Arguments::Broken { .. } => None,
    }
}
