//! The part of a word that its forms share, so that `discounts` finds `discount` and `caching` finds `cache`.

/// Endings that a short stem may have before the next part of a name; a longer one may have any.
pub(super) const ENDINGS: &str = "e|es|s|ed|er|ers|ing|ion|ions|or|ors|y|ies|ied|able|ment";
/// A stem of more letters is telling enough to be followed by anything.
pub(super) const LONG: usize = 5;

/// The stem of a lower-case word. Light: a wrong stem must still begin the word.
pub(super) fn stem(word: &str) -> String {
    let count = word.chars().count();
    let cut = |ending: &str, least: usize| word.strip_suffix(ending).filter(|_| count >= least);
    let stem = if let Some(rest) = cut("ies", 6) {
        rest
    } else if let Some(rest) = cut("ing", 6).or_else(|| cut("ed", 6)) {
        undoubled(rest)
    } else if let Some(rest) = cut("ions", 8).or_else(|| cut("ion", 7)) {
        rest
    } else if let Some(rest) = cut("s", 4).filter(|rest| !rest.ends_with(['s', 'u', 'i'])) {
        rest.strip_suffix('e').filter(|_| count >= 6).unwrap_or(rest)
    } else if let Some(rest) = cut("e", 5).or_else(|| cut("y", 5)) {
        rest
    } else {
        word
    };
    stem.to_owned()
}

/// `running` is `run` and `adding` is `add`: only letters that are doubled before an ending lose one.
fn undoubled(rest: &str) -> &str {
    let mut receiver = rest.chars().rev();
    match (receiver.next(), receiver.next()) {
        (Some(last), Some(before)) if last == before && matches!(last, 'b' | 'g' | 'm' | 'n' | 'p' | 'r' | 't') => {
            rest.strip_suffix(last).unwrap_or(rest)
        }
        _ => rest,
    }
}

/// Whether one part of a name is a form of the stem.
pub(in crate::scout) fn part_matches(part: &str, stem: &str) -> bool {
    match part.strip_prefix(stem) {
        Some("") => true,
        Some(rest) => stem.chars().count() > LONG || ENDINGS.split('|').any(|ending| ending == rest),
        None => false,
    }
}
