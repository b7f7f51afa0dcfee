//! Markdown that is still being written: what can no longer change is given once, the rest is drawn again and again.
//!
//! The cost of a piece of text and of a frame depends on the open block alone, and that is bounded. The lines are those of
//! [`super::markdown`], which goes the same way, but for its bounds: a stream is not cut, and all its code has colours.

use super::{MAX_LINE_BYTES, Rendered, block::BlockParser, draw::Painter, sanitize};
use crate::theme::Theme;
use fore_text::cut;
use ratatui::text::Line;

/// Lines of the unfinished part that are drawn: its end.
pub(crate) const MAX_LIVE_LINES: usize = 40;

/// A text that comes in pieces, cut anywhere.
#[derive(Clone, Debug, Default)]
pub(crate) struct MarkdownStream {
    /// The line that has not ended yet.
    partial: String,
    /// Parts of that line were read already.
    is_inside: bool,
    blocks: BlockParser,
    painter: Painter,
}

impl MarkdownStream {
    /// Takes the next piece.
    pub(crate) fn push(&mut self, delta: &str) {
        for placed in delta.split_inclusive('\n') {
            self.partial.push_str(placed.strip_suffix('\n').unwrap_or(placed));
            while self.partial.len() > MAX_LINE_BYTES {
                let rest = self.partial.split_off(cut::bytes(&self.partial, MAX_LINE_BYTES).len());
                let part = std::mem::replace(&mut self.partial, rest);
                self.read(&part);
                self.is_inside = true;
            }
            if placed.ends_with('\n') {
                let line = std::mem::take(&mut self.partial);
                self.end_line(&line);
            }
        }
    }

    /// Lines of what can no longer change, once.
    pub(crate) fn take_finished(&mut self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut rendered = Rendered::default();
        for placed in self.blocks.take() {
            self.painter.leaf(&placed, width, theme, &mut rendered);
        }
        rendered.lines
    }

    /// The unfinished part as it looks now: at most its last [`MAX_LIVE_LINES`] lines. What [`MarkdownStream::take_finished`]
    /// would give is part of it until it is taken.
    pub(crate) fn live(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let mut now = self.clone();
        if is_only_a_beginning(&now.partial) {
            now.partial.clear();
        }
        let mut lines = now.finish(width, theme);
        let first = lines.len().saturating_sub(MAX_LIVE_LINES);
        lines.split_off(first)
    }

    /// Nothing more comes: the lines that were not given yet.
    pub(crate) fn finish(&mut self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        if !self.partial.is_empty() {
            let line = std::mem::take(&mut self.partial);
            self.end_line(&line);
        }
        self.blocks.finish();
        self.take_finished(width, theme)
    }

    fn end_line(&mut self, line: &str) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if !(self.is_inside && line.is_empty()) {
            self.read(line);
        }
        self.is_inside = false;
    }

    fn read(&mut self, part: &str) {
        let part = sanitize(part);
        if self.is_inside { self.blocks.push_rest(&part) } else { self.blocks.push(&part) }
    }
}

/// Signs that begin a block say nothing alone, and may still become another one: `-` an item, a rule or a heading.
fn is_only_a_beginning(line: &str) -> bool {
    let signs = line.trim();
    signs.len() <= 4
        && signs.chars().all(|letter| matches!(letter, '-' | '=' | '*' | '_' | '#' | '>' | '`' | '~' | '+' | '|'))
}
