//! The `/plan` command as a decision: enter, show, open, compare, export, leave. What it shows is text; showing it is a front end's business.

use crate::transition::{ModeTarget, transition};
use crate::{approval::OnDisk, change::Actor, change::Change, mode::Mode, refusal::Refusal, state::State};

/// What `/plan …` leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanCommand {
    /// Planning begins; with a description, that is the next prompt, sent at once.
    Entered {
        change: Change,
        prompt: Option<String>,
    },
    /// Planning ends by the person's own hand.
    Left {
        change: Change,
    },
    /// Show this text.
    Say(String),
    /// Show the plan as Markdown, with its path and the editor that `/plan open` would use.
    Show {
        title: &'static str,
        path: String,
        text: String,
        editor: Option<String>,
    },
    /// Open the plan file in the editor and say whether that worked ([`opened`]).
    Open {
        path: String,
    },
    /// Show what changed since the person last saw the plan.
    Diff {
        before: String,
        after: String,
    },
    /// Save a copy of the plan there, over nothing that is there already.
    Export {
        to: String,
        text: String,
    },
    /// The words are for the model.
    Prompt(String),
    Refused(Refusal),
}

/// What `/plan …` means in the mode that holds, before anything is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanIntent {
    /// Planning begins; the words, if there are some, are the next prompt.
    Enter {
        prompt: Option<String>,
    },
    /// Planning goes on; the words are the next prompt.
    Prompt(String),
    Leave,
    /// There is nothing to leave.
    NotOn,
    Show,
    Open,
    Diff,
    /// A copy of the plan, saved where the words say.
    Export {
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
        (("open", ""), true) => PlanIntent::Open,
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

/// Judges `/plan` with its words. `editor`: the person's editor, if one is set.
pub fn plan_command(state: &State, words: &str, on_disk: OnDisk<'_>, editor: Option<&str>) -> PlanCommand {
    let with_plan = |then: &dyn Fn(String, String) -> PlanCommand| match written(state, on_disk) {
        Ok(Some((path, text))) => then(path, text),
        Ok(None) => PlanCommand::Say(nothing_written(state.mode()).into()),
        Err(why) => PlanCommand::Say(why),
    };
    match meant(state.mode(), words) {
        PlanIntent::Enter { prompt } => enter(state, prompt),
        PlanIntent::Prompt(prompt) => PlanCommand::Prompt(prompt),
        PlanIntent::Leave => match transition(state, ModeTarget::Beneath, Actor::Person, "/plan off") {
            Ok(Some(change)) => PlanCommand::Left { change },
            Ok(None) => PlanCommand::Say(NOT_ON.into()),
            Err(refusal) => PlanCommand::Refused(refusal),
        },
        PlanIntent::NotOn => PlanCommand::Say(NOT_ON.into()),
        PlanIntent::Diff => show_diff(state, on_disk),
        PlanIntent::Show => with_plan(&|path, text| {
            let editor = editor.map(str::to_owned);
            PlanCommand::Show { title: "Current Plan", path, text, editor }
        }),
        PlanIntent::Open => with_plan(&|path, _| PlanCommand::Open { path }),
        PlanIntent::Export { to: None } => PlanCommand::Say(EXPORT_WHERE.into()),
        PlanIntent::Export { to: Some(to) } => with_plan(&|_, text| PlanCommand::Export { to: to.clone(), text }),
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

fn enter(state: &State, prompt: Option<String>) -> PlanCommand {
    match transition(state, ModeTarget::Plan, Actor::Person, "/plan") {
        Ok(Some(change)) => PlanCommand::Entered { change, prompt },
        Ok(None) => PlanCommand::Say("Already in plan mode.".into()),
        Err(refusal) => PlanCommand::Refused(refusal),
    }
}

fn written(state: &State, on_disk: OnDisk<'_>) -> Result<Option<(String, String)>, String> {
    match (state.plan(), on_disk) {
        (Some(plan), OnDisk::Text(text)) if !text.trim().is_empty() => Ok(Some((plan.path.clone(), text.to_owned()))),
        (Some(plan), OnDisk::Unreadable { why }) => Err(format!("The plan {} cannot be read: {why}", plan.path)),
        (Some(_) | None, OnDisk::Text(_) | OnDisk::Missing) | (None, OnDisk::Unreadable { .. }) => Ok(None),
    }
}

fn show_diff(state: &State, on_disk: OnDisk<'_>) -> PlanCommand {
    let seen = state.plan().and_then(|plan| plan.seen.as_ref());
    match (seen, written(state, on_disk)) {
        (_, Err(why)) => PlanCommand::Say(why),
        (_, Ok(None)) => PlanCommand::Say("No plan written yet.".into()),
        (None, Ok(Some(_))) => {
            PlanCommand::Say("This plan has not been shown before, so there is nothing to compare.".into())
        }
        (Some(seen), Ok(Some((_, text)))) => PlanCommand::Diff { before: seen.text.clone(), after: text },
    }
}
