//! What `ExitPlanMode` answers to the model: one sentence on the state, one on the next act. Never decides anything.

use crate::{
    approval::{Comment, Decider},
    plan::Author,
    reminder::{bounded, fill, is_complete, one_line},
};

const MAX_TOLD_PLAN_CHARS: usize = 100_000;
const MAX_REMARK_CHARS: usize = 20_000;
const MAX_CHANGES_CHARS: usize = 4_000;
const MAX_COMMENTS: usize = 100;
const MAX_NAME_CHARS: usize = 80;
/// Stands before the plan itself.
const HEADING: &str = "Approved plan";

/// An approval as the model is told of it. The level is named so that no consent is implied that was not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Approved<'a> {
    /// Where the plan is.
    pub path: &'a str,
    /// What was approved.
    pub plan: &'a str,
    /// How much may happen without asking.
    pub level: &'a str,
    /// What the plan covers without asking, in a few words.
    pub covers: Option<&'a str>,
    /// Who wrote the approved text last.
    pub author: Author,
    /// The steps that were approved, where not all were.
    pub steps: &'a [String],
    /// What differs from the text that the model knows, as unified text; empty if nothing does.
    pub changed: &'a str,
    /// The files it names that have moved since it was made, as a list; empty if none has.
    pub moved: &'a str,
    /// Who let it go on: a yes that no person gave never reads like one.
    pub by: &'a Decider,
    /// Whether there is a list of what is to do.
    pub todo_list: Offered,
    /// Whether there are subagents.
    pub agent_tool: Offered,
    /// What the person added to the approval.
    pub remark: Option<&'a str>,
    /// Remarks on single lines.
    pub comments: &'a [Comment],
}

/// Whether the model has a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    /// It has.
    Yes,
    /// It has not.
    No,
}

