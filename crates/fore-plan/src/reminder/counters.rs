//! When which notice is due. Constant cost per turn: counters, never a look at the history.

use serde::{Deserialize, Serialize};

/// Human turns between two plan-mode reminders, unless a setting says otherwise.
pub(crate) const TURNS_BETWEEN: u32 = 5;
/// Every fifth plan-mode reminder is the full text again.
pub(crate) const FULL_EVERY: u32 = 5;

/// One thing to tell the model with the next prompt of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Notice {
    /// Planning, with the whole workflow.
    PlanFull,
    /// Still planning, in one line.
    PlanSparse,
    /// Planning again, and an earlier plan is there.
    ReEntry,
    /// Planning is over.
    Exit,
    /// Auto mode no longer decides.
    AutoExit,
    /// The plan again, after the history was cut.
    PlanReference,
    /// The plan file was changed, and not by the model.
    PlanChanged,
}

/// What the model was last told about planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToldMode {
    /// No word of it.
    Nothing,
    /// That the session plans.
    Planning,
    /// That planning is over.
    Working,
}

/// All that timing needs to remember.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    told: ToldMode,
    turns_since_plan: u32,
    given_since_exit: u32,
    has_exited: bool,
    /// Leaving is still to be said with the next prompt, whatever an answer has said of it by then.
    #[serde(default)]
    exit_due: bool,
    auto_exit_due: bool,
    reference_due: bool,
    /// An approved plan has ended, and nobody has said anything since: a cut now is the reason, and brings it back once more.
    #[serde(default)]
    ended: bool,
    /// It is due because it was taken back.
    #[serde(default)]
    is_taken_back: bool,
    changed_due: bool,
}

impl Default for Counters {
    fn default() -> Counters {
        Counters {
            told: ToldMode::Nothing,
            turns_since_plan: 0,
            given_since_exit: 0,
            has_exited: false,
            exit_due: false,
            auto_exit_due: false,
            reference_due: false,
            ended: false,
            is_taken_back: false,
            changed_due: false,
        }
    }
}

impl Counters {
    /// What the model was told of the mode last.
    pub fn told(&self) -> ToldMode {
        self.told
    }

    /// Whether the plan is brought back because the person took back what was said of it.
    pub fn is_taken_back(&self) -> bool {
        self.is_taken_back
    }

    pub(crate) fn on_human_turn(&mut self) {
        self.ended = false;
        self.turns_since_plan = self.turns_since_plan.saturating_add(1);
    }

    /// Leaving restarts the count, and a model that was told of planning hears of it with the next prompt.
    pub(crate) fn on_exit(&mut self) {
        self.given_since_exit = 0;
        self.has_exited = true;
        self.exit_due = self.told == ToldMode::Planning;
    }

    /// Planning ended by an answer, which tells the model at once: it works from here on, and if planning begins again before
    /// the next prompt, it has to hear of that.
    pub(crate) fn on_exit_answered(&mut self) {
        self.told = ToldMode::Working;
    }

    /// Nothing is said about having left.
    pub(crate) fn on_enter(&mut self) {
        self.exit_due = false;
    }

    pub(crate) fn on_auto_stopped(&mut self) {
        self.auto_exit_due = true;
    }

    pub(crate) fn on_auto_started(&mut self) {
        self.auto_exit_due = false;
    }

    pub(crate) fn on_approved_plan_ended(&mut self) {
        self.ended = true;
    }

    pub(crate) fn on_plan_changed_outside(&mut self) {
        self.changed_due = true;
    }

    /// What was to be said of the text of the plan before it is void, and a model that was told of its file has to hear
    /// of the new one.
    pub(crate) fn on_plan_named(&mut self) {
        self.changed_due = false;
        if self.told == ToldMode::Planning {
            self.told = ToldMode::Nothing;
            self.given_since_exit = 0;
        }
    }

    /// What was said before the cut may be gone: planning is told in full again, the plan is brought back.
    pub(crate) fn on_context_cut(&mut self, planning: bool, plan_exists: bool) {
        (self.reference_due, self.is_taken_back) = (plan_exists || self.ended, false);
        if planning {
            self.told = ToldMode::Nothing;
            self.given_since_exit = 0;
        }
    }

    /// What was said after that point is gone: the model believes again what it was `told` by then, and what it has not
    /// heard any more is due again. Planning is told in full, because the plan or its file may be another one by now.
    pub(crate) fn on_rewound(&mut self, planning: bool, told: ToldMode, unheard: &[Notice]) {
        self.told = if planning { ToldMode::Nothing } else { told };
        if planning {
            self.given_since_exit = 0;
        }
        self.has_exited |= unheard.contains(&Notice::ReEntry);
        // Who has heard nothing of planning need not hear that it is over.
        let is_unheard = self.exit_due || unheard.contains(&Notice::Exit);
        self.exit_due = is_unheard && !planning && told != ToldMode::Nothing;
        self.auto_exit_due |= unheard.contains(&Notice::AutoExit);
        self.is_taken_back |= unheard.contains(&Notice::PlanReference);
        self.reference_due |= self.is_taken_back;
        self.changed_due |= unheard.contains(&Notice::PlanChanged);
    }

    pub(crate) fn on_told(&mut self, notice: Notice) {
        match notice {
            Notice::PlanFull | Notice::PlanSparse => {
                self.told = ToldMode::Planning;
                self.turns_since_plan = 0;
                self.given_since_exit = self.given_since_exit.saturating_add(1);
                // From here on a plan on disk is this round's own, not one from before.
                self.has_exited = false;
            }
            Notice::ReEntry => self.has_exited = false,
            Notice::Exit => (self.told, self.exit_due) = (ToldMode::Working, false),
            Notice::AutoExit => self.auto_exit_due = false,
            // The text that was brought back holds what the person changed.
            Notice::PlanReference => {
                (self.reference_due, self.is_taken_back, self.changed_due) = (false, false, false);
            }
            Notice::PlanChanged => self.changed_due = false,
        }
    }

    /// The notices that belong to this prompt, in the order they are shown. `changed_by_other`: that nobody knows who changed
    /// the plan is said even where its text is brought back whole.
    pub(crate) fn due(
        &self,
        planning: bool,
        plan_exists: bool,
        changed_by_other: bool,
        turns_between: u32,
    ) -> Vec<Notice> {
        let mut due = Vec::new();
        if !planning && (self.told == ToldMode::Planning || self.exit_due) {
            due.push(Notice::Exit);
        }
        if self.auto_exit_due {
            due.push(Notice::AutoExit);
        }
        if self.reference_due && plan_exists {
            due.push(Notice::PlanReference);
        }
        if self.changed_due && plan_exists && (!self.reference_due || changed_by_other) {
            due.push(Notice::PlanChanged);
        }
        if planning && (self.told != ToldMode::Planning || self.turns_since_plan >= turns_between.max(1)) {
            if self.has_exited && plan_exists {
                due.push(Notice::ReEntry);
            }
            let is_full = self.given_since_exit.is_multiple_of(FULL_EVERY);
            due.push(if is_full { Notice::PlanFull } else { Notice::PlanSparse });
        }
        due
    }
}
