//! Subagents: conversations of their own that share the session's state, gate and cages, and hand back their last words.
//!
//! One can never do more than the session that started it: its calls are judged by the session's state at that moment or
//! by a stricter one, it has no plan-mode tools, and it starts no agents of its own.

use super::{
    call::{CallResult, ToolCall},
    caller::{CallerContext, CallerIdentity, JudgedBy},
    drive::Driver,
    session_context::SessionContext,
};
use crate::{
    agents::{AgentKind, AgentModel},
    context::{Conversation, SystemFacts, agent_prompt},
    control::agent::{self, AgentCall},
    event::{AgentId, CallOutcome, Event, ShownCall, TurnOutcome},
    model_handle::ModelHandle,
    output::Output,
    tools::WorkingFolder,
    turn::{Turn, TurnInput},
};
use fore_model::{Block, Duty, RequestHead};
use fore_plan::plan::slug::PlanFileName;
use fore_store::{PlanFolder, entry::Speaker};
use std::sync::Arc;

/// Rounds of calls that an agent has.
const MAX_ROUNDS: u32 = 60;
/// What an agent is told that shall only read although its session does not plan.
const ONLY_READS: &str = "<system-reminder>\nYou may only read in this task: every call that could change something is \
     refused. Hand back what you found; what should be changed goes into your answer.\n</system-reminder>";
/// Letters of the line that says why an agent failed.
const MAX_WHY_CHARS: usize = 200;
/// The longest answer that is handed back.
const MAX_ANSWER_BYTES: usize = 60_000;

/// Runs a subagent to its end.
pub(super) async fn run(call: &ToolCall) -> CallResult {
    let asked = match agent::parse(&call.input) {
        Ok(asked) => asked,
        Err(wrong) => return CallResult::of(Output::error(wrong)),
    };
    let Some(kind) = call.context.kinds.get(&asked.kind).cloned() else {
        let names = call.context.kinds.names().join(", ");
        return CallResult::of(Output::error(format!("there is no agent `{}`; there are: {names}", asked.kind)));
    };
    // Its key may come from a command that takes its time.
    let (context, wanted) = (Arc::clone(&call.context), kind.clone());
    let found = tokio::select! {
        biased;
        () = call.caller.cancel.cancelled() => return interrupted(),
        found = tokio::task::spawn_blocking(move || model_of(&context, &wanted)) => found,
    };
    let (model, duty) = match found {
        Ok(Ok(found)) => found,
        Ok(Err(why)) => return CallResult::of(Output::error(why)),
        Err(_) => return CallResult::of(Output::error("the agent's model could not be found")),
    };
    let place = tokio::select! {
        biased;
        () = call.caller.cancel.cancelled() => return interrupted(),
        place = call.context.agent_slots.acquire() => place,
    };
    let Ok(_place) = place else {
        return CallResult::of(Output::error("the session is ending"));
    };
    if call.caller.cancel.is_cancelled() {
        return interrupted();
    }
    let id = AgentId(call.id.0.replace("call-", "a"));
    let context = Arc::clone(&call.context);
    context.events.send(Event::AgentStarted {
        agent: id.clone(),
        kind: kind.name.clone(),
        task: asked.description.clone(),
        model: model.name(),
    });
    let mut driver = driver(call, &id, kind, &asked, (model, duty));
    let effects = driver.turn.step(TurnInput::Begin);
    // Boxed: an agent's turn is a turn of the same kind as the one that started it.
    let ended = Box::pin(driver.play(effects)).await;
    handed_back(&context, &id, &driver, ended)
}

fn interrupted() -> CallResult {
    CallResult {
        outcome: CallOutcome::Interrupted,
        ..CallResult::of(Output::error("The person interrupted the turn."))
    }
}

fn model_of(context: &SessionContext, kind: &AgentKind) -> Result<(ModelHandle, Duty), String> {
    let duty = context.duty();
    match &kind.model {
        AgentModel::Inherit => Ok((context.model(duty), duty)),
        AgentModel::Small => Ok((context.model(Duty::Small), Duty::Small)),
        AgentModel::Named(name) => {
            let choose = super::session_context::lock(&context.models).choose.clone();
            let model = choose(name).map_err(|why| format!("the agent `{}` asks for `{name}`: {why}", kind.name))?;
            Ok((model, duty))
        }
    }
}

