//! The smallest drawing of Markdown and differences, line by line.

use crate::{
    dialogs::words::{Break, rows, tame},
    theme::{Role, Theme},
};
use ratatui::text::{Line, Span};
use std::ops::RangeInclusive;

#[derive(Debug)]
pub(super) struct Rendered {
    pub(super) lines: Vec<Line<'static>>,
    pub(super) sources: Vec<RangeInclusive<u32>>,
}

pub(super) fn markdown(text: &str, width: u16, theme: &Theme) -> Rendered {
    let mut rendered = Rendered { lines: Vec::new(), sources: Vec::new() };
    for (number, line) in (1u32..).zip(text.lines()) {
        let role = if line.starts_with('#') { Role::Heading } else { Role::Plain };
        for row in rows(&Line::from(Span::styled(tame(line), theme.style(role))), width, 0, Break::Words) {
            rendered.lines.push(row);
            rendered.sources.push(number..=number);
        }
    }
    rendered
}

pub(super) fn diff(unified: &str, _path: &str, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let role = |line: &str| match line.chars().next() {
        Some('+') => Role::Added,
        Some('-') => Role::Removed,
        Some('@') => Role::Faint,
        _ => Role::Plain,
    };
    let draw = |line: &str| {
        let span = Span::styled(tame(line), theme.style(role(line)));
        rows(&Line::from(span), width, 2, Break::Anywhere)
    };
    unified.lines().flat_map(draw).collect()
}
