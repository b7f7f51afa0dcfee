//! What a person was shown of a message, as the transcript keeps it beside the content, which is for the model.
//!
//! A resumed screen is made from this. The names are part of the format (`docs/transcripts.md`).

use crate::event::{CallOutcome, ShownCall, TurnOutcome};
use fore_plan::{Cage, CalledTool, approval::Receipt};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What was shown of one message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ShownMessage {
    /// Nothing: a call that was never begun, or words that were shown when they were first said.
    Nothing,
    /// These words of the model, without what was added for the model itself.
    Said(String),
    /// These words of the person, where the message is the prompt that a command of theirs became.
    Typed(String),
    /// A call of the model, or a command of the person's own.
    Call(Box<CallRecord>),
}

/// What was shown between messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ShownBetween {
    /// How a turn ended that did not simply end.
    TurnEnded(TurnOutcome),
    /// An answer to a plan that did not count, and why.
    NotCounted(String),
}

impl ShownBetween {
    /// What is told of a turn's end; most ends are told by what was said or decided last.
    pub(crate) fn turn_ended(outcome: &TurnOutcome) -> Option<ShownBetween> {
        match outcome {
            TurnOutcome::Done | TurnOutcome::PlanAwaits { .. } | TurnOutcome::PlanSaved { .. } => None,
            TurnOutcome::Interrupted
            | TurnOutcome::ModelFailed { .. }
            | TurnOutcome::NoAnswer { .. }
            | TurnOutcome::NotSent { .. }
            | TurnOutcome::OverBudget { .. }
            | TurnOutcome::TooManyRounds { .. } => Some(ShownBetween::TurnEnded(outcome.clone())),
        }
    }
}

/// One call as it was shown, from its beginning to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct CallRecord {
    pub(crate) tool: CalledTool,
    pub(crate) line: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cage: Option<Cage>,
    pub(crate) outcome: CallOutcome,
    pub(crate) shown: ShownCall,
    /// The subagent that it started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<AgentRecord>,
}

/// A subagent that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AgentRecord {
    pub(crate) kind: String,
    pub(crate) task: String,
    /// As people call it.
    pub(crate) model: String,
    pub(crate) outcome: CallOutcome,
    pub(crate) calls: u32,
    pub(crate) refused: u32,
    pub(crate) tokens: u64,
    /// Who approved the plan that it handed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) plan: Option<Receipt>,
}

impl ShownMessage {
    /// As it is written; none if that cannot be, which leaves an entry as older programs wrote it.
    pub(crate) fn to_raw(&self) -> Option<Box<RawValue>> {
        serde_json::value::to_raw_value(self).ok()
    }

    /// As it was written; none for what an older program, or a newer one, wrote.
    pub(crate) fn from_raw(raw: &RawValue) -> Option<ShownMessage> {
        serde_json::from_str(raw.get()).ok()
    }
}
