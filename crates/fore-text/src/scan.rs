//! Goes through a text once and says of each character whether it shows where it stands.

use crate::hidden::{Hidden, hidden, is_arabic_letter, is_pictograph, is_typographic_blank, is_virama};
use std::{borrow::Cow, iter::Peekable, str::CharIndices};
use unicode_width::UnicodeWidthChar as _;

/// Combining marks that one letter wears.
pub const MAX_MARKS_ON_A_LETTER: usize = 8;

const JOINER: char = '\u{200d}';
const NON_JOINER: char = '\u{200c}';

/// What a text is, and so which characters belong into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Running text: line ends, tabs and the blanks of ordinary typography stay; `\r\n` is a line end.
    Prose,
    /// Text of which every character counts, such as a command: only line ends and tabs stay.
    Exact,
    /// One line: line ends and tabs are marks as well.
    Line,
}

/// A part of a text as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Characters that show, as they are.
    Plain(&'a str),
    /// One that does not, written out.
    Mark(String),
}

/// The text with every character that does not show written out.
pub fn shown(text: &str, kind: Kind) -> Cow<'_, str> {
    if is_plain_ascii(text, kind) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut is_changed = false;
    for (letter, verdict) in Scan::new(text, kind).map(|(_, letter, verdict)| (letter, verdict)) {
        is_changed |= verdict != Verdict::Shows;
        match verdict {
            Verdict::Shows => out.push(letter),
            Verdict::Hides => write_mark(letter, &mut out),
            Verdict::EndsLineToo => {}
        }
    }
    if is_changed { Cow::Owned(out) } else { Cow::Borrowed(text) }
}

/// The same in parts, for a face that colours its marks.
pub fn pieces(text: &str, kind: Kind) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, letter, verdict) in Scan::new(text, kind).filter(|(_, _, verdict)| *verdict != Verdict::Shows) {
        pieces.extend(text.get(start..at).filter(|plain| !plain.is_empty()).map(Piece::Plain));
        if verdict == Verdict::Hides {
            let mut mark = String::new();
            write_mark(letter, &mut mark);
            pieces.push(Piece::Mark(mark));
        }
        start = at + letter.len_utf8();
    }
    pieces.extend(text.get(start..).filter(|plain| !plain.is_empty()).map(Piece::Plain));
    pieces
}

/// How many characters of the text are written out.
pub fn marks(text: &str, kind: Kind) -> usize {
    if is_plain_ascii(text, kind) {
        return 0;
    }
    Scan::new(text, kind).filter(|(_, _, verdict)| *verdict == Verdict::Hides).count()
}

/// The first character that is written out, and where it stands.
pub fn first_mark(text: &str, kind: Kind) -> Option<(usize, char)> {
    if is_plain_ascii(text, kind) {
        return None;
    }
    let mut found = Scan::new(text, kind).filter(|(_, _, verdict)| *verdict == Verdict::Hides);
    found.next().map(|(at, letter, _)| (at, letter))
}

/// Whether there is a place where the character shows: for keys, which come one by one.
pub fn may_show(letter: char) -> bool {
    let is_needed_somewhere = matches!(letter, JOINER | NON_JOINER | '\u{fe0e}' | '\u{fe0f}');
    hidden(letter).is_none() || is_needed_somewhere || is_typographic_blank(letter)
}

/// Most of what is shown is plain: one look at the bytes tells.
fn is_plain_ascii(text: &str, kind: Kind) -> bool {
    let has_lines = kind != Kind::Line;
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
enum Verdict {
    Shows,
    Hides,
    /// The `\r` of a `\r\n`.
    EndsLineToo,
}

/// What stands before a character, as far as joiners hang on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Nothing,
    Emoji,
    /// An emoji with its variation selector: it may be joined, and not styled again.
    StyledEmoji,
    KeycapBase,
    ArabicLetter,
    Virama,
}

struct Scan<'a> {
    letters: Peekable<CharIndices<'a>>,
    kind: Kind,
    before: Before,
    combining: usize,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str, kind: Kind) -> Scan<'a> {
        Scan { letters: text.char_indices().peekable(), kind, before: Before::Nothing, combining: 0 }
    }

    fn verdict(&mut self, letter: char, next: Option<char>) -> Verdict {
        if matches!(letter, ' '..='~') {
            (self.before, self.combining) = (keycap(letter), 0);
            return Verdict::Shows;
        }
        let is_combining = letter.width() == Some(0) && hidden(letter).is_none();
        self.combining = if is_combining { self.combining.saturating_add(1) } else { 0 };
        let verdict = match letter {
            '\n' | '\t' if self.kind != Kind::Line => Verdict::Shows,
            '\r' if self.kind == Kind::Prose && next == Some('\n') => Verdict::EndsLineToo,
            _ if self.joins(letter, next) => Verdict::Shows,
            _ if self.is_hidden(letter) || self.combining > MAX_MARKS_ON_A_LETTER => Verdict::Hides,
            _ => Verdict::Shows,
        };
        self.before = match verdict {
            Verdict::Shows => self.after(letter, is_combining),
            Verdict::Hides | Verdict::EndsLineToo => Before::Nothing,
        };
        verdict
    }

    fn is_hidden(&self, letter: char) -> bool {
        match hidden(letter) {
            Some(Hidden::Blank) => self.kind != Kind::Prose || !is_typographic_blank(letter),
            Some(Hidden::Control | Hidden::LineEnd | Hidden::Direction | Hidden::Invisible | Hidden::Private) => true,
            None => false,
        }
    }

    /// Whether an invisible character is needed here.
    fn joins(&self, letter: char, next: Option<char>) -> bool {
        match (letter, self.before) {
            ('\u{fe0e}' | '\u{fe0f}', Before::Emoji) => true,
            ('\u{fe0f}', Before::KeycapBase) => next == Some('\u{20e3}'),
            (JOINER, Before::Emoji | Before::StyledEmoji) => next.is_some_and(is_pictograph),
            (NON_JOINER, Before::ArabicLetter) => next.is_some_and(is_arabic_letter),
            (JOINER | NON_JOINER, Before::Virama) => next.is_some_and(|next| next.is_alphabetic() && !next.is_ascii()),
            _ => false,
        }
    }

    fn after(&self, letter: char, is_combining: bool) -> Before {
        match letter {
            '\u{fe0e}' | '\u{fe0f}' if self.before == Before::Emoji => Before::StyledEmoji,
            letter if is_pictograph(letter) => Before::Emoji,
            letter if is_arabic_letter(letter) => Before::ArabicLetter,
            letter if is_virama(letter) => Before::Virama,
            _ if is_combining && self.before == Before::ArabicLetter => Before::ArabicLetter,
            _ => Before::Nothing,
        }
    }
}

fn keycap(letter: char) -> Before {
    if matches!(letter, '0'..='9' | '#' | '*') { Before::KeycapBase } else { Before::Nothing }
}

impl Iterator for Scan<'_> {
    type Item = (usize, char, Verdict);

    fn next(&mut self) -> Option<(usize, char, Verdict)> {
        let (at, letter) = self.letters.next()?;
        let next = self.letters.peek().map(|(_, next)| *next);
        Some((at, letter, self.verdict(letter, next)))
    }
}
