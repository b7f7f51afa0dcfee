//! What a run comes to: a fold over its events. It prints nothing and asks nobody.

use fore_agent::{ApprovalOutcome, CallId, CallOutcome, Event, MovedFile, NoticeLevel, Spent, TurnOutcome};
use fore_plan::{CalledTool, Mode, Refusal, contract::Contract, plan::Hash, report::Report};
use fore_store::SessionId;
use serde::Serialize;
use std::collections::HashMap;

/// Denied calls that are listed; more are counted.
const MAX_DENIED: usize = 500;
/// Calls that run at once and whose lines are remembered.
const MAX_RUNNING: usize = 1000;

/// Everything that the end of a run reports.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) session: Option<SessionId>,
    pub(crate) mode: Option<Mode>,
    /// What the model said last, whole: also what its length limit cut in pieces.
    pub(crate) answer: String,
    /// It is the scout's: no language model has answered.
    pub(crate) is_by_scout: bool,
    /// A plan that waits for approval, or was saved for later.
    pub(crate) plan: Option<WaitingPlan>,
    pub(crate) denied: Vec<DeniedCall>,
    pub(crate) denied_in_all: u64,
    /// How many of them were before the work began.
    denied_before_work: u64,
    /// Somebody said yes to a plan.
    pub(crate) is_approved: bool,
    pub(crate) spent: Spent,
    pub(crate) turns: u32,
    pub(crate) last: Option<TurnOutcome>,
    /// What became of the plan.
    pub(crate) report: Option<Report>,
    /// Files that the plan of `fore apply` names and that have moved since it was made; none where nothing is known of them.
    pub(crate) moved: Option<Vec<MovedFile>>,
    /// It was not begun because of them.
    pub(crate) stale: Option<StaleRun>,
    /// What the plan that was handed in covers, with its hash.
    pub(crate) contract: Option<(Hash, Contract)>,
    /// The last thing that went wrong, in words.
    pub(crate) trouble: Option<String>,
    running: HashMap<CallId, String>,
}

/// Why a stale plan was not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StaleRun {
    /// Where the repository stood when the plan was made and stands now, if that differs.
    pub(crate) heads: Option<(String, String)>,
}

/// A plan that somebody may approve later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WaitingPlan {
    pub(crate) path: String,
    pub(crate) hash: Hash,
}

/// A call that did not run because the gate, a rule or a person said no.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct DeniedCall {
    pub(crate) tool: CalledTool,
    pub(crate) line: String,
    pub(crate) code: &'static str,
    pub(crate) reason: String,
}

impl Tally {
    pub(crate) fn add(&mut self, event: &Event) {
        match event {
            Event::Started(started) => (self.session, self.mode) = (Some(started.session), Some(started.mode)),
            Event::ModeChanged(change) => self.mode = Some(change.to),
            Event::Said { agent: None, model, text, continues } if !text.trim().is_empty() => {
                if !continues {
                    self.answer.clear();
                }
                self.answer.push_str(text);
                self.is_by_scout = *model == fore_agent::scout::name();
            }
            Event::ToolStarted { call, line, .. } if self.running.len() < MAX_RUNNING => {
                self.running.insert(call.clone(), line.clone());
            }
            Event::ToolFinished { call, tool, outcome, shown, .. } => {
                let line = self.running.remove(call).unwrap_or_else(|| shown.line.clone());
                if let CallOutcome::Refused { refusal } = outcome {
                    self.deny(tool, line, refusal);
                }
            }
            Event::Usage { model, answer, price, .. } => self.spent.add(model, answer.as_ref(), *price),
            Event::ApprovalAsked(asked) => {
                let (path, hash) = (asked.request.plan_file_path.clone(), asked.request.plan_hash);
                self.plan = Some(WaitingPlan { path, hash });
            }
            Event::Decided(decided) => self.decided(decided),
            Event::ContractRead { plan_hash, steps: None, contract, .. } => {
                self.contract = Some((*plan_hash, contract.clone()));
            }
            Event::Report { report, .. } => self.report = Some((**report).clone()),
            Event::Notice { level: NoticeLevel::Error, text } => self.trouble = Some(text.clone()),
            Event::TurnEnded { outcome } => self.ended(outcome),
            _ => {}
        }
    }

    fn decided(&mut self, decided: &ApprovalOutcome) {
        match decided {
            ApprovalOutcome::Awaits { path, hash } => self.plan = Some(WaitingPlan { path: path.clone(), hash: *hash }),
            ApprovalOutcome::Approved { moved, .. } => {
                self.plan = None;
                (self.is_approved, self.denied_before_work) = (true, self.denied_in_all);
                self.moved.clone_from(moved);
            }
            ApprovalOutcome::Left { .. } | ApprovalOutcome::Discarded | ApprovalOutcome::KeepPlanning { .. } => {
                self.plan = None;
            }
            ApprovalOutcome::Saved { .. } | ApprovalOutcome::NotCounted { .. } => {}
        }
    }

    /// Whether something was denied since the work began.
    pub(crate) fn denied_at_work(&self) -> bool {
        self.denied_in_all > self.denied_before_work
    }

    fn ended(&mut self, outcome: &TurnOutcome) {
        self.turns = self.turns.saturating_add(1);
        if let TurnOutcome::PlanAwaits { path, hash } | TurnOutcome::PlanSaved { path, hash } = outcome {
            self.plan = Some(WaitingPlan { path: path.clone(), hash: *hash });
        }
        self.last = Some(outcome.clone());
    }

    fn deny(&mut self, tool: &CalledTool, line: String, refusal: &Refusal) {
        self.denied_in_all = self.denied_in_all.saturating_add(1);
        if self.denied.len() < MAX_DENIED {
            let (tool, reason) = (tool.clone(), refusal.reason.clone());
            self.denied.push(DeniedCall { tool, line, code: refusal.code.name(), reason });
        }
    }
}
