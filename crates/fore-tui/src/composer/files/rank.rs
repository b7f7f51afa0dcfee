//! Which of many names fit some words best, and which letters of them fit.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use std::cmp::Ordering;

/// A name that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::composer) struct NameMatch {
    pub(in crate::composer) name: String,
    /// The letters that fit, by their place among the letters of the name.
    pub(in crate::composer) marks: Vec<usize>,
}

/// Which of two names comes first when both fit equally well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::composer) enum Ties {
    Shortest,
    AsTheyCome,
}

/// The best `most` names, best first; without words the first ones as they come.
pub(in crate::composer) fn rank<'a>(
    words: &str,
    names: impl Iterator<Item = &'a str>,
    most: usize,
    ties: Ties,
) -> Vec<NameMatch> {
    if words.is_empty() {
        return names.take(most).map(|name| NameMatch { name: name.into(), marks: Vec::new() }).collect();
    }
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let pattern = Pattern::new(words, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
    let mut letters = Vec::new();
    let mut scored: Vec<(u32, &str)> = names
        .filter_map(|name| {
            let score = pattern.score(Utf32Str::new(name, &mut letters), &mut matcher)?;
            Some((score, name))
        })
        .collect();
    let best = |(score, name): &(u32, &str), (other_score, other_name): &(u32, &str)| {
        let tie = match ties {
            Ties::Shortest => name.len().cmp(&other_name.len()).then_with(|| name.cmp(other_name)),
            Ties::AsTheyCome => Ordering::Equal,
        };
        other_score.cmp(score).then(tie)
    };
    // Sorting is stable: names that are equal here stay as they came.
    scored.sort_by(best);
    scored.truncate(most);
    scored
        .into_iter()
        .map(|(_, name)| {
            let mut marks = Vec::new();
            pattern.indices(Utf32Str::new(name, &mut letters), &mut matcher, &mut marks);
            let mut marks: Vec<usize> = marks.into_iter().filter_map(|mark| usize::try_from(mark).ok()).collect();
            marks.sort_unstable();
            marks.dedup();
            NameMatch { name: name.into(), marks }
        })
        .collect()
}
