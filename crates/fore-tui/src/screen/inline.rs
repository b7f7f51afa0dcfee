//! The live area: a few rows beneath the terminal's own scrollback, redrawn in place. What is printed above it stays for
//! good, so copying, searching and the mouse wheel work as everywhere.
//!
//! All moves are relative to the area, so nothing needs to be asked of the terminal.

use super::{ScreenSize, write_row};
use crate::{
    options::Narrowing,
    theme::Signs,
    view::{Cursor, Tail, View},
};
use ratatui::text::Line;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// Everything between these two appears at once, where the terminal knows how.
const BEGIN: &[u8] = b"\x1b[?2026h\x1b[?25l\x1b[?7l";
const END: &[u8] = b"\x1b[?7h\x1b[?2026l";
const SHOW_CURSOR: &[u8] = b"\x1b[?25h";

/// Draws the live area into `out`.
#[derive(Debug)]
pub(crate) struct InlineScreen<W> {
    out: W,
    size: ScreenSize,
    signs: Signs,
    narrowing: Narrowing,
    drawn: Vec<Line<'static>>,
    /// The row of the area that the terminal's cursor is in.
    row: usize,
    /// Rows printed since the start. Fewer than the screen has: what stands above us is somebody else's.
    printed: usize,
    bytes: Vec<u8>,
}

impl<W: Write> InlineScreen<W> {
    /// `letters`: what the terminal can show; the rest is replaced.
    pub(crate) fn new(out: W, size: ScreenSize, signs: Signs, narrowing: Narrowing) -> InlineScreen<W> {
        InlineScreen { out, size, signs, narrowing, drawn: Vec::new(), row: 0, printed: 0, bytes: Vec::new() }
    }

    pub(crate) fn size(&self) -> ScreenSize {
        self.size
    }

    /// Prints lines above the area for good and draws the area anew, in one go.
    pub(crate) fn draw(&mut self, printed: &[Line<'static>], view: View) -> io::Result<()> {
        let (lines, cursor) = bounded(view, self.size);
        if printed.is_empty() && lines == self.drawn {
            return self.place_cursor_alone(cursor);
        }
        self.bytes.extend_from_slice(BEGIN);
        if printed.is_empty() {
            self.update(&lines)?;
        } else {
            self.go_to_top()?;
            self.print(printed)?;
            self.fill(&lines)?;
        }
        self.drawn = lines;
        self.place_cursor(cursor)?;
        self.send()
    }

    /// The terminal has another size. `tail` gives the newest printed lines again, at the new width.
    pub(crate) fn resize(
        &mut self,
        size: ScreenSize,
        view: View,
        tail: impl FnOnce(Tail) -> Vec<Line<'static>>,
    ) -> io::Result<()> {
        let old = self.size;
        self.size = size;
        let (lines, cursor) = bounded(view, size);
        self.bytes.extend_from_slice(BEGIN);
        let all_is_ours = self.printed.saturating_add(self.drawn.len()) >= usize::from(old.rows.max(size.rows));
        let above = match self.narrowing {
            Narrowing::Folds => self.drawn.iter().take(self.row).map(|line| rows_of(line, size.columns)).sum(),
            Narrowing::Cuts => self.row,
        };
        let seen = self.seen_after(old, size);
        if all_is_ours {
            // The whole screen is ours: lay it out anew, over what is there. To clear it first would make some terminals keep
            // the old one above it.
            self.bytes.extend_from_slice(b"\x1b[H");
            self.drawn = vec![Line::default(); usize::from(size.rows)];
            let room = usize::from(size.rows).saturating_sub(lines.len());
            let counted_at = match self.narrowing {
                Narrowing::Folds => size.columns,
                Narrowing::Cuts => old.columns,
            };
            // What was seen, even if it is more than fits: the rest scrolls off and is not lost.
            let tail = tail(Tail { rows: room.max(seen), counted_at });
            self.print(&tail)?;
        } else {
            // Everything below is cleared, so nothing of the old area is left to be cleared after the new one.
            self.drawn.clear();
            self.row = above;
            self.go_to_top()?;
            self.bytes.extend_from_slice(b"\x1b[J");
        }
        self.fill(&lines)?;
        self.drawn = lines;
        self.place_cursor(cursor)?;
        self.send()
    }

    /// Printed rows that are still on a screen of another size. A smaller one first gives up what is below the cursor.
    fn seen_after(&self, old: ScreenSize, new: ScreenSize) -> usize {
        let below = self.drawn.len().saturating_sub(self.row + 1);
        let given_up = usize::from(old.rows.saturating_sub(new.rows)).min(below);
        usize::from(new.rows).saturating_sub(self.drawn.len().saturating_sub(given_up))
    }

    /// Everything on the screen anew, also where somebody else has written on it.
    pub(crate) fn redraw(&mut self, view: View, tail: impl FnOnce(Tail) -> Vec<Line<'static>>) -> io::Result<()> {
        self.printed = usize::from(u16::MAX);
        self.resize(self.size, view, tail)
    }

    /// Takes the area away and leaves the cursor where it began: for the editor, the shell, the end.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.bytes.extend_from_slice(BEGIN);
        self.go_to_top()?;
        self.bytes.extend_from_slice(b"\x1b[J");
        self.drawn.clear();
        self.bytes.extend_from_slice(SHOW_CURSOR);
        self.send()
    }

