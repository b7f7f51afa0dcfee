//! Text to styled lines: Markdown, code, differences, and what makes them fit. Pure; nothing it gives can steer a terminal.

mod code;
mod diff;
mod markdown;
mod sanitize;
mod wrap;

pub(crate) use code::{CodeLines, warm_up};
pub(crate) use diff::diff;
#[cfg(test)]
pub(crate) use markdown::MAX_LIVE_LINES;
pub(crate) use markdown::is_name_of_language;
pub(crate) use markdown::{MAX_BYTES, markdown, plan};
pub(crate) use markdown::{MAX_LINES, MarkdownStream, Markup, Rendered};
pub(crate) use sanitize::{sanitize, sanitize_output};
pub(crate) use wrap::{columns, cut, is_blank};
pub(crate) use wrap::{cut_line, line_columns, wrap};

use crate::theme::{Sign, TextRole, Theme};
use ratatui::text::{Line, Span};

/// Says that something is not shown.
fn left_out(lines: usize, width: u16, theme: &Theme) -> Line<'static> {
    let words = format!("{} {lines} more lines are not shown", theme.sign(Sign::Ellipsis));
    Line::from(Span::styled(cut(&words, width, theme), theme.style(TextRole::Faint)))
}

#[cfg(test)]
mod tests;
