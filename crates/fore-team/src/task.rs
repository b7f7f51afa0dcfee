//! The list of tasks that a team shares: who has which, and which wait for others. A task is claimed by exactly one.

use crate::{
    error::{TeamError, TeamResult},
    name::MemberName,
};
use serde::{Deserialize, Serialize};
use std::fmt;
use uuid::Uuid;

/// The most tasks of a team.
pub(crate) const MAX_TASKS: usize = 1000;
const MAX_TITLE_BYTES: usize = 300;
const MAX_TASK_TEXT_BYTES: usize = 16 * 1024;
const MAX_NEEDS: usize = 50;

/// A task's number in its team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TaskId(pub u32);

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TeamTaskState {
    /// Nobody has begun.
    Open,
    /// Somebody is at it.
    InProgress,
    /// Whoever is at it waits for a decision about the plan.
    AwaitingApproval,
    /// It is done.
    Done,
    /// It will not be done.
    Dropped,
}

impl TeamTaskState {
    pub(crate) fn is_over(self) -> bool {
        match self {
            TeamTaskState::Done | TeamTaskState::Dropped => true,
            TeamTaskState::Open | TeamTaskState::InProgress | TeamTaskState::AwaitingApproval => false,
        }
    }
}

/// A task to be added. The same one can be added again after a failure: it is added once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTask {
    /// Names it for the case that it is added again.
    pub key: String,
    /// One line.
    pub title: String,
    /// What is to do.
    pub text: String,
    /// Tasks that must be done before.
    pub needs: Vec<TaskId>,
    /// Who is to do it; without one whoever claims it.
    pub owner: Option<MemberName>,
}

impl NewTask {
    /// A task for whoever claims it.
    pub fn new(title: &str, text: &str) -> NewTask {
        let (title, text) = (title.to_owned(), text.to_owned());
        NewTask { key: Uuid::now_v7().to_string(), title, text, needs: Vec::new(), owner: None }
    }

    pub(crate) fn check(&self) -> TeamResult<()> {
        let bounds = [
            ("the key of a task", self.key.len(), MAX_TITLE_BYTES),
            ("the title of a task", self.title.len(), MAX_TITLE_BYTES),
            ("the text of a task", self.text.len(), MAX_TASK_TEXT_BYTES),
            ("the list of what a task waits for", self.needs.len(), MAX_NEEDS),
        ];
        for (what, bytes, max) in bounds {
            if bytes > max {
                return Err(TeamError::TooLarge { what, bytes, max });
            }
        }
        Ok(())
    }
}

/// A task of a team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeamTask {
    /// Its number.
    pub id: TaskId,
    /// Names it for whoever adds it again after a failure.
    pub(crate) key: String,
    /// One line.
    pub title: String,
    /// What is to do.
    pub text: String,
    /// Tasks that must be done before.
    pub needs: Vec<TaskId>,
    /// Who has it.
    pub owner: Option<MemberName>,
    /// How far it is.
    pub state: TeamTaskState,
    /// Who added it.
    pub added_by: MemberName,
}

/// Which of the tasks that this one needs are not done.
fn unmet(task: &TeamTask, all: &[TeamTask]) -> Vec<TaskId> {
    let is_done = |need: &TaskId| all.iter().any(|other| other.id == *need && other.state == TeamTaskState::Done);
    task.needs.iter().filter(|need| !is_done(need)).copied().collect()
}

impl TeamTask {
    /// Becomes this member's, if nobody else has it and nothing stands before it.
    pub(crate) fn claim(&mut self, me: &MemberName, all: &[TeamTask]) -> TeamResult<()> {
        if let Some(owner) = self.owner.as_ref().filter(|owner| *owner != me) {
            return Err(TeamError::TaskTaken { task: self.id, owner: owner.clone() });
        }
        if self.state.is_over() {
            return Err(TeamError::TaskOver(self.id));
        }
        let needs = unmet(self, all);
        if !needs.is_empty() {
            return Err(TeamError::TaskWaits { task: self.id, needs });
        }
        if self.state == TeamTaskState::Open {
            self.state = TeamTaskState::InProgress;
        }
        self.owner = Some(me.clone());
        Ok(())
    }

    /// Becomes somebody's by the lead's word.
    pub(crate) fn assign(&mut self, owner: Option<MemberName>) -> TeamResult<()> {
        if self.state.is_over() {
            return Err(TeamError::TaskOver(self.id));
        }
        if self.owner != owner {
            self.state = TeamTaskState::Open;
        }
        self.owner = owner;
        Ok(())
    }

    /// Is further now, by the word of who has it or of the lead.
    pub(crate) fn set_state(
        &mut self,
        state: TeamTaskState,
        me: &MemberName,
        is_lead: bool,
        all: &[TeamTask],
    ) -> TeamResult<()> {
        match &self.owner {
            Some(owner) if owner == me || is_lead => {}
            Some(owner) => return Err(TeamError::TaskTaken { task: self.id, owner: owner.clone() }),
            None if is_lead && state == TeamTaskState::Dropped => {}
            None => return Err(TeamError::TaskFree(self.id)),
        }
        if self.state == state {
            return Ok(());
        }
        if self.state.is_over() {
            return Err(TeamError::TaskOver(self.id));
        }
        match state {
            TeamTaskState::Open => self.owner = None,
            TeamTaskState::Dropped => {}
            TeamTaskState::InProgress | TeamTaskState::AwaitingApproval | TeamTaskState::Done => {
                let needs = unmet(self, all);
                if !needs.is_empty() {
                    return Err(TeamError::TaskWaits { task: self.id, needs });
                }
            }
        }
        self.state = state;
        Ok(())
    }
}
