//! How proposals look: a few rows, the fitting letters marked, the chosen one pointed at. It chooses nothing.

use super::complete::{CompletionRow, CompletionWord, Popup};
use crate::theme::{Sign, TextRole, Theme};
use crate::view::Space;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// Most rows at a time.
const MAX_ROWS: usize = 8;

/// A description narrower than this says nothing.
const MIN_ABOUT_WIDTH: usize = 12;

/// At most `most` lines for the proposals.
pub(super) fn popup_lines(popup: &Popup, space: Space, most: usize) -> Vec<Line<'static>> {
    let theme = space.theme;
    let columns = usize::from(space.width);
    let rows = most.min(MAX_ROWS);
    if popup.rows.is_empty() {
        let words = if popup.waits { "    looking for files" } else { "" };
        let line = Line::from(Span::styled(cut(words, columns, theme), theme.style(TextRole::Faint)));
        return Some(line).into_iter().filter(|_| popup.waits).take(rows).collect();
    }
    let names = popup.rows.iter().map(|row| width(&title(popup.word(), row))).max().unwrap_or(0);
    popup
        .rows
        .iter()
        .enumerate()
        .skip(first_row(popup, rows))
        .take(rows)
        .map(|(at, row)| row_line(popup.word(), row, popup.chosen == Some(at), names, space))
        .collect()
}

/// Which rows can be seen, in words, if not all can.
pub(super) fn seen(popup: &Popup, most: usize) -> Option<String> {
    let rows = most.min(MAX_ROWS);
    let first = first_row(popup, rows);
    let all = popup.rows.len();
    (all > rows && rows > 0).then(|| format!("{}-{} of {all}", first + 1, first + rows))
}

fn first_row(popup: &Popup, rows: usize) -> usize {
    popup.chosen.unwrap_or(0).saturating_sub(rows.saturating_sub(1))
}

fn row_line(word: &CompletionWord, row: &CompletionRow, chosen: bool, names: usize, space: Space) -> Line<'static> {
    let theme = space.theme;
    let columns = usize::from(space.width);
    let pointer = if chosen { theme.sign(Sign::Pointer) } else { " " };
    let lead = cut(&format!("  {pointer} "), columns, theme);
    let mut left = columns.saturating_sub(width(&lead));
    let role = if chosen { TextRole::Selected } else { TextRole::Plain };
    let mut spans = vec![Span::styled(lead, theme.style(role))];

    let name = match word {
        CompletionWord::Command(_) => marked(&format!("/{}", row.name), &row.marks, 1, left, theme, role),
        CompletionWord::File { .. } => marked(&row.name, &row.marks, 0, left, theme, role),
    };
    left = left.saturating_sub(name.iter().map(Span::width).sum());
    spans.extend(name);

    let words = cut(&if row.words.is_empty() { String::new() } else { format!(" {}", row.words) }, left, theme);
    left = left.saturating_sub(width(&words));
    spans.push(Span::styled(words, theme.style(TextRole::Faint)));

    let pad = names.saturating_sub(width(&title(word, row))) + 2;
    if !row.about.is_empty() && left >= pad + MIN_ABOUT_WIDTH {
        let about = cut(&row.about, left - pad, theme);
        let role = if chosen { TextRole::Plain } else { TextRole::Faint };
        spans.push(Span::raw(" ".repeat(pad)));
        spans.push(Span::styled(about, theme.style(role)));
    }
    spans.retain(|span| !span.content.is_empty());
    Line::from(spans)
}

fn title(word: &CompletionWord, row: &CompletionRow) -> String {
    match word {
        CompletionWord::Command(_) if row.words.is_empty() => format!("/{}", row.name),
        CompletionWord::Command(_) => format!("/{} {}", row.name, row.words),
        CompletionWord::File { .. } => row.name.clone(),
    }
}

/// A name with the letters that fit underlined; what is too wide loses its beginning, for the end says more.
fn marked(
    name: &str,
    marks: &[usize],
    shift: usize,
    columns: usize,
    theme: Theme,
    role: TextRole,
) -> Vec<Span<'static>> {
    let letters: Vec<&str> = name.graphemes(true).collect();
    let sign = theme.sign(Sign::Ellipsis);
    let mut first = 0;
    let mut wide: usize = letters.iter().map(|letter| width(letter)).sum();
    let shortened = wide > columns;
    let room = if shortened { columns.saturating_sub(width(sign)) } else { columns };
    while wide > room && first < letters.len() {
        wide -= letters.get(first).map_or(0, |letter| width(letter));
        first += 1;
    }
    let plain = theme.style(role);
    let fit = plain.patch(theme.style(TextRole::Accent)).add_modifier(Modifier::UNDERLINED);
    let mut spans: Vec<Span<'static>> = Vec::new();
    if shortened && width(sign) <= columns {
        spans.push(Span::styled(sign, plain));
    }
    for (at, letter) in letters.iter().enumerate().skip(first) {
        let style = if at >= shift && marks.binary_search(&(at - shift)).is_ok() { fit } else { plain };
        push(&mut spans, letter, style);
    }
    spans
}

fn push(spans: &mut Vec<Span<'static>>, text: &str, style: Style) {
    match spans.last_mut() {
        Some(last) if last.style == style => last.content.to_mut().push_str(text),
        _ => spans.push(Span::styled(text.to_owned(), style)),
    }
}

pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// The beginning of a text that fits, with an ellipsis where it was cut.
pub(super) fn cut(text: &str, columns: usize, theme: Theme) -> String {
    fore_text::cut::fit(text, columns, theme.sign(Sign::Ellipsis)).into_owned()
}
