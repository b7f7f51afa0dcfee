//! The loop of a session: takes commands, plays turns, and goes on taking commands while a turn plays.

use super::{
    caller::CallerContext,
    custom_turn::NoCommand,
    drive::Driver,
    history::{compact::CompactionCause, shown_message::ShownBetween},
    made_prompt::MadePrompt,
    open::OpenedSession,
    open_checks,
    person::{
        PersonLink,
        pending_questions::GivenAnswer,
        prompts::{Prompts, QueuedPrompt},
    },
    plan_end::end_plan,
    reload::ReloadCause,
    session_context::SessionContext,
    team::{self, TurnStanding, mail::AfterMail},
    trusted_folder::trust_folder,
    undo,
};
use crate::{
    cancel::Cancel,
    command::{Command, CommandReceiver, DutyName, PromptTiming, QuestionId},
    event::{ContextCutReason, Event, NoticeLevel, TurnOutcome},
    lock::lock,
    model_handle::ModelHandle,
    turn::{Turn, TurnEffect, TurnInput},
    undo::UndoDirection,
};
use fore_hooks::HookEvent;
use fore_plan::{Actor, Change, Mode, ModeReason, ModeTarget, Refusal, plan::PlanStage, reminder::Notice, transition};
use fore_store::entry::Cut;
use fore_text::cut;
use std::{sync::Arc, time::Duration};

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
pub(super) async fn run(opened: OpenedSession, mut commands: CommandReceiver) {
    let OpenedSession { mut driver, left, starts_work, source } = opened;
    let context = Arc::clone(&driver.context);
    beside_hooks(&context, &mut commands, HookEvent::SessionStart, context.hooks_of_start(source)).await;
    if !left.is_empty() {
        let calls = driver.with_concurrency(left).await;
        let (turn, effects) = Turn::left_with(context.setup.live().settings.max_rounds, calls);
        let _ = turn_with(&mut driver, turn, effects, &mut commands).await;
    } else if starts_work {
        driver.introduce();
        let words = std::mem::take(&mut context.person.prompts().reminders);
        words.iter().for_each(|words| driver.remind(words));
        context.work.hooks.begin_prompt();
        context.hooks_of_applied_plan();
        context.work.spending.begin_turn();
        context.begin_undo_turn("(an approved plan)");
        let (turn, effects) = begun(context.setup.live().settings.max_rounds);
        let _ = turn_with(&mut driver, turn, effects, &mut commands).await;
    }
    team::start::resume(&context).await;
    team::mail::begun(&context).await;
    while next(&mut driver, &mut commands).await == LoopState::On {}
    team::start::leave(&context).await;
    context.hooks_of_end("other").await;
    context.work.hooks.settle().await;
    context.work.running.stop_all();
    context.work.background.stop_all();
    context.setup.servers.stop_all();
    context.setup.cages.end_left_behind();
    let typed = std::mem::take(&mut *lock(&context.work.typed_runs));
    for run in typed {
        // They were stopped; one that does not end is not waited for.
        let _ = tokio::time::timeout(MAX_TYPED_WAIT, run).await;
    }
    // Of what ran in the background, too.
    context.audit_connections();
    driver.add_remarks();
    context.ledger.sync();
    context.person.events.send(Event::Closed);
}

fn begun(most_rounds: u32) -> (Turn, Vec<TurnEffect>) {
    let mut turn = Turn::new(most_rounds);
    let effects = turn.step(TurnInput::Begin);
    (turn, effects)
}

