//! What is told of the mode when a change is recorded, and again when it is read back: because it was asked for, or because it
//! follows from something else (A6).

use fore_plan::{Applied, Change, Mode, ModeChanger, ModeEvent, ModeReason};

/// Why a change may change the mode.
#[derive(Debug)]
pub(crate) enum ModeCause {
    /// It is one of mode.
    Asked(ModeEvent),
    /// It is about something else.
    SideEffect(ModeReason),
}

impl ModeCause {
    pub(crate) fn of(change: &Change) -> ModeCause {
        change.mode_event().map_or_else(|| ModeCause::SideEffect(side_effect(change)), ModeCause::Asked)
    }

    /// What holds now is said, whatever was asked for.
    pub(crate) fn event(self, from: Mode, to: Mode, applied: Applied) -> Option<ModeEvent> {
        match self {
            ModeCause::Asked(event) => (applied == Applied::Yes).then_some(ModeEvent { from, to, ..event }),
            ModeCause::SideEffect(why) => (from != to).then_some(ModeEvent { from, to, by: ModeChanger::Program, why }),
        }
    }
}

/// Why a change that is none of mode changed the mode all the same.
fn side_effect(change: &Change) -> ModeReason {
    match change {
        Change::Stage { .. } | Change::PlanNamed { .. } => ModeReason::PlanOver,
        Change::Openings { .. } => ModeReason::Openings,
        Change::AutoVerdict { .. } => ModeReason::AutoClosed,
        Change::Started { .. }
        | Change::Mode { .. }
        | Change::SettingsRead
        | Change::AutoDuringPlan { .. }
        | Change::PlanWritten { .. }
        | Change::Proposed(_)
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
        | Change::Forgotten { .. } => ModeReason::Recorded,
    }
}
