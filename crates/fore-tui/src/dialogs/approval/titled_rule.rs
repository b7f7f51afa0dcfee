//! Lines with words in them: rules, sentences behind a sign, the end of a path. It knows nothing of plans.

use crate::{
    dialogs::text::{LineBreak, cut, rows},
    theme::{Sign, TextRole, Theme},
};
use fore_plan::Mode;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// A piece of a line, with what it is.
pub(super) type RuleLabel = (TextRole, String);

/// The end of a path, which says more than its start.
pub(super) fn shorten(path: &str, room: usize, theme: &Theme) -> String {
    fore_text::cut::fit_end(path, room, theme.sign(Sign::Ellipsis)).into_owned()
}

/// A rule that begins in a corner, with words in it: as many as fit.
pub(super) fn titled_rule(corner: Sign, pieces: &[RuleLabel], width: u16, theme: &Theme) -> Line<'static> {
    let border = theme.style(TextRole::Mode(Mode::Plan));
    let rule = theme.sign(Sign::Rule);
    let dot = format!(" {} ", theme.sign(Sign::Dot));
    let mut line = Line::from(Span::styled(format!("{}{rule} ", theme.sign(corner)), border));
    for (index, (role, text)) in pieces.iter().enumerate() {
        let front = if index == 0 { "" } else { dot.as_str() };
        if index > 0 && line.width() + front.width() + text.width() + 1 > usize::from(width) {
            continue;
        }
        line.spans.push(Span::styled(front.to_owned(), theme.style(TextRole::Border)));
        line.spans.push(Span::styled(text.clone(), theme.style(*role)));
    }
    line.spans.push(Span::raw(" "));
    let rest = usize::from(width).saturating_sub(line.width());
    line.spans.push(Span::styled(rule.repeat(rest), border));
    cut(&line, width, theme)
}

/// A sentence behind a sign. Its words may come from the plan, so no row of it begins where a choice could begin.
pub(super) fn signed(sign: Span<'static>, words: &Line<'static>, width: u16, theme: &Theme) -> Vec<Line<'static>> {
    let front = |number: usize| if number == 0 { sign.clone() } else { border_bar(theme) };
    let behind = |(number, row): (usize, Line<'static>)| {
        let mut spans = vec![front(number), Span::raw(" ")];
        spans.extend(row.spans);
        Line::from(spans)
    };
    rows(words, width.saturating_sub(2), 0, LineBreak::Words).into_iter().enumerate().map(behind).collect()
}

pub(super) fn border_bar(theme: &Theme) -> Span<'static> {
    Span::styled(theme.sign(Sign::Bar), theme.style(TextRole::Border))
}
