//! The whole screen, for the pager: the terminal's other screen, drawn by rows. Leaving it brings back what was there.

use super::{Size, write_row};
use crate::{theme::Signs, view::View};
use ratatui::text::Line;
use std::io::{self, Write};

/// The other screen while it is shown.
#[derive(Debug)]
pub struct Whole<W: Write> {
    out: W,
    size: Size,
    letters: Signs,
    drawn: Vec<Line<'static>>,
}

impl<W: Write> Whole<W> {
    pub fn enter(mut out: W, size: Size, letters: Signs) -> io::Result<Whole<W>> {
        out.write_all(b"\x1b[?1049h\x1b[2J\x1b[?25l")?;
        out.flush()?;
        Ok(Whole { out, size, letters, drawn: Vec::new() })
    }

    pub fn resize(&mut self, size: Size) -> io::Result<()> {
        self.size = size;
        self.drawn.clear();
        self.out.write_all(b"\x1b[2J")
    }

    pub fn draw(&mut self, view: View) -> io::Result<()> {
        let mut lines = view.lines;
        lines.resize(usize::from(self.size.rows), Line::default());
        let mut bytes = b"\x1b[?2026h\x1b[?25l\x1b[?7l".to_vec();
        for (row, line) in lines.iter().enumerate() {
            if self.drawn.get(row) != Some(line) {
                write!(bytes, "\x1b[{};1H", row + 1)?;
                write_row(&mut bytes, line, self.size.columns, self.letters)?;
            }
        }
        if let Some(cursor) = view.cursor {
            write!(bytes, "\x1b[{};{}H\x1b[?25h", cursor.row + 1, cursor.column + 1)?;
        }
        bytes.extend_from_slice(b"\x1b[?7h\x1b[?2026l");
        self.drawn = lines;
        self.out.write_all(&bytes)?;
        self.out.flush()
    }

    pub fn size(&self) -> Size {
        self.size
    }
}

impl<W: Write> Drop for Whole<W> {
    fn drop(&mut self) {
        let _ = self.out.write_all(b"\x1b[?1049l\x1b[?25h");
        let _ = self.out.flush();
    }
}
