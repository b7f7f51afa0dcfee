//! Earlier prompts, to be walked and searched. What is being written is never lost on the way.

use std::collections::{BTreeMap, HashSet};

/// Most prompts that are remembered here, and most bytes of them.
const MAX_ENTRIES: usize = 1_000;
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// How much of the beginning of a prompt is searched, so that a search stays quick.
const MAX_SEARCHED_BYTES: usize = 4_000;

#[derive(Debug, Default)]
pub(super) struct Recall {
    /// Oldest first, each once.
    entries: Vec<String>,
    /// Where the walk is; none while the newest text is being written.
    at: Option<usize>,
    /// Texts changed on the walk, by their place; the unsent draft is behind the last entry.
    changed: BTreeMap<usize, String>,
}

/// What a step of the walk leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RecallStep {
    /// A prompt as it was sent.
    Entry(String),
    /// A text that was being written, as the draft showed it.
    Draft(String),
}

impl Recall {
    pub(super) fn new(history: Vec<String>) -> Recall {
        let mut seen = HashSet::new();
        let mut entries: Vec<String> = history
            .into_iter()
            .rev()
            .filter(|text| !text.trim().is_empty() && seen.insert(text.clone()))
            .take(MAX_ENTRIES)
            .collect();
        entries.reverse();
        let mut recall = Recall { entries, ..Recall::default() };
        recall.bound();
        recall
    }

    /// A prompt was sent: it is the newest one, and the walk is over.
    pub(super) fn remember(&mut self, text: String) {
        self.rest();
        if text.trim().is_empty() {
            return;
        }
        self.entries.retain(|entry| *entry != text);
        self.entries.push(text);
        self.bound();
    }

    /// The walk is over; what was changed on it is dropped.
    pub(super) fn rest(&mut self) {
        self.at = None;
        self.changed.clear();
    }

    pub(super) fn older(&mut self, shown: String) -> Option<RecallStep> {
        let here = self.at.unwrap_or(self.entries.len());
        self.go(here, here.checked_sub(1)?, shown)
    }

    pub(super) fn newer(&mut self, shown: String) -> Option<RecallStep> {
        let here = self.at?;
        self.go(here, here + 1, shown)
    }

    fn go(&mut self, from: usize, to: usize, shown: String) -> Option<RecallStep> {
        if self.entries.get(from) != Some(&shown) {
            self.changed.insert(from, shown);
        }
        self.at = (to < self.entries.len()).then_some(to);
        match self.changed.get(&to) {
            Some(text) => Some(RecallStep::Draft(text.clone())),
            None => self.entries.get(to).cloned().map(RecallStep::Entry),
        }
    }

    /// The newest prompt before `before` that has these words, whatever their case.
    pub(super) fn find_older(&self, words: &str, before: usize) -> Option<usize> {
        let words = words.to_lowercase();
        let older = self.entries.get(..before.min(self.entries.len()))?;
        older.iter().rposition(|entry| has(entry, &words))
    }

    /// The oldest prompt after `after` that has these words.
    pub(super) fn find_newer(&self, words: &str, after: usize) -> Option<usize> {
        let words = words.to_lowercase();
        let newer = self.entries.get(after + 1..)?;
        newer.iter().position(|entry| has(entry, &words)).map(|found| found + after + 1)
    }

    pub(super) fn entry(&self, at: usize) -> Option<&str> {
        self.entries.get(at).map(String::as_str)
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    fn bound(&mut self) {
        let mut bytes = 0;
        let kept = self.entries.iter().rev().take(MAX_ENTRIES).take_while(|entry| {
            bytes += entry.len();
            bytes <= MAX_BYTES
        });
        let dropped = self.entries.len() - kept.count();
        self.entries.drain(..dropped);
    }
}

fn has(entry: &str, words: &str) -> bool {
    fore_text::cut::bytes(entry, MAX_SEARCHED_BYTES).to_lowercase().contains(words)
}