/// Does the next thing: a prompt that waits, a command that was put off, or whatever comes in.
async fn next(driver: &mut Driver, commands: &mut CommandReceiver) -> LoopState {
    let context = Arc::clone(&driver.context);
    driver.add_remarks();
    let (later, prompt, is_closing) = {
        let mut prompts = context.person.prompts();
        let later = prompts.take_later();
        let prompt = if later.is_none() { prompts.take_next() } else { None };
        (later, prompt, prompts.is_closing)
    };
    if is_closing {
        return LoopState::Over;
    }
    let command = match (later, prompt) {
        (Some(command), _) => Some(command),
        (None, Some(QueuedPrompt::Words(text))) => Some(Command::Prompt { text, when: PromptTiming::Queue }),
        (None, Some(QueuedPrompt::Command { line, or_words })) => Some(Command::Custom { line, or_words }),
        (None, None) => tokio::select! {
            biased;
            () = context.person.remarked.notified() => return LoopState::On,
            () = context.settings_changed() => {
                context.reload_settings(ReloadCause::Noticed);
                return LoopState::On;
            }
            command = commands.next(&context.person.events) => command,
            () = team::mail::arrived(&context) => return mail_turn(driver, commands).await,
        },
    };
    match command {
        None | Some(Command::Close) => return LoopState::Over,
        Some(Command::Prompt { text, .. }) => prompt_turn(driver, &text, commands).await,
        Some(Command::Custom { line, or_words }) => custom_turn(driver, &line, or_words, commands).await,
        Some(Command::Compact { .. }) if driver.conversation.has_no_answer() => {
            context.person.notice(NoticeLevel::Info, "There is nothing to summarise yet.");
        }
        Some(Command::Compact { keep }) => {
            // The call of a request that waits would be summarised away, and its answer belong to nothing.
            driver.take_request_back();
            driver.caller = Arc::new(CallerContext::main(context.work.new_turn()));
            let compacting = driver.compact(&keep, CompactionCause::Asked);
            match while_listening(&context, commands, compacting).await {
                Ok(()) => {
                    let started = context.hooks_of_start("compact");
                    beside_hooks(&context, commands, HookEvent::SessionStart, started).await;
                }
                Err(why) => {
                    context.person.notice(NoticeLevel::Warning, format!("The history was not summarised: {why}"));
                }
            }
        }
        Some(Command::Clear) => {
            beside_hooks(&context, commands, HookEvent::SessionEnd, context.hooks_of_end("clear")).await;
            clear(driver);
            beside_hooks(&context, commands, HookEvent::SessionStart, context.hooks_of_start("clear")).await;
        }
        Some(Command::Rewind) => {
            context.work.undo.forget_prompt();
            driver.rewind();
        }
        Some(Command::Undo { turns }) => {
            let undoing = undo::undo(&context, UndoDirection::Undo, turns);
            while_listening(&context, commands, undoing).await;
        }
        Some(Command::Redo) => {
            while_listening(&context, commands, undo::undo(&context, UndoDirection::Redo, 1)).await;
        }
        Some(Command::GoBack) => while_listening(&context, commands, undo::go_back(driver)).await,
        Some(Command::Report) => report(driver, commands).await,
        Some(command) => live(&context, command),
    }
    LoopState::On
}

/// Mail of the team: what it says is the next thing that the model reads.
async fn mail_turn(driver: &mut Driver, commands: &mut CommandReceiver) -> LoopState {
    let context = Arc::clone(&driver.context);
    driver.caller = Arc::new(CallerContext::main(context.work.new_turn()));
    match team::mail::take(driver).await {
        AfterMail::Nothing => {}
        AfterMail::End => return LoopState::Over,
        AfterMail::Turn => {
            driver.last_text.clear();
            context.work.hooks.begin_prompt();
            let (turn, effects) = begun(context.setup.live().settings.max_rounds);
            let outcome = turn_with(driver, turn, effects, commands).await;
            team::mail::tell_result(driver, &outcome).await;
        }
    }
    LoopState::On
}

