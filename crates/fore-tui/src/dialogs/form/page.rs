//! One question of a form and what was answered so far. It sends nothing.

use super::{Choice, Choices, Chosen, Drawn, FormAnswer, FormQuestion, Theme};
use crate::dialogs::choices::{Mark, is_plain};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};

/// A question, its options and the row for a free answer.
#[derive(Debug)]
pub(super) struct Page {
    question: FormQuestion,
    choices: Choices,
    /// Which options are chosen, by their place.
    chosen: Vec<usize>,
    text: String,
}

/// What a key led to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Stay,
    /// To the next page.
    On,
    /// Open a field on this text.
    Write(String),
}

impl Page {
    pub(super) fn new(question: FormQuestion) -> Page {
        let mut page = Page { question, choices: Choices::new(Vec::new()), chosen: Vec::new(), text: String::new() };
        page.refresh(None);
        page
    }

    pub(super) fn header(&self) -> &str {
        if self.question.header.trim().is_empty() { "Question" } else { &self.question.header }
    }

    pub(super) fn text(&self) -> &str {
        &self.question.question
    }

    pub(super) fn is_single(&self) -> bool {
        !self.question.multi_select
    }

    pub(super) fn is_answered(&self) -> bool {
        !self.chosen.is_empty() || !self.text.is_empty()
    }

    pub(super) fn answer(&self) -> FormAnswer {
        let label = |place: &usize| self.question.options.get(*place).map(|option| option.label.clone());
        FormAnswer { chosen: self.chosen.iter().filter_map(label).collect(), text: self.text.clone() }
    }

    /// The answer in words.
    pub(super) fn said(&self) -> String {
        let FormAnswer { mut chosen, text } = self.answer();
        if !text.is_empty() {
            chosen.push(text);
        }
        chosen.join(", ")
    }

    /// The keys of this page; `others` says whether there are other pages.
    pub(super) fn keys(&self, others: bool) -> &'static [(&'static str, &'static str)] {
        match (self.is_single(), others) {
            (true, true) => &[("Enter", "chooses"), ("Esc", "leave"), ("Left Right", "other questions")],
            (true, false) => &[("Enter", "chooses"), ("Esc", "leave")],
            (false, true) => {
                &[("Space", "ticks"), ("Enter", "goes on"), ("Esc", "leave"), ("Left Right", "other questions")]
            }
            (false, false) => &[("Space", "ticks"), ("Enter", "sends"), ("Esc", "leave")],
        }
    }

    pub(super) fn draw(&self, width: u16, most: usize, theme: &Theme) -> Drawn {
        self.choices.draw(width, most, theme)
    }

    pub(super) fn key(&mut self, key: &KeyEvent) -> Turn {
        let is_space = key.code == KeyCode::Char(' ') && is_plain(key) && key.kind == KeyEventKind::Press;
        let selected = self.choices.selected();
        let is_other = selected == Some(self.question.options.len());
        match (self.choices.key(key), selected) {
            (Chosen::Row(_), _) if is_other && (self.is_single() || self.text.is_empty()) => self.write_other(),
            (Chosen::Row(row), _) if self.is_single() => self.choose(row),
            (Chosen::Row(_), _) => Turn::On,
            (Chosen::Nothing, Some(_)) if is_space && is_other => self.write_other(),
            (Chosen::Nothing, Some(row)) if is_space && self.is_single() => self.choose(row),
            (Chosen::Nothing, Some(row)) if is_space => {
                self.tick(row);
                Turn::Stay
            }
            _ => Turn::Stay,
        }
    }

    /// A free answer; of a single choice it takes the place of the option.
    pub(super) fn write(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        if self.is_single() && !self.text.is_empty() {
            self.chosen.clear();
        }
        self.refresh(self.choices.selected());
    }

    fn write_other(&self) -> Turn {
        Turn::Write(self.text.clone())
    }

    fn choose(&mut self, row: usize) -> Turn {
        self.chosen = vec![row];
        self.text.clear();
        self.refresh(Some(row));
        Turn::On
    }

    fn tick(&mut self, row: usize) {
        match self.chosen.iter().position(|place| *place == row) {
            Some(place) => {
                self.chosen.remove(place);
            }
            None => self.chosen.push(row),
        }
        self.chosen.sort_unstable();
        self.refresh(Some(row));
    }

    /// The rows as they are now.
    fn refresh(&mut self, selected: Option<usize>) {
        let mark = |is_chosen: bool| match (self.is_single(), is_chosen) {
            (true, true) => Mark::Chosen,
            (true, false) => Mark::Nothing,
            (false, true) => Mark::Ticked,
            (false, false) => Mark::Empty,
        };
        let option = |(place, option): (usize, &fore_agent::form::FormOption)| Choice {
            mark: mark(self.chosen.contains(&place)),
            ..Choice::new(&option.label).detail(&option.description)
        };
        let mut rows: Vec<Choice> = self.question.options.iter().enumerate().map(option).collect();
        let other = match self.text.is_empty() {
            true => Choice::new("Other: your own answer"),
            false => Choice::new(&format!("Other: {}", self.text)),
        };
        rows.push(Choice { mark: mark(!self.text.is_empty()), ..other });
        self.choices = Choices::new(rows);
        if let Some(row) = selected {
            self.choices.select(row);
        }
    }
}
