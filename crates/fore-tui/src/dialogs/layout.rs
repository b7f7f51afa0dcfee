//! How a dialog fills its space: a title, a body that scrolls, and choices that always stay in sight. It knows no keys but
//! those that scroll.

use super::{
    Focus,
    choices::DrawnChoices,
    text::{exact_rows, one_line},
};
use crate::{
    paint::cut_line,
    theme::{Sign, TextRole, Theme},
    view::{Cursor, Space, View},
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::text::{Line, Span};

/// Rows of the body that are kept while there are at least as many as a small space has.
const MIN_BODY_ROWS: usize = 2;
const SMALL_SPACE: usize = 6;

/// The parts of a dialog.
#[derive(Debug)]
pub(crate) struct DialogLayout<'a> {
    pub(crate) title: &'a str,
    pub(crate) body: &'a [Line<'static>],
    pub(crate) choices: DrawnChoices,
    /// Where the person types, among the choices.
    pub(crate) cursor: Option<Cursor>,
    /// Which keys do what, as `key does` pairs.
    pub(crate) keys: &'a [(&'a str, &'a str)],
}

/// How far a body was scrolled.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scroll {
    top: usize,
    page: usize,
    /// The row behind the last one that was seen.
    bottom: usize,
}

impl Scroll {
    /// Whether the key was one that scrolls.
    pub(crate) fn key(&mut self, key: &KeyEvent) -> bool {
        if key.kind == KeyEventKind::Release {
            return false;
        }
        let page = self.page.max(1);
        let shift = key.modifiers == KeyModifiers::SHIFT;
        let control = key.modifiers == KeyModifiers::CONTROL;
        match key.code {
            KeyCode::PageDown => self.page_down(),
            KeyCode::PageUp => self.top = self.top.saturating_sub(page),
            KeyCode::Char('d') if control => self.top = self.top.saturating_add(page.div_ceil(2)),
            KeyCode::Char('u') if control => self.top = self.top.saturating_sub(page.div_ceil(2)),
            KeyCode::Down if shift => self.top = self.top.saturating_add(1),
            KeyCode::Up if shift => self.top = self.top.saturating_sub(1),
            KeyCode::Home => self.top = 0,
            KeyCode::End => self.top = usize::MAX,
            _ => return false,
        }
        true
    }

    /// The rows to show of a body with `total`, where `room` fit.
    fn window(&mut self, total: usize, room: usize) -> std::ops::Range<usize> {
        self.page = room.max(1);
        self.top = self.top.min(total.saturating_sub(room));
        self.bottom = (self.top + room).min(total);
        self.top..self.bottom
    }

    /// Whether this row is seen.
    pub(crate) fn shows(&self, row: usize) -> bool {
        (self.top..self.bottom).contains(&row)
    }

    /// On to what is below, or back if the row was passed unseen.
    pub(crate) fn turn_towards(&mut self, row: usize) {
        if row < self.top {
            self.top = (row + 1).saturating_sub(self.page);
        } else {
            self.page_down();
        }
    }

    fn page_down(&mut self) {
        self.top = self.top.saturating_add(self.page.max(1));
    }
}

impl DialogLayout<'_> {
    pub(crate) fn draw(self, scroll: &mut Scroll, space: Space, focus: Focus) -> View {
        let theme = &space.theme;
        let height = usize::from(space.height.max(1));
        let hint = usize::from(height >= 3);
        let title = usize::from(height >= 5);
        let least_body = if height >= SMALL_SPACE { MIN_BODY_ROWS.min(self.body.len()) } else { 0 };
        let foot = self.choices.lines.len().min(height.saturating_sub(hint + title + least_body).max(1));
        let first = window_at(self.choices.keep, self.choices.lines.len(), foot);
        let left = height.saturating_sub(hint + title + foot);
        let gaps = usize::from(left > self.body.len() && !self.body.is_empty());
        let mut view = View::default();
        if title == 1 {
            view.lines.push(headline(self.title, space));
        }
        body(&mut view, self.body, scroll, left - gaps, space);
        if gaps == 1 {
            view.lines.push(Line::default());
        }
        let above = view.lines.len();
        view.lines.extend(self.choices.lines.into_iter().skip(first).take(foot));
        view.cursor = self.cursor.and_then(|cursor| {
            let row = usize::from(cursor.row).checked_sub(first).filter(|row| *row < foot)? + above;
            let column = cursor.column.min(space.width.saturating_sub(1));
            Some(Cursor { column, row: u16::try_from(row).ok()? })
        });
        match focus {
            Focus::Here => {}
            Focus::Soon => view.cursor = None,
            Focus::Elsewhere => fade(&mut view, theme),
        }
        if hint == 1 {
            view.lines.push(match focus {
                Focus::Here => key_line(self.keys, space.width, theme),
                Focus::Soon => key_line(&[super::SOON], space.width, theme),
                Focus::Elsewhere => key_line(&[("Tab", "to answer")], space.width, theme),
            });
        }
        view
    }
}

