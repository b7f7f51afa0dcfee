//! Mail of the team becomes a turn. Its effect is in the transcript under the message's id before the message is removed, so a crash in
//! between does nothing twice.

use super::{JoinedTeam, TurnStanding, plans};
use crate::{
    event::{Event, NoticeLevel, TurnOutcome},
    session::{drive::Driver, session_context::SessionContext},
};
use fore_plan::reminder::defuse_str;
use fore_store::entry::{Speaker, StoredMessage};
use fore_team::{MailBody, MessageId, Outgoing, TeamMessage};
use std::{sync::Arc, time::Duration};

/// Messages that one turn takes at most.
const MAX_AT_ONCE: usize = 20;
/// How long mail is waited for before it is looked whether the session still is what it was.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// How long after trouble with the store it is asked again.
const AFTER_TROUBLE: Duration = Duration::from_secs(2);
/// Letters of a teammate's last words that go to the lead.
const MAX_RESULT_CHARS: usize = 16_000;

/// Returns when there may be mail; never where there is no team.
pub(in crate::session) async fn arrived(context: &SessionContext) {
    let Some(joined) = context.setup.team.joined() else { return std::future::pending().await };
    loop {
        match joined.membership.wait_for_mail(MAX_WAIT).await {
            Ok(true) => return,
            Ok(false) => {}
            Err(_) => tokio::time::sleep(AFTER_TROUBLE).await,
        }
    }
}

/// What the mail that was taken leads to.
pub(in crate::session) enum AfterMail {
    /// Nothing to say to the model.
    Nothing,
    /// The model has something to read.
    Turn,
    /// The lead asked this session to end.
    End,
}

/// Takes what lies in the inbox.
pub(in crate::session) async fn take(driver: &mut Driver) -> AfterMail {
    let context = Arc::clone(&driver.context);
    let Some(joined) = context.setup.team.joined().cloned() else { return AfterMail::Nothing };
    let claimed = match joined.membership.claim(MAX_AT_ONCE).await {
        Ok(claimed) => claimed,
        Err(error) => {
            context.person.notice(NoticeLevel::Warning, format!("The mail of the team was not read: {error}"));
            tokio::time::sleep(AFTER_TROUBLE).await;
            return AfterMail::Nothing;
        }
    };
    for aside in claimed.set_aside {
        let text = format!("What lay in the inbox as {} is not a message and was put aside: {}", aside.name, aside.why);
        context.person.notice(NoticeLevel::Warning, text);
    }
    let mut after = AfterMail::Nothing;
    for message in claimed.messages {
        let id = message.id;
        let one = if is_on_record(&context, id) { AfterMail::Nothing } else { act_on(driver, &joined, message).await };
        context.ledger.sync();
        if let Err(error) = joined.membership.done(id).await {
            context.person.notice(NoticeLevel::Warning, format!("A message of the team was not put away: {error}"));
        }
        after = match (after, one) {
            (AfterMail::End, _) | (_, AfterMail::End) => AfterMail::End,
            (AfterMail::Turn, _) | (_, AfterMail::Turn) => AfterMail::Turn,
            (AfterMail::Nothing, AfterMail::Nothing) => AfterMail::Nothing,
        };
    }
    after
}

async fn act_on(driver: &mut Driver, joined: &Arc<JoinedTeam>, message: TeamMessage) -> AfterMail {
    let context = Arc::clone(&driver.context);
    let TeamMessage { id, from, body, .. } = message;
    let from = from.to_string();
    match body {
        MailBody::Text(text) => {
            show(&context, joined, &from, &text);
            if joined.is_lead() {
                driver.remind(&filled(include_str!("told/message.md"), id, &from, &text));
            } else {
                assigned(driver, joined, id, &from, &text);
            }
            AfterMail::Turn
        }
        MailBody::Idle(text) => {
            show(&context, joined, &from, &text);
            driver.remind(&filled(include_str!("told/message.md"), id, &from, &text));
            AfterMail::Turn
        }
        MailBody::PlanRequest(request) => {
            joined.changed.notify_waiters();
            plans::reminder_for_lead(&context, id, &from, &request).map_or(AfterMail::Nothing, |words| {
                driver.remind(&words);
                AfterMail::Turn
            })
        }
        MailBody::PlanResponse(response) => match plans::answered(driver, joined, &response).await {
            Some(words) => {
                // The id is part of what is recorded, so the same answer is not read twice.
                driver.remind(&format!(
                    "<system-reminder>\nMessage {id}: your plan was decided about.\n</system-reminder>\n{words}"
                ));
                AfterMail::Turn
            }
            None => AfterMail::Nothing,
        },
        MailBody::PlanWithdrawn(_) => {
            joined.changed.notify_waiters();
            AfterMail::Nothing
        }
        MailBody::TaskAssigned(task) => {
            let text = format!("Task {task} of the team is yours.");
            show(&context, joined, &from, &text);
            assigned(driver, joined, id, &from, &text);
            AfterMail::Turn
        }
        MailBody::ShutdownRequest(reason) => {
            show(&context, joined, &from, &reason);
            let answer = MailBody::ShutdownResponse { ends: true, reason: String::new() };
            send(&context, joined, answer).await;
            AfterMail::End
        }
        MailBody::ShutdownResponse { .. } => {
            joined.changed.notify_waiters();
            AfterMail::Nothing
        }
    }
}

