//! One cell of the screen: what stands in it and how it looks.

use vt100::Color;

/// A cell. Of a sign that is two columns wide the second cell is empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScreenCell {
    text: String,
    columns: u8,
    pub(super) style: CellStyle,
}

/// How a cell looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CellStyle {
    pub(super) foreground: Color,
    pub(super) background: Color,
    pub(super) bold: bool,
    pub(super) dim: bool,
    pub(super) italic: bool,
    pub(super) underline: bool,
    pub(super) inverse: bool,
}

impl ScreenCell {
    pub(super) fn new(cell: &vt100::Cell) -> ScreenCell {
        let columns = match (cell.is_wide(), cell.is_wide_continuation()) {
            (_, true) => 0,
            (true, false) => 2,
            (false, false) => 1,
        };
        let style = CellStyle {
            foreground: cell.fgcolor(),
            background: cell.bgcolor(),
            bold: cell.bold(),
            dim: cell.dim(),
            italic: cell.italic(),
            underline: cell.underline(),
            inverse: cell.inverse(),
        };
        ScreenCell { text: cell.contents().to_owned(), columns, style }
    }

    /// A sign of one column.
    pub(super) fn of(sign: char, style: CellStyle) -> ScreenCell {
        ScreenCell { text: sign.to_string(), columns: 1, style }
    }

    /// What stands here: a blank where nothing was written, nothing in the second half of a wide sign.
    pub(super) fn text(&self) -> &str {
        match (self.columns, self.text.is_empty()) {
            (0, _) => "",
            (_, true) => " ",
            (_, false) => &self.text,
        }
    }

    /// 1 or 2, and 0 for the second half of a wide sign.
    pub(super) fn columns(&self) -> usize {
        self.columns.into()
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text() == " "
    }
}
