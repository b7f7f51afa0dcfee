//! A unified difference as a table of lines.

use crate::markup;
use fore_plan::plan::diff;
use fore_text::TextKind;
use std::fmt::Write as _;

/// Lines of a difference that are shown.
const MAX_LINES: usize = 5_000;

/// What changed from one text to another; empty if nothing did.
pub(crate) fn between(old: &str, new: &str) -> String {
    of_unified(&diff(old, new).unified(MAX_LINES))
}

/// Some lines that others would take the place of; where they stand is known.
pub(crate) fn of_lines(old: &str, new: &str) -> String {
    let ended = |text: &str| if text.is_empty() { String::new() } else { format!("{}\n", text.trim_end_matches('\n')) };
    let unified = diff(&ended(old), &ended(new)).unified(MAX_LINES);
    of_rows(unified.lines().filter(|line| !line.starts_with("@@")))
}

/// A difference that is known already.
pub(crate) fn of_unified(unified: &str) -> String {
    if unified.is_empty() {
        return String::new();
    }
    of_rows(unified.lines())
}

fn of_rows<'a>(rows: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::from("<div class=\"diff\" role=\"group\" aria-label=\"difference\" tabindex=\"0\">");
    for line in rows.take(MAX_LINES + 1) {
        let (class, spoken) = match line.as_bytes().first() {
            Some(b'+') => ("added", "added: "),
            Some(b'-') => ("removed", "removed: "),
            Some(b'@') => ("hunk", ""),
            _ => ("same", ""),
        };
        let _ = write!(out, "<div class=\"{class}\">");
        if !spoken.is_empty() {
            let _ = write!(out, "<span class=\"spoken\">{spoken}</span>");
        }
        out.push_str("<code>");
        markup::push_text(&mut out, line, TextKind::Exact);
        out.push_str("</code></div>");
    }
    out.push_str("</div>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_says_what_came_and_went_and_is_text() {
        let html = between("a\n<b>\n", "a\nc\n");
        assert!(
            html.contains(
                "<div class=\"removed\"><span class=\"spoken\">removed: </span><code>-&lt;b&gt;</code></div>"
            ),
            "{html}"
        );
        assert!(
            html.contains("<div class=\"added\"><span class=\"spoken\">added: </span><code>+c</code></div>"),
            "{html}"
        );
        assert_eq!(between("a\n", "a\n"), "");
        let suggested = of_lines("a\nb", "a\nc");
        assert!(suggested.contains("<code>-b</code>") && suggested.contains("<code>+c</code>"), "{suggested}");
        assert!(!suggested.contains("@@"), "{suggested}");
    }
}
