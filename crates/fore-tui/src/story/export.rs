//! The conversation as a Markdown document. What it shows is what the screen showed, opened.

use super::{
    Story,
    block::{DecidedPlan, EndedAgent, EndedCall, StoryBlock},
    draw::ended_words,
};
use crate::{paint::sanitize_output, theme::mode_words};
use fore_agent::{ApprovalOutcome, CallOutcome, DutyName, NoticeLevel, ShownBody};
use fore_plan::{Actor, Mode, ModeChanger, ToolName};
use fore_store::entry::TodoStatus;

impl Story {
    /// The last words of the model, whole, as they were said.
    pub(crate) fn last_answer(&self) -> Option<String> {
        self.shared().iter().rev().find_map(|block| match block.as_ref() {
            StoryBlock::Said { text, .. } if !text.trim().is_empty() => Some(text.trim_end().to_owned()),
            _ => None,
        })
    }

    /// Everything that is kept, as Markdown.
    pub(crate) fn export(&self) -> String {
        let mut out = String::from("# Conversation\n");
        for block in self.shared() {
            let text = section(&block);
            if !text.is_empty() {
                out.push('\n');
                out.push_str(text.trim_end());
                out.push('\n');
            }
        }
        // Whoever prints the file gets no more than letters.
        fore_text::prose(&out).into_owned()
    }
}

fn section(block: &StoryBlock) -> String {
    match block {
        StoryBlock::Welcome(welcome) => {
            let (folder, model, mode) = (&welcome.folder, &welcome.model, mode_words(welcome.mode));
            format!("- folder: `{folder}`\n- model: {model}\n- mode: {mode}")
        }
        StoryBlock::Prompt { text, .. } => format!("## You\n\n{text}"),
        StoryBlock::Said { text, .. } => format!("## Forethought\n\n{text}"),
        StoryBlock::Thought { text } => format!("<details><summary>Thought</summary>\n\n{text}\n\n</details>"),
        StoryBlock::Call(call) => call_text("", call),
        StoryBlock::Typed(call) => call_text("You ran ", call),
        StoryBlock::Agent(agent) => agent_text(agent),
        StoryBlock::Notice { level, text } => match level {
            NoticeLevel::Info => quoted(text),
            NoticeLevel::Warning => quoted(&format!("Warning: {text}")),
            NoticeLevel::Error => quoted(&format!("Error: {text}")),
        },
        StoryBlock::Mode(event) => quoted(&match &event.by {
            ModeChanger::Actor(Actor::Person) => format!("Mode {} to {}, by you", event.from, event.to),
            by => format!("Mode {} to {}, by {by}: {}", event.from, event.to, event.why),
        }),
        StoryBlock::Model { model, duty } => quoted(&format!("Model: {model} ({})", DutyName::word(*duty))),
        StoryBlock::Decided(decided) => decided_text(decided),
        StoryBlock::Implement { path, hash } => quoted(&format!("Work starts from the plan alone: `{path}` ({hash})")),
        StoryBlock::CurrentPlan(plan) => {
            let text = plan.text.as_deref().unwrap_or("No plan written yet.");
            format!("## Current Plan\n\n{}", quoted(text))
        }
        StoryBlock::Todos { items } => {
            let line = |item: &fore_store::entry::Todo| {
                let mark = if item.status == TodoStatus::Done { "x" } else { " " };
                format!("- [{mark}] {}", item.text)
            };
            items.iter().map(line).collect::<Vec<_>>().join("\n")
        }
        StoryBlock::ContextCut { why } => quoted(&format!("Context: {}", why.word())),
        StoryBlock::Ended { outcome } => quoted(&ended_words(outcome).1),
        StoryBlock::Page { .. } => String::new(),
    }
}

fn call_text(who: &str, call: &EndedCall) -> String {
    let title = format!("{who}**{}** {}", call.tool, code(&call.line));
    let result = match &call.outcome {
        CallOutcome::Done => call.shown.line.clone(),
        CallOutcome::Failed => format!("failed: {}", call.shown.line),
        CallOutcome::Interrupted => "interrupted".to_owned(),
        CallOutcome::Refused { refusal } => format!("refused: {refusal}"),
    };
    // What a file held is in the file.
    let body = if call.tool.known() == Some(ToolName::Read) { String::new() } else { body_text(&call.shown.body) };
    format!("{title}: {result}\n\n{body}")
}

fn agent_text(agent: &EndedAgent) -> String {
    let why = if agent.why.is_empty() { String::new() } else { format!(", failed: {}", agent.why) };
    format!("**{}** {}, {} calls{why}\n\n{}", agent.kind, agent.task, agent.calls, body_text(&agent.answer))
}

fn body_text(body: &ShownBody) -> String {
    match body {
        ShownBody::Nothing => String::new(),
        ShownBody::Text { text } => fenced("", &sanitize_output(text)),
        ShownBody::Markdown { text } => quoted(text),
        ShownBody::Diff { diff, .. } => fenced("diff", diff),
    }
}

fn decided_text(decided: &DecidedPlan) -> String {
    let title = match &decided.how {
        ApprovalOutcome::Approved { receipt, .. } => {
            let level = mode_words(Mode::At(receipt.level));
            format!("Plan approved ({level}, revision {}, {})", receipt.revision, receipt.hash)
        }
        ApprovalOutcome::KeepPlanning { reason, .. } if reason.is_empty() => "Plan not approved".to_owned(),
        ApprovalOutcome::KeepPlanning { reason, .. } => format!("Plan rejected: {reason}"),
        ApprovalOutcome::Saved { path } => format!("Plan saved: `{path}`"),
        ApprovalOutcome::Left { level } => format!("Left plan mode ({})", mode_words(Mode::At(*level))),
        ApprovalOutcome::Discarded => "Plan discarded".to_owned(),
        ApprovalOutcome::NotCounted { why } => format!("The answer did not count: {why}"),
        ApprovalOutcome::Awaits { path, hash } => format!("Plan awaits approval: `{path}` ({hash})"),
    };
    let comments: String = decided
        .comments
        .iter()
        .map(|comment| format!("- lines {}-{}: {}\n", comment.first_line, comment.last_line, comment.remark))
        .collect();
    let plan = if decided.plan.is_empty() { String::new() } else { quoted(&decided.plan) };
    let parts = [format!("## {title}"), comments, plan];
    parts.iter().map(|part| part.trim_end()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn quoted(text: &str) -> String {
    let line = |line: &str| if line.is_empty() { ">".to_owned() } else { format!("> {line}") };
    text.trim_end().lines().map(line).collect::<Vec<_>>().join("\n")
}

fn code(text: &str) -> String {
    let text = fore_text::cut::one_line(text);
    if text.is_empty() {
        String::new()
    } else if text.contains('`') {
        text
    } else {
        format!("`{text}`")
    }
}

/// A fence that nothing inside can close.
pub(crate) fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end())
}
