//! Copies of the current plan that a transcript holds, for the case that its file is lost.

use crate::entry::{PlanMark, plan_text};
use fore_plan::{
    Change,
    plan::{Hash, PlanId, Revision},
};
use serde_json::value::RawValue;

/// The newest copy of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanTraces {
    pub snapshot: Option<RevisionText>,
    /// What approval was last asked for.
    pub exit_input: Option<String>,
    /// What a cleared context began with.
    pub first_message: Option<String>,
    /// What a reminder brought back.
    pub reference: Option<String>,
}

/// A revision with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevisionText {
    pub plan: PlanId,
    pub revision: Revision,
    pub text: String,
}

impl PlanTraces {
    pub(crate) fn note(&mut self, change: &Change) {
        match change {
            // Another plan, another file: what the old one said must not come back in its place.
            Change::Started { .. } | Change::PlanNamed { .. } => *self = PlanTraces::default(),
            Change::PlanWritten { plan, revision, text } => {
                let (plan, revision, text) = (plan.clone(), revision.clone(), text.clone());
                self.snapshot = Some(RevisionText { plan, revision, text });
            }
            Change::Proposed(proposal) => self.exit_input = Some(proposal.text.clone()),
            Change::Mode { .. }
            | Change::Openings { .. }
            | Change::SettingsRead
            | Change::AutoDuringPlan { .. }
            | Change::Stage { .. }
            | Change::Decided { .. }
            | Change::HumanTurn
            | Change::Told { .. }
            | Change::ReminderFailed { .. }
            | Change::ReminderMended
            | Change::ContextCut
            | Change::ContextRewound { .. }
            | Change::PlanEditedOutside { .. }
            | Change::Allowed { .. }
            | Change::AutoVerdict { .. } => {}
        }
    }

    pub(crate) fn note_message(&mut self, mark: PlanMark, content: &RawValue) {
        let Some(text) = plan_text(mark, content) else { return };
        *match mark {
            PlanMark::ExitInput => &mut self.exit_input,
            PlanMark::FirstMessage => &mut self.first_message,
            PlanMark::Reference => &mut self.reference,
        } = Some(text);
    }
}

impl RevisionText {
    /// Whether the text is what the revision says.
    pub fn is_sound(&self) -> bool {
        Hash::of(self.text.as_bytes()) == self.revision.hash
    }
}
