//! A list to pick from, narrowed by what is typed. It gives the id of a row and does nothing with it.

use super::{
    Dialog, DialogStep, Focus,
    choices::DrawnChoices,
    field::{FieldRows, FieldStep, TextField},
    layout::{DialogLayout, Scroll},
    text::one_line,
};
use crate::{
    host::{ModelRow, SessionRow},
    options::FolderTrust,
    paint::{columns, cut_line},
    theme::{Sign, TextRole, Theme, mode_words},
    view::{Cursor, Space, View},
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use fore_plan::{Level, Mode};
use nucleo_matcher::{
    Config, Matcher, Utf32Str,
    pattern::{CaseMatching, Normalization, Pattern},
};
use ratatui::text::{Line, Span};

/// Rows that are looked at; more are left out, and the list says so.
pub(crate) const MAX_ROWS: usize = 2_000;
/// Letters of a row that are matched and drawn.
const MAX_LETTERS: usize = 400;

/// A list with a filter.
#[derive(Debug)]
pub(crate) struct PickerDialog {
    title: String,
    rows: Vec<PickRow>,
    left_out: usize,
    filter: TextField,
    /// The rows that fit the filter, best first, with the places of the letters that did.
    found: Vec<(usize, Vec<u32>)>,
    selected: usize,
    /// Rows of the list that were seen last.
    page: usize,
}

/// One row of a picker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PickRow {
    /// What [`DialogStep::Picked`] gives.
    pub id: String,
    pub label: String,
    pub detail: String,
    /// It is the one in use.
    pub is_current: bool,
    /// Something waits there.
    pub notice: String,
}

impl PickerDialog {
    pub(crate) fn new(title: &str, mut rows: Vec<PickRow>) -> PickerDialog {
        let left_out = rows.len().saturating_sub(MAX_ROWS);
        rows.truncate(MAX_ROWS);
        for row in &mut rows {
            for text in [&mut row.label, &mut row.detail, &mut row.notice] {
                *text = fore_text::cut::chars(&one_line(text), MAX_LETTERS).to_owned();
            }
        }
        let selected = rows.iter().position(|row| row.is_current).unwrap_or(0);
        let filter = TextField::new(FieldRows::One, "").with_hint("type to filter");
        let mut picker =
            PickerDialog { title: title.to_owned(), rows, left_out, filter, found: Vec::new(), selected, page: 1 };
        picker.search();
        picker.selected = selected;
        picker
    }

    /// Sessions to go on with; picks the id.
    pub(crate) fn sessions(rows: &[SessionRow]) -> PickerDialog {
        let row = |row: &SessionRow| PickRow {
            id: row.id.to_string(),
            label: if row.about.trim().is_empty() { "(no prompt yet)".to_owned() } else { row.about.clone() },
            detail: format!("{}, {}", row.age, row.mode),
            is_current: false,
            notice: if row.awaits_approval { "a plan awaits approval".to_owned() } else { String::new() },
        };
        PickerDialog::new("Resume a session", rows.iter().map(row).collect())
    }

    /// Models to use; picks the name.
    pub(crate) fn models(rows: &[ModelRow], current: &str) -> PickerDialog {
        let row = |row: &ModelRow| PickRow {
            id: row.name.clone(),
            label: row.name.clone(),
            detail: row.why.clone(),
            is_current: row.name == current,
            notice: String::new(),
        };
        PickerDialog::new("Choose a model", rows.iter().map(row).collect())
    }

    /// Modes that can be switched to; picks the name.
    pub(crate) fn modes(modes: &[Mode], current: Mode, folder: FolderTrust) -> PickerDialog {
        let row = |mode: &Mode| PickRow {
            id: mode.name().to_owned(),
            label: mode.name().to_owned(),
            detail: mode_detail(*mode).to_owned(),
            is_current: *mode == current,
            notice: match folder {
                FolderTrust::NotTrusted if mode.needs_trust() => "needs /trust".to_owned(),
                FolderTrust::NotTrusted | FolderTrust::Trusted => String::new(),
            },
        };
        PickerDialog::new("Switch the mode", modes.iter().map(row).collect())
    }

