//! The model's questions to the person, one a page, with a page to look everything over. Nothing is sent without Enter on
//! that page, or on the only question; unanswered questions go only after the page has said so.

mod page;

use super::{
    Dialog, DialogStep, Focus,
    choices::{ChoiceRow, ChoiceStep, Choices, DrawnChoices},
    field::{FieldRows, FieldStep, TextField},
    layout::{DialogLayout, Scroll},
    text::{labelled, one_line, paragraph},
};
use crate::{
    paint::cut_line,
    theme::{Sign, TextRole, Theme},
    view::{Space, View},
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use fore_agent::{Command, Form, FormAnswer, FormQuestion, QuestionId};
use page::FormPage;
use ratatui::text::{Line, Span};

/// Rows of a free answer that are seen at once.
const ANSWER_ROWS: u16 = 5;

/// The form of `AskUserQuestion`.
#[derive(Debug)]
pub(crate) struct FormDialog {
    question: QuestionId,
    /// Of the program itself: whoever leaves it has said no.
    is_offer: bool,
    pages: Vec<FormPage>,
    /// The page in sight; behind the last question stands the review, if there is one.
    at: usize,
    scroll: Scroll,
    overlay: FormOverlay,
    review: Choices,
}

/// What lies over the page.
#[derive(Debug)]
enum FormOverlay {
    Nothing,
    /// A free answer is being written.
    Answer(Box<TextField>),
    /// "Leave the questions unanswered?"
    Leaving(Choices),
}

impl FormDialog {
    pub(crate) fn new(question: QuestionId, form: Form) -> FormDialog {
        FormDialog {
            question,
            is_offer: form.is_offer,
            pages: form.questions.into_iter().map(|question| FormPage::new(question, form.is_offer)).collect(),
            at: 0,
            scroll: Scroll::default(),
            overlay: FormOverlay::Nothing,
            review: Choices::new(Vec::new()),
        }
    }

    fn has_review(&self) -> bool {
        self.pages.len() != 1
    }

    fn go(&mut self, to: usize) {
        let last = if self.has_review() { self.pages.len() } else { 0 };
        self.at = to.min(last);
        self.scroll = Scroll::default();
        if let Some(page) = self.pages.get_mut(self.at) {
            page.turned_to();
        }
        if self.at == self.pages.len() {
            let all_answered = self.pages.iter().all(FormPage::is_answered);
            let label = if all_answered { "Send the answers" } else { "Send, with some unanswered" };
            let rows = vec![ChoiceRow::new(label), ChoiceRow::new("Go back")];
            let begins = if all_answered { 0 } else { 1 };
            self.review = Choices::new(rows).selecting(begins);
        }
    }

    /// After a page was answered: the next one, or off it goes if it was the only one.
    fn go_on(&mut self) -> DialogStep {
        if self.has_review() {
            self.go(self.at + 1);
            return DialogStep::Stay;
        }
        if self.pages.iter().all(FormPage::is_answered) { self.send() } else { DialogStep::Stay }
    }

    fn send(&self) -> DialogStep {
        let answers = self.pages.iter().map(FormPage::answer).collect();
        DialogStep::Send(Command::FillForm { question: self.question.clone(), answers })
    }

    /// Every question is answered with nothing: the model is told that there was no answer, and goes on.
    fn decline(&self) -> DialogStep {
        let answers = vec![FormAnswer::default(); self.pages.len()];
        DialogStep::Send(Command::FillForm { question: self.question.clone(), answers })
    }

    fn page_key(&mut self, key: KeyEvent) -> DialogStep {
        let Some(page) = self.pages.get_mut(self.at) else { return self.review_key(key) };
        match page.key(&key) {
            page::FormPageStep::Stay => {
                self.scroll.key(&key);
                DialogStep::Stay
            }
            page::FormPageStep::On => self.go_on(),
            page::FormPageStep::Elsewhere(text) => DialogStep::Written(text),
            page::FormPageStep::Write(text) => {
                let field = TextField::new(FieldRows::Several, &text).with_hint(page.field_hint());
                self.overlay = FormOverlay::Answer(Box::new(field));
                DialogStep::Stay
            }
        }
    }

    fn review_key(&mut self, key: KeyEvent) -> DialogStep {
        match self.review.key(&key) {
            ChoiceStep::Row(0) => return self.send(),
            ChoiceStep::Row(_) => {
                let open = self.pages.iter().position(|page| !page.is_answered());
                self.go(open.unwrap_or(self.pages.len().saturating_sub(1)));
            }
            ChoiceStep::Moved => {}
            ChoiceStep::Nothing => {
                self.scroll.key(&key);
            }
        }
        DialogStep::Stay
    }

    fn answer_key(&mut self, key: KeyEvent) -> DialogStep {
        let FormOverlay::Answer(field) = &mut self.overlay else { return DialogStep::Stay };
        match field.key(key) {
            FieldStep::Stay => DialogStep::Stay,
            FieldStep::Leave => {
                self.overlay = FormOverlay::Nothing;
                DialogStep::Stay
            }
            FieldStep::Done(text) => {
                self.overlay = FormOverlay::Nothing;
                let Some(page) = self.pages.get_mut(self.at) else { return DialogStep::Stay };
                page.write(text.trim());
                if page.is_single() && page.is_answered() { self.go_on() } else { DialogStep::Stay }
            }
        }
    }

    fn leaving_key(&mut self, key: KeyEvent) -> DialogStep {
        let FormOverlay::Leaving(choices) = &mut self.overlay else { return DialogStep::Stay };
        match (choices.key(&key), key.code) {
            (ChoiceStep::Row(0), _) => return self.decline(),
            (ChoiceStep::Row(1), _) => return DialogStep::Send(Command::Interrupt),
            (ChoiceStep::Row(_), _) | (_, KeyCode::Esc) => self.overlay = FormOverlay::Nothing,
            _ => {}
        }
        DialogStep::Stay
    }
}

impl Dialog for FormDialog {
    fn key(&mut self, key: KeyEvent) -> DialogStep {
        match (&self.overlay, key.code) {
            (FormOverlay::Answer(_), _) => self.answer_key(key),
            (FormOverlay::Leaving(_), _) => self.leaving_key(key),
            (FormOverlay::Nothing, _) if key.kind == KeyEventKind::Release => DialogStep::Stay,
            (FormOverlay::Nothing, KeyCode::Esc) if self.is_offer => self.decline(),
            (FormOverlay::Nothing, KeyCode::Esc) => {
                let rows = vec![
                    ChoiceRow::new("Leave them unanswered").detail("the model continues by its own judgement"),
                    ChoiceRow::new("Stop the turn").detail("to say something else first"),
                    ChoiceRow::new("Go back to the questions"),
                ];
                self.overlay = FormOverlay::Leaving(Choices::new(rows).selecting(2));
                DialogStep::Stay
            }
            (FormOverlay::Nothing, KeyCode::Left | KeyCode::BackTab) => {
                self.go(self.at.saturating_sub(1));
                DialogStep::Stay
            }
            (FormOverlay::Nothing, KeyCode::Right | KeyCode::Tab) => {
                self.go(self.at + 1);
                DialogStep::Stay
            }
            (FormOverlay::Nothing, _) => self.page_key(key),
        }
    }

    fn paste(&mut self, text: &str) {
        if let FormOverlay::Answer(field) = &mut self.overlay {
            field.paste(text);
        }
    }

    fn left(&mut self) {
        if let Some(page) = self.pages.get_mut(self.at) {
            page.left();
        }
    }

    fn view(&mut self, space: Space, focus: Focus) -> View {
        let theme = &space.theme;
        let most = usize::from(space.height).saturating_sub(5);
        let mut body = if self.has_review() { vec![self.tabs(space)] } else { Vec::new() };
        let fixed = |keys: &[(&str, &'static str)]| keys.iter().map(|(key, does)| ((*key).to_owned(), *does)).collect();
        let (choices, mut keys): (DrawnChoices, Vec<(String, &'static str)>) = match self.pages.get(self.at) {
            Some(page) => {
                body.extend(paragraph(page.text(), theme.style(TextRole::Strong), space.width));
                (page.draw(space.width, most, theme), page.keys(self.has_review()))
            }
            None => {
                body.extend(self.answers(space));
                (
                    self.review.draw(space.width, most, theme),
                    fixed(&[("Enter", "confirms"), ("Left", "back"), ("Esc", "leave")]),
                )
            }
        };
        let mut choices = choices;
        let mut cursor = None;
        match &self.overlay {
            FormOverlay::Nothing => {}
            FormOverlay::Answer(field) => {
                let label = self.pages.get(self.at).map_or_else(String::new, FormPage::field_label);
                let mut view = View::of(paragraph(&label, theme.style(TextRole::Faint), space.width));
                view.push(field.view(space.width, ANSWER_ROWS, theme));
                cursor = view.cursor;
                choices = DrawnChoices { keep: cursor.map_or(0, |cursor| usize::from(cursor.row)), lines: view.lines };
                keys = fixed(&[("Enter", "done"), ("Ctrl+J", "new line"), ("Esc", "back")]);
            }
            FormOverlay::Leaving(leaving) => {
                let mut lines =
                    paragraph("Leave the questions unanswered?", theme.style(TextRole::Warning), space.width);
                let asked = lines.len();
                let drawn = leaving.draw(space.width, most, theme);
                lines.extend(drawn.lines);
                choices = DrawnChoices { lines, keep: asked + drawn.keep };
                keys = fixed(&[("Enter", "confirms"), ("Esc", "back")]);
            }
        }
        let title = fore_text::plural(self.pages.len(), "A question", "Questions");
        let keys: Vec<(&str, &str)> = keys.iter().map(|(key, does)| (key.as_str(), *does)).collect();
        DialogLayout { title, body: &body, choices, cursor, keys: &keys }.draw(&mut self.scroll, space, focus)
    }
}

impl FormDialog {
    /// `✔ Database  ○ Login  ○ Review`, cut around the page in sight.
    fn tabs(&self, space: Space) -> Line<'static> {
        let theme = &space.theme;
        let mut spans: Vec<Span<'static>> = Vec::new();
        let review = ("Review and send", false);
        let tabs = self.pages.iter().map(|page| (page.header(), page.is_answered())).chain([review]);
        let (mut end, mut wide) = (0, 0);
        for (number, (header, is_answered)) in tabs.enumerate() {
            let sign = theme.sign(if is_answered { Sign::Check } else { Sign::Circle });
            let role = if number == self.at { TextRole::Selected } else { TextRole::Faint };
            let span = Span::styled(format!("{sign} {}", one_line(header)), theme.style(role));
            wide += span.width() + 2;
            if number == self.at {
                end = wide;
            }
            spans.extend([span, Span::raw("  ")]);
        }
        // The tab in sight is always among those that are drawn.
        let mut start = 0;
        let mut dropped = 0;
        while end.saturating_sub(dropped) > usize::from(space.width) + 2
            && start + 2 < spans.len()
            && start < self.at * 2
        {
            dropped += spans.iter().skip(start).take(2).map(Span::width).sum::<usize>();
            start += 2;
        }
        cut_line(Line::from(spans.split_off(start)), space.width, theme)
    }

    fn answers(&self, space: Space) -> Vec<Line<'static>> {
        let theme = &space.theme;
        let mut lines = Vec::new();
        for page in &self.pages {
            lines.extend(paragraph(page.text(), theme.style(TextRole::Faint), space.width));
            let (text, role) = match page.is_answered() {
                true => (page.said(), TextRole::Plain),
                false => ("not answered".to_owned(), TextRole::Warning),
            };
            let sign = format!("{} ", theme.sign(if page.is_answered() { Sign::Check } else { Sign::Circle }));
            lines.extend(labelled(&sign, &text, (theme.style(role), theme.style(role)), space.width));
        }
        lines
    }
}

#[cfg(test)]
mod tests;
