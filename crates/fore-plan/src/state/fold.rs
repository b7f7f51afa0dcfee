//! How each change alters the state. What does not fit is ignored with a reason and alters nothing.

use super::{Applied, CoverageCache, MAX_ALLOWED_BYTES, MAX_ALLOWED_SCOPES, State};
use crate::{
    approval::{Approver, Decider, GrantScope, Proposal, Receipt},
    auto::Breaker,
    change::{Actor, Change, Decision, Grant, SessionRole},
    contract::Contract,
    mode::{Level, Mode, Openings},
    plan::{Author, Hash, PlanId, PlanRecord, PlanStage, Revision, ShownPlan},
    reminder::{Notice, ToldMode},
};
use std::path::Path;

impl State {
    pub(super) fn fold(&mut self, change: &Change) -> Applied {
        match change {
            Change::Started { level, planning, openings, role } => {
                if self.planning && !(*planning && *role == self.role) {
                    return Applied::Ignored("a session that plans goes on planning, in the same role");
                }
                *self = State { epoch: self.epoch, ..State::default() };
                (self.level, self.planning, self.openings) = (*level, *planning, *openings);
                self.role = role.clone();
                Applied::Yes
            }
            Change::Mode { to, level, keeps_grant, by, .. } => self.fold_mode(*to, *level, *keeps_grant, *by),
            Change::Openings { openings, by } => self.fold_openings(*openings, *by),
            Change::SettingsRead => Applied::Yes,
            Change::AutoDuringPlan { wanted } => {
                self.wants_auto_during_plan = *wanted;
                Applied::Yes
            }
            Change::PlanNamed { plan, path } => self.fold_named(plan, path),
            Change::PlanWritten { plan, revision, .. } => self.fold_written(plan, revision),
            Change::Stage { plan, stage } => self.fold_stage(plan, *stage),
            Change::Proposed(proposal) => self.fold_proposed(proposal),
            Change::Decided { decision, .. } => self.fold_decided(decision),
            Change::Amended { receipt, contract } => self.fold_amended(receipt, contract),
            Change::HumanTurn => {
                self.counters.on_human_turn();
                Applied::Yes
            }
            Change::Told { notices } => {
                notices.iter().for_each(|notice| self.counters.on_told(*notice));
                if notices.iter().any(|notice| matches!(notice, Notice::PlanReference | Notice::PlanChanged))
                    && let Some(plan) = &mut self.plan
                {
                    plan.known = plan.revision.as_ref().map(|revision| revision.hash);
                }
                Applied::Yes
            }
            Change::ReminderFailed { why } => {
                self.fallback = Some(why.clone());
                Applied::Yes
            }
            Change::ReminderMended => {
                self.fallback = None;
                Applied::Yes
            }
            Change::ContextCut => {
                self.counters.on_context_cut(self.planning, self.has_live_plan());
                Applied::Yes
            }
            Change::ContextRewound { told, unheard } => self.fold_rewound(*told, unheard),
            Change::PlanEditedOutside { plan } => {
                if self.plan.as_ref().is_none_or(|current| current.id != *plan) {
                    return Applied::Ignored("no such plan is current");
                }
                self.counters.on_plan_changed_outside();
                Applied::Yes
            }
            Change::Allowed { what } => {
                if what.len() > MAX_ALLOWED_BYTES {
                    return Applied::Ignored("this yes is too long to be remembered");
                }
                if self.allowed.len() >= MAX_ALLOWED_SCOPES {
                    return Applied::Ignored("too many yeses are remembered already");
                }
                self.allowed.insert(what.clone());
                Applied::Yes
            }
            Change::Forgotten { what } => match self.allowed.remove(what) {
                true => Applied::Yes,
                false => Applied::Ignored("nothing like that was allowed"),
            },
            Change::AutoVerdict { allowed } => {
                self.breaker = self.breaker.after(*allowed);
                self.openings.auto_gate_open &= !self.breaker.has_tripped();
                Applied::Yes
            }
        }
    }