    fn search(&mut self) {
        let wanted = self.filter.text();
        self.selected = 0;
        if wanted.trim().is_empty() {
            self.found = (0..self.rows.len()).map(|row| (row, Vec::new())).collect();
            return;
        }
        let pattern = Pattern::parse(&wanted, CaseMatching::Smart, Normalization::Smart);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut letters = Vec::new();
        let mut scored = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            let text = format!("{} {} {}", row.label, row.notice, row.detail);
            let mut places = Vec::new();
            let text = Utf32Str::new(&text, &mut letters);
            if let Some(score) = pattern.indices(text, &mut matcher, &mut places) {
                places.sort_unstable();
                places.dedup();
                scored.push((score, number, places));
            }
        }
        scored.sort_by_key(|(score, number, _)| (std::cmp::Reverse(*score), *number));
        self.found = scored.into_iter().map(|(_, number, places)| (number, places)).collect();
    }

    fn move_to(&mut self, row: usize) {
        self.selected = row.min(self.found.len().saturating_sub(1));
    }
}

impl Dialog for PickerDialog {
    fn key(&mut self, key: KeyEvent) -> DialogStep {
        if key.kind == KeyEventKind::Release {
            return DialogStep::Stay;
        }
        match key.code {
            KeyCode::Down => self.move_to(self.selected.saturating_add(1)),
            KeyCode::Up => self.move_to(self.selected.saturating_sub(1)),
            KeyCode::PageDown => self.move_to(self.selected.saturating_add(self.page)),
            KeyCode::PageUp => self.move_to(self.selected.saturating_sub(self.page)),
            KeyCode::Home => self.move_to(0),
            KeyCode::End => self.move_to(usize::MAX),
            _ => match self.filter.key(key) {
                FieldStep::Leave => return DialogStep::Close,
                FieldStep::Done(_) => {
                    let row = self.found.get(self.selected).and_then(|(row, _)| self.rows.get(*row));
                    return row.map_or(DialogStep::Stay, |row| DialogStep::Picked(row.id.clone()));
                }
                FieldStep::Stay => self.search(),
            },
        }
        DialogStep::Stay
    }

    fn paste(&mut self, text: &str) {
        self.filter.paste(text);
        self.search();
    }

    fn view(&mut self, space: Space, focus: Focus) -> View {
        let theme = &space.theme;
        let prompt = format!("{} ", theme.sign(Sign::Prompt));
        let field = self.filter.view(space.width.saturating_sub(2), 1, theme);
        let typed = field.lines.into_iter().next().unwrap_or_default();
        let mut line = Line::from(Span::styled(prompt, theme.style(TextRole::Accent)));
        line.spans.extend(typed.spans);
        let mut lines = vec![cut_line(line, space.width, theme)];
        // The title, the filter, the keys and what is left out.
        let room = usize::from(space.height).saturating_sub(4).max(1);
        self.page = room;
        let first = self.selected.saturating_sub(room / 2).min(self.found.len().saturating_sub(room));
        let seen: Vec<_> = self.found.iter().enumerate().skip(first).take(room).collect();
        let column = column(seen.iter().filter_map(|(_, (row, _))| self.rows.get(*row)), space.width);
        for (place, (row, places)) in seen {
            if let Some(row) = self.rows.get(*row) {
                lines.push(draw_row(row, places, place == self.selected, column, space));
            }
        }
        if self.found.is_empty() {
            lines.push(cut_line(
                Line::from(Span::styled("no match", theme.style(TextRole::Faint))),
                space.width,
                theme,
            ));
        } else if self.found.len() > room || self.left_out > 0 {
            lines.push(self.counts(space));
        }
        let keep = self.selected.saturating_sub(first) + 1;
        let cursor = field.cursor.map(|cursor| Cursor { column: cursor.column.saturating_add(2), row: 0 });
        let keys = [("Enter", "picks"), ("Esc", "closes"), ("arrows", "move")];
        let choices = DrawnChoices { lines, keep };
        let layout = DialogLayout { title: &self.title, body: &[], choices, cursor, keys: &keys };
        layout.draw(&mut Scroll::default(), space, focus)
    }
}

impl PickerDialog {
    fn counts(&self, space: Space) -> Line<'static> {
        let mut words = format!("{} of {}", self.selected + 1, self.found.len());
        if self.left_out > 0 {
            words.push_str(&format!("; {} more are not listed", self.left_out));
        }
        let words = Span::styled(words, space.theme.style(TextRole::Faint));
        cut_line(Line::from(words), space.width, &space.theme)
    }
}

