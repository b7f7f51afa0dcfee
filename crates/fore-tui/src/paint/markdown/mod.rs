//! Markdown as styled lines, whole or while it streams. Nothing in the text is hidden: what is not understood is shown as text.

mod block;
mod draw;
mod inline;
mod leaf;
mod line;
mod stream;
mod table;

pub(crate) use draw::is_name_of_language;
pub(crate) use inline::Markup;
#[cfg(test)]
pub(crate) use stream::MAX_LIVE_LINES;
pub(crate) use stream::MarkdownStream;

use super::{left_out, sanitize};
use crate::theme::Theme;
use block::BlockParser;
use draw::Painter;
use fore_text::cut;
use ratatui::text::Line;
use std::ops::RangeInclusive;

/// Bytes and source lines that are drawn; the rest is left out, with a note.
pub(crate) const MAX_BYTES: usize = 1 << 20;
pub(crate) const MAX_LINES: usize = 20_000;
/// Lines of code that are coloured in one document.
const MAX_COLOURED_LINES: usize = 500;
/// A longer source line is read in parts.
const MAX_LINE_BYTES: usize = 8 << 10;

/// Markdown as it is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rendered {
    pub lines: Vec<Line<'static>>,
    /// For each drawn line the source lines it shows, from 1, both ends included.
    pub sources: Vec<RangeInclusive<u32>>,
}

impl Rendered {
    fn push(&mut self, line: Line<'static>, source: RangeInclusive<u32>) {
        self.lines.push(line);
        self.sources.push(source);
    }
}

/// Draws a whole document in lines of at most `width` columns. The caller keeps the result.
pub(crate) fn markdown(text: &str, width: u16, theme: &Theme) -> Rendered {
    draw(text, width, theme, Markup::Used)
}

/// The same for a text that somebody approves: of its lines nothing is left out but what makes a block (the signs of headings,
/// items, quotes and fences, the outer borders of a table).
pub(crate) fn plan(text: &str, width: u16, theme: &Theme) -> Rendered {
    draw(text, width, theme, Markup::Kept)
}

fn draw(text: &str, width: u16, theme: &Theme, markup: Markup) -> Rendered {
    let (text, rest) = cut::split_bytes(text, MAX_BYTES);
    let mut blocks = BlockParser::new(markup);
    let mut source = text.split_inclusive('\n');
    for line in source.by_ref().take(MAX_LINES) {
        feed(&mut blocks, line.strip_suffix('\n').unwrap_or(line));
    }
    blocks.finish();
    let mut painter = Painter::bounded(MAX_COLOURED_LINES, markup);
    let mut rendered = Rendered::default();
    for placed in blocks.take() {
        painter.leaf(&placed, width, theme, &mut rendered);
    }
    let left = source.count() + rest.lines().count();
    if left > 0 {
        let last = rendered.sources.last().map_or(1, |last| *last.end());
        rendered.push(left_out(left, width, theme), last..=last);
    }
    rendered
}

/// One source line, whole or in parts.
fn feed(blocks: &mut BlockParser, line: &str) {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let (first, mut rest) = cut::split_bytes(line, MAX_LINE_BYTES);
    blocks.push(&sanitize(first));
    while !rest.is_empty() {
        let (part, after) = cut::split_bytes(rest, MAX_LINE_BYTES);
        blocks.push_rest(&sanitize(part));
        rest = after;
    }
}
