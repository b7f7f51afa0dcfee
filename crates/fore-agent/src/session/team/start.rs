//! Making a team, and the teammates of one: each is a session of its own in this program, or goes on where it was left.

use super::{JoinedTeam, crew, crew::CrewMember, plans, workers};
use crate::{
    agents::{AgentKind, AgentModel},
    command::{Command, command_queue},
    control::agent::AgentCall,
    event::{NoticeLevel, ShownCall},
    launch::{Begin, Launch},
    lock::lock,
    model_handle::ModelHandles,
    output::Output,
    session::{
        self,
        call::{CallResult, ToolCall},
        caller::CallerIdentity,
        session_context::SessionContext,
    },
};
use fore_plan::{Level, Mode, Openings, approval::Reachable};
use fore_store::SessionId;
use fore_team::{MailBody, MemberName, MemberRole, Membership, NewMember, Outgoing, RosterMember, TeamError, TeamName};
use std::{
    str::FromStr,
    sync::{Arc, Weak},
    time::Duration,
};

/// Who leads.
pub(crate) const LEAD: &str = "lead";
/// The kind of agent that has all tools, and so can be a teammate that works.
const WORKING_KIND: &str = "general";
/// How long teammates are waited for at the end, once they were told.
const MAX_GOODBYE: Duration = Duration::from_secs(5);
/// Letters of a session's id that name its team.
const ID_LETTERS: usize = 12;

/// The place of a session that was started as a member.
#[derive(Clone, Debug)]
pub(in crate::session) struct TeamPlaceGiven {
    /// Its place, open in this process.
    pub(in crate::session) membership: Arc<Membership>,
    /// Whether its plan needs a decision, and so what it may do by itself.
    pub(in crate::session) role: MemberRole,
    /// The lead's session, where it runs in this program.
    pub(in crate::session) lead_here: Option<Weak<SessionContext>>,
}

/// The team that a session leads is called after it, so that it is found again.
pub(crate) fn team_of(session: SessionId) -> Option<TeamName> {
    let id = session.to_string();
    let letters: String = id.chars().rev().filter(|letter| *letter != '-').take(ID_LETTERS).collect();
    TeamName::from_str(&format!("t{}", letters.chars().rev().collect::<String>())).ok()
}

/// Makes a teammate of a call of `Agent` that names one. The call ends at once; what becomes of it comes as messages.
pub(in crate::session) async fn teammate(
    call: &ToolCall,
    kind: &AgentKind,
    asked: &AgentCall,
    name: &str,
) -> CallResult {
    match make(call, kind, asked, name).await {
        Err(why) => CallResult::of(Output::error(why)),
        Ok(started) => {
            let what = match started {
                Mode::Plan => "plans; its plan has to be approved before it changes anything",
                Mode::At(_) => "is at work",
            };
            let words = format!(
                "The teammate {name} {what}. It writes to you when it has a question or a result, so do not wait for it by calling tools: do other work, or end your answer."
            );
            CallResult::of(Output::text(words, ShownCall::line(format!("teammate {name} started in {started}"))))
        }
    }
}

async fn make(call: &ToolCall, kind: &AgentKind, asked: &AgentCall, name: &str) -> Result<Mode, String> {
    let context = &call.context;
    if !matches!(call.caller.identity, CallerIdentity::Main) {
        return Err("only the main conversation of a session makes teammates".to_owned());
    }
    let plans = asked.plans || kind.is_read_only;
    if !plans && kind.name != WORKING_KIND {
        return Err(format!(
            "a teammate that works is of the kind `{WORKING_KIND}`; `{}` can be one that plans, with mode `plan`",
            kind.name
        ));
    }
    let name = MemberName::from_str(name).map_err(|error| error.to_string())?;
    let joined = led_team(context).await?;
    let role = if plans { MemberRole::Required } else { MemberRole::Voluntary };
    let member = NewMember { name: name.clone(), role, login: None };
    joined.membership.add_member(member).await.map_err(|error| error.to_string())?;
    let mode = if plans { Mode::Plan } else { Mode::At(level_for(context)) };
    let models = models_for(context, kind).await?;
    let task = Outgoing::new(name.clone(), MailBody::Text(task_words(kind, asked)));
    joined.membership.send(task).await.map_err(|error| error.to_string())?;
    let begin = Begin::Fresh { mode };
    run(context, &joined, (&name, role), begin, (models, &asked.description)).await?;
    Ok(mode)
}