    fn fold_rewound(&mut self, told: ToldMode, unheard: &[Notice]) -> Applied {
        let has_ended = self.plan.as_ref().is_some_and(|plan| {
            plan.stage == PlanStage::Abandoned && plan.receipt.is_some() && plan.revision.is_some()
        });
        let (plan_exists, auto) = (self.has_live_plan() || has_ended, self.auto_decides());
        let is_due = |notice: &Notice| match notice {
            Notice::PlanReference | Notice::PlanChanged => plan_exists,
            Notice::AutoExit => !auto,
            Notice::PlanFull | Notice::PlanSparse | Notice::ReEntry | Notice::Exit => true,
        };
        let unheard: Vec<Notice> = unheard.iter().copied().filter(is_due).collect();
        self.counters.on_rewound(self.planning, told, &unheard);
        Applied::Yes
    }

    /// A plan that is over does not come back.
    fn has_live_plan(&self) -> bool {
        let is_live = |plan: &PlanRecord| !matches!(plan.stage, PlanStage::Done | PlanStage::Abandoned);
        self.plan.as_ref().is_some_and(|plan| plan.revision.is_some() && is_live(plan))
    }

    fn fold_mode(&mut self, to: Mode, level: Level, keeps_grant: bool, by: Actor) -> Applied {
        match to {
            Mode::Plan => {
                self.planning = true;
                self.counters.on_enter();
                Applied::Yes
            }
            Mode::At(_) if self.planning && !self.may_toggle_out(by) => {
                Applied::Ignored("planning ends only by a receipt or the person's own toggle")
            }
            Mode::At(_) if by == Actor::Model || (by == Actor::Breaker && to != Mode::At(Level::Default)) => {
                Applied::Ignored("only a person chooses a level")
            }
            Mode::At(_) if if keeps_grant { level != self.level } else { to != Mode::At(level) } => {
                Applied::Ignored("the mode and the level do not belong together")
            }
            Mode::At(_) => {
                self.level = level;
                if !keeps_grant {
                    self.grant = None;
                }
                let is_asked = self.pending.is_some();
                self.end_planning();
                if is_asked {
                    self.counters.on_exit_answered();
                }
                Applied::Yes
            }
        }
    }

    /// A tripped breaker stays so until the person opens auto mode again; reading the settings again is not enough.
    fn fold_openings(&mut self, openings: Openings, by: Actor) -> Applied {
        match by {
            Actor::Model => return Applied::Ignored("only a person opens a level"),
            Actor::Person if openings.auto_gate_open => self.breaker = Breaker::default(),
            Actor::Person | Actor::Settings | Actor::Breaker => {}
        }
        self.openings = openings;
        self.openings.auto_gate_open &= !self.breaker.has_tripped();
        Applied::Yes
    }

    /// Whether this actor may end planning without an approval.
    pub(crate) fn may_toggle_out(&self, by: Actor) -> bool {
        by == Actor::Person && !matches!(self.role, SessionRole::Required { .. })
    }

    fn end_planning(&mut self) {
        if std::mem::take(&mut self.planning) {
            self.counters.on_exit();
            self.pending = None;
            self.fallback = None;
            if let Some(plan) = &mut self.plan
                && plan.stage == PlanStage::Proposed
            {
                plan.stage = PlanStage::Draft;
            }
        }
    }

    fn fold_named(&mut self, id: &PlanId, path: &str) -> Applied {
        if id.ordinal != self.plans.saturating_add(1) {
            return Applied::Ignored("plans are numbered in order");
        }
        let is_clear = Path::new(path).is_absolute() && !path.split('/').any(|part| matches!(part, "." | ".."));
        if !is_clear {
            return Applied::Ignored("a plan's path is absolute and without detours");
        }
        if self.plan.as_ref().is_some_and(|before| before.path == path) {
            return Applied::Ignored("each plan has a file of its own");
        }
        self.plans = id.ordinal;
        self.pending = None;
        // The plan before this one is over, and what came with it.
        self.grant = None;
        self.counters.on_plan_named();
        self.previous = self.plan.take().filter(|plan| plan.revision.is_some()).map(|plan| plan.path);
        self.plan = Some(PlanRecord {
            id: id.clone(),
            path: path.to_owned(),
            stage: PlanStage::Draft,
            revision: None,
            known: None,
            seen: None,
            comments: Vec::new(),
            receipt: None,
            contract: None,
        });
        Applied::Yes
    }

