//! `/permissions`: the rules that hold, and what was allowed in this session.

use crate::{
    app::SessionFacts,
    dialogs::{ask::cage_words, picker::mode_detail},
};
use fore_plan::gate::Explanation;

/// The page as Markdown.
pub(crate) fn page(rules: &[String], facts: &SessionFacts) -> String {
    let mut lines = Vec::new();
    if let Some(mode) = facts.mode {
        lines.push(format!("The mode is **{mode}**: {}.", mode_detail(mode)));
        lines.push(String::new());
    }
    lines.push("Rules of your settings, deny before ask before allow:".into());
    lines.push(String::new());
    list(&mut lines, rules, "none");
    lines.push(String::new());
    lines.push("Not asked about again in this session:".into());
    lines.push(String::new());
    list(&mut lines, &facts.granted, "nothing yet");
    lines.join("\n")
}

/// Why a command would run, ask or be refused.
pub(crate) fn tested(line: &str, explanation: &Explanation) -> String {
    let told = explanation.lines().into_iter().map(|line| format!("- {}", super::cost::literal(&line)));
    let sandbox = explanation.cage.as_ref().map(|cage| format!("- {}", super::cost::literal(&cage_words(cage))));
    let head = [super::cost::code(line), String::new()];
    head.into_iter().chain(told).chain(sandbox).collect::<Vec<_>>().join("\n")
}

fn list(lines: &mut Vec<String>, rows: &[String], none: &str) {
    if rows.is_empty() {
        lines.push(format!("- {none}"));
    }
    lines.extend(rows.iter().map(|row| format!("- {}", super::cost::code(row))));
}
