//! Tables: aligned where they fit, with wrapped cells where they nearly fit, as a list of rows where they do not. A table of
//! two columns whose second has no name is a list of terms: where its columns do not fit, a term stands above its words.

use super::{
    inline::{Breaks, InlineStyle, Markup, inline},
    leaf::{ColumnAlign, MarkdownTable},
};
use crate::{
    paint::wrap::{line_columns, wrap},
    theme::{Sign, TextRole},
};
use ratatui::{
    style::Style,
    text::{Line, Span},
};

/// What stands between columns.
fn gap(inline_style: InlineStyle<'_>) -> &'static str {
    match inline_style.markup {
        Markup::Used => "  ",
        // A border may be the pipe of a command.
        Markup::Kept => " | ",
    }
}
/// A column narrower than this can not be read: the rows are stacked.
const MIN_COLUMN_WIDTH: usize = 8;
/// Words beside a term need so much; with less they stand beneath it.
const MIN_WORDS_WIDTH: usize = 28;
/// How far words stand in beneath their term.
const STEP: u16 = 2;
/// Columns that are drawn; a table with more is stacked.
const MAX_COLUMNS: usize = 20;

/// How the rows of a table are drawn; found once, with its first rows.
#[derive(Clone, Debug)]
pub(super) enum TableLayout {
    Columns {
        widths: Vec<usize>,
        sides: Vec<ColumnAlign>,
        /// Some cell needs several lines: rows stand apart.
        is_wrapped: bool,
    },
    Terms,
    Stacked {
        header: Vec<String>,
    },
    /// Cell behind cell, with their borders.
    AsWritten,
}

/// Drawn lines with the source line each belongs to.
type TableLines = Vec<(Line<'static>, u32)>;

impl TableLayout {
    pub(super) fn new(table: &MarkdownTable, width: usize, inline_style: InlineStyle<'_>) -> TableLayout {
        let count = table.header.len().min(MAX_COLUMNS + 1);
        let mut widths = vec![1; count];
        for row in table.rows.iter().chain([&table.header]) {
            for (column, cell) in widths.iter_mut().zip(row) {
                *column = (*column).max(line_columns(&text(cell, Style::new(), inline_style)));
            }
        }
        let room = width.saturating_sub(gap(inline_style).len() * count.saturating_sub(1));
        let natural: usize = widths.iter().sum();
        let most = (MIN_COLUMN_WIDTH..=room)
            .rev()
            .find(|most| widths.iter().map(|wide| wide.min(most)).sum::<usize>() <= room);
        match most {
            _ if natural <= room && count <= MAX_COLUMNS => {
                TableLayout::Columns { widths, sides: table.aligns.clone(), is_wrapped: false }
            }
            _ if is_of_terms(table) && inline_style.markup == Markup::Used => match widths.as_slice() {
                // No term is broken, so rows are told apart by them.
                [term, _] if term + MIN_WORDS_WIDTH <= room => {
                    let widths = vec![*term, room - term];
                    TableLayout::Columns { widths, sides: table.aligns.clone(), is_wrapped: false }
                }
                _ => TableLayout::Terms,
            },
            Some(most) if count <= MAX_COLUMNS => {
                let widths = widths.into_iter().map(|wide| wide.min(most)).collect();
                TableLayout::Columns { widths, sides: table.aligns.clone(), is_wrapped: true }
            }
            _ if inline_style.markup == Markup::Kept => TableLayout::AsWritten,
            _ => TableLayout::Stacked { header: table.header.clone() },
        }
    }

    pub(super) fn draw(&self, table: &MarkdownTable, width: usize, inline_style: InlineStyle<'_>) -> TableLines {
        let mut drawn = Vec::new();
        let theme = inline_style.theme;
        match self {
            TableLayout::AsWritten => {
                let head = table.first_row.saturating_sub(2);
                let lines = together(&table.header, theme.style(TextRole::Strong), width, inline_style);
                drawn.extend(lines.into_iter().map(|line| (line, head)));
                for (number, row) in (table.first_row..).zip(&table.rows) {
                    let lines = together(row, Style::new(), width, inline_style);
                    drawn.extend(lines.into_iter().map(|line| (line, number)));
                }
            }
            TableLayout::Columns { widths, sides, is_wrapped } => {
                if !table.header.is_empty() {
                    let head = table.first_row.saturating_sub(2);
                    let lines = columns(&table.header, widths, sides, theme.style(TextRole::Strong), inline_style);
                    drawn.extend(lines.into_iter().map(|line| (line, head)));
                    drawn.push((rule(widths, inline_style), head.saturating_add(1)));
                }
                for (number, row) in (table.first_row..).zip(&table.rows) {
                    let is_inner = *is_wrapped && (number > table.first_row || table.header.is_empty());
                    if is_inner {
                        drawn.push((Line::default(), number));
                    }
                    let lines = columns(row, widths, sides, Style::new(), inline_style);
                    drawn.extend(lines.into_iter().map(|line| (line, number)));
                    // Cells that no column has room for.
                    let surplus =
                        together(row.get(widths.len()..).unwrap_or_default(), Style::new(), width, inline_style);
                    drawn.extend(surplus.into_iter().map(|line| (line, number)));
                }
            }
            TableLayout::Terms => {
                if let Some(name) = table.header.first().filter(|name| !name.is_empty()) {
                    let head = table.first_row.saturating_sub(2);
                    let line = text(name, theme.style(TextRole::Strong), inline_style);
                    drawn.extend(wrapped(&line, width, 0).into_iter().map(|line| (line, head)));
                    drawn.push((rule(&[width], inline_style), head.saturating_add(1)));
                }
                for (number, row) in (table.first_row..).zip(&table.rows) {
                    drawn.extend(term(row, width, inline_style).into_iter().map(|line| (line, number)));
                    let surplus = together(row.get(2..).unwrap_or_default(), Style::new(), width, inline_style);
                    drawn.extend(surplus.into_iter().map(|line| (line, number)));
                }
            }
            TableLayout::Stacked { header } => {
                if !table.header.is_empty() && !are_all_named(header, &table.rows) {
                    let head = table.first_row.saturating_sub(2);
                    let lines = together(header, theme.style(TextRole::Strong), width, inline_style);
                    drawn.extend(lines.into_iter().map(|line| (line, head)));
                }
                for (number, row) in (table.first_row..).zip(&table.rows) {
                    if number > table.first_row || table.header.is_empty() {
                        drawn.push((Line::default(), number));
                    }
                    let lines = stacked(header, row, width, inline_style);
                    drawn.extend(lines.into_iter().map(|line| (line, number)));
                }
            }
        }
        drawn
    }
}

fn text(cell: &str, style: Style, inline_style: InlineStyle<'_>) -> Line<'static> {
    let lines = inline(cell, style, Breaks::Joined, inline_style);
    Line::from(lines.into_iter().flat_map(|line| line.spans).collect::<Vec<_>>())
}

/// Whether the second of two columns has no name: it says something about the first.
fn is_of_terms(table: &MarkdownTable) -> bool {
    matches!(table.header.as_slice(), [_, words] if words.is_empty())
}

/// A term, and what is said about it beneath.
fn term(row: &[String], width: usize, inline_style: InlineStyle<'_>) -> Vec<Line<'static>> {
    let cell = |index: usize| {
        row.get(index).filter(|cell| !cell.is_empty()).map(|cell| text(cell, Style::new(), inline_style))
    };
    let mut lines = cell(0).map_or_else(Vec::new, |line| wrapped(&line, width, 0));
    if let Some(mut words) = cell(1) {
        words.spans.insert(0, Span::raw(" ".repeat(STEP.into())));
        lines.extend(wrapped(&words, width, STEP));
    }
    lines
}

fn wrapped(line: &Line<'static>, width: usize, indent: u16) -> Vec<Line<'static>> {
    wrap(line, u16::try_from(width).unwrap_or(u16::MAX), indent)
}

/// Whether every column has a cell that stands behind the name of the column.
fn are_all_named(header: &[String], rows: &[Vec<String>]) -> bool {
    let is_named = |index: usize| rows.iter().any(|row| row.get(index).is_some_and(|cell| !cell.is_empty()));
    header.iter().enumerate().all(|(index, name)| name.is_empty() || is_named(index))
}

/// Cells beneath each other's columns: one behind the other, as they are written.
fn together(cells: &[String], style: Style, width: usize, inline_style: InlineStyle<'_>) -> Vec<Line<'static>> {
    if cells.iter().all(String::is_empty) {
        return Vec::new();
    }
    let mut line = Line::default();
    for (index, cell) in cells.iter().enumerate() {
        let border = if index == 0 { "| " } else { " | " };
        line.spans.push(Span::styled(border, inline_style.theme.style(TextRole::Faint)));
        line.spans.extend(text(cell, style, inline_style).spans);
    }
    wrap(&line, u16::try_from(width).unwrap_or(u16::MAX), 2)
}

fn rule(widths: &[usize], inline_style: InlineStyle<'_>) -> Line<'static> {
    let theme = inline_style.theme;
    let lines: Vec<_> = widths.iter().map(|wide| theme.sign(Sign::Rule).repeat(*wide)).collect();
    Line::from(Span::styled(lines.join(&" ".repeat(gap(inline_style).len())), theme.style(TextRole::Border)))
}

fn columns(
    row: &[String],
    widths: &[usize],
    sides: &[ColumnAlign],
    style: Style,
    inline_style: InlineStyle<'_>,
) -> Vec<Line<'static>> {
    let cells: Vec<Vec<Line<'static>>> = widths
        .iter()
        .enumerate()
        .map(|(index, wide)| {
            let cell = text(row.get(index).map_or("", String::as_str), style, inline_style);
            wrap(&cell, u16::try_from(*wide).unwrap_or(u16::MAX), 0)
        })
        .collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(1);
    let mut lines = Vec::with_capacity(height);
    for level in 0..height {
        let mut spans: Vec<Span<'static>> = Vec::new();
        // Spaces are written only before something: no line ends in them.
        let mut owed = 0;
        for (index, wide) in widths.iter().enumerate() {
            if index > 0 && inline_style.markup == Markup::Kept {
                spans.push(Span::raw(" ".repeat(owed)));
                spans.push(Span::styled(gap(inline_style), inline_style.theme.style(TextRole::Faint)));
                owed = 0;
            }
            let cell = cells.get(index).and_then(|lines| lines.get(level));
            let used = cell.map_or(0, line_columns);
            let free = wide.saturating_sub(used);
            let before = match sides.get(index) {
                Some(ColumnAlign::Right) => free,
                Some(ColumnAlign::Middle) => free / 2,
                Some(ColumnAlign::Left) | None => 0,
            };
            owed += before;
            if let Some(cell) = cell.filter(|_| used > 0) {
                if owed > 0 {
                    spans.push(Span::raw(" ".repeat(owed)));
                }
                spans.extend(cell.spans.iter().cloned());
                owed = 0;
            } else {
                owed += used;
            }
            owed += free - before + if inline_style.markup == Markup::Kept { 0 } else { gap(inline_style).len() };
        }
        lines.push(Line::from(spans));
    }
    lines
}

fn stacked(header: &[String], row: &[String], width: usize, inline_style: InlineStyle<'_>) -> Vec<Line<'static>> {
    let width = u16::try_from(width).unwrap_or(u16::MAX);
    let mut lines = Vec::new();
    for (index, cell) in row.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
        let mut line = Line::default();
        if let Some(name) = header.get(index).filter(|name| !name.is_empty()) {
            line.spans.extend(text(name, inline_style.theme.style(TextRole::Strong), inline_style).spans);
            line.spans.push(Span::raw(": "));
        }
        line.spans.extend(text(cell, Style::new(), inline_style).spans);
        lines.extend(wrap(&line, width, 2));
    }
    lines
}
