//! The first run: what this is, which model answers, whether the folder is trusted. Esc on any page takes what is safe and
//! ends at a prompt that works.

use super::{
    Dialog, Focus, Step,
    choices::{Choice, Choices, Chosen},
    sheet::{Scroll, Sheet},
    words::{labelled, paragraph, prose},
};
use crate::{
    door::ModelRow,
    options::Missing,
    theme::{Role, Sign, Theme},
    view::{Space, View},
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use ratatui::text::Line;

/// Models that are offered here; `/model` has them all.
const MOST_MODELS: usize = 8;
/// Lines about what could be set up.
const MOST_MISSING: usize = 6;

/// What was decided on the first run. None: it was not asked, or not answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FirstRun {
    pub model: Option<String>,
    pub trust: Option<bool>,
}

/// The screen of the first run. After [`Step::Close`], [`WelcomeDialog::decided`] says what came of it.
#[derive(Debug)]
pub struct WelcomeDialog {
    page: Page,
    models: Vec<ModelRow>,
    missing: Vec<String>,
    /// The folder, if it is not trusted yet.
    folder: Option<String>,
    decided: FirstRun,
    choices: Choices,
    scroll: Scroll,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Page {
    Hello,
    Model,
    Trust,
}

impl WelcomeDialog {
    /// `models`: what can be used now, the recommended one first. `missing`: what could be set up. `folder`: the folder if
    /// it is not trusted yet.
    pub fn new(models: Vec<ModelRow>, missing: Vec<Missing>, folder: Option<String>) -> WelcomeDialog {
        let is_there = |missing: &Missing| {
            let providers = models.iter().filter_map(|model| model.name.split_once('/'));
            providers.into_iter().any(|(provider, _)| missing.providers.iter().any(|would| would == provider))
        };
        let missing: Vec<String> =
            missing.into_iter().filter(|missing| !is_there(missing)).map(|missing| missing.words).collect();
        let mut dialog = WelcomeDialog {
            page: Page::Hello,
            models: models.into_iter().take(MOST_MODELS).collect(),
            missing: missing.into_iter().take(MOST_MISSING).collect(),
            folder,
            decided: FirstRun::default(),
            choices: Choices::new(Vec::new()),
            scroll: Scroll::default(),
        };
        dialog.turn_to(Page::Hello);
        dialog
    }

    pub fn decided(&self) -> FirstRun {
        self.decided.clone()
    }

    fn turn_to(&mut self, page: Page) -> Step {
        self.page = page;
        self.scroll = Scroll::default();
        let (rows, begins) = match page {
            Page::Hello => (vec![Choice::new("Go on")], 0),
            Page::Model if self.models.is_empty() => (vec![Choice::new("Go on without a model")], 0),
            Page::Model => (self.models.iter().enumerate().map(model).collect(), 0),
            Page::Trust if self.folder.is_none() => return Step::Close,
            Page::Trust => (trust_rows(), 1),
        };
        self.choices = Choices::new(rows).selecting(begins);
        Step::Stay
    }

    fn choose(&mut self, row: usize) -> Step {
        match self.page {
            Page::Hello => self.turn_to(Page::Model),
            Page::Model => {
                self.decided.model = self.models.get(row).map(|model| model.name.clone());
                self.turn_to(Page::Trust)
            }
            Page::Trust => {
                self.decided.trust = Some(row == 0);
                Step::Close
            }
        }
    }

    /// The recommended model, and no trust that nobody gave.
    fn leave(&mut self) -> Step {
        if self.decided.model.is_none() {
            self.decided.model = self.models.first().map(|model| model.name.clone());
        }
        if self.folder.is_some() {
            self.decided.trust = Some(false);
        }
        Step::Close
    }

    fn body(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let plain = theme.style(Role::Plain);
        match self.page {
            Page::Hello => hello(width, theme),
            Page::Model => {
                let mut lines = prose(include_str!("model.md").trim_end(), plain, width);
                if !self.missing.is_empty() {
                    lines.push(Line::default());
                    lines.extend(paragraph("More can be set up:", theme.style(Role::Faint), width));
                    let dot = format!("{} ", theme.sign(Sign::Dot));
                    let faint = theme.style(Role::Faint);
                    lines.extend(self.missing.iter().flat_map(|line| labelled(&dot, line, (faint, faint), width)));
                }
                lines
            }
            Page::Trust => {
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

    fn key(&mut self, key: KeyEvent) -> Step {
        if key.kind == KeyEventKind::Press && key.code == KeyCode::Esc {
            return self.leave();
        }
        match (self.choices.key(&key), key.code) {
            (Chosen::Row(row), _) => return self.choose(row),
            (Chosen::Nothing, KeyCode::Left) => match self.page {
                Page::Hello => {}
                Page::Model => return self.turn_to(Page::Hello),
                Page::Trust => return self.turn_to(Page::Model),
            },
            (Chosen::Nothing, _) => {
                self.scroll.key(&key);
            }
            (Chosen::Moved, _) => {}
        }
        Step::Stay
    }

    fn paste(&mut self, _text: &str) {}

    fn view(&mut self, space: Space, focus: Focus) -> View {
        let body = self.body(space.width, &space.theme);
        let room = usize::from(space.height).saturating_sub(4);
        let choices = self.choices.draw(space.width, room, &space.theme);
        let (title, keys): (&str, &[(&str, &str)]) = match self.page {
            Page::Hello => ("Welcome to Forethought", &[("Enter", "goes on"), ("Esc", "skips all of this")]),
            Page::Model => {
                ("Which model should answer?", &[("Enter", "picks"), ("Left", "back"), ("Esc", "takes the first")])
            }
            Page::Trust => (
                "Do you trust the files in this folder?",
                &[("Enter", "confirms"), ("Left", "back"), ("Esc", "not now")],
            ),
        };
        Sheet { title, body: &body, choices, cursor: None, keys }.draw(&mut self.scroll, space, focus)
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
            let styles = (theme.style(Role::Accent), theme.style(Role::Plain));
            for (key, does) in keys {
                lines.extend(labelled(&format!("{key:<11}"), does, styles, width));
            }
        } else {
            lines.extend(prose(paragraph, theme.style(Role::Plain), width));
        }
    }
    lines
}

fn model((number, row): (usize, &ModelRow)) -> Choice {
    let recommended = if number == 0 { " (recommended)" } else { "" };
    Choice::new(&format!("{}{recommended}", row.name)).detail(&row.why)
}

fn trust_rows() -> Vec<Choice> {
    vec![
        Choice::new("Trust this folder"),
        Choice::new("Not now").detail("it asks before each change; `/trust` changes that"),
    ]
}

#[cfg(test)]
mod tests;
