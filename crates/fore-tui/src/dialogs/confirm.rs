//! A small question with named choices. It begins on the safe one, and Esc gives the safe one. What is vouched for has to be seen to its end.

use super::{
    Dialog, DialogStep, Focus,
    choices::{ChoiceRow, ChoiceStep, Choices},
    layout::{DialogLayout, Scroll},
    text::{exact_rows, one_line, prose},
};
use crate::{
    theme::TextRole,
    view::{Space, View},
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use ratatui::text::Line;

/// What [`ConfirmDialog::trust`] gives.
pub(crate) const TRUST: &str = "trust";
pub(crate) const NOT_NOW: &str = "not-now";
/// What [`ConfirmDialog::leave`] gives.
pub(crate) const LEAVE: &str = "leave";
pub(crate) const STAY: &str = "stay";

/// What [`ConfirmDialog::message`] gives.
pub(crate) const AS_REASON: &str = "reason";
pub(crate) const LATER: &str = "later";
pub(crate) const WRITE_ON: &str = "write-on";

/// A question about this program itself.
#[derive(Debug)]
pub(crate) struct ConfirmDialog {
    title: String,
    text: String,
    values: Vec<String>,
    safe: usize,
    /// What Esc does, in words.
    escape: String,
    choices: Choices,
    scroll: Scroll,
    reading: Reading,
}

/// How the text is shown, and what follows from that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// Words that explain the question.
    Prose,
    /// What is answered about, line by line; only the safe answer counts before its last row was seen.
    Unread {
        rows: usize,
    },
    Read,
}

/// One answer of a [`ConfirmDialog`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfirmAnswer {
    /// What [`DialogStep::Picked`] gives.
    pub value: String,
    pub label: String,
    pub detail: String,
}

impl ConfirmAnswer {
    pub(crate) fn new(value: &str, label: &str, detail: &str) -> ConfirmAnswer {
        ConfirmAnswer { value: value.into(), label: label.into(), detail: detail.into() }
    }
}

impl ConfirmDialog {
    /// The safe answer is where the selection begins, and what Esc gives.
    pub(crate) fn new(title: &str, text: &str, safe: ConfirmAnswer, others: Vec<ConfirmAnswer>) -> ConfirmDialog {
        let answers: Vec<ConfirmAnswer> = others.into_iter().chain([safe]).collect();
        let safe = answers.len() - 1;
        let escape = answers.last().map_or_else(String::new, |answer| one_line(&answer.label.to_lowercase()));
        let rows = answers.iter().map(|answer| ChoiceRow::new(&answer.label).detail(&answer.detail)).collect();
        ConfirmDialog {
            title: title.to_owned(),
            text: text.to_owned(),
            values: answers.into_iter().map(|answer| answer.value).collect(),
            safe,
            escape,
            choices: Choices::new(rows).selecting(safe),
            scroll: Scroll::default(),
            reading: Reading::Prose,
        }
    }

    /// Gives [`TRUST`] or [`NOT_NOW`].
    pub(crate) fn trust(folder: &str) -> ConfirmDialog {
        let not_now = ConfirmAnswer::new(
            NOT_NOW,
            "Not now",
            "You'll be asked before each change; this folder's own settings are ignored",
        );
        let trust =
            ConfirmAnswer::new(TRUST, "Trust this folder", "it is remembered; `/trust` or `fore trust` change it");
        let text = include_str!("trust.md").trim_end().replace("{folder}", folder);
        ConfirmDialog::new("Do you trust the files in this folder?", &text, not_now, vec![trust])
    }

    /// A tool of an MCP server, or how one is started: gives [`TRUST`] or [`NOT_NOW`].
    pub(crate) fn vouch(tool: Option<&str>, server: &str, what: &str) -> ConfirmDialog {
        let not_now = ConfirmAnswer::new(NOT_NOW, "Not now", "");
        let (title, yes, detail) = match tool {
            None => (
                format!("Let the MCP server {server} start in this project?"),
                "Let it start",
                format!("as long as it stays exactly as it is here; /mcp untrust {server} ends that"),
            ),
            Some(tool) => (
                format!("Do you vouch that {tool} of {server} only reads?"),
                "Let it run while planning",
                format!("as long as its definition stays exactly this; /mcp unvouch {server} {tool} ends that"),
            ),
        };
        let dialog = ConfirmDialog::new(&title, what, not_now, vec![ConfirmAnswer::new(TRUST, yes, &detail)]);
        ConfirmDialog { reading: Reading::Unread { rows: usize::MAX }, ..dialog }
    }

