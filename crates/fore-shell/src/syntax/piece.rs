//! Splits a word into plain text and expansions, with quotes and escapes resolved.

use super::{
    doubt::Doubt,
    scan::{self, Quoting},
    script::RawWord,
};
use std::borrow::Cow;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WordPiece<'t> {
    /// Text; where it was not quoted, braces, tildes and globs in it are still alive.
    Text { text: Cow<'t, str>, quoted: bool },
    /// `$name` or the inside of `${…}`.
    Parameter { inside: RawWord<'t>, quoted: bool, braced: bool },
    /// The inside of `$(…)` or backquotes.
    Command { inside: RawWord<'t>, quoted: bool },
    /// The inside of `<(…)` or `>(…)`.
    Process { inside: RawWord<'t> },
    /// The inside of `$((…))`.
    Arithmetic { inside: RawWord<'t>, quoted: bool },
}

/// How quotes are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuoteReading {
    /// As in an ordinary word.
    Word,
    /// As in a here-document: quotes are plain characters, only `\`, `$` and backquotes count.
    Body,
}

/// The pieces of a word.
pub(crate) fn pieces(raw: RawWord<'_>, reading: QuoteReading) -> Result<Vec<WordPiece<'_>>, Doubt> {
    let mut cutter = PieceCutter { raw, pieces: Vec::with_capacity(2), at: 0 };
    match reading {
        QuoteReading::Word => cutter.unquoted(),
        QuoteReading::Body => cutter.body(raw.text.len(), false),
    }
    .map_err(|doubt| moved(doubt, raw.start))?;
    Ok(cutter.pieces)
}

/// Positions inside the word become positions inside its source.
fn moved(mut doubt: Doubt, by: usize) -> Doubt {
    doubt.range = doubt.range.map(|(start, end)| (start + by, end + by));
    doubt
}

struct PieceCutter<'t> {
    raw: RawWord<'t>,
    pieces: Vec<WordPiece<'t>>,
    at: usize,
}

impl<'t> PieceCutter<'t> {
    fn slice(&self, start: usize, end: usize) -> &'t str {
        self.raw.text.get(start..end).unwrap_or_default()
    }

    fn part(&self, start: usize, end: usize) -> RawWord<'t> {
        RawWord { text: self.slice(start, end), start: self.raw.start + start }
    }

    fn text(&mut self, start: usize, end: usize, quoted: bool) {
        if end > start || quoted {
            self.pieces.push(WordPiece::Text { text: Cow::Borrowed(self.slice(start, end)), quoted });
        }
        self.at = end;
    }

    fn unquoted(&mut self) -> Result<(), Doubt> {
        let text = self.raw.text;
        while self.at < text.len() {
            let at = self.at;
            match scan::byte(text, at) {
                b'\\' if scan::byte(text, at + 1) == b'\n' => return Err(scan::joined(at)),
                b'\\' => {
                    let end = at + 1 + scan::char_len(text, at + 1);
                    self.text(at + 1, end, true);
                }
                b'\'' => {
                    let end = scan::single(text, at)?;
                    self.text(at + 1, end - 1, true);
                    self.at = end;
                }
                b'"' => self.double(at)?,
                b'$' if scan::byte(text, at + 1) == b'\'' => {
                    let end = scan::ansi(text, at)?;
                    let decoded = decode_ansi(self.slice(at + 2, end - 1)).ok_or_else(|| {
                        Doubt::new("word.escape", "an escape that is not certain to mean the same everywhere")
                            .at(at, end)
                    })?;
                    self.pieces.push(WordPiece::Text { text: Cow::Owned(decoded), quoted: true });
                    self.at = end;
                }
                b'$' if scan::byte(text, at + 1) == b'"' => self.double(at + 1)?,
                b'$' => self.dollar(at, Quoting::None)?,
                b'`' => self.backquote(at, false)?,
                b'<' | b'>' if scan::byte(text, at + 1) == b'(' => {
                    let end = scan::substitution(text, at + 2, 0)?;
                    let inside = self.part(at + 2, end - 1);
                    self.pieces.push(WordPiece::Process { inside });
                    self.at = end;
                }
                meta if scan::is_meta(meta) => {
                    return Err(Doubt::new("word.meta", "a word that bash would cut").at(at, at + 1));
                }
                _ => {
                    let length = text.get(at..).and_then(|rest| {
                        rest.find(['\\', '\'', '"', '$', '`', '<', '>', ' ', '\t', '\n', ';', '&', '|', '(', ')'])
                    });
                    self.text(at, length.map_or(text.len(), |length| at + length), false);
                }
            }
        }
        Ok(())
    }

    fn double(&mut self, start: usize) -> Result<(), Doubt> {
        let end = scan::double(self.raw.text, start, 0)?;
        self.at = start + 1;
        if self.at == end - 1 {
            self.text(self.at, end - 1, true);
        }
        self.body(end - 1, true)?;
        self.at = end;
        Ok(())
    }

    /// Text in which only backslashes, dollars and backquotes count.
    fn body(&mut self, end: usize, in_quotes: bool) -> Result<(), Doubt> {
        let text = self.raw.text;
        while self.at < end {
            let at = self.at;
            match scan::byte(text, at) {
                b'\\' => {
                    let next = scan::byte(text, at + 1);
                    if next == b'\n' {
                        self.at += 2;
                    } else if matches!(next, b'$' | b'`' | b'\\') || (next == b'"' && in_quotes) {
                        self.text(at + 1, at + 2, true);
                    } else {
                        self.text(at, at + 1, true);
                    }
                }
                b'$' => self.dollar(at, Quoting::Double)?,
                b'`' => self.backquote(at, true)?,
                _ => {
                    let length = text.get(at..end).and_then(|rest| rest.find(['\\', '$', '`']));
                    self.text(at, length.map_or(end, |length| at + length), true);
                }
            }
        }
        Ok(())
    }

    fn backquote(&mut self, at: usize, quoted: bool) -> Result<(), Doubt> {
        let end = scan::backquote(self.raw.text, at)?;
        let inside = self.part(at + 1, end - 1);
        self.pieces.push(WordPiece::Command { inside, quoted });
        self.at = end;
        Ok(())
    }

    fn dollar(&mut self, at: usize, quoting: Quoting) -> Result<(), Doubt> {
        let quoted = quoting == Quoting::Double;
        let end = scan::dollar(self.raw.text, at, quoting, 0)?;
        let piece = match (scan::byte(self.raw.text, at + 1), scan::byte(self.raw.text, at + 2)) {
            _ if end == at + 1 => WordPiece::Text { text: Cow::Borrowed("$"), quoted },
            (b'(', b'(') => WordPiece::Arithmetic { inside: self.part(at + 3, end - 2), quoted },
            (b'(', _) => WordPiece::Command { inside: self.part(at + 2, end - 1), quoted },
            (b'{', _) => WordPiece::Parameter { inside: self.part(at + 2, end - 1), quoted, braced: true },
            (_, _) => WordPiece::Parameter { inside: self.part(at + 1, end), quoted, braced: false },
        };
        self.pieces.push(piece);
        self.at = end;
        Ok(())
    }
}

/// The text inside `$'…'`; `None` for escapes whose result is not plain text.
fn decode_ansi(text: &str) -> Option<String> {
    let mut decoded = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\\' {
            decoded.push(character);
            continue;
        }
        let digits = |characters: &mut std::iter::Peekable<std::str::Chars<'_>>,
                      first: Option<char>,
                      radix: u32,
                      most: usize| {
            let mut digits: String = first.into_iter().collect();
            while digits.len() < most {
                match characters.peek() {
                    Some(digit) if digit.is_digit(radix) => digits.extend(characters.next()),
                    Some(_) | None => break,
                }
            }
            u32::from_str_radix(&digits, radix).ok()
        };
        let plain = match characters.next()? {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'e' | 'E' => '\u{1b}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            same @ ('\\' | '\'' | '"' | '?') => same,
            'x' => ascii(digits(&mut characters, None, 16, 2)?)?,
            octal @ '0'..='7' => ascii(digits(&mut characters, Some(octal), 8, 3)?)?,
            'u' => ascii(digits(&mut characters, None, 16, 4)?)?,
            'U' => ascii(digits(&mut characters, None, 16, 8)?)?,
            _ => return None,
        };
        decoded.push(plain);
    }
    Some(decoded)
}

fn ascii(code: u32) -> Option<char> {
    (1..0x80).contains(&code).then(|| char::from_u32(code)).flatten()
}