    fn fold_written(&mut self, id: &PlanId, revision: &Revision) -> Applied {
        let Some(plan) = self.plan.as_mut().filter(|plan| plan.id == *id) else {
            return Applied::Ignored("no such plan is current");
        };
        plan.revision = Some(revision.clone());
        match revision.author {
            Author::Model => plan.known = Some(revision.hash),
            Author::Person | Author::Other => {}
        }
        if plan.stage == PlanStage::Rejected {
            plan.stage = PlanStage::Draft;
        }
        Applied::Yes
    }

    fn fold_stage(&mut self, id: &PlanId, stage: PlanStage) -> Applied {
        let Some(plan) = self.plan.as_mut().filter(|plan| plan.id == *id) else {
            return Applied::Ignored("no such plan is current");
        };
        let needs_decision = matches!(stage, PlanStage::Proposed | PlanStage::Approved | PlanStage::Rejected);
        if needs_decision || !plan.stage.may_become(stage) {
            return Applied::Ignored("a plan does not go from that stage to this one");
        }
        if stage == PlanStage::Abandoned && plan.receipt.is_some() {
            self.counters.on_approved_plan_ended();
        }
        plan.stage = stage;
        self.pending = None;
        let over = matches!(stage, PlanStage::Done | PlanStage::Abandoned);
        if over && self.grant.as_ref().is_some_and(|grant| grant.plan == *id) {
            self.grant = None;
        }
        Applied::Yes
    }

    fn fold_proposed(&mut self, proposal: &Proposal) -> Applied {
        if !self.planning {
            return Applied::Ignored("proposals are made while planning");
        }
        if Hash::of(proposal.text.as_bytes()) != proposal.hash {
            return Applied::Ignored("the text is not the one that the hash names");
        }
        let Some(plan) = self.plan.as_mut().filter(|plan| plan.id == proposal.plan) else {
            return Applied::Ignored("no such plan is current");
        };
        if !plan.stage.may_become(PlanStage::Proposed) && plan.stage != PlanStage::Proposed {
            return Applied::Ignored("this plan is no longer being planned");
        }
        plan.stage = PlanStage::Proposed;
        self.pending = Some(proposal.clone());
        Applied::Yes
    }

    /// More of the same plan: the person's own revision, nothing taken away, at the level and for as long as before.
    fn fold_amended(&mut self, receipt: &Receipt, contract: &Contract) -> Applied {
        if self.planning {
            return Applied::Ignored("a plan is amended while it is carried out");
        }
        let Some(plan) = self.plan.as_mut().filter(|plan| plan.id == receipt.plan && plan.stage.is_carried_out())
        else {
            return Applied::Ignored("no such plan is carried out");
        };
        let (Some(before), Some(newest)) = (&plan.receipt, &plan.revision) else {
            return Applied::Ignored("nothing was approved that could be amended");
        };
        let is_newest =
            (receipt.revision, receipt.hash) == (newest.number, newest.hash) && newest.author == Author::Person;
        let is_as_before = (receipt.level, receipt.scope, receipt.runs_covered, &receipt.steps)
            == (before.level, before.scope, before.runs_covered, &before.steps);
        let may_decide = matches!(receipt.by, Decider::Person { .. });
        let keeps_all = plan.contract.as_ref().is_some_and(|granted| contract.includes(granted));
        if !(is_newest && is_as_before && may_decide && keeps_all && names_contract(receipt, Some(contract))) {
            return Applied::Ignored("the receipt is for something else");
        }
        plan.receipt = Some(receipt.clone());
        plan.contract = Some(contract.clone());
        self.coverage = CoverageCache::default();
        plan.known = Some(receipt.hash);
        Applied::Yes
    }

