//! What the audit log is told of a session: verdicts, refused switches, connections. Decides nothing itself.

use super::Ledger;
use crate::event::NoticeLevel;
use fore_plan::{ModeTarget, Refusal};
use fore_sandbox::Connection;
use fore_store::audit::{AuditDecider, AuditLine, AuditOutcome, AuditSubject, Audited, Connected, Ruling};

impl Ledger {
    /// Writes to the audit log. A line that cannot be written is never lost without a word.
    pub(crate) fn audit(&self, what: Audited) {
        let mut session = self.session();
        let line = AuditLine::now(session.id(), session.state().mode(), what);
        session.audit_line(line);
        let missing = session.take_unaudited();
        drop(session);
        self.report_unaudited(missing);
    }

    /// Whom commands have talked to, or wanted to, since this was last written down.
    pub(crate) fn audit_connections(&self, connections: Vec<Connection>) {
        for connection in connections {
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
    pub(crate) fn audit_unreadable(&self, tool: &str) {
        let about = AuditSubject { action: "other".into(), subject: tool.to_owned() };
        let ruling = Ruling::new(about, AuditOutcome::Blocked, AuditDecider::Gate);
        self.audit(Audited::Gate(ruling.because("its arguments cannot be read")));
    }

    pub(crate) fn report_unaudited(&self, missing: Option<(u32, String)>) {
        let Some((lines, why)) = missing else { return };
        let lines = fore_text::count_as(lines, "line was", "lines were");
        self.events.notice(NoticeLevel::Warning, format!("{lines} not written to the audit log: {why}"));
    }

    pub(crate) fn audit_refused_switch(&self, target: ModeTarget, by: &str, refusal: &Refusal) {
        let to = match target {
            ModeTarget::Plan => "plan",
            ModeTarget::Beneath => "the level beneath plan",
            ModeTarget::Level(level) => level.name(),
        };
        let (code, reason) = (refusal.code.name().to_owned(), refusal.reason.clone());
        self.audit(Audited::ModeRefused { to: to.to_owned(), by: by.to_owned(), code, reason });
    }
}
