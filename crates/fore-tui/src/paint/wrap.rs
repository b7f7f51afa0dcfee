//! Lines that fit: wrapping and cutting by what a terminal shows, never inside a sign.

use crate::theme::{Sign, Theme};
use fore_text::cut;
use ratatui::{
    style::Style,
    text::{Line, Span},
};
use unicode_segmentation::UnicodeSegmentation;

/// Columns that a text takes.
pub(crate) fn columns(text: &str) -> usize {
    cut::width(text)
}

/// Whether a line shows nothing.
pub(crate) fn is_blank(line: &Line<'_>) -> bool {
    line.spans.iter().all(|span| span.content.is_empty())
}

/// Columns that a line takes.
pub(crate) fn line_columns(line: &Line<'_>) -> usize {
    line.spans.iter().map(|span| columns(&span.content)).sum()
}

/// The line in pieces of at most `width` columns, broken between words where that is possible. Every piece but the first
/// begins with `indent` spaces.
pub(crate) fn wrap(line: &Line<'static>, width: u16, indent: u16) -> Vec<Line<'static>> {
    let width = usize::from(width).max(1);
    if line_columns(line) <= width {
        return vec![line.clone()];
    }
    let mut wrapper = Wrapper::new(line.style, width, usize::from(indent).min(width / 2));
    for span in &line.spans {
        for piece in pieces(&span.content) {
            wrapper.piece(piece, span.style);
        }
    }
    wrapper.finish()
}

/// The text in one line of at most `width` columns; what does not fit is an ellipsis. Line breaks become spaces.
pub(crate) fn cut(text: &str, width: u16, theme: &Theme) -> String {
    let text = super::sanitize(text);
    let text = if text.contains('\n') { cut::one_line(&text).into() } else { text };
    cut::fit(&text, usize::from(width), theme.sign(Sign::Ellipsis)).into_owned()
}

/// A line cut to `width` columns, with its styles.
pub(crate) fn cut_line(line: Line<'static>, width: u16, theme: &Theme) -> Line<'static> {
    if line_columns(&line) <= usize::from(width) {
        return line;
    }
    let sign = theme.sign(Sign::Ellipsis);
    let mut room = usize::from(width).saturating_sub(columns(sign));
    let mut spans = Vec::new();
    for span in line.spans {
        let kept = cut::columns(&span.content, room);
        room -= columns(kept);
        let is_whole = kept.len() == span.content.len();
        if !kept.is_empty() {
            spans.push(Span::styled(kept.to_owned(), span.style));
        }
        if !is_whole {
            break;
        }
    }
    if columns(sign) <= usize::from(width) {
        spans.push(Span::styled(sign, spans.last().map_or(Style::new(), |span: &Span<'_>| span.style)));
    }
    Line { spans, ..Line::default() }.style(line.style)
}

/// Words, runs of spaces, and wide signs one by one: between those a line may break.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.graphemes(true).next()?;
        let end = if first == " " {
            rest.find(|letter| letter != ' ').unwrap_or(rest.len())
        } else if columns(first) > 1 {
            first.len()
        } else {
            let mut signs = rest.grapheme_indices(true).skip(1);
            signs.find(|(_, sign)| *sign == " " || columns(sign) > 1).map_or(rest.len(), |(at, _)| at)
        };
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

/// Puts pieces into lines. A word may be made of several pieces with different styles; it is held back until it ends.
struct Wrapper {
    style: Style,
    width: usize,
    indent: usize,
    done: Vec<Line<'static>>,
    line: Vec<Span<'static>>,
    used: usize,
    /// Where the words of the line begin: what stands before is indentation.
    empty: usize,
    word: Vec<Span<'static>>,
    word_used: usize,
    spaces: Vec<Span<'static>>,
    spaces_used: usize,
}

impl Wrapper {
    fn new(style: Style, width: usize, indent: usize) -> Wrapper {
        Wrapper {
            style,
            width,
            indent,
            done: Vec::new(),
            line: Vec::new(),
            used: 0,
            empty: 0,
            word: Vec::new(),
            word_used: 0,
            spaces: Vec::new(),
            spaces_used: 0,
        }
    }

    fn piece(&mut self, piece: &str, style: Style) {
        let wide = columns(piece);
        if piece.starts_with(' ') {
            self.end_word();
            self.spaces_used += wide;
            self.spaces.push(Span::styled(piece.to_owned(), style));
            return;
        }
        // A sign of two columns (an ideograph, an emoji) stands for itself, as does the text after it.
        if wide == 2 && piece.graphemes(true).count() == 1 {
            self.end_word();
        }
        self.word_used += wide;
        self.word.push(Span::styled(piece.to_owned(), style));
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        if self.used + self.spaces_used + self.word_used <= self.width {
            self.put_spaces();
        } else if self.used > self.empty {
            self.spaces.clear();
            self.spaces_used = 0;
            self.end_line();
        } else {
            // Indentation that leaves no room for a word is shortened.
            let most = self.width / 2;
            if self.spaces_used > most {
                self.spaces = vec![Span::raw(" ".repeat(most))];
                self.spaces_used = most;
            }
            self.put_spaces();
        }
        for span in std::mem::take(&mut self.word) {
            self.put(&span);
        }
        self.word_used = 0;
    }

    fn put_spaces(&mut self) {
        self.used += self.spaces_used;
        self.spaces_used = 0;
        for span in std::mem::take(&mut self.spaces) {
            self.join(&span.content, span.style);
        }
    }

    /// Puts a part of a word, broken where the line ends.
    fn put(&mut self, span: &Span<'static>) {
        let mut rest: &str = &span.content;
        while !rest.is_empty() {
            let mut fits = cut::columns(rest, self.width.saturating_sub(self.used));
            if fits.is_empty() && self.used > self.empty {
                self.end_line();
                continue;
            }
            if fits.is_empty() {
                // Not even one sign fits: it is dropped rather than drawn too wide.
                let first = rest.graphemes(true).next().unwrap_or(rest);
                rest = rest.get(first.len()..).unwrap_or_default();
                continue;
            }
            // A sign of no width at the end of a full line belongs to it.
            if fits.len() < rest.len() && self.used + columns(fits) > self.width {
                fits = cut::columns(rest, self.width.saturating_sub(self.used + 1));
            }
            self.used += columns(fits);
            self.join(fits, span.style);
            rest = rest.get(fits.len()..).unwrap_or_default();
        }
    }

    fn join(&mut self, text: &str, style: Style) {
        match self.line.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push_str(text),
            _ => self.line.push(Span::styled(text.to_owned(), style)),
        }
    }

    fn end_line(&mut self) {
        let spans = std::mem::take(&mut self.line);
        self.done.push(Line { spans, ..Line::default() }.style(self.style));
        if self.indent > 0 {
            self.line.push(Span::raw(" ".repeat(self.indent)));
        }
        self.used = self.indent;
        self.empty = self.indent;
    }

    fn finish(mut self) -> Vec<Line<'static>> {
        self.end_word();
        if self.used > self.empty || self.done.is_empty() {
            let spans = std::mem::take(&mut self.line);
            self.done.push(Line { spans, ..Line::default() }.style(self.style));
        }
        self.done
    }
}
