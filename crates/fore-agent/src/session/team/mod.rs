//! What a session is in a team: alone, its lead, or a teammate of one.
//!
//! A teammate is a session like any other, with a transcript, a plan and a gate of its own. It can never do more than its lead: it begins at
//! the lead's level or beneath, follows it down, and its plan is approved by the lead or by the person there. Messages, requests and
//! decisions lie in [`fore_team`]; nothing here decides what counts.

pub(super) mod crew;
pub(super) mod mail;
pub(super) mod plans;
pub(super) mod start;
pub(super) mod tools;
pub(super) mod wishes;
mod workers;

use super::{session_context::SessionContext, toolbox::TeamPlace};
use crate::{command::Command, lock::lock};
use crew::CrewMember;
use fore_plan::{Mode, State, approval::Approver};
use fore_team::{MemberActivity, MemberName, MemberRole, MemberStatus, Membership, TeamOverview};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock, Weak},
};
use tokio::{sync::Notify, task::JoinHandle};

/// The place of a session in a team, once it has one.
#[derive(Debug, Default)]
pub(crate) struct SessionTeam {
    joined: OnceLock<Arc<JoinedTeam>>,
}

/// One member's place, and for the lead those who run beside it.
#[derive(Debug)]
pub(crate) struct JoinedTeam {
    pub(super) membership: Arc<Membership>,
    /// The lead's session, where it runs in this program.
    lead_here: Option<Weak<SessionContext>>,
    /// Teammates that run in this program.
    pub(super) crew: Mutex<BTreeMap<MemberName, CrewMember>>,
    /// The team as it was looked at last.
    overview: Mutex<Option<TeamOverview>>,
    /// The mode of this session, or something that runs beside it, is another one.
    pub(super) changed: Notify,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl SessionTeam {
    pub(crate) fn joined(&self) -> Option<&Arc<JoinedTeam>> {
        self.joined.get()
    }

    /// What the tools of the session depend on.
    pub(crate) fn place(&self) -> TeamPlace {
        match self.joined() {
            None => TeamPlace::Alone,
            Some(joined) if joined.is_lead() => TeamPlace::Lead,
            Some(_) => TeamPlace::Member,
        }
    }

    /// Whether somebody can change nothing because of what they are told: the lead, who decides for itself, or a teammate that plans.
    pub(crate) fn is_harmless_to_tell(&self, name: &str) -> bool {
        let Some(joined) = self.joined() else { return false };
        if joined.membership.lead().as_str() == name {
            return true;
        }
        match lock(&joined.crew).iter().find(|(member, _)| member.as_str() == name) {
            Some((_, member)) => member.facts.mode == Mode::Plan,
            None => {
                let overview = lock(&joined.overview);
                let mut members = overview.iter().flat_map(|overview| &overview.members);
                members.any(|member| member.name.as_str() == name && member.status.mode == Some(Mode::Plan))
            }
        }
    }

    /// Takes the place of a member. It has one for good.
    pub(super) fn sit(&self, membership: Arc<Membership>, lead_here: Option<Weak<SessionContext>>) -> Arc<JoinedTeam> {
        let joined = JoinedTeam {
            membership,
            lead_here,
            crew: Mutex::default(),
            overview: Mutex::default(),
            changed: Notify::new(),
            tasks: Mutex::default(),
        };
        Arc::clone(self.joined.get_or_init(|| Arc::new(joined)))
    }
}

impl JoinedTeam {
    pub(super) fn is_lead(&self) -> bool {
        self.membership.is_lead()
    }

    /// The team as it is now; what was seen last where it cannot be read.
    pub(super) async fn look(&self) -> Option<TeamOverview> {
        if let Ok(overview) = self.membership.overview().await {
            *lock(&self.overview) = Some(overview);
        }
        lock(&self.overview).clone()
    }

    /// The lead's mode: nobody goes beyond it. One that cannot be known is the strictest.
    pub(super) async fn lead_mode(&self) -> Mode {
        if let Some(lead) = self.lead_here.as_ref().and_then(Weak::upgrade) {
            return lead.ledger.state().mode();
        }
        let overview = self.look().await;
        let members = overview.into_iter().flat_map(|overview| overview.members);
        members.filter(|member| member.role == MemberRole::Lead).find_map(|lead| lead.status.mode).unwrap_or(Mode::Plan)
    }

    fn keep_running(&self, task: JoinHandle<()>) {
        lock(&self.tasks).push(task);
    }
}

impl SessionContext {
    /// An answer to a question of a teammate goes there; any other command comes back.
    pub(super) fn route_to_team(&self, command: Command) -> Option<Command> {
        match self.setup.team.joined() {
            Some(joined) => crew::route(joined, command, &self.person),
            None => Some(command),
        }
    }

    /// Something was recorded: whoever depends on the mode hears of it, and nobody of the team goes on with more than the lead has.
    pub(super) fn tell_team_of_mode(&self) {
        let Some(joined) = self.setup.team.joined() else { return };
        if joined.is_lead()
            && let Mode::At(level) = self.ledger.state().mode()
        {
            crew::lower(joined, level, &self.person);
        }
        joined.changed.notify_waiters();
    }

    /// Says how far this member is: a row on the screen of others, which wakes nobody.
    pub(super) async fn tell_team_status(&self, turn: TurnStanding) {
        let Some(joined) = self.setup.team.joined() else { return };
        let state = self.ledger.state();
        let context = self.work.context_use();
        let percent =
            context.window.filter(|window| *window > 0).map(|window| context.tokens.min(window) * 100 / window);
        let status = MemberStatus {
            activity: activity(&state, turn),
            mode: Some(state.mode()),
            session: Some(self.setup.id.to_string()),
            folder: Some(self.work.folder.get().to_string_lossy().into_owned()),
            context_percent: percent.and_then(|percent| u8::try_from(percent).ok()),
            ..MemberStatus::default()
        };
        if let Err(error) = joined.membership.set_status(status).await {
            self.person
                .notice(crate::event::NoticeLevel::Warning, format!("The team was not told how far you are: {error}"));
        }
    }
}

/// Whether a turn runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnStanding {
    Runs,
    Rests,
    /// The session ends.
    Over,
}

fn activity(state: &State, turn: TurnStanding) -> MemberActivity {
    let awaits = state.pending().is_some_and(|pending| matches!(pending.approver, Approver::Lead { .. }));
    match (turn, state.mode()) {
        (TurnStanding::Over, _) => MemberActivity::Stopped,
        (TurnStanding::Runs | TurnStanding::Rests, _) if awaits => MemberActivity::AwaitingApproval,
        (TurnStanding::Runs, Mode::Plan) => MemberActivity::Planning,
        (TurnStanding::Runs, Mode::At(_)) => MemberActivity::Working,
        (TurnStanding::Rests, _) => MemberActivity::Idle,
    }
}
