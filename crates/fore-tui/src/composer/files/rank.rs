//! Which of many names fit some words best, and which letters of them fit.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// A name that fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::composer) struct Match {
    pub(in crate::composer) name: String,
    /// The letters that fit, by their place among the letters of the name.
    pub(in crate::composer) marks: Vec<usize>,
}

/// The best `most` names, best first; without words the first ones as they come.
pub(in crate::composer) fn rank<'a>(words: &str, names: impl Iterator<Item = &'a str>, most: usize) -> Vec<Match> {
    if words.is_empty() {
        return names.take(most).map(|name| Match { name: name.into(), marks: Vec::new() }).collect();
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
    let best =
        |a: &(u32, &str), b: &(u32, &str)| b.0.cmp(&a.0).then(a.1.len().cmp(&b.1.len())).then_with(|| a.1.cmp(b.1));
    if scored.len() > most {
        scored.select_nth_unstable_by(most, best);
        scored.truncate(most);
    }
    scored.sort_unstable_by(best);
    scored
        .into_iter()
        .map(|(_, name)| {
            let mut marks = Vec::new();
            pattern.indices(Utf32Str::new(name, &mut letters), &mut matcher, &mut marks);
            let mut marks: Vec<usize> = marks.into_iter().filter_map(|mark| usize::try_from(mark).ok()).collect();
            marks.sort_unstable();
            marks.dedup();
            Match { name: name.into(), marks }
        })
        .collect()
}
