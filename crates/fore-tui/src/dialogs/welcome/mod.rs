//! The first run: what this is, which model answers, whether the folder is trusted. Esc on any page leaves the rest as it is and
//! ends at a prompt that works.

use super::{
    Dialog, DialogStep, Focus,
    choices::{ChoiceRow, ChoiceStep, Choices, DrawnChoices},
    field::{FieldRows, FieldStep, TextField},
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
pub(crate) struct FirstRun {
    pub model: Option<String>,
    /// The address of the person's own server, if the model is one of it.
    pub server: Option<String>,
    pub trust: Option<bool>,
}

/// The screen of the first run. After [`DialogStep::Close`], [`WelcomeDialog::decided`] says what came of it.
#[derive(Debug)]
pub(crate) struct WelcomeDialog {
    page: WelcomePage,
    models: Vec<ModelRow>,
    missing: Vec<String>,
    /// The folder, if it is not trusted yet.
    folder: Option<String>,
    decided: FirstRun,
    choices: Choices,
    scroll: Scroll,
    server: OwnServer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WelcomePage {
    Hello,
    Model,
    /// The address of a server of one's own is written.
    Address,
    /// What that server offers.
    Served,
    Trust,
}

/// A server whose address the person writes.
#[derive(Debug)]
struct OwnServer {
    field: TextField,
    state: ServerState,
    models: Vec<ModelRow>,
}

#[derive(Debug, PartialEq, Eq)]
enum ServerState {
    Unknown,
    /// It is being asked at this address.
    Asked(String),
    /// It answered there.
    Answered(String),
    /// Why it did not.
    Failed(String),
}

impl OwnServer {
    fn new() -> OwnServer {
        let field = TextField::new(FieldRows::One, "").with_hint("http://10.0.0.5:8000/v1");
        OwnServer { field, state: ServerState::Unknown, models: Vec::new() }
    }

    /// What is known of it, beneath the field.
    fn words(&self) -> String {
        match &self.state {
            ServerState::Unknown | ServerState::Answered(_) => String::new(),
            ServerState::Asked(address) => format!("Asking {address} for its models …"),
            ServerState::Failed(why) => why.clone(),
        }
    }
}

impl WelcomeDialog {
    /// `models`: what can be used now, the recommended one first. `missing`: what could be set up. `folder`: the folder if
    /// it is not trusted yet.
    pub(crate) fn new(models: Vec<ModelRow>, missing: Vec<SetupHint>, folder: Option<String>) -> WelcomeDialog {
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
            server: OwnServer::new(),
        };
        dialog.turn_to(WelcomePage::Hello);
        dialog
    }

    pub(crate) fn decided(&self) -> FirstRun {
        self.decided.clone()
    }

    fn turn_to(&mut self, page: WelcomePage) -> DialogStep {
        self.page = page;
        self.scroll = Scroll::default();
        let (rows, begins) = match page {
            WelcomePage::Hello => (vec![ChoiceRow::new("Continue")], 0),
            WelcomePage::Model => {
                let nothing = self.models.is_empty().then(|| ChoiceRow::new("Continue without a model"));
                let rows = self.models.iter().enumerate().map(|(number, row)| model(row, number == 0)).chain(nothing);
                let own = ChoiceRow::new("A server of mine").detail("you type its address");
                (rows.chain([own]).collect(), 0)
            }
            WelcomePage::Address => (Vec::new(), 0),
            WelcomePage::Served => (self.server.models.iter().map(|row| model(row, false)).collect(), 0),
            WelcomePage::Trust if self.folder.is_none() => return DialogStep::Close,
            WelcomePage::Trust => (trust_rows(), 1),
        };
        self.choices = Choices::new(rows).selecting(begins);
        DialogStep::Stay
    }

    fn choose(&mut self, row: usize) -> DialogStep {
        match self.page {
            WelcomePage::Hello => self.turn_to(WelcomePage::Model),
            WelcomePage::Model => match self.models.get(row) {
                Some(model) => {
                    (self.decided.model, self.decided.server) = (Some(model.name.clone()), None);
                    self.turn_to(WelcomePage::Trust)
                }
                None if row == 0 => self.turn_to(WelcomePage::Trust),
                None => self.turn_to(WelcomePage::Address),
            },
            WelcomePage::Address => DialogStep::Stay,
            WelcomePage::Served => {
                let ServerState::Answered(address) = &self.server.state else { return DialogStep::Stay };
                self.decided.server = Some(address.clone());
                self.decided.model = self.server.models.get(row).map(|model| model.name.clone());
                self.turn_to(WelcomePage::Trust)
            }
            WelcomePage::Trust => {
                self.decided.trust = Some(row == 0);
                DialogStep::Close
            }
        }
    }

    /// What was not answered stays undecided: nothing is written, and what would be used anyway is.
    fn leave(&mut self) -> DialogStep {
        match self.page {
            WelcomePage::Hello | WelcomePage::Model | WelcomePage::Address | WelcomePage::Served => {
                self.decided = FirstRun::default();
            }
            WelcomePage::Trust => self.decided.trust = None,
        }
        DialogStep::Close
    }

    /// Keys while an address is written.
    fn address_key(&mut self, key: KeyEvent) -> DialogStep {
        match self.server.field.key(key) {
            FieldStep::Stay => DialogStep::Stay,
            FieldStep::Leave => self.turn_to(WelcomePage::Model),
            FieldStep::Done(address) if address.trim().is_empty() => DialogStep::Stay,
            FieldStep::Done(address) => {
                let address = address.trim().to_owned();
                self.server.state = ServerState::Asked(address.clone());
                DialogStep::AskServer(address)
            }
        }
    }

    fn body(&self, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        let plain = theme.style(TextRole::Plain);
        match self.page {
            WelcomePage::Hello => hello(width, theme),
            WelcomePage::Model => {
                let mut lines = prose(include_str!("model.md").trim_end(), plain, width);
                if !self.missing.is_empty() {
                    lines.push(Line::default());
                    lines.extend(paragraph("You can also set up:", theme.style(TextRole::Faint), width));
                    let dot = format!("{} ", theme.sign(Sign::Dot));
                    let faint = theme.style(TextRole::Faint);
                    lines.extend(self.missing.iter().flat_map(|line| labelled(&dot, line, (faint, faint), width)));
                }
                lines
            }
            WelcomePage::Address => prose(include_str!("server.md").trim_end(), plain, width),
            WelcomePage::Served => {
                let found = "Your server offers these. The choice, and its address, are written into your settings.";
                prose(found, plain, width)
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

    fn served(&mut self, address: &str, models: Result<Vec<ModelRow>, String>) {
        if self.page != WelcomePage::Address || self.server.state != ServerState::Asked(address.to_owned()) {
            return;
        }
        match models {
            Ok(models) => {
                self.server.models = models.into_iter().take(MAX_MODELS).collect();
                self.server.state = ServerState::Answered(address.to_owned());
                self.turn_to(WelcomePage::Served);
            }
            Err(why) => self.server.state = ServerState::Failed(why),
        }
    }

    fn key(&mut self, key: KeyEvent) -> DialogStep {
        if self.page == WelcomePage::Address {
            return self.address_key(key);
        }
        if key.kind == KeyEventKind::Press && key.code == KeyCode::Esc {
            return self.leave();
        }
        match (self.choices.key(&key), key.code) {
            (ChoiceStep::Row(row), _) => return self.choose(row),
            (ChoiceStep::Nothing, KeyCode::Left) => match self.page {
                WelcomePage::Hello | WelcomePage::Address => {}
                WelcomePage::Model => return self.turn_to(WelcomePage::Hello),
                WelcomePage::Served => return self.turn_to(WelcomePage::Address),
                WelcomePage::Trust => return self.turn_to(WelcomePage::Model),
            },
            (ChoiceStep::Nothing, _) => {
                self.scroll.key(&key);
            }
            (ChoiceStep::Moved, _) => {}
        }
        DialogStep::Stay
    }

    fn paste(&mut self, text: &str) {
        if self.page == WelcomePage::Address {
            self.server.field.paste(text);
        }
    }

    fn view(&mut self, space: Space, focus: Focus) -> View {
        let body = self.body(space.width, &space.theme);
        let room = usize::from(space.height).saturating_sub(4);
        let mut choices = self.choices.draw(space.width, room, &space.theme);
        let mut cursor = None;
        if self.page == WelcomePage::Address {
            let mut view = self.server.field.view(space.width, 1, &space.theme);
            cursor = view.cursor;
            let warning = space.theme.style(TextRole::Warning);
            let words = self.server.words();
            view.lines.extend(if words.is_empty() { Vec::new() } else { paragraph(&words, warning, space.width) });
            choices = DrawnChoices { keep: 0, lines: view.lines };
        }
        let (title, keys): (&str, &[(&str, &str)]) = match self.page {
            WelcomePage::Hello => ("Welcome to Forethought", &[("Enter", "continue"), ("Esc", "skip setup")]),
            WelcomePage::Model => {
                ("Which model should answer?", &[("Enter", "choose"), ("Left", "back"), ("Esc", "decide later")])
            }
            WelcomePage::Address => ("Where is your server?", &[("Enter", "asks it for its models"), ("Esc", "back")]),
            WelcomePage::Served => {
                ("Which model should answer?", &[("Enter", "choose"), ("Left", "back"), ("Esc", "decide later")])
            }
            WelcomePage::Trust => (
                "Do you trust the files in this folder?",
                &[("Enter", "confirm"), ("Left", "back"), ("Esc", "not now")],
            ),
        };
        DialogLayout { title, body: &body, choices, cursor, keys }.draw(&mut self.scroll, space, focus)
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

fn model(row: &ModelRow, is_recommended: bool) -> ChoiceRow {
    let recommended = if is_recommended { " (recommended)" } else { "" };
    ChoiceRow::new(&format!("{}{recommended}", row.name)).detail(&row.why)
}

fn trust_rows() -> Vec<ChoiceRow> {
    vec![
        ChoiceRow::new("Trust this folder"),
        ChoiceRow::new("Not now").detail("you'll be asked before each change; `/trust` changes that"),
    ]
}

#[cfg(test)]
mod tests;