/// A teammate never begins with more than its lead has; what asks nobody is not handed on, and work on a plan with terms is asked about, because
/// the terms are the lead's.
fn level_for(context: &SessionContext) -> Level {
    let state = context.ledger.state();
    if state.contract().is_some() { Level::Default } else { state.level_beneath().min(Level::AcceptEdits) }
}

fn task_words(kind: &AgentKind, asked: &AgentCall) -> String {
    if kind.name == WORKING_KIND { asked.prompt.clone() } else { format!("{}\n\n{}", kind.prompt.trim(), asked.prompt) }
}

async fn models_for(context: &Arc<SessionContext>, kind: &AgentKind) -> Result<ModelHandles, String> {
    let mut models = context.work.models();
    let name = match &kind.model {
        AgentModel::Inherit | AgentModel::Small => return Ok(models),
        AgentModel::Named(name) => name.clone(),
    };
    let there = Arc::clone(context);
    // Its key may come from a command that takes its time.
    let found = tokio::task::spawn_blocking(move || there.work.find_model(&name)).await;
    models.replace(found.map_err(|_| "the teammate's model could not be found".to_owned())??, None);
    Ok(models)
}

/// The place of the lead: the team begins with its first teammate.
async fn led_team(context: &Arc<SessionContext>) -> Result<Arc<JoinedTeam>, String> {
    if let Some(joined) = context.setup.team.joined() {
        if !joined.is_lead() {
            return Err(format!("a teammate makes no teammates; ask {} for one", joined.membership.lead()));
        }
        return Ok(Arc::clone(joined));
    }
    if context.person.reachable() == Reachable::Nobody {
        return Err("a team needs somebody who can answer its questions, and nobody can in this run; do the work yourself, or use agents without a name".to_owned());
    }
    let team = team_of(context.setup.id).ok_or("this session cannot name a team")?;
    let lead = MemberName::from_str(LEAD).map_err(|error| error.to_string())?;
    let store = context.setup.live().settings.team_store(&context.setup.home);
    let membership = match store.start(&team, &lead).await {
        Ok(membership) => Ok(membership),
        Err(TeamError::TeamExists(_)) => store.open(&team, &lead).await,
        Err(error) => Err(error),
    };
    Ok(take_lead(context, membership.map_err(|error| error.to_string())?))
}

fn take_lead(context: &Arc<SessionContext>, membership: Membership) -> Arc<JoinedTeam> {
    let joined = context.setup.team.sit(Arc::new(membership), None);
    joined.keep_running(context.setup.runtime.spawn(plans::watch(Arc::clone(context), Arc::clone(&joined))));
    joined.keep_running(context.setup.runtime.spawn(workers::watch(Arc::clone(context), Arc::clone(&joined))));
    joined
}

