//! What can happen to a session's planning, one value each. A session's state is a fold over these.

use crate::{
    approval::{Comment, Decider, Proposal, Receipt},
    contract::Contract,
    mode::{Level, Mode, Openings},
    mode_event::{ModeChanger, ModeEvent, ModeReason},
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
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
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
    /// The plan it ends with.
    pub plan: PlanId,
    /// What holds until then.
    pub level: Level,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "change")]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum Change {
    /// The session began, or goes on as a copy of another one.
    Started { level: Level, planning: bool, openings: Openings, role: SessionRole },
    /// The mode was switched by the one transition function.
    Mode { from: Mode, to: Mode, level: Level, keeps_grant: bool, by: Actor, why: ModeReason },
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
    /// The person added something to the plan that is carried out. Its new text is a revision of their own.
    Amended { receipt: Receipt, contract: Contract },
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
    /// Such a yes was taken back: it is asked about again.
    Forgotten { what: String },
    /// The classifier of auto mode decided about a call.
    AutoVerdict { allowed: bool },
}

/// How a request for approval ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "decision")]
pub enum Decision {
    /// Work begins.
    Approved {
        /// What the approval is bound to.
        receipt: Receipt,
        /// Remarks on single lines that came with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        comments: Vec<Comment>,
        /// What the plan grants; its hash is in the receipt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        contract: Option<Box<Contract>>,
    },
    /// Keep planning.
    Rejected {
        /// The request.
        request: crate::approval::RequestId,
        /// Why, in the person's words.
        reason: String,
        /// Remarks on single lines.
        comments: Vec<Comment>,
        /// Who said it; nobody where the request was taken back.
        by: Option<Decider>,
    },
    /// Approve nothing, keep the plan, end the turn.
    Saved {
        /// The request.
        request: crate::approval::RequestId,
        /// Who chose it.
        by: Decider,
    },
    /// Leave plan mode without approving the plan.
    Left {
        /// The request.
        request: crate::approval::RequestId,
        /// Who chose it.
        by: Decider,
    },
    /// Throw the plan away; planning goes on.
    Discarded {
        /// The request.
        request: crate::approval::RequestId,
        /// Who chose it.
        by: Decider,
    },
}

impl Decision {
    pub(crate) fn request(&self) -> &crate::approval::RequestId {
        match self {
            Decision::Approved { receipt, .. } => &receipt.request,
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
                Some(ModeEvent { from: *from, to: *to, by: ModeChanger::Actor(*by), why: why.clone() })
            }
            Change::Decided { decision: Decision::Approved { receipt, .. }, from, to } => Some(ModeEvent {
                from: *from,
                to: *to,
                by: ModeChanger::Decider(receipt.by.clone()),
                why: ModeReason::Approved { plan: receipt.plan.clone(), revision: receipt.revision },
            }),
            Change::Decided { decision: Decision::Left { by, .. }, from, to } => Some(ModeEvent {
                from: *from,
                to: *to,
                by: ModeChanger::Decider(by.clone()),
                why: ModeReason::LeftAtApproval,
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
            | Change::Amended { .. }
            | Change::HumanTurn
            | Change::Told { .. }
            | Change::ReminderFailed { .. }
            | Change::ReminderMended
            | Change::ContextCut
            | Change::ContextRewound { .. }
            | Change::PlanEditedOutside { .. }
            | Change::Allowed { .. }
            | Change::Forgotten { .. }
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
