//! One question of a form and what was answered so far. It sends nothing.

use super::{ChoiceRow, ChoiceStep, Choices, DrawnChoices, FormAnswer, FormQuestion, Theme};
use crate::dialogs::choices::{ChoiceMark, TypedLetters, is_plain};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};

/// A question, its options and the row for a free answer.
#[derive(Debug)]
pub(super) struct FormPage {
    question: FormQuestion,
    /// There is no row for a free answer.
    is_offer: bool,
    choices: Choices,
    /// Which options are chosen, by their place.
    chosen: Vec<usize>,
    text: String,
    /// The option that words are being added to, by its place.
    adds_to: Option<usize>,
    typed: TypedLetters,
    /// What was chosen before these letters came.
    before: Vec<usize>,
}

/// What a key led to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FormPageStep {
    Stay,
    /// To the next page.
    On,
    /// Open a field on this text.
    Write(String),
    /// A message for the composer was begun.
    Elsewhere(String),
}

impl FormPage {
    pub(super) fn new(question: FormQuestion, is_offer: bool) -> FormPage {
        let choices = Choices::new(Vec::new());
        let letters = TypedLetters::default();
        let (chosen, before, text) = (Vec::new(), Vec::new(), String::new());
        let mut page = FormPage { question, is_offer, choices, chosen, text, adds_to: None, typed: letters, before };
        page.refresh(None);
        page
    }

    pub(super) fn header(&self) -> &str {
        if self.question.header.trim().is_empty() { "Question" } else { &self.question.header }
    }

    pub(super) fn text(&self) -> &str {
        &self.question.question
    }

    /// The person came here from another page. Ticks are no answer yet, so the first row may be where they begin.
    pub(super) fn turned_to(&mut self) {
        if !self.is_single() && self.choices.selected().is_none() {
            self.choices.select(0);
        }
    }

    /// The keys go elsewhere: what was selected is gone to anew.
    pub(super) fn left(&mut self) {
        self.typed.clear();
        self.choices.unselect();
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
    pub(super) fn keys(&self, others: bool) -> Vec<(String, &'static str)> {
        let numbers = format!("1-{}", self.question.options.len());
        let key = |key: &str, does| (key.to_owned(), does);
        let mut keys = match (self.is_single(), self.choices.selected()) {
            (true, None) => vec![(self.choices.select_keys(), "select")],
            (true, Some(_)) => vec![key("Enter", "chooses"), key("n", "adds words")],
            (false, None) => vec![(numbers, "tick")],
            (false, Some(_)) => vec![(numbers, "tick"), key("Enter", if others { "continues" } else { "sends" })],
        };
        keys.push(key("Esc", "leave"));
        if others {
            keys.push(key("Left Right", "other questions"));
        }
        keys
    }

    pub(super) fn draw(&self, width: u16, most: usize, theme: &Theme) -> DrawnChoices {
        self.choices.draw(width, most, theme)
    }

    /// What the field for free words says while it is empty.
    pub(super) fn field_hint(&self) -> &'static str {
        if self.adds_to.is_some() { "words that go with it" } else { "what you would like instead" }
    }

    /// What stands above the field for free words.
    pub(super) fn field_label(&self) -> String {
        match self.adds_to.and_then(|place| self.question.options.get(place)) {
            Some(option) => format!("{}, and:", option.label),
            None => "Your own answer:".to_owned(),
        }
    }

