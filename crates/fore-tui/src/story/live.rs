//! The live area: what goes on now, in few lines. Its cost does not grow with the story.

use super::{
    LastPrinted, Story,
    answer_progress::elapsed,
    block::{BlockFold, StoryBlock},
    draw::{BlockStyle, signed, todo},
    inside,
    live_state::{RunningAgent, RunningCall},
    parallel_calls::CallProgress,
};
use crate::{
    paint,
    theme::{Sign, TextRole},
    view::Space,
};
use fore_plan::{CalledTool, ToolName};
use fore_store::entry::{Todo, TodoStatus};
use fore_text::cut;
use ratatui::text::{Line, Span};
use std::time::Instant;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Calls, agents, todo items and waiting prompts that are listed; the rest is counted.
const MAX_CALLS: usize = 5;
const MAX_AGENTS: usize = 6;
const MAX_TODOS: usize = 6;
const MAX_WAITING: usize = 3;
/// Columns in which the end of a thought says something.
const MIN_THOUGHT_COLUMNS: usize = 12;
/// Lines for what the model does, in a narrow window.
const MAX_ACTIVITY_LINES: usize = 2;
/// Bytes of one line that are looked at: a frame costs the same however long a command or a prompt is.
const MAX_LINE_BYTES: usize = 2 << 10;