/// What `ExitPlanMode` answers to the model, by what became of the plan. A path is where the plan is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum ApprovalText<'a> {
    /// A yes.
    Approved(&'a Approved<'a>),
    /// The first message of a cleared context: the plan and nothing of what led to it (D5).
    StartFromPlan(&'a Approved<'a>),
    /// The caller is a subagent: its part is over.
    ApprovedForSubagent,
    /// A teammate's plan lies with the team lead.
    WaitingForLead { path: &'a str, request: &'a str },
    /// A no, in the person's words, with remarks on single lines and what they changed themselves, as unified text.
    Rejected { path: &'a str, reason: Option<&'a str>, comments: &'a [Comment], changed: Option<&'a str> },
    /// The plan is kept for later, with what the person changed themselves, as unified text.
    SavedAndStopped { path: &'a str, changed: Option<&'a str> },
    /// The person ended planning themselves; the level is how much may happen without asking now.
    LeftByPerson { level: &'a str },
    /// The plan was thrown away.
    Discarded,
    /// No decision on this plan (stale, replayed, unknown, interrupted): a whole sentence why, and what changed in the plan
    /// since it was shown, as unified text.
    NoDecision { path: &'a str, reason: &'a str, changed: Option<&'a str> },
    /// Headless without an approver.
    NobodyCanApprove { path: &'a str },
}

impl ApprovalText<'_> {
    /// The words.
    pub fn render(&self) -> String {
        match *self {
            ApprovalText::Approved(approval) => approved(approval),
            ApprovalText::StartFromPlan(approval) => with_plan(include_str!("texts/start.md"), approval),
            ApprovalText::ApprovedForSubagent => fill(include_str!("texts/subagent.md"), &[]),
            ApprovalText::WaitingForLead { path, request } => {
                fill(include_str!("texts/waiting.md"), &[("path", path), ("request", request)])
            }
            ApprovalText::Rejected { path, reason, comments, changed } => rejected(path, reason, comments, changed),
            ApprovalText::SavedAndStopped { path, changed } => {
                let saved = fill(include_str!("texts/saved.md"), &[("path", path)]);
                paragraphs(&std::iter::once(saved).chain(changed.and_then(edits)).collect::<Vec<_>>())
            }
            ApprovalText::LeftByPerson { level } => fill(include_str!("texts/left.md"), &[("level", level)]),
            ApprovalText::Discarded => fill(include_str!("texts/discarded.md"), &[]),
            ApprovalText::NoDecision { path, reason, changed } => no_decision(path, reason, changed),
            ApprovalText::NobodyCanApprove { path } => fill(include_str!("texts/nobody.md"), &[("path", path)]),
        }
    }
}

fn approved(approval: &Approved<'_>) -> String {
    if approval.plan.trim().is_empty() {
        return approved_empty(approval);
    }
    with_plan(include_str!("texts/approved.md"), approval)
}

/// The plan in the first message of a cleared context ([`ApprovalText::StartFromPlan`]), without its last line ends; none in any other text.
pub fn plan_in_start(text: &str) -> Option<&str> {
    let (_, kept) = text.split_once("\n\nThe plan is kept at ")?;
    let (_, headed) = kept.split_once(&format!("\n\n## {HEADING}"))?;
    let (_, plan) = headed.split_once("\n\n")?;
    is_complete(plan, MAX_TOLD_PLAN_CHARS).then_some(plan)
}

fn with_plan(template: &str, approval: &Approved<'_>) -> String {
    let next = match approval.todo_list {
        Offered::Yes => include_str!("texts/approved-start-todo.md"),
        Offered::No => include_str!("texts/approved-start.md"),
    };
    let mut hints = match approval.covers {
        Some(covers) => vec![fill(include_str!("texts/approved-covered.md"), &[("covers", covers)])],
        None => vec![include_str!("texts/approved-follow.md").to_owned()],
    };
    if approval.agent_tool == Offered::Yes {
        hints.push(include_str!("texts/approved-parallel.md").to_owned());
    }
    hints.extend(remarks(approval));
    let changed = Some(approval.changed.trim_end()).filter(|changed| !changed.is_empty());
    hints.extend(changed.map(|changed| {
        let page = match approval.author {
            Author::Model | Author::Person => include_str!("texts/approved-changed.md"),
            Author::Other => include_str!("texts/approved-changed-outside.md"),
        };
        fill(page, &[("changed", &bounded(changed, MAX_CHANGES_CHARS))])
    }));
    let moved = Some(approval.moved.trim_end()).filter(|moved| !moved.is_empty());
    hints.extend(
        moved.map(|moved| {
            fill(include_str!("texts/approved-moved.md"), &[("moved", &bounded(moved, MAX_CHANGES_CHARS))])
        }),
    );
    let heading = match approval.author {
        _ if !approval.steps.is_empty() => {
            format!("{HEADING}, of which the person approved some steps alone")
        }
        Author::Model => HEADING.to_owned(),
        Author::Person => format!("{HEADING}, edited by the person"),
        Author::Other => format!("{HEADING}, not as you wrote it"),
    };
    let who = match approval.by {
        Decider::Person { .. } => "The person approved the plan".to_owned(),
        Decider::Lead { name } => format!("The team lead {} approved the plan", one_line(name, MAX_NAME_CHARS)),
        Decider::Teammate { .. } => "Nobody reviewed the plan: you left plan mode by yourself".to_owned(),
    };
    let values = [
        ("who", who.as_str()),
        ("level", approval.level),
        ("next", next),
        ("hints", &paragraphs(&hints)),
        ("path", approval.path),
        ("heading", &heading),
        ("plan", &bounded(approval.plan, MAX_TOLD_PLAN_CHARS)),
    ];
    fill(template, &values)
}

fn approved_empty(approval: &Approved<'_>) -> String {
    let who = match approval.by {
        Decider::Person { .. } | Decider::Lead { .. } => "The person agreed to leave plan mode",
        Decider::Teammate { .. } => "You left plan mode by yourself",
    };
    let values = [("who", who), ("level", approval.level)];
    let mut parts = vec![fill(include_str!("texts/approved-empty.md"), &values)];
    parts.extend(remarks(approval));
    parts.join("\n\n")
}

fn remarks(approval: &Approved<'_>) -> Vec<String> {
    let remark = approval.remark.filter(|remark| !remark.trim().is_empty()).map(|remark| {
        fill(include_str!("texts/approved-remark.md"), &[("remark", &bounded(remark, MAX_REMARK_CHARS))])
    });
    remark.into_iter().chain(comments_section(approval.comments)).collect()
}

fn rejected(path: &str, reason: Option<&str>, comments: &[Comment], changed: Option<&str>) -> String {
    let said = reason.filter(|words| !words.trim().is_empty());
    let changed = changed.and_then(edits);
    let template = match (said.is_none() && comments.is_empty(), &changed) {
        (true, None) => include_str!("texts/rejected-without-words.md"),
        (true, Some(_)) => include_str!("texts/rejected-edited.md"),
        (false, _) => include_str!("texts/rejected-with-words.md"),
    };
    let next = fill(template, &[("path", path)]);
    let said =
        said.map(|words| fill(include_str!("texts/rejected-said.md"), &[("said", &bounded(words, MAX_REMARK_CHARS))]));
    let words: Vec<String> = said.into_iter().chain(comments_section(comments)).chain(changed).collect();
    let text = fill(include_str!("texts/rejected.md"), &[("next", &next), ("words", &paragraphs(&words))]);
    text.trim_end().to_owned()
}

/// How a plan was received, as the answer to `ExitPlanMode` tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum ToldVerdict {
    /// Not approved, with what was said about it; none if nothing was.
    Rejected { said: Option<String> },
    /// Nobody decided.
    Undecided,
    /// Any other answer: it is over, or was refused.
    Other,
}

