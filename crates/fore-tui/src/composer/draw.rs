//! How the composer looks: rules above and below, the text between them, what helps beneath. It changes nothing.

use super::popup::{cut, popup_lines, seen, width};
use super::search::PromptSearch;
use super::submit::{SubmissionKind, kind};
use super::text::{ComposerText, SpotKind};
use super::{Composer, ComposerFocus};
use crate::theme::{Sign, TextRole, Theme};
use crate::view::{Cursor, Space, View};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Most rows of text, however high the terminal is.
const MAX_ROWS: u16 = 40;

/// Below this width the text has no sign in front.
const MIN_WIDTH_FOR_SIGN: u16 = 8;

/// What an empty composer says, the longest that fits.
const INVITATIONS: [&str; 3] = [
    "Ask or describe a task   / commands   @ files   ! your own command",
    "Ask, or / commands, @ files, ! shell",
    "Ask, / @ !",
];

/// What marks a command of the person's own, the longest that fits.
const OWN: [&str; 3] = ["Your own command: runs even in plan mode", "Your own command", "your command"];

impl Composer {
    /// Draws at most `space.height` lines: of the text at most a third of the height.
    pub(crate) fn view(&mut self, space: Space, look: ComposerFocus) -> View {
        if space.width == 0 || space.height == 0 {
            return View::default();
        }
        let kind = kind(self.draft.first_line());
        let text = text(&mut self.draft, space, look, kind);
        let rules = space.height.saturating_sub(rows_of(&text.view)) >= 2;
        let mut view = View::default();
        if rules {
            view.lines.push(top_rule(space, look, kind));
        }
        view.push(text.view);
        let left = usize::from(space.height).saturating_sub(view.lines.len() + usize::from(rules));
        if rules {
            let rows =
                self.popup.as_ref().filter(|_| look == ComposerFocus::Focused).and_then(|popup| seen(popup, left));
            view.lines.push(bottom_rule(space, look, kind, rows.or(text.place)));
        }
        match (&self.search, &self.popup) {
            _ if look == ComposerFocus::Unfocused || left == 0 => {}
            (Some(search), _) => {
                let line = search_line(search, space);
                view.cursor = Some(Cursor { column: cursor_after(&line, space.width), row: rows_of(&view) });
                view.lines.push(line);
            }
            (None, Some(popup)) => view.lines.extend(popup_lines(popup, space, left)),
            (None, None) => {}
        }
        view
    }
}

struct ShownText {
    view: View,
    /// Where the cursor is, in words, if not all lines can be seen.
    place: Option<String>,
}

fn text(draft: &mut ComposerText, space: Space, look: ComposerFocus, kind: SubmissionKind) -> ShownText {
    let theme = space.theme;
    let margin = if space.width < MIN_WIDTH_FOR_SIGN { 0 } else { 2 };
    let columns = space.width - margin;
    let rows = draft.area.measure(columns).content_rows.max(1);
    let most = (space.height / 3).clamp(1, MAX_ROWS);
    let area = Rect::new(0, 0, columns, rows.min(most));
    let mut buffer = Buffer::empty(area);
    style(draft, theme, look, kind);
    (&draft.area).render(area, &mut buffer);

    let mut lines: Vec<Line<'static>> = (0..area.height).map(|row| line(&buffer, row)).collect();
    if draft.is_empty()
        && let (Some(first), Some(words)) = (lines.first_mut(), longest(&INVITATIONS, columns))
    {
        *first = Line::from(Span::styled(words, theme.style(TextRole::Faint)));
    }
    if margin > 0 {
        let role = match (look, kind) {
            (ComposerFocus::Unfocused, _) => TextRole::Faint,
            (ComposerFocus::Focused, SubmissionKind::Own) => TextRole::Warning,
            (ComposerFocus::Focused, SubmissionKind::Prompt | SubmissionKind::Slash) => TextRole::Accent,
        };
        let (above, below) = if rows > area.height { hidden(draft, area) } else { (false, false) };
        let last = lines.len().saturating_sub(1);
        for (row, line) in lines.iter_mut().enumerate() {
            let (sign, role) = match row {
                0 if above => (theme.sign(Sign::ArrowUp), TextRole::Faint),
                row if row == last && below => (theme.sign(Sign::ArrowDown), TextRole::Faint),
                0 => (theme.sign(Sign::Prompt), role),
                _ => (" ", TextRole::Plain),
            };
            line.spans.insert(0, Span::styled(format!("{sign} "), theme.style(role)));
        }
    }
    let cursor = (look == ComposerFocus::Focused).then(|| cursor(draft, margin, space.width)).flatten();
    let line = draft.area.cursor().0 + 1;
    let place = (rows > area.height).then(|| format!("line {line} of {}", draft.area.lines().len()));
    ShownText { view: View { lines, cursor }, place }
}

