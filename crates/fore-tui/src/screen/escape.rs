//! Styles as escape sequences, and the last guard before the terminal: no control character passes here.

use fore_text::TextKind;
use ratatui::style::{Color, Modifier, Style};
use std::{
    borrow::Cow,
    io::{self, Write},
};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The last step before the terminal, also for what should have been made fit for eyes long before.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    let kind = if text.contains(['\n', '\t', '\r']) { TextKind::Line } else { TextKind::Prose };
    fore_text::shown(text, kind)
}

/// The part of the text that fits into so many columns.
pub(super) fn fitting(text: &str, columns: usize) -> &str {
    if text.is_ascii() {
        return text.split_at(columns.min(text.len())).0;
    }
    let (mut end, mut used) = (0, 0);
    for grapheme in text.graphemes(true) {
        used += grapheme.width();
        if used > columns {
            break;
        }
        end += grapheme.len();
    }
    text.split_at(end).0
}

/// Switches to exactly this style.
pub(super) fn write_style(out: &mut Vec<u8>, style: Style) -> io::Result<()> {
    out.write_all(b"\x1b[0")?;
    let modifiers = [
        (Modifier::BOLD, 1),
        (Modifier::DIM, 2),
        (Modifier::ITALIC, 3),
        (Modifier::UNDERLINED, 4),
        (Modifier::REVERSED, 7),
        (Modifier::CROSSED_OUT, 9),
    ];
    for (modifier, code) in modifiers {
        if style.add_modifier.contains(modifier) {
            write!(out, ";{code}")?;
        }
    }
    if let Some(colour) = style.fg {
        write_colour(out, colour, 30)?;
    }
    if let Some(colour) = style.bg {
        write_colour(out, colour, 40)?;
    }
    out.write_all(b"m")
}

/// `base`: 30 for letters, 40 for what is behind them.
fn write_colour(out: &mut Vec<u8>, colour: Color, base: u8) -> io::Result<()> {
    let plain = |number: u8| if number < 8 { base + number } else { base + 52 + number };
    let number = match colour {
        Color::Reset => base + 9,
        Color::Black => plain(0),
        Color::Red => plain(1),
        Color::Green => plain(2),
        Color::Yellow => plain(3),
        Color::Blue => plain(4),
        Color::Magenta => plain(5),
        Color::Cyan => plain(6),
        Color::Gray => plain(7),
        Color::DarkGray => plain(8),
        Color::LightRed => plain(9),
        Color::LightGreen => plain(10),
        Color::LightYellow => plain(11),
        Color::LightBlue => plain(12),
        Color::LightMagenta => plain(13),
        Color::LightCyan => plain(14),
        Color::White => plain(15),
        Color::Indexed(index) => return write!(out, ";{};5;{index}", base + 8),
        Color::Rgb(red, green, blue) => return write!(out, ";{};2;{red};{green};{blue}", base + 8),
    };
    write!(out, ";{number}")
}

/// The text in letters that every terminal has, each as wide as the one it stands for.
pub(crate) fn in_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let near = |letter: char| match letter {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '─' | '·' => '-',
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        '•' => '*',
        '…' => '.',
        '→' => '>',
        '←' => '<',
        '×' => 'x',
        '\u{a0}' => ' ',
        '│' => '|',
        _ => '?',
    };
    let mut made = String::with_capacity(text.len());
    for grapheme in text.graphemes(true) {
        match grapheme.chars().next().filter(|_| !grapheme.is_ascii()) {
            None => made.push_str(grapheme),
            Some(first) => made.extend(std::iter::repeat_n(near(first), grapheme.width())),
        }
    }
    Cow::Owned(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_cut_between_letters() {
        let page = [("abc", 5, "abc"), ("abc", 2, "ab"), ("日本", 3, "日"), ("e\u{301}a", 1, "e\u{301}"), ("", 0, "")];
        for (text, columns, expected) in page {
            assert_eq!(fitting(text, columns), expected, "{text} in {columns}");
        }
    }

    #[test]
    fn nothing_that_steers_or_hides_is_written() {
        assert_eq!(visible("a\u{1b}[2Jb\u{a0}"), "a\\u{1b}[2Jb\u{a0}");
        assert_eq!(visible("日\u{9b}2J\n\t"), "日\\u{9b}2J\\n\\t");
    }

    #[test]
    fn styles_become_one_sequence() {
        let written = |style: Style| {
            let mut out = Vec::new();
            write_style(&mut out, style).unwrap();
            String::from_utf8(out).unwrap().replace('\u{1b}', "ESC")
        };
        assert_eq!(written(Style::new()), "ESC[0m");
        assert_eq!(written(Style::new().fg(Color::Red).add_modifier(Modifier::BOLD)), "ESC[0;1;31m");
        assert_eq!(written(Style::new().fg(Color::DarkGray).bg(Color::White)), "ESC[0;90;107m");
        assert_eq!(written(Style::new().fg(Color::Rgb(1, 2, 3))), "ESC[0;38;2;1;2;3m");
        assert_eq!(written(Style::new().bg(Color::Indexed(200))), "ESC[0;48;5;200m");
    }
}
