//! The whole screen, for the pager: the terminal's other screen, drawn by rows. Leaving it brings back what was there.

use super::{ScreenSize, write_row};
use crate::{theme::Signs, view::View};
use ratatui::text::Line;
use std::io::{self, Write};

/// There the wheel of the mouse moves as the arrow keys do, and the mouse still selects text. Many terminals do so by
/// themselves and some do not: how it was is kept, and holds again afterwards.
const ENTER: &[u8] = b"\x1b[?1007s\x1b[?1007h\x1b[?1049h\x1b[2J\x1b[?25l";
const LEAVE: &[u8] = b"\x1b[?1007r\x1b[?1049l\x1b[?25h";

/// The other screen while it is shown.
#[derive(Debug)]
pub(crate) struct FullScreen<W: Write> {
    out: W,
    size: ScreenSize,
    signs: Signs,
    drawn: Vec<Line<'static>>,
}

impl<W: Write> FullScreen<W> {
    pub(crate) fn enter(mut out: W, size: ScreenSize, letters: Signs) -> io::Result<FullScreen<W>> {
        out.write_all(ENTER)?;
        out.flush()?;
        Ok(FullScreen { out, size, signs: letters, drawn: Vec::new() })
    }

    pub(crate) fn resize(&mut self, size: ScreenSize) -> io::Result<()> {
        self.size = size;
        self.drawn.clear();
        self.out.write_all(b"\x1b[2J")
    }

    pub(crate) fn draw(&mut self, view: View) -> io::Result<()> {
        let mut lines = view.lines;
        lines.resize(usize::from(self.size.rows), Line::default());
        let mut bytes = b"\x1b[?2026h\x1b[?25l\x1b[?7l".to_vec();
        for (row, line) in lines.iter().enumerate() {
            if self.drawn.get(row) != Some(line) {
                write!(bytes, "\x1b[{};1H", row + 1)?;
                write_row(&mut bytes, line, self.size.columns, self.signs)?;
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

    pub(crate) fn size(&self) -> ScreenSize {
        self.size
    }
}

impl<W: Write> Drop for FullScreen<W> {
    fn drop(&mut self) {
        let _ = self.out.write_all(LEAVE);
        let _ = self.out.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wheel_moves_while_the_other_screen_is_shown_and_is_as_it_was_afterwards() {
        let mut out = Vec::new();
        let mut whole = FullScreen::enter(&mut out, ScreenSize { columns: 4, rows: 1 }, Signs::Unicode).unwrap();
        whole.draw(View::of(vec![Line::from("a")])).unwrap();
        drop(whole);
        let written = String::from_utf8(out).unwrap();
        assert_eq!(
            written.replace('\x1b', "^"),
            "^[?1007s^[?1007h^[?1049h^[2J^[?25l^[?2026h^[?25l^[?7l^[1;1Ha^[K^[?7h^[?2026l^[?1007r^[?1049l^[?25h"
        );
    }
}