/// A call in the live area.
enum LiveRow<'story> {
    Runs(&'story RunningCall),
    Ended(&'story StoryBlock),
}

impl Story {
    /// What goes on now, in at most `space.height` lines; `spin` grows with time and turns the spinner. Empty where
    /// nothing goes on. It stands right beneath the printed lines: where an empty line belongs between, it is part of it.
    pub(crate) fn live(&self, space: Space, spin: usize) -> Vec<Line<'static>> {
        let block_style = BlockStyle { fold: BlockFold::Folded, width: space.width, theme: &space.theme };
        let mut below = Vec::new();
        let mut part = |lines: Vec<Line<'static>>| {
            if !lines.is_empty() && !below.is_empty() {
                below.push(Line::default());
            }
            below.extend(lines);
        };
        part(self.work(block_style, spin));
        part(self.todos(block_style));
        part(self.waiting(block_style));
        let height = usize::from(space.height);
        let mut lines = match &self.held {
            Some(change) => StoryBlock::Mode(change.clone()).lines(BlockFold::Folded, space.width, &space.theme),
            None => self.words(block_style),
        };
        let stands_apart = match self.last {
            LastPrinted::Nothing => false,
            LastPrinted::Speech => lines.is_empty(),
            LastPrinted::Short => {
                !lines.is_empty() || (self.now.calls.is_empty() && self.now.parallel.iter().next().is_none())
            }
            LastPrinted::Other => true,
        };
        if !lines.is_empty() && !below.is_empty() {
            lines.push(Line::default());
        }
        below.truncate(height);
        lines.extend(below);
        if stands_apart && !lines.is_empty() {
            lines.insert(0, Line::default());
        }
        // What is too high loses its oldest words first.
        let over = lines.len().saturating_sub(height);
        lines.split_off(over)
    }

    /// What the model is saying: the part that is not printed yet.
    fn words(&self, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
        let Some(speech) = &self.speech else { return Vec::new() };
        let lines = speech.live(inside(block_style.width), block_style.theme);
        // The empty line before a block that has no line yet says nothing.
        if lines.iter().all(paint::is_blank) {
            return Vec::new();
        }
        self.spoken(lines, block_style.width, block_style.theme)
    }

    fn work(&self, block_style: BlockStyle<'_>, spin: usize) -> Vec<Line<'static>> {
        let spinner = || block_style.span(block_style.theme.spinner(spin), TextRole::Accent);
        let mut lines = Vec::new();
        let agents: Vec<_> = self.now.agents.iter().filter(|agent| agent.ended.is_none()).collect();
        let (asking, calls): (Vec<_>, Vec<_>) = self.now.calls.iter().partition(|call| is_asking(&call.tool));
        let calls: Vec<_> =
            calls.into_iter().filter(|call| call.tool.known() != Some(ToolName::Agent) || agents.is_empty()).collect();
        let rows = self.rows(&calls);
        for row in rows.iter().take(MAX_CALLS) {
            lines.extend(match row {
                LiveRow::Runs(running) => signed(spinner(), call(running, self.clock, block_style), block_style.width),
                LiveRow::Ended(block) => {
                    block.lines(BlockFold::Folded, block_style.width, block_style.theme).into_iter().take(2).collect()
                }
            });
        }
        lines.extend(more(rows.len(), MAX_CALLS, "call", block_style));
        for running in agents.iter().take(MAX_AGENTS) {
            lines.extend(signed(spinner(), agent(running, self.clock, block_style), block_style.width));
        }
        lines.extend(more(agents.len(), MAX_AGENTS, "agent", block_style));
        if self.now.is_summarising {
            let (words, end) = self.now.answer.words(self.mode, &self.model, self.clock);
            lines.extend(activity(&words, self.now.answer.counts(self.clock), end, spinner(), block_style));
        }
        let is_asked = self.now.is_asked || self.is_asking || !asking.is_empty();
        if lines.is_empty() && self.now.is_running && !is_asked {
            let (words, end) = self.now.answer.words(self.mode, &self.model, self.clock);
            lines = activity(&words, self.now.answer.counts(self.clock), end, spinner(), block_style);
        }
        lines
    }

    /// The same in words, for somebody who reads line by line; none where nothing goes on or a question waits.
    pub(crate) fn activity(&self) -> Option<String> {
        let calls: Vec<_> = self.now.calls.iter().filter(|call| !is_asking(&call.tool)).collect();
        let is_asked = self.now.is_asked || calls.len() < self.now.calls.len();
        let (words, counts) = match (calls.first(), self.now.is_summarising) {
            (_, true) => {
                (self.now.answer.words(self.mode, &self.model, self.clock).0, self.now.answer.counts(self.clock))
            }
            (Some(call), _) => {
                let more = match calls.len() {
                    1 => String::new(),
                    count => format!(" and {}", fore_text::count(count - 1, "more call")),
                };
                let words = format!("{} {}{more}", call.tool, one_line(&call.line));
                (words, elapsed(call.since, self.clock).into_iter().collect())
            }
            (None, _) if self.now.is_running && !is_asked => {
                (self.now.answer.words(self.mode, &self.model, self.clock).0, self.now.answer.counts(self.clock))
            }
            (None, _) => return None,
        };
        Some(std::iter::once(words).chain(counts).collect::<Vec<String>>().join(", "))
    }

    /// Running calls in the order they are told, between them those that have ended and wait for one before them. Where
    /// there are many, only what runs.
    fn rows<'story>(&'story self, calls: &[&'story RunningCall]) -> Vec<LiveRow<'story>> {
        let parallel = || self.now.parallel.iter();
        let in_order = parallel().filter_map(|(id, end)| match end {
            CallProgress::Open => {
                calls.iter().find(|running| running.call == *id).map(|running| LiveRow::Runs(running))
            }
            CallProgress::Held(block) => Some(LiveRow::Ended(block)),
            CallProgress::Silent => None,
        });
        let beside = calls.iter().filter(|running| parallel().all(|(id, _)| running.call != *id));
        let mut rows: Vec<_> = in_order.chain(beside.map(|running| LiveRow::Runs(running))).collect();
        if rows.len() > MAX_CALLS {
            rows.retain(|row| matches!(row, LiveRow::Runs(_)));
        }
        rows
    }

    /// The list while something of it is open: what is done lately, what is being done, what comes.
    fn todos(&self, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
        let items = &self.now.todos;
        if !self.now.is_running || items.iter().all(|item| item.status == TodoStatus::Done) {
            return Vec::new();
        }
        let open = items.iter().position(|item| item.status != TodoStatus::Done).unwrap_or(0);
        let first = open.saturating_sub(1).min(items.len().saturating_sub(MAX_TODOS));
        let shown = items.iter().skip(first).take(MAX_TODOS);
        let mut lines: Vec<_> = shown
            .flat_map(|item| {
                let item = Todo { text: beginning(&item.text).to_owned(), status: item.status };
                todo(&item, block_style).into_iter().take(1)
            })
            .collect();
        let done = items.iter().filter(|item| item.status == TodoStatus::Done).count();
        if items.len() > MAX_TODOS {
            let words = format!("{done} of {} done", items.len());
            lines.push(Line::from(
                block_style.span(paint::cut(&words, block_style.inside(), block_style.theme), TextRole::Faint),
            ));
        }
        signed("".into(), lines, block_style.width)
    }

    fn waiting(&self, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for waiting in self.now.waiting.iter().take(MAX_WAITING) {
            let mark = if waiting.is_steering { "sending after this step: " } else { "queued: " };
            let words =
                paint::cut(&format!("{mark}{}", one_line(&waiting.text)), block_style.inside(), block_style.theme);
            let line = Line::from(block_style.span(words, TextRole::Faint));
            lines.extend(signed(block_style.sign(Sign::Prompt, TextRole::Faint), vec![line], block_style.width));
        }
        lines.extend(more(self.now.waiting.len(), MAX_WAITING, "prompt", block_style));
        lines
    }
}

/// Calls that are a question to the person, who sees it.
fn is_asking(tool: &CalledTool) -> bool {
    matches!(tool.known(), Some(ToolName::AskUserQuestion | ToolName::ExitPlanMode | ToolName::EnterPlanMode))
}

/// One line of what goes on: what, how much of it, and the end of the thoughts, as far as there is room.
fn activity(
    words: &str,
    counts: Vec<String>,
    end: &str,
    spinner: Span<'static>,
    block_style: BlockStyle<'_>,
) -> Vec<Line<'static>> {
    let (inside, between) = (usize::from(block_style.inside()), block_style.between());
    let mut text = std::iter::once(words.to_owned()).chain(counts).collect::<Vec<String>>().join(&between);
    let last = one_line(end.lines().next_back().unwrap_or_default());
    let room = inside.saturating_sub(text.width() + between.width());
    if !last.is_empty() && room >= MIN_THOUGHT_COLUMNS {
        text = format!("{text}{between}{}", ending(&last, room, block_style));
    }
    let lines = block_style.wrapped(vec![block_style.span(text, TextRole::Faint)], block_style.inside());
    signed(spinner, lines.into_iter().take(MAX_ACTIVITY_LINES).collect(), block_style.width)
}

