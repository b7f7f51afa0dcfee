//! The system prompt: said once at the beginning of a session and never changed, so that the provider's cache holds.

use fore_plan::workflow::SYSTEM_PROMPT_TAGS;
use std::path::Path;

/// What is true of this session from its beginning to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemFacts<'a> {
    pub(crate) project: &'a Path,
    pub(crate) folder: &'a Path,
    /// Whether commands run in cages of the kernel.
    pub(crate) caged: bool,
    /// What the project's own memory files say.
    pub(crate) memory: &'a str,
    /// What was true when the session began; it stands last.
    pub(crate) present: &'a str,
}

/// The system prompt of the main conversation.
pub(crate) fn system_prompt(surroundings: &SystemFacts<'_>) -> String {
    let mut text = include_str!("system.md")
        .trim_end()
        .replace("{tags}", SYSTEM_PROMPT_TAGS)
        .replace("{surroundings}", &lines(surroundings));
    if !surroundings.memory.is_empty() {
        text.push_str("\n\n# Project memory\n\n");
        text.push_str(surroundings.memory);
    }
    text.push_str(surroundings.present);
    text
}

/// The system prompt of a subagent: its own task, and where it is.
pub(crate) fn agent_prompt(prompt: &str, surroundings: &SystemFacts<'_>) -> String {
    let mut text = format!(
        "{}\n\n# Reminders\n{SYSTEM_PROMPT_TAGS}\n\n# Where you are\n{}",
        prompt.trim_end(),
        lines(surroundings)
    );
    if !surroundings.memory.is_empty() {
        text.push_str("\n\n# Project memory\n\n");
        text.push_str(surroundings.memory);
    }
    text
}

pub(super) fn lines(surroundings: &SystemFacts<'_>) -> String {
    let mut lines = vec![format!("- Project: {}", surroundings.project.display())];
    if surroundings.folder != surroundings.project {
        lines.push(format!("- The person is in: {}", surroundings.folder.display()));
    }
    lines.push(format!("- System: {} on {}", std::env::consts::OS, std::env::consts::ARCH));
    lines.push(if surroundings.caged {
        "- Commands run in cages that the kernel holds; a cage without network says so in its errors.".to_owned()
    } else {
        "- This machine cannot build a sandbox: while planning commands are refused; Read, Grep and Glob work."
            .to_owned()
    });
    lines.join("\n")
}