/// Words of the lead or of another teammate are what a teammate works on, so the reminders that go with a prompt go with them.
fn assigned(driver: &mut Driver, joined: &JoinedTeam, id: MessageId, from: &str, text: &str) {
    let context = Arc::clone(&driver.context);
    context.ledger.set_task(text);
    context.begin_undo_turn(text);
    for reminder in context.reminders_for_prompt(driver.conversation.is_new()) {
        driver.remind(&reminder);
    }
    let membership = &joined.membership;
    let ours = include_str!("told/task.md")
        .replace("{name}", membership.name().as_str())
        .replace("{team}", membership.team().as_str())
        .replace("{lead}", membership.lead().as_str());
    let words = filled(&ours, id, from, text);
    driver.remind(&words);
}

/// One of our texts around one of theirs, which comes last and cannot speak as a reminder.
pub(super) fn filled(text: &str, id: MessageId, from: &str, theirs: &str) -> String {
    let (ours, _) = text.split_once("{text}").unwrap_or((text, ""));
    format!("{}{}", ours.replace("{id}", &id.to_string()).replace("{from}", from), defuse_str(theirs))
}

fn show(context: &SessionContext, joined: &JoinedTeam, from: &str, text: &str) {
    let to = joined.membership.name().to_string();
    context.person.events.send(Event::TeamMessage { from: from.to_owned(), to, text: text.to_owned() });
}

/// Whether the effect of this message is in the transcript: only the program writes such an entry.
fn is_on_record(context: &SessionContext, id: MessageId) -> bool {
    let mark = format!("<system-reminder>\\nMessage {id}");
    let other = format!("Message {id} from ");
    let is_it = |saved: &StoredMessage| {
        let text = saved.content.get();
        saved.meta && saved.speaker == Speaker::Program && (text.contains(&mark) || text.contains(&other))
    };
    context.ledger.session().conversation().iter().rev().any(is_it)
}

/// To the lead. What cannot be sent is said.
async fn send(context: &SessionContext, joined: &JoinedTeam, body: MailBody) {
    let message = Outgoing::new(joined.membership.lead().clone(), body);
    if let Err(error) = joined.membership.send(message).await {
        context.person.notice(NoticeLevel::Error, format!("Your lead was not told: {error}"));
    }
}

/// A turn that mail began is over: its last words are what the lead waits for.
pub(in crate::session) async fn tell_result(driver: &Driver, outcome: &TurnOutcome) {
    let context = &driver.context;
    let Some(joined) = context.setup.team.joined().filter(|joined| !joined.is_lead()) else { return };
    let words = match outcome {
        TurnOutcome::Done => driver.last_text.trim().to_owned(),
        // The request says it.
        TurnOutcome::PlanAwaits { .. } | TurnOutcome::PlanSaved { .. } => return,
        TurnOutcome::Interrupted => "I was interrupted.".to_owned(),
        TurnOutcome::ModelFailed { why }
        | TurnOutcome::NoAnswer { why }
        | TurnOutcome::NotSent { why }
        | TurnOutcome::OverBudget { why } => format!("I stopped: {why}"),
        TurnOutcome::TooManyRounds { rounds } => {
            format!("I stopped after {rounds} rounds of calls. My last words: {}", driver.last_text.trim())
        }
    };
    if words.is_empty() {
        return;
    }
    let words = fore_text::cut::chars(&words, MAX_RESULT_CHARS).to_owned();
    send(context, joined, MailBody::Idle(words)).await;
}

/// The session of a member goes on: what it asked for is asked again, which changes nothing where it is known.
pub(in crate::session) async fn begun(context: &Arc<SessionContext>) {
    if let Some(joined) = context.setup.team.joined().cloned() {
        plans::ask_again(context, &joined).await;
        context.tell_team_status(TurnStanding::Rests).await;
    }
}
