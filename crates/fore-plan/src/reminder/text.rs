//! The words of every reminder. Values come from files and people: each is bounded and defused before it enters the block.

use super::bounded::{bounded, is_complete, one_line};
use super::fill::fill;
use crate::{
    plan::Author,
    workflow::{Workflow, workflow_text},
};

const MAX_TOLD_PLAN_CHARS: usize = 40_000;
const MAX_DIFF_CHARS: usize = 4_000;
const MAX_INBOX_CHARS: usize = 4_000;
const MAX_REFUSAL_CHARS: usize = 2_000;
const MAX_AGENTS: usize = 30;
const MAX_TODOS: usize = 50;
const MAX_LINE_CHARS: usize = 160;

/// A reminder with all that it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reminder<'a> {
    /// Plan mode with the whole workflow.
    PlanFull {
        reader: Audience,
        plan: PlanFile<'a>,
        workflow: Workflow,
    },
    /// Plan mode in one line.
    PlanSparse {
        reader: Audience,
        path: &'a str,
    },
    /// Back in plan mode with the old plan on disk (E5). `path` is the same file while that plan is unfinished, else a new one.
    PlanReentry {
        old: &'a str,
        path: &'a str,
    },
    /// Plan mode has ended (E6).
    PlanExit {
        plan: PlanFile<'a>,
        standing: PlanStanding,
    },
    /// A planning turn ended with a plan and neither question nor request (F2).
    PlanNotHandedIn {
        path: &'a str,
    },
    AutoExit,
    Subagents {
        agents: &'a [AgentLine<'a>],
    },
    Todo {
        items: &'a [TodoItem<'a>],
    },
    /// A blocked call: carries the refusal's own words.
    Blocked {
        refusal: &'a str,
    },
    /// Brings the plan back to a model that has lost sight of it (K5).
    PlanReference {
        path: &'a str,
        content: &'a str,
        after: ForgetReason,
        standing: PlanStanding,
    },
    /// The plan should be brought back, and the bytes that were approved are gone: nothing else stands in for them.
    PlanLost {
        path: &'a str,
        hash: &'a str,
    },
    /// The person cleared the conversation in the middle of the work on an approved plan. A reference without its text: the file need
    /// not hold what was approved, and nothing of it counts any more (E3).
    PlanCleared {
        path: &'a str,
    },
    Inbox {
        from: &'a str,
        count: usize,
        text: &'a str,
    },
    /// The plan file was changed, and not by the model; `diff` is unified text.
    PlanChanged {
        path: &'a str,
        diff: &'a str,
        by: Author,
        standing: PlanStanding,
    },
    /// The right reminder could not be made: read-only until it can (E10). `reason` is a sentence.
    Fallback {
        reason: &'a str,
    },
}

/// Who reads the reminder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    Main,
    Subagent,
}

/// The plan file as the reminder describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanFile<'a> {
    pub path: &'a str,
    pub exists: bool,
}

/// One agent type that can be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentLine<'a> {
    pub name: &'a str,
    pub description: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TodoItem<'a> {
    pub text: &'a str,
    pub state: TodoState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TodoState {
    Pending,
    InProgress,
    Done,
}

/// Why the model no longer sees the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForgetReason {
    Compaction,
    ClearedContext,
    /// The person took back what was said of it.
    Rewind,
}

/// Whether a plan may be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanStanding {
    /// Nobody approved it, or the work on it is over.
    Open,
    Approved,
}

/// The plan in a reminder that brought it back ([`Reminder::PlanReference`]), without its last line ends; none in any other text.
pub fn plan_in_reference(text: &str) -> Option<&str> {
    let block = text.trim().strip_prefix("<system-reminder>\n")?.strip_suffix("\n</system-reminder>")?;
    let [open, approved] =
        [PlanStanding::Open, PlanStanding::Approved].map(|standing| format!(" {}:\n\n", its_text(standing)));
    let begins = [open, approved].iter().filter_map(|mark| Some(block.find(mark)? + mark.len())).min()?;
    let plan = block.get(begins..)?;
    is_complete(plan).then_some(plan)
}

fn its_text(standing: PlanStanding) -> &'static str {
    match standing {
        PlanStanding::Open => "Its text",
        PlanStanding::Approved => "Its text as it was approved, which is what counts",
    }
}

