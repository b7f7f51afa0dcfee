//! `/mode`: switches the mode by its name, or lists the modes to choose from.

use crate::{
    app::{App, DialogSubject, OwnDialog},
    dialogs::picker::PickerDialog,
};
use fore_agent::Command;
use fore_plan::Mode;
use std::time::Instant;

pub(crate) fn run(app: &mut App, words: &str, now: Instant) {
    let Some(mode) = app.facts.mode else {
        return app.problem("The session has not started yet.");
    };
    if words.is_empty() {
        let picker = PickerDialog::modes(&Mode::ALL, mode, app.facts.folder());
        return app.ask(DialogSubject::Own(OwnDialog::Mode), Box::new(picker), now);
    }
    match words.parse() {
        Ok(to) => app.send(Command::Mode { to }),
        Err(error) => app.problem(format!("{error}")),
    }
}
