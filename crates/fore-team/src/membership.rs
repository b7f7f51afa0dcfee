//! One member's own way into a team: whatever is written through it is written in that member's name.

use crate::{
    error::TeamResult,
    local::LocalPlace,
    mail::{ClaimedMail, MessageId, Outgoing, SendOutcome},
    name::{MemberName, TeamName},
    request::{DecisionDraft, DecisionOutcome, PlanDecision, PlanRequest},
    roster::{MemberStatus, NewMember, TeamOverview},
    server::ServerPlace,
    task::{NewTask, TaskId, TeamTask, TeamTaskState},
};
use fore_plan::{approval::RequestId, team::PlanApprovalRequest};
use std::time::Duration;

/// A member's place in a team, open in this process alone.
#[derive(Debug)]
pub struct Membership {
    place: MemberPlace,
}

#[derive(Debug)]
pub(crate) enum MemberPlace {
    Local(LocalPlace),
    Server(Box<ServerPlace>),
}

impl Membership {
    pub(crate) fn new(place: MemberPlace) -> Membership {
        Membership { place }
    }

    /// The team.
    pub fn team(&self) -> &TeamName {
        match &self.place {
            MemberPlace::Local(place) => place.team(),
            MemberPlace::Server(place) => place.team(),
        }
    }

    /// Who this is.
    pub fn name(&self) -> &MemberName {
        match &self.place {
            MemberPlace::Local(place) => place.me(),
            MemberPlace::Server(place) => place.me(),
        }
    }

    /// Who leads the team.
    pub fn lead(&self) -> &MemberName {
        match &self.place {
            MemberPlace::Local(place) => place.lead(),
            MemberPlace::Server(place) => place.lead(),
        }
    }

    /// Whether this is the lead.
    pub fn is_lead(&self) -> bool {
        self.name() == self.lead()
    }

    /// The team as it is now.
    pub async fn overview(&self) -> TeamResult<TeamOverview> {
        match &self.place {
            MemberPlace::Local(place) => place.overview().await,
            MemberPlace::Server(place) => place.overview().await,
        }
    }

    /// Puts somebody on the roster. Only the lead can.
    pub async fn add_member(&self, member: NewMember) -> TeamResult<()> {
        match &self.place {
            MemberPlace::Local(place) => place.add_member(member).await,
            MemberPlace::Server(place) => place.add_member(member).await,
        }
    }

    /// Takes somebody off the roster: their tasks are free again, their requests wait no longer. Only the lead can.
    pub async fn remove_member(&self, name: &MemberName) -> TeamResult<()> {
        match &self.place {
            MemberPlace::Local(place) => place.remove_member(name).await,
            MemberPlace::Server(place) => place.remove_member(name).await,
        }
    }

    /// Says what this member does. It is a row on screens and wakes nobody.
    pub async fn set_status(&self, status: MemberStatus) -> TeamResult<()> {
        match &self.place {
            MemberPlace::Local(place) => place.set_status(status).await,
            MemberPlace::Server(place) => place.set_status(status).await,
        }
    }

    /// Sends a message to somebody on the roster. When this returns it is on disk. After a failure the same one can be sent again.
    pub async fn send(&self, message: Outgoing) -> TeamResult<SendOutcome> {
        match &self.place {
            MemberPlace::Local(place) => place.send(message).await,
            MemberPlace::Server(place) => place.send(message).await,
        }
    }

    /// Hands out at most so many messages, oldest first. What was handed out to an earlier process and was not done comes first. A message may
    /// come twice: whoever acts on it records its id with the effect, and when the id is on record already only says [`Membership::done`].
    pub async fn claim(&self, most: usize) -> TeamResult<ClaimedMail> {
        match &self.place {
            MemberPlace::Local(place) => place.claim(most).await,
            MemberPlace::Server(place) => place.claim(most).await,
        }
    }

    /// The effect of a message is on record; it is removed.
    pub async fn done(&self, id: MessageId) -> TeamResult<()> {
        match &self.place {
            MemberPlace::Local(place) => place.done(id).await,
            MemberPlace::Server(place) => place.done(id).await,
        }
    }

    /// Waits until there may be mail to claim, for at most so long; whether there may be.
    pub async fn wait_for_mail(&self, at_most: Duration) -> TeamResult<bool> {
        match &self.place {
            MemberPlace::Local(place) => place.wait_for_mail(at_most).await,
            MemberPlace::Server(place) => place.wait_for_mail(at_most).await,
        }
    }

