//! Prints lines for people: in colour where that is wanted, in plain signs where the locale has no others.
//!
//! Never panics: a full disk or a closed screen is an error like any other.

use anstream::AutoStream;
use fore_tui::Signs;
use serde::Serialize;
use std::{
    fmt::Display,
    io::{self, StderrLock, StdoutLock, Write},
    os::fd::AsFd,
};
use unicode_width::UnicodeWidthStr;

/// Where lines for people go.
#[derive(Debug)]
pub(crate) struct Console<W> {
    out: W,
    signs: Signs,
    /// None where lines have no end: in a file, in a pipe.
    columns: Option<usize>,
}

impl Console<AutoStream<StdoutLock<'static>>> {
    pub(crate) fn stdout() -> Console<AutoStream<StdoutLock<'static>>> {
        Console { out: anstream::stdout().lock(), signs: signs_of_this_locale(), columns: columns(io::stdout()) }
    }
}

impl Console<AutoStream<StderrLock<'static>>> {
    pub(crate) fn stderr() -> Console<AutoStream<StderrLock<'static>>> {
        Console { out: anstream::stderr().lock(), signs: signs_of_this_locale(), columns: columns(io::stderr()) }
    }
}

impl<W: Write> Console<W> {
    /// One line of our own words. Text of others in them is made fit for eyes before; this is the last look, which lets
    /// no more than our own colours through.
    pub(crate) fn line(&mut self, words: impl Display) -> io::Result<()> {
        let words = words.to_string();
        let words = fore_text::styled(&words);
        match self.signs {
            Signs::Unicode => writeln!(self.out, "{words}"),
            Signs::Ascii => writeln!(self.out, "{}", in_ascii(&words)),
        }
    }

    /// Words behind this indent, broken between words where the screen ends.
    pub(crate) fn paragraph(&mut self, indent: &str, words: &str) -> io::Result<()> {
        for line in broken(words, self.columns.map(|columns| columns.saturating_sub(indent.width()))) {
            self.line(format_args!("{indent}{line}"))?;
        }
        Ok(())
    }

    /// How wide the screen is; none where lines have no end.
    pub(crate) fn columns(&self) -> Option<usize> {
        self.columns
    }

    /// The words in lines that fit behind an indent of this width.
    pub(crate) fn broken(&self, indent: usize, words: &str) -> Vec<String> {
        broken(words, self.columns.map(|columns| columns.saturating_sub(indent)))
    }

    /// Whether text of this width stays on one line.
    pub(crate) fn fits(&self, width: usize) -> bool {
        self.columns.is_none_or(|columns| width <= columns)
    }

    /// One line that is shown letter by letter, such as a command with marks under it.
    pub(crate) fn exact_line(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self.out, "{}", fore_text::styled(&text.to_string()))
    }

    /// A value for programs. It is exact: what would steer a terminal is escaped as JSON escapes it.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string_pretty(value)?;
        writeln!(self.out, "{}", fore_text::json(&text))
    }

    /// The same on one line.
    pub(crate) fn json_line(&mut self, value: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string(value)?;
        writeln!(self.out, "{}", fore_text::json(&text))
    }
}

/// What the locale of this machine can show.
pub(crate) fn signs_of_this_locale() -> Signs {
    signs_of(["LC_ALL", "LC_CTYPE", "LANG"].map(crate::environment::variable))
}

/// The first variable that is set decides, as everywhere; none set is the locale `C`.
fn signs_of(variables: [Option<std::ffi::OsString>; 3]) -> Signs {
    let locale = variables.into_iter().flatten().find(|value| !value.is_empty()).unwrap_or_default();
    let locale = locale.to_string_lossy().to_ascii_lowercase();
    if locale.contains("utf-8") || locale.contains("utf8") { Signs::Unicode } else { Signs::Ascii }
}

/// How wide the terminal behind a descriptor is, if it is one.
fn columns(descriptor: impl AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(descriptor).ok()?;
    (size.ws_col > 0).then_some(usize::from(size.ws_col))
}

/// The words in lines of at most this width; a word that is wider has a line of its own.
fn broken(words: &str, width: Option<usize>) -> Vec<String> {
    let Some(width) = width else { return vec![words.to_owned()] };
    let mut lines = vec![String::new()];
    for word in words.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Our own signs as letters that every terminal has. Other text stays as it is.
fn in_ascii(words: &str) -> String {
    let mut ascii = String::with_capacity(words.len());
    for letter in words.chars() {
        match letter {
            '✓' => ascii.push('+'),
            '✗' => ascii.push('x'),
            '·' => ascii.push('-'),
            '→' => ascii.push_str("->"),
            '…' => ascii.push_str("..."),
            letter => ascii.push(letter),
        }
    }
    ascii
}

/// Text of others on one line, made fit for eyes.
pub(crate) fn plain(text: &str) -> String {
    fore_text::line(text).into_owned()
}

/// Text of others whose line ends and runs of blanks do not matter, such as a title: one line, made fit for eyes.
pub(crate) fn one_line(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let words: Vec<&str> = text.split([' ', '\t', '\n']).filter(|word| !word.is_empty()).collect();
    plain(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l4_signs_are_plain_where_the_locale_is_not_utf8() {
        let page = [
            ([None, None, None], Signs::Ascii),
            ([None, None, Some("C")], Signs::Ascii),
            ([None, None, Some("en_US.ISO-8859-1")], Signs::Ascii),
            ([None, None, Some("en_US.UTF-8")], Signs::Unicode),
            ([None, Some("C.utf8"), Some("C")], Signs::Unicode),
            ([Some("C"), None, Some("en_US.UTF-8")], Signs::Ascii),
            ([Some(""), None, Some("en_US.UTF-8")], Signs::Unicode),
        ];
        for (variables, expected) in page {
            assert_eq!(signs_of(variables.map(|value| value.map(Into::into))), expected, "{variables:?}");
        }
        assert_eq!(in_ascii("✓ a · b → c…"), "+ a - b -> c...");
    }

    #[test]
    fn l4_words_are_broken_where_a_narrow_screen_ends() {
        assert_eq!(broken("put this step in the plan", Some(10)), ["put this", "step in", "the plan"]);
        assert_eq!(broken("日本語 日本語 x", Some(9)), ["日本語", "日本語 x"]);
        assert_eq!(broken("unbreakable x", Some(3)), ["unbreakable", "x"]);
        assert_eq!(broken("as it is", None), ["as it is"]);
    }

    #[test]
    fn text_of_others_cannot_move_the_cursor_or_turn_the_line_around() {
        assert_eq!(plain("a\u{1b}[2Jb\tc\rd\u{202e}e\u{9b}1m"), r"a\u{1b}[2Jb\tc\rd\u{202e}e\u{9b}1m");
        assert_eq!(one_line(" a\tb\r\nc\rd\n"), r"a b c\rd");
    }

    #[test]
    fn only_our_own_colours_reach_a_screen() {
        let mut screen = Console { out: Vec::new(), signs: Signs::Unicode, columns: None };
        screen.line("\u{1b}[1mfore\u{1b}[0m \u{1b}[8mx\u{1b}]0;t\u{7}").unwrap();
        screen.json_line(&"\u{202e}\u{1b}").unwrap();
        let written = String::from_utf8(screen.out).unwrap();
        assert_eq!(written, "\u{1b}[1mfore\u{1b}[0m \\u{1b}[8mx\\u{1b}]0;t\\u{7}\n\"\\u202e\\u001b\"\n");
    }
}
