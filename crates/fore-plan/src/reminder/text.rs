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
        /// Who reads it.
        reader: Audience,
        /// The plan file.
        plan: PlanFile<'a>,
        /// How a plan is made.
        workflow: Workflow,
    },
    /// Plan mode in one line.
    PlanSparse {
        /// Who reads it.
        reader: Audience,
        /// The plan file.
        path: &'a str,
    },
    /// Back in plan mode with the old plan on disk (E5). `path` is the same file while that plan is unfinished, else a new one.
    PlanReentry {
        /// The file of the old plan.
        old: &'a str,
        /// The file to write to now.
        path: &'a str,
    },
    /// Plan mode has ended (E6).
    PlanExit {
        /// The plan file.
        plan: PlanFile<'a>,
        /// Whether it may be carried out.
        standing: PlanStanding,
    },
    /// A planning turn ended with a plan and neither question nor request (F2).
    PlanNotHandedIn {
        /// The plan file.
        path: &'a str,
    },
    /// A planning turn ended with a request for approval in its text, where none can be given (F2).
    ApprovalInText {
        /// The plan file.
        path: &'a str,
    },
    /// Auto mode no longer helps.
    AutoExit,
    /// Which subagents there are.
    Subagents {
        /// One line each.
        agents: &'a [AgentLine<'a>],
    },
    /// What is still to do.
    Todo {
        /// The list.
        items: &'a [TodoItem<'a>],
    },
    /// A blocked call: carries the refusal's own words.
    Blocked {
        /// The words.
        refusal: &'a str,
    },
    /// Brings the plan back to a model that has lost sight of it (K5).
    PlanReference {
        /// The plan file.
        path: &'a str,
        /// What it says.
        content: &'a str,
        /// Why the model lost sight of it.
        after: ForgetReason,
        /// Whether it may be carried out.
        standing: PlanStanding,
        /// Who wrote this text last.
        by: Author,
        /// What it covers without asking, in a few words.
        covers: Option<&'a str>,
    },
    /// The plan should be brought back, and the bytes that were approved are gone: nothing else stands in for them.
    PlanLost {
        /// The plan file.
        path: &'a str,
        /// The bytes that were approved.
        hash: &'a str,
    },
    /// A message of a teammate.
    Inbox {
        /// Who wrote it.
        from: &'a str,
        /// How many there are.
        count: usize,
        /// What it says.
        text: &'a str,
    },
    /// The plan file was changed, and not by the model; `diff` is unified text.
    PlanChanged {
        /// The plan file.
        path: &'a str,
        /// What changed.
        diff: &'a str,
        /// Who changed it.
        by: Author,
        /// Whether it may be carried out.
        standing: PlanStanding,
    },
    /// The right reminder could not be made: read-only until it can (E10). `reason` is a sentence.
    Fallback {
        /// Why.
        reason: &'a str,
    },
}

/// Who reads the reminder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// The conversation with the person.
    Main,
    /// A subagent.
    Subagent,
}

/// The plan file as the reminder describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanFile<'a> {
    /// Where it is.
    pub path: &'a str,
    /// Whether something is there.
    pub exists: bool,
}

/// One agent type that can be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentLine<'a> {
    /// What it is called.
    pub name: &'a str,
    /// When to use it.
    pub description: &'a str,
}

/// One line of the list of what is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TodoItem<'a> {
    /// What is to do.
    pub text: &'a str,
    /// How far it is.
    pub state: TodoState,
}

/// How far something to do is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TodoState {
    /// Not begun.
    Pending,
    /// Under way.
    InProgress,
    /// Finished.
    Done,
}

/// Why the model no longer sees the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForgetReason {
    /// The history was summarised.
    Compaction,
    /// The history was thrown away.
    ClearedContext,
    /// The person took back what was said of it.
    Rewind,
}

/// Whether a plan may be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanStanding {
    /// Nobody approved it, or the work on it is over.
    Open,
    /// It may be carried out.
    Approved,
    /// It was approved, and the approval is over although the work was not.
    Ended,
}

/// The plan in a reminder that brought it back ([`Reminder::PlanReference`]), without its last line ends; none in any other text.
pub fn plan_in_reference(text: &str) -> Option<&str> {
    let block = text.trim().strip_prefix("<system-reminder>\n")?.strip_suffix("\n</system-reminder>")?;
    let is_page = |page: &&str| block.starts_with(page.split('{').next().unwrap_or_default());
    [COMPACTED, CLEARED, CLEARED_ENDED, TAKEN_BACK, TAKEN_BACK_APPROVED].into_iter().find(is_page)?;
    let marks = [OPEN_TEXT, APPROVED_TEXT, ENDED_TEXT].map(|mark| format!(" {mark}:\n\n"));
    let begins = marks.iter().filter_map(|mark| Some(block.find(mark)? + mark.len())).min()?;
    let plan = block.get(begins..)?;
    is_complete(plan, MAX_TOLD_PLAN_CHARS).then_some(plan)
}

