//! Takes from a caged command's output what a terminal would obey. Colours stay; everything else that steers is shown as letters.
//!
//! A terminal that obeys can be made to fill the clipboard, or to answer into the shell that reads next: that would be outside the cage.

/// Longest colour sequence that is believed.
const MOST_SEQUENCE: usize = 64;

/// One output stream on its way to a terminal; pieces may end anywhere.
#[derive(Debug, Default)]
pub(crate) struct Tame {
    /// The start of a letter whose end has not come yet.
    partial: Vec<u8>,
    /// The start of a sequence whose end has not come yet; empty outside of one.
    sequence: String,
}

impl Tame {
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
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
    pub(crate) fn finish(&mut self) -> String {
        let mut out = String::new();
        self.give_up(&mut out);
        if !std::mem::take(&mut self.partial).is_empty() {
            out.push(char::REPLACEMENT_CHARACTER);
        }
        out
    }

    fn letter(&mut self, letter: char, out: &mut String) {
        match (self.sequence.len(), letter) {
            (0, '\u{1b}') | (1, '[') => self.sequence.push(letter),
            (0, _) => plain(letter, out),
            (2..MOST_SEQUENCE, '0'..='9' | ';' | ':') => self.sequence.push(letter),
            (2.., 'm') => {
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
        std::mem::take(&mut self.sequence).chars().for_each(|letter| plain(letter, out));
    }
}

fn plain(letter: char, out: &mut String) {
    match letter {
        '\n' | '\r' | '\t' | '\u{8}' => out.push(letter),
        // As `cat -v` shows them.
        '\0'..='\u{1f}' => out.extend(['^', char::from(letter as u8 + b'@')]),
        '\u{7f}'..='\u{9f}' => out.extend(letter.escape_default()),
        _ => out.push(letter),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_pass_and_everything_else_that_steers_is_shown() {
        let page: [(&[u8], &str); 8] = [
            ("é \u{1b}[1;31mred\u{1b}[0m\r\n\t".as_bytes(), "é \u{1b}[1;31mred\u{1b}[0m\r\n\t"),
            (b"\x1b]52;c;ZXZpbA==\x07", "^[]52;c;ZXZpbA==^G"),
            (b"\x1b[6n\x1b[2J", "^[[6n^[[2J"),
            (b"\x1b\x1b[c\x1b[>0q", "^[^[[c^[[>0q"),
            ("\u{9b}6n".as_bytes(), "\\u{9b}6n"),
            (b"\x9b6n\xff", "\u{fffd}6n\u{fffd}"),
            (b"end\x1b[1", "end^[[1"),
            (b"end\xc3", "end\u{fffd}"),
        ];
        for (bytes, expected) in page {
            let mut whole = Tame::default();
            assert_eq!(whole.push(bytes) + &whole.finish(), expected);
            let mut pieces = Tame::default();
            let mut out: String = bytes.iter().map(|byte| pieces.push(&[*byte])).collect();
            out.push_str(&pieces.finish());
            assert_eq!(out, expected);
        }
    }
}
