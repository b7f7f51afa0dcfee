//! The full-screen viewer: scrolls through items and lays out only what is in sight. It changes nothing.

mod layout;
mod pages;
mod search;

pub(crate) use pages::ItemFold;
pub(crate) use pages::Pages;

use super::{
    Dialog, DialogStep, Focus, PagerDocument,
    choices::is_plain,
    field::{FieldRows, FieldStep, TextField},
    layout::{fade, headline, key_line},
};
use crate::{
    paint::cut_line,
    theme::{Sign, TextRole},
    view::{Cursor, Space, View},
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use layout::{PagerLayout, RowPosition};
use pages::DocumentPages;
use ratatui::text::{Line, Span};
pub(crate) use search::Needle;
use search::{SearchDirection, SearchStart};

/// A document or a conversation on the whole screen.
#[derive(Debug)]
pub(crate) struct Pager {
    title: String,
    layout: PagerLayout,
    /// The first row in sight.
    top: RowPosition,
    /// The row that keys act on; without folds it is the first one in sight.
    at: RowPosition,
    /// Rows in sight, as of the last drawing.
    page: usize,
    has_folds: bool,
    searching: Option<TextField>,
    needle: Option<Needle>,
    /// Where the search stands, until something else moves.
    hit: Option<RowPosition>,
    /// What the last search came to, if nothing was found.
    said: Option<&'static str>,
}

impl Pager {
    pub(crate) fn document(document: PagerDocument) -> Pager {
        let title = document.title.clone();
        Pager::new(&title, Box::new(DocumentPages::new(document)))
    }

    pub(crate) fn new(title: &str, pages: Box<dyn Pages>) -> Pager {
        Pager {
            title: title.to_owned(),
            has_folds: pages.has_folds(),
            layout: PagerLayout::new(pages),
            top: RowPosition::default(),
            at: RowPosition::default(),
            page: 1,
            searching: None,
            needle: None,
            hit: None,
            said: None,
        }
    }

    /// Begins at the end, as a conversation does.
    pub(crate) fn at_the_end(mut self) -> Pager {
        self.at = RowPosition { item: usize::MAX, row: usize::MAX };
        self.top = self.at;
        self
    }

    /// Draws exactly `space.height` rows.
    pub(crate) fn view(&mut self, space: Space) -> View {
        let height = usize::from(space.height);
        let (title, foot) = (usize::from(height >= 3), usize::from(height >= 2));
        let room = height - title - foot;
        let gutter = if self.has_folds && space.width >= 20 { 2 } else { 0 };
        self.fit(space, gutter, room.max(1));
        let mut view = View::default();
        if title == 1 {
            view.lines.push(headline(&self.title, space));
        }
        let mut place = self.top;
        let mut bottom = self.top;
        for number in 0..room {
            let Some(line) = self.layout.row(place) else { break };
            bottom = place;
            let line =
                self.needle.as_ref().map_or_else(|| line.clone(), |needle| needle.mark(line.clone(), &space.theme));
            view.lines.push(self.with_gutter(line, place, gutter, space));
            let next = self.layout.down(place, 1);
            if next == place || number + 1 == room {
                break;
            }
            place = next;
        }
        view.lines.resize(height - foot, Line::default());
        if foot == 1 {
            view.push(self.foot(bottom, space));
        }
        view
    }

    /// Takes the width and holds the places to what is there.
    fn fit(&mut self, space: Space, gutter: u16, room: usize) {
        self.page = room;
        self.layout.fit(space.width - gutter.min(space.width), space.theme, &mut [&mut self.top, &mut self.at]);
        if self.at.item == usize::MAX {
            self.at = self.end();
        }
        self.at = self.layout.nearest(self.at);
        self.top = self.layout.nearest(self.top);
        let last = self.layout.last();
        let last_top = self.layout.up(last, room - 1);
        if !self.has_folds {
            self.top = self.top.min(last_top);
            self.at = self.top;
            return;
        }
        let highest = self.layout.up(self.at, room - 1);
        self.top = self.top.max(highest).min(self.at).min(last_top);
    }

    fn with_gutter(&self, mut line: Line<'static>, place: RowPosition, gutter: u16, space: Space) -> Line<'static> {
        if gutter == 0 {
            return line;
        }
        let theme = &space.theme;
        let sign = match (place == self.at, place.item == self.at.item) {
            (true, _) => theme.sign(Sign::Pointer),
            (false, true) => theme.sign(Sign::Bar),
            (false, false) => " ",
        };
        line.spans.insert(0, Span::styled(format!("{sign} "), theme.style(TextRole::Accent)));
        line
    }

    fn foot(&mut self, bottom: RowPosition, space: Space) -> View {
        let theme = &space.theme;
        if let Some(field) = &self.searching {
            let typed = field.view(space.width.saturating_sub(1), 1, theme);
            let mut line = Line::from(Span::styled("/", theme.style(TextRole::Accent)));
            line.spans.extend(typed.lines.into_iter().next().unwrap_or_default().spans);
            let column = typed.cursor.map_or(0, |cursor| cursor.column).saturating_add(1);
            let cursor = Cursor { column: column.min(space.width.saturating_sub(1)), row: 0 };
            return View { lines: vec![cut_line(line, space.width, theme)], cursor: Some(cursor) };
        }
        let share = self.share(bottom);
        let found = self.said.map_or_else(|| share.clone(), |said| format!("{share} {said}"));
        let next: &[(&str, &str)] = if self.needle.is_some() { &[("n N", "next hit")] } else { &[] };
        let folds: &[(&str, &str)] = if self.has_folds { &[("Enter", "opens"), ("o", "opens all")] } else { &[] };
        let keys = [&[("q", "closes")], next, folds, &[("/", "searches"), ("PgUp PgDn", "scroll"), ("g G", "ends")]];
        let left = Span::styled(format!("{found}  "), theme.style(TextRole::Strong));
        let room = usize::from(space.width).saturating_sub(left.width());
        let mut line = Line::from(left);
        line.spans.extend(key_line(&keys.concat(), u16::try_from(room).unwrap_or(0), theme).spans);
        View::of(vec![cut_line(line, space.width, theme)])
    }

    /// How far down the last row in sight is.
    fn share(&mut self, bottom: RowPosition) -> String {
        let count = self.layout.pages.count();
        if count == 0 || bottom == self.layout.last() {
            return if self.top == RowPosition::default() { "all".to_owned() } else { "end".to_owned() };
        }
        let within = (bottom.row + 1) * 100 / self.layout.height(bottom.item).max(1);
        format!("{}%", ((bottom.item * 100 + within) / count).min(99))
    }

    fn scroll_down(&mut self, rows: usize) {
        self.top = self.layout.down(self.top, rows);
        self.at = self.layout.down(self.at, rows);
    }

    fn scroll_up(&mut self, rows: usize) {
        self.top = self.layout.up(self.top, rows);
        self.at = self.layout.up(self.at, rows);
    }

    fn go(&mut self, to: RowPosition) {
        self.at = to;
        if !self.has_folds {
            self.top = to;
        }
    }

    /// The last row; the empty one beneath a block is no place to stand on.
    fn end(&mut self) -> RowPosition {
        let last = self.layout.last();
        let is_empty = self.layout.row(last).is_none_or(|line| line.to_string().trim().is_empty());
        if self.has_folds && is_empty { self.layout.up(last, 1) } else { last }
    }

    fn step_to_item(&mut self, item: Option<usize>) {
        if let Some(item) = item {
            self.go(RowPosition { item, row: 0 });
        }
    }

    fn search_on(&mut self, direction: SearchDirection) {
        let Some(needle) = self.needle.clone() else { return };
        let from = self.hit.map_or(SearchStart::At(self.at), SearchStart::Beyond);
        self.hit = needle.find(&mut self.layout, from, direction);
        let Some(place) = self.hit else {
            self.said = Some("not found");
            return;
        };
        self.said = None;
        let bottom = self.layout.down(self.top, self.page.saturating_sub(1));
        if !(self.top..=bottom).contains(&place) {
            self.top = self.layout.up(place, self.page / 4);
        }
        self.at = if self.has_folds { place } else { self.top };
    }

    fn search_key(&mut self, key: KeyEvent) {
        let Some(field) = &mut self.searching else { return };
        match field.key(key) {
            FieldStep::Stay => {}
            FieldStep::Leave => self.searching = None,
            FieldStep::Done(text) => {
                self.searching = None;
                self.said = None;
                self.needle = Needle::new(&text);
                self.hit = None;
                self.search_on(SearchDirection::Down);
            }
        }
    }

    /// Moves by a key; whether it was one that moves.
    fn move_key(&mut self, key: &KeyEvent) -> bool {
        let page = self.page.saturating_sub(1).max(1);
        let half = page.div_ceil(2);
        let control = key.modifiers == KeyModifiers::CONTROL;
        match key.code {
            KeyCode::Char('d') if control => self.scroll_down(half),
            KeyCode::Char('u') if control => self.scroll_up(half),
            KeyCode::Char('f') if control => self.scroll_down(page),
            KeyCode::Char('b') if control => self.scroll_up(page),
            _ if !is_plain(key) && key.code != KeyCode::BackTab => return false,
            KeyCode::Char('j') | KeyCode::Down => {
                let to = self.layout.down(self.at, 1);
                self.go(to);
            }
            KeyCode::Char('k') | KeyCode::Up => {
                let to = self.layout.up(self.at, 1);
                self.go(to);
            }
            KeyCode::PageDown | KeyCode::Char('f') => self.scroll_down(page),
            KeyCode::PageUp | KeyCode::Char('b') => self.scroll_up(page),
            KeyCode::Char(' ') if !self.has_folds => self.scroll_down(page),
            KeyCode::Home | KeyCode::Char('g') => self.go(RowPosition::default()),
            KeyCode::End | KeyCode::Char('G') => {
                let end = self.end();
                self.go(end);
            }
            KeyCode::Tab => {
                let item = self.layout.next_item(self.at.item);
                self.step_to_item(item);
            }
            KeyCode::BackTab => {
                let item = self.layout.previous_item(self.at.item);
                self.step_to_item(item);
            }
            _ => return false,
        }
        self.hit = None;
        true
    }

    fn open_or_close(&mut self) {
        if self.layout.pages.opens(self.at.item) {
            self.layout.turn(self.at.item);
            self.at.row = 0;
            // As much as fits of what was opened comes into sight.
            let end = RowPosition { row: self.layout.height(self.at.item).saturating_sub(1), ..self.at };
            let needed = self.layout.up(end, self.page.saturating_sub(1)).min(self.at);
            self.top = self.top.max(needed);
        }
    }
}

impl Dialog for Pager {
    fn key(&mut self, key: KeyEvent) -> DialogStep {
        if key.kind == KeyEventKind::Release {
            return DialogStep::Stay;
        }
        if self.searching.is_some() {
            self.search_key(key);
            return DialogStep::Stay;
        }
        if self.move_key(&key) {
            return DialogStep::Stay;
        }
        match key.code {
            KeyCode::Esc => return DialogStep::Close,
            KeyCode::Char('c') if key.modifiers == KeyModifiers::CONTROL => return DialogStep::Close,
            _ if !is_plain(&key) => {}
            KeyCode::Char('q') => return DialogStep::Close,
            KeyCode::Char('/') => self.searching = Some(TextField::new(FieldRows::One, "")),
            KeyCode::Char('n') => self.search_on(SearchDirection::Down),
            KeyCode::Char('N') => self.search_on(SearchDirection::Up),
            KeyCode::Enter | KeyCode::Char(' ') => self.open_or_close(),
            KeyCode::Char('o') if self.has_folds => {
                self.layout.turn_all();
                self.at.row = 0;
            }
            _ => {}
        }
        DialogStep::Stay
    }

    fn paste(&mut self, text: &str) {
        if let Some(field) = &mut self.searching {
            field.paste(text);
        }
    }

    fn view(&mut self, space: Space, focus: Focus) -> View {
        let mut view = Pager::view(self, space);
        if focus == Focus::Elsewhere {
            fade(&mut view, &space.theme);
        }
        view
    }
}

#[cfg(test)]
mod tests;
