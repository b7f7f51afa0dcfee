//! A fixed set of words, written as one text and looked up at once.

use std::{collections::HashSet, sync::OnceLock};

/// Words that mean the same to a reader of plans.
pub(super) struct WordSet {
    /// With blanks between them.
    words: &'static str,
    index: OnceLock<WordIndex>,
}

struct WordIndex {
    set: HashSet<&'static str>,
    /// For each first letter, which lengths there are: most words are told apart by that alone.
    lengths: [u32; 26],
}

impl WordSet {
    pub(super) const fn new(words: &'static str) -> WordSet {
        WordSet { words, index: OnceLock::new() }
    }

    pub(super) fn contains(&self, word: &str) -> bool {
        let index = self.index.get_or_init(|| WordIndex::of(self.words));
        let lengths = letter(word).and_then(|letter| index.lengths.get(letter));
        lengths.is_none_or(|lengths| lengths & length_bit(word) != 0) && index.set.contains(word)
    }
}

impl WordIndex {
    fn of(words: &'static str) -> WordIndex {
        let mut lengths = [0; 26];
        for word in words.split_whitespace() {
            if let Some(known) = letter(word).and_then(|letter| lengths.get_mut(letter)) {
                *known |= length_bit(word);
            }
        }
        WordIndex { set: words.split_whitespace().collect(), lengths }
    }
}

/// The place of the first letter in the alphabet; none for anything else.
fn letter(word: &str) -> Option<usize> {
    word.bytes().next().and_then(|byte| byte.checked_sub(b'a')).map(usize::from).filter(|place| *place < 26)
}

fn length_bit(word: &str) -> u32 {
    1 << word.len().min(31)
}
