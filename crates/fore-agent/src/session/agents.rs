//! Subagents: conversations of their own that share the session's state, gate and cages, and hand back their last words.
//!
//! One can never do more than the session that started it: its calls are judged by the session's state at that moment or
//! by a stricter one, it has no plan-mode tools, and it starts no agents of its own.

use super::{
    call::{Call, Done},
    desk::Desk,
    drive::Driver,
    seat::{Seat, Strictness, Who},
};
use crate::{
    agents::{AgentKind, AgentModel},
    brain::Brain,
    context::{Surroundings, Talk, agent_prompt},
    control::agent::{self, AgentCall},
    event::{AgentId, Event, Outcome, Shown, TurnOutcome},
    output::Output,
    tools::WorkingFolder,
    turn::{Input, Turn},
};
use fore_model::{Block, Duty, Head};
use fore_plan::plan::slug::PlanFileName;
use fore_store::{PlanFolder, entry::Speaker};
use std::sync::Arc;

/// Rounds of calls that an agent has.
const MOST_ROUNDS: u32 = 60;
/// What an agent is told that shall only read although its session does not plan.
const ONLY_READS: &str = "<system-reminder>\nYou may only read in this task: every call that could change something is \
     refused. Hand back what you found; what should be changed goes into your answer.\n</system-reminder>";
/// Letters of the line that says why an agent failed.
const MOST_WHY_LETTERS: usize = 200;
/// The longest answer that is handed back.
const MOST_ANSWER_BYTES: usize = 60_000;

/// Runs a subagent to its end.
pub(super) async fn run(call: &Call) -> Done {
    let asked = match agent::parse(&call.input) {
        Ok(asked) => asked,
        Err(wrong) => return Done::of(Output::error(wrong)),
    };
    let Some(kind) = call.desk.kinds.get(&asked.kind).cloned() else {
        let names = call.desk.kinds.names().join(", ");
        return Done::of(Output::error(format!("there is no agent `{}`; there are: {names}", asked.kind)));
    };
    // Its key may come from a command that takes its time.
    let (desk, wanted) = (Arc::clone(&call.desk), kind.clone());
    let found = tokio::select! {
        biased;
        () = call.seat.cancel.cancelled() => return interrupted(),
        found = tokio::task::spawn_blocking(move || brain_of(&desk, &wanted)) => found,
    };
    let (brain, duty) = match found {
        Ok(Ok(found)) => found,
        Ok(Err(why)) => return Done::of(Output::error(why)),
        Err(_) => return Done::of(Output::error("the agent's model could not be found")),
    };
    let place = tokio::select! {
        biased;
        () = call.seat.cancel.cancelled() => return interrupted(),
        place = call.desk.seats.acquire() => place,
    };
    let Ok(_place) = place else {
        return Done::of(Output::error("the session is ending"));
    };
    if call.seat.cancel.is_cancelled() {
        return interrupted();
    }
    let id = AgentId(call.id.0.replace("call-", "a"));
    let desk = Arc::clone(&call.desk);
    desk.outbox.send(Event::AgentStarted {
        agent: id.clone(),
        kind: kind.name.clone(),
        task: asked.description.clone(),
        model: brain.name(),
    });
    let mut driver = driver(call, &id, kind, &asked, (brain, duty));
    let effects = driver.turn.step(Input::Begin);
    // Boxed: an agent's turn is a turn of the same kind as the one that started it.
    let ended = Box::pin(driver.play(effects)).await;
    handed_back(&desk, &id, &driver, ended)
}

fn interrupted() -> Done {
    Done { outcome: Outcome::Interrupted, ..Done::of(Output::error("The person interrupted the turn.")) }
}

fn brain_of(desk: &Desk, kind: &AgentKind) -> Result<(Brain, Duty), String> {
    let duty = desk.duty();
    match &kind.model {
        AgentModel::Inherit => Ok((desk.brain(duty), duty)),
        AgentModel::Small => Ok((desk.brain(Duty::Small), Duty::Small)),
        AgentModel::Named(name) => {
            let choose = super::desk::lock(&desk.brains).choose.clone();
            let brain = choose(name).map_err(|why| format!("the agent `{}` asks for `{name}`: {why}", kind.name))?;
            Ok((brain, duty))
        }
    }
}