/// Whether there is text above and below what was just drawn.
fn hidden(draft: &ComposerText, area: Rect) -> (bool, bool) {
    let at = |column, row| draft.area.cursor_at_position(Position::new(column, row)).unwrap_or_default();
    let lines = draft.area.lines();
    let (row, column) = at(area.width.saturating_sub(1), area.height.saturating_sub(1));
    // Marks that stand above the last letter take no column, so the position found is before them.
    let more_in_line =
        lines.get(row).is_some_and(|line| line.chars().skip(column).any(|letter| letter.width() > Some(0)));
    (at(0, 0) != (0, 0), row + 1 < lines.len() || more_in_line)
}

fn style(draft: &mut ComposerText, theme: Theme, look: ComposerFocus, kind: SubmissionKind) {
    let role = match (look, kind) {
        (ComposerFocus::Unfocused, _) => TextRole::Faint,
        (ComposerFocus::Focused, SubmissionKind::Own) => TextRole::Warning,
        (ComposerFocus::Focused, SubmissionKind::Prompt | SubmissionKind::Slash) => TextRole::Plain,
    };
    let spots = draft.spots().to_vec();
    let command = command_name(draft.first_line()).map(|end| ((0, 0), (0, end)));
    draft.area.set_style(theme.style(role));
    draft.area.set_selection_style(Style::new().add_modifier(ratatui::style::Modifier::REVERSED));
    draft.area.clear_custom_highlight();
    if look == ComposerFocus::Unfocused {
        return;
    }
    if let Some(range) = command {
        draft.area.custom_highlight(range, theme.style(TextRole::Accent), 1);
    }
    for spot in spots {
        let role = match spot.kind {
            SpotKind::Chip => TextRole::Code,
            // A shell knows no mentions.
            SpotKind::Mention if kind == SubmissionKind::Own => continue,
            SpotKind::Mention => TextRole::Accent,
        };
        let range = ((spot.row, spot.bytes.start), (spot.row, spot.bytes.end));
        draft.area.custom_highlight(range, theme.style(role), 2);
    }
}

/// Where the name of a slash command ends.
fn command_name(line: &str) -> Option<usize> {
    (kind(line) == SubmissionKind::Slash).then(|| line.find(char::is_whitespace).unwrap_or(line.len()))
}

/// One row of the buffer as spans of one style each.
fn line(buffer: &Buffer, row: u16) -> Line<'static> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    let mut column = 0;
    while let Some(cell) = buffer.cell((column, row)) {
        let style = known(cell.style());
        match spans.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push_str(cell.symbol()),
            _ => spans.push(Span::styled(cell.symbol().to_owned(), style)),
        }
        column += u16::try_from(cell.symbol().width()).unwrap_or(1).max(1);
    }
    if let Some(last) = spans.last_mut().filter(|last| last.style.add_modifier.is_empty()) {
        let kept = last.content.trim_end_matches(' ').len();
        last.content.to_mut().truncate(kept);
    }
    spans.retain(|span| !span.content.is_empty());
    Line::from(spans)
}

/// A style without the colours that only say "as it is".
fn known(style: Style) -> Style {
    let named = |colour: Option<Color>| colour.filter(|colour| *colour != Color::Reset);
    Style { fg: named(style.fg), bg: named(style.bg), add_modifier: style.add_modifier, ..Style::new() }
}

