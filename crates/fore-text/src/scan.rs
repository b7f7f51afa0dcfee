//! Goes through a text once and says of each character whether it shows where it stands.

use crate::hidden::{Hidden, hidden, is_arabic_letter, is_pictograph, is_typographic_blank, is_virama};
use std::{borrow::Cow, iter::Peekable, str::CharIndices};
use unicode_width::UnicodeWidthChar as _;

/// Combining marks that one letter wears.
pub(crate) const MAX_MARKS_ON_A_LETTER: usize = 8;

const JOINER: char = '\u{200d}';
const NON_JOINER: char = '\u{200c}';

/// What a text is, and so which characters belong into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Running text: line ends, tabs and the blanks of ordinary typography stay; `\r\n` is a line end.
    Prose,
    /// Text of which every character counts, such as a command: only line ends and tabs stay.
    Exact,
    /// One line: line ends and tabs are marks as well.
    Line,
}

/// A part of a text as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextPiece<'a> {
    /// Characters that show, as they are.
    Plain(&'a str),
    /// One that does not, written out.
    Mark(String),
}

/// The text with every character that does not show written out.
pub fn shown(text: &str, kind: TextKind) -> Cow<'_, str> {
    if is_plain_ascii(text, kind) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut is_changed = false;
    for (letter, verdict) in Scan::new(text, kind).map(|(_, letter, verdict)| (letter, verdict)) {
        is_changed |= verdict != CharVerdict::Shows;
        match verdict {
            CharVerdict::Shows => out.push(letter),
            CharVerdict::Hides => write_mark(letter, &mut out),
            CharVerdict::EndsLineToo => {}
        }
    }
    if is_changed { Cow::Owned(out) } else { Cow::Borrowed(text) }
}

/// The same in parts, for whoever colours the marks.
pub fn pieces(text: &str, kind: TextKind) -> Vec<TextPiece<'_>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, letter, verdict) in Scan::new(text, kind).filter(|(_, _, verdict)| *verdict != CharVerdict::Shows) {
        pieces.extend(text.get(start..at).filter(|plain| !plain.is_empty()).map(TextPiece::Plain));
        if verdict == CharVerdict::Hides {
            let mut mark = String::new();
            write_mark(letter, &mut mark);
            pieces.push(TextPiece::Mark(mark));
        }
        start = at + letter.len_utf8();
    }
    pieces.extend(text.get(start..).filter(|plain| !plain.is_empty()).map(TextPiece::Plain));
    pieces
}

/// How many characters of the text are written out.
pub fn marks(text: &str, kind: TextKind) -> usize {
    if is_plain_ascii(text, kind) {
        return 0;
    }
    Scan::new(text, kind).filter(|(_, _, verdict)| *verdict == CharVerdict::Hides).count()
}

/// The first character that is written out, and where it stands.
pub fn first_mark(text: &str, kind: TextKind) -> Option<(usize, char)> {
    if is_plain_ascii(text, kind) {
        return None;
    }
    let mut found = Scan::new(text, kind).filter(|(_, _, verdict)| *verdict == CharVerdict::Hides);
    found.next().map(|(at, letter, _)| (at, letter))
}

/// Whether there is a place where the character shows: for keys, which come one by one.
pub fn may_show(letter: char) -> bool {
    let is_needed_somewhere = matches!(letter, JOINER | NON_JOINER | '\u{fe0e}' | '\u{fe0f}');
    hidden(letter).is_none() || is_needed_somewhere || is_typographic_blank(letter)
}

/// Most of what is shown is plain: one look at the bytes tells.
fn is_plain_ascii(text: &str, kind: TextKind) -> bool {
    let has_lines = kind != TextKind::Line;
    text.bytes().all(|byte| matches!(byte, b' '..=b'~') || (has_lines && matches!(byte, b'\n' | b'\t')))
}

