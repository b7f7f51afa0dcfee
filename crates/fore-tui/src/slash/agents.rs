//! `/agents`: the agents that the model can call, and those at work.

use super::cost::{literal, row};
use crate::app::SessionFacts;

/// The page as Markdown.
pub(crate) fn page(facts: &SessionFacts) -> String {
    let Some(started) = &facts.started else { return "The session has not started yet.".into() };
    let mut lines: Vec<String> =
        started.agents.iter().map(|agent| row(&literal(&agent.name), literal(&agent.description))).collect();
    if !started.skills.is_empty() {
        lines.extend([String::new(), "Skills:".into(), String::new()]);
        lines.extend(started.skills.iter().map(|skill| row(&literal(&skill.name), literal(&skill.description))));
    }
    lines.extend([String::new(), "At work:".into(), String::new()]);
    if facts.agents.is_empty() {
        lines.push("- none".into());
    }
    lines.extend(facts.agents.iter().map(|(_, task)| format!("- {}", literal(task))));
    lines.join("\n")
}