    /// Adds a task.
    pub async fn add_task(&self, task: NewTask) -> TeamResult<TeamTask> {
        match &self.place {
            MemberPlace::Local(place) => place.add_task(task).await,
            MemberPlace::Server(place) => place.add_task(task).await,
        }
    }

    /// All tasks, by number.
    pub async fn tasks(&self) -> TeamResult<Vec<TeamTask>> {
        match &self.place {
            MemberPlace::Local(place) => place.tasks().await,
            MemberPlace::Server(place) => place.tasks().await,
        }
    }

    /// Takes a task that nobody has, and whose needs are done; of several who try at once one gets it.
    pub async fn claim_task(&self, id: TaskId) -> TeamResult<TeamTask> {
        match &self.place {
            MemberPlace::Local(place) => place.claim_task(id).await,
            MemberPlace::Server(place) => place.claim_task(id).await,
        }
    }

    /// Says how far a task is: its owner or the lead can. `Open` gives it back.
    pub async fn set_task_state(&self, id: TaskId, state: TeamTaskState) -> TeamResult<TeamTask> {
        match &self.place {
            MemberPlace::Local(place) => place.set_task_state(id, state).await,
            MemberPlace::Server(place) => place.set_task_state(id, state).await,
        }
    }

    /// Gives a task to somebody, who gets a message about it, or to nobody. Only the lead can.
    pub async fn assign_task(&self, id: TaskId, owner: Option<MemberName>) -> TeamResult<TeamTask> {
        match &self.place {
            MemberPlace::Local(place) => place.assign_task(id, owner).await,
            MemberPlace::Server(place) => place.assign_task(id, owner).await,
        }
    }

    /// Asks for a decision about a plan: keeps the request, and puts the message into the lead's inbox. `from` and `timestamp` are filled in
    /// by the store. One request of a member waits at a time; the same one can be asked again after a failure.
    pub async fn ask_approval(&self, asked: PlanApprovalRequest) -> TeamResult<PlanRequest> {
        match &self.place {
            MemberPlace::Local(place) => place.ask_approval(asked).await,
            MemberPlace::Server(place) => place.ask_approval(asked).await,
        }
    }

    /// The requests that wait, oldest first.
    pub async fn open_requests(&self) -> TeamResult<Vec<PlanRequest>> {
        match &self.place {
            MemberPlace::Local(place) => place.open_requests().await,
            MemberPlace::Server(place) => place.open_requests().await,
        }
    }

    /// Decides about a request, once, and puts the message into the member's inbox. Only the lead's place can, for a person or for itself, and
    /// never about its own plan.
    pub async fn decide(&self, draft: DecisionDraft) -> TeamResult<DecisionOutcome> {
        match &self.place {
            MemberPlace::Local(place) => place.decide(draft).await,
            MemberPlace::Server(place) => place.decide(draft).await,
        }
    }

    /// Asks no longer. If a decision was taken before, that one counts.
    pub async fn withdraw(&self, request: &RequestId) -> TeamResult<DecisionOutcome> {
        match &self.place {
            MemberPlace::Local(place) => place.withdraw(request).await,
            MemberPlace::Server(place) => place.withdraw(request).await,
        }
    }

    /// The decision about a request, if there is one. This is what counts; the message only says that it is there, so it is looked for after
    /// a start, too.
    pub async fn decision(&self, request: &RequestId) -> TeamResult<Option<PlanDecision>> {
        match &self.place {
            MemberPlace::Local(place) => place.decision(request).await,
            MemberPlace::Server(place) => place.decision(request).await,
        }
    }

    /// Ends the team: it stays to be read, and nothing is added. Only the lead can.
    pub async fn end_team(&self) -> TeamResult<()> {
        match &self.place {
            MemberPlace::Local(place) => place.end_team().await,
            MemberPlace::Server(place) => place.end_team().await,
        }
    }

    /// Leaves the place, so that another process can open it at once.
    pub async fn close(self) -> TeamResult<()> {
        match self.place {
            MemberPlace::Local(place) => {
                drop(place);
                Ok(())
            }
            MemberPlace::Server(place) => place.close().await,
        }
    }
}
