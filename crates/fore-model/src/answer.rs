//! Folds the events of one answer into a message; also what a cut stream left behind.

use std::collections::BTreeMap;

use crate::block::{Arguments, Block, Message, Reasoning, TextBlock, ToolUse};
use crate::event::{EventKind, StopReason, Usage};

/// An answer as far as it arrived.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The model the server says it used.
    pub served: Option<String>,
    /// Tokens as counted last, if the server counted them.
    pub usage: Option<Usage>,
    /// Why the model ended, once it said so.
    pub stop: Option<StopReason>,
    /// Whether the terminal event was seen.
    pub complete: bool,
    blocks: BTreeMap<u32, Block>,
}

impl Answer {
    /// Adds one event. Events in any order of blocks are fine; a delta for a block of another kind is dropped.
    pub fn apply(&mut self, event: &EventKind) {
        match event {
            EventKind::Started { served } => self.served = Some(served.clone()),
            EventKind::PromptRead { .. } => {}
            EventKind::TextDelta { block, text } => {
                let entry = self.blocks.entry(*block).or_insert_with(|| Block::text(""));
                if let Block::Text(held) = entry {
                    held.text.push_str(text);
                }
            }
            EventKind::TextFinished { block, seal } => {
                let entry = self
                    .blocks
                    .entry(*block)
                    .or_insert_with(|| Block::Text(TextBlock { text: String::new(), seal: None }));
                if let Block::Text(held) = entry {
                    held.seal.clone_from(seal);
                }
            }
            EventKind::ReasoningDelta { block, text } => {
                if let Block::Reasoning(held) = self.reasoning(*block) {
                    held.text.push_str(text);
                }
            }
            EventKind::ReasoningFinished { block, seal } => {
                if let Block::Reasoning(held) = self.reasoning(*block) {
                    held.seal.clone_from(seal);
                }
            }
            EventKind::ToolCallStarted { block, id, name } => {
                let arguments =
                    Arguments::Broken { raw: String::new(), why: "the stream ended inside the call".into() };
                let call = ToolUse { id: id.clone(), name: name.clone(), arguments, seal: None };
                self.blocks.insert(*block, Block::ToolUse(call));
            }
            EventKind::ArgumentsDelta { block, json } => {
                if let Some(Block::ToolUse(ToolUse { arguments: Arguments::Broken { raw, .. }, .. })) =
                    self.blocks.get_mut(block)
                {
                    raw.push_str(json);
                }
            }
            EventKind::ToolCallFinished { block, call } => {
                self.blocks.insert(*block, Block::ToolUse(call.clone()));
            }
            EventKind::Usage(usage) if usage.is_counted() => self.usage = Some(*usage),
            EventKind::Usage(_) => {}
            EventKind::Stopped(reason) => self.stop = Some(reason.clone()),
            EventKind::Done => self.complete = true,
        }
    }

    fn reasoning(&mut self, block: u32) -> &mut Block {
        self.blocks.entry(block).or_insert_with(|| Block::Reasoning(Reasoning { text: String::new(), seal: None }))
    }

    /// The calls the model makes.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolUse> {
        self.blocks.values().filter_map(|block| match block {
            Block::ToolUse(call) => Some(call),
            Block::Text(_) | Block::Image(_) | Block::ToolResult(_) | Block::Reasoning(_) => None,
        })
    }

    /// What the model says to people, in one piece.
    #[must_use]
    pub fn text(&self) -> String {
        self.blocks
            .values()
            .filter_map(|block| match block {
                Block::Text(text) => Some(text.text.as_str()),
                Block::Image(_) | Block::ToolUse(_) | Block::ToolResult(_) | Block::Reasoning(_) => None,
            })
            .collect()
    }

    /// The message to append to the history.
    #[must_use]
    pub fn into_message(self) -> Message {
        Message::assistant(self.blocks.into_values().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_call_is_kept_as_broken_arguments() {
        let mut answer = Answer::default();
        answer.apply(&EventKind::TextDelta { block: 0, text: "let me ".into() });
        answer.apply(&EventKind::TextDelta { block: 0, text: "look".into() });
        answer.apply(&EventKind::ToolCallStarted { block: 1, id: "a".into(), name: "Read".into() });
        answer.apply(&EventKind::ArgumentsDelta { block: 1, json: "{\"pa".into() });
        let broken = Arguments::Broken { raw: "{\"pa".into(), why: "the stream ended inside the call".into() };
        assert_eq!(
            answer.into_message(),
            Message::assistant(vec![
                Block::text("let me look"),
                Block::ToolUse(ToolUse { id: "a".into(), name: "Read".into(), arguments: broken, seal: None }),
            ])
        );
    }
}