async fn prompt_turn(driver: &mut Driver, text: &str, commands: &mut CommandReceiver) {
    if let Err(why) = Prompts::check(text) {
        driver.context.person.notice(NoticeLevel::Warning, why);
        return;
    }
    if let Some(made) = driver.context.mentioning(text) {
        return made_turn(driver, text, Ok(made), commands).await;
    }
    let context = Arc::clone(&driver.context);
    // A prompt while a request waits means: not like this. Chat text is no approval.
    driver.take_request_back();
    // What the person has just saved counts for what they have just said.
    context.catch_up_with_settings().await;
    context.person.take_switch();
    let caller = CallerContext::main(context.work.new_turn());
    let asked = context.hooks_of_prompt(&caller, text);
    let words = match beside_hooks(&context, commands, HookEvent::UserPromptSubmit, asked).await {
        Ok(words) => words,
        Err(why) => {
            context.person.prompts().pictures.clear();
            context.person.events.send(Event::PromptTaken { text: text.to_owned() });
            context.person.events.send(Event::TurnStarted);
            context.person.events.send(Event::TurnEnded { outcome: TurnOutcome::NoAnswer { why } });
            return;
        }
    };
    plan_without_model(&context, text);
    context.work.spending.begin_turn();
    context.begin_undo_turn(text);
    driver.add_prompt_with(text, &words);
    let (turn, effects) = begun(context.setup.live().settings.max_rounds);
    let _ = turn_with(driver, turn, effects, commands).await;
}

/// A custom command, or a prompt of a server.
async fn custom_turn(driver: &mut Driver, line: &str, or_words: bool, commands: &mut CommandReceiver) {
    match (driver.context.called_line(line), or_words) {
        (Err(NoCommand::Unknown(_)), true) => prompt_turn(driver, line, commands).await,
        (made, _) => made_turn(driver, line, made, commands).await,
    }
}

/// A prompt that is made by calls, and then played like any other. What a command was allowed ends with its turn.
async fn made_turn(
    driver: &mut Driver,
    line: &str,
    made: Result<MadePrompt, NoCommand>,
    commands: &mut CommandReceiver,
) {
    let context = Arc::clone(&driver.context);
    let not_sent = |why: String| {
        context.setup.held.end_turn();
        context.person.events.send(Event::TurnEnded { outcome: TurnOutcome::NotSent { why } });
    };
    context.person.events.send(Event::PromptTaken { text: line.trim().to_owned() });
    context.person.events.send(Event::TurnStarted);
    let made = match made {
        Ok(made) => made,
        Err(NoCommand::Unknown(why) | NoCommand::Refused(why)) => return not_sent(why),
    };
    driver.take_request_back();
    context.catch_up_with_settings().await;
    context.person.take_switch();
    driver.caller = Arc::new(CallerContext::main(context.work.new_turn()));
    let (caller, toolbox) = (Arc::clone(&driver.caller), Arc::clone(&driver.toolbox));
    let prompt = while_listening(&context, commands, made.make(&context, &caller, &toolbox)).await;
    let (wishes, prompt) = match prompt {
        Ok(prompt) => prompt,
        Err(why) => return not_sent(format!("{} was not sent: {why}", made.name())),
    };
    if let Err(why) = Prompts::check(&prompt) {
        return not_sent(why.to_owned());
    }
    let spoken = made.spoken(&prompt);
    let asked = context.hooks_of_prompt(&caller, spoken);
    let words = match beside_hooks(&context, commands, HookEvent::UserPromptSubmit, asked).await {
        Ok(words) => words,
        Err(why) => return not_sent(why),
    };
    plan_without_model(&context, spoken);
    context.work.spending.begin_turn();
    context.begin_undo_turn(made.line());
    driver.add_command_prompt(made.line(), &prompt, &words);
    driver.model = wishes.model;
    let (turn, effects) = begun(context.setup.live().settings.max_rounds);
    let _ = turn_that_began(driver, turn, effects, commands).await;
    driver.model = None;
    context.setup.held.end_turn();
}

/// Without a language model nothing can be changed, so a request is planned at once, whatever the mode. A question is answered
/// in the mode that is set.
fn plan_without_model(context: &SessionContext, text: &str) {
    let is_scout = matches!(context.work.model(context.duty()), ModelHandle::Scout);
    let state = context.ledger.state();
    if !is_scout || !crate::scout::plans(text) {
        return;
    }
    if let Ok(Some(change)) = transition(&state, ModeTarget::Plan, Actor::Model, ModeReason::NoModel) {
        context.must_record(change);
    }
}