    pub(super) fn key(&mut self, key: &KeyEvent) -> FormPageStep {
        let is_pressed =
            |letter: char| key.code == KeyCode::Char(letter) && is_plain(key) && key.kind == KeyEventKind::Press;
        let is_space = is_pressed(' ');
        let selected = self.choices.selected();
        let is_other = selected == Some(self.question.options.len());
        // Whoever stands on the row for an own answer and types means that answer, also right after its number.
        let number = self.question.options.len().saturating_add(1).to_string();
        if let KeyCode::Char(letter) = key.code
            && is_other
            && is_plain(key)
            && key.kind != KeyEventKind::Release
            && (self.typed.is_empty() || self.typed.is(&number))
            && letter != ' '
            && !letter.is_ascii_digit()
        {
            self.typed.clear();
            let FormPageStep::Write(text) = self.write_other() else { return FormPageStep::Stay };
            return FormPageStep::Write(format!("{text}{letter}"));
        }
        let chosen = self.choices.key(key);
        let means_something = match selected {
            // A digit and a space are how a sentence begins; several are ticked by them.
            Some(_) if is_space => self.typed.is_empty() || !self.is_single(),
            Some(_) => is_pressed('n') && self.is_single() && !is_other,
            None => is_space && self.typed.is_empty(),
        };
        if self.typed.is_empty() {
            self.before.clone_from(&self.chosen);
        }
        if means_something {
            self.typed.clear();
        } else if let Some(text) = self.typed.written(key, chosen) {
            // It was a message after all: its digits have ticked nothing.
            self.chosen = std::mem::take(&mut self.before);
            self.refresh(self.choices.selected());
            return FormPageStep::Elsewhere(text);
        }
        let by_digit = matches!(key.code, KeyCode::Char('1'..='9')) && key.kind == KeyEventKind::Press;
        if let (ChoiceStep::Moved, Some(row), true, false) =
            (chosen, self.choices.selected(), by_digit, self.is_single())
            && row < self.question.options.len()
        {
            self.tick(row);
            return FormPageStep::Stay;
        }
        match (chosen, selected) {
            (ChoiceStep::Row(_), _) if is_other && (self.is_single() || self.text.is_empty()) => self.write_other(),
            (ChoiceStep::Row(row), _) if self.is_single() => self.choose(row),
            (ChoiceStep::Row(_), _) => FormPageStep::On,
            (ChoiceStep::Nothing, Some(_)) if is_space && is_other => self.write_other(),
            (ChoiceStep::Nothing, Some(row)) if is_space && self.is_single() => self.choose(row),
            (ChoiceStep::Nothing, Some(row)) if is_pressed('n') && self.is_single() && !is_other => self.add_to(row),
            (ChoiceStep::Nothing, Some(row)) if is_space => {
                self.tick(row);
                FormPageStep::Stay
            }
            _ => FormPageStep::Stay,
        }
    }

    /// Free words: beside an option that they were added to; else, of a single choice, in its place.
    pub(super) fn write(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        match self.adds_to.take() {
            Some(row) => self.chosen = vec![row],
            None if self.is_single() && !self.text.is_empty() => self.chosen.clear(),
            None => {}
        }
        self.refresh(self.choices.selected());
    }

    fn write_other(&mut self) -> FormPageStep {
        self.adds_to = None;
        let is_added = self.is_single() && !self.chosen.is_empty();
        FormPageStep::Write(if is_added { String::new() } else { self.text.clone() })
    }

    fn add_to(&mut self, row: usize) -> FormPageStep {
        self.adds_to = Some(row);
        FormPageStep::Write(if self.chosen == [row] { self.text.clone() } else { String::new() })
    }

    fn choose(&mut self, row: usize) -> FormPageStep {
        self.chosen = vec![row];
        self.text.clear();
        self.refresh(Some(row));
        FormPageStep::On
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
            (true, true) => ChoiceMark::Chosen,
            (true, false) => ChoiceMark::Nothing,
            (false, true) => ChoiceMark::Ticked,
            (false, false) => ChoiceMark::Empty,
        };
        let has_added = self.is_single() && !self.chosen.is_empty() && !self.text.is_empty();
        let option = |(place, option): (usize, &fore_agent::FormOption)| {
            let is_chosen = self.chosen.contains(&place);
            let detail = match (is_chosen && has_added, option.description.trim()) {
                (false, description) => description.to_owned(),
                (true, "") => format!("you add: {}", self.text),
                (true, description) => format!("{description} (you add: {})", self.text),
            };
            ChoiceRow { mark: mark(is_chosen), ..ChoiceRow::new(&option.label).detail(&detail) }
        };
        let mut rows: Vec<ChoiceRow> = self.question.options.iter().enumerate().map(option).collect();
        let is_other = !self.text.is_empty() && !has_added;
        let other = match is_other {
            false => ChoiceRow::new("Other: your own answer"),
            true => ChoiceRow::new(&format!("Other: {}", self.text)),
        };
        rows.extend((!self.is_offer).then_some(ChoiceRow { mark: mark(is_other), ..other }));
        self.choices = Choices::new(rows);
        if let Some(row) = selected {
            self.choices.select(row);
        }
    }
}
