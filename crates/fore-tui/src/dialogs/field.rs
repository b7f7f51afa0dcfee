//! A small text field: one line or several, with a bound. It sends nothing; what was written is given to its owner.

use crate::{
    paint::{columns, cut},
    theme::{TextRole, Theme},
    view::{Cursor, View},
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::text::{Line, Span};
use tui_textarea::{CursorMove, TextArea};
use unicode_segmentation::UnicodeSegmentation;

/// The most that can be written into a field.
pub(crate) const MAX_CHARS: usize = 16_000;

/// Text that is being written.
#[derive(Debug)]
pub(crate) struct TextField {
    area: TextArea<'static>,
    rows: FieldRows,
    hint: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldRows {
    One,
    /// Ctrl+J, Alt+Enter and Shift+Enter begin a new line.
    Several,
}

/// What a key led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldStep {
    Stay,
    /// Enter: this was written.
    Done(String),
    /// Esc.
    Leave,
}

impl TextField {
    /// A field with a text in it and the cursor at its end.
    pub(crate) fn new(rows: FieldRows, text: &str) -> TextField {
        let mut area = TextArea::default();
        area.set_max_histories(100);
        let mut field = TextField { area, rows, hint: String::new() };
        field.paste(text);
        field
    }

    /// What the empty field shows.
    pub(crate) fn with_hint(mut self, hint: &str) -> TextField {
        hint.clone_into(&mut self.hint);
        self
    }

    pub(crate) fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    pub(crate) fn key(&mut self, key: KeyEvent) -> FieldStep {
        if key.kind == KeyEventKind::Release {
            return FieldStep::Stay;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let plain = !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        match key.code {
            KeyCode::Esc => return FieldStep::Leave,
            KeyCode::Enter if plain => return FieldStep::Done(self.text()),
            KeyCode::Enter => self.new_line(),
            KeyCode::Char('j') if control => self.new_line(),
            KeyCode::Char('u') if control => {
                self.area.delete_line_by_head();
            }
            // These belong to the program, or would break a line of one.
            KeyCode::Char('c' | 'm' | 'g' | 'v') if control => {}
            KeyCode::Tab | KeyCode::BackTab | KeyCode::PageUp | KeyCode::PageDown => {}
            KeyCode::Char(letter) if letter.is_control() => {}
            _ => {
                self.area.input(key);
            }
        }
        self.hold();
        FieldStep::Stay
    }

    /// Text that was pasted, as far as it has room. Control characters are left out, tabs become blanks.
    pub(crate) fn paste(&mut self, text: &str) {
        let room = MAX_CHARS.saturating_sub(self.length());
        let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\t', "    ");
        let taken = text.chars().filter(|letter| *letter == '\n' || !letter.is_control());
        let taken: String = match self.rows {
            FieldRows::One => taken.map(|letter| if letter == '\n' { ' ' } else { letter }).take(room).collect(),
            FieldRows::Several => taken.take(room).collect(),
        };
        if !taken.is_empty() {
            self.area.insert_str(taken);
        }
    }

    /// The text in rows of at most `width` columns; where it has more than `most_rows`, those around the cursor.
    pub(crate) fn view(&self, width: u16, most_rows: u16, theme: &Theme) -> View {
        // One column is kept for the cursor behind the last letter.
        let room = usize::from(width.saturating_sub(1).max(1));
        if self.is_empty() && !self.hint.is_empty() {
            let line = Line::from(Span::styled(cut(&self.hint, width, theme), theme.style(TextRole::Faint)));
            return View { lines: vec![line], cursor: Some(Cursor { column: 0, row: 0 }) };
        }
        let at = self.area.cursor();
        let mut rows = Vec::new();
        let mut cursor = Cursor { column: 0, row: 0 };
        for (number, line) in self.area.lines().iter().enumerate() {
            let wanted = (number == at.0).then_some(at.1);
            if let Some((row, column)) = lay_out(line, room, wanted, &mut rows) {
                cursor = Cursor {
                    column: u16::try_from(column).unwrap_or(u16::MAX),
                    row: u16::try_from(row).unwrap_or(u16::MAX),
                };
            }
        }
        let most = usize::from(most_rows.max(1));
        let first = usize::from(cursor.row).saturating_sub(most - 1);
        let lines = rows.into_iter().skip(first).take(most).map(Line::from).collect();
        let row = cursor.row.saturating_sub(u16::try_from(first).unwrap_or(u16::MAX));
        View { lines, cursor: Some(Cursor { row, column: cursor.column.min(width.saturating_sub(1)) }) }
    }

    fn new_line(&mut self) {
        match self.rows {
            FieldRows::One => {}
            FieldRows::Several => self.area.insert_newline(),
        }
    }

    fn length(&self) -> usize {
        self.area.lines().iter().map(|line| line.chars().count() + 1).sum::<usize>().saturating_sub(1)
    }

    /// Whatever a key did, the text keeps its bounds.
    fn hold(&mut self) {
        let several = self.rows == FieldRows::One && self.area.lines().len() > 1;
        if self.length() > MAX_CHARS || several {
            let text = fore_text::cut::chars(&self.text(), MAX_CHARS).to_owned();
            let text = if several { text.replace('\n', " ") } else { text };
            self.area.set_lines(text.split('\n').map(str::to_owned).collect(), (0, 0));
            self.area.move_cursor(CursorMove::Bottom);
            self.area.move_cursor(CursorMove::End);
        }
    }
}

/// Breaks one line into rows; gives row and column of the character that is asked for.
fn lay_out(line: &str, room: usize, wanted: Option<usize>, rows: &mut Vec<String>) -> Option<(usize, usize)> {
    let mut found = None;
    let (mut row, mut used, mut chars) = (String::new(), 0, 0);
    for grapheme in line.graphemes(true) {
        let shown = fore_text::line(grapheme).into_owned();
        let shown = if columns(&shown) > room { "?".to_owned() } else { shown };
        if used + columns(&shown) > room {
            // A word that has begun moves on as a whole.
            let rest = match row.rfind(' ') {
                Some(space) if shown != " " && fits(&row, space, &shown, room) => row.split_off(space + 1),
                _ => String::new(),
            };
            let kept = columns(&row);
            rows.push(std::mem::replace(&mut row, rest));
            if let Some((at, column)) = found
                && at + 1 == rows.len()
                && column >= kept
                && !row.is_empty()
            {
                found = Some((rows.len(), column - kept));
            }
            used = columns(&row);
        }
        let end = chars + grapheme.chars().count();
        if wanted.is_some_and(|wanted| (chars..end).contains(&wanted)) {
            found = Some((rows.len(), used));
        }
        (used, chars) = (used + columns(&shown), end);
        row.push_str(&shown);
    }
    if wanted.is_some_and(|wanted| wanted >= chars) {
        found = Some((rows.len(), used));
    }
    rows.push(row);
    found
}

/// Whether the word behind the space and the letter that follows fit into a row of their own.
fn fits(row: &str, space: usize, letter: &str, room: usize) -> bool {
    row.get(space + 1..).is_some_and(|word| columns(word) + columns(letter) <= room)
}

#[cfg(test)]
#[path = "field_tests.rs"]
mod tests;
