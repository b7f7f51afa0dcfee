//! `/plan`: enter plan mode, with a task or without; show, open, compare, export the plan; leave.

use crate::app::{App, Awaited};
use fore_agent::{Command, command::When};
use fore_plan::{
    Mode,
    slash::{EXPORT_WHERE, Meant, NOT_ON, meant},
};
use std::path::PathBuf;

/// C1 and C2. The session decides whether the mode may change; what it says is what shows.
pub(crate) fn run(app: &mut App, words: &str) {
    let Some(mode) = app.facts.mode else {
        return app.problem("The session has not started yet.");
    };
    match meant(mode, words) {
        Meant::Enter { prompt } => {
            app.send(Command::Mode { to: Mode::Plan });
            if let Some(text) = prompt {
                app.send(Command::Prompt { text, when: When::Queue });
            }
        }
        Meant::Prompt(text) => app.send(Command::Prompt { text, when: When::Queue }),
        Meant::Leave => app.send(Command::LeavePlanMode),
        Meant::NotOn => app.say(NOT_ON),
        Meant::Show => ask(app, Awaited::Show),
        Meant::Open => ask(app, Awaited::Open),
        Meant::Diff => ask(app, Awaited::Diff),
        Meant::Export { to: None } => app.problem(EXPORT_WHERE),
        Meant::Export { to: Some(to) } => ask(app, Awaited::Export(PathBuf::from(to))),
    }
}

pub(crate) fn ask(app: &mut App, awaited: Awaited) {
    app.awaited.push(awaited);
    app.send(Command::ShowPlan);
}
