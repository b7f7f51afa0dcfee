//! Keeps the start and the end of an output stream, however long it gets.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::VecDeque;

/// Which stream some output came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Whether the two streams of a command can be told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutputStreams {
    /// Each has a pipe of its own; in which order they were written is not known.
    #[default]
    Apart,
    /// Both are standard output, as in a terminal: in the order they were written.
    Together,
}

/// Somebody who sees output as it comes.
pub(crate) type OutputListener<'a> = &'a mut (dyn FnMut(OutputStream, &[u8]) + Send);

/// What was kept of an output stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CapturedOutput {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    total: u64,
}

impl CapturedOutput {
    pub(crate) fn new(most_bytes: usize) -> CapturedOutput {
        CapturedOutput { half: most_bytes / 2, ..CapturedOutput::default() }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(self.half.saturating_sub(self.head.len())));
        self.head.extend_from_slice(first);
        // Of a long piece only the end can survive.
        let rest = rest.get(rest.len().saturating_sub(self.half)..).unwrap_or_default();
        let over = (self.tail.len() + rest.len()).saturating_sub(self.half);
        self.tail.drain(..over.min(self.tail.len()));
        self.tail.extend(rest);
    }

    /// How many bytes the command wrote, kept or not.
    pub fn total_bytes(&self) -> u64 {
        self.total
    }

    /// Bytes in the middle that were not kept.
    pub(crate) fn left_out_bytes(&self) -> u64 {
        self.total - (self.head.len() + self.tail.len()) as u64
    }

    /// Whether something is missing.
    pub fn truncated(&self) -> bool {
        self.left_out_bytes() > 0
    }

    /// The kept bytes, start and end joined.
    pub fn bytes(&self) -> Vec<u8> {
        self.head.iter().chain(&self.tail).copied().collect()
    }

    /// The kept text, with a line in the middle that says what is missing.
    pub fn text(&self) -> String {
        if !self.truncated() {
            return String::from_utf8_lossy(&self.bytes()).into_owned();
        }
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        let (head, tail): (Cow<'_, str>, Cow<'_, str>) =
            (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(&tail));
        format!("{head}\n[{} bytes left out]\n{tail}", self.left_out_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_output_is_kept_whole() {
        let mut captured = CapturedOutput::new(8);
        for piece in [b"abc".as_slice(), b"de", b"fgh"] {
            captured.push(piece);
        }
        assert_eq!((captured.text().as_str(), captured.truncated(), captured.total_bytes()), ("abcdefgh", false, 8));
    }

    #[test]
    fn long_output_keeps_start_and_end() {
        let mut captured = CapturedOutput::new(4);
        for piece in [b"abc".as_slice(), b"defghijklm", b"n"] {
            captured.push(piece);
        }
        assert_eq!((captured.text().as_str(), captured.left_out_bytes()), ("ab\n[10 bytes left out]\nmn", 10));
    }
}