fn cursor(draft: &ComposerText, margin: u16, most: u16) -> Option<Cursor> {
    let position = draft.area.rendered_cursor_position()?;
    let column = drawn_column(draft.before_cursor(), position.x);
    Some(Cursor { column: column.saturating_add(margin).min(most.saturating_sub(1)), row: position.y })
}

/// The text area counts columns by code point; letters of several code points are drawn narrower or wider than that.
fn drawn_column(before: &str, counted: u16) -> u16 {
    if before.is_ascii() || before.contains('\t') {
        return counted;
    }
    let mut columns = usize::from(counted);
    let mut start = before.len();
    for (at, letter) in before.char_indices().rev() {
        let wide = letter.width().unwrap_or(0);
        if wide > columns {
            break;
        }
        columns -= wide;
        start = at;
        if columns == 0 && wide > 0 {
            break;
        }
    }
    let segment = before.get(start..).unwrap_or_default();
    u16::try_from(segment.width()).unwrap_or(counted)
}

fn top_rule(space: Space, look: ComposerFocus, kind: SubmissionKind) -> Line<'static> {
    let words = if kind == SubmissionKind::Own { longest(&OWN, space.width.saturating_sub(5)) } else { None };
    let Some(words) = words else {
        return Line::from(rule(space, space.width, rule_role(look, kind)));
    };
    let rest = space.width - 4 - u16::try_from(words.len()).unwrap_or(0);
    let role = rule_role(look, kind);
    Line::from(vec![
        rule(space, 2, role),
        Span::styled(format!(" {words} "), space.theme.style(role)),
        rule(space, rest, role),
    ])
}

fn bottom_rule(space: Space, look: ComposerFocus, kind: SubmissionKind, words: Option<String>) -> Line<'static> {
    let role = rule_role(look, kind);
    let words = words.map(|words| format!(" {words} ")).unwrap_or_default();
    let taken = u16::try_from(words.len()).unwrap_or(u16::MAX);
    if words.is_empty() || taken.saturating_add(4) > space.width {
        return Line::from(rule(space, space.width, role));
    }
    Line::from(vec![
        rule(space, space.width - taken - 2, role),
        Span::styled(words, space.theme.style(TextRole::Faint)),
        rule(space, 2, role),
    ])
}

fn rule_role(look: ComposerFocus, kind: SubmissionKind) -> TextRole {
    match (look, kind) {
        (ComposerFocus::Focused, SubmissionKind::Own) => TextRole::Warning,
        (ComposerFocus::Focused, SubmissionKind::Prompt | SubmissionKind::Slash) | (ComposerFocus::Unfocused, _) => {
            TextRole::Border
        }
    }
}

fn rule(space: Space, columns: u16, role: TextRole) -> Span<'static> {
    Span::styled(space.theme.sign(Sign::Rule).repeat(usize::from(columns)), space.theme.style(role))
}

fn search_line(search: &PromptSearch, space: Space) -> Line<'static> {
    let theme = space.theme;
    let (label, role) = match (search.failed, search.words.is_empty()) {
        (true, _) => ("  no earlier prompt has: ", TextRole::Warning),
        (false, true) => ("  search earlier prompts ", TextRole::Faint),
        (false, false) => ("  earlier prompt with: ", TextRole::Faint),
    };
    let columns = usize::from(space.width);
    let label = cut(label, columns, theme);
    let left = columns.saturating_sub(width(&label));
    Line::from(vec![
        Span::styled(label, theme.style(role)),
        Span::styled(cut(&search.words, left, theme), theme.style(TextRole::Strong)),
    ])
}

fn cursor_after(line: &Line<'_>, columns: u16) -> u16 {
    u16::try_from(line.width()).unwrap_or(u16::MAX).min(columns.saturating_sub(1))
}

fn longest(words: &[&'static str], columns: u16) -> Option<&'static str> {
    words.iter().copied().find(|words| words.len() <= usize::from(columns))
}

fn rows_of(view: &View) -> u16 {
    u16::try_from(view.lines.len()).unwrap_or(u16::MAX)
}
