//! Makes text from outside fit to stand in the draft: one kind of line break, and nothing that a terminal would obey or
//! that a person would send without seeing it.

use crate::paint::is_seen;

/// Line breaks of every kind become `\n`; other control characters are shown as `cat -v` shows them, and
/// letters without a shape are written out. Tabs stay.
pub(super) fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        match letter {
            '\r' => {
                letters.next_if_eq(&'\n');
                out.push('\n');
            }
            '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\n' | '\t' => out.push(letter),
            '\0'..='\u{1f}' => out.extend(['^', char::from(letter as u8 + b'@')]),
            '\u{7f}' => out.push_str("^?"),
            _ if is_seen(before, letter, letters.peek().copied()) => out.push(letter),
            _ => out.extend(letter.escape_default()),
        }
        before = letter;
    }
    out
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
            ("\u{1b}[31mred\u{1b}[0m", "^[[31mred^[[0m"),
            ("\u{1b}]52;c;eA==\u{7}\0\u{1}\u{7f}", "^[]52;c;eA==^G^@^A^?"),
            ("\u{9b}6n\u{85}x", "\\u{9b}6n\nx"),
            ("\u{e0041}\u{e0042} a\u{202e}b\u{200b}", "\\u{e0041}\\u{e0042} a\\u{202e}b\\u{200b}"),
            ("naïve 👩‍👩‍👧 日本", "naïve 👩‍👩‍👧 日本"),
        ];
        for (text, expected) in page {
            assert_eq!(clean(text), expected);
        }
    }
}
