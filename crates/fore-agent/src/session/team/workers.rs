//! The lead begins to plan while teammates work: they are stopped or left working by the person's word, never silently.

use super::JoinedTeam;
use crate::{
    command::{Command, QuestionId},
    event::{Event, NoticeLevel},
    form::{Form, OfferQuestion},
    lock::lock,
    session::{
        person::pending_questions::{AnswerKind, GivenAnswer},
        session_context::SessionContext,
    },
};
use fore_plan::{Mode, approval::Reachable};
use fore_team::MemberName;
use std::sync::Arc;

/// Looks at each beginning of planning, for as long as the session lives.
pub(super) async fn watch(context: Arc<SessionContext>, joined: Arc<JoinedTeam>) {
    let mut was_planning = context.ledger.is_planning();
    loop {
        let changed = joined.changed.notified();
        tokio::pin!(changed);
        changed.as_mut().enable();
        let is_planning = context.ledger.is_planning();
        if is_planning && !std::mem::replace(&mut was_planning, is_planning) {
            let working = working(&joined);
            if !working.is_empty() && !leaves_working(&context, &working).await {
                stop(&context, &joined);
            }
            continue;
        }
        was_planning = is_planning;
        // Its own row in the store follows, for those who run elsewhere.
        context.tell_team_status(super::TurnStanding::Rests).await;
        context.person.events.send(super::wishes::shown(&joined).await);
        changed.await;
    }
}

fn working(joined: &JoinedTeam) -> Vec<MemberName> {
    let crew = lock(&joined.crew);
    crew.iter().filter(|(_, member)| member.facts.mode != Mode::Plan).map(|(name, _)| name.clone()).collect()
}

/// Whether the person lets them go on; no answer is a no.
async fn leaves_working(context: &Arc<SessionContext>, working: &[MemberName]) -> bool {
    if context.person.reachable() == Reachable::Nobody {
        return false;
    }
    let names: Vec<String> = working.iter().map(ToString::to_string).collect();
    let question = format!("You plan now, and {} can still change files. What about them?", names.join(", "));
    let option = |label: &str, description: &str, leaves: bool| (label.to_owned(), description.to_owned(), leaves);
    let options = vec![
        option("Stop them", "what they do now is stopped, and they plan until you have ended planning", false),
        option("Leave them working", "files can change while you plan", true),
    ];
    let offer = OfferQuestion::new("Team", question, options);
    let id = QuestionId(format!("team-workers-{}", context.work.next_call().0));
    let Some(receiver) = context.person.questions.open(id.clone(), AnswerKind::Form) else { return false };
    context
        .person
        .events
        .send(Event::FormAsked { question: id.clone(), form: Form { questions: vec![offer.asked()], is_offer: true } });
    let given = receiver.await.ok();
    context.person.events.send(Event::QuestionClosed { question: id });
    let Some(GivenAnswer::Form(answers)) = given else { return false };
    offer.meant(answers.first()) == Some(true)
}

fn stop(context: &SessionContext, joined: &JoinedTeam) {
    if !context.ledger.is_planning() {
        return;
    }
    let mut stopped = Vec::new();
    for (name, member) in lock(&joined.crew).iter().filter(|(_, member)| member.facts.mode != Mode::Plan) {
        let planned = member.commands.send_now(Command::Mode { to: Mode::Plan });
        let _ = member.commands.send_now(Command::Interrupt);
        match planned {
            Ok(()) => stopped.push(name.to_string()),
            Err(why) => {
                let text = format!(
                    "{name} could not be stopped ({why}) and may still change files; /team stop {name} ends it."
                );
                context.person.notice(NoticeLevel::Error, text);
            }
        }
    }
    if !stopped.is_empty() {
        let text = format!("Stopped, because you plan: {}. They plan now, as you do.", stopped.join(", "));
        context.person.notice(NoticeLevel::Warning, text);
    }
}