impl ToldVerdict {
    /// Reads an answer back. Only for who gets words and nothing else, as a model does: [`ApprovalText`] is
    /// written from the same pages.
    pub fn read(text: &str) -> ToldVerdict {
        let begins = |page: &str| text.starts_with(before_blank(page));
        if begins(include_str!("texts/keep-planning.md")) {
            return ToldVerdict::Undecided;
        }
        if !begins(include_str!("texts/rejected.md")) {
            return ToldVerdict::Other;
        }
        let headings = [include_str!("texts/rejected-said.md"), include_str!("texts/rejected-comments.md")]
            .map(|page| before_blank(page).trim());
        let said = headings.iter().filter_map(|heading| text.find(heading)).min().and_then(|at| text.get(at..));
        let said = said.map(|words| {
            let lines = words.lines().filter(|line| !headings.contains(&line.trim()) && !line.starts_with('>'));
            lines.collect::<Vec<_>>().join("\n").trim().to_owned()
        });
        ToldVerdict::Rejected { said }
    }
}

/// A page up to the first thing that is filled in.
fn before_blank(page: &str) -> &str {
    page.split('{').next().unwrap_or_default()
}

/// The person's own edits, for a model that goes on with the plan.
fn edits(changed: &str) -> Option<String> {
    let changed = Some(changed.trim_end()).filter(|changed| !changed.is_empty())?;
    Some(fill(include_str!("texts/edits.md"), &[("changed", &bounded(changed, MAX_REMARK_CHARS))]))
}

fn no_decision(path: &str, reason: &str, changed: Option<&str>) -> String {
    let next = match changed.filter(|changed| !changed.trim().is_empty()) {
        Some(changed) => fill(
            include_str!("texts/keep-planning-changed.md"),
            &[("path", path), ("changed", &bounded(changed, MAX_CHANGES_CHARS))],
        ),
        None => fill(include_str!("texts/keep-planning-same.md"), &[("path", path)]),
    };
    fill(include_str!("texts/keep-planning.md"), &[("reason", reason), ("next", &next)])
}

fn comments_section(comments: &[Comment]) -> Option<String> {
    if comments.is_empty() {
        return None;
    }
    let mut parts: Vec<String> = comments.iter().take(MAX_COMMENTS).map(comment).collect();
    if let Some(more) = comments.len().checked_sub(MAX_COMMENTS).filter(|more| *more > 0) {
        parts.push(format!("… and {more} more comments"));
    }
    Some(fill(include_str!("texts/rejected-comments.md"), &[("comments", &parts.join("\n\n"))]))
}

fn comment(comment: &Comment) -> String {
    let lines = if comment.first_line == comment.last_line {
        format!("Line {}", comment.first_line)
    } else {
        format!("Lines {} to {}", comment.first_line, comment.last_line)
    };
    let quoted: Vec<String> = bounded(&comment.quote, MAX_CHANGES_CHARS)
        .lines()
        .map(|line| format!("> {line}").trim_end().to_owned())
        .collect();
    let parts = [format!("{lines}:"), quoted.join("\n"), bounded(&comment.remark, MAX_REMARK_CHARS).into_owned()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn paragraphs(parts: &[String]) -> String {
    parts.iter().map(|part| part.trim_end()).collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
