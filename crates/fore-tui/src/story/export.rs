//! The conversation as a Markdown document. What it shows is what the screen showed, opened.

use super::{
    Story,
    block::{Agent, Block, Call, Decided, Decision},
    draw::ended_words,
};
use crate::{paint::tame_output, theme::mode_words};
use fore_agent::event::{Body, NoticeLevel, Outcome};
use fore_plan::Mode;
use fore_store::entry::TodoStatus;

impl Story {
    /// Everything that is kept, as Markdown.
    pub fn export(&self) -> String {
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

fn section(block: &Block) -> String {
    match block {
        Block::Welcome(welcome) => {
            let (folder, model, mode) = (&welcome.folder, &welcome.model, mode_words(welcome.mode));
            format!("- folder: `{folder}`\n- model: {model}\n- mode: {mode}")
        }
        Block::Prompt { text, .. } => format!("## You\n\n{text}"),
        Block::Said { text, .. } => format!("## Forethought\n\n{text}"),
        Block::Thought { text } => format!("<details><summary>Thought</summary>\n\n{text}\n\n</details>"),
        Block::Call(call) => call_text("", call),
        Block::Typed(call) => call_text("You ran ", call),
        Block::Agent(agent) => agent_text(agent),
        Block::Notice { level, text } => match level {
            NoticeLevel::Info => quoted(text),
            NoticeLevel::Warning => quoted(&format!("Warning: {text}")),
            NoticeLevel::Error => quoted(&format!("Error: {text}")),
        },
        Block::Mode(event) => quoted(&match event.by.as_str() {
            "person" => format!("Mode {} to {}, by you", event.from, event.to),
            by => format!("Mode {} to {}, by {by}: {}", event.from, event.to, event.why),
        }),
        Block::Model { model, duty } => quoted(&format!("Model: {model} ({duty})")),
        Block::Decided(decided) => decided_text(decided),
        Block::Implement { path, hash } => quoted(&format!("Work starts from the plan alone: `{path}` ({hash})")),
        Block::CurrentPlan(plan) => {
            let text = plan.text.as_deref().unwrap_or("No plan written yet.");
            format!("## Current Plan\n\n{}", quoted(text))
        }
        Block::Todos { items } => {
            let line = |item: &fore_store::entry::Todo| {
                let mark = if item.status == TodoStatus::Done { "x" } else { " " };
                format!("- [{mark}] {}", item.text)
            };
            items.iter().map(line).collect::<Vec<_>>().join("\n")
        }
        Block::ContextCut { why } => quoted(&format!("Context: {why}")),
        Block::Ended { outcome } => quoted(&ended_words(outcome).1),
        Block::Page { .. } => String::new(),
    }
}

fn call_text(who: &str, call: &Call) -> String {
    let title = format!("{who}**{}** {}", call.tool, code(&call.line));
    let result = match &call.outcome {
        Outcome::Done => call.shown.line.clone(),
        Outcome::Failed => format!("failed: {}", call.shown.line),
        Outcome::Interrupted => "interrupted".to_owned(),
        Outcome::Refused { refusal } => format!("refused: {refusal}"),
    };
    // What a file held is in the file.
    let body = if call.tool == "Read" { String::new() } else { body_text(&call.shown.body) };
    format!("{title}: {result}\n\n{body}")
}

fn agent_text(agent: &Agent) -> String {
    let why = if agent.why.is_empty() { String::new() } else { format!(", failed: {}", agent.why) };
    format!("**{}** {}, {} calls{why}\n\n{}", agent.kind, agent.task, agent.calls, body_text(&agent.answer))
}

fn body_text(body: &Body) -> String {
    match body {
        Body::Nothing => String::new(),
        Body::Text { text } => fenced("", &tame_output(text)),
        Body::Markdown { text } => quoted(text),
        Body::Diff { diff, .. } => fenced("diff", diff),
    }
}

fn decided_text(decided: &Decided) -> String {
    let title = match &decided.how {
        Decision::Approved { receipt, .. } => {
            let level = mode_words(Mode::At(receipt.level));
            format!("Plan approved ({level}, revision {}, {})", receipt.revision, receipt.hash)
        }
        Decision::KeepPlanning { reason } if reason.is_empty() => "Plan not approved".to_owned(),
        Decision::KeepPlanning { reason } => format!("Plan rejected: {reason}"),
        Decision::Saved { path } => format!("Plan saved: `{path}`"),
        Decision::Left { level } => format!("Left plan mode ({})", mode_words(Mode::At(*level))),
        Decision::Discarded => "Plan discarded".to_owned(),
        Decision::NotCounted { why } => format!("The answer did not count: {why}"),
        Decision::Awaits { path, hash } => format!("Plan awaits approval: `{path}` ({hash})"),
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
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
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
