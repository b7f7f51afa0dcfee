//! A session's planning as one value: the fold over its changes. Mode, gate, reminders and screen all read it here.

mod fold;

use crate::{
    approval::Proposal,
    auto::Breaker,
    change::{Change, Grant, SessionRole},
    contract::{Contract, Coverage},
    mode::{Level, Mode, Openings},
    plan::{Author, PlanRecord},
    reminder::{Counters, Notice, TURNS_BETWEEN},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeSet,
    path::Path,
    sync::{Arc, OnceLock},
};

/// Yeses for the whole session that are kept at most; the next one is asked again.
const MAX_ALLOWED_SCOPES: usize = 256;

/// The longest yes that is kept.
pub(crate) const MAX_ALLOWED_BYTES: usize = 16 * 1024;

/// Counts what the gate enforces: a permit from another epoch is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Epoch(pub u64);

/// Whether a change fitted the state. A change that does not fit changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Applied {
    /// It counts.
    Yes,
    /// It does not fit, for this reason.
    Ignored(&'static str),
}

/// The planning state of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    level: Level,
    planning: bool,
    grant: Option<Grant>,
    openings: Openings,
    role: SessionRole,
    epoch: Epoch,
    plan: Option<PlanRecord>,
    plans: u32,
    previous: Option<String>,
    pending: Option<Proposal>,
    counters: Counters,
    fallback: Option<String>,
    allowed: BTreeSet<String>,
    wants_auto_during_plan: bool,
    breaker: Breaker,
    #[serde(skip)]
    coverage: CoverageCache,
}

/// What the plan covers, made ready for questions when the first one comes. Not a part of the state: it says nothing new.
#[derive(Clone, Debug, Default)]
struct CoverageCache(OnceLock<Arc<Coverage>>);

impl PartialEq for CoverageCache {
    fn eq(&self, _: &CoverageCache) -> bool {
        true
    }
}

impl Eq for CoverageCache {}

impl Default for State {
    /// Not planning, nothing open, nobody trusted.
    fn default() -> State {
        State {
            level: Level::Default,
            planning: false,
            grant: None,
            openings: Openings::CLOSED,
            role: SessionRole::Main,
            epoch: Epoch(0),
            plan: None,
            plans: 0,
            previous: None,
            pending: None,
            counters: Counters::default(),
            fallback: None,
            allowed: BTreeSet::new(),
            wants_auto_during_plan: false,
            breaker: Breaker::default(),
            coverage: CoverageCache::default(),
        }
    }
}

impl State {
    /// What people see, what the gate enforces and what the model is told: one value.
    pub fn mode(&self) -> Mode {
        if self.planning { Mode::Plan } else { Mode::At(self.level_beneath()) }
    }

    /// The level that holds when not planning: a granted one while its plan lasts, and never one that is closed.
    pub fn level_beneath(&self) -> Level {
        let wanted = self.grant.as_ref().map_or(self.level, |grant| grant.level);
        if self.may_use(wanted) { wanted } else { Level::Default }
    }

    /// The mode that leaving would restore; none when not planning.
    pub fn pre_plan_mode(&self) -> Option<Mode> {
        self.planning.then(|| Mode::At(self.level_beneath()))
    }

    /// Whether this session may use a level at all.
    pub fn may_use(&self, level: Level) -> bool {
        self.openings.allow(level)
    }

    /// Whether the classifier of auto mode decides what would ask now.
    pub(crate) fn auto_decides(&self) -> bool {
        if self.planning {
            self.wants_auto_during_plan && self.openings.auto() && self.level_beneath() != Level::BypassPermissions
        } else {
            self.level_beneath() == Level::Auto
        }
    }

    /// The level the person chose, without what a plan granted.
    pub fn level(&self) -> Level {
        self.level
    }

    /// A level that came with an approval.
    pub fn grant(&self) -> Option<&Grant> {
        self.grant.as_ref()
    }

    /// Which levels may be used at all.
    pub fn openings(&self) -> &Openings {
        &self.openings
    }

    /// What kind of session it is.
    pub fn role(&self) -> &SessionRole {
        &self.role
    }

