//! A plan's identity, its revisions and its life, without its file.

use crate::{
    approval::{Comment, Receipt},
    contract::Contract,
    plan::Hash,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Largest plan that is read, kept or shown.
pub const MAX_PLAN_BYTES: usize = 256 * 1024;

/// Which plan: the session it belongs to and its number there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PlanId {
    /// The session.
    pub session: String,
    /// Counts from 1.
    pub ordinal: u32,
}

/// Who wrote a revision, as far as the program knows it for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Author {
    /// By Write, Edit, a judged redirection or with its request for approval.
    Model,
    /// In a dialog of ours, in the editor that we started, or through a host.
    Person,
    /// Found in the file, and nobody knows by whom.
    Other,
}

/// One immutable version of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// Counts from 1.
    pub number: u32,
    /// Its bytes.
    pub hash: Hash,
    /// The revision it was made from.
    pub parent: Option<Hash>,
    /// Who wrote it.
    pub author: Author,
}

/// Where a plan is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanStage {
    /// It is being written.
    Draft,
    /// It waits for an answer.
    Proposed,
    /// The person wants another one.
    Rejected,
    /// It may be carried out.
    Approved,
    /// Work on it has begun.
    InProgress,
    /// It was carried out.
    Done,
    /// It was given up.
    Abandoned,
}

impl PlanStage {
    /// Every stage.
    #[cfg(test)]
    pub(crate) const ALL: [PlanStage; 7] = [
        PlanStage::Draft,
        PlanStage::Proposed,
        PlanStage::Rejected,
        PlanStage::Approved,
        PlanStage::InProgress,
        PlanStage::Done,
        PlanStage::Abandoned,
    ];

    /// Whether a plan may go from this stage to the next one.
    pub fn may_become(self, next: PlanStage) -> bool {
        use PlanStage::{Abandoned, Approved, Done, Draft, InProgress, Proposed, Rejected};
        match self {
            Draft | Rejected => matches!(next, Draft | Proposed | Abandoned),
            Proposed => matches!(next, Draft | Approved | Rejected | Abandoned),
            Approved => matches!(next, InProgress | Done | Abandoned),
            InProgress => matches!(next, Done | Abandoned),
            Done | Abandoned => false,
        }
    }

    /// Whether it was approved and the work on it is not over.
    pub fn is_carried_out(self) -> bool {
        match self {
            PlanStage::Approved | PlanStage::InProgress => true,
            PlanStage::Draft | PlanStage::Proposed | PlanStage::Rejected | PlanStage::Done | PlanStage::Abandoned => {
                false
            }
        }
    }

    /// Whether planning again goes on with this plan; otherwise the next task gets a plan of its own.
    pub fn is_unfinished_planning(self) -> bool {
        match self {
            PlanStage::Draft | PlanStage::Proposed | PlanStage::Rejected => true,
            PlanStage::Approved | PlanStage::InProgress | PlanStage::Done | PlanStage::Abandoned => false,
        }
    }
}

/// All that a session remembers of one plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanRecord {
    /// Names it.
    pub id: PlanId,
    /// Absolute path of its file: the one value that prompt, gate and tool share.
    pub path: String,
    /// How far it is.
    pub stage: PlanStage,
    /// The newest revision; none until something was written.
    pub revision: Option<Revision>,
    /// The text that the model knows: what it wrote, or was told of last.
    #[serde(default)]
    pub known: Option<Hash>,
    /// The last text a person was shown, for the difference at the next request.
    pub seen: Option<ShownPlan>,
    /// What the person remarked on that text.
    #[serde(default)]
    pub comments: Vec<Comment>,
    /// The approval, once there is one.
    pub receipt: Option<Receipt>,
    /// What was approved with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<Contract>,
}

/// A text a person was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownPlan {
    /// Its version.
    pub revision: u32,
    /// Its bytes.
    pub hash: Hash,
    /// What it said.
    pub text: String,
}

impl PlanRecord {
    /// The bytes that count: the approved ones for good, else the newest. Whatever stands in the file by now.
    pub fn counts(&self) -> Option<Hash> {
        let newest = || self.revision.as_ref().map(|revision| revision.hash);
        self.receipt.as_ref().map(|receipt| receipt.hash).or_else(newest)
    }

    /// The revision that `hash` would become, or `None` if it is the newest already.
    pub fn next_revision(&self, hash: Hash, author: Author) -> Option<Revision> {
        match &self.revision {
            Some(newest) if newest.hash == hash => None,
            Some(newest) => {
                Some(Revision { number: newest.number.saturating_add(1), hash, parent: Some(newest.hash), author })
            }
            None => Some(Revision { number: 1, hash, parent: None, author }),
        }
    }
}

impl fmt::Display for PlanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.session, self.ordinal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b7_the_life_of_a_plan() {
        let page: Vec<String> = PlanStage::ALL
            .iter()
            .map(|from| {
                let next: Vec<String> =
                    PlanStage::ALL.iter().filter(|to| from.may_become(**to)).map(|to| format!("{to:?}")).collect();
                format!("{from:?} -> {}", next.join(" "))
            })
            .collect();
        assert_eq!(
            page.join("\n"),
            "Draft -> Draft Proposed Abandoned\n\
             Proposed -> Draft Rejected Approved Abandoned\n\
             Rejected -> Draft Proposed Abandoned\n\
             Approved -> InProgress Done Abandoned\n\
             InProgress -> Done Abandoned\n\
             Done -> \n\
             Abandoned -> "
        );
    }
}