/// Fewer columns say nothing beside a label.
const MIN_DETAIL_WIDTH: usize = 8;

/// How wide the column of the labels is. What is picked by its name shows the whole name; where names are sentences, what
/// stands beside them has up to half of the width.
fn column<'a>(rows: impl Iterator<Item = &'a PickRow>, width: u16) -> usize {
    let besides = |text: &str| if text.is_empty() { 0 } else { columns(text) + 2 };
    let sizes = rows.map(|row| (columns(&row.label), besides(&row.notice) + besides(&row.detail)));
    let (label, rest) = sizes.fold((0, 0), |most, row| (most.0.max(row.0), most.1.max(row.1)));
    let room = usize::from(width).saturating_sub(4);
    if label + rest <= room || label <= room * 3 / 4 { label } else { room - rest.min(room / 2) }
}

/// `❯ label  notice  detail`, the letters that fit the filter marked.
fn draw_row(row: &PickRow, places: &[u32], is_selected: bool, column: usize, space: Space) -> Line<'static> {
    let theme = &space.theme;
    let pointer = if is_selected { theme.sign(Sign::Pointer) } else { " " };
    let current = if row.is_current { theme.sign(Sign::Check) } else { " " };
    let role = if is_selected { TextRole::Selected } else { TextRole::Plain };
    let mut line = Line::from(Span::styled(format!("{pointer} {current} "), theme.style(role)));
    let label = cut_line(Line::from(marked(&row.label, places, 0, role, theme)), width_of(column), theme);
    let blank = column.saturating_sub(label.width());
    line.spans.extend(label.spans);
    line.spans.push(Span::raw(" ".repeat(blank)));
    let mut offset = row.label.chars().count() + 1;
    let has_room = usize::from(space.width) >= column + 6 + MIN_DETAIL_WIDTH;
    for (text, role) in [(&row.notice, TextRole::Warning), (&row.detail, TextRole::Faint)] {
        if !text.is_empty() && has_room {
            line.spans.push(Span::raw("  "));
            let room = usize::from(space.width).saturating_sub(line.width());
            line.spans.extend(marked(complete_parts(text, room), places, offset, role, theme));
        }
        offset += text.chars().count() + 1;
    }
    cut_line(line, space.width, theme)
}

/// As many parts of a list as fit; where not even the first does, all of it, to be cut.
fn complete_parts(text: &str, room: usize) -> &str {
    if columns(text) <= room {
        return text;
    }
    let ends = text.match_indices(", ").map(|(end, _)| text.get(..end).unwrap_or_default());
    ends.take_while(|part| columns(part) <= room).last().unwrap_or(text)
}

fn width_of(column: usize) -> u16 {
    u16::try_from(column).unwrap_or(u16::MAX)
}

fn marked(text: &str, places: &[u32], offset: usize, role: TextRole, theme: &Theme) -> Vec<Span<'static>> {
    let plain = theme.style(role);
    let found = plain.patch(theme.style(TextRole::Accent)).add_modifier(ratatui::style::Modifier::UNDERLINED);
    let mut spans: Vec<Span<'static>> = Vec::new();
    for (place, letter) in text.chars().enumerate() {
        let place = u32::try_from(place + offset).unwrap_or(u32::MAX);
        let style = if places.binary_search(&place).is_ok() { found } else { plain };
        match spans.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push(letter),
            _ => spans.push(Span::styled(letter.to_string(), style)),
        }
    }
    spans
}

/// What a mode means, in a few words.
pub(crate) fn mode_detail(mode: Mode) -> &'static str {
    match mode {
        Mode::Plan => "reads and plans; nothing changes until you approve",
        Mode::At(Level::Default) => mode_words(mode),
        Mode::At(Level::AcceptEdits) => "file edits pass, the rest asks",
        Mode::At(Level::Auto) => "a small model decides; needs permissions.autoOptIn",
        Mode::At(Level::BypassPermissions) => "never asks; needs --dangerously-allow-bypass",
    }
}

#[cfg(test)]
#[path = "picker_tests.rs"]
mod tests;
