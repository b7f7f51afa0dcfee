//! Makes reminder tags in foreign text harmless and leaves everything else alone. It must be the last step before the model:
//! whatever removes characters afterwards (colour codes, say) could put a tag together again.

use std::borrow::Cow;

use super::lookalike::{
    NEUTRAL_CLOSE, NEUTRAL_OPEN, is_closer, is_invisible, is_opener, is_prefix, is_separator, letter, letter_pair,
};

/// How many bytes wait for the decision whether they are a tag. More than that inside a name is never honest text.
const MAX_HELD_BYTES: usize = 256;
/// How far after a forged name its closing bracket is looked for.
const MAX_TAIL: u16 = 256;

/// Foreign bytes as text in which no reminder tag is left; invalid UTF-8 becomes the replacement character.
pub(crate) fn defuse(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    let mut defuser = Defuser::new();
    defuser.push(bytes, &mut out);
    defuser.finish(&mut out);
    out
}

/// Foreign text in which no reminder tag is left; borrowed where nothing could be one.
pub fn defuse_str(text: &str) -> Cow<'_, str> {
    if text.contains(is_opener) { Cow::Owned(defuse(text.as_bytes())) } else { Cow::Borrowed(text) }
}

/// The same over a stream: however the bytes are cut into chunks, the output is the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Defuser {
    /// The start of a character whose end has not come yet: at most three bytes.
    partial: Vec<u8>,
    state: DefuserState,
}

#[derive(Clone, Debug, Default)]
enum DefuserState {
    #[default]
    Outside,
    Candidate(TagCandidate),
    /// After a forged name: the next closing bracket belongs to it.
    Tail {
        left: u16,
    },
}

/// Text that began with a bracket and may still turn out to be a tag.
#[derive(Clone, Debug)]
struct TagCandidate {
    positions: NamePositions,
    held: String,
    /// The bracket is out already, because too much space followed it: the name is marked instead.
    bracket_is_out: bool,
}

impl Defuser {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes and appends what is decided by now.
    pub(crate) fn push(&mut self, chunk: &[u8], out: &mut String) {
        let joined;
        let mut rest = if self.partial.is_empty() {
            chunk
        } else {
            let mut bytes = std::mem::take(&mut self.partial);
            bytes.extend_from_slice(chunk);
            joined = bytes;
            joined.as_slice()
        };
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => return self.push_str(text, out),
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    // Valid up to here, so nothing is lost by the lossy reading.
                    self.push_str(&String::from_utf8_lossy(valid), out);
                    let Some(bad) = error.error_len() else {
                        self.partial = after.to_vec();
                        return;
                    };
                    self.step(char::REPLACEMENT_CHARACTER, out);
                    rest = after.get(bad..).unwrap_or_default();
                }
            }
        }
    }

    /// Appends what was held back. What comes later belongs to another text.
    pub(crate) fn finish(mut self, out: &mut String) {
        if !self.partial.is_empty() {
            self.step(char::REPLACEMENT_CHARACTER, out);
        }
        if let DefuserState::Candidate(candidate) = self.state {
            out.push_str(&candidate.held);
        }
    }

    fn push_str(&mut self, text: &str, out: &mut String) {
        let mut rest = text;
        while !rest.is_empty() {
            if matches!(self.state, DefuserState::Outside) {
                let end = rest.find(is_opener).unwrap_or(rest.len());
                let (plain, after) = rest.split_at(end);
                out.push_str(plain);
                rest = after;
            }
            let mut chars = rest.chars();
            if let Some(c) = chars.next() {
                self.step(c, out);
            }
            rest = chars.as_str();
        }
    }

    fn step(&mut self, c: char, out: &mut String) {
        self.state = match std::mem::take(&mut self.state) {
            DefuserState::Outside => outside(c, out),
            DefuserState::Candidate(candidate) => candidate.step(c, out),
            DefuserState::Tail { left } => tail(c, left, out),
        };
    }
}

fn outside(c: char, out: &mut String) -> DefuserState {
    if is_opener(c) {
        return DefuserState::Candidate(TagCandidate {
            positions: NamePositions::START,
            held: c.into(),
            bracket_is_out: false,
        });
    }
    out.push(c);
    DefuserState::Outside
}

fn tail(c: char, left: u16, out: &mut String) -> DefuserState {
    if is_closer(c) {
        out.push(NEUTRAL_CLOSE);
        return DefuserState::Outside;
    }
    if is_opener(c) {
        return outside(c, out);
    }
    out.push(c);
    match left.checked_sub(1) {
        Some(left) => DefuserState::Tail { left },
        None => DefuserState::Outside,
    }
}

impl TagCandidate {
    fn step(mut self, c: char, out: &mut String) -> DefuserState {
        let mut next = self.positions.after(c);
        if is_opener(c) {
            if next.is_empty() {
                out.push_str(&self.held);
                return outside(c, out);
            }
            // An invisible bracket: it may be noise inside the name, or open a name of its own.
            next = next.or(NamePositions::START);
        }
        if next.is_empty() {
            out.push_str(&self.held);
            return outside(c, out);
        }
        self.held.push(c);
        self.positions = next;
        if next.holds_full_name() {
            self.write_defused(out);
            return DefuserState::Tail { left: MAX_TAIL };
        }
        let only_prefix = next == NamePositions::START;
        if only_prefix && (self.bracket_is_out || self.held.len() > MAX_HELD_BYTES) {
            out.push_str(&self.held);
            self.held.clear();
            self.bracket_is_out = true;
        } else if self.held.len() > MAX_HELD_BYTES {
            self.write_defused(out);
            return DefuserState::Tail { left: MAX_TAIL };
        }
        DefuserState::Candidate(self)
    }

    fn write_defused(&self, out: &mut String) {
        if self.bracket_is_out {
            out.push(NEUTRAL_OPEN);
        }
        out.extend(self.held.chars().map(|c| if is_opener(c) { NEUTRAL_OPEN } else { c }));
    }
}

/// Where in `system-reminder` the text read so far can be: one bit for each number of steps done. Several bits, because a
/// character can be a letter to one reader and nothing to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NamePositions(u16);

const NAME: &[u8] = b"system-reminder";
/// Where the hyphen stands; no letter leads over it.
const GAP: usize = 6;

impl NamePositions {
    const START: Self = Self(1);

    fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn holds_full_name(self) -> bool {
        self.0 & (1 << NAME.len()) != 0
    }

    fn after(self, c: char) -> Self {
        if let Some([first, second]) = letter_pair(c) {
            return self.after_letter(first).after_letter(second);
        }
        let read = letter(c).map_or(Self(0), |letter| self.after_letter(letter));
        read.or(self.after_no_letter(c))
    }

    /// Where the positions lead that wait for this letter.
    fn after_letter(self, letter: u8) -> Self {
        let waiting = NAME.iter().enumerate().filter(|(_, wanted)| **wanted == letter);
        let next = waiting.fold(0, |next, (position, _)| next | (self.0 & (1 << position)) << 1);
        Self(next)
    }

    /// Where the positions lead if the character is space, a hyphen, or nothing at all.
    fn after_no_letter(self, c: char) -> Self {
        let mut next = 0;
        if is_invisible(c) {
            next |= self.0;
        }
        if is_prefix(c) {
            next |= self.0 & Self::START.0;
        }
        if is_separator(c) {
            next |= (self.0 & (1 << GAP)) << 1 | self.0 & (1 << (GAP + 1));
        }
        Self(next)
    }
}

#[cfg(test)]
mod tests;
