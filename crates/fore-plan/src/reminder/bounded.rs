//! Cuts long text to a bound and says how much is missing. Never cuts inside a character.

use std::borrow::Cow;

/// At most `max` characters of the text, then a note on what was left out.
pub(crate) fn bounded(text: &str, max: usize) -> Cow<'_, str> {
    let Some((end, _)) = text.char_indices().nth(max) else {
        return Cow::Borrowed(text);
    };
    let (kept, left) = text.split_at(end);
    Cow::Owned(format!("{kept}… [{} more characters left out]", left.chars().count()))
}

/// Whether a text that went through [`bounded`] has nothing left out.
pub(crate) fn is_complete(text: &str) -> bool {
    !text.ends_with(" more characters left out]")
}

/// The text on one line of at most `max` characters: for names and descriptions in lists.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", line.split_at(end).0),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::{bounded, one_line};

    #[test]
    fn text_within_the_bound_stays() {
        assert_eq!(bounded("äöü", 3), "äöü");
        assert_eq!(one_line(" a\n b ", 10), "a b");
    }

    #[test]
    fn longer_text_is_cut_at_a_character_and_says_so() {
        assert_eq!(bounded("äöüß€", 3), "äöü… [2 more characters left out]");
        assert_eq!(one_line("one two three", 7), "one two…");
    }
}