/// The part of the body that has room, and how much there is besides.
fn body(view: &mut View, lines: &[Line<'static>], scroll: &mut Scroll, room: usize, space: Space) {
    if lines.len() <= room {
        scroll.window(lines.len(), room);
        view.lines.extend(lines.iter().cloned());
        return;
    }
    let window = scroll.window(lines.len(), room.saturating_sub(1));
    let (above, below) = (window.start, lines.len() - window.end);
    view.lines.extend(lines.get(window).unwrap_or_default().iter().cloned());
    if room > 0 {
        view.lines.push(more(above, below, space));
    }
}

/// `↑ 3 ↓ 12 more lines · PgUp PgDn`
fn more(above: usize, below: usize, space: Space) -> Line<'static> {
    let theme = &space.theme;
    let mut words = Vec::new();
    if above > 0 {
        words.push(format!("{} {above}", theme.sign(Sign::ArrowUp)));
    }
    if below > 0 {
        words.push(format!("{} {below}", theme.sign(Sign::ArrowDown)));
    }
    let role = if below > 0 { TextRole::Warning } else { TextRole::Faint };
    let counts = Span::styled(format!("{} more lines", words.join(" ")), theme.style(role));
    let keys = Span::styled(" · PgUp PgDn".replace('·', theme.sign(Sign::Dot)), theme.style(TextRole::Faint));
    cut_line(Line::from(vec![counts, keys]), space.width, theme)
}

/// A rule with words in it.
pub(crate) fn headline(title: &str, space: Space) -> Line<'static> {
    let theme = &space.theme;
    let rule = theme.sign(Sign::Rule);
    let border = theme.style(TextRole::Border);
    let mut line = Line::from(vec![
        Span::styled(rule.repeat(2), border),
        Span::styled(format!(" {} ", one_line(title)), theme.style(TextRole::Heading)),
    ]);
    let rest = usize::from(space.width).saturating_sub(line.width());
    line.spans.push(Span::styled(rule.repeat(rest), border));
    cut_line(line, space.width, theme)
}

/// `Enter confirms · Esc no`, as much of it as fits.
pub(crate) fn key_line(keys: &[(&str, &str)], width: u16, theme: &Theme) -> Line<'static> {
    let mut line = Line::default();
    for (number, (key, does)) in keys.iter().enumerate() {
        let dot = if number == 0 { String::new() } else { format!(" {} ", theme.sign(Sign::Dot)) };
        let next = [
            Span::styled(dot, theme.style(TextRole::Faint)),
            Span::styled((*key).to_owned(), theme.style(TextRole::Accent)),
            Span::styled(format!(" {does}"), theme.style(TextRole::Faint)),
        ];
        let wide: usize = next.iter().map(Span::width).sum();
        if line.width() + wide > usize::from(width) {
            break;
        }
        line.spans.extend(next);
    }
    line
}

/// The first of `room` rows that have the kept one among them.
fn window_at(keep: usize, total: usize, room: usize) -> usize {
    if total <= room { 0 } else { keep.saturating_sub(room / 2).min(total - room) }
}

/// Nothing here takes keys now.
pub(crate) fn fade(view: &mut View, theme: &Theme) {
    view.cursor = None;
    for line in &mut view.lines {
        line.style = theme.style(TextRole::Plain);
        for span in &mut line.spans {
            span.style = theme.style(TextRole::Faint);
        }
    }
}

/// Lines with a bar on their left, every character of them kept: broken behind a blank, or marked where there is none.
pub(crate) fn barred(lines: &[Line<'static>], width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let bar = format!("{} ", theme.sign(Sign::Bar));
    let room = width.saturating_sub(2).max(1);
    let with_bar = |mut line: Line<'static>| {
        if width > 2 {
            line.spans.insert(0, Span::styled(bar.clone(), theme.style(TextRole::Border)));
        }
        line
    };
    lines.iter().flat_map(|line| exact_rows(line, room, theme)).map(with_bar).collect()
}