async fn turn_with(
    driver: &mut Driver,
    turn: Turn,
    effects: Vec<TurnEffect>,
    commands: &mut CommandReceiver,
) -> TurnOutcome {
    let context = Arc::clone(&driver.context);
    driver.caller = Arc::new(CallerContext::main(context.work.new_turn()));
    context.person.events.send(Event::TurnStarted);
    turn_that_began(driver, turn, effects, commands).await
}

/// The same for a turn that the person was told of, with the caller that it has already.
async fn turn_that_began(
    driver: &mut Driver,
    turn: Turn,
    effects: Vec<TurnEffect>,
    commands: &mut CommandReceiver,
) -> TurnOutcome {
    let context = Arc::clone(&driver.context);
    driver.turn = turn;
    driver.plan_before = context.ledger.plan_hash();
    context.tell_team_status(TurnStanding::Runs).await;
    let playing = driver.play_to_the_end(effects);
    let outcome = while_listening(&context, commands, playing).await;
    end_plan(driver, &outcome, commands).await;
    context.remember_work_beside().await;
    context.audit_connections();
    context.look_at_settings();
    context.tell_commands();
    driver.add_remarks();
    // A request that still waits is offered again on resume, so its turn has not really ended.
    let shown = ShownBetween::turn_ended(&outcome).filter(|_| context.ledger.state().pending().is_none());
    shown.iter().for_each(|shown| context.ledger.note_shown(shown));
    context.ledger.sync();
    context.tell_team_status(TurnStanding::Rests).await;
    context.person.events.send(Event::TurnEnded { outcome: outcome.clone() });
    outcome
}

/// Makes the report, and offers to run the checks that are open. Whoever has other words meanwhile is not waited for.
pub(super) async fn report(driver: &mut Driver, commands: &mut CommandReceiver) {
    let (context, left) = (Arc::clone(&driver.context), Cancel::default());
    let toolbox = Arc::clone(&driver.toolbox);
    let reporting = open_checks::report(&context, &toolbox, &left);
    while_listening_for(&context, commands, reporting, |command| {
        if let Command::Prompt { .. } | Command::Custom { .. } = command {
            left.cancel();
        }
    })
    .await;
}

/// Takes commands while something goes on. Without anybody to send some, the work is stopped.
async fn while_listening<T>(
    context: &Arc<SessionContext>,
    commands: &mut CommandReceiver,
    work: impl Future<Output = T>,
) -> T {
    while_listening_for(context, commands, work, |_| {}).await
}

/// Takes commands while hooks of this event run. Where there are none nothing is waited for, so every command keeps its turn.
async fn beside_hooks<T>(
    context: &Arc<SessionContext>,
    commands: &mut CommandReceiver,
    event: HookEvent,
    work: impl Future<Output = T>,
) -> T {
    let has_some = context.setup.live().settings.hooks.hooks.iter().any(|one| one.hook.event == event && one.runs());
    if has_some { while_listening(context, commands, work).await } else { work.await }
}

/// The same, with somebody who wants to know which commands come.
async fn while_listening_for<T>(
    context: &Arc<SessionContext>,
    commands: &mut CommandReceiver,
    work: impl Future<Output = T>,
    heard: impl Fn(&Command),
) -> T {
    tokio::pin!(work);
    let mut is_open = true;
    loop {
        tokio::select! {
            biased;
            command = commands.next(&context.person.events), if is_open => match command {
                Some(command) => {
                    heard(&command);
                    live(context, command);
                }
                None => {
                    is_open = false;
                    close(context);
                }
            },
            () = context.settings_changed() => context.reload_settings(ReloadCause::Noticed),
            done = &mut work => return done,
        }
    }
}

fn close(context: &SessionContext) {
    context.person.prompts().is_closing = true;
    context.work.interrupt();
}

