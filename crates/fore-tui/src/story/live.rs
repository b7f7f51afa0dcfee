//! The live area: what goes on now, in few lines. Its cost does not grow with the story.

use super::{
    Last, Story,
    abreast::End,
    block::{Block, Fold},
    draw::{Sheet, signed, todo},
    inside,
    now::{Running, RunningAgent},
};
use crate::{
    paint,
    theme::{Role, Sign},
    view::Space,
};
use fore_store::entry::{Todo, TodoStatus};
use ratatui::text::Line;

/// Calls, agents, todo items and waiting prompts that are listed; the rest is counted.
const MOST_CALLS: usize = 5;
const MOST_AGENTS: usize = 6;
const MOST_TODOS: usize = 6;
const MOST_WAITING: usize = 3;
/// Bytes of one line that are looked at: a frame costs the same however long a command or a prompt is.
const MOST_LINE_BYTES: usize = 2 << 10;

/// A call in the live area.
enum Row<'story> {
    Runs(&'story Running),
    Ended(&'story Block),
}

impl Story {
    /// What goes on now, in at most `space.height` lines; `spin` grows with time and turns the spinner. Empty where
    /// nothing goes on. It stands right beneath the printed lines: where an empty line belongs between, it is part of it.
    pub fn live(&self, space: Space, spin: usize) -> Vec<Line<'static>> {
        let sheet = Sheet { fold: Fold::Folded, width: space.width, theme: &space.theme };
        let mut below = Vec::new();
        let mut part = |lines: Vec<Line<'static>>| {
            if !lines.is_empty() && !below.is_empty() {
                below.push(Line::default());
            }
            below.extend(lines);
        };
        part(self.work(sheet, spin));
        part(self.todos(sheet));
        part(self.waiting(sheet));
        let height = usize::from(space.height);
        let mut lines = match &self.held {
            Some(change) => Block::Mode(change.clone()).lines(Fold::Folded, space.width, &space.theme),
            None => self.words(sheet),
        };
        let stands_apart = match self.last {
            Last::Nothing => false,
            Last::Speech => lines.is_empty(),
            Last::Short => !lines.is_empty() || (self.now.calls.is_empty() && self.now.abreast.iter().next().is_none()),
            Last::Other => true,
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
    fn words(&self, sheet: Sheet<'_>) -> Vec<Line<'static>> {
        let Some(speech) = &self.speech else { return Vec::new() };
        let lines = speech.live(inside(sheet.width), sheet.theme);
        // The empty line before a block that has no line yet says nothing.
        if lines.iter().all(paint::is_blank) {
            return Vec::new();
        }
        self.spoken(lines, sheet.width, sheet.theme)
    }

    fn work(&self, sheet: Sheet<'_>, spin: usize) -> Vec<Line<'static>> {
        let spinner = || sheet.span(sheet.theme.spinner(spin), Role::Accent);
        let mut lines = Vec::new();
        let agents: Vec<_> = self.now.agents.iter().filter(|agent| agent.ended.is_none()).collect();
        let (asking, calls): (Vec<_>, Vec<_>) = self.now.calls.iter().partition(|call| is_asking(&call.tool));
        let calls: Vec<_> = calls.into_iter().filter(|call| call.tool != "Agent" || agents.is_empty()).collect();
        let rows = self.rows(&calls);
        for row in rows.iter().take(MOST_CALLS) {
            lines.extend(match row {
                Row::Runs(running) => signed(spinner(), call(running, sheet), sheet.width),
                Row::Ended(block) => block.lines(Fold::Folded, sheet.width, sheet.theme).into_iter().take(2).collect(),
            });
        }
        lines.extend(more(rows.len(), MOST_CALLS, "call", sheet));
        for running in agents.iter().take(MOST_AGENTS) {
            lines.extend(signed(spinner(), agent(running, sheet), sheet.width));
        }
        lines.extend(more(agents.len(), MOST_AGENTS, "agent", sheet));
        if self.now.is_summarising {
            let words = paint::cut("summarising the history", sheet.inside(), sheet.theme);
            lines.extend(signed(spinner(), vec![Line::from(sheet.span(words, Role::Faint))], sheet.width));
        }
        let is_asked = self.now.is_asked || self.is_asking || !asking.is_empty();
        if lines.is_empty() && self.now.is_running && self.speech.is_none() && !is_asked {
            let last = self.now.thought.trim().lines().next_back().map_or("", beginning);
            let between = if last.is_empty() { String::new() } else { sheet.between() };
            let words = paint::cut(&format!("thinking{between}{last}"), sheet.inside(), sheet.theme);
            lines = signed(spinner(), vec![Line::from(sheet.span(words, Role::Faint))], sheet.width);
        }
        lines
    }

    /// Running calls in the order they are told, between them those that have ended and wait for one before them. Where
    /// there are many, only what runs.
    fn rows<'story>(&'story self, calls: &[&'story Running]) -> Vec<Row<'story>> {
        let abreast = || self.now.abreast.iter();
        let in_order = abreast().filter_map(|(id, end)| match end {
            End::Open => calls.iter().find(|running| running.call == *id).map(|running| Row::Runs(running)),
            End::Held(block) => Some(Row::Ended(block)),
            End::Silent => None,
        });
        let beside = calls.iter().filter(|running| abreast().all(|(id, _)| running.call != *id));
        let mut rows: Vec<_> = in_order.chain(beside.map(|running| Row::Runs(running))).collect();
        if rows.len() > MOST_CALLS {
            rows.retain(|row| matches!(row, Row::Runs(_)));
        }
        rows
    }

    /// The list while something of it is open: what is done lately, what is being done, what comes.
    fn todos(&self, sheet: Sheet<'_>) -> Vec<Line<'static>> {
        let items = &self.now.todos;
        if !self.now.is_running || items.iter().all(|item| item.status == TodoStatus::Done) {
            return Vec::new();
        }
        let open = items.iter().position(|item| item.status != TodoStatus::Done).unwrap_or(0);
        let first = open.saturating_sub(1).min(items.len().saturating_sub(MOST_TODOS));
        let shown = items.iter().skip(first).take(MOST_TODOS);
        let mut lines: Vec<_> = shown
            .flat_map(|item| {
                let item = Todo { text: beginning(&item.text).to_owned(), status: item.status };
                todo(&item, sheet).into_iter().take(1)
            })
            .collect();
        let done = items.iter().filter(|item| item.status == TodoStatus::Done).count();
        if items.len() > MOST_TODOS {
            let words = format!("{done} of {} done", items.len());
            lines.push(Line::from(sheet.span(paint::cut(&words, sheet.inside(), sheet.theme), Role::Faint)));
        }
        signed("".into(), lines, sheet.width)
    }

    fn waiting(&self, sheet: Sheet<'_>) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for waiting in self.now.waiting.iter().take(MOST_WAITING) {
            let mark = if waiting.is_steering { "joins soon: " } else { "waits: " };
            let words = paint::cut(&format!("{mark}{}", one_line(&waiting.text)), sheet.inside(), sheet.theme);
            let line = Line::from(sheet.span(words, Role::Faint));
            lines.extend(signed(sheet.sign(Sign::Prompt, Role::Faint), vec![line], sheet.width));
        }
        lines.extend(more(self.now.waiting.len(), MOST_WAITING, "prompt", sheet));
        lines
    }
}

/// Calls that are a question to the person, who sees it.
fn is_asking(tool: &str) -> bool {
    matches!(tool, "AskUserQuestion" | "ExitPlanMode" | "EnterPlanMode")
}

fn call(running: &Running, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let role = if running.tool == "!" { Role::Person } else { Role::Strong };
    let title = vec![sheet.span(&running.tool, role), sheet.span(format!(" {}", one_line(&running.line)), Role::Plain)];
    let mut lines = vec![paint::cut_line(Line::from(title), sheet.inside(), sheet.theme)];
    let output = paint::tame_output(&running.tail);
    if let Some(last) = output.lines().rev().find(|line| !line.trim().is_empty()) {
        let count =
            if running.lines > 1 { format!("{} lines{}", running.lines, sheet.between()) } else { String::new() };
        let words = paint::cut(&format!("{count}{}", beginning(last.trim())), sheet.beneath(), sheet.theme);
        let line = Line::from(sheet.span(words, Role::Faint));
        lines.extend(signed(sheet.sign(Sign::Elbow, Role::Faint), vec![line], sheet.inside()));
    }
    lines
}

fn agent(running: &RunningAgent, sheet: Sheet<'_>) -> Vec<Line<'static>> {
    let calls = match running.calls {
        0 => String::new(),
        1 => format!("{}1 call", sheet.between()),
        calls => format!("{}{calls} calls", sheet.between()),
    };
    let title = vec![
        sheet.span(&running.kind, Role::Strong),
        sheet.span(format!(" {}", one_line(&running.task)), Role::Plain),
        sheet.span(calls, Role::Faint),
    ];
    let mut lines = vec![paint::cut_line(Line::from(title), sheet.inside(), sheet.theme)];
    if !running.line.trim().is_empty() {
        let words = paint::cut(&one_line(&running.line), sheet.beneath(), sheet.theme);
        let line = Line::from(sheet.span(words, Role::Faint));
        lines.extend(signed(sheet.sign(Sign::Elbow, Role::Faint), vec![line], sheet.inside()));
    }
    lines
}

fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MOST_LINE_BYTES)).unwrap_or(text)
}

fn one_line(text: &str) -> String {
    beginning(text.trim_start()).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn more(count: usize, most: usize, noun: &str, sheet: Sheet<'_>) -> Option<Line<'static>> {
    let left = count.checked_sub(most).filter(|left| *left > 0)?;
    let end = if left == 1 { "" } else { "s" };
    let words = format!("  {} and {left} more {noun}{end}", sheet.theme.sign(Sign::Ellipsis));
    Some(Line::from(sheet.span(paint::cut(&words, sheet.width, sheet.theme), Role::Faint)))
}
