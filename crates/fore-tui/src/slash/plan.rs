//! `/plan`: enter plan mode, with a task or without; show, open, compare, export the plan; leave.

use crate::app::{App, PlanFollowUp};
use fore_agent::{Command, PromptTiming};
use fore_plan::{
    Mode,
    slash::{EXPORT_WHERE, NOT_ON, PlanIntent, meant},
};
use std::path::PathBuf;

/// C1 and C2. The session decides whether the mode may change; what it says is what shows.
pub(crate) fn run(app: &mut App, words: &str) {
    let Some(mode) = app.facts.mode else {
        return app.problem("The session has not started yet.");
    };
    match meant(mode, words) {
        PlanIntent::Enter { prompt } => {
            app.send(Command::Mode { to: Mode::Plan });
            if let Some(text) = prompt {
                app.send(Command::Prompt { text, when: PromptTiming::Queue });
            }
        }
        PlanIntent::Prompt(text) => app.send(Command::Prompt { text, when: PromptTiming::Queue }),
        PlanIntent::Leave => app.send(Command::LeavePlanMode),
        PlanIntent::NotOn => app.say(NOT_ON),
        PlanIntent::Show => ask(app, PlanFollowUp::Show),
        PlanIntent::Open => ask(app, PlanFollowUp::Open),
        PlanIntent::Diff => ask(app, PlanFollowUp::Diff),
        PlanIntent::Export { to: None } => app.problem(EXPORT_WHERE),
        PlanIntent::Export { to: Some(to) } => ask(app, PlanFollowUp::Export(PathBuf::from(to))),
    }
}

pub(crate) fn ask(app: &mut App, awaited: PlanFollowUp) {
    app.plan_follow_ups.push(awaited);
    app.send(Command::ShowPlan);
}
