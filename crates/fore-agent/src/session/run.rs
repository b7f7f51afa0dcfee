//! The loop of a session: takes commands, plays turns, and goes on taking commands while a turn plays.

use super::{
    call::pace,
    desk::{Desk, lock},
    drive::Driver,
    open::Opened,
    prompts::Prompts,
    seat::Seat,
    waiting::Given,
};
use crate::{
    command::{CYCLED, Command, QuestionId},
    event::{Event, NoticeLevel, TurnOutcome},
    turn::{Effect, Input, Turn},
};
use fore_plan::{Actor, Change, Mode, Openings, Refusal, State, Target, plan::Stage, reminder::Reminder};
use fore_store::entry::{Cut, TodoStatus};
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use tokio::sync::mpsc;

/// Commands that wait until the events are read.
const MAX_HELD: usize = 64;
/// How long a command of the person's own is waited for at the end, once it was stopped.
const MAX_TYPED_WAIT: Duration = Duration::from_secs(2);
/// How long the loop waits for a model that is asked for by name; its key may come from a command that hangs.
const MAX_MODEL_WAIT: Duration = Duration::from_millis(300);

/// Whether the session goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Going {
    On,
    Over,
}

/// Plays the session until it is closed.
pub(super) async fn run(opened: Opened, mut commands: mpsc::Receiver<Command>) {
    let Opened { mut driver, left, starts_work } = opened;
    let desk = Arc::clone(&driver.desk);
    if !left.is_empty() {
        let calls = left.into_iter().map(|call| (pace(&desk, &driver.seat, &call), call));
        let calls = calls.map(|(pace, call)| (call, pace)).collect();
        let (turn, effects) = Turn::left_with(desk.settings.most_rounds, calls);
        turn_with(&mut driver, turn, effects, &mut commands).await;
    } else if starts_work {
        driver.introduce();
        let (turn, effects) = begun(&desk);
        turn_with(&mut driver, turn, effects, &mut commands).await;
    }
    while next(&mut driver, &mut commands).await == Going::On {}
    desk.running.stop_all();
    desk.background.stop_all();
    desk.cages.end_left_behind();
    let typed = std::mem::take(&mut *lock(&desk.typed_runs));
    for run in typed {
        // They were stopped; one that does not end is not waited for.
        let _ = tokio::time::timeout(MAX_TYPED_WAIT, run).await;
    }
    // Of what ran in the background, too.
    desk.audit_connections();
    driver.say_remarks();
    if let Err(error) = desk.session().sync() {
        desk.notice(NoticeLevel::Error, error.to_string());
    }
    desk.outbox.send(Event::Closed);
}

fn begun(desk: &Desk) -> (Turn, Vec<Effect>) {
    let mut turn = Turn::new(desk.settings.most_rounds);
    let effects = turn.step(Input::Begin);
    (turn, effects)
}

/// Does the next thing: a prompt that waits, a command that was put off, or whatever comes in.
async fn next(driver: &mut Driver, commands: &mut mpsc::Receiver<Command>) -> Going {
    let desk = Arc::clone(&driver.desk);
    driver.say_remarks();
    let (later, prompt, is_closing) = {
        let mut prompts = lock(&desk.prompts);
        let later = prompts.take_later();
        let prompt = if later.is_none() { prompts.take_next() } else { None };
        (later, prompt, prompts.is_closing)
    };
    if is_closing {
        return Going::Over;
    }
    let command = match (later, prompt) {
        (Some(command), _) => Some(command),
        (None, Some(text)) => Some(Command::Prompt { text, when: crate::command::When::Queue }),
        (None, None) => tokio::select! {
            biased;
            () = desk.remarked.notified() => return Going::On,
            command = take(&desk, commands) => command,
        },
    };
    match command {
        None | Some(Command::Close) => return Going::Over,
        Some(Command::Prompt { text, .. }) => prompt_turn(driver, &text, commands).await,
        Some(Command::Compact { .. }) if driver.talk.has_no_answer() => {
            desk.notice(NoticeLevel::Info, "There is nothing to summarise yet.");
        }
        Some(Command::Compact { keep }) => {
            // The call of a request that waits would be summarised away, and its answer belong to nothing.
            driver.take_request_back();
            driver.seat = Arc::new(Seat::main(desk.new_turn()));
            let compacting = driver.compact(&keep);
            if let Err(why) = while_listening(&desk, commands, compacting).await {
                desk.notice(NoticeLevel::Warning, format!("The history was not summarised: {why}"));
            }
        }
        Some(Command::Clear) => clear(driver),
        Some(Command::Rewind) => driver.rewind(),
        Some(command) => live(&desk, command),
    }
    Going::On
}

async fn prompt_turn(driver: &mut Driver, text: &str, commands: &mut mpsc::Receiver<Command>) {
    if let Err(why) = Prompts::check(text) {
        driver.desk.notice(NoticeLevel::Warning, why);
        return;
    }
    let desk = Arc::clone(&driver.desk);
    // A prompt while a request waits means: not like this. Chat text is no approval.
    driver.take_request_back();
    desk.mode_was_switched.store(false, Ordering::SeqCst);
    driver.hear(text);
    let (turn, effects) = begun(&desk);
    turn_with(driver, turn, effects, commands).await;
}