pub(crate) fn write_mark(letter: char, out: &mut String) {
    match letter {
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        letter => out.extend(letter.escape_unicode()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CharVerdict {
    Shows,
    Hides,
    /// The `\r` of a `\r\n`.
    EndsLineToo,
}

/// What stands before a character, as far as joiners hang on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PrecedingChar {
    Nothing,
    Emoji,
    /// An emoji with its variation selector: it may be joined, and not styled again.
    StyledEmoji,
    KeycapBase,
    ArabicLetter,
    Virama,
}

struct Scan<'a> {
    chars: Peekable<CharIndices<'a>>,
    kind: TextKind,
    before: PrecedingChar,
    combining: usize,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str, kind: TextKind) -> Scan<'a> {
        Scan { chars: text.char_indices().peekable(), kind, before: PrecedingChar::Nothing, combining: 0 }
    }

    fn verdict(&mut self, letter: char, next: Option<char>) -> CharVerdict {
        if matches!(letter, ' '..='~') {
            (self.before, self.combining) = (keycap(letter), 0);
            return CharVerdict::Shows;
        }
        let is_combining = letter.width() == Some(0) && hidden(letter).is_none();
        self.combining = if is_combining { self.combining.saturating_add(1) } else { 0 };
        let verdict = match letter {
            '\n' | '\t' if self.kind != TextKind::Line => CharVerdict::Shows,
            '\r' if self.kind == TextKind::Prose && next == Some('\n') => CharVerdict::EndsLineToo,
            _ if self.joins(letter, next) => CharVerdict::Shows,
            _ if self.is_hidden(letter) || self.combining > MAX_MARKS_ON_A_LETTER => CharVerdict::Hides,
            _ => CharVerdict::Shows,
        };
        self.before = match verdict {
            CharVerdict::Shows => self.after(letter, is_combining),
            CharVerdict::Hides | CharVerdict::EndsLineToo => PrecedingChar::Nothing,
        };
        verdict
    }

    fn is_hidden(&self, letter: char) -> bool {
        match hidden(letter) {
            Some(Hidden::Blank) => self.kind != TextKind::Prose || !is_typographic_blank(letter),
            Some(Hidden::Control | Hidden::LineEnd | Hidden::Direction | Hidden::Invisible | Hidden::Private) => true,
            None => false,
        }
    }

    /// Whether an invisible character is needed here.
    fn joins(&self, letter: char, next: Option<char>) -> bool {
        match (letter, self.before) {
            ('\u{fe0e}' | '\u{fe0f}', PrecedingChar::Emoji) => true,
            ('\u{fe0f}', PrecedingChar::KeycapBase) => next == Some('\u{20e3}'),
            (JOINER, PrecedingChar::Emoji | PrecedingChar::StyledEmoji) => next.is_some_and(is_pictograph),
            (NON_JOINER, PrecedingChar::ArabicLetter) => next.is_some_and(is_arabic_letter),
            (JOINER | NON_JOINER, PrecedingChar::Virama) => {
                next.is_some_and(|next| next.is_alphabetic() && !next.is_ascii())
            }
            _ => false,
        }
    }

    fn after(&self, letter: char, is_combining: bool) -> PrecedingChar {
        match letter {
            '\u{fe0e}' | '\u{fe0f}' if self.before == PrecedingChar::Emoji => PrecedingChar::StyledEmoji,
            letter if is_pictograph(letter) => PrecedingChar::Emoji,
            letter if is_arabic_letter(letter) => PrecedingChar::ArabicLetter,
            letter if is_virama(letter) => PrecedingChar::Virama,
            _ if is_combining && self.before == PrecedingChar::ArabicLetter => PrecedingChar::ArabicLetter,
            _ => PrecedingChar::Nothing,
        }
    }
}

fn keycap(letter: char) -> PrecedingChar {
    if matches!(letter, '0'..='9' | '#' | '*') { PrecedingChar::KeycapBase } else { PrecedingChar::Nothing }
}

impl Iterator for Scan<'_> {
    type Item = (usize, char, CharVerdict);

    fn next(&mut self) -> Option<(usize, char, CharVerdict)> {
        let (at, letter) = self.chars.next()?;
        let next = self.chars.peek().map(|(_, next)| *next);
        Some((at, letter, self.verdict(letter, next)))
    }
}