    /// Work is running: gives [`LEAVE`] or [`STAY`].
    pub(crate) fn leave(running: &str) -> ConfirmDialog {
        let stay = ConfirmAnswer::new(STAY, "Stay", "");
        let leave =
            ConfirmAnswer::new(LEAVE, "Stop it and leave", "the session is kept; `fore --resume` opens it again");
        ConfirmDialog::new("Leave while something runs?", running, stay, vec![leave])
    }

    /// A message was written while a plan waits: gives [`AS_REASON`], [`LATER`] or [`WRITE_ON`].
    pub(crate) fn message() -> ConfirmDialog {
        let write_on = ConfirmAnswer::new(WRITE_ON, "Back to the message", "");
        let reason =
            ConfirmAnswer::new(AS_REASON, "Keep planning, with this as the reason", "the agent changes the plan");
        let later = ConfirmAnswer::new(LATER, "Send it after the plan is decided", "it is queued until then");
        let text = "A plan is waiting for your answer. What should happen with your message?";
        ConfirmDialog::new("Your message and the plan", text, write_on, vec![reason, later])
    }

    /// Only a plan waits: gives [`LEAVE`] or [`STAY`].
    pub(crate) fn leave_plan() -> ConfirmDialog {
        let stay = ConfirmAnswer::new(STAY, "Stay", "");
        let leave = ConfirmAnswer::new(LEAVE, "Leave", "`fore --continue` comes back to it");
        let text = "The plan waits for your answer. It will be there again when you come back.";
        ConfirmDialog::new("Leave while a plan waits?", text, stay, vec![leave])
    }

    /// Work is running here, and another session is wanted: gives [`LEAVE`] or [`STAY`].
    pub(crate) fn switch(running: &str) -> ConfirmDialog {
        let stay = ConfirmAnswer::new(STAY, "Stay", "");
        let leave = ConfirmAnswer::new(LEAVE, "Stop it and go", "this session is kept: `/resume` comes back to it");
        ConfirmDialog::new("Go to another session while something runs?", running, stay, vec![leave])
    }

    fn give(&mut self, row: usize) -> DialogStep {
        if let (Reading::Unread { rows }, true) = (self.reading, row != self.safe) {
            self.scroll.turn_towards(rows.saturating_sub(1));
            return DialogStep::Stay;
        }
        self.values.get(row).map_or(DialogStep::Stay, |value| DialogStep::Picked(value.clone()))
    }
}

impl Dialog for ConfirmDialog {
    fn key(&mut self, key: KeyEvent) -> DialogStep {
        if key.kind == KeyEventKind::Press && key.code == KeyCode::Esc {
            return self.give(self.safe);
        }
        match self.choices.key(&key) {
            ChoiceStep::Row(row) => self.give(row),
            ChoiceStep::Moved => DialogStep::Stay,
            ChoiceStep::Nothing => {
                self.scroll.key(&key);
                DialogStep::Stay
            }
        }
    }

    fn paste(&mut self, _text: &str) {}

    fn left(&mut self) {
        self.choices.select(self.safe);
    }

    fn view(&mut self, space: Space, focus: Focus) -> View {
        let style = space.theme.style(TextRole::Plain);
        let body = match self.reading {
            Reading::Prose => prose(&self.text, style, space.width),
            Reading::Unread { .. } | Reading::Read => {
                let lines = self.text.lines().map(|line| Line::styled(line.to_owned(), style));
                lines.flat_map(|line| exact_rows(&line, space.width, &space.theme)).collect()
            }
        };
        let choices = self.choices.draw(space.width, usize::from(space.height).saturating_sub(4), &space.theme);
        let enter = match self.reading {
            Reading::Unread { .. } if self.choices.selected() != Some(self.safe) => "shows the rest first",
            Reading::Prose | Reading::Unread { .. } | Reading::Read => "confirms",
        };
        let keys = [("Enter", enter), ("Esc", self.escape.as_str())];
        let rows = body.len();
        let layout = DialogLayout { title: &self.title, body: &body, choices, cursor: None, keys: &keys };
        let view = layout.draw(&mut self.scroll, space, focus);
        self.reading = match self.reading {
            Reading::Unread { .. } if rows == 0 || self.scroll.shows(rows - 1) => Reading::Read,
            Reading::Unread { .. } => Reading::Unread { rows },
            Reading::Prose | Reading::Read => self.reading,
        };
        view
    }
}

#[cfg(test)]
#[path = "confirm_tests.rs"]
mod tests;
