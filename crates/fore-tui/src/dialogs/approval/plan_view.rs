//! A long text in a window: a line cursor, a marked range, search. It draws only what the window shows, and keeps the
//! rest from one key to the next.

use super::remarks::PlanLines;
use crate::{dialogs::pager::Needle, theme::Theme};
use ratatui::text::Line;
use std::ops::{Range, RangeInclusive};

/// What a text was drawn for; drawn again only when this changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RenderKey {
    pub(super) version: u64,
    pub(super) width: u16,
    pub(super) theme: Theme,
}

/// A text in lines, and where the person is in it.
#[derive(Debug, Default)]
pub(super) struct PlanView {
    render_key: Option<RenderKey>,
    lines: Vec<Line<'static>>,
    /// The source lines of each drawn line; empty where the text has no lines that could be commented on.
    sources: Vec<RangeInclusive<u32>>,
    cursor: usize,
    top: usize,
    /// Where a range began.
    mark: Option<usize>,
    /// Rows of the window when it was last drawn.
    rows: usize,
    /// The last line that was seen then.
    bottom: usize,
    search: Option<TextSearch>,
    /// A line of the source that the person is taken to with the next drawing.
    wanted: Option<u32>,
    /// Where the cursor shall be when the window is drawn next.
    align: ScrollAlign,
    /// The end of this version of the text has been on the screen.
    has_ended: bool,
}

/// Where in the window the cursor comes to rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ScrollAlign {
    /// Wherever it is, as long as it is seen.
    #[default]
    Anywhere,
    /// With as much above it as below, where the text has that much.
    Middle,
}

#[derive(Debug)]
struct TextSearch {
    query: String,
    needle: Needle,
    /// Drawn lines that have it, ascending.
    found: Vec<usize>,
}

/// Where the cursor goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    Up,
    Down,
    PageUp,
    PageDown,
    HalfUp,
    HalfDown,
    Start,
    End,
}

impl PlanView {
    /// Takes the drawn text if it was not drawn for this before; the person stays at the same source line.
    pub(super) fn renew(
        &mut self,
        drawn: RenderKey,
        draw: impl FnOnce() -> (Vec<Line<'static>>, Vec<RangeInclusive<u32>>),
    ) {
        if self.render_key == Some(drawn) {
            return;
        }
        self.has_ended &= self.render_key.is_some_and(|before| before.version == drawn.version);
        let here = self.wanted.take().or_else(|| self.lines_at(self.cursor).map(|lines| lines.first));
        let marked = self.mark.and_then(|mark| self.lines_at(mark)).map(|lines| lines.first);
        (self.lines, self.sources) = draw();
        self.render_key = Some(drawn);
        if let Some(line) = here {
            self.cursor = self.first_of(line);
        }
        self.mark = marked.map(|line| self.first_of(line));
        self.cursor = self.cursor.min(self.lines.len().saturating_sub(1));
        if let Some(search) = self.search.take() {
            self.search_for(&search.query);
        }
    }

    /// Whether the end of the text has been on the screen.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    pub(super) fn line(&self, index: usize) -> Option<&Line<'static>> {
        self.lines.get(index)
    }

    pub(super) fn cursor(&self) -> usize {
        self.cursor
    }

    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn go(&mut self, to: Move) {
        let last = self.lines.len().saturating_sub(1);
        let page = self.rows.saturating_sub(1).max(1);
        let half = (self.rows / 2).max(1);
        match to {
            Move::Up => self.cursor = self.cursor.saturating_sub(1),
            Move::Down => self.cursor = self.cursor.saturating_add(1).min(last),
            Move::PageUp => self.turn_back(page),
            Move::PageDown => self.turn_on(page),
            Move::HalfUp => self.turn_back(half),
            Move::HalfDown => self.turn_on(half),
            Move::Start => self.cursor = 0,
            Move::End => self.cursor = last,
        }
    }

    /// The window moves with the cursor.
    fn turn_on(&mut self, rows: usize) {
        self.cursor = self.cursor.saturating_add(rows).min(self.lines.len().saturating_sub(1));
        self.top = self.top.saturating_add(rows);
    }

    fn turn_back(&mut self, rows: usize) {
        self.cursor = self.cursor.saturating_sub(rows);
        self.top = self.top.saturating_sub(rows);
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.cursor.saturating_add(1) >= self.lines.len()
    }

    /// To a line of the source.
    pub(super) fn go_to(&mut self, line: u32) {
        self.cursor = self.first_of(line);
    }

    /// To a line of the source of the text that is drawn next.
    pub(super) fn go_to_when_drawn(&mut self, line: u32) {
        (self.wanted, self.align, self.mark) = (Some(line), ScrollAlign::Middle, None);
    }

    pub(super) fn begin_mark(&mut self) {
        self.mark.get_or_insert(self.cursor);
    }

    /// Marks source lines, with the cursor on the last.
    pub(super) fn mark_lines(&mut self, lines: PlanLines) {
        self.mark = Some(self.first_of(lines.first));
        self.cursor = self.last_of(lines.last);
    }

