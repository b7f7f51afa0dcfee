//! What a search finds in one file, bounded: lines, a count, or that there is something.

use super::{
    MAX_BYTES,
    query::{GrepMode, SearchQuery},
};
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};
use std::io;

/// Letters of one line that are shown.
const MAX_CHARS: usize = 500;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Matches {
    Some,
    Count(u64),
    Lines(Vec<MatchLine>),
    /// Not text, so not searched.
    Binary,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MatchLine {
    pub(super) number: Option<u64>,
    pub(super) text: String,
    pub(super) is_match: bool,
    /// Lines are missing between this one and the one before.
    pub(super) begins_group: bool,
}

impl Matches {
    /// How many results they are, and about how many bytes.
    pub(super) fn size(&self) -> (usize, usize) {
        match self {
            Matches::Binary => (0, 0),
            Matches::Some | Matches::Count(_) => (1, 0),
            Matches::Lines(lines) => (lines.len(), lines.iter().map(|line| line.text.len().saturating_add(1)).sum()),
        }
    }
}

/// Takes what the searcher finds.
pub(super) struct MatchSink<'a> {
    asked: &'a SearchQuery,
    count: u64,
    lines: Vec<MatchLine>,
    bytes: usize,
    begins_group: bool,
    is_binary: bool,
}

impl<'a> MatchSink<'a> {
    pub(super) fn new(asked: &'a SearchQuery) -> MatchSink<'a> {
        MatchSink { asked, count: 0, lines: Vec::new(), bytes: 0, begins_group: false, is_binary: false }
    }

    pub(super) fn matches(self) -> Option<Matches> {
        match (self.is_binary, self.count, self.asked.mode) {
            (true, ..) => Some(Matches::Binary),
            (false, 0, _) => None,
            (false, _, GrepMode::Files) => Some(Matches::Some),
            (false, count, GrepMode::Count) => Some(Matches::Count(count)),
            (false, _, GrepMode::Content) => Some(Matches::Lines(self.lines)),
        }
    }

    /// Takes the lines; gives whether more are wanted: one more than is shown, so that it is known that there is more.
    fn take(&mut self, bytes: &[u8], number: Option<u64>, is_match: bool) -> bool {
        for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let number = number.map(|number| number.saturating_add(index as u64));
            let begins_group = std::mem::take(&mut self.begins_group);
            let text = cut(line);
            self.bytes = self.bytes.saturating_add(text.len()).saturating_add(1);
            self.lines.push(MatchLine { number, text, is_match, begins_group });
            if self.lines.len() > self.asked.limit || self.bytes > MAX_BYTES {
                return false;
            }
        }
        true
    }
}

impl Sink for MatchSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.count = self.count.saturating_add(1);
        Ok(match self.asked.mode {
            GrepMode::Files => false,
            GrepMode::Count => true,
            GrepMode::Content => self.take(found.bytes(), found.line_number(), true),
        })
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        Ok(self.take(found.bytes(), found.line_number(), false))
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        self.begins_group = true;
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> Result<bool, io::Error> {
        self.is_binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> Result<(), io::Error> {
        self.is_binary |= end.binary_byte_offset().is_some();
        Ok(())
    }
}

/// A line as it is shown: without its end, and not longer than anybody reads.
fn cut(line: &[u8]) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // Four bytes are the most that a letter takes: what is behind them needs no decoding.
    let head = line.get(..MAX_CHARS.saturating_mul(4)).unwrap_or(line);
    let text = String::from_utf8_lossy(head);
    let kept = fore_text::cut::chars(&text, MAX_CHARS);
    let is_all = kept.len() == text.len() && head.len() == line.len();
    if is_all { text.into_owned() } else { format!("{kept}… [line cut]") }
}
