//! Subagents: conversations of their own that share the session's state, gate and cages, and hand back their last words.
//!
//! One can never do more than the session that started it: its calls are judged by the session's state at that moment or
//! by a stricter one, it neither begins nor ends planning, and it starts no agents of its own. One that was started to plan hands
//! its plan in (`approval/agent_plan.rs`).

use super::{
    call::{CallResult, ToolCall},
    caller::{CallerContext, CallerIdentity, JudgedBy},
    drive::Driver,
    history::shown_message::AgentRecord,
    ledger::Ledger,
    session_context::SessionContext,
    spending::CacheWatch,
    team,
};
use crate::{
    agents::{AgentKind, AgentModel},
    context::{Conversation, Heads, SystemFacts, agent_prompt, lean_tools},
    control::agent::{self, AgentCall},
    event::{AgentId, CallOutcome, Event, ShownBody, ShownCall, TurnOutcome},
    model_handle::ModelHandle,
    output::Output,
    tools::WorkingFolder,
    turn::{Turn, TurnInput},
};
use fore_model::{Block, Duty, RequestHead};
use fore_plan::{ToolName, plan::PlanFileName, reminder::defuse_str};
use fore_store::{PlanFolder, entry::Speaker};
use std::sync::Arc;

/// Rounds of calls that an agent has.
pub(super) const MAX_ROUNDS: u32 = 60;
/// What an agent is told that shall only read although its session does not plan.
const ONLY_READS: &str = "You may only read in this task: every call that could change something is refused. Hand back what you \
     found; what should be changed goes into your answer.";
/// And how it hands in a plan.
const HAND_IN: &str = " If the task is to plan a change, hand the finished plan in with ExitPlanMode: the person approves it or \
     says what should be different.";
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
    let Some(kind) = call.context.setup.kinds.get(&asked.kind).cloned() else {
        let names = call.context.setup.kinds.names().join(", ");
        return CallResult::of(Output::error(format!("there is no agent `{}`; there are: {names}", asked.kind)));
    };
    if let Some(name) = &asked.name {
        return team::start::teammate(call, &kind, &asked, name).await;
    }
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
        place = call.context.work.agent_slots.acquire() => place,
    };
    let Ok(_place) = place else {
        return CallResult::of(Output::error("the session is ending"));
    };
    if call.caller.cancel.is_cancelled() {
        return interrupted();
    }
    let id = AgentId(call.id.0.replace("call-", "a"));
    let context = Arc::clone(&call.context);
    context.person.events.send(Event::AgentStarted {
        agent: id.clone(),
        kind: kind.name.clone(),
        task: asked.description.clone(),
        model: model.name(),
    });
    let begun = AgentRecord {
        kind: kind.name.clone(),
        task: asked.description.clone(),
        model: model.name().to_string(),
        outcome: CallOutcome::Done,
        calls: 0,
        refused: 0,
        tokens: 0,
        plan: None,
    };
    let mut driver = driver(call, &id, kind, &asked, (model, duty));
    driver.hooks_of_agent_start().await;
    let effects = driver.turn.step(TurnInput::Begin);
    // Boxed: an agent's turn is a turn of the same kind as the one that started it.
    let ended = Box::pin(driver.play_to_the_end(effects)).await;
    handed_back(&context, &id, &driver, ended, begun)
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
        AgentModel::Inherit => Ok((context.work.model(duty), duty)),
        AgentModel::Small => Ok((context.work.model(Duty::Small), Duty::Small)),
        AgentModel::Named(name) => {
            let model = context
                .work
                .find_model(name)
                .map_err(|why| format!("the agent `{}` asks for `{name}`: {why}", kind.name))?;
            Ok((model, duty))
        }
    }
}

