//! What reading a transcript met: damage is counted and named, never passed over in silence.

use fore_text::{count, count_as, plural};
use std::fmt;

/// Line numbers of broken lines that are kept; more are only counted.
const MAX_NUMBERS: usize = 32;

/// How well a transcript could be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoldReport {
    /// Entries that were understood.
    pub entries: u64,
    /// Sound entries of a kind or version that this program does not know; they stay in the file.
    pub unknown: u64,
    /// The newest entry version met, if it is newer than this program.
    pub newer_version: Option<u32>,
    /// Lines in the middle that say nothing; they stay in the file.
    pub broken: u64,
    /// Where the first of them are, counted from 1.
    pub broken_lines: Vec<u64>,
    /// Changes that did not fit the state and so changed nothing.
    pub ignored: u64,
    /// The last line, when it is incomplete or broken.
    pub torn: Option<Torn>,
}

/// A last line that says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn {
    /// Where it begins in the file.
    pub at: u64,
    /// How long it is.
    pub bytes: u64,
    /// It is no beginning of an entry: no write was interrupted, something damaged it afterwards.
    pub damaged: bool,
}

impl FoldReport {
    pub(super) fn add_broken(&mut self, number: u64) {
        self.broken += 1;
        if self.broken_lines.len() < MAX_NUMBERS {
            self.broken_lines.push(number);
        }
    }

    /// Whether something that had been saved is gone. An interrupted write is not: nobody was told that it was saved.
    pub(crate) fn has_lost_entries(&self) -> bool {
        self.broken > 0 || self.torn.is_some_and(|torn| torn.damaged)
    }

    /// Whether every line was understood.
    pub fn is_clean(&self) -> bool {
        *self == FoldReport { entries: self.entries, ignored: self.ignored, ..FoldReport::default() }
    }
}

/// One line for people, empty when there is nothing to say.
impl fmt::Display for FoldReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(torn) = self.torn {
            let what = if torn.damaged { "was damaged" } else { "was not written to its end" };
            parts.push(format!("the last line ({} bytes) {what}", torn.bytes));
        }
        if self.broken > 0 {
            let numbers: Vec<String> = self.broken_lines.iter().map(u64::to_string).collect();
            let lines = count(self.broken, "damaged line");
            let verb = plural(self.broken, "was", "were");
            parts.push(format!("{lines} {verb} skipped (line {})", numbers.join(", ")));
        }
        if self.unknown > 0 {
            let entries = count_as(self.unknown, "entry", "entries");
            let verb = plural(self.unknown, "was", "were");
            parts.push(format!("{entries} of a kind this program does not know {verb} skipped"));
        }
        f.write_str(&parts.join("; "))
    }
}
