//! The first run: what this is, which model answers, whether the folder is trusted. Esc on any page takes what is safe and
//! ends at a prompt that works.

use super::{
    Dialog, DialogStep, Focus,
    choices::{ChoiceRow, ChoiceStep, Choices},
    layout::{DialogLayout, Scroll},
    text::{labelled, paragraph, prose},
};
use crate::{
    host::ModelRow,
    options::SetupHint,
    theme::{Sign, TextRole, Theme},
    view::{Space, View},
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use ratatui::text::Line;

/// Models that are offered here; `/model` has them all.
const MAX_MODELS: usize = 8;
/// Lines about what could be set up.
const MAX_MISSING: usize = 6;

/// What was decided on the first run. None: it was not asked, or not answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstRun {
    pub model: Option<String>,
    pub trust: Option<bool>,
}

/// The screen of the first run. After [`DialogStep::Close`], [`WelcomeDialog::decided`] says what came of it.
#[derive(Debug)]
pub struct WelcomeDialog {
    page: WelcomePage,
    models: Vec<ModelRow>,
    missing: Vec<String>,
    /// The folder, if it is not trusted yet.
    folder: Option<String>,
    decided: FirstRun,
    choices: Choices,
    scroll: Scroll,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WelcomePage {
    Hello,
    Model,
    Trust,
}

impl WelcomeDialog {
    /// `models`: what can be used now, the recommended one first. `missing`: what could be set up. `folder`: the folder if
    /// it is not trusted yet.
    pub fn new(models: Vec<ModelRow>, missing: Vec<SetupHint>, folder: Option<String>) -> WelcomeDialog {
        let is_there = |missing: &SetupHint| {
            let providers = models.iter().filter_map(|model| model.name.split_once('/'));
            providers.into_iter().any(|(provider, _)| missing.providers.iter().any(|would| would == provider))
        };
        let missing: Vec<String> =
            missing.into_iter().filter(|missing| !is_there(missing)).map(|missing| missing.words).collect();
        let mut dialog = WelcomeDialog {
            page: WelcomePage::Hello,
            models: models.into_iter().take(MAX_MODELS).collect(),
            missing: missing.into_iter().take(MAX_MISSING).collect(),
            folder,
            decided: FirstRun::default(),
            choices: Choices::new(Vec::new()),
            scroll: Scroll::default(),
        };
        dialog.turn_to(WelcomePage::Hello);
        dialog
    }

    pub fn decided(&self) -> FirstRun {
        self.decided.clone()
    }

    fn turn_to(&mut self, page: WelcomePage) -> DialogStep {
        self.page = page;
        self.scroll = Scroll::default();
        let (rows, begins) = match page {
            WelcomePage::Hello => (vec![ChoiceRow::new("Go on")], 0),
            WelcomePage::Model if self.models.is_empty() => (vec![ChoiceRow::new("Go on without a model")], 0),
            WelcomePage::Model => (self.models.iter().enumerate().map(model).collect(), 0),
            WelcomePage::Trust if self.folder.is_none() => return DialogStep::Close,
            WelcomePage::Trust => (trust_rows(), 1),
        };
        self.choices = Choices::new(rows).selecting(begins);
        DialogStep::Stay
    }

    fn choose(&mut self, row: usize) -> DialogStep {
        match self.page {
            WelcomePage::Hello => self.turn_to(WelcomePage::Model),
            WelcomePage::Model => {
                self.decided.model = self.models.get(row).map(|model| model.name.clone());
                self.turn_to(WelcomePage::Trust)
            }
            WelcomePage::Trust => {
                self.decided.trust = Some(row == 0);
                DialogStep::Close
            }
        }
    }

    /// The recommended model, and no trust that nobody gave.
    fn leave(&mut self) -> DialogStep {
        if self.decided.model.is_none() {
            self.decided.model = self.models.first().map(|model| model.name.clone());
        }
        if self.folder.is_some() {
            self.decided.trust = Some(false);
        }
        DialogStep::Close
    }

