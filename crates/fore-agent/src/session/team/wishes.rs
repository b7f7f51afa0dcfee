//! What the person wants of the team: to see it, to talk to a teammate, to stop one or all.

use super::JoinedTeam;
use crate::{
    command::{Command, PromptTiming},
    event::{Event, NoticeLevel, TeamMemberRow, TeamWish},
    lock::lock,
    session::session_context::SessionContext,
};
use fore_team::{MailBody, MemberActivity, MemberName, MemberRole, Outgoing, RosterMember};
use std::sync::Arc;

/// Does it beside whatever goes on.
pub(in crate::session) fn start(context: &Arc<SessionContext>, wish: TeamWish) {
    let there = Arc::clone(context);
    drop(context.setup.runtime.spawn(async move {
        let Some(joined) = there.setup.team.joined().cloned() else {
            let none = Event::Team { team: None, members: Vec::new(), tasks: Vec::new(), plans: Vec::new() };
            return there.person.events.send(none);
        };
        if let Err(why) = fulfil(&there, &joined, wish).await {
            there.person.notice(NoticeLevel::Warning, why);
        }
    }));
}

async fn fulfil(context: &Arc<SessionContext>, joined: &Arc<JoinedTeam>, wish: TeamWish) -> Result<(), String> {
    match wish {
        TeamWish::List => context.person.events.send(shown(joined).await),
        TeamWish::Story { member } => {
            let lines = with_member(joined, &member, |here| here.lines.iter().cloned().collect())?;
            context.person.events.send(Event::TeamStory { member, lines });
        }
        TeamWish::Tell { member, text } => {
            let command = Command::Prompt { text, when: PromptTiming::Steer };
            with_member(joined, &member, |here| here.commands.send_now(command))?
                .map_err(|why| format!("{member}: {why}"))?;
        }
        TeamWish::Interrupt { member } => {
            for name in named(joined, member)? {
                let _ = with_member(joined, name.as_str(), |here| here.commands.send_now(Command::Interrupt))?;
            }
        }
        TeamWish::Stop { member } => stop(context, joined, member).await?,
    }
    Ok(())
}

/// One of those who run here; the error names the nearest.
fn with_member<T>(joined: &JoinedTeam, name: &str, look: impl FnOnce(&super::CrewMember) -> T) -> Result<T, String> {
    let crew = lock(&joined.crew);
    if let Some((_, member)) = crew.iter().find(|(member, _)| member.as_str() == name) {
        return Ok(look(member));
    }
    let near = fore_text::spelling::nearest(name, crew.keys().map(MemberName::as_str), 1);
    let near = near.first().map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    Err(format!("No teammate {} runs here{near}", fore_text::line(fore_text::cut::chars(name, 40))))
}

fn named(joined: &JoinedTeam, member: Option<String>) -> Result<Vec<MemberName>, String> {
    let crew: Vec<MemberName> = lock(&joined.crew).keys().cloned().collect();
    match member {
        None => Ok(crew),
        Some(name) => {
            with_member(joined, &name, |_| ())?;
            Ok(crew.into_iter().filter(|member| member.as_str() == name).collect())
        }
    }
}

/// Ends members: at once those who run here, by a message those who run elsewhere.
async fn stop(context: &Arc<SessionContext>, joined: &Arc<JoinedTeam>, member: Option<String>) -> Result<(), String> {
    let here: Vec<MemberName> = lock(&joined.crew).keys().cloned().collect();
    let is_meant = |name: &MemberName| member.as_ref().is_none_or(|member| member == name.as_str());
    let mut ended = Vec::new();
    for name in here.iter().filter(|name| is_meant(name)) {
        let taken = lock(&joined.crew).remove(name);
        let Some(mut taken) = taken else { continue };
        let _ = taken.commands.send_now(Command::Interrupt);
        let _ = taken.commands.send_now(Command::Close);
        if let Some(running) = taken.running.take() {
            let _ = running.await;
        }
        joined.membership.remove_member(name).await.map_err(|error| error.to_string())?;
        ended.push(name.to_string());
    }
    let overview = joined.look().await;
    let members = overview.into_iter().flat_map(|overview| overview.members);
    let elsewhere = |other: &RosterMember| {
        other.role != MemberRole::Lead && other.is_open && is_meant(&other.name) && !here.contains(&other.name)
    };
    for other in members.filter(elsewhere) {
        let why = MailBody::ShutdownRequest("You were asked to end.".to_owned());
        joined.membership.send(Outgoing::new(other.name.clone(), why)).await.map_err(|error| error.to_string())?;
        ended.push(format!("{} (asked)", other.name));
    }
    if ended.is_empty() {
        return Err(match member {
            Some(name) => format!("No teammate {} runs.", fore_text::line(fore_text::cut::chars(&name, 40))),
            None => "No teammate runs.".to_owned(),
        });
    }
    context.person.notice(NoticeLevel::Info, format!("Off the team: {}. What they did is kept.", ended.join(", ")));
    joined.changed.notify_waiters();
    Ok(())
}

/// The team as rows.
pub(super) async fn shown(joined: &JoinedTeam) -> Event {
    let Some(overview) = joined.look().await else {
        let team = Some(joined.membership.team().to_string());
        return Event::Team { team, members: Vec::new(), tasks: Vec::new(), plans: Vec::new() };
    };
    let mut members: Vec<TeamMemberRow> =
        overview.members.iter().filter(|member| !member.has_left).map(|member| row(joined, member)).collect();
    members.sort_by_key(|row| row.role != MemberRole::Lead);
    let plans = overview.requests.iter().map(|request| request.from.to_string()).collect();
    Event::Team { team: Some(overview.team.to_string()), members, tasks: overview.tasks, plans }
}

fn row(joined: &JoinedTeam, member: &RosterMember) -> TeamMemberRow {
    let status = &member.status;
    let mut row = TeamMemberRow {
        name: member.name.to_string(),
        role: member.role,
        activity: if member.is_open { status.activity } else { MemberActivity::Stopped },
        mode: status.mode,
        note: status.note.clone(),
        context: None,
        tokens: status.tokens,
        dollars: None,
        questions: status.questions,
        mail: member.waiting_mail,
        is_here: false,
    };
    if let Some(here) = lock(&joined.crew).get(&member.name) {
        let facts = &here.facts;
        row.activity = if facts.questions.is_empty() { facts.activity } else { MemberActivity::Asking };
        row.mode = Some(facts.mode);
        row.note.clone_from(&facts.note);
        row.context = Some(facts.context);
        row.tokens = facts.spent.usage.total();
        row.dollars = facts.spent.cost.dollars();
        row.questions = u32::try_from(facts.questions.len()).unwrap_or(u32::MAX);
        row.is_here = true;
    }
    row
}
