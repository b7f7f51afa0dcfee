//! Copies of the current plan that a transcript holds, for the case that its file is lost.

use crate::entry::{PlanMark, Rehearsal, plan_text};
use fore_plan::{
    Change, Decision, MAX_WORK, Mode, WorkRecord,
    plan::{Hash, PlanId, Revision},
};
use serde_json::value::RawValue;

/// Rehearsals that are remembered of one plan.
pub(crate) const MAX_REHEARSALS: usize = 50;

/// The newest copy of each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlanTraces {
    /// The text of the newest revision.
    pub snapshot: Option<RevisionText>,
    /// What approval was last asked for.
    pub exit_input: Option<String>,
    /// What a cleared context began with.
    pub first_message: Option<String>,
    /// What a reminder brought back.
    pub reference: Option<String>,
    /// What was tried since planning began, oldest first, the last of it.
    pub rehearsals: Vec<Rehearsal>,
    /// What was done since the plan was approved, oldest first.
    pub work: Vec<WorkRecord>,
}

/// A revision with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RevisionText {
    /// The plan.
    pub plan: PlanId,
    /// Its version.
    pub revision: Revision,
    /// What it said.
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
            Change::Decided { decision: Decision::Approved { .. }, .. } => self.work.clear(),
            Change::Proposed(proposal) => self.exit_input = Some(proposal.text.clone()),
            Change::Mode { from, to: Mode::Plan, .. } if *from != Mode::Plan => self.rehearsals.clear(),
            Change::Mode { .. }
            | Change::Openings { .. }
            | Change::SettingsRead
            | Change::AutoDuringPlan { .. }
            | Change::Stage { .. }
            | Change::Decided { .. }
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
            | Change::AutoVerdict { .. } => {}
        }
    }

    pub(crate) fn note_rehearsal(&mut self, rehearsal: Rehearsal) {
        if self.rehearsals.len() >= MAX_REHEARSALS {
            self.rehearsals.remove(0);
        }
        self.rehearsals.push(rehearsal);
    }

    pub(crate) fn note_work(&mut self, work: WorkRecord) {
        if self.work.len() < MAX_WORK {
            self.work.push(work);
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
    pub(crate) fn is_sound(&self) -> bool {
        Hash::of(self.text.as_bytes()) == self.revision.hash
    }
}
