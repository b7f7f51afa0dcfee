//! Takes from a text what a terminal would obey and what a person could not see. It never takes away a letter that shows.
//!
//! What is taken out is written out instead (`\u{1b}`): in a plan that somebody approves nothing may be hidden.

use std::borrow::Cow;
use unicode_width::UnicodeWidthChar as _;

/// A tab, wherever it stands.
const TAB: &str = "    ";
/// Marks that one letter wears; with more of them it would tower over the rows around it.
const MOST_MARKS: usize = 8;

/// The text with nothing in it that steers a terminal or hides. Line breaks stay, tabs become spaces.
pub fn tame(text: &str) -> Cow<'_, str> {
    if !needs_taming(text) {
        return Cow::Borrowed(text);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut out = String::with_capacity(text.len() + 16);
    let mut letters = text.chars().peekable();
    let mut before = ' ';
    let mut marks = Marks::default();
    while let Some(letter) = letters.next() {
        let is_tower = marks.are_too_many(letter);
        match letter {
            '\n' => out.push('\n'),
            '\t' => out.push_str(TAB),
            '\r' if letters.peek() == Some(&'\n') => {}
            '\r' => out.push_str("\\r"),
            _ if is_tower => out.extend(letter.escape_default()),
            _ if is_seen(before, letter, letters.peek().copied()) => out.push(letter),
            _ => out.extend(letter.escape_default()),
        }
        before = letter;
    }
    Cow::Owned(out)
}

/// Output of a command as plain text: colours and cursor moves are taken out, a line that was written over is shown as it
/// was left, the rest is tamed.
pub fn tame_output(text: &str) -> String {
    let text = without_sequences(text);
    let lines = text.split('\n').map(|line| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        line.rsplit('\r').find(|piece| !piece.is_empty()).unwrap_or_default()
    });
    let left = lines.collect::<Vec<_>>().join("\n");
    tame(&left).into_owned()
}

/// Most of what is drawn is plain: one look at the bytes tells.
fn needs_taming(text: &str) -> bool {
    let is_plain_ascii = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n');
    if text.as_bytes().iter().all(is_plain_ascii) {
        return false;
    }
    let mut marks = Marks::default();
    text.chars().any(|letter| {
        let is_tower = marks.are_too_many(letter);
        letter != '\n' && (is_tower || letter.is_control() || joins(letter) || is_hidden(letter))
    })
}

/// Whether a person sees the letter where it stands: it has a shape, or gives one to its neighbours.
pub(crate) fn is_seen(before: char, letter: char, next: Option<char>) -> bool {
    match joins(letter) {
        true => belongs(before) && follows(letter, next),
        false => !letter.is_control() && !is_hidden(letter),
    }
}

/// Whether it can have a shape at all, as a key that was pressed.
pub(crate) fn can_be_seen(letter: char) -> bool {
    joins(letter) || (!letter.is_control() && !is_hidden(letter))
}

/// Counts what stands above and below one letter.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    count: usize,
}

impl Marks {
    /// Whether this is one mark too many.
    pub(crate) fn are_too_many(&mut self, letter: char) -> bool {
        let is_mark = !letter.is_ascii() && !joins(letter) && letter.width() == Some(0);
        self.count = if is_mark { self.count.saturating_add(1) } else { 0 };
        self.count > MOST_MARKS
    }
}

/// Letters that make one sign out of several (families, flags, scripts whose letters join).
fn joins(letter: char) -> bool {
    matches!(letter, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
}

/// Whether a joining letter has something before it to join; between plain letters it would only hide.
fn belongs(before: char) -> bool {
    (!before.is_ascii() && !is_hidden(before)) || before == '\u{fe0f}' || matches!(before, '0'..='9' | '#' | '*')
}

fn follows(letter: char, next: Option<char>) -> bool {
    matches!(letter, '\u{fe0e}' | '\u{fe0f}') || next.is_some_and(|next| !next.is_ascii() && !is_hidden(next))
}

/// Letters without a shape of their own, and those that turn the direction of writing.
fn is_hidden(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Without `ESC [ … letter` and `ESC ] … BEL`; what is no such sequence is left for [`tame`].
fn without_sequences(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split('\u{1b}');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = match part.chars().next() {
            Some('[') => part
                .get(1..)
                .and_then(|part| part.split_once(|letter| ('\u{40}'..='\u{7e}').contains(&letter)))
                .map(|(_, rest)| rest),
            Some(']') => part.split_once('\u{7}').map(|(_, rest)| rest),
            Some('(' | ')') => part.get(2..),
            // The end of a title that was begun with `ESC ]`.
            Some('\\') => part.get(1..),
            _ => None,
        };
        match rest {
            Some(rest) => out.push_str(rest),
            None => {
                out.push('\u{1b}');
                out.push_str(part);
            }
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_or_hides_reaches_the_terminal() {
        let page = [
            ("plain\ntext, grün, 漢字", "plain\ntext, grün, 漢字"),
            ("a\tb\r\nc\rd", "a    b\nc\\rd"),
            ("\u{1b}[2J\u{7}\u{9b}6n\0", "\\u{1b}[2J\\u{7}\\u{9b}6n\\u{0}"),
            ("abc\u{202e}fed", "abc\\u{202e}fed"),
            ("ad\u{200b}min a\u{200d}b", "ad\\u{200b}min a\\u{200d}b"),
            ("\u{e0041}\u{e0042}", "\\u{e0041}\\u{e0042}"),
            ("\u{feff}begin\u{feff}", "begin\\u{feff}"),
            (
                "👨\u{200d}👩\u{200d}👧 ⚠\u{fe0f} 1\u{fe0f}\u{20e3}",
                "👨\u{200d}👩\u{200d}👧 ⚠\u{fe0f} 1\u{fe0f}\u{20e3}",
            ),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
        ];
        for (text, expected) in page {
            assert_eq!(tame(text), expected, "{text:?}");
        }
    }

    #[test]
    fn output_of_commands_loses_its_colours_and_what_was_written_over() {
        let page = [
            ("\u{1b}[1;31mred\u{1b}[0m and \u{1b}[2Jgone", "red and gone"),
            ("\u{1b}]0;title\u{7}text\u{1b}(B", "text"),
            ("10%\r20%\r100%\r\ndone\r\n", "100%\ndone\n"),
            ("\u{1b}c\u{1b}[", "\\u{1b}c\\u{1b}["),
        ];
        for (text, expected) in page {
            assert_eq!(tame_output(text), expected, "{text:?}");
        }
    }
}
