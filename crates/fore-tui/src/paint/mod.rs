//! Text to styled lines: Markdown, code, differences, and what makes them fit. Pure; nothing it gives can steer a terminal.

mod code;
mod diff;
mod markdown;
mod sanitize;
mod wrap;

pub use code::{CodeLines, code, warm_up};
pub use diff::diff;
pub(crate) use markdown::is_name_of_language;
pub use markdown::{MAX_BYTES, MAX_LINES, MAX_LIVE_LINES, MarkdownStream, Markup, Rendered, markdown, plan};
pub use sanitize::{sanitize, sanitize_output};
pub use wrap::{columns, cut, cut_line, is_blank, line_columns, wrap};

use crate::theme::{Sign, TextRole, Theme};
use ratatui::text::{Line, Span};

/// Says that something is not shown.
fn left_out(lines: usize, width: u16, theme: &Theme) -> Line<'static> {
    let words = format!("{} {lines} more lines are not shown", theme.sign(Sign::Ellipsis));
    Line::from(Span::styled(cut(&words, width, theme), theme.style(TextRole::Faint)))
}

#[cfg(test)]
mod tests;