    /// Somebody else had the terminal since [`InlineScreen::clear`]; it may have another size now.
    pub(crate) fn back(&mut self, size: ScreenSize) {
        (self.size, self.row) = (size, 0);
        self.drawn.clear();
    }

    /// Writes the rows that changed.
    fn update(&mut self, lines: &[Line<'static>]) -> io::Result<()> {
        for (row, line) in lines.iter().enumerate() {
            if self.drawn.get(row) != Some(line) {
                self.go_to(row)?;
                write_row(&mut self.bytes, line, self.size.columns, self.signs)?;
            }
        }
        if self.drawn.len() > lines.len() {
            self.go_to(lines.len())?;
            self.bytes.extend_from_slice(b"\x1b[J");
        }
        Ok(())
    }

    /// Writes all rows from where the cursor is, which is the top of the area.
    fn fill(&mut self, lines: &[Line<'static>]) -> io::Result<()> {
        for (row, line) in lines.iter().enumerate() {
            if row > 0 {
                self.bytes.extend_from_slice(b"\r\n");
            }
            self.row = row;
            write_row(&mut self.bytes, line, self.size.columns, self.signs)?;
        }
        // In a full last column this would erase the last letter; the row below is what is meant.
        if self.drawn.len() > lines.len() && !lines.is_empty() {
            self.bytes.extend_from_slice(b"\r\n\x1b[J\x1b[A");
        } else if lines.is_empty() {
            self.bytes.extend_from_slice(b"\x1b[J");
        }
        Ok(())
    }

    fn print(&mut self, lines: &[Line<'static>]) -> io::Result<()> {
        for line in lines {
            write_row(&mut self.bytes, line, self.size.columns, self.signs)?;
            self.bytes.extend_from_slice(b"\r\n");
        }
        self.printed = self.printed.saturating_add(lines.len());
        self.row = 0;
        // What was drawn below has partly been written over; the rest is cleared by what follows.
        let left = self.drawn.len().saturating_sub(lines.len());
        self.drawn.truncate(left);
        Ok(())
    }

    fn go_to_top(&mut self) -> io::Result<()> {
        self.go_to(0)
    }

    fn go_to(&mut self, row: usize) -> io::Result<()> {
        if row < self.row {
            write!(self.bytes, "\x1b[{}A", self.row - row)?;
        }
        let last = self.drawn.len().saturating_sub(1).max(self.row);
        let down = row.min(last).saturating_sub(self.row);
        if down > 0 {
            write!(self.bytes, "\x1b[{down}B")?;
        }
        // Beyond the last row only a line break makes room.
        for _ in last..row.max(last) {
            self.bytes.extend_from_slice(b"\r\n");
        }
        self.bytes.push(b'\r');
        self.row = row;
        Ok(())
    }

    fn place_cursor(&mut self, cursor: Option<Cursor>) -> io::Result<()> {
        if let Some(cursor) = cursor {
            self.go_to(usize::from(cursor.row))?;
            if cursor.column > 0 {
                write!(self.bytes, "\x1b[{}C", cursor.column)?;
            }
            self.bytes.extend_from_slice(SHOW_CURSOR);
        }
        Ok(())
    }

    fn place_cursor_alone(&mut self, cursor: Option<Cursor>) -> io::Result<()> {
        if cursor.is_none() {
            self.bytes.extend_from_slice(b"\x1b[?25l");
        }
        self.place_cursor(cursor)?;
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        self.out.flush()
    }

    fn send(&mut self) -> io::Result<()> {
        self.bytes.extend_from_slice(END);
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        self.out.flush()
    }
}

/// What fits on the screen: the end of the area is what a person works with.
fn bounded(view: View, size: ScreenSize) -> (Vec<Line<'static>>, Option<Cursor>) {
    let View { mut lines, cursor } = view;
    let cut = lines.len().saturating_sub(usize::from(size.rows).max(1));
    lines.drain(..cut);
    let moved = cursor.and_then(|cursor| {
        let row = usize::from(cursor.row).checked_sub(cut)?;
        let column = cursor.column.min(size.columns.saturating_sub(1));
        Some(Cursor { row: u16::try_from(row).ok()?, column })
    });
    (lines, moved)
}

/// The rows that a line takes after the terminal has folded it to another width.
fn rows_of(line: &Line<'_>, columns: u16) -> usize {
    let width: usize = line.spans.iter().map(|span| span.content.width()).sum();
    width.div_ceil(usize::from(columns.max(1))).max(1)
}

#[cfg(test)]
#[path = "inline_tests.rs"]
mod tests;