    fn fold_decided(&mut self, decision: &Decision) -> Applied {
        let Some(pending) = self.pending.clone().filter(|pending| pending.request == *decision.request()) else {
            return Applied::Ignored("no such request waits");
        };
        let Some(plan) = self.plan.as_mut().filter(|plan| plan.id == pending.plan) else {
            return Applied::Ignored("no such plan is current");
        };
        match decision {
            Decision::Approved { receipt, contract, .. } => {
                if !is_receipt_for(receipt, &pending, plan, &self.role) {
                    return Applied::Ignored("the receipt is for something else");
                }
                if !names_contract(receipt, contract.as_deref()) {
                    return Applied::Ignored("the receipt names another contract");
                }
                plan.stage = PlanStage::Approved;
                plan.receipt = Some(receipt.clone());
                plan.contract = contract.as_deref().cloned();
                self.coverage = CoverageCache::default();
                match receipt.scope {
                    GrantScope::Plan => self.grant = Some(Grant { plan: receipt.plan.clone(), level: receipt.level }),
                    GrantScope::Session => (self.level, self.grant) = (receipt.level, None),
                    GrantScope::Unchanged => {
                        if let Some(grant) = &mut self.grant {
                            grant.plan = receipt.plan.clone();
                        }
                    }
                }
                self.end_planning();
                self.counters.on_exit_answered();
            }
            Decision::Rejected { comments, by, .. } => {
                plan.stage = PlanStage::Rejected;
                // A request that was taken back says nothing about the remarks from before.
                if by.is_some() {
                    plan.comments.clone_from(comments);
                }
            }
            Decision::Saved { .. } => plan.stage = PlanStage::Draft,
            Decision::Left { by, .. } => {
                if !matches!(by, Decider::Person { .. }) || matches!(self.role, SessionRole::Required { .. }) {
                    return Applied::Ignored("planning ends only by a receipt or the person's own toggle");
                }
                plan.stage = PlanStage::Draft;
                self.end_planning();
                self.counters.on_exit_answered();
            }
            Decision::Discarded { .. } => plan.stage = PlanStage::Abandoned,
        }
        if let Some(plan) = &mut self.plan {
            plan.seen = Some(ShownPlan { revision: pending.revision, hash: pending.hash, text: pending.text });
        }
        self.pending = None;
        Applied::Yes
    }
}

/// Whether the contract is the one that the receipt names. What is covered cannot run where nothing is.
fn names_contract(receipt: &Receipt, contract: Option<&Contract>) -> bool {
    contract.map(Contract::hash) == receipt.contract && (contract.is_some() || !receipt.runs_covered)
}

/// Whether a receipt approves exactly what was asked for, by somebody who was asked.
fn is_receipt_for(receipt: &Receipt, pending: &Proposal, plan: &PlanRecord, role: &SessionRole) -> bool {
    let approved = (receipt.revision, receipt.hash);
    let is_what_was_shown = plan.revision.as_ref().is_some_and(|newest| {
        if receipt.edited {
            let is_the_persons = newest.author == Author::Person && newest.parent == Some(pending.hash);
            is_the_persons && approved == (newest.number, newest.hash)
        } else {
            newest.hash == pending.hash && approved == (pending.revision, pending.hash)
        }
    });
    let may_decide = match (&receipt.by, &pending.approver, role) {
        (Decider::Person { .. }, Approver::Person, SessionRole::Main | SessionRole::Voluntary { .. }) => true,
        (Decider::Lead { name }, Approver::Lead { name: asked }, SessionRole::Required { lead, .. }) => {
            name == asked && name == lead
        }
        // The person who sits with the lead is asked in its place.
        (Decider::Person { .. }, Approver::Lead { name: asked }, SessionRole::Required { lead, .. }) => asked == lead,
        (Decider::Teammate { name }, Approver::Person, SessionRole::Voluntary { name: own, .. }) => name == own,
        (Decider::Person { .. } | Decider::Lead { .. } | Decider::Teammate { .. }, _, _) => false,
    };
    receipt.request == pending.request && receipt.plan == pending.plan && is_what_was_shown && may_decide
}
