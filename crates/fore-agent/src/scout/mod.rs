//! The built-in planner without a language model: looks at the project, asks git, and writes a plan or an answer.
//!
//! Deterministic: the same history and the same files give the same answer. It reads through the one walk and the one opener,
//! and everything else it does is an ordinary tool call.

mod answer;
mod calls;
mod evidence;
mod files;
mod findings;
mod index;
mod markdown;
mod plan;
mod project;
mod questions;
mod rank;
mod related_tests;
mod request;
mod score;
mod source;
mod survey;
mod task_history;
mod tool_output;

pub(crate) use files::ScoutFiles;
pub(crate) use findings::ScoutFindings;

use calls::{ScoutCall, ScoutResults};
use fore_model::{Arguments, Duty, EventKind, History, ModelName, StopReason, ToolUse};
use fore_plan::ToolName;
use request::TaskRequest;
use serde_json::{Value, json};
use survey::Survey;
use task_history::{PlanReception, TaskHistory};

/// The scout's name among models.
pub fn name() -> ModelName {
    ModelName::new("scout", "scout")
}

/// Whether the scout makes a plan of a prompt; a question it only answers.
pub(crate) fn plans(prompt: &str) -> bool {
    !prompt.trim().is_empty() && !TaskRequest::read(&[prompt.to_owned()]).is_question
}

/// What the scout finds in the project for the task at hand; what was found before is given back if it is about the same.
/// Blocks while it reads.
pub(crate) fn look(
    history: &History,
    files: impl FnOnce() -> ScoutFiles,
    before: Option<ScoutFindings>,
) -> Option<ScoutFindings> {
    let conversation = TaskHistory::read(history);
    match conversation.verdict {
        Some(PlanReception::Over | PlanReception::NoWords | PlanReception::Refused) => return before,
        Some(PlanReception::Again(_)) | None => {}
    }
    if conversation.messages.is_empty() {
        return None;
    }
    let is_same = |held: &ScoutFindings| held.messages == conversation.messages && conversation.rounds > 0;
    before.filter(is_same).or_else(|| {
        let files = files();
        Some(ScoutFindings::look(&conversation.messages, &files.paths, files.is_cut, &files))
    })
}

/// What the scout says to a history, by what it found.
pub(crate) fn answer(history: &History, duty: Duty, findings: Option<&ScoutFindings>) -> Vec<EventKind> {
    let conversation = TaskHistory::read(history);
    match (&conversation.verdict, findings) {
        (Some(PlanReception::Over), _) if duty == Duty::Act => text_answer(include_str!("approved.md")),
        (Some(PlanReception::Over), _) => text_answer(include_str!("over.md")),
        (Some(PlanReception::NoWords), _) => text_answer(include_str!("no-words.md")),
        (Some(PlanReception::Refused), _) => text_answer(include_str!("refused.md")),
        (Some(PlanReception::Again(_)) | None, Some(findings)) => explore(&conversation, findings, duty, history.len()),
        (Some(PlanReception::Again(_)) | None, None) => text_answer(include_str!("nothing-asked.md")),
    }
}

/// The calls, or the plan.
fn explore(conversation: &TaskHistory, findings: &ScoutFindings, duty: Duty, length: usize) -> Vec<EventKind> {
    let results = ScoutResults(&conversation.answered);
    if findings.request.is_question {
        return text_answer(&answer::write(&Survey::of(findings, results), findings));
    }
    if conversation.rounds == 0 {
        let calls: Vec<(ToolName, Value)> = survey::calls(findings).iter().filter_map(ScoutCall::call).collect();
        return call(&intro(findings), calls, length);
    }
    let survey = Survey::of(findings, results);
    let plan = plan::write(findings, &survey, results);
    match duty {
        // A subagent reports in text, and outside of planning there is nothing to hand in.
        Duty::Small | Duty::Act => text_answer(&plan),
        Duty::Plan => {
            let words = format!("The plan is ready: {}", survey.in_a_line());
            call(&words, vec![(ToolName::ExitPlanMode, json!({ "plan": plan }))], length)
        }
    }
}

fn intro(findings: &ScoutFindings) -> String {
    let told: Vec<String> = findings.request.told().map(|term| markdown::span(&term.said)).collect();
    let looked = match told.as_slice() {
        [] => String::new(),
        told => format!(" for {}", told.join(", ")),
    };
    let files = fore_text::count(findings.known.len(), "file");
    format!(
        "Looked through {files}{looked}. Now asking git what changes together, and trying the project's own check in a rehearsal."
    )
}

fn text_answer(text: &str) -> Vec<EventKind> {
    let mut events = text_block(text);
    events.extend([EventKind::Stopped(StopReason::EndTurn), EventKind::Done]);
    events
}

fn text_block(text: &str) -> Vec<EventKind> {
    let text = text.trim_end().to_owned();
    vec![
        EventKind::Started { served: "scout".into() },
        EventKind::TextDelta { block: 0, text },
        EventKind::TextFinished { block: 0, seal: None },
    ]
}

/// A few words and calls. The ids come from the length of the history, which grows with every answer.
fn call(words: &str, calls: Vec<(ToolName, Value)>, length: usize) -> Vec<EventKind> {
    let mut events = text_block(words);
    for (block, (name, input)) in (1..).zip(calls) {
        let id = format!("scout-{length}-{block}");
        events.push(EventKind::ToolCallStarted { block, id: id.clone(), name: name.name().into() });
        events.push(EventKind::ArgumentsDelta { block, json: input.to_string() });
        let call = ToolUse { id, name: name.name().into(), arguments: Arguments::Ok(input), seal: None };
        events.push(EventKind::ToolCallFinished { block, call });
    }
    events.extend([EventKind::Stopped(StopReason::ToolUse), EventKind::Done]);
    events
}