async fn turn_with(driver: &mut Driver, turn: Turn, effects: Vec<Effect>, commands: &mut mpsc::Receiver<Command>) {
    let desk = Arc::clone(&driver.desk);
    driver.seat = Arc::new(Seat::main(desk.new_turn()));
    driver.turn = turn;
    driver.plan_before = desk.plan_hash();
    desk.outbox.send(Event::TurnStarted);
    let playing = driver.play(effects);
    let outcome = while_listening(&desk, commands, playing).await;
    end_plan(&desk, &outcome);
    desk.audit_connections();
    driver.say_remarks();
    if let Err(error) = desk.session().sync() {
        desk.notice(NoticeLevel::Error, error.to_string());
    }
    desk.outbox.send(Event::TurnEnded { outcome });
}

/// Takes commands while something goes on. Without anybody to send some, the work is stopped.
async fn while_listening<T>(
    desk: &Arc<Desk>,
    commands: &mut mpsc::Receiver<Command>,
    work: impl Future<Output = T>,
) -> T {
    tokio::pin!(work);
    let mut is_open = true;
    loop {
        tokio::select! {
            biased;
            command = take(desk, commands), if is_open => match command {
                Some(command) => live(desk, command),
                None => {
                    is_open = false;
                    close(desk);
                }
            },
            done = &mut work => return done,
        }
    }
}

/// The next command. While nobody reads the events, only what stops something is taken; the rest waits in its order.
async fn take(desk: &Desk, commands: &mut mpsc::Receiver<Command>) -> Option<Command> {
    loop {
        let held = lock(&desk.held).len();
        if held > 0 && desk.outbox.has_room_for_commands() {
            return lock(&desk.held).pop_front();
        }
        tokio::select! {
            biased;
            command = commands.recv(), if held < MAX_HELD => match command {
                None => return lock(&desk.held).pop_front(),
                Some(command) if held == 0 && desk.outbox.has_room_for_commands() => return Some(command),
                Some(command) if command.is_control() && desk.outbox.has_room_for_controls() => return Some(command),
                Some(command) => lock(&desk.held).push_back(command),
            },
            () = desk.outbox.room_for_commands(), if held > 0 => {}
        }
    }
}

fn close(desk: &Desk) {
    lock(&desk.prompts).is_closing = true;
    desk.interrupt();
}

/// A command that takes effect at once, also in the middle of a turn.
fn live(desk: &Arc<Desk>, command: Command) {
    match command {
        Command::Prompt { text, when } => {
            let pushed = lock(&desk.prompts).push(text.clone(), when);
            match pushed {
                Ok(waiting) => desk.outbox.send(Event::PromptQueued { text, waiting }),
                Err(why) => desk.notice(NoticeLevel::Warning, why),
            }
        }
        Command::Interrupt => desk.interrupt(),
        Command::TakeBack => {
            let texts = lock(&desk.prompts).take_back();
            desk.outbox.send(Event::PromptsReturned { texts });
        }
        Command::Mode { to } => refused(desk, desk.switch(Target::from(to), "chosen by the person")),
        Command::CycleMode => {
            let state = desk.state();
            let next = state.mode().next_in_cycle(state.openings());
            refused(desk, desk.switch(Target::from(next), CYCLED));
        }
        Command::LeavePlanMode => refused(desk, desk.switch(Target::Beneath, "left by the person")),
        Command::Reply { question, reply } => give(desk, &question, Given::Reply(reply)),
        Command::FillForm { question, answers } => give(desk, &question, Given::Form(answers)),
        Command::ConfirmPlanning { question, yes } => give(desk, &question, Given::Confirmed(yes)),
        Command::Approval(response) => {
            let question = QuestionId(response.agent_id.clone());
            give(desk, &question, Given::Approval(response));
        }
        Command::Model { name, duty } => change_model(desk, name, duty.map(Into::into)),
        Command::Typed { line } => super::typed::start(desk, line),
        Command::Trust { trusted } => trust(desk, trusted),
        Command::ShowPlan => desk.show_plan(),
        Command::EditPlan { text } => desk.plan_edited(&text),
        Command::Detach => {
            desk.is_attended.store(false, Ordering::SeqCst);
            desk.waiting.close_all();
        }
        Command::Compact { .. } | Command::Clear => {
            let is_summary = matches!(command, Command::Compact { .. });
            let postponed = lock(&desk.prompts).postpone(command);
            match postponed {
                Ok(()) if is_summary => {
                    desk.notice(NoticeLevel::Info, "The history is summarised when this turn has ended.");
                }
                Ok(()) => {}
                Err(why) => desk.notice(NoticeLevel::Warning, why),
            }
        }
        Command::Rewind => {
            // What is taken back need not go on; the rewind comes before every prompt that waits.
            desk.interrupt();
            if let Err(why) = lock(&desk.prompts).postpone(command) {
                desk.notice(NoticeLevel::Warning, why);
            }
        }
        Command::Close => close(desk),
    }
}

