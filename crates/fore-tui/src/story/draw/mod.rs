//! Blocks as lines: a sign in front, everything else beneath it. Decides what is shown, never what is kept.

mod call;
mod plan;
mod small;

pub(super) use small::{ended_words, todo};

use super::{
    block::{Block, Fold},
    speech::lines_after,
};
use crate::{
    paint,
    theme::{Role, Sign, Theme},
};
use ratatui::text::{Line, Span};

/// How a block is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sheet<'theme> {
    pub(super) fold: Fold,
    pub(super) width: u16,
    pub(super) theme: &'theme Theme,
}

/// Columns of a sign and the space behind it.
const SIGN: u16 = 2;
/// Lines of a prompt and of the model's thoughts that are shown folded.
const PROMPT_LINES: usize = 30;

pub(super) fn block(block: &Block, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    match block {
        Block::Welcome(welcome) => small::welcome(welcome, sheet),
        Block::Prompt { text, way } => small::prompt(text, *way, sheet),
        Block::Said { text, stopped_at } => said(text, stopped_at.filter(|_| sheet.fold == Fold::Folded), sheet),
        Block::Thought { text } => small::thought(text, sheet),
        Block::Call(call) => call::call(call, sheet),
        Block::Typed(call) => call::typed(call, sheet),
        Block::Agent(agent) => call::agent(agent, sheet),
        Block::Notice { level, text } => small::notice(*level, text, sheet),
        Block::Mode(event) => small::mode(event, sheet),
        Block::Model { model, duty } => small::model(model, duty, sheet),
        Block::Decided(decided) => plan::decided(decided, sheet),
        Block::Implement { path, hash } => plan::implement(path, hash, sheet),
        Block::CurrentPlan(current) => plan::current(current, sheet),
        Block::Todos { items } => small::todos(items, sheet),
        Block::ContextCut { why } => small::fact(&small::cut_words(why), "", sheet),
        Block::Ended { outcome } => small::ended(outcome, sheet),
        Block::Page { title, text } => small::page(title, text, sheet),
    }
}

fn said(text: &str, stopped_at: Option<usize>, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let printed = text.get(..stopped_at.unwrap_or(text.len())).unwrap_or_default();
    let mut lines = paint::markdown(printed, sheet.inside(), sheet.theme).lines;
    lines.extend(stopped_at.map(|at| sheet.more(lines_after(text, at), "more", sheet.inside())));
    sheet.signed(sheet.sign(Sign::Bullet, Role::Plain), lines)
}

impl Sheet<'_> {
    pub(super) fn is_folded(&self) -> bool {
        self.fold != Fold::Open
    }

    /// The key that shows what is folded.
    pub(super) fn key(&self) -> &'static str {
        if self.fold == Fold::Closed { "enter opens" } else { "ctrl+o" }
    }

    /// Columns beside the sign.
    pub(super) fn inside(&self) -> u16 {
        self.width.saturating_sub(SIGN).max(1)
    }

    pub(super) fn sign(&self, sign: Sign, role: Role) -> Span<'static> {
        Span::styled(self.theme.sign(sign), self.theme.style(role))
    }

    /// Words on one line; line breaks in them are blanks.
    pub(super) fn span(&self, text: impl Into<String>, role: Role) -> Span<'static> {
        Span::styled(paint::tame(&text.into()).replace('\n', " "), self.theme.style(role))
    }

    /// Puts a sign before the first line and spaces before the others.
    pub(super) fn signed(&self, sign: Span<'static>, lines: Vec<Line<'static>>) -> Vec<Line<'static>> {
        signed(sign, lines, self.width)
    }

    /// The elbow before the first line, and all beneath a sign.
    pub(super) fn elbow(&self, lines: Vec<Line<'static>>) -> Vec<Line<'static>> {
        let elbow = self.sign(Sign::Elbow, Role::Faint);
        signed(Span::raw(""), signed(elbow, lines, self.inside()), self.width)
    }

    /// Columns beneath the elbow.
    pub(super) fn beneath(&self) -> u16 {
        self.inside().saturating_sub(SIGN).max(1)
    }

    /// Spans on as many lines as they need.
    pub(super) fn wrapped(&self, spans: Vec<Span<'static>>, width: u16) -> Vec<Line<'static>> {
        paint::wrap(&Line::from(spans), width, 0)
    }

    /// Plain words, tamed, in lines.
    pub(super) fn words(&self, text: &str, role: Role, width: u16) -> Vec<Line<'static>> {
        let style = self.theme.style(role);
        let text = paint::tame(text.trim_end());
        text.lines().flat_map(|line| paint::wrap(&Line::from(Span::styled(line.to_owned(), style)), width, 0)).collect()
    }

    /// ` · `
    pub(super) fn between(&self) -> String {
        format!(" {} ", self.theme.sign(Sign::Between))
    }

    /// At most `most` lines when folded, with a note on the rest.
    pub(super) fn folded(&self, lines: Vec<Line<'static>>, most: usize, width: u16) -> Vec<Line<'static>> {
        let count = lines.len();
        // A note on one line would take as much room as the line.
        if self.fold == Fold::Open || count <= most.saturating_add(1) {
            return lines;
        }
        let mut lines = lines;
        lines.truncate(most);
        lines.push(self.more(count - most, "more", width));
        lines
    }

    /// That lines are left out: so many `more` or `earlier` ones, and the key that shows them here.
    pub(super) fn more(&self, count: usize, which: &str, width: u16) -> Line<'static> {
        let noun = if count == 1 { "line" } else { "lines" };
        let words = format!("{} {count} {which} {noun} ({})", self.theme.sign(Sign::Ellipsis), self.key());
        Line::from(Span::styled(paint::cut(&words, width, self.theme), self.theme.style(Role::Faint)))
    }
}

/// Puts a sign before the first line and spaces before the others, where the width has room for both.
pub(super) fn signed(sign: Span<'static>, lines: Vec<Line<'static>>, width: u16) -> Vec<Line<'static>> {
    if width <= SIGN {
        return lines;
    }
    let mut before = if sign.content.is_empty() { Vec::new() } else { vec![sign, Span::raw(" ")] };
    let lines = lines.into_iter().map(|mut line| {
        let first = std::mem::take(&mut before);
        if !first.is_empty() {
            line.spans.splice(0..0, first);
        } else if !paint::is_blank(&line) {
            line.spans.insert(0, Span::raw(" ".repeat(usize::from(SIGN))));
        }
        line
    });
    lines.collect()
}