fn driver(call: &ToolCall, id: &AgentId, kind: AgentKind, asked: &AgentCall, model: (ModelHandle, Duty)) -> Driver {
    let context = &call.context;
    let strictness = if kind.is_read_only || asked.plans { JudgedBy::ReadOnly } else { JudgedBy::AsSession };
    let folder = context.work.folder.get();
    let own_folder = Arc::new(WorkingFolder::new(folder.clone()));
    let memory = if kind.memory { context.setup.memory.text() } else { String::new() };
    let surroundings = SystemFacts {
        project: &context.setup.project,
        folder: &folder,
        caged: context.setup.kernel().read_only.holds(),
        memory: &memory,
        present: "",
    };
    let prompt = agent_prompt(&kind.prompt, &surroundings);
    let caller = CallerContext {
        identity: CallerIdentity::Agent {
            id: id.clone(),
            kind: Box::new(kind),
            folder: own_folder,
            plans: asked.plans.then(Arc::default),
            task: asked.description.clone(),
        },
        judged_by: strictness,
        cancel: call.caller.cancel.clone(),
    };
    let tools = call.toolbox.offered_to_agent(|tool| caller.has(tool));
    let caller_hands_in = caller.has(&ToolName::ExitPlanMode.into());
    let short = lean_tools(&tools);
    let heads = Heads { lean: RequestHead::new(prompt.clone(), short), full: RequestHead::new(prompt, tools) };
    let mut conversation = Conversation::new(Arc::clone(&heads.full), format!("{}-{}", context.setup.id, id.0));
    match context.agent_reminder(id) {
        Some(reminder) => conversation.add_text(reminder),
        None if asked.plans => {
            let hands_in = if caller_hands_in { HAND_IN } else { "" };
            conversation.add_text(format!("<system-reminder>\n{ONLY_READS}{hands_in}\n</system-reminder>"));
        }
        None => {}
    }
    // Words of a model, which may have them from a file: no reminder of ours is among them.
    conversation.add_spoken(Speaker::Human, Block::text(defuse_str(&asked.prompt)));
    Driver {
        context: Arc::clone(context),
        caller: Arc::new(caller),
        toolbox: Arc::clone(&call.toolbox),
        conversation,
        heads,
        turn: Turn::of_agent(MAX_ROUNDS.min(context.setup.live().settings.max_rounds)),
        offering: None,
        model: Some(model),
        calls: 0,
        refused: 0,
        tokens: 0,
        shown: Vec::new(),
        last_text: String::new(),
        continues: false,
        parked: None,
        judged: Default::default(),
        plan_before: None,
        findings: None,
        cache: CacheWatch::default(),
    }
}

fn handed_back(
    context: &SessionContext,
    id: &AgentId,
    driver: &Driver,
    ended: TurnOutcome,
    begun: AgentRecord,
) -> CallResult {
    let words: String = driver.last_text.chars().take(MAX_ANSWER_BYTES).collect();
    let (outcome, done) = match ended {
        TurnOutcome::Done if let Some(plan) = driver.caller.handed_plan() => {
            let line = if plan.receipt.is_some() { "its plan is approved" } else { "handed in a plan" };
            let body = ShownBody::Markdown { text: plan.text };
            let shown = ShownCall { line: format!("{line}, {}", fore_text::count(driver.calls, "call")), body };
            (CallOutcome::Done, CallResult::of(Output::text(plan.words, shown)))
        }
        TurnOutcome::Done if !words.trim().is_empty() => {
            save_notes(context, id, &words);
            let line = fore_text::count(driver.calls, "call");
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
        TurnOutcome::ModelFailed { why } | TurnOutcome::NoAnswer { why } | TurnOutcome::NotSent { why } => {
            (CallOutcome::Failed, failed(format!("the agent failed: {why}"), &why))
        }
        TurnOutcome::OverBudget { why } => {
            let text =
                format!("The agent was stopped, because the person's budget is used up. Its last words: {words}");
            (CallOutcome::Failed, failed(text, &why))
        }
        TurnOutcome::PlanAwaits { .. } | TurnOutcome::PlanSaved { .. } => {
            (CallOutcome::Failed, CallResult::of(Output::error("the agent ended without an answer")))
        }
    };
    let (calls, refused, tokens) = (driver.calls, driver.refused, driver.tokens);
    let plan = driver.caller.handed_plan().and_then(|plan| plan.receipt);
    let agent = AgentRecord { outcome: outcome.clone(), calls, refused, tokens, plan, ..begun };
    context.person.events.send(Event::AgentFinished { agent: id.clone(), outcome, calls, tokens, refused });
    CallResult { agent: Some(agent), ..done }
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
    if !context.ledger.is_planning() {
        return;
    }
    if let Some(name) = notes_file(&context.ledger, id)
        && let Err(error) = PlanFolder::of_home(&context.setup.home).write(&name, words)
    {
        context.person.notice(crate::event::NoticeLevel::Warning, format!("The agent's notes were not kept: {error}"));
    }
}

/// The file of what an agent found: named after the plan (B3), so there is none without one.
pub(super) fn notes_file(ledger: &Ledger, id: &AgentId) -> Option<PlanFileName> {
    let path = ledger.plan_path()?;
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
