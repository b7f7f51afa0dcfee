//! `/cost`: tokens and money of this session.

use crate::app::{SessionFacts, share};
use fore_agent::Cost;

/// The page as Markdown.
pub(crate) fn page(facts: &SessionFacts) -> String {
    let usage = &facts.spent.usage;
    let mut lines = vec![
        row("Input tokens", format!("{} tokens", grouped(usage.input))),
        row("of these from its cache", format!("{} tokens", grouped(usage.cached_read))),
        row("Output tokens", format!("{} tokens", grouped(usage.output))),
        row("cost", cost(facts.spent.cost)),
    ];
    if facts.spent.uncounted > 0 {
        let answers = fore_text::count(facts.spent.uncounted as usize, "answer");
        lines.push(row("not counted by the server", answers));
    }
    lines.push(row("context", context(facts)));
    lines.join("\n")
}

pub(crate) fn cost(cost: Cost) -> String {
    match cost {
        Cost::Nothing => "nothing so far".into(),
        Cost::Dollars(dollars) => format!("about ${dollars:.4} by list prices"),
        Cost::Unknown => "unknown (an answer came without a price or a token count)".into(),
    }
}

pub(crate) fn context(facts: &SessionFacts) -> String {
    let tokens = grouped(facts.context.tokens);
    let about = if facts.context.estimated { "about " } else { "" };
    match (share(&facts.context), facts.context.window) {
        (Some(share), Some(window)) => format!("{about}{tokens} of {} tokens ({share})", grouped(window)),
        _ => format!("{about}{tokens} tokens"),
    }
}

/// One row of a page: a name and what it is.
pub(crate) fn row(name: &str, value: impl std::fmt::Display) -> String {
    format!("- **{name}**: {value}")
}

/// Words from elsewhere in one line, as they are: nothing in them is Markdown.
pub(crate) fn literal(text: &str) -> String {
    let mut out = String::new();
    for letter in fore_text::cut::one_line(text).chars() {
        if letter.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// The same as code, where that is possible.
pub(crate) fn code(text: &str) -> String {
    // Blanks stay: they make columns.
    let line = text.replace(['\n', '\r', '\t'], " ");
    if line.trim().is_empty() || line.contains('`') { literal(text) } else { format!("`{line}`") }
}

/// 1234567 → 1,234,567.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