    fn body(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let plain = theme.style(TextRole::Plain);
        match self.page {
            WelcomePage::Hello => hello(width, theme),
            WelcomePage::Model => {
                let mut lines = prose(include_str!("model.md").trim_end(), plain, width);
                if !self.missing.is_empty() {
                    lines.push(Line::default());
                    lines.extend(paragraph("More can be set up:", theme.style(TextRole::Faint), width));
                    let dot = format!("{} ", theme.sign(Sign::Dot));
                    let faint = theme.style(TextRole::Faint);
                    lines.extend(self.missing.iter().flat_map(|line| labelled(&dot, line, (faint, faint), width)));
                }
                lines
            }
            WelcomePage::Trust => {
                let folder = self.folder.as_deref().unwrap_or_default();
                prose(&include_str!("../trust.md").trim_end().replace("{folder}", folder), plain, width)
            }
        }
    }
}

impl Dialog for WelcomeDialog {
    fn first_run(&mut self) -> Option<FirstRun> {
        Some(self.decided())
    }

    fn key(&mut self, key: KeyEvent) -> DialogStep {
        if key.kind == KeyEventKind::Press && key.code == KeyCode::Esc {
            return self.leave();
        }
        match (self.choices.key(&key), key.code) {
            (ChoiceStep::Row(row), _) => return self.choose(row),
            (ChoiceStep::Nothing, KeyCode::Left) => match self.page {
                WelcomePage::Hello => {}
                WelcomePage::Model => return self.turn_to(WelcomePage::Hello),
                WelcomePage::Trust => return self.turn_to(WelcomePage::Model),
            },
            (ChoiceStep::Nothing, _) => {
                self.scroll.key(&key);
            }
            (ChoiceStep::Moved, _) => {}
        }
        DialogStep::Stay
    }

    fn paste(&mut self, _text: &str) {}

    fn view(&mut self, space: Space, focus: Focus) -> View {
        let body = self.body(space.width, &space.theme);
        let room = usize::from(space.height).saturating_sub(4);
        let choices = self.choices.draw(space.width, room, &space.theme);
        let (title, keys): (&str, &[(&str, &str)]) = match self.page {
            WelcomePage::Hello => ("Welcome to Forethought", &[("Enter", "goes on"), ("Esc", "skips all of this")]),
            WelcomePage::Model => {
                ("Which model should answer?", &[("Enter", "picks"), ("Left", "back"), ("Esc", "takes the first")])
            }
            WelcomePage::Trust => (
                "Do you trust the files in this folder?",
                &[("Enter", "confirms"), ("Left", "back"), ("Esc", "not now")],
            ),
        };
        DialogLayout { title, body: &body, choices, cursor: None, keys }.draw(&mut self.scroll, space, focus)
    }
}

/// What this is, and the keys to know: lines of the text that begin with a key are set apart.
fn hello(width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for paragraph in include_str!("hello.md").trim_end().split("\n\n") {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        let keys: Vec<(&str, &str)> = paragraph.lines().filter_map(|line| line.split_once(": ")).collect();
        if keys.len() == paragraph.lines().count() {
            let styles = (theme.style(TextRole::Accent), theme.style(TextRole::Plain));
            for (key, does) in keys {
                lines.extend(labelled(&format!("{key:<11}"), does, styles, width));
            }
        } else {
            lines.extend(prose(paragraph, theme.style(TextRole::Plain), width));
        }
    }
    lines
}

fn model((number, row): (usize, &ModelRow)) -> ChoiceRow {
    let recommended = if number == 0 { " (recommended)" } else { "" };
    ChoiceRow::new(&format!("{}{recommended}", row.name)).detail(&row.why)
}

fn trust_rows() -> Vec<ChoiceRow> {
    vec![
        ChoiceRow::new("Trust this folder"),
        ChoiceRow::new("Not now").detail("it asks before each change; `/trust` changes that"),
    ]
}

#[cfg(test)]
mod tests;
