//! Writes HTML: whatever comes in is text, and characters that nobody could see are marks. Nothing here passes HTML through.

use fore_text::{TextKind, TextPiece};

/// Text between tags.
pub(crate) fn push_text(out: &mut String, text: &str, kind: TextKind) {
    for piece in fore_text::pieces(text, kind) {
        match piece {
            TextPiece::Plain(plain) => escape_into(out, plain),
            TextPiece::Mark(mark) => {
                out.push_str("<span class=\"mark\" title=\"a hidden character\">");
                escape_into(out, &mark);
                out.push_str("</span>");
            }
        }
    }
}

/// The same as a value.
pub(crate) fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    push_text(&mut out, text, TextKind::Prose);
    out
}

/// A value between double quotes.
pub(crate) fn attribute(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 8);
    escape_into(&mut out, &fore_text::line(value));
    out
}

fn escape_into(out: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_comes_in_is_a_tag() {
        assert_eq!(text("<b onclick='x'>&\"</b>"), "&lt;b onclick=&#39;x&#39;&gt;&amp;&quot;&lt;/b&gt;");
        assert_eq!(attribute("\"><script>"), "&quot;&gt;&lt;script&gt;");
        let hidden = text("a\u{202e}b");
        assert_eq!(hidden, "a<span class=\"mark\" title=\"a hidden character\">\\u{202e}</span>b");
    }
}
