//! `/cost`: what was spent, by turn, session, day and plan, and what holds against it.

use crate::app::{SessionFacts, share};
use fore_agent::{Cost, SpendingReport, Spent};

/// Rows of a list that are shown.
const MAX_ROWS: usize = 20;

/// The page as Markdown.
pub(crate) fn page(report: &SpendingReport) -> String {
    let mut lines = vec![
        row("this turn", spent(&report.turn)),
        row("this session", spent(&report.session)),
        row("today, all sessions", spent(&report.day)),
    ];
    if let (Some(name), Some(plan)) = (&report.plan_name, &report.plan) {
        lines.push(row(&format!("the plan {}", literal(name)), spent(plan)));
    }
    for (setting, [used, cap]) in &report.caps {
        lines.push(row(setting, format!("{used} of {cap} used")));
    }
    lines.push(row("from the prompt cache", cached(report)));
    if report.session.uncounted > 0 {
        let answers = fore_text::count(report.session.uncounted, "answer");
        lines.push(row("not counted by the server", format!("{answers}; caps go by an estimate")));
    }
    for (title, rows) in [("By model", &report.models), ("By who asked", &report.askers)] {
        if rows.len() > 1 {
            lines.extend([String::new(), title.to_owned(), String::new()]);
            lines.extend(rows.iter().take(MAX_ROWS).map(|(name, of)| row(&literal(name), spent(of))));
        }
    }
    lines.extend([String::new(), "Days begin at midnight UTC. `fore usage` shows other days and projects.".to_owned()]);
    lines.join("\n")
}

fn spent(spent: &Spent) -> String {
    let (read, written) = (grouped(spent.usage.input), grouped(spent.usage.output));
    format!("{read} tokens read, {written} written; cost {}", cost(spent.cost))
}

/// How much of what was read came out of a cache, and how often it should have and did not.
fn cached(report: &SpendingReport) -> String {
    let usage = &report.session.usage;
    let percent = usage.cached_read.saturating_mul(100).checked_div(usage.input).unwrap_or(0);
    let share = format!("{percent} % of what this session read");
    match report.cache_misses {
        0 => share,
        misses => {
            let misses = fore_text::count_as(misses, "answer", "answers");
            format!("{share}; missed by {misses}, which read {} tokens anew", grouped(report.read_anew))
        }
    }
}

pub(crate) fn cost(cost: Cost) -> String {
    match cost {
        Cost::Nothing => "$0".into(),
        Cost::Dollars(dollars) => format!("about ${dollars:.4}"),
        Cost::AtLeast(dollars) if dollars <= 0.0 => "unknown: no price is known (model.prices sets one)".into(),
        Cost::AtLeast(dollars) => format!("at least ${dollars:.4}: not every price or count is known"),
    }
}

/// For the status line.
pub(crate) fn short(cost: Cost) -> String {
    match cost {
        Cost::Nothing => "$0".into(),
        Cost::Dollars(dollars) => format!("${dollars:.2}"),
        Cost::AtLeast(dollars) => format!("${dollars:.2}+"),
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
