//! `/plan`: enter plan mode, with a task or without; show, open, compare, export the plan; leave.

use crate::app::{App, Awaited};
use fore_agent::{Command, command::When};
use fore_plan::Mode;
use std::path::PathBuf;

/// C1 and C2. The session decides whether the mode may change; what it says is what shows.
pub(crate) fn run(app: &mut App, words: &str) {
    let (first, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let is_planning = app.facts.mode == Some(Mode::Plan);
    match (first, rest.trim()) {
        ("off", "") if is_planning => app.send(Command::LeavePlanMode),
        ("off", "") => app.say("Plan mode is not on."),
        ("diff", "") => ask(app, Awaited::DiffPlan),
        ("export", "") => app.problem("Where to? /plan export PATH"),
        ("export", path) => ask(app, Awaited::ExportPlan(PathBuf::from(path))),
        ("open", "") if is_planning => ask(app, Awaited::OpenPlan),
        ("", _) if is_planning => ask(app, Awaited::ShowPlan),
        ("" | "open", "") => app.send(Command::Mode { to: Mode::Plan }),
        _ => {
            if !is_planning {
                app.send(Command::Mode { to: Mode::Plan });
            }
            app.send(Command::Prompt { text: words.to_owned(), when: When::Queue });
        }
    }
}

/// What is said where there is no plan to show, open, compare or export.
pub(crate) fn nothing_written(mode: Option<Mode>) -> &'static str {
    match mode {
        Some(Mode::Plan) => "Already in plan mode. No plan written yet.",
        Some(Mode::At(_)) | None => "No plan written yet.",
    }
}

fn ask(app: &mut App, awaited: Awaited) {
    app.awaited.push(awaited);
    app.send(Command::ShowPlan);
}