impl Reminder<'_> {
    /// The block as the model gets it, in its tags.
    pub fn render(&self) -> String {
        format!("<system-reminder>\n{}\n</system-reminder>", self.body())
    }

    fn body(&self) -> String {
        match self {
            Self::PlanFull { reader: Audience::Main, plan, workflow } => plan_full(plan, *workflow),
            Self::PlanFull { reader: Audience::Subagent, plan, .. } => {
                fill(include_str!("plan-full-subagent.md"), &[("path", &path(plan.path))])
            }
            Self::PlanSparse { reader: Audience::Main, path: at } => {
                fill(include_str!("plan-sparse.md"), &[("path", &path(at))])
            }
            Self::PlanSparse { reader: Audience::Subagent, path: at } => {
                fill(include_str!("plan-sparse-subagent.md"), &[("path", &path(at))])
            }
            Self::PlanReentry { old, path: at } => {
                fill(include_str!("plan-reentry.md"), &[("old", &path(old)), ("path", &path(at))])
            }
            Self::PlanExit { plan, standing } => {
                fill(include_str!("plan-exit.md"), &[("plan_file", &plan_at_exit(plan, *standing))])
            }
            Self::PlanNotHandedIn { path: at } => fill(include_str!("plan-not-handed-in.md"), &[("path", &path(at))]),
            Self::AutoExit => fill(include_str!("auto-exit.md"), &[]),
            Self::Subagents { agents } => fill(include_str!("subagents.md"), &[("agents", &agent_lines(agents))]),
            Self::Todo { items: [] } => fill(include_str!("todo-empty.md"), &[]),
            Self::Todo { items } => fill(include_str!("todo.md"), &[("items", &todo_lines(items))]),
            Self::Blocked { refusal } => {
                fill(include_str!("blocked.md"), &[("refusal", &bounded(refusal, MAX_REFUSAL_CHARS))])
            }
            Self::PlanReference { path: at, content, after, standing } => {
                let template = match (after, standing) {
                    (ForgetReason::Compaction, _) => include_str!("plan-reference-compacted.md"),
                    (ForgetReason::ClearedContext, _) => include_str!("plan-reference-cleared.md"),
                    (ForgetReason::Rewind, PlanStanding::Open) => include_str!("plan-reference-taken-back.md"),
                    (ForgetReason::Rewind, PlanStanding::Approved) => include_str!("plan-reference-approved.md"),
                };
                let content = bounded(content, MAX_TOLD_PLAN_CHARS);
                fill(template, &[("path", &path(at)), ("its_text", its_text(*standing)), ("content", &content)])
            }
            Self::PlanLost { path: at, hash } => {
                fill(include_str!("plan-lost.md"), &[("path", &path(at)), ("hash", &one_line(hash, MAX_LINE_CHARS))])
            }
            Self::PlanCleared { path: at } => fill(include_str!("plan-cleared.md"), &[("path", &path(at))]),
            Self::Inbox { from, count, text } => inbox(from, *count, text),
            Self::PlanChanged { path: at, diff, by, standing } => {
                let template = match (by, standing) {
                    (Author::Person, PlanStanding::Open) => include_str!("plan-changed.md"),
                    (Author::Person, PlanStanding::Approved) => include_str!("plan-changed-approved.md"),
                    (Author::Other | Author::Model, PlanStanding::Open) => include_str!("plan-changed-outside.md"),
                    (Author::Other | Author::Model, PlanStanding::Approved) => {
                        include_str!("plan-changed-outside-approved.md")
                    }
                };
                fill(template, &[("path", &path(at)), ("diff", &bounded(diff, MAX_DIFF_CHARS))])
            }
            Self::Fallback { reason } => {
                fill(include_str!("fallback.md"), &[("reason", &one_line(reason, MAX_REFUSAL_CHARS))])
            }
        }
    }
}

fn plan_full(plan: &PlanFile<'_>, workflow: Workflow) -> String {
    let template = if plan.exists { include_str!("plan-file-there.md") } else { include_str!("plan-file-new.md") };
    let plan_file = fill(template, &[("path", &path(plan.path))]);
    let workflow = workflow_text(workflow);
    let turn_end = fill(include_str!("turn-end.md"), &[]);
    let values = [("plan_file", plan_file.as_str()), ("workflow", &workflow), ("turn_end", &turn_end)];
    fill(include_str!("plan-full.md"), &values)
}

fn plan_at_exit(plan: &PlanFile<'_>, standing: PlanStanding) -> String {
    match (plan.exists, standing) {
        (true, PlanStanding::Open) => fill(include_str!("plan-exit-file.md"), &[("path", &path(plan.path))]),
        (true, PlanStanding::Approved) => fill(include_str!("plan-exit-approved.md"), &[("path", &path(plan.path))]),
        (false, _) => fill(include_str!("plan-exit-none.md"), &[]),
    }
}

fn inbox(from: &str, count: usize, text: &str) -> String {
    let count = if count == 1 { "1 message".to_owned() } else { format!("{count} messages") };
    fill(
        include_str!("inbox.md"),
        &[("count", &count), ("from", &one_line(from, MAX_LINE_CHARS)), ("text", &bounded(text, MAX_INBOX_CHARS))],
    )
}

fn agent_lines(agents: &[AgentLine<'_>]) -> String {
    let line = |agent: &AgentLine<'_>| {
        format!("- {}: {}", one_line(agent.name, MAX_LINE_CHARS), one_line(agent.description, MAX_LINE_CHARS))
    };
    list(agents, MAX_AGENTS, line)
}

fn todo_lines(items: &[TodoItem<'_>]) -> String {
    list(items, MAX_TODOS, |item| {
        let mark = match item.state {
            TodoState::Pending => "[ ]",
            TodoState::InProgress => "[~]",
            TodoState::Done => "[x]",
        };
        format!("- {mark} {}", one_line(item.text, MAX_LINE_CHARS))
    })
}

fn list<T>(items: &[T], max: usize, line: impl Fn(&T) -> String) -> String {
    let mut lines: Vec<String> = items.iter().take(max).map(line).collect();
    if let Some(more) = items.len().checked_sub(max).filter(|more| *more > 0) {
        lines.push(format!("- … and {more} more"));
    }
    lines.join("\n")
}

/// A path is shown on one line, whatever its bytes.
fn path(path: &str) -> String {
    let line: String = path.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    bounded(&line, 4_096).into_owned()
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
