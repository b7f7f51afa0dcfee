//! A plan that waits for a decision, and the one decision that counts. Both are bound to the bytes that were shown.

use crate::{
    error::{TeamError, TeamResult},
    mail::MessageId,
    name::{MemberName, TeamName},
};
use fore_plan::{
    Mode,
    approval::{Decider, RequestId, Timestamp},
    plan::{Hash, MAX_PLAN_BYTES},
    team::{PlanApprovalRequest, PlanApprovalResponse},
};
use serde::{Deserialize, Serialize};

/// Requests that may be on record in a team, decided ones too.
pub(crate) const MAX_REQUESTS: usize = 2000;
const MAX_REQUEST_ID_BYTES: usize = 500;
const MAX_PATH_BYTES: usize = 4096;
const MAX_FEEDBACK_BYTES: usize = 64 * 1024;

/// A member's plan, as it asks for a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanRequest {
    /// Names it.
    pub request: RequestId,
    /// Who asks: the store fills this in.
    pub from: MemberName,
    /// Where the plan is.
    pub plan_file_path: String,
    /// What is to be approved.
    pub plan_content: String,
    /// The hash of these bytes.
    pub hash: Hash,
    /// When it was asked.
    pub at: Timestamp,
}

impl PlanRequest {
    pub(crate) fn new(asked: &PlanApprovalRequest, from: &MemberName, at: Timestamp) -> TeamResult<PlanRequest> {
        let bounds = [
            ("the id of a request", asked.request_id.0.len(), MAX_REQUEST_ID_BYTES),
            ("the path of a plan", asked.plan_file_path.len(), MAX_PATH_BYTES),
            ("a plan", asked.plan_content.len(), MAX_PLAN_BYTES),
        ];
        for (what, bytes, max) in bounds {
            if bytes > max {
                return Err(TeamError::TooLarge { what, bytes, max });
            }
        }
        Ok(PlanRequest {
            request: asked.request_id.clone(),
            from: from.clone(),
            plan_file_path: asked.plan_file_path.clone(),
            plan_content: asked.plan_content.clone(),
            hash: Hash::of(asked.plan_content.as_bytes()),
            at,
        })
    }

    /// Whether it asks the same.
    pub(crate) fn is_same(&self, other: &PlanRequest) -> bool {
        PlanRequest { at: other.at, ..self.clone() } == *other
    }

    /// The message that the lead gets.
    pub(crate) fn message(&self) -> PlanApprovalRequest {
        PlanApprovalRequest {
            from: self.from.to_string(),
            timestamp: self.at,
            plan_file_path: self.plan_file_path.clone(),
            plan_content: self.plan_content.clone(),
            plan_hash: self.hash,
            request_id: self.request.clone(),
        }
    }

    pub(crate) fn message_id(&self, team: &TeamName) -> MessageId {
        MessageId::of(&format!("request\n{team}\n{}\n{}", self.from, self.request.0))
    }
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum RequestVerdict {
    /// Yes, with the mode that the member goes on in.
    Approved {
        /// The mode.
        mode: Mode,
        /// Words for the member.
        feedback: String,
    },
    /// No, and why.
    Rejected {
        /// Words for the member.
        feedback: String,
    },
    /// The member asks no longer.
    Withdrawn,
}

/// A decision to be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecisionDraft {
    /// About which request.
    pub request: RequestId,
    /// The hash of the bytes that whoever decides was shown.
    pub hash: Hash,
    /// Yes or no. Withdrawing is [`crate::Membership::withdraw`].
    pub verdict: RequestVerdict,
    /// Who decided: a person, or the lead by itself.
    pub by: Decider,
}

impl DecisionDraft {
    pub(crate) fn check(&self) -> TeamResult<()> {
        let feedback = match &self.verdict {
            RequestVerdict::Approved { feedback, .. } | RequestVerdict::Rejected { feedback } => feedback,
            RequestVerdict::Withdrawn => return Err(TeamError::OtherRequest(self.request.0.clone())),
        };
        if feedback.len() > MAX_FEEDBACK_BYTES {
            let (bytes, max) = (feedback.len(), MAX_FEEDBACK_BYTES);
            return Err(TeamError::TooLarge { what: "a feedback", bytes, max });
        }
        Ok(())
    }
}

/// The one decision about a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanDecision {
    /// About which request.
    pub request: RequestId,
    /// About which bytes.
    pub hash: Hash,
    /// What was decided.
    pub verdict: RequestVerdict,
    /// Who decided; none where the member itself withdrew.
    pub by: Option<Decider>,
    /// The member that wrote it down: the store fills this in.
    pub decided_by: MemberName,
    /// When.
    pub at: Timestamp,
}

impl PlanDecision {
    /// Whether both say the same, whenever they were taken.
    pub(crate) fn is_same(&self, other: &PlanDecision) -> bool {
        PlanDecision { at: other.at, ..self.clone() } == *other
    }

    pub(crate) fn is_withdrawn(&self) -> bool {
        self.verdict == RequestVerdict::Withdrawn
    }

    /// The message that the member gets.
    pub(crate) fn message(&self) -> PlanApprovalResponse {
        let (approved, mode, feedback) = match &self.verdict {
            RequestVerdict::Approved { mode, feedback } => (true, Some(mode.name().to_owned()), feedback.clone()),
            RequestVerdict::Rejected { feedback } => (false, None, feedback.clone()),
            RequestVerdict::Withdrawn => (false, None, String::new()),
        };
        PlanApprovalResponse {
            from: self.decided_by.to_string(),
            timestamp: self.at,
            request_id: self.request.clone(),
            plan_hash: self.hash,
            person: match &self.by {
                Some(Decider::Person { via }) => Some(via.clone()),
                Some(Decider::Lead { .. } | Decider::Teammate { .. }) | None => None,
            },
            approved,
            mode,
            feedback,
        }
    }

    pub(crate) fn message_id(&self, team: &TeamName) -> MessageId {
        MessageId::of(&format!("decision\n{team}\n{}\n{}", self.decided_by, self.request.0))
    }
}

/// What deciding came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecisionOutcome {
    /// It counts; also when this very decision had been taken before and was only sent again.
    Counts(PlanDecision),
    /// Another one was taken first, and that one counts.
    TooLate(PlanDecision),
}
