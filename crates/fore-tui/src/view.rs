//! The currency of drawing: lines of styled text, and where the cursor stands among them.

use crate::theme::Theme;
use ratatui::text::Line;

/// How wide and high something may be, and how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Space {
    pub width: u16,
    pub height: u16,
    pub theme: Theme,
}

/// What is drawn. No line is wider than the space it was made for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct View {
    pub lines: Vec<Line<'static>>,
    pub cursor: Option<Cursor>,
}

/// Where the person types: column and row, from 0, inside the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub column: u16,
    pub row: u16,
}

impl View {
    pub(crate) fn of(lines: Vec<Line<'static>>) -> View {
        View { lines, cursor: None }
    }

    /// Puts another view beneath this one; its cursor counts if this one has none.
    pub(crate) fn push(&mut self, other: View) {
        let rows = u16::try_from(self.lines.len()).unwrap_or(u16::MAX);
        if self.cursor.is_none() {
            self.cursor = other.cursor.map(|cursor| Cursor { row: cursor.row.saturating_add(rows), ..cursor });
        }
        self.lines.extend(other.lines);
    }
}

/// How much of what was printed is to be drawn once more: what took so many rows at this width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tail {
    pub rows: usize,
    pub counted_at: u16,
}
