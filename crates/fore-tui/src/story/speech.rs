//! Words of the model on their way to the screen, a few at a time: however much comes at once, a frame has a bound.

use super::{BlockFold, StoryBlock, draw::BlockStyle};
use crate::{paint::MarkdownStream, theme::Theme};
use fore_text::cut;
use ratatui::text::Line;
use std::sync::Arc;

/// Bytes that are drawn at once: the least work of a frame.
const STEP_BYTES: usize = 1 << 10;
/// Words that are longer are printed step by step.
const LONG_BYTES: usize = 16 * STEP_BYTES;
/// Bytes that are still printed of words that were stopped.
const MAX_LAST_BYTES: usize = 4 << 10;

/// Words that are still coming.
#[derive(Debug, Default)]
pub(super) struct Speech {
    pub(super) text: String,
    reader: Reader,
}

/// Words that have all come.
#[derive(Debug)]
pub(super) struct Rest {
    said: Arc<StoryBlock>,
    reader: Reader,
}

/// How far a text was read, and what that looks like.
#[derive(Debug, Default)]
struct Reader {
    bytes: usize,
    stream: MarkdownStream,
}

impl Reader {
    fn read_on(&mut self, text: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let unread = text.get(self.bytes..).unwrap_or_default();
        let step = cut::bytes(unread, STEP_BYTES);
        self.bytes += step.len();
        self.stream.push(step);
        self.stream.take_finished(width, theme)
    }
}

impl Speech {
    /// A speech of which nothing is printed.
    pub(super) fn of(text: &str) -> Speech {
        Speech { text: text.to_owned(), reader: Reader::default() }
    }

    /// What was given to be printed, but for an end that may still change.
    pub(super) fn read(&self) -> &str {
        self.text.get(..self.reader.bytes).unwrap_or_default()
    }

    pub(super) fn unread(&self) -> &str {
        self.text.get(self.reader.bytes..).unwrap_or_default()
    }

    /// Reads a few words more: the lines of those that can no longer change.
    pub(super) fn read_on(&mut self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        self.reader.read_on(&self.text, width, theme)
    }

    /// The end as it looks now. Of much that was not read yet nothing is seen.
    pub(super) fn live(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let unread = self.unread();
        if unread.is_empty() || unread.len() > MAX_LAST_BYTES {
            return self.reader.stream.live(width, theme);
        }
        let mut stream = self.reader.stream.clone();
        stream.push(unread);
        stream.live(width, theme)
    }

    /// Nothing more comes.
    pub(super) fn end(self) -> Rest {
        Rest { said: Arc::new(StoryBlock::Said { text: self.text, stopped_at: None }), reader: self.reader }
    }
}

impl Rest {
    /// A block of words that is too long to be printed at once.
    pub(super) fn of_long(block: &Arc<StoryBlock>) -> Option<Rest> {
        match &**block {
            StoryBlock::Said { text, stopped_at: None } if text.len() > LONG_BYTES => {
                Some(Rest { said: Arc::clone(block), reader: Reader::default() })
            }
            _ => None,
        }
    }

    pub(super) fn block(&self) -> &Arc<StoryBlock> {
        &self.said
    }

    /// The words that are printed: all, or those before they were stopped.
    fn text(&self) -> &str {
        match &*self.said {
            StoryBlock::Said { text, stopped_at } => text.get(..stopped_at.unwrap_or(text.len())).unwrap_or_default(),
            _ => "",
        }
    }

    pub(super) fn read(&self) -> &str {
        self.text().get(..self.reader.bytes).unwrap_or_default()
    }

    pub(super) fn unread(&self) -> &str {
        self.text().get(self.reader.bytes..).unwrap_or_default()
    }

    pub(super) fn read_on(&mut self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let said = Arc::clone(&self.said);
        match &*said {
            StoryBlock::Said { text, .. } => self.reader.read_on(text, width, theme),
            _ => Vec::new(),
        }
    }

    /// The lines of what was read and not given, and how much is left out.
    pub(super) fn finish(&mut self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut lines = self.reader.stream.finish(width, theme);
        if let StoryBlock::Said { text, stopped_at: Some(at) } = &*self.said {
            let style = BlockStyle { fold: BlockFold::Folded, width, theme };
            lines.push(style.more(lines_after(text, *at), "more", width));
        }
        lines
    }

    /// The turn was stopped: unless they are few, no more of these words are printed, which the block then says. Whether it
    /// is another block now.
    pub(super) fn stop(&mut self) -> bool {
        let (at, is_much) = (self.reader.bytes, self.unread().len() > MAX_LAST_BYTES);
        if is_much && let StoryBlock::Said { stopped_at, .. } = Arc::make_mut(&mut self.said) {
            *stopped_at = Some(at);
        }
        is_much
    }
}

/// Lines that begin behind a place in a text.
pub(super) fn lines_after(text: &str, at: usize) -> usize {
    text.get(at..).unwrap_or_default().lines().count()
}