fn refused(desk: &Desk, switched: Result<(), Refusal>) {
    if let Err(refusal) = switched {
        desk.notice(NoticeLevel::Warning, refusal.for_person());
    }
}

fn give(desk: &Desk, question: &QuestionId, given: Given) {
    if let Err(why) = desk.waiting.give(question, given) {
        desk.notice(NoticeLevel::Warning, format!("The answer did not count: {why}."));
    }
}

/// Takes another model, at once where that is possible. A key command that takes its time keeps nobody from anything.
fn change_model(desk: &Arc<Desk>, name: String, duty: Option<fore_model::Duty>) {
    let (done, changed) = std::sync::mpsc::channel();
    let shared = Arc::clone(desk);
    desk.runtime.spawn_blocking(move || {
        use_model(&shared, &name, duty);
        let _ = done.send(());
    });
    let _ = changed.recv_timeout(MAX_MODEL_WAIT);
}

fn use_model(desk: &Desk, name: &str, duty: Option<fore_model::Duty>) {
    let choose = lock(&desk.brains).choose.clone();
    match choose(name) {
        Ok(brain) => {
            let model = brain.name();
            lock(&desk.brains).replace(brain, duty);
            let duty = duty.map_or_else(|| "all".to_owned(), |duty| duty.to_string());
            desk.outbox.send(Event::ModelChanged { model, duty });
        }
        Err(why) => desk.notice(NoticeLevel::Warning, why),
    }
}

/// What the session may use at all changes with it, so the modes that are open now are told; a level that has closed is
/// left, which is an event of its own.
fn trust(desk: &Desk, trusted: bool) {
    let openings = Openings { folder_trusted: trusted, ..*desk.state().openings() };
    desk.must_record(Change::Openings { openings, by: Actor::Person });
    let state = desk.state();
    let open = Mode::ALL.into_iter().filter(|mode| match mode {
        Mode::Plan => true,
        Mode::At(level) => state.may_use(*level),
    });
    let names: Vec<&str> = open.map(Mode::name).collect();
    let is_trusted = if trusted { "is trusted" } else { "is not trusted" };
    let text = format!("This folder {is_trusted} in this session; the modes are {}.", names.join(", "));
    desk.notice(NoticeLevel::Info, text);
}

/// Empties what the model sees. The plan belongs to what is forgotten, and the level that came with it ends (M8).
fn clear(driver: &mut Driver) {
    driver.take_request_back();
    let desk = &driver.desk;
    let state = desk.state();
    let unfinished = state.plan().filter(|plan| plan.stage.may_become(Stage::Abandoned));
    if let Some(plan) = unfinished {
        desk.must_record(Change::Stage { plan: plan.id.clone(), stage: Stage::Abandoned });
    }
    let cleared = desk.session().cut_context(Cut::Cleared);
    match cleared {
        Ok(()) => {
            desk.tell_left();
            desk.seen.forget_all();
            desk.forget_nested_memory();
            desk.outbox.send(Event::ContextCut { why: "cleared".into() });
            let _ = driver.talk.cut();
            if let Some(plan) = unfinished.filter(|plan| plan.receipt.is_some()) {
                lock(&desk.prompts).remind(Reminder::PlanCleared { path: &plan.path }.render());
            }
        }
        Err(error) => desk.notice(NoticeLevel::Error, error.to_string()),
    }
}

/// The work on a plan is over when its turn ends by itself and no step of the todo list is left (M8): the level that came
/// with it ends too.
fn end_plan(desk: &Desk, outcome: &TurnOutcome) {
    let state = desk.state();
    let Some(plan) = state.plan().filter(|plan| plan.stage == Stage::InProgress) else { return };
    let left = desk.session().todos().iter().filter(|todo| todo.status != TodoStatus::Done).count();
    if *outcome != TurnOutcome::Done || state.pre_plan_mode().is_some() {
        return;
    }
    if left > 0 {
        return still_holds(desk, &state, left);
    }
    let before = state.mode();
    desk.must_record(Change::Stage { plan: plan.id.clone(), stage: Stage::Done });
    let after = desk.state().mode();
    if before != after {
        // The model was told the level with the approval, so it hears that it ended (M11).
        let words =
            format!("The plan is done, so the level {before} that came with it has ended: {after} holds again.");
        lock(&desk.prompts).remind(format!("<system-reminder>\n{words}\n</system-reminder>"));
    }
}

/// The person is told why a level that came with a plan has not ended, and what ends it.
fn still_holds(desk: &Desk, state: &State, left: usize) {
    let Some(grant) = state.grant().filter(|grant| state.mode() == Mode::At(grant.level)) else { return };
    let steps =
        if left == 1 { "1 step of its todo list is".to_owned() } else { format!("{left} steps of its todo list are") };
    let text = format!(
        "{} still holds, because it was approved for this plan and {steps} open; choose a mode by hand to end it.",
        grant.level
    );
    desk.notice(NoticeLevel::Info, text);
}
