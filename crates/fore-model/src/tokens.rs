//! Counts tokens where no server did: always an estimate, always with bounds, always said to be one.

use crate::block::{Block, Message, ResultPart};
use crate::request::RequestHead;

/// A number of tokens and how it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum TokenCount {
    /// A server counted.
    Reported(u64),
    /// Nobody counted. The true number is not above `at_most` for tokenizers that work on bytes, as all known ones do.
    Estimated { likely: u64, at_most: u64 },
}

impl TokenCount {
    /// The best guess, or what was counted.
    #[must_use]
    pub fn likely(self) -> u64 {
        match self {
            Self::Reported(tokens) => tokens,
            Self::Estimated { likely, .. } => likely,
        }
    }
}

/// Four ASCII bytes or one other character make about a token; code and non-Latin scripts come out a little high, on purpose.
pub(crate) fn estimate_text(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    let others = text.chars().filter(|character| !character.is_ascii()).count() as u64;
    ascii.div_ceil(4) + others
}

/// Pictures cost by size; no protocol charges more than about this for one.
const IMAGE_TOKENS: u64 = 1_600;
/// Roles, ids and braces around each block.
const BLOCK_TOKENS: u64 = 6;

/// Likely tokens of a message, and bytes that no tokenizer makes more tokens of.
pub(crate) fn estimate_message(message: &Message) -> (u64, u64) {
    let text = |text: &str| (estimate_text(text), text.len() as u64);
    let sum = |parts: &[(u64, u64)]| {
        parts.iter().fold((0_u64, 0_u64), |(likely, most), part| (likely + part.0, most + part.1))
    };
    let of_block = |block: &Block| match block {
        Block::Text(words) => text(&words.text),
        Block::Image(_) => (IMAGE_TOKENS, IMAGE_TOKENS),
        Block::ToolUse(call) => sum(&[text(&call.name), text(&call.arguments.object().to_string())]),
        Block::Reasoning(reasoning) => text(&reasoning.text),
        Block::ToolResult(result) => result.content.iter().fold((0, 0), |held, piece| {
            sum(&[
                held,
                match piece {
                    ResultPart::Text(words) => text(words),
                    ResultPart::Image(_) => (IMAGE_TOKENS, IMAGE_TOKENS),
                },
            ])
        }),
    };
    let frame = (BLOCK_TOKENS, BLOCK_TOKENS);
    message.blocks.iter().fold((0, 0), |held, block| sum(&[held, frame, of_block(block)]))
}

pub(crate) fn estimate_head(head: &RequestHead) -> (u64, u64) {
    let tools = head.tools.iter().map(|tool| {
        let words = format!("{} {} {}", tool.name, tool.description, tool.parameters);
        (estimate_text(&words) + BLOCK_TOKENS, words.len() as u64 + BLOCK_TOKENS)
    });
    tools.fold((estimate_text(&head.system), head.system.len() as u64), |held, tool| (held.0 + tool.0, held.1 + tool.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_estimated_from_all_of_its_parts() {
        let history = [Message::user("12345678"), Message::user("1234")].into_iter().collect();
        let request = crate::ModelRequest::new(RequestHead::new("12345", vec![]), history);
        let expected = TokenCount::Estimated { likely: 2 + (6 + 2) + (6 + 1), at_most: 5 + (6 + 8) + (6 + 4) };
        assert_eq!(request.estimated_tokens(), expected);
    }
}
