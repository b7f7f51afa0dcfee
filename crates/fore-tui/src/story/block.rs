//! One thing in the conversation, kept as a value and drawn when it is needed.

use super::draw;
use crate::theme::Theme;
use fore_agent::event::{Body, NoticeLevel, Outcome, Sandbox, Shown, TurnOutcome};
use fore_plan::{
    Cage, Level, Mode, ModeEvent,
    approval::{Comment, Receipt},
    plan::Hash,
};
use fore_store::entry::Todo;
use ratatui::text::Line;

/// Something that was said or done.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    Welcome(Welcome),
    /// Words of the person.
    Prompt {
        text: String,
        way: Way,
    },
    /// Words of the model, as Markdown.
    Said {
        text: String,
        /// The turn was stopped when so many bytes of it were printed.
        stopped_at: Option<usize>,
    },
    /// What the model thought.
    Thought {
        text: String,
    },
    /// A call of the model.
    Call(Call),
    /// A command of the person's own (`!cmd`).
    Typed(Call),
    /// A subagent that has ended.
    Agent(Agent),
    Notice {
        level: NoticeLevel,
        text: String,
    },
    Mode(ModeEvent),
    Model {
        model: String,
        duty: String,
    },
    /// How a request for approval ended.
    Decided(Decided),
    /// Work begins with the plan as all there is.
    Implement {
        path: String,
        hash: Hash,
    },
    /// The plan as it is, because the person asked for it.
    CurrentPlan(CurrentPlan),
    Todos {
        items: Vec<Todo>,
    },
    ContextCut {
        why: String,
    },
    /// A turn that did not end by itself.
    Ended {
        outcome: TurnOutcome,
    },
    /// What the terminal itself has to say: help, status. Markdown.
    Page {
        title: String,
        text: String,
    },
}

/// How a prompt came to be heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    AtOnce,
    /// It waited behind a turn.
    Queued,
    /// It joined the running turn.
    Steered,
}

/// What stands at the beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct Welcome {
    pub version: String,
    pub folder: String,
    pub model: String,
    pub mode: Mode,
    pub caged: bool,
    pub sandbox: Sandbox,
    pub trusted: bool,
    pub resumed: bool,
}

/// A call that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub tool: String,
    pub line: String,
    pub cage: Option<Cage>,
    pub outcome: Outcome,
    pub shown: Shown,
    pub subject: Subject,
}

/// What a call that has ended was about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    Work,
    /// The plan, which the person gets to see for approval.
    Plan,
}

/// A subagent that has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    pub kind: String,
    pub task: String,
    pub outcome: Outcome,
    pub calls: u32,
    pub refused: u32,
    /// Why it failed, in a line; empty where that is not known.
    pub why: String,
    /// What it handed back, or all of why it failed.
    pub answer: Body,
}

/// A plan, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    pub how: Decision,
    /// The plan as it was shown, or as the person changed it; empty where it is not known.
    pub plan: String,
    pub comments: Vec<Comment>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    Approved { receipt: Receipt, notice: Option<String> },
    KeepPlanning { reason: String },
    Saved { path: String },
    Left { level: Level },
    Discarded,
    NotCounted { why: String },
    Awaits { path: String, hash: Hash },
}

/// The plan on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct CurrentPlan {
    pub path: Option<String>,
    pub text: Option<String>,
    pub mode: Mode,
    /// What `/plan open` would use.
    pub editor: Option<String>,
}

/// How much of a block is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// As in the conversation: long bodies are cut, and say how much is left.
    Folded,
    /// The same in the viewer, where it can be opened.
    Closed,
    /// Everything.
    Open,
}

impl Block {
    /// The block in lines of at most `width` columns.
    pub fn lines(&self, fold: Fold, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        draw::block(self, draw::Sheet { fold, width, theme })
    }

    /// About how many bytes it holds.
    pub(super) fn bytes(&self) -> usize {
        let body = |body: &Body| match body {
            Body::Nothing => 0,
            Body::Text { text } | Body::Markdown { text } | Body::Diff { diff: text, .. } => text.len(),
        };
        let call = |call: &Call| call.line.len() + call.shown.line.len() + body(&call.shown.body);
        let held = match self {
            Block::Prompt { text, .. }
            | Block::Said { text, .. }
            | Block::Thought { text }
            | Block::Notice { text, .. }
            | Block::Page { text, .. } => text.len(),
            Block::Call(held) | Block::Typed(held) => call(held),
            Block::Agent(agent) => agent.task.len() + agent.why.len() + body(&agent.answer),
            Block::Decided(decided) => decided.plan.len(),
            Block::CurrentPlan(plan) => plan.text.as_ref().map_or(0, String::len),
            Block::Todos { items } => items.iter().map(|item| item.text.len()).sum(),
            Block::Welcome(_)
            | Block::Mode(_)
            | Block::Model { .. }
            | Block::Implement { .. }
            | Block::ContextCut { .. }
            | Block::Ended { .. } => 0,
        };
        held + size_of::<Block>()
    }
}
