//! Named choices, one under the other. Digits, letters and arrows select; only Enter on a selected one chooses.

use super::text::{labelled, one_line};
use crate::{
    paint::wrap,
    theme::{Sign, TextRole, Theme},
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::text::{Line, Span};

/// Nobody selects by so many letters in a row.
const MAX_LETTERS: usize = 8;

/// Rows that stand under each other, and which of them Enter would choose.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    rows: Vec<ChoiceRow>,
    selected: Option<usize>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChoiceRow {
    pub(crate) label: String,
    /// Stands beneath the label where there is room.
    pub(crate) detail: String,
    /// Selects this row, as its number does.
    pub(crate) letter: Option<char>,
    pub(crate) mark: ChoiceMark,
}

/// What stands beside a label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ChoiceMark {
    #[default]
    Nothing,
    Empty,
    Ticked,
    /// The one that was chosen before.
    Chosen,
}

/// What a key did to the choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChoiceStep {
    Nothing,
    Moved,
    Row(usize),
}

/// Letters that selected something, until it turns out that a message was being written.
#[derive(Clone, Debug, Default)]
pub(crate) struct TypedLetters(String);

impl TypedLetters {
    /// After a key that did this to the choices: the message, if it is one. A word that happens to end with the letter of a
    /// choice must not choose it.
    pub(crate) fn written(&mut self, key: &KeyEvent, chosen: ChoiceStep) -> Option<String> {
        let letter = match key.code {
            KeyCode::Char(letter) if is_plain(key) && key.kind != KeyEventKind::Release => letter,
            _ => {
                self.0.clear();
                return None;
            }
        };
        self.0.push(letter);
        match chosen {
            ChoiceStep::Moved if self.0.len() <= MAX_LETTERS => None,
            ChoiceStep::Moved | ChoiceStep::Nothing => Some(std::mem::take(&mut self.0)),
            ChoiceStep::Row(_) => None,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Exactly these came.
    pub(crate) fn is(&self, letters: &str) -> bool {
        self.0 == letters
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// The rows to draw, and which of them must stay in sight.
#[derive(Clone, Debug, Default)]
pub(crate) struct DrawnChoices {
    pub(crate) lines: Vec<Line<'static>>,
    pub(crate) keep: usize,
}

impl ChoiceRow {
    pub(crate) fn new(label: &str) -> ChoiceRow {
        ChoiceRow { label: label.to_owned(), ..ChoiceRow::default() }
    }

    pub(crate) fn letter(self, letter: char) -> ChoiceRow {
        ChoiceRow { letter: Some(letter), ..self }
    }

    pub(crate) fn detail(self, detail: &str) -> ChoiceRow {
        ChoiceRow { detail: detail.to_owned(), ..self }
    }
}

impl Choices {
    /// Nothing is selected: Enter does nothing yet.
    pub(crate) fn new(rows: Vec<ChoiceRow>) -> Choices {
        Choices { rows, selected: None }
    }

    /// Enter chooses nothing until a row is selected again.
    pub(crate) fn unselect(&mut self) {
        self.selected = None;
    }

    pub(crate) fn selecting(self, row: usize) -> Choices {
        Choices { selected: Some(row), ..self }
    }

    pub(crate) fn selected(&self) -> Option<usize> {
        self.selected
    }

    /// The keys that select, for the line of keys.
    pub(crate) fn select_keys(&self) -> String {
        format!("1-{} or arrows", self.rows.len())
    }

    pub(crate) fn select(&mut self, row: usize) {
        self.selected = (row < self.rows.len()).then_some(row);
    }

    pub(crate) fn key(&mut self, key: &KeyEvent) -> ChoiceStep {
        if key.kind == KeyEventKind::Release || !is_plain(key) || self.rows.is_empty() {
            return ChoiceStep::Nothing;
        }
        let last = self.rows.len() - 1;
        let to = match (key.code, self.selected) {
            // A key that is held down confirms nothing.
            (KeyCode::Enter, Some(row)) if key.kind == KeyEventKind::Press => return ChoiceStep::Row(row),
            (KeyCode::Down, None) => 0,
            (KeyCode::Down, Some(row)) => (row + 1).min(last),
            (KeyCode::Up, None) => last,
            (KeyCode::Up, Some(row)) => row.saturating_sub(1),
            (KeyCode::Char(letter), _) => match self.named(letter) {
                Some(row) => row,
                None => return ChoiceStep::Nothing,
            },
            _ => return ChoiceStep::Nothing,
        };
        self.selected = Some(to);
        ChoiceStep::Moved
    }

    fn named(&self, letter: char) -> Option<usize> {
        let number =
            letter.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).and_then(|digit| digit.checked_sub(1));
        match number {
            Some(row) => (row < self.rows.len()).then_some(row),
            None => self.rows.iter().position(|row| row.letter == Some(letter)),
        }
    }

    /// With the details if all of it fits into `most` rows, else without.
    pub(crate) fn draw(&self, width: u16, most: usize, theme: &Theme) -> DrawnChoices {
        let whole = self.rows_of(width, theme, true);
        if whole.lines.len() <= most { whole } else { self.rows_of(width, theme, false) }
    }

    fn rows_of(&self, width: u16, theme: &Theme, details: bool) -> DrawnChoices {
        let mut drawn = DrawnChoices::default();
        for (number, row) in self.rows.iter().enumerate() {
            let is_selected = self.selected == Some(number);
            if is_selected {
                drawn.keep = drawn.lines.len();
            }
            let style = theme.style(if is_selected { TextRole::Selected } else { TextRole::Plain });
            let pointer = if is_selected { theme.sign(Sign::Pointer) } else { " " };
            let mark = match row.mark {
                ChoiceMark::Nothing | ChoiceMark::Chosen => String::new(),
                ChoiceMark::Empty => format!("{} ", theme.sign(Sign::BoxEmpty)),
                ChoiceMark::Ticked => format!("{} ", theme.sign(Sign::BoxTicked)),
            };
            // Behind the label, so that no label moves.
            let behind =
                if row.mark == ChoiceMark::Chosen { format!(" {}", theme.sign(Sign::Check)) } else { String::new() };
            let front = format!("{pointer} {}. {mark}", number + 1);
            let indent = u16::try_from(Span::raw(front.as_str()).width()).unwrap_or(0);
            drawn.lines.extend(labelled(&front, &format!("{}{behind}", row.label), (style, style), width));
            if details && !row.detail.is_empty() {
                let blank = Span::raw(" ".repeat(usize::from(indent)));
                let detail = Span::styled(one_line(&row.detail), theme.style(TextRole::Faint));
                drawn.lines.extend(wrap(&Line::from(vec![blank, detail]), width, indent));
            }
        }
        drawn
    }
}

/// Without Ctrl, Alt or Shift; a letter may be written with Shift.
pub(crate) fn is_plain(key: &KeyEvent) -> bool {
    let held = key.modifiers - KeyModifiers::SHIFT;
    let shift_counts = key.modifiers.contains(KeyModifiers::SHIFT) && !matches!(key.code, KeyCode::Char(_));
    held.is_empty() && !shift_counts
}