fn driver(call: &Call, id: &AgentId, kind: AgentKind, asked: &AgentCall, brain: (Brain, Duty)) -> Driver {
    let desk = &call.desk;
    let strictness = if kind.is_read_only || asked.plans { Strictness::ReadOnly } else { Strictness::AsSession };
    let folder = desk.folder.get();
    let own_folder = Arc::new(WorkingFolder::new(folder.clone()));
    let memory = if kind.memory { desk.memory_text() } else { String::new() };
    let surroundings = Surroundings {
        project: &desk.project,
        folder: &folder,
        caged: desk.kernel().read_only.holds(),
        memory: &memory,
    };
    let prompt = agent_prompt(&kind.prompt, &surroundings);
    let seat = Seat {
        who: Who::Agent { id: id.clone(), kind: Box::new(kind), folder: own_folder },
        strictness,
        cancel: call.seat.cancel.clone(),
    };
    let tools = call.toolbox.offered_to_agent(|tool| seat.has(tool));
    let mut talk = Talk::new(Head::new(prompt, tools), format!("{}-{}", desk.id, id.0));
    match desk.agent_reminder(id) {
        Some(reminder) => talk.add_text(reminder),
        None if asked.plans => talk.add_text(ONLY_READS),
        None => {}
    }
    talk.add_words(Speaker::Human, Block::text(&asked.prompt));
    Driver {
        desk: Arc::clone(desk),
        seat: Arc::new(seat),
        toolbox: Arc::clone(&call.toolbox),
        talk,
        turn: Turn::new(MOST_ROUNDS.min(desk.settings.most_rounds)),
        brain: Some(brain),
        calls: 0,
        last_words: String::new(),
        parked: None,
        plan_before: None,
    }
}

fn handed_back(desk: &Desk, id: &AgentId, driver: &Driver, ended: TurnOutcome) -> Done {
    let words: String = driver.last_words.chars().take(MOST_ANSWER_BYTES).collect();
    let (outcome, done) = match ended {
        TurnOutcome::Done if !words.trim().is_empty() => {
            keep_notes(desk, id, &words);
            let line = if driver.calls == 1 { "1 call".to_owned() } else { format!("{} calls", driver.calls) };
            let shown = Shown::text(line, words.clone());
            (Outcome::Done, Done::of(Output::text(words, shown)))
        }
        TurnOutcome::Done => (Outcome::Failed, Done::of(Output::error("the agent ended without an answer"))),
        TurnOutcome::Interrupted => {
            let output = Output::error("The person interrupted the agent.");
            (Outcome::Interrupted, Done { outcome: Outcome::Interrupted, ..Done::of(output) })
        }
        TurnOutcome::TooManyRounds { rounds } => {
            let text = format!("The agent used up its {rounds} rounds of calls. Its last words: {words}");
            let why = format!("it used up its {rounds} rounds of calls\n\nIts last words: {words}");
            (Outcome::Failed, failed(text, &why))
        }
        TurnOutcome::ModelFailed { why } => (Outcome::Failed, failed(format!("the agent failed: {why}"), &why)),
        TurnOutcome::PlanAwaits { .. } | TurnOutcome::PlanSaved { .. } => {
            (Outcome::Failed, Done::of(Output::error("the agent ended without an answer")))
        }
    };
    let tokens = super::desk::lock(&desk.usage).0.total();
    desk.outbox.send(Event::AgentFinished { agent: id.clone(), outcome, calls: driver.calls, tokens });
    done
}

/// It gave nothing; the person sees why in a line, and the whole of it on demand.
fn failed(model: String, why: &str) -> Done {
    let output = Output::error(model);
    let line: String = why.trim().lines().next().unwrap_or_default().chars().take(MOST_WHY_LETTERS).collect();
    let shown = if line == why.trim() { Shown::line(line) } else { Shown::text(line, why.trim()) };
    Done::of(Output { shown, ..output })
}

/// While the session plans, what an agent found is kept in our own home under the plan's name (B3), also where the plan is
/// the project's: nothing there changes while planning. The program writes it, never the agent.
fn keep_notes(desk: &Desk, id: &AgentId, words: &str) {
    if !desk.plans() {
        return;
    }
    if let Some(name) = notes_file(desk, id)
        && let Err(error) = PlanFolder::of_home(&desk.home).write(&name, words)
    {
        desk.notice(crate::event::NoticeLevel::Warning, format!("The agent's notes were not kept: {error}"));
    }
}

/// The file of what an agent found: named after the plan (B3), so there is none without one.
fn notes_file(desk: &Desk, id: &AgentId) -> Option<PlanFileName> {
    let path = desk.plan_path()?;
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
        assert_eq!((short.outcome, short.output.shown), (Outcome::Failed, Shown::line("no key")));
        let why = format!("{}\nhint: set a key\n", "x".repeat(300));
        let long = failed(format!("the agent failed: {why}"), &why);
        assert_eq!(long.output.shown, Shown::text("x".repeat(200), why.trim()));
    }
}