/// The end of a line that is too long for its room.
fn ending(text: &str, room: usize, block_style: BlockStyle<'_>) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mark = block_style.theme.sign(Sign::Ellipsis);
    let mut left = room.saturating_sub(mark.width());
    let fits = text.char_indices().rev().take_while(|(_, letter)| {
        let columns = letter.width().unwrap_or(0);
        let has_room = columns <= left;
        left = left.saturating_sub(columns);
        has_room
    });
    let start = fits.last().map_or(text.len(), |(at, _)| at);
    format!("{mark}{}", text.get(start..).unwrap_or_default())
}

fn call(running: &RunningCall, now: Option<Instant>, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let role = if running.tool == CalledTool::Typed { TextRole::Person } else { TextRole::Strong };
    let title = vec![
        block_style.span(running.tool.as_str(), role),
        block_style.span(format!(" {}", one_line(&running.line)), TextRole::Plain),
    ];
    let mut lines = vec![timed(title, elapsed(running.since, now), block_style)];
    let output = paint::sanitize_output(&running.tail);
    if let Some(last) = output.lines().rev().find(|line| !line.trim().is_empty()) {
        let count =
            if running.lines > 1 { format!("{} lines{}", running.lines, block_style.between()) } else { String::new() };
        let words = paint::cut(&format!("{count}{}", beginning(last.trim())), block_style.beneath(), block_style.theme);
        let line = Line::from(block_style.span(words, TextRole::Faint));
        lines.extend(signed(block_style.sign(Sign::Elbow, TextRole::Faint), vec![line], block_style.inside()));
    }
    lines
}

/// A title with how long it has taken; the title is cut rather than the time.
fn timed(title: Vec<Span<'static>>, time: Option<String>, block_style: BlockStyle<'_>) -> Line<'static> {
    let time = time.map_or_else(String::new, |time| format!("{}{time}", block_style.between()));
    let room = block_style.inside().saturating_sub(u16::try_from(time.width()).unwrap_or(0)).max(1);
    let mut line = paint::cut_line(Line::from(title), room, block_style.theme);
    if !time.is_empty() {
        line.push_span(block_style.span(time, TextRole::Faint));
    }
    paint::cut_line(line, block_style.inside(), block_style.theme)
}

fn agent(running: &RunningAgent, now: Option<Instant>, block_style: BlockStyle<'_>) -> Vec<Line<'static>> {
    let calls = match running.calls {
        0 => String::new(),
        calls => format!("{}{}", block_style.between(), fore_text::count(calls, "call")),
    };
    let title = vec![
        block_style.span(&running.kind, TextRole::Strong),
        block_style.span(format!(" {}", one_line(&running.task)), TextRole::Plain),
        block_style.span(calls, TextRole::Faint),
    ];
    let mut lines = vec![timed(title, elapsed(running.since, now), block_style)];
    if !running.line.trim().is_empty() {
        let words = paint::cut(&one_line(&running.line), block_style.beneath(), block_style.theme);
        let line = Line::from(block_style.span(words, TextRole::Faint));
        lines.extend(signed(block_style.sign(Sign::Elbow, TextRole::Faint), vec![line], block_style.inside()));
    }
    lines
}

fn beginning(text: &str) -> &str {
    cut::bytes(text, MAX_LINE_BYTES)
}

fn one_line(text: &str) -> String {
    cut::one_line(beginning(text.trim_start()))
}

fn more(count: usize, most: usize, noun: &str, block_style: BlockStyle<'_>) -> Option<Line<'static>> {
    let left = count.checked_sub(most).filter(|left| *left > 0)?;
    let more = fore_text::count(left, &format!("more {noun}"));
    let words = format!("  {} and {more}", block_style.theme.sign(Sign::Ellipsis));
    Some(Line::from(block_style.span(paint::cut(&words, block_style.width, block_style.theme), TextRole::Faint)))
}
