//! What a person would see at one moment: rows of cells, the cursor, and the modes that the program has switched on.

use super::Size;
use vt100::Cell;

/// The screen at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Screen {
    size: Size,
    pub(super) cells: Vec<Vec<Cell>>,
    cursor: Cursor,
    modes: Modes,
    title: String,
    bells: u64,
}

/// Where the cursor is, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub column: u16,
    pub row: u16,
}

/// What a program switches on, and has to switch off before it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    /// The screen that full-screen programs use.
    pub alternate: bool,
    pub bracketed_paste: bool,
    pub mouse: bool,
    /// Reports about the focus.
    pub focus: bool,
    pub hidden_cursor: bool,
    pub application_cursor: bool,
    /// In the middle of a picture.
    pub drawing: bool,
    /// Flags of the keyboard protocol.
    pub keyboard_flags: u16,
}

impl Modes {
    /// Whether everything is as a shell wants to find it.
    pub fn are_at_rest(&self) -> bool {
        *self == Modes::default()
    }
}

impl Screen {
    pub(super) fn new(screen: &vt100::Screen, modes: Modes, title: String, bells: u64) -> Screen {
        let size = Size { columns: screen.size().1.get(), rows: screen.size().0.get() };
        let row = |row: u16| (0..size.columns).filter_map(|column| screen.cell(row, column).cloned()).collect();
        let (row_at, column) = screen.cursor_position();
        let cursor = Cursor { column, row: row_at };
        Screen { size, cells: (0..size.rows).map(row).collect(), cursor, modes, title, bells }
    }

    pub fn size(&self) -> Size {
        self.size
    }

    pub fn cursor(&self) -> Cursor {
        self.cursor
    }

    pub fn modes(&self) -> Modes {
        self.modes
    }

    /// What the program wants to stand above the window.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// How often the program rang.
    pub fn bells(&self) -> u64 {
        self.bells
    }

    /// The rows, without blanks at their ends.
    pub fn rows(&self) -> Vec<String> {
        self.cells.iter().map(|row| text(row).trim_end().to_owned()).collect()
    }

    /// The rows as text, without blanks at their ends and empty rows at the bottom.
    pub fn text(&self) -> String {
        self.rows().join("\n").trim_end_matches('\n').to_owned()
    }

    pub fn contains(&self, part: &str) -> bool {
        self.rows().iter().any(|row| row.contains(part))
    }

    /// The first row with this text, from 0.
    pub fn row_of(&self, part: &str) -> Option<usize> {
        self.rows().iter().position(|row| row.contains(part))
    }

    /// The text with a frame around it that shows how large the window is.
    pub fn framed(&self) -> String {
        let width = usize::from(self.size.columns);
        let rule = "─".repeat(width);
        let cell = |cell: &Cell| if cell.has_contents() { cell.contents().to_owned() } else { " ".to_owned() };
        let row = |row: &Vec<Cell>| {
            let cells = row.iter().filter(|cell| !cell.is_wide_continuation());
            format!("│{}│\n", cells.map(cell).collect::<String>())
        };
        format!("┌{rule}┐\n{}└{rule}┘", self.cells.iter().map(row).collect::<String>())
    }
}

fn text(row: &[Cell]) -> String {
    let mut text = String::new();
    for cell in row.iter().filter(|cell| !cell.is_wide_continuation()) {
        text.push_str(if cell.has_contents() { cell.contents() } else { " " });
    }
    text
}
