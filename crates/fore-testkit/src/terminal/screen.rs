//! What a person would see at one moment: rows of cells, the cursor, and the modes that the program has switched on.

use super::{TerminalSize, cell::ScreenCell};

/// The screen at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Screen {
    /// How large the window is.
    pub size: TerminalSize,
    pub(super) cells: Vec<Vec<ScreenCell>>,
    /// Where the cursor is.
    pub cursor: ScreenCursor,
    /// What the program has switched on.
    pub modes: ScreenModes,
    /// What the program wants to stand above the window.
    pub title: String,
    /// How often the program rang.
    pub bells: u64,
}

/// Where the cursor is, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say what they are")]
pub struct ScreenCursor {
    pub column: u16,
    pub row: u16,
}

/// What a program switches on, and has to switch off before it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say what they are")]
pub struct ScreenModes {
    /// The screen that full-screen programs use.
    pub alternate: bool,
    pub bracketed_paste: bool,
    pub mouse: bool,
    /// Reports about the focus.
    pub focus: bool,
    pub hidden_cursor: bool,
    pub application_cursor: bool,
    /// The wheel sends arrow keys on the other screen.
    pub alternate_scroll: bool,
    /// In the middle of a picture.
    pub drawing: bool,
    /// Flags of the keyboard protocol.
    pub keyboard_flags: u16,
}

impl ScreenModes {
    /// Whether everything is as a shell wants to find it.
    pub fn are_at_rest(&self) -> bool {
        *self == ScreenModes::default()
    }
}

impl Screen {
    pub(super) fn new(screen: &vt100::Screen, modes: ScreenModes, title: String, bells: u64) -> Screen {
        let size = TerminalSize { columns: screen.size().1.get(), rows: screen.size().0.get() };
        let row =
            |row: u16| (0..size.columns).filter_map(|column| screen.cell(row, column).map(ScreenCell::new)).collect();
        let (row_at, column) = screen.cursor_position();
        let cursor = ScreenCursor { column, row: row_at };
        Screen { size, cells: (0..size.rows).map(row).collect(), cursor, modes, title, bells }
    }

    /// The rows, without blanks at their ends.
    pub fn rows(&self) -> Vec<String> {
        self.cells.iter().map(|row| text(row).trim_end().to_owned()).collect()
    }

    /// The rows as text, without blanks at their ends and empty rows at the bottom.
    pub fn text(&self) -> String {
        self.rows().join("\n").trim_end_matches('\n').to_owned()
    }

    /// Whether a row holds this text.
    pub fn contains(&self, part: &str) -> bool {
        self.rows().iter().any(|row| row.contains(part))
    }

    /// The first row with this text, from 0.
    pub fn row_of(&self, part: &str) -> Option<usize> {
        self.rows().iter().position(|row| row.contains(part))
    }

    /// The text with a frame around it that shows how large the window is.
    pub fn framed(&self) -> String {
        let rule = "─".repeat(self.size.columns.into());
        let rows = self.cells.iter().map(|row| format!("│{}│\n", text(row)));
        format!("┌{rule}┐\n{}└{rule}┘", rows.collect::<String>())
    }

    /// The screen with words in the place of others, for what differs from run to run. The rest of a row stays where it is
    /// as far as blanks behind the word allow.
    #[must_use]
    pub fn with_words(&self, words: &[(String, String)]) -> Screen {
        let mut screen = self.clone();
        for (from, to) in words.iter().filter(|(from, _)| !from.is_empty()) {
            screen.cells.iter_mut().for_each(|row| exchange(row, from, to));
        }
        screen
    }
}

fn text(row: &[ScreenCell]) -> String {
    row.iter().map(ScreenCell::text).collect()
}

/// Puts a word in the place of another wherever it stands in the row.
fn exchange(row: &mut Vec<ScreenCell>, from: &str, to: &str) {
    let (width, mut start) = (row.len(), 0);
    while let Some((first, behind)) = find(row, from, start) {
        let style = row.get(first).map(|cell| cell.style).unwrap_or_default();
        let made: Vec<ScreenCell> = to.chars().map(|sign| ScreenCell::of(sign, style)).collect();
        let (old, new) = (behind - first, made.len());
        start = first + new;
        row.splice(first..behind, made);
        if new > old {
            shrink(row, start, new - old);
        } else {
            grow(row, start, old - new);
        }
    }
    row.truncate(width);
}

/// The cells that hold this text, at or behind a cell.
fn find(row: &[ScreenCell], part: &str, start: usize) -> Option<(usize, usize)> {
    (start..row.len()).find_map(|first| {
        let mut rest = part;
        for (index, cell) in row.iter().enumerate().skip(first) {
            rest = rest.strip_prefix(cell.text())?;
            if rest.is_empty() {
                return Some((first, index + 1));
            }
        }
        None
    })
}

/// Adds blanks to the next gap behind a cell, or to the end.
fn grow(row: &mut Vec<ScreenCell>, start: usize, count: usize) {
    let at = gap(row, start).unwrap_or(row.len());
    let style = row.get(at).map(|cell| cell.style).unwrap_or_default();
    row.splice(at..at, std::iter::repeat_n(ScreenCell::of(' ', style), count));
}

/// Takes blanks from the next gap behind a cell that has enough of them.
fn shrink(row: &mut Vec<ScreenCell>, start: usize, count: usize) {
    let Some(at) = gap(row, start) else { return };
    let blanks = row.iter().skip(at).take_while(|cell| cell.is_blank()).count();
    row.drain(at..at + count.min(blanks.saturating_sub(1)));
}

/// Where two blanks or more begin.
fn gap(row: &[ScreenCell], start: usize) -> Option<usize> {
    (start..row.len()).find(|at| [*at, at + 1].iter().all(|at| row.get(*at).is_some_and(ScreenCell::is_blank)))
}
