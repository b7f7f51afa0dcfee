//! The `/plan` command as a decision: enter, show, open, leave. What it shows is text; showing it is a front end's business.

use crate::transition::{Target, transition};
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
    Refused(Refusal),
}

/// Judges `/plan` with its words. `editor`: the person's editor, if one is set.
pub fn plan_command(state: &State, words: &str, on_disk: OnDisk<'_>, editor: Option<&str>) -> PlanCommand {
    let words = words.trim();
    if state.mode() != Mode::Plan {
        return match words {
            "off" => PlanCommand::Say("Plan mode is not on.".into()),
            "diff" => show_diff(state, on_disk),
            _ => enter(state, words),
        };
    }
    match words.split_whitespace().next() {
        Some("off") => match transition(state, Target::Beneath, Actor::Person, "/plan off") {
            Ok(Some(change)) => PlanCommand::Left { change },
            Ok(None) => PlanCommand::Say("Plan mode is not on.".into()),
            Err(refusal) => PlanCommand::Refused(refusal),
        },
        Some("diff") => show_diff(state, on_disk),
        first => match (written(state, on_disk), first) {
            (Ok(None), _) => PlanCommand::Say("Already in plan mode. No plan written yet.".into()),
            (Err(why), _) => PlanCommand::Say(why),
            (Ok(Some((path, _))), Some("open")) => PlanCommand::Open { path },
            (Ok(Some((path, text))), _) => {
                PlanCommand::Show { title: "Current Plan", path, text, editor: editor.map(str::to_owned) }
            }
        },
    }
}

/// What is said after the editor was tried.
pub fn opened(path: &str, outcome: Result<(), &str>) -> String {
    match outcome {
        Ok(()) => format!("Opened plan in editor: {path}"),
        Err(why) => format!("Failed to open plan in editor: {why}"),
    }
}

fn enter(state: &State, words: &str) -> PlanCommand {
    match transition(state, Target::Plan, Actor::Person, "/plan") {
        Ok(Some(change)) => {
            let prompt = (!words.is_empty() && words != "open").then(|| words.to_owned());
            PlanCommand::Entered { change, prompt }
        }
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
