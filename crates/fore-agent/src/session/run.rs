//! The loop of a session: takes commands, plays turns, and goes on taking commands while a turn plays.

use super::{
    caller::CallerContext,
    drive::Driver,
    open::OpenedSession,
    pending_questions::GivenAnswer,
    prompts::Prompts,
    session_context::{SessionContext, lock},
};
use crate::{
    command::{CYCLED, Command, QuestionId},
    event::{Event, NoticeLevel, TurnOutcome},
    turn::{Turn, TurnEffect, TurnInput},
};
use fore_plan::{Actor, Change, Mode, ModeTarget, Openings, Refusal, State, plan::PlanStage, reminder::Reminder};
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
enum LoopState {
    On,
    Over,
}

/// Plays the session until it is closed.
pub(super) async fn run(opened: OpenedSession, mut commands: mpsc::Receiver<Command>) {
    let OpenedSession { mut driver, left, starts_work } = opened;
    let context = Arc::clone(&driver.context);
    if !left.is_empty() {
        let calls = driver.with_concurrency(left).await;
        let (turn, effects) = Turn::left_with(context.settings.max_rounds, calls);
        turn_with(&mut driver, turn, effects, &mut commands).await;
    } else if starts_work {
        driver.introduce();
        let (turn, effects) = begun(&context);
        turn_with(&mut driver, turn, effects, &mut commands).await;
    }
    while next(&mut driver, &mut commands).await == LoopState::On {}
    context.running.stop_all();
    context.background.stop_all();
    context.cages.end_left_behind();
    let typed = std::mem::take(&mut *lock(&context.typed_runs));
    for run in typed {
        // They were stopped; one that does not end is not waited for.
        let _ = tokio::time::timeout(MAX_TYPED_WAIT, run).await;
    }
    // Of what ran in the background, too.
    context.audit_connections();
    driver.add_remarks();
    if let Err(error) = context.session().sync() {
        context.notice(NoticeLevel::Error, error.to_string());
    }
    context.events.send(Event::Closed);
}

fn begun(context: &SessionContext) -> (Turn, Vec<TurnEffect>) {
    let mut turn = Turn::new(context.settings.max_rounds);
    let effects = turn.step(TurnInput::Begin);
    (turn, effects)
}

/// Does the next thing: a prompt that waits, a command that was put off, or whatever comes in.
async fn next(driver: &mut Driver, commands: &mut mpsc::Receiver<Command>) -> LoopState {
    let context = Arc::clone(&driver.context);
    driver.add_remarks();
    let (later, prompt, is_closing) = {
        let mut prompts = lock(&context.prompts);
        let later = prompts.take_later();
        let prompt = if later.is_none() { prompts.take_next() } else { None };
        (later, prompt, prompts.is_closing)
    };
    if is_closing {
        return LoopState::Over;
    }
    let command = match (later, prompt) {
        (Some(command), _) => Some(command),
        (None, Some(text)) => Some(Command::Prompt { text, when: crate::command::PromptTiming::Queue }),
        (None, None) => tokio::select! {
            biased;
            () = context.remarked.notified() => return LoopState::On,
            command = take(&context, commands) => command,
        },
    };
    match command {
        None | Some(Command::Close) => return LoopState::Over,
        Some(Command::Prompt { text, .. }) => prompt_turn(driver, &text, commands).await,
        Some(Command::Compact { .. }) if driver.conversation.has_no_answer() => {
            context.notice(NoticeLevel::Info, "There is nothing to summarise yet.");
        }
        Some(Command::Compact { keep }) => {
            // The call of a request that waits would be summarised away, and its answer belong to nothing.
            driver.take_request_back();
            driver.caller = Arc::new(CallerContext::main(context.new_turn()));
            let compacting = driver.compact(&keep);
            if let Err(why) = while_listening(&context, commands, compacting).await {
                context.notice(NoticeLevel::Warning, format!("The history was not summarised: {why}"));
            }
        }
        Some(Command::Clear) => clear(driver),
        Some(Command::Rewind) => driver.rewind(),
        Some(command) => live(&context, command),
    }
    LoopState::On
}

async fn prompt_turn(driver: &mut Driver, text: &str, commands: &mut mpsc::Receiver<Command>) {
    if let Err(why) = Prompts::check(text) {
        driver.context.notice(NoticeLevel::Warning, why);
        return;
    }
    let context = Arc::clone(&driver.context);
    // A prompt while a request waits means: not like this. Chat text is no approval.
    driver.take_request_back();
    context.mode_was_switched.store(false, Ordering::SeqCst);
    driver.add_prompt(text);
    let (turn, effects) = begun(&context);
    turn_with(driver, turn, effects, commands).await;
}

