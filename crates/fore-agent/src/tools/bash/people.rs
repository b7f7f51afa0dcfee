//! Text of commands as people may see it: a terminal finds nothing in it to obey.

use fore_sandbox::harmless;

/// Output: colours and cursor moves are taken out, what else a terminal would obey is written out.
pub(super) fn output(text: &str) -> String {
    let text = without_sequences(text).replace("\r\n", "\n").replace('\r', "\n");
    by_line(&text)
}

/// A command, whole: nothing is taken out, so that nothing in it is hidden from the person who says yes.
pub(super) fn command(text: &str) -> String {
    by_line(text)
}

fn by_line(text: &str) -> String {
    text.split('\n').map(harmless).collect::<Vec<_>>().join("\n")
}

/// Without `ESC [ … letter` and `ESC ] … BEL`. One that comes in two pieces is left over, and harmless.
fn without_sequences(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = match part.chars().next() {
            Some('[') => {
                part.split_once(|letter| ('\u{40}'..='\u{7e}').contains(&letter) && letter != '[').map(|(_, rest)| rest)
            }
            Some(']') => part.split_once('\u{7}').map(|(_, rest)| rest),
            // The end of a title that was begun with `ESC ]`.
            Some('\\') => part.get(1..),
            _ => None,
        };
        match rest {
            Some(rest) => out.push_str(rest),
            None => {
                out.push('\u{1b}');
                out.push_str(part);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_has_nothing_that_a_terminal_obeys() {
        let page = [
            ("plain\ntext\tand grün\n", "plain\ntext\tand grün\n"),
            ("\u{1b}[1;31mred\u{1b}[0m and \u{1b}[2Jgone", "red and gone"),
            ("\u{1b}]0;title\u{7}text", "text"),
            ("10%\r20%\r\ndone", "10%\n20%\ndone"),
            ("\u{1b}c\u{1b}[", "\\u{1b}c\\u{1b}["),
            ("bell\u{7} \u{202e}turned", "bell\\u{7} \\u{202e}turned"),
        ];
        for (text, expected) in page {
            assert_eq!(output(text), expected);
        }
    }

    #[test]
    fn a_command_hides_nothing_from_who_says_yes() {
        assert_eq!(command("rm -r ~\r\u{1b}[2Kls\n echo"), "rm -r ~\\r\\u{1b}[2Kls\n echo");
    }
}