fn driver(call: &ToolCall, id: &AgentId, kind: AgentKind, asked: &AgentCall, model: (ModelHandle, Duty)) -> Driver {
    let context = &call.context;
    let strictness = if kind.is_read_only || asked.plans { JudgedBy::ReadOnly } else { JudgedBy::AsSession };
    let folder = context.folder.get();
    let own_folder = Arc::new(WorkingFolder::new(folder.clone()));
    let memory = if kind.memory { context.memory_text() } else { String::new() };
    let surroundings = SystemFacts {
        project: &context.project,
        folder: &folder,
        caged: context.kernel().read_only.holds(),
        memory: &memory,
    };
    let prompt = agent_prompt(&kind.prompt, &surroundings);
    let caller = CallerContext {
        identity: CallerIdentity::Agent { id: id.clone(), kind: Box::new(kind), folder: own_folder },
        judged_by: strictness,
        cancel: call.caller.cancel.clone(),
    };
    let tools = call.toolbox.offered_to_agent(|tool| caller.has(tool));
    let mut conversation = Conversation::new(RequestHead::new(prompt, tools), format!("{}-{}", context.id, id.0));
    match context.agent_reminder(id) {
        Some(reminder) => conversation.add_text(reminder),
        None if asked.plans => conversation.add_text(ONLY_READS),
        None => {}
    }
    conversation.add_spoken(Speaker::Human, Block::text(&asked.prompt));
    Driver {
        context: Arc::clone(context),
        caller: Arc::new(caller),
        toolbox: Arc::clone(&call.toolbox),
        conversation,
        turn: Turn::new(MAX_ROUNDS.min(context.settings.max_rounds)),
        model: Some(model),
        calls: 0,
        last_text: String::new(),
        parked: None,
        judged: Default::default(),
        plan_before: None,
    }
}

fn handed_back(context: &SessionContext, id: &AgentId, driver: &Driver, ended: TurnOutcome) -> CallResult {
    let words: String = driver.last_text.chars().take(MAX_ANSWER_BYTES).collect();
    let (outcome, done) = match ended {
        TurnOutcome::Done if !words.trim().is_empty() => {
            save_notes(context, id, &words);
            let line = if driver.calls == 1 { "1 call".to_owned() } else { format!("{} calls", driver.calls) };
            let shown = ShownCall::text(line, words.clone());
            (CallOutcome::Done, CallResult::of(Output::text(words, shown)))
        }
        TurnOutcome::Done => (CallOutcome::Failed, CallResult::of(Output::error("the agent ended without an answer"))),
        TurnOutcome::Interrupted => {
            let output = Output::error("The person interrupted the agent.");
            (CallOutcome::Interrupted, CallResult { outcome: CallOutcome::Interrupted, ..CallResult::of(output) })
        }
        TurnOutcome::TooManyRounds { rounds } => {
            let text = format!("The agent used up its {rounds} rounds of calls. Its last words: {words}");
            let why = format!("it used up its {rounds} rounds of calls\n\nIts last words: {words}");
            (CallOutcome::Failed, failed(text, &why))
        }
        TurnOutcome::ModelFailed { why } => (CallOutcome::Failed, failed(format!("the agent failed: {why}"), &why)),
        TurnOutcome::PlanAwaits { .. } | TurnOutcome::PlanSaved { .. } => {
            (CallOutcome::Failed, CallResult::of(Output::error("the agent ended without an answer")))
        }
    };
    let tokens = super::session_context::lock(&context.usage).0.total();
    context.events.send(Event::AgentFinished { agent: id.clone(), outcome, calls: driver.calls, tokens });
    done
}

/// It gave nothing; the person sees why in a line, and the whole of it on demand.
fn failed(model: String, why: &str) -> CallResult {
    let output = Output::error(model);
    let line: String = why.trim().lines().next().unwrap_or_default().chars().take(MAX_WHY_CHARS).collect();
    let shown = if line == why.trim() { ShownCall::line(line) } else { ShownCall::text(line, why.trim()) };
    CallResult::of(Output { shown, ..output })
}

/// While the session plans, what an agent found is kept in our own home under the plan's name (B3), also where the plan is
/// the project's: nothing there changes while planning. The program writes it, never the agent.
fn save_notes(context: &SessionContext, id: &AgentId, words: &str) {
    if !context.is_planning() {
        return;
    }
    if let Some(name) = notes_file(context, id)
        && let Err(error) = PlanFolder::of_home(&context.home).write(&name, words)
    {
        context.notice(crate::event::NoticeLevel::Warning, format!("The agent's notes were not kept: {error}"));
    }
}

/// The file of what an agent found: named after the plan (B3), so there is none without one.
fn notes_file(context: &SessionContext, id: &AgentId) -> Option<PlanFileName> {
    let path = context.plan_path()?;
    let name = std::path::Path::new(&path).file_name()?.to_str()?.parse().ok()?;
    match (name, id.0.parse()) {
        (PlanFileName::Main(slug), Ok(agent)) => Some(PlanFileName::Agent(slug, agent)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_an_agent_failed_is_a_line_and_the_whole_of_it_opens() {
        let short = failed("the agent failed: no key".into(), "no key");
        assert_eq!((short.outcome, short.output.shown), (CallOutcome::Failed, ShownCall::line("no key")));
        let why = format!("{}\nhint: set a key\n", "x".repeat(300));
        let long = failed(format!("the agent failed: {why}"), &why);
        assert_eq!(long.output.shown, ShownCall::text("x".repeat(200), why.trim()));
    }
}
