//! What the words behind `/plan` mean: enter, show, open, compare, export, leave. Doing it is a front end's business.

use crate::mode::Mode;

/// What `/plan …` means in the mode that holds, before anything is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanIntent {
    /// Planning begins; the words, if there are some, are the next prompt.
    Enter {
        /// The words.
        prompt: Option<String>,
    },
    /// Planning goes on; the words are the next prompt.
    Prompt(String),
    /// End planning without an approval.
    Leave,
    /// There is nothing to leave.
    NotOn,
    /// Show the plan.
    Show,
    /// Open the plan in an editor.
    Open,
    /// Show what changed in it.
    Diff,
    /// A copy of the plan, saved where the words say.
    Export {
        /// Where; nothing where the words do not say it.
        to: Option<String>,
    },
}

/// Reads the words behind `/plan` (C1, C2).
pub fn meant(mode: Mode, words: &str) -> PlanIntent {
    let words = words.trim();
    let is_planning = mode == Mode::Plan;
    match (words.split_once(char::is_whitespace).unwrap_or((words, "")), is_planning) {
        (("off", ""), true) => PlanIntent::Leave,
        (("off", ""), false) => PlanIntent::NotOn,
        (("diff", ""), _) => PlanIntent::Diff,
        (("export", to), _) => PlanIntent::Export { to: Some(to.trim().to_owned()).filter(|to| !to.is_empty()) },
        // The first word counts, whatever follows it.
        (("open", _), true) => PlanIntent::Open,
        (("", _), true) => PlanIntent::Show,
        (("" | "open", ""), false) => PlanIntent::Enter { prompt: None },
        (_, false) => PlanIntent::Enter { prompt: Some(words.to_owned()) },
        (_, true) => PlanIntent::Prompt(words.to_owned()),
    }
}

/// What is said where there is no plan to show, open, compare or export.
pub fn nothing_written(mode: Mode) -> &'static str {
    match mode {
        Mode::Plan => "Already in plan mode. No plan written yet.",
        Mode::At(_) => "No plan written yet.",
    }
}

/// What `/plan off` says when there is nothing to leave.
pub const NOT_ON: &str = "Plan mode is not on.";
/// What `/plan export` says without a path.
pub const EXPORT_WHERE: &str = "Where to? /plan export PATH";

/// What is said after the editor was tried.
pub fn opened(path: &str, outcome: Result<(), &str>) -> String {
    match outcome {
        Ok(()) => format!("Opened plan in editor: {path}"),
        Err(why) => format!("Failed to open plan in editor: {why}"),
    }
}
