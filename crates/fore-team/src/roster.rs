//! Who is in a team, and how far each of them is. The list of members alone counts: no folder and no message makes a member.

use crate::{
    error::{TeamError, TeamResult},
    name::{MemberName, TeamName},
    request::PlanRequest,
    task::{TaskId, TeamTask},
};
use fore_plan::{Mode, approval::Timestamp};
use serde::{Deserialize, Serialize};

/// The most members of a team, also those that left.
pub(crate) const MAX_MEMBERS: usize = 200;
/// The longest words of a status.
const MAX_WORDS_BYTES: usize = 500;
/// The longest path or id in a status.
const MAX_PLACE_BYTES: usize = 4096;

/// Whether a member's plan needs a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MemberRole {
    /// Leads: starts members, decides about plans, ends the team.
    Lead,
    /// Its plan needs a decision.
    Required,
    /// It leaves plan mode by itself.
    Voluntary,
}

/// Somebody to put on the roster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMember {
    /// The name.
    pub name: MemberName,
    /// Whether its plan needs a decision.
    pub role: MemberRole,
    /// On a server, the login that alone can be this member; without one it is `{team}_{name}`. On one machine nobody asks.
    pub login: Option<String>,
}

/// What a member does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberActivity {
    /// It has not begun.
    #[default]
    New,
    /// It plans.
    Planning,
    /// Its plan waits for a decision.
    AwaitingApproval,
    /// It works.
    Working,
    /// It has a question that somebody must answer.
    Asking,
    /// It has nothing to do.
    Idle,
    /// It stopped, and can be started again.
    Stopped,
}

/// What a member says of itself; a row on the screen, which wakes nobody.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemberStatus {
    /// What it does.
    pub activity: MemberActivity,
    /// Its mode.
    pub mode: Option<Mode>,
    /// The task it is at.
    pub task: Option<TaskId>,
    /// A sentence.
    pub note: String,
    /// Its session.
    pub session: Option<String>,
    /// The folder that it works in.
    pub folder: Option<String>,
    /// Questions that wait in it.
    pub questions: u32,
    /// How full its context is, in percent.
    pub context_percent: Option<u8>,
    /// Tokens so far.
    pub tokens: u64,
    /// Millionths of a dollar so far, where prices are known.
    pub microdollars: Option<u64>,
}

impl MemberStatus {
    pub(crate) fn check(&self) -> TeamResult<()> {
        let places = [self.session.as_ref(), self.folder.as_ref()];
        let bounded = |text: &str, max: usize| {
            if text.len() <= max {
                return Ok(());
            }
            Err(TeamError::TooLarge { what: "a status", bytes: text.len(), max })
        };
        bounded(&self.note, MAX_WORDS_BYTES)?;
        places.into_iter().flatten().try_for_each(|place| bounded(place, MAX_PLACE_BYTES))
    }
}

/// A row of the roster.
#[derive(Clone, Debug, PartialEq)]
pub struct RosterMember {
    /// The name.
    pub name: MemberName,
    /// Whether its plan needs a decision.
    pub role: MemberRole,
    /// When it was put on the roster.
    pub added: Timestamp,
    /// Whether it has left; its name is not given to anybody else.
    pub has_left: bool,
    /// Whether a process is this member right now.
    pub is_open: bool,
    /// Messages that wait for it.
    pub waiting_mail: usize,
    /// What it said of itself last.
    pub status: MemberStatus,
}

/// A team on one screen.
#[derive(Clone, Debug, PartialEq)]
pub struct TeamOverview {
    /// The team.
    pub team: TeamName,
    /// Who leads it.
    pub lead: MemberName,
    /// When it was started.
    pub started: Timestamp,
    /// Whether it has ended.
    pub has_ended: bool,
    /// Its members, the lead too, by name.
    pub members: Vec<RosterMember>,
    /// Its tasks, by number.
    pub tasks: Vec<TeamTask>,
    /// The plans that wait for a decision, oldest first.
    pub requests: Vec<PlanRequest>,
}
