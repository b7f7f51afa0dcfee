//! What a teammate and its lead say to each other about a plan, and which answer counts.

use crate::{
    approval::{
        ApprovalAnswer, Approver, Choice, ChosenLevel, Decider, GrantChanges, GrantScope, Proposal, RequestId,
        Timestamp,
    },
    mode::{Level, Mode},
    plan::Hash,
    state::State,
};
use serde::{Deserialize, Serialize};

/// The largest feedback that is passed on.
const MAX_FEEDBACK_CHARS: usize = 16 * 1024;

/// Who decides about the plan of a teammate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TeamApprover {
    /// The person, in the lead's session.
    #[default]
    Person,
    /// The lead's model, for the mode `default` alone.
    Lead,
}

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
    /// The bytes of the plan.
    pub plan_hash: Hash,
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
    /// The bytes that it is about.
    pub plan_hash: Hash,
    /// The front end through which a person decided; none where the lead's model did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
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
    #[error("the answer is about other bytes than the plan that waits")]
    OtherPlan,
    #[error("the answer comes from {from}, but {lead} was asked")]
    NotTheLead { from: String, lead: String },
    #[error("the approval names no mode that a teammate can work in: {0}")]
    NoSuchMode(String),
    #[error("the lead plans itself, so nothing may be carried out yet")]
    LeadPlans,
    #[error("the lead works at {lead} and cannot grant {asked}")]
    MoreThanTheLead { lead: Level, asked: Level },
    #[error("{0} is never granted by a message")]
    NeverByMessage(Level),
    #[error("{asked} is more than the {own} that this teammate began with, and only a person grants that")]
    MoreThanItsOwn { own: Level, asked: Level },
}

/// The message to the lead that a proposal becomes.
pub fn request(proposal: &Proposal, from: &str, at: Timestamp) -> PlanApprovalRequest {
    PlanApprovalRequest {
        from: from.to_owned(),
        timestamp: at,
        plan_file_path: proposal.path.clone(),
        plan_content: proposal.text.clone(),
        plan_hash: proposal.hash,
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
    if response.plan_hash != pending.hash {
        return Err(NotCounted::OtherPlan);
    }
    let by = match &response.person {
        Some(via) => Decider::Person { via: via.clone() },
        None => Decider::Lead { name: lead.clone() },
    };
    let choice = if response.approved {
        let level = granted_level(state, response, lead_mode)?;
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
    Ok(ApprovalAnswer { request: pending.request.clone(), hash: pending.hash, by, at: response.timestamp, choice })
}

/// Whether somebody in this mode can let a teammate work at this level.
pub fn may_grant(asked: Level, lead: Mode) -> Result<(), NotCounted> {
    match lead {
        Mode::Plan => Err(NotCounted::LeadPlans),
        Mode::At(lead) if asked > lead => Err(NotCounted::MoreThanTheLead { lead, asked }),
        Mode::At(_) => Ok(()),
    }
}

fn granted_level(state: &State, response: &PlanApprovalResponse, lead: Mode) -> Result<Level, NotCounted> {
    // While the lead plans, no mode is right.
    may_grant(Level::Default, lead)?;
    let word = response.mode.as_deref().unwrap_or("default");
    let asked = match word.parse::<Mode>() {
        Ok(Mode::At(asked)) => asked,
        Ok(Mode::Plan) | Err(_) => return Err(NotCounted::NoSuchMode(word.chars().take(40).collect())),
    };
    may_grant(asked, lead)?;
    let own = state.level_beneath();
    match asked {
        Level::BypassPermissions if own != Level::BypassPermissions => Err(NotCounted::NeverByMessage(asked)),
        asked if asked > own && response.person.is_none() => Err(NotCounted::MoreThanItsOwn { own, asked }),
        Level::Default | Level::AcceptEdits | Level::Auto | Level::BypassPermissions => Ok(asked),
    }
}

fn bounded(text: &str) -> String {
    fore_text::cut::chars(text, MAX_FEEDBACK_CHARS).to_owned()
}
