//! What the audit log is told: each verdict with who decided it, and each switch that was refused. Decides nothing itself.

use super::{
    call::{Call, Done, Stopped},
    desk::{Desk, lock},
};
use crate::{
    event::{NoticeLevel, Outcome},
    turn::Then,
};
use fore_plan::{Refusal, Target};
use fore_store::audit::{self, About, AuditLine, Audited, Connected, Decider, Ruling};

impl Desk {
    /// Writes to the audit log. A line that cannot be written is never lost without a word.
    pub(crate) fn audit(&self, what: Audited) {
        let mut session = lock(&self.session);
        let mode = session.state().mode();
        session.audit_line(AuditLine::now(self.id, mode, what));
        let missing = session.take_unaudited();
        drop(session);
        self.tell_unaudited(missing);
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
        let about = About { action: "other".into(), subject: tool.to_owned() };
        let ruling = Ruling::new(about, audit::Outcome::Blocked, Decider::Gate);
        self.audit(Audited::Gate(ruling.because("its arguments cannot be read")));
    }

    pub(super) fn tell_unaudited(&self, missing: Option<(u32, String)>) {
        let Some((lines, why)) = missing else { return };
        let lines = if lines == 1 { "1 line was".to_owned() } else { format!("{lines} lines were") };
        self.notice(NoticeLevel::Warning, format!("{lines} not written to the audit log: {why}"));
    }

    pub(super) fn audit_refused_switch(&self, target: Target, by: &str, refusal: &Refusal) {
        let to = match target {
            Target::Plan => "plan",
            Target::Beneath => "the level beneath plan",
            Target::Level(level) => level.name(),
        };
        let (code, reason) = (refusal.code.name().to_owned(), refusal.reason.clone());
        self.audit(Audited::ModeRefused { to: to.to_owned(), by: by.to_owned(), code, reason });
    }
}

impl Call {
    fn about(&self) -> About {
        About::new(&self.desk.action(&self.seat, &self.tool, &self.input))
    }

    /// A refusal that the gate had no part in: a tool that is not there, a permit that no longer holds.
    pub(super) fn audited(&self, refusal: Refusal) -> Refusal {
        self.desk.audit(Audited::Gate(Ruling::refused(self.about(), Decider::Gate, &refusal)));
        refusal
    }

    /// What came of a question. `by` answered it; the reason is theirs.
    pub(super) fn audit_answer(&self, about: About, by: Decider, answered: Result<&str, &Refusal>) {
        let ruling = match answered {
            Ok("") => Ruling::new(about, audit::Outcome::Allowed, by),
            Ok(reason) => Ruling::new(about, audit::Outcome::Allowed, by).because(reason),
            Err(refusal) => Ruling::refused(about, by, refusal),
        };
        self.desk.audit(Audited::Answer(ruling));
    }

    /// The plan tools decide for themselves what the gate leaves to them, so their line comes with the decision.
    pub(super) fn audit_plan_tool(&self, was_planning: bool, done: &Done) {
        let (about, plans) = (self.about(), self.desk.plans());
        let line = done.output.shown.line.as_str();
        let ruling = match (&done.outcome, &done.then) {
            (Outcome::Refused { refusal }, _) => Ruling::refused(about, Decider::Gate, refusal),
            (_, Then::Park(_)) => Ruling::new(about, audit::Outcome::Asked, Decider::Gate).because(line),
            _ if was_planning != plans => Ruling::new(about, audit::Outcome::Allowed, Decider::Person).because(line),
            // Planning already: there was nothing to decide.
            (Outcome::Done, _) if self.tool == "EnterPlanMode" && was_planning => {
                Ruling::new(about, audit::Outcome::Allowed, Decider::Gate).because(line)
            }
            (Outcome::Failed, _) => Ruling::new(about, audit::Outcome::Blocked, Decider::Gate).because(line),
            (Outcome::Done | Outcome::Interrupted, _) => {
                Ruling::new(about, audit::Outcome::Blocked, Decider::Person).because(line)
            }
        };
        self.desk.audit(Audited::Gate(ruling));
    }

    /// Why a question led to no permit although nobody answered it.
    pub(super) fn audit_stopped(&self, about: About, stopped: &Stopped) {
        match stopped {
            Stopped::Refused(refusal) => self.audit_answer(about, Decider::Gate, Err(refusal)),
            Stopped::Interrupted => {
                let ruling = Ruling::new(about, audit::Outcome::Blocked, Decider::Person);
                self.desk.audit(Audited::Answer(ruling.because("the person stopped the turn")));
            }
            Stopped::CannotWork(why) => {
                let ruling = Ruling::new(about, audit::Outcome::Blocked, Decider::Gate);
                self.desk.audit(Audited::Answer(ruling.because(format!("it would have failed: {why}"))));
            }
        }
    }
}
