//! What the audit log is told: each verdict with who decided it, and each switch that was refused. Decides nothing itself.

use super::{
    call::{CallResult, NoPermit, ToolCall},
    session_context::{SessionContext, lock},
};
use crate::{
    event::{CallOutcome, NoticeLevel},
    turn::AfterCall,
};
use fore_plan::{ModeTarget, Refusal};
use fore_store::audit::{self, AuditDecider, AuditLine, AuditSubject, Audited, Connected, Ruling};

impl SessionContext {
    /// Writes to the audit log. A line that cannot be written is never lost without a word.
    pub(crate) fn audit(&self, what: Audited) {
        let mut session = lock(&self.session);
        let mode = session.state().mode();
        session.audit_line(AuditLine::now(self.id, mode, what));
        let missing = session.take_unaudited();
        drop(session);
        self.report_unaudited(missing);
    }

    /// Whom commands have talked to, or wanted to, since this was last written down.
    pub(super) fn audit_connections(&self) {
        for connection in self.cages.take_connections() {
            self.audit(Audited::Connection(Connected {
                host: connection.host,
                address: connection.address.map(|address| address.to_string()),
                through: connection.through,
                sent_bytes: connection.sent_bytes,
                received_bytes: connection.received_bytes,
                refused: connection.refused,
            }));
        }
    }

    /// A call whose arguments nobody can read was never judged: it is not made.
    pub(super) fn audit_unreadable(&self, tool: &str) {
        let about = AuditSubject { action: "other".into(), subject: tool.to_owned() };
        let ruling = Ruling::new(about, audit::AuditOutcome::Blocked, AuditDecider::Gate);
        self.audit(Audited::Gate(ruling.because("its arguments cannot be read")));
    }

    pub(super) fn report_unaudited(&self, missing: Option<(u32, String)>) {
        let Some((lines, why)) = missing else { return };
        let lines = if lines == 1 { "1 line was".to_owned() } else { format!("{lines} lines were") };
        self.notice(NoticeLevel::Warning, format!("{lines} not written to the audit log: {why}"));
    }

    pub(super) fn audit_refused_switch(&self, target: ModeTarget, by: &str, refusal: &Refusal) {
        let to = match target {
            ModeTarget::Plan => "plan",
            ModeTarget::Beneath => "the level beneath plan",
            ModeTarget::Level(level) => level.name(),
        };
        let (code, reason) = (refusal.code.name().to_owned(), refusal.reason.clone());
        self.audit(Audited::ModeRefused { to: to.to_owned(), by: by.to_owned(), code, reason });
    }
}

impl ToolCall {
    fn about(&self) -> AuditSubject {
        AuditSubject::new(&self.context.action(&self.caller, &self.tool, &self.input))
    }

    /// A refusal that the gate had no part in: a tool that is not there, a permit that no longer holds.
    pub(super) fn audited(&self, refusal: Refusal) -> Refusal {
        self.context.audit(Audited::Gate(Ruling::refused(self.about(), AuditDecider::Gate, &refusal)));
        refusal
    }

    /// What came of a question. `by` answered it; the reason is theirs.
    pub(super) fn audit_answer(&self, about: AuditSubject, by: AuditDecider, answered: Result<&str, &Refusal>) {
        let ruling = match answered {
            Ok("") => Ruling::new(about, audit::AuditOutcome::Allowed, by),
            Ok(reason) => Ruling::new(about, audit::AuditOutcome::Allowed, by).because(reason),
            Err(refusal) => Ruling::refused(about, by, refusal),
        };
        self.context.audit(Audited::Answer(ruling));
    }

    /// The plan tools decide for themselves what the gate leaves to them, so their line comes with the decision.
    pub(super) fn audit_plan_tool(&self, was_planning: bool, done: &CallResult) {
        let (about, plans) = (self.about(), self.context.is_planning());
        let line = done.output.shown.line.as_str();
        let ruling = match (&done.outcome, &done.then) {
            (CallOutcome::Refused { refusal }, _) => Ruling::refused(about, AuditDecider::Gate, refusal),
            (_, AfterCall::Park(_)) => Ruling::new(about, audit::AuditOutcome::Asked, AuditDecider::Gate).because(line),
            _ if was_planning != plans => {
                Ruling::new(about, audit::AuditOutcome::Allowed, AuditDecider::Person).because(line)
            }
            // Planning already: there was nothing to decide.
            (CallOutcome::Done, _) if self.tool == "EnterPlanMode" && was_planning => {
                Ruling::new(about, audit::AuditOutcome::Allowed, AuditDecider::Gate).because(line)
            }
            (CallOutcome::Failed, _) => {
                Ruling::new(about, audit::AuditOutcome::Blocked, AuditDecider::Gate).because(line)
            }
            (CallOutcome::Done | CallOutcome::Interrupted, _) => {
                Ruling::new(about, audit::AuditOutcome::Blocked, AuditDecider::Person).because(line)
            }
        };
        self.context.audit(Audited::Gate(ruling));
    }

    /// Why a question led to no permit although nobody answered it.
    pub(super) fn audit_stopped(&self, about: AuditSubject, stopped: &NoPermit) {
        match stopped {
            NoPermit::Refused(refusal) => self.audit_answer(about, AuditDecider::Gate, Err(refusal)),
            NoPermit::Interrupted => {
                let ruling = Ruling::new(about, audit::AuditOutcome::Blocked, AuditDecider::Person);
                self.context.audit(Audited::Answer(ruling.because("the person stopped the turn")));
            }
            NoPermit::CannotWork(why) => {
                let ruling = Ruling::new(about, audit::AuditOutcome::Blocked, AuditDecider::Gate);
                self.context.audit(Audited::Answer(ruling.because(format!("it would have failed: {why}"))));
            }
        }
    }
}