    pub(super) fn end_mark(&mut self) {
        self.mark = None;
    }

    pub(super) fn is_marking(&self) -> bool {
        self.mark.is_some()
    }

    /// The drawn lines that a comment would be about.
    pub(super) fn marked(&self) -> RangeInclusive<usize> {
        let mark = self.mark.unwrap_or(self.cursor);
        self.cursor.min(mark)..=self.cursor.max(mark)
    }

    /// The source lines that a comment would be about.
    pub(super) fn chosen(&self) -> Option<PlanLines> {
        let (first, last) = self.marked().into_inner();
        let in_between = self.sources.get(first..=last)?;
        let first = in_between.iter().map(|source| *source.start()).min()?;
        let last = in_between.iter().map(|source| *source.end()).max()?;
        Some(PlanLines { first: first.max(1), last: last.max(first).max(1) })
    }

    pub(super) fn lines_at(&self, index: usize) -> Option<PlanLines> {
        self.sources.get(index).map(|source| PlanLines { first: *source.start(), last: *source.end() })
    }

    /// The first drawn line of a source line.
    fn first_of(&self, line: u32) -> usize {
        let behind = self.sources.partition_point(|source| *source.end() < line);
        behind.min(self.lines.len().saturating_sub(1))
    }

    /// The last drawn line of a source line.
    pub(super) fn last_of(&self, line: u32) -> usize {
        self.sources.partition_point(|source| *source.start() <= line).saturating_sub(1)
    }

    /// Moves the window so that the cursor is in it, and gives the drawn lines from its top on that may be seen.
    /// `height` says how many rows a line takes with what stands below it.
    pub(super) fn window(&mut self, rows: usize, height: impl Fn(usize) -> usize) -> Range<usize> {
        self.rows = rows;
        if std::mem::take(&mut self.align) == ScrollAlign::Middle {
            self.top = self.first_to_show(self.cursor, 0, rows / 2 + 1, &height);
        }
        let last_top = self.first_to_show(self.lines.len().saturating_sub(1), 0, rows, &height);
        self.top = self.top.min(last_top).min(self.cursor);
        self.top = self.first_to_show(self.cursor, self.top, rows, &height);
        self.top..self.lines.len().min(self.top.saturating_add(rows))
    }

    /// The window ended with this line.
    pub(super) fn ended_with(&mut self, line: usize) {
        self.bottom = line;
        self.has_ended |= line + 1 >= self.lines.len();
    }

    /// The drawn lines that were in the window.
    pub(super) fn seen(&self) -> RangeInclusive<usize> {
        let last = self.lines.len().saturating_sub(1);
        self.top.min(last)..=self.bottom.min(last).max(self.top.min(last))
    }

    /// The first line from which on `line` is still whole in the window.
    fn first_to_show(&self, line: usize, least: usize, rows: usize, height: impl Fn(usize) -> usize) -> usize {
        let mut first = line;
        let mut used = height(line);
        while first > least {
            used = used.saturating_add(height(first - 1));
            if used > rows {
                break;
            }
            first -= 1;
        }
        first
    }

    /// Looks for a text. Small letters find capital ones as well.
    pub(super) fn search_for(&mut self, query: &str) {
        let Some(needle) = Needle::new(query) else { return self.end_search() };
        let has = |line: &Line<'static>| needle.is_in(&line.to_string());
        let found = self.lines.iter().enumerate().filter(|(_, line)| has(line)).map(|(index, _)| index).collect();
        self.search = Some(TextSearch { query: query.to_owned(), needle, found });
    }

    pub(super) fn end_search(&mut self) {
        self.search = None;
    }

    pub(super) fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// To the next place, from the start again after the last.
    pub(super) fn next_found(&mut self, from: usize) {
        let Some(search) = &self.search else { return };
        let next = search.found.get(search.found.partition_point(|index| *index < from)).or(search.found.first());
        (self.cursor, self.align) = (next.copied().unwrap_or(self.cursor), ScrollAlign::Middle);
    }

    pub(super) fn previous_found(&mut self) {
        let Some(search) = &self.search else { return };
        let before = search.found.partition_point(|index| *index < self.cursor).checked_sub(1);
        let previous = before.and_then(|index| search.found.get(index)).or(search.found.last());
        (self.cursor, self.align) = (previous.copied().unwrap_or(self.cursor), ScrollAlign::Middle);
    }

    /// `2 of 7 for "login"`
    pub(super) fn search_words(&self) -> Option<String> {
        let search = self.search.as_ref()?;
        if search.found.is_empty() {
            return Some(format!("nothing found for \"{}\"", search.query));
        }
        let place = search.found.partition_point(|index| *index <= self.cursor).max(1);
        Some(format!("{place} of {} for \"{}\"", search.found.len(), search.query))
    }

    /// The line as it is drawn, with what was searched for marked in it.
    pub(super) fn marked_line(&self, line: Line<'static>, theme: &Theme) -> Line<'static> {
        match &self.search {
            Some(search) => search.needle.mark(line, theme),
            None => line,
        }
    }
}
