//! Words in dialogs: paragraphs, labels, and rows that keep every character. No row is wider than asked for.

use crate::{
    paint::{self, columns, wrap},
    theme::{Sign, TextRole, Theme},
};
use ratatui::{
    style::Style,
    text::{Line, Span},
};
use unicode_segmentation::UnicodeSegmentation;

/// Columns before the rows of a line that goes on, where there is room for them.
const INDENT: usize = 2;
const MIN_INDENTED_WIDTH: usize = 20;

/// How a line that is too long is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineBreak {
    /// Between words where that is possible.
    Words,
}

/// A text in one style, as many rows as its lines need.
pub(crate) fn paragraph(text: &str, style: Style, width: u16) -> Vec<Line<'static>> {
    paint::sanitize(text)
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
pub(crate) fn rows(line: &Line<'static>, width: u16, indent: u16, at: LineBreak) -> Vec<Line<'static>> {
    match at {
        LineBreak::Words => wrap(line, width, indent),
    }
}

/// The rows of one line with every character of it, blanks too. A row ends behind a blank; where there is none, a mark says
/// that the word goes on. All but the first are indented, so that they do not pass for lines of their own.
pub(crate) fn exact_rows(line: &Line<'static>, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mark = Span::styled(theme.sign(Sign::GoesOn), theme.style(TextRole::Faint));
    let width = usize::from(width.max(1));
    let indent = if width >= MIN_INDENTED_WIDTH { INDENT } else { 0 };
    let signs: Vec<(&str, Style)> =
        line.spans.iter().flat_map(|span| span.content.graphemes(true).map(|sign| (sign, span.style))).collect();
    let mut rows = Vec::new();
    let mut left = signs.as_slice();
    loop {
        let before = if rows.is_empty() { 0 } else { indent };
        let (count, goes_on) = one_row(left, width - before, mark.width());
        let (row, rest) = left.split_at(count.min(left.len()));
        let mut spans = vec![Span::raw(" ".repeat(before))];
        for (sign, style) in row {
            let sign = if columns(sign) > width { "?" } else { sign };
            match spans.last_mut() {
                Some(last) if last.style == *style => last.content.to_mut().push_str(sign),
                _ => spans.push(Span::styled(sign.to_owned(), *style)),
            }
        }
        spans.extend(goes_on.then(|| mark.clone()));
        spans.retain(|span| !span.content.is_empty());
        rows.push(Line::from(spans).style(line.style));
        left = rest;
        if left.is_empty() {
            return rows;
        }
    }
}

/// How many signs stand in the next row, and whether a word is parted there.
fn one_row(signs: &[(&str, Style)], width: usize, mark: usize) -> (usize, bool) {
    let fitting = |room: usize| {
        let mut used = 0;
        let fits = signs.iter().take_while(|(sign, _)| {
            used += columns(sign).min(width);
            used <= room
        });
        fits.count()
    };
    let whole = fitting(width);
    if whole == signs.len() {
        return (whole, false);
    }
    let is_blank = |(sign, _): &(&str, Style)| *sign == " ";
    // A row of nothing but the blanks that a line begins with would look like an empty line.
    let words = signs.iter().take(whole).take_while(|sign| is_blank(sign)).count();
    let behind_blank = signs.iter().take(whole).rposition(is_blank).map(|place| place + 1);
    if let Some(end) = behind_blank.filter(|end| *end > words) {
        return (end, false);
    }
    // A mark needs room beside at least one sign.
    let with_mark = if width > mark + 2 { fitting(width - mark) } else { 0 };
    if with_mark > 0 { (with_mark, true) } else { (whole.max(1), false) }
}

/// The line, or its start and an ellipsis.
pub(crate) fn cut(line: &Line<'static>, width: u16, theme: &Theme) -> Line<'static> {
    paint::cut_line(line.clone(), width, theme)
}

/// What a terminal would obey or nobody would see, written out; for one line, so line ends too.
pub(crate) fn sanitize_line(text: &str) -> String {
    fore_text::line(text).into_owned()
}

/// Blank lines in a row that are shown as they are.
const MAX_BLANK_LINES: usize = 2;

/// A line of a text, or how many blank ones stand in its place: blank lines must not push the end out of sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FoldedLine<'a> {
    Line(&'a str),
    Blank(usize),
}

impl FoldedLine<'_> {
    pub(crate) fn words(&self) -> String {
        match self {
            FoldedLine::Line(line) => (*line).to_owned(),
            FoldedLine::Blank(count) => format!("… {count} blank lines …"),
        }
    }
}

/// The lines of a text, as the shell or a file has them: a lone carriage return ends none. Many blank ones are one row.
pub(crate) fn folded(text: &str) -> Vec<FoldedLine<'_>> {
    let is_blank = |line: &&str| line.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
    let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(text).split('\n').collect();
    let mut rows = Vec::new();
    for run in lines.chunk_by(|one, next| is_blank(one) == is_blank(next)) {
        match run.first().is_some_and(is_blank) && run.len() > MAX_BLANK_LINES {
            true => rows.push(FoldedLine::Blank(run.len())),
            false => rows.extend(run.iter().map(|line| FoldedLine::Line(line))),
        }
    }
    rows
}

/// All on one line and sanitized, blanks between.
pub(crate) fn one_line(text: &str) -> String {
    paint::sanitize(text).lines().map(str::trim_end).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialogs::test_support::THEME;

    #[test]
    fn many_blank_lines_are_one_row() {
        let text = format!("ls{}\n \n\t\nrm -rf x\n\n\nend\n", "\n".repeat(56));
        let rows = folded(&text);
        assert_eq!(
            rows.iter().map(FoldedLine::words).collect::<Vec<_>>(),
            ["ls", "… 58 blank lines …", "rm -rf x", "", "", "end"]
        );
        assert_eq!(folded("a\rb\n"), [FoldedLine::Line("a\rb")]);
    }

    #[test]
    fn commands_are_broken_behind_blanks_and_a_word_that_goes_on_is_marked() {
        let page = [
            ("git push origin main", 24, vec!["git push origin main"]),
            ("git push --force origin main", 24, vec!["git push --force origin ", "  main"]),
            ("ls  -l  a  b  c  d  e  fgh", 24, vec!["ls  -l  a  b  c  d  e  ", "  fgh"]),
            ("cat aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 20, vec!["cat ", "  aaaaaaaaaaaaaaaaa↵", "  aaaaaaaaaaaaaaaaa"]),
            ("                        x", 20, vec!["                   ↵", "       x"]),
            ("日本語日本語", 5, vec!["日本↵", "語日↵", "本語"]),
            ("abc", 1, vec!["a", "b", "c"]),
            ("", 10, vec![""]),
        ];
        for (text, width, expected) in page {
            let rows = exact_rows(&Line::from(text.to_owned()), width, &THEME);
            assert_eq!(rows.iter().map(ToString::to_string).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
