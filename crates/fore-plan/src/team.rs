//! What a teammate and its lead say to each other about a plan, and which answer counts.

use crate::{
    approval::{
        ApprovalAnswer, Approver, Choice, ChosenLevel, Decider, GrantChanges, GrantScope, Proposal, RequestId,
        Timestamp,
    },
    mode::{Level, Mode},
    state::State,
};
use serde::{Deserialize, Serialize};

/// The largest feedback that is passed on.
const MAX_FEEDBACK_CHARS: usize = 16 * 1024;

/// What lies in the lead's inbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "plan_approval_request", rename_all = "camelCase")]
pub struct PlanApprovalRequest {
    /// The teammate.
    pub from: String,
    /// When it was sent.
    pub timestamp: Timestamp,
    /// Where the plan is.
    pub plan_file_path: String,
    /// What is to be approved.
    pub plan_content: String,
    /// Names the request.
    pub request_id: RequestId,
}

/// What comes back to the teammate's inbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "plan_approval_response", rename_all = "camelCase")]
pub struct PlanApprovalResponse {
    /// Who answers.
    pub from: String,
    /// When it was sent.
    pub timestamp: Timestamp,
    /// The request it answers.
    pub request_id: RequestId,
    /// Yes or no.
    pub approved: bool,
    /// The mode the teammate goes on in, when approved.
    #[serde(default)]
    pub mode: Option<String>,
    /// Words for the teammate.
    #[serde(default)]
    pub feedback: String,
}

/// Why an answer does not count; the teammate keeps planning.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what it is")]
pub enum NotCounted {
    #[error("no request for approval waits here")]
    NothingWaits,
    #[error("the answer is to request {0}, which does not wait (any more)")]
    OtherRequest(String),
    #[error("the answer comes from {from}, but {lead} was asked")]
    NotTheLead { from: String, lead: String },
    #[error("the approval names no mode that a teammate can work in: {0}")]
    NoSuchMode(String),
    #[error("the lead plans itself, so nothing may be carried out yet")]
    LeadPlans,
    #[error("the lead works at {lead} and cannot grant {asked}")]
    MoreThanTheLead { lead: Level, asked: Level },
}

/// The message to the lead that a proposal becomes.
pub fn request(proposal: &Proposal, from: &str, at: Timestamp) -> PlanApprovalRequest {
    PlanApprovalRequest {
        from: from.to_owned(),
        timestamp: at,
        plan_file_path: proposal.path.clone(),
        plan_content: proposal.text.clone(),
        request_id: proposal.request.clone(),
    }
}

/// Matches a lead's message with the request that waits. `lead_mode`: the mode of whoever answers, which no teammate
/// exceeds; for a person who answers with the own hand that is the level beneath.
pub fn matched(state: &State, response: &PlanApprovalResponse, lead_mode: Mode) -> Result<ApprovalAnswer, NotCounted> {
    let pending = state.pending().ok_or(NotCounted::NothingWaits)?;
    let lead = match &pending.approver {
        Approver::Lead { name } => name,
        Approver::Person => return Err(NotCounted::NothingWaits),
    };
    if response.request_id != pending.request {
        return Err(NotCounted::OtherRequest(response.request_id.0.chars().take(80).collect()));
    }
    if response.from != *lead {
        return Err(NotCounted::NotTheLead { from: response.from.chars().take(80).collect(), lead: lead.clone() });
    }
    let choice = if response.approved {
        let level = granted_level(response.mode.as_deref(), lead_mode)?;
        Choice::Approve {
            level: ChosenLevel::Level { level, scope: GrantScope::Plan },
            runs_covered: false,
            clear_context: false,
            edited: None,
            steps: None,
            contract_hash: None,
            grants: GrantChanges::default(),
            note: bounded(&response.feedback),
            comments: Vec::new(),
        }
    } else {
        Choice::KeepPlanning { reason: bounded(&response.feedback), comments: Vec::new(), edited: None }
    };
    Ok(ApprovalAnswer {
        request: pending.request.clone(),
        hash: pending.hash,
        by: Decider::Lead { name: lead.clone() },
        at: response.timestamp,
        choice,
    })
}

fn granted_level(mode: Option<&str>, lead: Mode) -> Result<Level, NotCounted> {
    let Mode::At(lead) = lead else { return Err(NotCounted::LeadPlans) };
    let word = mode.unwrap_or("default");
    match word.parse::<Mode>() {
        Ok(Mode::At(asked)) if asked <= lead => Ok(asked),
        Ok(Mode::At(asked)) => Err(NotCounted::MoreThanTheLead { lead, asked }),
        Ok(Mode::Plan) | Err(_) => Err(NotCounted::NoSuchMode(word.chars().take(40).collect())),
    }
}

fn bounded(text: &str) -> String {
    fore_text::cut::chars(text, MAX_FEEDBACK_CHARS).to_owned()
}
