//! Words in dialogs: paragraphs, labels, and rows that keep every character. No row is wider than asked for.

use crate::{
    paint::{self, columns, wrap},
    theme::Theme,
};
use ratatui::{
    style::Style,
    text::{Line, Span},
};
use unicode_segmentation::UnicodeSegmentation;

/// How a line that is too long is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Break {
    /// Between words where that is possible.
    Words,
    /// Wherever the row is full: every character stays, blanks too.
    Anywhere,
}

/// A text in one style, as many rows as its lines need.
pub(crate) fn paragraph(text: &str, style: Style, width: u16) -> Vec<Line<'static>> {
    paint::tame(text)
        .lines()
        .flat_map(|line| wrap(&Line::from(Span::styled(line.to_owned(), style)), width, 0))
        .collect()
}

/// Paragraphs of prose, filled anew to the width; a blank line parts them.
pub(crate) fn prose(text: &str, style: Style, width: u16) -> Vec<Line<'static>> {
    let paragraphs: Vec<String> = text.split("\n\n").map(one_line).collect();
    paragraph(&paragraphs.join("\n\n"), style, width)
}

/// A label in front and a text behind it that stays to the right of the label.
pub(crate) fn labelled(label: &str, text: &str, (front, back): (Style, Style), width: u16) -> Vec<Line<'static>> {
    let indent = u16::try_from(columns(label)).unwrap_or(0);
    let line = Line::from(vec![Span::styled(label.to_owned(), front), Span::styled(one_line(text), back)]);
    wrap(&line, width, indent)
}

/// The rows of one line; all but the first are indented, where it is broken between words.
pub(crate) fn rows(line: &Line<'static>, width: u16, indent: u16, at: Break) -> Vec<Line<'static>> {
    match at {
        Break::Words => wrap(line, width, indent),
        Break::Anywhere => broken(line, width),
    }
}

fn broken(line: &Line<'static>, width: u16) -> Vec<Line<'static>> {
    let width = usize::from(width.max(1));
    let mut rows: Vec<Vec<Span<'static>>> = vec![Vec::new()];
    let mut used = 0;
    for span in &line.spans {
        let mut held = String::new();
        for sign in span.content.graphemes(true) {
            let sign = if columns(sign) > width { "?" } else { sign };
            if used + columns(sign) > width {
                if let Some(row) = rows.last_mut() {
                    row.push(Span::styled(std::mem::take(&mut held), span.style));
                }
                rows.push(Vec::new());
                used = 0;
            }
            used += columns(sign);
            held.push_str(sign);
        }
        if let Some(row) = rows.last_mut() {
            row.push(Span::styled(held, span.style));
        }
    }
    rows.into_iter().map(|spans| Line::from(spans).style(line.style)).collect()
}

/// The line, or its start and an ellipsis.
pub(crate) fn cut(line: &Line<'static>, width: u16, theme: &Theme) -> Line<'static> {
    paint::cut_line(line.clone(), width, theme)
}

/// What a terminal would obey or nobody would see, written out; for one line, so line ends too.
pub(crate) fn tame(text: &str) -> String {
    paint::tame(text).replace('\n', "\\u{a}")
}

/// Characters that steer the terminal, or that nobody can see or tell from a blank. Stricter than [`paint::tame`]: for what a
/// person is about to allow.
pub(crate) fn is_odd(letter: char) -> bool {
    let is_blank = letter.is_whitespace() && letter != ' ';
    let is_hidden = matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}');
    letter.is_control() || is_blank || is_hidden
}

/// All on one line and tamed, blanks between.
pub(crate) fn one_line(text: &str) -> String {
    paint::tame(text).lines().map(str::trim_end).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
