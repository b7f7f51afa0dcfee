//! `/mode`: switches the mode by its name, or lists the modes to choose from.

use crate::{
    app::{About, App, Purpose},
    dialogs::picker::Picker,
};
use fore_agent::Command;
use std::time::Instant;

pub(crate) fn run(app: &mut App, words: &str, now: Instant) {
    if words.is_empty() {
        let picker = Picker::modes(app.facts.mode);
        return app.asking.ask(About::Own(Purpose::Mode), Box::new(picker), true, now);
    }
    match words.parse() {
        Ok(to) => app.send(Command::Mode { to }),
        Err(error) => app.problem(format!("{error}")),
    }
}
