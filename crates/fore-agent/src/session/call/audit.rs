//! What the audit log is told of a call: each verdict with who decided it. Decides nothing itself.

use super::{CallResult, NoPermit, ToolCall, judge::action};
use crate::{event::CallOutcome, turn::AfterCall};
use fore_plan::{Refusal, ToolName};
use fore_store::audit::{AuditDecider, AuditOutcome, AuditSubject, Audited, Ruling};

impl ToolCall {
    fn about(&self) -> AuditSubject {
        AuditSubject::new(&action(&self.context, &self.caller, self.tool.as_str(), &self.input))
    }

    /// A refusal that the gate had no part in: a tool that is not there, a permit that no longer holds.
    pub(super) fn audited(&self, refusal: Refusal) -> Refusal {
        self.context.ledger.audit(Audited::Gate(Ruling::refused(self.about(), AuditDecider::Gate, &refusal)));
        refusal
    }

    /// What came of a question. `by` answered it; the reason is theirs.
    pub(super) fn audit_answer(&self, about: AuditSubject, by: AuditDecider, answered: Result<&str, &Refusal>) {
        let ruling = match answered {
            Ok("") => Ruling::new(about, AuditOutcome::Allowed, by),
            Ok(reason) => Ruling::new(about, AuditOutcome::Allowed, by).because(reason),
            Err(refusal) => Ruling::refused(about, by, refusal),
        };
        self.context.ledger.audit(Audited::Answer(ruling));
    }

    /// The plan tools decide for themselves what the gate leaves to them, so their line comes with the decision.
    pub(super) fn audit_plan_tool(&self, was_planning: bool, done: &CallResult) {
        let (about, plans) = (self.about(), self.context.ledger.is_planning());
        let line = done.output.shown.line.as_str();
        if let Some(plan) = self.caller.handed_plan() {
            let approved = plan.receipt.is_some();
            let (outcome, by) = if approved {
                (AuditOutcome::Allowed, AuditDecider::Person)
            } else {
                (AuditOutcome::Asked, AuditDecider::Gate)
            };
            return self.context.ledger.audit(Audited::Gate(Ruling::new(about, outcome, by).because(line)));
        }
        let ruling = match (&done.outcome, &done.then) {
            (CallOutcome::Refused { refusal }, _) => Ruling::refused(about, AuditDecider::Gate, refusal),
            (_, AfterCall::Park(_)) => Ruling::new(about, AuditOutcome::Asked, AuditDecider::Gate).because(line),
            _ if was_planning != plans => Ruling::new(about, AuditOutcome::Allowed, AuditDecider::Person).because(line),
            // Planning already: there was nothing to decide.
            (CallOutcome::Done, _) if self.tool.known() == Some(ToolName::EnterPlanMode) && was_planning => {
                Ruling::new(about, AuditOutcome::Allowed, AuditDecider::Gate).because(line)
            }
            (CallOutcome::Failed, _) => Ruling::new(about, AuditOutcome::Blocked, AuditDecider::Gate).because(line),
            (CallOutcome::Done | CallOutcome::Interrupted, _) => {
                Ruling::new(about, AuditOutcome::Blocked, AuditDecider::Person).because(line)
            }
        };
        self.context.ledger.audit(Audited::Gate(ruling));
    }

    /// Why a question led to no permit although nobody answered it.
    pub(super) fn audit_stopped(&self, about: AuditSubject, stopped: &NoPermit) {
        match stopped {
            NoPermit::Refused(refusal) => self.audit_answer(about, AuditDecider::Gate, Err(refusal)),
            NoPermit::Interrupted => {
                let ruling = Ruling::new(about, AuditOutcome::Blocked, AuditDecider::Person);
                self.context.ledger.audit(Audited::Answer(ruling.because("the person stopped the turn")));
            }
            NoPermit::CannotWork(why) => {
                let ruling = Ruling::new(about, AuditOutcome::Blocked, AuditDecider::Gate);
                self.context.ledger.audit(Audited::Answer(ruling.because(format!("it would have failed: {why}"))));
            }
        }
    }
}
