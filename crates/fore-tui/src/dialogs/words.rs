//! Words in dialogs: made harmless, broken into rows, cut to a width. No row is wider than asked for.

use crate::theme::{Role, Sign, Theme};
use ratatui::{
    style::Style,
    text::{Line, Span},
};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// What a tab becomes.
const TAB: &str = "    ";

/// How a line that is too long is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Break {
    /// Between words where that is possible.
    Words,
    /// Wherever the row is full: every character stays, blanks too.
    Anywhere,
}

/// One grapheme on its way to a row.
#[derive(Clone, Copy, Debug)]
struct Piece<'a> {
    text: &'a str,
    style: Style,
    width: usize,
}

/// A text in one style, as many rows as its lines need.
pub(crate) fn paragraph(text: &str, style: Style, width: u16) -> Vec<Line<'static>> {
    text.lines().flat_map(|line| rows(&Line::from(Span::styled(tame(line), style)), width, 0, Break::Words)).collect()
}

/// Paragraphs of prose, filled anew to the width; a blank line parts them.
pub(crate) fn prose(text: &str, style: Style, width: u16) -> Vec<Line<'static>> {
    let paragraphs: Vec<String> = text.split("\n\n").map(one_line).collect();
    paragraph(&paragraphs.join("\n\n"), style, width)
}

/// A label in front and a text behind it that stays to the right of the label.
pub(crate) fn labelled(label: &str, text: &str, (front, back): (Style, Style), width: u16) -> Vec<Line<'static>> {
    let indent = u16::try_from(label.width()).unwrap_or(0);
    let line = Line::from(vec![Span::styled(label.to_owned(), front), Span::styled(tame(&one_line(text)), back)]);
    rows(&line, width, indent, Break::Words)
}

/// The rows of one line; all but the first are indented.
pub(crate) fn rows(line: &Line<'_>, width: u16, indent: u16, at: Break) -> Vec<Line<'static>> {
    let width = usize::from(width.max(1));
    let indent = if usize::from(indent) * 2 > width { 0 } else { usize::from(indent) };
    let mut all = Vec::new();
    let mut row: Vec<Piece<'_>> = Vec::new();
    let mut used = 0;
    for mut piece in pieces(line) {
        if piece.width > width {
            piece = Piece { text: "?", width: 1, ..piece };
        }
        let room = if all.is_empty() { width } else { width - indent };
        if used + piece.width > room {
            if at == Break::Words && piece.text == " " {
                all.push(std::mem::take(&mut row));
                used = 0;
                continue;
            }
            let rest = match at {
                Break::Words => begun_word(&mut row, (width - indent).saturating_sub(piece.width)),
                Break::Anywhere => Vec::new(),
            };
            all.push(std::mem::replace(&mut row, rest));
            used = row.iter().map(|piece| piece.width).sum();
        }
        used += piece.width;
        row.push(piece);
    }
    all.push(row);
    let style = line.style;
    let indented = |(number, row): (usize, Vec<Piece<'_>>)| {
        let blank = if number == 0 { 0 } else { indent };
        join(row, blank).style(style)
    };
    all.into_iter().enumerate().map(indented).collect()
}

/// Takes the word at the end of a row out of it, if it has a beginning there and room in the next row.
fn begun_word<'a>(row: &mut Vec<Piece<'a>>, room: usize) -> Vec<Piece<'a>> {
    let Some(space) = row.iter().rposition(|piece| piece.text == " ") else { return Vec::new() };
    let width: usize = row.iter().skip(space + 1).map(|piece| piece.width).sum();
    if width <= room { row.split_off(space + 1) } else { Vec::new() }
}

/// The line, or its start and an ellipsis.
pub(crate) fn cut(line: &Line<'_>, width: u16, theme: &Theme) -> Line<'static> {
    let width = usize::from(width);
    let pieces = pieces(line);
    if pieces.iter().map(|piece| piece.width).sum::<usize>() <= width {
        return join(pieces, 0).style(line.style);
    }
    let dots = theme.sign(Sign::Ellipsis);
    let dots = if dots.width() <= width { dots } else { "" };
    let mut used = dots.width();
    let fits = pieces.into_iter().take_while(|piece| {
        used += piece.width;
        used <= width
    });
    let mut fits: Vec<Piece<'_>> = fits.collect();
    while fits.last().is_some_and(|piece| piece.text == " ") {
        fits.pop();
    }
    let mut cut = join(fits, 0).style(line.style);
    cut.spans.push(Span::styled(dots, theme.style(Role::Faint)));
    cut
}

/// What a terminal would obey, shown as letters; tabs as blanks.
pub(crate) fn tame(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\t' => out.push_str(TAB),
            // Asks for the coloured form of a sign; terminals disagree about its width.
            '\u{fe0f}' => {}
            letter if is_odd(letter) => out.extend(letter.escape_unicode()),
            letter => out.push(letter),
        }
    }
    out
}

/// Characters that steer the terminal, or that nobody can see.
pub(crate) fn is_odd(letter: char) -> bool {
    let is_blank = letter.is_whitespace() && letter != ' ';
    let is_hidden = matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}');
    letter.is_control() || is_blank || is_hidden
}

/// All on one line, blanks between.
pub(crate) fn one_line(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim_end).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn pieces<'a>(line: &'a Line<'_>) -> Vec<Piece<'a>> {
    let of_span = |span: &'a Span<'_>| {
        let style = span.style;
        let piece = move |text: &'a str| Piece { text, style, width: text.width() };
        span.content.graphemes(true).map(piece).collect::<Vec<_>>()
    };
    line.spans.iter().flat_map(of_span).collect()
}

fn join(pieces: Vec<Piece<'_>>, blank: usize) -> Line<'static> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    if blank > 0 {
        spans.push(Span::raw(" ".repeat(blank)));
    }
    for piece in pieces {
        match spans.last_mut() {
            Some(last) if last.style == piece.style => last.content.to_mut().push_str(piece.text),
            _ => spans.push(Span::styled(piece.text.to_owned(), piece.style)),
        }
    }
    Line::from(spans)
}
