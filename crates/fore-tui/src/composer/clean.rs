//! Makes text from outside fit to stand in the draft: one kind of line break, and nothing that a terminal would obey or
//! that a person would send without seeing it.

use std::borrow::Cow;

/// Line breaks of every kind become `\n`; what steers or hides is written out. Tabs stay.
pub(super) fn clean(text: &str) -> String {
    let is_other_break = |letter: char| matches!(letter, '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let text = match text.contains(is_other_break) {
        true => Cow::Owned(text.replace("\r\n", "\n").replace(is_other_break, "\n")),
        false => Cow::Borrowed(text),
    };
    fore_text::prose(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_become_one_kind_and_control_characters_are_shown() {
        let page = [
            ("one\r\ntwo\rthree\nfour", "one\ntwo\nthree\nfour"),
            ("a\r\r\nb", "a\n\nb"),
            ("a\tb", "a\tb"),
            ("\u{1b}[31mred\u{1b}[0m", r"\u{1b}[31mred\u{1b}[0m"),
            ("\u{1b}]52;c;eA==\u{7}\0\u{1}\u{7f}", r"\u{1b}]52;c;eA==\u{7}\u{0}\u{1}\u{7f}"),
            ("\u{9b}6n\u{85}x\u{2028}y", "\\u{9b}6n\nx\ny"),
            ("\u{e0041}\u{e0042} a\u{202e}b\u{200b}", r"\u{e0041}\u{e0042} a\u{202e}b\u{200b}"),
            ("naïve 👩\u{200d}👩\u{200d}👧 日本", "naïve 👩\u{200d}👩\u{200d}👧 日本"),
        ];
        for (text, expected) in page {
            assert_eq!(clean(text), expected);
        }
    }
}
