//! The built-in planner without a language model: reads the history of a session and says what to do next.
//!
//! Pure and deterministic: the same history gives the same answer. It acts only through tool calls of the ordinary loop,
//! in three rounds of looking and one that hands in the plan.

mod calls;
mod evidence;
mod markdown;
mod plan;
mod project;
mod questions;
mod rank;
mod related_tests;
mod request;
mod source;
mod survey;
mod task_history;
mod tool_output;

use calls::{ScoutCall, ScoutResults};
use fore_model::{Arguments, Duty, EventKind, History, ModelName, StopReason, ToolUse};
use request::{TaskRequest, TermKind};
use serde_json::{Value, json};
use survey::{Survey, SurveyStage};
use task_history::{PlanReception, TaskHistory};

/// How many answers may ask for more before the plan is handed in.
const MAX_ROUNDS: usize = 4;

/// The scout's name among models.
pub fn name() -> ModelName {
    ModelName::new("scout", "scout")
}

/// What the scout says to a history.
pub fn answer(history: &History, duty: Duty) -> Vec<EventKind> {
    let conversation = TaskHistory::read(history);
    match (duty, &conversation.verdict) {
        (Duty::Act, _) => text_answer(include_str!("no-model.md")),
        (Duty::Plan | Duty::Small, Some(PlanReception::Over)) => text_answer(include_str!("over.md")),
        (Duty::Plan | Duty::Small, Some(PlanReception::NoWords)) => text_answer(include_str!("no-words.md")),
        (Duty::Plan | Duty::Small, Some(PlanReception::Refused)) => text_answer(include_str!("refused.md")),
        (Duty::Plan | Duty::Small, Some(PlanReception::Again(_)) | None) => explore(&conversation, duty, history.len()),
    }
}

/// The next look, or the plan.
fn explore(conversation: &TaskHistory, duty: Duty, length: usize) -> Vec<EventKind> {
    if conversation.messages.is_empty() {
        return text_answer(include_str!("nothing-asked.md"));
    }
    let request = TaskRequest::read(&conversation.messages);
    let results = ScoutResults(&conversation.answered);
    for stage in [SurveyStage::Search, SurveyStage::Open, SurveyStage::Confirm] {
        let looks = survey::calls(stage, &request, results);
        let calls: Vec<(&'static str, Value)> =
            looks.iter().filter(|look| !results.was_made(look)).filter_map(ScoutCall::call).collect();
        if !calls.is_empty() && conversation.rounds < MAX_ROUNDS {
            return call(&intro_for(stage, &request), calls, length);
        }
    }
    let survey = Survey::of(&request, results);
    let plan = plan::write(&conversation.messages, &survey, results);
    match duty {
        // A subagent reports in text; there is nothing for it to hand in.
        Duty::Small => text_answer(&plan),
        Duty::Plan | Duty::Act => {
            let words = format!("The plan is ready: {}", survey.in_a_line());
            call(&words, vec![("ExitPlanMode", json!({ "plan": plan }))], length)
        }
    }
}

fn intro_for(stage: SurveyStage, request: &TaskRequest) -> String {
    match stage {
        SurveyStage::Search if request.terms.is_empty() => "Looking at what kind of project this is.".to_owned(),
        SurveyStage::Search => {
            let said =
                request.terms.iter().filter(|term| term.kind != TermKind::Pair).map(|term| markdown::span(&term.said));
            format!("Looking for {}.", said.collect::<Vec<_>>().join(", "))
        }
        SurveyStage::Open => "Opening the most likely files, and what changed together with them.".to_owned(),
        SurveyStage::Confirm => {
            "Looking at what belongs to them, and trying the project's own check in a rehearsal.".to_owned()
        }
    }
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
fn call(words: &str, calls: Vec<(&'static str, Value)>, length: usize) -> Vec<EventKind> {
    let mut events = text_block(words);
    for (block, (name, input)) in (1..).zip(calls) {
        let id = format!("scout-{length}-{block}");
        events.push(EventKind::ToolCallStarted { block, id: id.clone(), name: name.into() });
        events.push(EventKind::ArgumentsDelta { block, json: input.to_string() });
        let call = ToolUse { id, name: name.into(), arguments: Arguments::Ok(input), seal: None };
        events.push(EventKind::ToolCallFinished { block, call });
    }
    events.extend([EventKind::Stopped(StopReason::ToolUse), EventKind::Done]);
    events
}