/// A command that takes effect at once, also in the middle of a turn.
fn live(context: &Arc<SessionContext>, command: Command) {
    let Some(command) = context.route_to_team(command) else { return };
    match command {
        Command::Prompt { text, when } => {
            let pushed = context.person.prompts().push(text.clone(), when);
            queued(context, text, pushed);
        }
        Command::Custom { line, or_words } => {
            let pushed = context.person.prompts().push_command(line.clone(), or_words);
            queued(context, line, pushed);
        }
        Command::Attach { pictures } => attach(context, pictures),
        Command::Interrupt => context.work.interrupt(),
        Command::TakeBack => {
            let texts = context.person.prompts().take_back();
            context.person.events.send(Event::PromptsReturned { texts });
        }
        Command::Mode { to } => choose_mode(context, to, ModeReason::Chosen),
        Command::CycleMode => {
            let state = context.ledger.state();
            choose_mode(context, state.mode().next_in_cycle(state.openings()), ModeReason::Cycled);
        }
        Command::LeavePlanMode => refused(&context.person, None, context.switch(ModeTarget::Beneath, ModeReason::Left)),
        Command::Reply { question, reply } => give(&context.person, &question, GivenAnswer::Reply(reply)),
        Command::FillForm { question, answers } => give(&context.person, &question, GivenAnswer::Form(answers)),
        Command::ConfirmPlanning { question, yes } => give(&context.person, &question, GivenAnswer::Confirmed(yes)),
        Command::Approval(response) => {
            let question = QuestionId(response.agent_id.clone());
            give(&context.person, &question, GivenAnswer::Approval(response));
        }
        Command::ReadContract { text, steps, added } => super::approval::read_contract(context, text, steps, added),
        Command::Model { name, duty } => change_model(context, name, duty),
        Command::Typed { line } => super::typed::start(context, line),
        Command::ReloadSettings => {
            context.reload_settings(ReloadCause::Asked);
            context.tell_commands();
        }
        Command::Trust { trusted } => {
            trust_folder(context, trusted);
            // What the repository says may count now, or no longer.
            if context.setup.reader.is_some() {
                context.reload_settings(ReloadCause::Noticed);
            }
        }
        Command::Hooks => context.tell_hooks(),
        Command::Report => {
            let there = Arc::clone(context);
            drop(context.setup.runtime.spawn_blocking(move || drop(there.tell_report())));
        }
        Command::Spending => {
            let there = Arc::clone(context);
            drop(context.setup.runtime.spawn_blocking(move || there.tell_spending()));
        }
        Command::ShowPlan => context.ledger.show_plan(),
        Command::TestPermission { line } => super::permissions::test(context, line),
        Command::Forget { what } => super::permissions::forget(context, &what),
        Command::Background { stop } => background(context, stop),
        Command::Mcp { wish } => context.mcp_wish(wish),
        Command::Team { wish } => team::wishes::start(context, wish),
        Command::EditPlan { text } => context.plan_edited(&text),
        Command::Detach => context.person.detach(),
        Command::Compact { .. } | Command::Clear | Command::Rewind => put_off(context, command),
        Command::Undo { .. } | Command::Redo | Command::GoBack => {
            let text = "The agent is at work; stop it first (Esc), then undo.";
            context.person.notice(NoticeLevel::Warning, text);
        }
        Command::Close => close(context),
    }
}

/// Lists what runs in the background, after one of it was stopped. Waiting for its end holds up nobody.
fn background(context: &Arc<SessionContext>, stop: Option<String>) {
    let context = Arc::clone(context);
    let work = move || {
        if let Some(id) = stop
            && context.work.background.stop(&id).is_empty()
        {
            let why = format!("There is no background command `{}`.", fore_text::line(cut::chars(&id, 40)));
            context.person.notice(NoticeLevel::Warning, why);
        }
        context.person.events.send(Event::Background { running: context.work.background.list() });
    };
    drop(tokio::task::spawn_blocking(work));
}

/// Says that a prompt waits, or why it does not.
fn queued(context: &SessionContext, text: String, pushed: Result<usize, &'static str>) {
    match pushed {
        Ok(waiting) => context.person.events.send(Event::PromptQueued { text, waiting }),
        Err(why) => context.person.notice(NoticeLevel::Warning, why),
    }
}

