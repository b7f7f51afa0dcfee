//! One thing in the conversation, kept as a value and drawn when it is needed.

use super::draw;
use crate::theme::Theme;
use fore_agent::{
    ApprovalOutcome, CallOutcome, ContextCutReason, DutyName, NoticeLevel, SandboxGaps, ShownBody, ShownCall,
    TurnOutcome,
};
use fore_plan::{Cage, CalledTool, Mode, ModeEvent, approval::Comment, plan::Hash};
use fore_store::entry::Todo;
use ratatui::text::Line;

/// Something that was said or done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StoryBlock {
    Welcome(Welcome),
    /// Words of the person.
    Prompt {
        text: String,
        way: PromptDelivery,
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
    Call(EndedCall),
    /// A command of the person's own (`!cmd`).
    Typed(EndedCall),
    /// A subagent that has ended.
    Agent(EndedAgent),
    Notice {
        level: NoticeLevel,
        text: String,
    },
    Mode(ModeEvent),
    Model {
        model: String,
        /// Nothing where it does everything.
        duty: Option<DutyName>,
    },
    /// How a request for approval ended.
    Decided(DecidedPlan),
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
        why: ContextCutReason,
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
pub(crate) enum PromptDelivery {
    AtOnce,
    /// It waited behind a turn.
    Queued,
    /// It joined the running turn.
    Steered,
}

/// What stands at the beginning.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Welcome {
    pub version: String,
    pub folder: String,
    pub model: String,
    pub mode: Mode,
    pub caged: bool,
    pub sandbox: SandboxGaps,
    pub trusted: bool,
    pub resumed: bool,
}

/// A call that has ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EndedCall {
    pub tool: CalledTool,
    pub line: String,
    pub cage: Option<Cage>,
    pub outcome: CallOutcome,
    pub shown: ShownCall,
    pub subject: CallSubject,
}

/// What a call that has ended was about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallSubject {
    Work,
    /// The plan, which the person gets to see for approval.
    Plan,
}

/// A subagent that has ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EndedAgent {
    pub kind: String,
    pub task: String,
    pub outcome: CallOutcome,
    pub calls: u32,
    pub refused: u32,
    /// Why it failed, in a line; empty where that is not known.
    pub why: String,
    /// What it handed back, or all of why it failed.
    pub answer: ShownBody,
}

/// A plan, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DecidedPlan {
    pub how: ApprovalOutcome,
    /// The plan as it was shown, or as the person changed it; empty where it is not known.
    pub plan: String,
    pub comments: Vec<Comment>,
    /// The scout made it, so that whoever carries it out has to name a model.
    pub is_of_scout: bool,
}

/// The plan on disk.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CurrentPlan {
    pub path: Option<String>,
    pub text: Option<String>,
    pub mode: Mode,
    /// What `/plan open` would use.
    pub editor: Option<String>,
}

/// How much of a block is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockFold {
    /// As in the conversation: long bodies are cut, and say how much is left.
    Folded,
    /// The same where nothing can be opened.
    Lines,
    /// The same in the viewer, where it can be opened.
    Closed,
    /// Everything.
    Open,
}

impl StoryBlock {
    /// The block in lines of at most `width` columns.
    pub(crate) fn lines(&self, fold: BlockFold, width: u16, theme: &Theme) -> Vec<Line<'static>> {
        draw::block(self, draw::BlockStyle { fold, width, theme })
    }

    /// About how many bytes it holds.
    pub(super) fn bytes(&self) -> usize {
        let body = |body: &ShownBody| match body {
            ShownBody::Nothing => 0,
            ShownBody::Text { text } | ShownBody::Markdown { text } | ShownBody::Diff { diff: text, .. } => text.len(),
        };
        let call = |call: &EndedCall| call.line.len() + call.shown.line.len() + body(&call.shown.body);
        let held = match self {
            StoryBlock::Prompt { text, .. }
            | StoryBlock::Said { text, .. }
            | StoryBlock::Thought { text }
            | StoryBlock::Notice { text, .. }
            | StoryBlock::Page { text, .. } => text.len(),
            StoryBlock::Call(held) | StoryBlock::Typed(held) => call(held),
            StoryBlock::Agent(agent) => agent.task.len() + agent.why.len() + body(&agent.answer),
            StoryBlock::Decided(decided) => decided.plan.len(),
            StoryBlock::CurrentPlan(plan) => plan.text.as_ref().map_or(0, String::len),
            StoryBlock::Todos { items } => items.iter().map(|item| item.text.len()).sum(),
            StoryBlock::Welcome(_)
            | StoryBlock::Mode(_)
            | StoryBlock::Model { .. }
            | StoryBlock::Implement { .. }
            | StoryBlock::ContextCut { .. }
            | StoryBlock::Ended { .. } => 0,
        };
        held + size_of::<StoryBlock>()
    }
}
