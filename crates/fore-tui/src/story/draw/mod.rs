//! Blocks as lines: a sign in front, everything else beneath it. Decides what is shown, never what is kept.

mod call;
mod one_line;
mod plan;

pub(super) use one_line::{ended_words, todo};

use super::{
    block::{BlockFold, StoryBlock},
    speech::lines_after,
};
use crate::{
    paint,
    theme::{Sign, TextRole, Theme},
};
use ratatui::text::{Line, Span};

/// How a block is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockStyle<'theme> {
    pub(super) fold: BlockFold,
    pub(super) width: u16,
    pub(super) theme: &'theme Theme,
}

/// Columns of a sign and the space behind it.
const SIGN: u16 = 2;
/// Lines of a prompt and of the model's thoughts that are shown folded.
const PROMPT_LINES: usize = 30;

pub(super) fn block(block: &StoryBlock, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    match block {
        StoryBlock::Welcome(welcome) => one_line::welcome(welcome, block_style),
        StoryBlock::Prompt { text, way } => one_line::prompt(text, *way, block_style),
        StoryBlock::Said { text, stopped_at } => said(
            text,
            stopped_at.filter(|_| matches!(block_style.fold, BlockFold::Folded | BlockFold::Lines)),
            block_style,
        ),
        StoryBlock::Thought { text } => one_line::thought(text, block_style),
        StoryBlock::Call(call) => call::call(call, block_style),
        StoryBlock::Typed(call) => call::typed(call, block_style),
        StoryBlock::Agent(agent) => call::agent(agent, block_style),
        StoryBlock::Notice { level, text } => one_line::notice(*level, text, block_style),
        StoryBlock::Mode(event) => one_line::mode(event, block_style),
        StoryBlock::Model { model, duty } => one_line::model(model, *duty, block_style),
        StoryBlock::Decided(decided) => plan::decided(decided, block_style),
        StoryBlock::Implement { path, hash } => plan::implement(path, hash, block_style),
        StoryBlock::CurrentPlan(current) => plan::current(current, block_style),
        StoryBlock::Todos { items } => one_line::todos(items, block_style),
        StoryBlock::ContextCut { why } => one_line::fact(one_line::cut_words(*why), "", block_style),
        StoryBlock::Ended { outcome } => one_line::ended(outcome, block_style),
        StoryBlock::Page { title, text } => one_line::page(title, text, block_style),
    }
}

fn said(text: &str, stopped_at: Option<usize>, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let printed = text.get(..stopped_at.unwrap_or(text.len())).unwrap_or_default();
    let mut lines = paint::markdown(printed, block_style.inside(), block_style.theme).lines;
    lines.extend(stopped_at.map(|at| block_style.more(lines_after(text, at), "more", block_style.inside())));
    block_style.signed(block_style.sign(Sign::Bullet, TextRole::Plain), lines)
}

impl BlockStyle<'_> {
    pub(super) fn is_folded(&self) -> bool {
        self.fold != BlockFold::Open
    }

    /// The key that shows what is folded.
    pub(super) fn key(&self) -> &'static str {
        match self.fold {
            BlockFold::Closed => "enter opens",
            BlockFold::Lines => "/export saves all of it",
            BlockFold::Folded | BlockFold::Open => "ctrl+o",
        }
    }

    /// Columns beside the sign.
    pub(super) fn inside(&self) -> u16 {
        self.width.saturating_sub(SIGN).max(1)
    }

    pub(super) fn sign(&self, sign: Sign, role: TextRole) -> Span<'static> {
        Span::styled(self.theme.sign(sign), self.theme.style(role))
    }

    /// Words on one line; line breaks in them are blanks.
    pub(super) fn span(&self, text: impl Into<String>, role: TextRole) -> Span<'static> {
        Span::styled(paint::sanitize(&text.into()).replace('\n', " "), self.theme.style(role))
    }

    /// Puts a sign before the first line and spaces before the others.
    pub(super) fn signed(&self, sign: Span<'static>, lines: Vec<Line<'static>>) -> Vec<Line<'static>> {
        signed(sign, lines, self.width)
    }

    /// The elbow before the first line, and all beneath a sign.
    pub(super) fn elbow(&self, lines: Vec<Line<'static>>) -> Vec<Line<'static>> {
        let elbow = self.sign(Sign::Elbow, TextRole::Faint);
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

    /// Plain words, sanitized, in lines.
    pub(super) fn words(&self, text: &str, role: TextRole, width: u16) -> Vec<Line<'static>> {
        let style = self.theme.style(role);
        let text = paint::sanitize(text.trim_end());
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
        if self.fold == BlockFold::Open || count <= most.saturating_add(1) {
            return lines;
        }
        let mut lines = lines;
        lines.truncate(most);
        lines.push(self.more(count - most, "more", width));
        lines
    }

    /// That lines are left out: so many `more` or `earlier` ones, and the key that shows them here.
    pub(super) fn more(&self, count: usize, which: &str, width: u16) -> Line<'static> {
        let lines = fore_text::count(count, &format!("{which} line"));
        let words = format!("{} {lines} ({})", self.theme.sign(Sign::Ellipsis), self.key());
        Line::from(Span::styled(paint::cut(&words, width, self.theme), self.theme.style(TextRole::Faint)))
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
