//! What can happen to a session's planning, one value each. A session's state is a fold over these.

use crate::{
    approval::{Comment, Decider, Proposal, Receipt},
    mode::{Level, Mode, Openings},
    plan::{PlanId, PlanStage, Revision},
    reminder::{Notice, ToldMode},
};
use serde::{Deserialize, Serialize};

/// Who asks for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Actor {
    /// A key, a slash command, the host's own call: the person's hand.
    Person,
    /// A tool call.
    Model,
    /// A settings file that changed.
    Settings,
    /// Auto mode's circuit breaker.
    Breaker,
}

/// What kind of session this is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionRole {
    /// A person's own session.
    Main,
    /// A teammate whose plan needs the lead's approval.
    Required { name: String, team: String, lead: String },
    /// A teammate that leaves plan mode by itself.
    Voluntary { name: String, team: String },
}

/// A level that came with an approval and ends with its plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    pub plan: PlanId,
    pub level: Level,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "change")]
pub enum Change {
    /// The session began, or goes on as a copy of another one.
    Started { level: Level, planning: bool, openings: Openings, role: SessionRole },
    /// The mode was switched by the one transition function.
    Mode { from: Mode, to: Mode, level: Level, keeps_grant: bool, by: Actor, why: String },
    /// What may be used at all changed: trust, opt-in, breaker.
    Openings { openings: Openings, by: Actor },
    /// Rules or settings that the gate judges by were read again: what was allowed before is judged anew.
    SettingsRead,
    /// Whether auto mode helps while planning was set.
    AutoDuringPlan { wanted: bool },
    /// A plan got its identity.
    PlanNamed { plan: PlanId, path: String },
    /// A plan has a new revision.
    PlanWritten { plan: PlanId, revision: Revision, text: String },
    /// The work on an approved plan began or ended.
    Stage { plan: PlanId, stage: PlanStage },
    /// Approval was asked for.
    Proposed(Proposal),
    /// A request for approval was answered.
    Decided { decision: Decision, from: Mode, to: Mode },
    /// A person sent a prompt.
    HumanTurn,
    /// The model was given these notices.
    Told { notices: Vec<Notice> },
    /// A reminder could not be made: only reads until it can.
    ReminderFailed { why: String },
    /// Reminders work again.
    ReminderMended,
    /// The history the model sees was emptied or summarised.
    ContextCut,
    /// What the model sees went back to an earlier point: what it was told by then, and what it has no longer heard.
    ContextRewound { told: ToldMode, unheard: Vec<Notice> },
    /// The plan was changed, and not by the model, which has to hear of it. Who did it is in the newest revision.
    PlanEditedOutside { plan: PlanId },
    /// A yes that holds for the whole session, such as `host:api.github.com`.
    Allowed { what: String },
    /// The classifier of auto mode decided about a call.
    AutoVerdict { allowed: bool },
}

/// How a request for approval ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "decision")]
pub enum Decision {
    Approved {
        receipt: Receipt,
    },
    /// Keep planning.
    Rejected {
        request: crate::approval::RequestId,
        reason: String,
        comments: Vec<Comment>,
        by: Option<Decider>,
    },
    /// Approve nothing, keep the plan, end the turn.
    Saved {
        request: crate::approval::RequestId,
        by: Decider,
    },
    /// Leave plan mode without approving the plan.
    Left {
        request: crate::approval::RequestId,
        by: Decider,
    },
    /// Throw the plan away; planning goes on.
    Discarded {
        request: crate::approval::RequestId,
        by: Decider,
    },
}

/// A mode change as an event: from, to, by whom, why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModeEvent {
    pub from: Mode,
    pub to: Mode,
    pub by: String,
    pub why: String,
}

impl Decision {
    pub fn request(&self) -> &crate::approval::RequestId {
        match self {
            Decision::Approved { receipt } => &receipt.request,
            Decision::Rejected { request, .. }
            | Decision::Saved { request, .. }
            | Decision::Left { request, .. }
            | Decision::Discarded { request, .. } => request,
        }
    }
}

impl Change {
    /// The mode change that this is, if it is one: every such event goes to the event stream and the audit log.
    pub fn mode_event(&self) -> Option<ModeEvent> {
        match self {
            Change::Mode { from, to, by, why, .. } => {
                Some(ModeEvent { from: *from, to: *to, by: format!("{by:?}").to_lowercase(), why: why.clone() })
            }
            Change::Decided { decision: Decision::Approved { receipt }, from, to } => Some(ModeEvent {
                from: *from,
                to: *to,
                by: receipt.by.to_string(),
                why: format!("plan {} revision {} approved", receipt.plan, receipt.revision),
            }),
            Change::Decided { decision: Decision::Left { by, .. }, from, to } => Some(ModeEvent {
                from: *from,
                to: *to,
                by: by.to_string(),
                why: "left plan mode without approving the plan".into(),
            }),
            Change::Decided { .. }
            | Change::Started { .. }
            | Change::Openings { .. }
            | Change::SettingsRead
            | Change::AutoDuringPlan { .. }
            | Change::PlanNamed { .. }
            | Change::PlanWritten { .. }
            | Change::Stage { .. }
            | Change::Proposed(_)
            | Change::HumanTurn
            | Change::Told { .. }
            | Change::ReminderFailed { .. }
            | Change::ReminderMended
            | Change::ContextCut
            | Change::ContextRewound { .. }
            | Change::PlanEditedOutside { .. }
            | Change::Allowed { .. }
            | Change::AutoVerdict { .. } => None,
        }
    }
}

impl std::fmt::Display for Decider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Decider::Person { via } => write!(f, "person ({via})"),
            Decider::Lead { name } => write!(f, "lead {name}"),
            Decider::Teammate { name } => write!(f, "teammate {name}, not reviewed"),
        }
    }
}
