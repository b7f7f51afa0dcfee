//! Text to styled lines: Markdown, code, differences, and what makes them fit. Pure; nothing it gives can steer a terminal.

mod code;
mod diff;
mod markdown;
mod tame;
mod wrap;

pub use code::{CodeLines, code, warm_up};
pub use diff::diff;
pub(crate) use markdown::is_name_of_language;
pub use markdown::{MOST_BYTES, MOST_LINES, MOST_LIVE_LINES, Markup, Rendered, Stream, markdown, plan};
pub use tame::{tame, tame_output};
pub use wrap::{columns, cut, cut_line, is_blank, line_columns, wrap};

use crate::theme::{Role, Sign, Theme};
use ratatui::text::{Line, Span};

/// Says that something is not shown.
fn left_out(lines: usize, width: u16, theme: &Theme) -> Line<'static> {
    let words = format!("{} {lines} more lines are not shown", theme.sign(Sign::Ellipsis));
    Line::from(Span::styled(cut(&words, width, theme), theme.style(Role::Faint)))
}

#[cfg(test)]
mod tests;
