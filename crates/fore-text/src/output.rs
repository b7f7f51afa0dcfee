//! What programs print: without their colours in a report of ours, or with them on its way to a terminal.

use crate::{
    hidden::{Hidden, hidden},
    scan::{TextKind, shown, write_mark},
};

const ESCAPE: char = '\u{1b}';
/// Longest sequence that is believed.
const MAX_SEQUENCE_BYTES: usize = 4096;
/// What is held back of running text at most.
const MAX_HELD_BYTES: usize = 256;
/// Longest colour sequence that is believed.
const MAX_COLOUR_BYTES: usize = 64;

/// Output of a command as text to read: whole escape sequences are taken out, a line that was written over is a line of
/// its own, everything else that steers or hides is a mark. Letters are never taken out.
pub fn output(text: &str) -> String {
    let text = without_sequences(text).replace("\r\n", "\n").replace('\r', "\n");
    shown(&text, TextKind::Prose).into_owned()
}

/// Without escape sequences; what is not a whole one is left for its mark.
fn without_sequences(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(ESCAPE) {
        out.push_str(before);
        rest = match sequence(after) {
            Some(length) => after.get(length..).unwrap_or_default(),
            None => {
                out.push(ESCAPE);
                after
            }
        };
    }
    out.push_str(rest);
    out
}

/// How many bytes behind an escape character belong to its sequence, if it is a whole one.
fn sequence(after: &str) -> Option<usize> {
    let bytes = after.as_bytes().get(..after.len().min(MAX_SEQUENCE_BYTES)).unwrap_or_default();
    match bytes.first()? {
        b'[' => {
            let end = bytes.iter().skip(1).position(|byte| !matches!(byte, b' '..=b'?'))? + 1;
            matches!(bytes.get(end), Some(b'@'..=b'~')).then_some(end + 1)
        }
        // Strings: titles, links, the clipboard. They end with a bell or with `ESC \`.
        b']' | b'P' | b'X' | b'^' | b'_' => {
            let end = bytes.iter().position(|byte| matches!(byte, b'\x07' | b'\x1b'))?;
            match (bytes.get(end), bytes.get(end + 1)) {
                (Some(b'\x07'), _) => Some(end + 1),
                (_, Some(b'\\')) => Some(end + 2),
                _ => None,
            }
        }
        b'(' | b')' => bytes.get(1).filter(|byte| byte.is_ascii_graphic()).map(|_| 2),
        _ => None,
    }
}

/// Running text that comes in pieces, which may part what belongs together: a line end, an emoji.
#[derive(Debug, Default)]
pub struct ProseStream {
    /// What the next piece may belong to.
    held: String,
}

impl ProseStream {
    /// The next piece, as far as it can be shown already.
    pub fn push(&mut self, text: &str) -> String {
        self.held.push_str(text);
        let is_certain = |letter: char| matches!(letter, ' '..='~' | '\n') && !matches!(letter, '0'..='9' | '#' | '*');
        let end = match self.held.rfind(is_certain) {
            Some(at) => at + 1,
            // A script without blanks is not held back for ever.
            None if self.held.len() > MAX_HELD_BYTES => self.held.len(),
            None => 0,
        };
        let rest = self.held.split_off(end);
        let certain = std::mem::replace(&mut self.held, rest);
        shown(&certain, TextKind::Prose).into_owned()
    }

    /// What is still held back, when nothing more comes.
    pub fn finish(&mut self) -> String {
        shown(&std::mem::take(&mut self.held), TextKind::Prose).into_owned()
    }
}

/// One output stream of a person's own program on its way to their terminal; pieces may end anywhere.
///
/// Colours, and moves within the line, are the program's. Everything else that steers is a mark: a terminal that obeys can
/// be made to fill the clipboard, or to answer into the shell that reads next.
#[derive(Debug, Default)]
pub struct ProgramOutput {
    /// The start of a letter whose end has not come yet.
    partial: Vec<u8>,
    /// The start of a sequence whose end has not come yet; empty outside of one.
    sequence: String,
}

impl ProgramOutput {
    /// The next bytes, as they may be printed.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.partial.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.partial);
        let mut out = String::with_capacity(bytes.len());
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (valid, error) = match std::str::from_utf8(rest) {
                Ok(text) => (text.len(), None),
                Err(error) => (error.valid_up_to(), Some(error.error_len())),
            };
            let (text, after) = rest.split_at(valid);
            String::from_utf8_lossy(text).chars().for_each(|letter| self.letter(letter, &mut out));
            rest = match error {
                None => after,
                Some(Some(length)) => {
                    self.letter(char::REPLACEMENT_CHARACTER, &mut out);
                    after.get(length..).unwrap_or_default()
                }
                Some(None) => {
                    self.partial = after.to_vec();
                    &[]
                }
            };
        }
        out
    }

    /// What is still held back, when nothing more comes.
    pub fn finish(&mut self) -> String {
        let mut out = String::new();
        self.give_up(&mut out);
        if !std::mem::take(&mut self.partial).is_empty() {
            out.push(char::REPLACEMENT_CHARACTER);
        }
        out
    }

    fn letter(&mut self, letter: char, out: &mut String) {
        match (self.sequence.len(), letter) {
            (0, ESCAPE) | (1, '[') => self.sequence.push(letter),
            (0, _) => as_printed(letter, out),
            (2..MAX_COLOUR_BYTES, '0'..='9' | ';' | ':') => self.sequence.push(letter),
            (2.., 'm') if !hides(&self.sequence) => {
                out.push_str(&self.sequence);
                out.push('m');
                self.sequence.clear();
            }
            _ => {
                self.give_up(out);
                self.letter(letter, out);
            }
        }
    }

    /// It was no colour: its letters are shown.
    fn give_up(&mut self, out: &mut String) {
        std::mem::take(&mut self.sequence).chars().for_each(|letter| as_printed(letter, out));
    }
}

/// Whether a colour sequence makes what follows invisible. An 8 may also be the number of a colour.
fn hides(sequence: &str) -> bool {
    let mut parts = sequence.trim_start_matches([ESCAPE, '[']).split(';');
    while let Some(part) = parts.next() {
        let number = part.split(':').next().unwrap_or_default();
        match (number.trim_start_matches('0'), parts.clone().next()) {
            ("8", _) => return true,
            ("38" | "48" | "58", Some("5")) => drop(parts.nth(1)),
            ("38" | "48" | "58", Some("2")) => drop(parts.nth(3)),
            _ => {}
        }
    }
    false
}

fn as_printed(letter: char, out: &mut String) {
    match (letter, hidden(letter)) {
        ('\n' | '\r' | '\t' | '\u{8}', _) => out.push(letter),
        (_, Some(Hidden::Control)) => write_mark(letter, out),
        _ => out.push(letter),
    }
}
