//! A list in columns. The last column takes what is left of the line, so that a narrow screen shows one line a row.

use crate::console::{Console, one_line};
use anstyle::Style;
use fore_text::cut;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

const DIM: Style = Style::new().dimmed();
/// The widest column besides the last.
const MAX_WIDTH: usize = 50;
/// What the last column has at least, also where the line is too short for it.
const MIN_LAST_WIDTH: usize = 12;
/// What it has while a path can be cut for it.
const WANTED_LAST_WIDTH: usize = 20;
/// A path is cut to no fewer.
const MIN_PATH_WIDTH: usize = 10;
/// How wide a line is where it has no end: in a file, in a pipe.
const WITHOUT_END: usize = 160;

#[derive(Debug)]
pub(crate) struct Table {
    heads: Vec<&'static str>,
    rows: Vec<Vec<TableCell>>,
}

#[derive(Clone, Debug)]
pub(crate) struct TableCell {
    text: String,
    side: CellAlign,
    keeps: Keeps,
}

/// What of a text is kept that is too wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keeps {
    Start,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellAlign {
    Left,
    Right,
}

impl TableCell {
    pub(crate) fn left(text: impl Into<String>) -> TableCell {
        TableCell::new(text.into(), CellAlign::Left)
    }

    pub(crate) fn right(text: impl Into<String>) -> TableCell {
        TableCell::new(text.into(), CellAlign::Right)
    }

    /// A path, whose end says most.
    pub(crate) fn path(text: impl Into<String>) -> TableCell {
        TableCell { keeps: Keeps::End, ..TableCell::left(text) }
    }

    fn new(text: String, side: CellAlign) -> TableCell {
        TableCell { text: one_line(&text), side, keeps: Keeps::Start }
    }
}

impl Table {
    pub(crate) fn new(heads: Vec<&'static str>) -> Table {
        Table { heads, rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: Vec<TableCell>) {
        self.rows.push(cells);
    }

    pub(crate) fn print(&self, screen: &mut Console<impl Write>) -> io::Result<()> {
        let lines = self.lines(screen.columns().unwrap_or(WITHOUT_END));
        for (number, line) in lines.iter().enumerate() {
            let style = if number == 0 { DIM } else { Style::new() };
            screen.line(format_args!("{style}{line}{style:#}"))?;
        }
        Ok(())
    }

    fn lines(&self, width: usize) -> Vec<String> {
        let heads: Vec<TableCell> = self.heads.iter().map(|head| TableCell::left(*head)).collect();
        let last = heads.len().saturating_sub(1);
        let width_of = |column: usize| {
            let cells = self.rows.iter().chain([&heads]).filter_map(|row| row.get(column));
            cells.map(|cell| cell.text.width()).max().unwrap_or(0).min(MAX_WIDTH)
        };
        let mut widths: Vec<usize> = (0..last).map(width_of).collect();
        let used: usize = widths.iter().map(|width| width + 2).sum();
        // A line that is too long is folded by the terminal. Paths give way: a name that was cut could not be typed.
        let mut over = (used + WANTED_LAST_WIDTH).saturating_sub(width);
        let is_path = |column: usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.any(|cell| cell.keeps == Keeps::End)
        };
        for (_, wide) in widths.iter_mut().enumerate().filter(|(column, _)| is_path(*column)) {
            let less = over.min(wide.saturating_sub(MIN_PATH_WIDTH));
            (*wide, over) = (*wide - less, over - less);
        }
        let used: usize = widths.iter().map(|width| width + 2).sum();
        widths.push(width.saturating_sub(used).max(MIN_LAST_WIDTH));
        let line = |row: &Vec<TableCell>| {
            let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| padded(cell, *width)).collect();
            cells.join("  ").trim_end().to_owned()
        };
        std::iter::once(&heads).chain(&self.rows).map(line).collect()
    }
}

fn padded(cell: &TableCell, width: usize) -> String {
    let text = match cell.keeps {
        Keeps::Start => cut::fit(&cell.text, width, "…"),
        Keeps::End => cut::fit_end(&cell.text, width, "…"),
    };
    let gap = " ".repeat(width.saturating_sub(text.width()));
    match cell.side {
        CellAlign::Left => format!("{text}{gap}"),
        CellAlign::Right => format!("{gap}{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_line_is_too_short_paths_give_way() {
        let mut table = Table::new(vec!["PLAN", "AGE", "STAGE", "FOLDER", "TITLE"]);
        let cells = ["reticulating-jumping-lynx", "2 h", "awaits approval"].map(TableCell::left);
        let folder = TableCell::path("/home/ada/projects/customers/shop");
        table.row([cells.to_vec(), vec![folder, TableCell::left("Discounts for everybody who asks")]].concat());
        assert_eq!(table.lines(80).iter().map(|line| line.width()).max(), Some(80));
        insta::assert_snapshot!(table.lines(80).join("\n"), @"
        PLAN                       AGE  STAGE            FOLDER      TITLE
        reticulating-jumping-lynx  2 h  awaits approval  …mers/shop  Discounts for ever…
        ");
    }

    #[test]
    fn columns_are_as_wide_as_they_must_be_and_the_last_takes_the_rest() {
        let mut table = Table::new(vec!["NAME", "AGE", "TITLE"]);
        table.row(vec![TableCell::left("a-b"), TableCell::right("2 h"), TableCell::left("a long title of many words")]);
        table.row(vec![
            TableCell::left("long-name"),
            TableCell::right("20 min"),
            TableCell::left("日本語\nx\u{1b}[2J"),
        ]);
        assert_eq!(
            table.lines(40),
            [
                "NAME       AGE     TITLE",
                "a-b           2 h  a long title of many…",
                "long-name  20 min  日本語 x\\u{1b}[2J",
            ]
        );
    }
}