async fn turn_with(driver: &mut Driver, turn: Turn, effects: Vec<TurnEffect>, commands: &mut mpsc::Receiver<Command>) {
    let context = Arc::clone(&driver.context);
    driver.caller = Arc::new(CallerContext::main(context.new_turn()));
    driver.turn = turn;
    driver.plan_before = context.plan_hash();
    context.events.send(Event::TurnStarted);
    let playing = driver.play(effects);
    let outcome = while_listening(&context, commands, playing).await;
    end_plan(&context, &outcome);
    context.audit_connections();
    driver.add_remarks();
    if let Err(error) = context.session().sync() {
        context.notice(NoticeLevel::Error, error.to_string());
    }
    context.events.send(Event::TurnEnded { outcome });
}

/// Takes commands while something goes on. Without anybody to send some, the work is stopped.
async fn while_listening<T>(
    context: &Arc<SessionContext>,
    commands: &mut mpsc::Receiver<Command>,
    work: impl Future<Output = T>,
) -> T {
    tokio::pin!(work);
    let mut is_open = true;
    loop {
        tokio::select! {
            biased;
            command = take(context, commands), if is_open => match command {
                Some(command) => live(context, command),
                None => {
                    is_open = false;
                    close(context);
                }
            },
            done = &mut work => return done,
        }
    }
}

/// The next command. While nobody reads the events, only what stops something is taken; the rest waits in its order.
async fn take(context: &SessionContext, commands: &mut mpsc::Receiver<Command>) -> Option<Command> {
    loop {
        let held = lock(&context.held).len();
        if held > 0 && context.events.has_room_for_commands() {
            return lock(&context.held).pop_front();
        }
        tokio::select! {
            biased;
            command = commands.recv(), if held < MAX_HELD => match command {
                None => return lock(&context.held).pop_front(),
                Some(command) if held == 0 && context.events.has_room_for_commands() => return Some(command),
                Some(command) if command.is_control() && context.events.has_room_for_controls() => return Some(command),
                Some(command) => lock(&context.held).push_back(command),
            },
            () = context.events.room_for_commands(), if held > 0 => {}
        }
    }
}

fn close(context: &SessionContext) {
    lock(&context.prompts).is_closing = true;
    context.interrupt();
}

/// A command that takes effect at once, also in the middle of a turn.
fn live(context: &Arc<SessionContext>, command: Command) {
    match command {
        Command::Prompt { text, when } => {
            let pushed = lock(&context.prompts).push(text.clone(), when);
            match pushed {
                Ok(waiting) => context.events.send(Event::PromptQueued { text, waiting }),
                Err(why) => context.notice(NoticeLevel::Warning, why),
            }
        }
        Command::Interrupt => context.interrupt(),
        Command::TakeBack => {
            let texts = lock(&context.prompts).take_back();
            context.events.send(Event::PromptsReturned { texts });
        }
        Command::Mode { to } => refused(context, context.switch(ModeTarget::from(to), "chosen by the person")),
        Command::CycleMode => {
            let state = context.state();
            let next = state.mode().next_in_cycle(state.openings());
            refused(context, context.switch(ModeTarget::from(next), CYCLED));
        }
        Command::LeavePlanMode => refused(context, context.switch(ModeTarget::Beneath, "left by the person")),
        Command::Reply { question, reply } => give(context, &question, GivenAnswer::Reply(reply)),
        Command::FillForm { question, answers } => give(context, &question, GivenAnswer::Form(answers)),
        Command::ConfirmPlanning { question, yes } => give(context, &question, GivenAnswer::Confirmed(yes)),
        Command::Approval(response) => {
            let question = QuestionId(response.agent_id.clone());
            give(context, &question, GivenAnswer::Approval(response));
        }
        Command::Model { name, duty } => change_model(context, name, duty.map(Into::into)),
        Command::Typed { line } => super::typed::start(context, line),
        Command::Trust { trusted } => trust(context, trusted),
        Command::ShowPlan => context.show_plan(),
        Command::EditPlan { text } => context.plan_edited(&text),
        Command::Detach => {
            context.is_attended.store(false, Ordering::SeqCst);
            context.questions.close_all();
        }
        Command::Compact { .. } | Command::Clear => {
            let is_summary = matches!(command, Command::Compact { .. });
            let postponed = lock(&context.prompts).postpone(command);
            match postponed {
                Ok(()) if is_summary => {
                    context.notice(NoticeLevel::Info, "The history is summarised when this turn has ended.");
                }
                Ok(()) => {}
                Err(why) => context.notice(NoticeLevel::Warning, why),
            }
        }
        Command::Rewind => {
            // What is taken back need not go on; the rewind comes before every prompt that waits.
            context.interrupt();
            if let Err(why) = lock(&context.prompts).postpone(command) {
                context.notice(NoticeLevel::Warning, why);
            }
        }
        Command::Close => close(context),
    }
}