/// Keeps pictures for the next prompt. What cannot be sent is said, and the others are kept.
fn attach(context: &SessionContext, pictures: Vec<fore_model::Image>) {
    for picture in pictures {
        let kept = context.person.prompts().attach(picture);
        if let Err(why) = kept {
            context.person.notice(NoticeLevel::Warning, why);
        }
    }
}

/// What has to wait until the turn ends.
fn put_off(context: &SessionContext, command: Command) {
    let is_summary = matches!(command, Command::Compact { .. });
    if matches!(command, Command::Rewind) {
        // What is taken back need not go on; the rewind comes before every prompt that waits.
        context.work.interrupt();
    }
    let postponed = context.person.prompts().postpone(command);
    match postponed {
        Ok(()) if is_summary => {
            context.person.notice(NoticeLevel::Info, "The conversation will be summarised when this turn ends.");
        }
        Ok(()) => {}
        Err(why) => context.person.notice(NoticeLevel::Warning, why),
    }
}

fn choose_mode(context: &SessionContext, to: Mode, reason: ModeReason) {
    refused(&context.person, Some(to), context.switch(ModeTarget::from(to), reason));
}

/// Says why a mode is not taken, and which one was chosen.
fn refused(person: &PersonLink, chosen: Option<Mode>, switched: Result<(), Refusal>) {
    if let Err(refusal) = switched {
        let (why, way_out) = refusal.for_person();
        let why = format!("{why} {way_out}");
        chosen.into_iter().for_each(|to| person.events.send(Event::ModeRefused { to, why: why.clone() }));
        person.notice(NoticeLevel::Warning, why);
    }
}

fn give(person: &PersonLink, question: &QuestionId, given: GivenAnswer) {
    if let Err(why) = person.questions.give(question, given) {
        person.notice(NoticeLevel::Warning, format!("The answer did not count: {why}."));
    }
}

/// Takes another model, at once where that is possible. A key command that takes its time keeps nobody from anything.
fn change_model(context: &Arc<SessionContext>, name: String, duty: Option<DutyName>) {
    let (done, changed) = std::sync::mpsc::channel();
    let shared = Arc::clone(context);
    context.setup.runtime.spawn_blocking(move || {
        use_model(&shared, &name, duty);
        let _ = done.send(());
    });
    let _ = changed.recv_timeout(MAX_MODEL_WAIT);
}

fn use_model(context: &SessionContext, name: &str, duty: Option<DutyName>) {
    match context.work.find_model(name) {
        Ok(handle) => {
            let model = handle.name();
            context.work.replace_model(handle, duty.map(Into::into));
            context.person.events.send(Event::ModelChanged { model, duty });
        }
        Err(why) => {
            context.person.events.send(Event::ModelRefused { name: name.to_owned(), why: why.clone() });
            context.person.notice(NoticeLevel::Warning, why);
        }
    }
}

/// Empties what the model sees; the plan comes back with the next prompt, by the bytes that count (E3). One that was approved
/// ends here, and the level that came with it (M8).
fn clear(driver: &mut Driver) {
    driver.take_request_back();
    let context = &driver.context;
    let state = context.ledger.state();
    if let Some(plan) =
        state.plan().filter(|plan| plan.receipt.is_some() && plan.stage.may_become(PlanStage::Abandoned))
    {
        context.must_record(Change::Stage { plan: plan.id.clone(), stage: PlanStage::Abandoned });
    }
    let cleared = context.ledger.session().cut_context(Cut::Cleared);
    match cleared {
        Ok(()) => {
            context.mark_told(&[Notice::Exit]);
            context.forget_what_was_read();
            context.person.events.send(Event::ContextCut { why: ContextCutReason::Cleared });
            let _ = driver.conversation.cut();
        }
        Err(error) => context.person.notice(NoticeLevel::Error, error.to_string()),
    }
}
