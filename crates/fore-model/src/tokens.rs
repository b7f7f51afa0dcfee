//! Counts tokens where no server did: always an estimate, always with bounds, always said to be one.

use crate::block::{Block, Message, Piece};
use crate::event::Usage;

/// A number of tokens and how it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenCount {
    /// A server counted.
    Reported(u64),
    /// Nobody counted. The true number is not above `at_most` for tokenizers that work on bytes, as all known ones do.
    Estimated { likely: u64, at_most: u64 },
}

impl TokenCount {
    #[must_use]
    pub fn likely(self) -> u64 {
        match self {
            Self::Reported(tokens) => tokens,
            Self::Estimated { likely, .. } => likely,
        }
    }

    #[must_use]
    pub fn of_usage(usage: &Usage) -> Self {
        Self::Reported(usage.total())
    }

    #[must_use]
    pub fn of_text(text: &str) -> Self {
        Self::Estimated { likely: estimate_text(text), at_most: text.len() as u64 }
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

pub(crate) fn estimate_message(message: &Message) -> u64 {
    message
        .blocks
        .iter()
        .map(|block| {
            BLOCK_TOKENS
                + match block {
                    Block::Text(text) => estimate_text(&text.text),
                    Block::Image(_) => IMAGE_TOKENS,
                    Block::ToolUse(call) => {
                        estimate_text(&call.name) + estimate_text(&call.arguments.object().to_string())
                    }
                    Block::Reasoning(reasoning) => estimate_text(&reasoning.text),
                    Block::ToolResult(result) => result
                        .content
                        .iter()
                        .map(|piece| match piece {
                            Piece::Text(text) => estimate_text(text),
                            Piece::Image(_) => IMAGE_TOKENS,
                        })
                        .sum(),
                }
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_says_that_it_is_one_and_stays_within_its_bound() {
        assert_eq!(TokenCount::of_text("hello world!"), TokenCount::Estimated { likely: 3, at_most: 12 });
        assert_eq!(TokenCount::of_text("日本語"), TokenCount::Estimated { likely: 3, at_most: 9 });
        assert_eq!(TokenCount::of_text(""), TokenCount::Estimated { likely: 0, at_most: 0 });
        let usage = Usage { input: 7, output: 2, ..Usage::default() };
        assert_eq!(TokenCount::of_usage(&usage), TokenCount::Reported(9));
    }
}