fn refused(context: &SessionContext, switched: Result<(), Refusal>) {
    if let Err(refusal) = switched {
        context.notice(NoticeLevel::Warning, refusal.for_person());
    }
}

fn give(context: &SessionContext, question: &QuestionId, given: GivenAnswer) {
    if let Err(why) = context.questions.give(question, given) {
        context.notice(NoticeLevel::Warning, format!("The answer did not count: {why}."));
    }
}

/// Takes another model, at once where that is possible. A key command that takes its time keeps nobody from anything.
fn change_model(context: &Arc<SessionContext>, name: String, duty: Option<fore_model::Duty>) {
    let (done, changed) = std::sync::mpsc::channel();
    let shared = Arc::clone(context);
    context.runtime.spawn_blocking(move || {
        use_model(&shared, &name, duty);
        let _ = done.send(());
    });
    let _ = changed.recv_timeout(MAX_MODEL_WAIT);
}

fn use_model(context: &SessionContext, name: &str, duty: Option<fore_model::Duty>) {
    let choose = lock(&context.models).choose.clone();
    match choose(name) {
        Ok(handle) => {
            let model = handle.name();
            lock(&context.models).replace(handle, duty);
            let duty = duty.map_or_else(|| "all".to_owned(), |duty| duty.to_string());
            context.events.send(Event::ModelChanged { model, duty });
        }
        Err(why) => context.notice(NoticeLevel::Warning, why),
    }
}

/// What the session may use at all changes with it, so the modes that are open now are told; a level that has closed is
/// left, which is an event of its own.
fn trust(context: &SessionContext, trusted: bool) {
    let openings = Openings { folder_trusted: trusted, ..*context.state().openings() };
    context.must_record(Change::Openings { openings, by: Actor::Person });
    let state = context.state();
    let open = Mode::ALL.into_iter().filter(|mode| match mode {
        Mode::Plan => true,
        Mode::At(level) => state.may_use(*level),
    });
    let names: Vec<&str> = open.map(Mode::name).collect();
    let is_trusted = if trusted { "is trusted" } else { "is not trusted" };
    let text = format!("This folder {is_trusted} in this session; the modes are {}.", names.join(", "));
    context.notice(NoticeLevel::Info, text);
}

/// Empties what the model sees. The plan belongs to what is forgotten, and the level that came with it ends (M8).
fn clear(driver: &mut Driver) {
    driver.take_request_back();
    let context = &driver.context;
    let state = context.state();
    let unfinished = state.plan().filter(|plan| plan.stage.may_become(PlanStage::Abandoned));
    if let Some(plan) = unfinished {
        context.must_record(Change::Stage { plan: plan.id.clone(), stage: PlanStage::Abandoned });
    }
    let cleared = context.session().cut_context(Cut::Cleared);
    match cleared {
        Ok(()) => {
            context.mark_exit_told();
            context.seen.forget_all();
            context.forget_nested_memory();
            context.events.send(Event::ContextCut { why: "cleared".into() });
            let _ = driver.conversation.cut();
            if let Some(plan) = unfinished.filter(|plan| plan.receipt.is_some()) {
                lock(&context.prompts).remind(Reminder::PlanCleared { path: &plan.path }.render());
            }
        }
        Err(error) => context.notice(NoticeLevel::Error, error.to_string()),
    }
}

/// The work on a plan is over when its turn ends by itself and no step of the todo list is left (M8): the level that came
/// with it ends too.
fn end_plan(context: &SessionContext, outcome: &TurnOutcome) {
    let state = context.state();
    let Some(plan) = state.plan().filter(|plan| plan.stage == PlanStage::InProgress) else { return };
    let left = context.session().todos().iter().filter(|todo| todo.status != TodoStatus::Done).count();
    if *outcome != TurnOutcome::Done || state.pre_plan_mode().is_some() {
        return;
    }
    if left > 0 {
        return still_holds(context, &state, left);
    }
    let before = state.mode();
    context.must_record(Change::Stage { plan: plan.id.clone(), stage: PlanStage::Done });
    let after = context.state().mode();
    if before != after {
        // The model was told the level with the approval, so it hears that it ended (M11).
        let words =
            format!("The plan is done, so the level {before} that came with it has ended: {after} holds again.");
        lock(&context.prompts).remind(format!("<system-reminder>\n{words}\n</system-reminder>"));
    }
}

/// The person is told why a level that came with a plan has not ended, and what ends it.
fn still_holds(context: &SessionContext, state: &State, left: usize) {
    let Some(grant) = state.grant().filter(|grant| state.mode() == Mode::At(grant.level)) else { return };
    let steps =
        if left == 1 { "1 step of its todo list is".to_owned() } else { format!("{left} steps of its todo list are") };
    let text = format!(
        "{} still holds, because it was approved for this plan and {steps} open; choose a mode by hand to end it.",
        grant.level
    );
    context.notice(NoticeLevel::Info, text);
}
