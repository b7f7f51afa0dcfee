//! Takes the person's last prompt back: what the model sees ends before it. Mode, plans, approvals and files stay.

use super::shown_message::ShownMessage;
use crate::session::{
    drive::Driver,
    open::{CRASHED, failed},
};
use crate::{
    control::todo_write,
    event::{Event, NoticeLevel},
};
use fore_model::Block;
use fore_store::entry::{Speaker, StoredMessage};

impl Driver {
    pub(crate) fn rewind(&mut self) {
        let context = std::sync::Arc::clone(&self.context);
        if !context.ledger.session().may_rewind() {
            let text =
                "There is no prompt to go back to: what came before was summarised or cleared, or nothing was said.";
            return context.person.notice(NoticeLevel::Warning, text);
        }
        self.take_request_back();
        let taken = context.ledger.session().rewind();
        let taken = match taken {
            Ok(taken) => taken.unwrap_or_default(),
            Err(error) => return context.person.notice(NoticeLevel::Error, format!("Nothing was taken back: {error}")),
        };
        for call in self.read_again() {
            self.record_late(failed(&call, CRASHED));
        }
        // What was read since then has to be read again.
        context.forget_what_was_read();
        let todos = context.ledger.session().todos().to_vec();
        for remark in remarks(&taken) {
            self.add_spoken(Speaker::Program, Block::text(remark), Some(&ShownMessage::Nothing));
        }
        // A conversation that begins anew is told the list anyway.
        if !todos.is_empty() && !self.conversation.is_new() {
            context.person.prompts().remind(todo_write::reminder(&todos));
        }
        let words = taken.iter().find(|message| message.is_prompt()).map(typed);
        let text = words.unwrap_or_default();
        context.person.events.send(Event::Rewound { text });
    }
}

/// What the person did themselves, such as a command of their own: that was done, whatever was said.
fn remarks(taken: &[StoredMessage]) -> Vec<String> {
    let is_remark =
        |message: &&StoredMessage| message.speaker == Speaker::Program && !message.meta && message.plan.is_none();
    taken.iter().filter(is_remark).flat_map(texts).collect()
}

/// What the person typed: of a custom command its line, not the prompt that it became.
fn typed(message: &StoredMessage) -> String {
    match message.shown.as_deref().and_then(ShownMessage::from_raw) {
        Some(ShownMessage::Typed(line)) => line,
        Some(ShownMessage::Said(_) | ShownMessage::Call(_) | ShownMessage::Nothing) | None => texts(message).join("\n"),
    }
}

/// The texts of a message.
pub(crate) fn texts(message: &StoredMessage) -> Vec<String> {
    let blocks: Vec<Block> = serde_json::from_str(message.content.get()).unwrap_or_default();
    let text = |block: Block| match block {
        Block::Text(text) => Some(text.text),
        Block::Image(_) | Block::ToolUse(_) | Block::ToolResult(_) | Block::Reasoning(_) => None,
    };
    blocks.into_iter().filter_map(text).collect()
}
