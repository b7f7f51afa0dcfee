//! Cuts long text to a bound and says how much is missing. Never cuts inside a character.

use fore_text::cut;
use std::borrow::Cow;

/// At most `max` characters of the text, then a note on what was left out.
pub(crate) fn bounded(text: &str, max: usize) -> Cow<'_, str> {
    let kept = cut::chars(text, max);
    match text.strip_prefix(kept).map(|left| left.chars().count()) {
        None | Some(0) => Cow::Borrowed(text),
        Some(left) => Cow::Owned(format!("{kept}… [{left} more characters left out]")),
    }
}

/// Whether a text that went through [`bounded`] with this `max` has nothing left out: with its note a cut one is longer.
pub(crate) fn is_complete(text: &str, max: usize) -> bool {
    text.chars().nth(max).is_none()
}

/// The text on one line of at most `max` characters: for names and descriptions in lists.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    cut::ellipsis(&cut::one_line(text), max).into_owned()
}

#[cfg(test)]
mod tests {
    use super::{bounded, is_complete, one_line};

    #[test]
    fn text_within_the_bound_stays() {
        assert_eq!(bounded("äöü", 3), "äöü");
        assert_eq!(one_line(" a\n b ", 10), "a b");
    }

    #[test]
    fn longer_text_is_cut_at_a_character_and_says_so() {
        assert_eq!(bounded("äöüß€", 3), "äöü… [2 more characters left out]");
        assert_eq!(one_line("one two three", 7), "one two…");
        assert_eq!(["äöü", "äöüß"].map(|text| is_complete(&bounded(text, 3), 3)), [true, false]);
    }
}