/// Begins the session of a member in this program, and hears it from now on.
async fn run(
    context: &Arc<SessionContext>,
    joined: &Arc<JoinedTeam>,
    (name, role): (&MemberName, MemberRole),
    begin: Begin,
    (models, note): (ModelHandles, &str),
) -> Result<(), String> {
    let settings = context.setup.live().settings.clone();
    let store = settings.team_store(&context.setup.home);
    let membership = store.open(joined.membership.team(), name).await.map_err(|error| error.to_string())?;
    let state = context.ledger.state();
    let mode = match &begin {
        Begin::Fresh { mode } => *mode,
        Begin::Resume { .. } | Begin::Fork { .. } | Begin::Apply { .. } => Mode::Plan,
    };
    let launch = Launch {
        folder: context.work.folder.get(),
        home: Arc::clone(&context.setup.home),
        user_home: context.setup.user_home.clone(),
        begin,
        // What asks nobody is never a teammate's.
        openings: Openings { bypass_permitted: false, auto_opted_in: false, ..*state.openings() },
        reachable: context.person.reachable(),
        via: context.setup.via.clone(),
        unsaved: context.setup.unsaved.clone(),
        settings,
        settings_reader: context.setup.reader.clone(),
        catalogue: context.setup.cages.catalogue(),
        models,
    };
    let place = TeamPlaceGiven { membership: Arc::new(membership), role, lead_here: Some(Arc::downgrade(context)) };
    let (sender, receiver) = command_queue();
    let queue = (sender.clone(), receiver);
    let begun = tokio::task::spawn_blocking(move || session::begin(launch, queue, Some(place))).await;
    let handle =
        begun.map_err(|_| "the teammate's session could not begin".to_owned())?.map_err(|error| error.to_string())?;
    lock(&joined.crew).insert(name.clone(), CrewMember::new(sender, mode, note));
    let following = crew::follow(Arc::clone(joined), name.clone(), handle, context.person.events.clone());
    let running = context.setup.runtime.spawn(following);
    if let Some(member) = lock(&joined.crew).get_mut(name) {
        member.running = Some(running);
    }
    joined.changed.notify_waiters();
    Ok(())
}

/// A session that led a team leads it again, and its teammates go on where they were left.
pub(in crate::session) async fn resume(context: &Arc<SessionContext>) {
    if context.setup.team.joined().is_some() || context.person.reachable() == Reachable::Nobody {
        return;
    }
    let Some(team) = team_of(context.setup.id) else { return };
    let Ok(lead) = MemberName::from_str(LEAD) else { return };
    let store = context.setup.live().settings.team_store(&context.setup.home);
    let membership = match store.open(&team, &lead).await {
        Ok(membership) => membership,
        Err(TeamError::NoSuchTeam { .. } | TeamError::Ended(_)) => return,
        Err(error) => {
            let text = format!("This session leads a team, which cannot be opened now: {error}");
            return context.person.notice(NoticeLevel::Warning, text);
        }
    };
    let joined = take_lead(context, membership);
    let Some(overview) = joined.look().await else { return };
    let is_resting = |member: &&RosterMember| member.role != MemberRole::Lead && !member.has_left && !member.is_open;
    for member in overview.members.iter().filter(is_resting) {
        if let Err(why) = go_on(context, &joined, member).await {
            context
                .person
                .notice(NoticeLevel::Warning, format!("The teammate {} did not start again: {why}", member.name));
        }
    }
}

async fn go_on(context: &Arc<SessionContext>, joined: &Arc<JoinedTeam>, member: &RosterMember) -> Result<(), String> {
    let session = member.status.session.as_deref().map(SessionId::from_str);
    let begin = match session {
        // Stricter than before where the lead plans now.
        Some(Ok(session)) => {
            let mode = context.ledger.is_planning().then_some(Mode::Plan);
            Begin::Resume { session, mode }
        }
        // It has never begun: what it shall do lies in its inbox.
        Some(Err(_)) | None => {
            let works = member.role == MemberRole::Voluntary && !context.ledger.is_planning();
            Begin::Fresh { mode: if works { Mode::At(level_for(context)) } else { Mode::Plan } }
        }
    };
    run(context, joined, (&member.name, member.role), begin, (context.work.models(), &member.status.note)).await
}

/// The session ends: its teammates end with it, in good order, and go on when it is resumed.
pub(in crate::session) async fn leave(context: &Arc<SessionContext>) {
    let Some(joined) = context.setup.team.joined() else { return };
    lock(&joined.tasks).drain(..).for_each(|task| task.abort());
    let crew = std::mem::take(&mut *lock(&joined.crew));
    let mut running = Vec::new();
    for member in crew.into_values() {
        let _ = member.commands.send_now(Command::Close);
        running.extend(member.running);
    }
    let all = async {
        for one in running {
            let _ = one.await;
        }
    };
    if tokio::time::timeout(MAX_GOODBYE, all).await.is_err() {
        context
            .person
            .notice(NoticeLevel::Warning, "A teammate did not end in time; what it wrote down until now counts.");
    }
    context.tell_team_status(super::TurnStanding::Over).await;
    context.person.events.send(super::wishes::shown(joined).await);
}