    /// What a permit must carry to be good.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// The current plan.
    pub fn plan(&self) -> Option<&PlanRecord> {
        self.plan.as_ref()
    }

    /// What the plan that is carried out covers without being asked about; none while planning.
    pub fn contract(&self) -> Option<&Contract> {
        let plan = self.plan.as_ref().filter(|plan| !self.planning && plan.stage.is_carried_out())?;
        let runs_covered = plan.receipt.as_ref().is_some_and(|receipt| receipt.runs_covered);
        plan.contract.as_ref().filter(|_| runs_covered)
    }

    /// The same, ready for questions about a project folder, which is always the same in a session.
    pub(crate) fn coverage(&self, project: &Path) -> Option<&Coverage> {
        let contract = self.contract()?;
        Some(self.coverage.0.get_or_init(|| Arc::new(Coverage::new(contract.clone(), project))))
    }

    /// How many plans this session has named so far.
    pub fn plans(&self) -> u32 {
        self.plans
    }

    /// The file of the plan before the current one: what a re-entry tells the model to read.
    pub fn previous_plan(&self) -> Option<&str> {
        self.previous.as_deref()
    }

    /// The request for approval that waits, if any.
    pub fn pending(&self) -> Option<&Proposal> {
        self.pending.as_ref()
    }

    /// What the model was told, and how long ago.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Why only reads are allowed, when a reminder could not be made.
    pub fn fallback(&self) -> Option<&str> {
        self.fallback.as_deref()
    }

    /// What the person said yes to for the whole session, by its key ([`crate::gate::AllowScope::of_key`]).
    pub fn allowed(&self) -> impl Iterator<Item = &str> {
        self.allowed.iter().map(String::as_str)
    }

    /// Whether the person said yes to this for the whole session.
    pub fn is_allowed(&self, what: &str) -> bool {
        self.allowed.contains(what)
    }

    /// The notices that belong to the prompt that was just counted. `plan_exists`: there is a plan on disk, this one or
    /// the one before it.
    pub fn notices_due(&self, plan_exists: bool) -> Vec<Notice> {
        self.notices_due_every(plan_exists, TURNS_BETWEEN)
    }

    /// The same, with so many prompts between two reminders of planning.
    pub fn notices_due_every(&self, plan_exists: bool, turns_between: u32) -> Vec<Notice> {
        let newest = self.plan.as_ref().and_then(|plan| plan.revision.as_ref());
        let is_by_other = newest.is_some_and(|revision| revision.author == Author::Other);
        self.counters.due(self.planning, plan_exists, is_by_other, turns_between)
    }

    /// Folds one change in. A change that does not fit, such as a forged approval, changes nothing.
    pub fn apply(&mut self, change: &Change) -> Applied {
        let auto_before = self.auto_decides();
        let enforced_before = self.enforced();
        let applied = self.fold(change);
        match (auto_before, self.auto_decides()) {
            (true, false) => self.counters.on_auto_stopped(),
            (false, true) => self.counters.on_auto_started(),
            (true, true) | (false, false) => {}
        }
        let is_stricter = matches!(change, Change::SettingsRead | Change::Forgotten { .. });
        if self.enforced() != enforced_before || is_stricter {
            self.epoch = Epoch(self.epoch.0.saturating_add(1));
        }
        applied
    }

    /// Folds several changes in, in order.
    pub fn apply_all<'a>(&mut self, changes: impl IntoIterator<Item = &'a Change>) {
        for change in changes {
            let _ = self.apply(change);
        }
    }

    /// Folds a whole history.
    pub fn fold_all<'a>(changes: impl IntoIterator<Item = &'a Change>) -> State {
        let mut state = State::default();
        state.apply_all(changes);
        state
    }

    /// Everything that the gate's answer depends on; when it differs, old permits are void.
    fn enforced(&self) -> (Mode, Level, bool, bool, bool, Option<(String, bool)>) {
        let plan_file = self.plan.as_ref().map(|plan| (plan.path.clone(), plan.stage.is_unfinished_planning()));
        let is_covered = self.contract().is_some();
        (self.mode(), self.level_beneath(), self.auto_decides(), self.fallback.is_some(), is_covered, plan_file)
    }
}