const COMPACTED: &str = include_str!("plan-reference-compacted.md");
const CLEARED: &str = include_str!("plan-reference-cleared.md");
const CLEARED_ENDED: &str = include_str!("plan-reference-ended.md");
const TAKEN_BACK: &str = include_str!("plan-reference-taken-back.md");
const TAKEN_BACK_APPROVED: &str = include_str!("plan-reference-approved.md");

fn reference_page(after: ForgetReason, standing: PlanStanding) -> &'static str {
    match (after, standing) {
        (_, PlanStanding::Ended) => CLEARED_ENDED,
        (ForgetReason::Compaction, PlanStanding::Open | PlanStanding::Approved) => COMPACTED,
        (ForgetReason::ClearedContext, PlanStanding::Open | PlanStanding::Approved) => CLEARED,
        (ForgetReason::Rewind, PlanStanding::Open) => TAKEN_BACK,
        (ForgetReason::Rewind, PlanStanding::Approved) => TAKEN_BACK_APPROVED,
    }
}

const OPEN_TEXT: &str = "Its text";
const APPROVED_TEXT: &str = "Its text as it was approved, which is what counts";
const ENDED_TEXT: &str = "Its text as it was approved then";

fn its_text(standing: PlanStanding, by: Author) -> String {
    match (standing, by) {
        (PlanStanding::Open, Author::Model) => format!("Nobody has approved it. {OPEN_TEXT}"),
        (PlanStanding::Open, Author::Person) => {
            format!("Nobody has approved it, and the person edited it last. {OPEN_TEXT}")
        }
        (PlanStanding::Open, Author::Other) => format!(
            "Nobody has approved it, and it was last changed by neither you nor the person in this program. {OPEN_TEXT}"
        ),
        (PlanStanding::Approved, _) => APPROVED_TEXT.to_owned(),
        (PlanStanding::Ended, _) => ENDED_TEXT.to_owned(),
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
            Self::ApprovalInText { path: at } => fill(include_str!("plan-approval-in-text.md"), &[("path", &path(at))]),
            Self::AutoExit => fill(include_str!("auto-exit.md"), &[]),
            Self::Subagents { agents } => fill(include_str!("subagents.md"), &[("agents", &agent_lines(agents))]),
            Self::Todo { items: [] } => fill(include_str!("todo-empty.md"), &[]),
            Self::Todo { items } => fill(include_str!("todo.md"), &[("items", &todo_lines(items))]),
            Self::Blocked { refusal } => {
                fill(include_str!("blocked.md"), &[("refusal", &bounded(refusal, MAX_REFUSAL_CHARS))])
            }
            Self::PlanReference { path: at, content, after, standing, by, covers } => {
                let content = bounded(content, MAX_TOLD_PLAN_CHARS);
                let its_text = its_text(*standing, *by);
                let its_text = match covers {
                    Some(covers) => {
                        let words =
                            fill(include_str!("plan-covers.md"), &[("covers", &one_line(covers, MAX_LINE_CHARS))]);
                        format!("{} {its_text}", words.trim_end())
                    }
                    None => its_text,
                };
                let at = path(at);
                let values = [("path", at.as_str()), ("its_text", &its_text), ("content", &content)];
                fill(reference_page(*after, *standing), &values)
            }
            Self::PlanLost { path: at, hash } => {
                fill(include_str!("plan-lost.md"), &[("path", &path(at)), ("hash", &one_line(hash, MAX_LINE_CHARS))])
            }
            Self::Inbox { from, count, text } => inbox(from, *count, text),
            Self::PlanChanged { path: at, diff, by, standing } => {
                let template = match (by, standing) {
                    (Author::Person, PlanStanding::Open | PlanStanding::Ended) => include_str!("plan-changed.md"),
                    (Author::Person, PlanStanding::Approved) => include_str!("plan-changed-approved.md"),
                    (Author::Other | Author::Model, PlanStanding::Open | PlanStanding::Ended) => {
                        include_str!("plan-changed-outside.md")
                    }
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
        (true, PlanStanding::Open | PlanStanding::Ended) => {
            fill(include_str!("plan-exit-file.md"), &[("path", &path(plan.path))])
        }
        (true, PlanStanding::Approved) => fill(include_str!("plan-exit-approved.md"), &[("path", &path(plan.path))]),
        (false, _) => fill(include_str!("plan-exit-none.md"), &[]),
    }
}

fn inbox(from: &str, count: usize, text: &str) -> String {
    let count = fore_text::count(count, "message");
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
