//! One line of the audit log, with every text bounded.

use crate::entry::{self, Durability, SessionId};
use fore_plan::{
    Mode, ModeEvent,
    approval::Timestamp,
    gate::{Action, Verdict},
};
use serde::{Deserialize, Serialize};

/// A text that is longer is cut, with a mark.
const MOST_TEXT_BYTES: usize = 512;

/// What happened, when, in which session, under which mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditLine {
    pub at: Timestamp,
    pub session: SessionId,
    pub mode: Mode,
    #[serde(flatten)]
    pub what: Audited,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Audited {
    /// The gate judged a call.
    Gate {
        #[serde(flatten)]
        about: About,
        verdict: Outcome,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        code: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        rule: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        reason: Option<String>,
    },
    /// The mode changed.
    Mode(ModeEvent),
}

/// What a call was about. Taken before the gate takes the action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The kind of action: `read`, `edit`, `execute`, …
    pub action: String,
    /// The action with its command, path or address.
    pub subject: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Allowed,
    Asked,
    Blocked,
}

impl About {
    pub fn new(action: &Action) -> About {
        let kind = serde_json::to_value(action.kind()).ok();
        let kind = kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or("other").to_owned();
        About { action: kind, subject: bounded(serde_json::to_string(action).unwrap_or_default()) }
    }
}

impl AuditLine {
    /// A mode change, now.
    pub fn mode(session: SessionId, event: ModeEvent) -> AuditLine {
        AuditLine { at: entry::now(), session, mode: event.to, what: Audited::Mode(event) }
    }

    /// What the gate said to a call, now.
    pub fn verdict(session: SessionId, mode: Mode, about: About, verdict: &Verdict) -> AuditLine {
        let (outcome, code, rule, reason) = match verdict {
            Verdict::Allow(_) => (Outcome::Allowed, None, None, None),
            Verdict::Ask(question) => (Outcome::Asked, None, Some(question.rule()), Some(question.text())),
            Verdict::Block(refusal) => {
                let (rule, reason) = (refusal.rule.as_str(), refusal.reason.as_str());
                (Outcome::Blocked, Some(refusal.code.name()), Some(rule), Some(reason))
            }
        };
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let (code, rule, reason) = (owned(code), owned(rule), owned(reason));
        let what = Audited::Gate { about, verdict: outcome, code, rule, reason };
        AuditLine { at: entry::now(), session, mode, what }
    }

    pub(super) fn bounded(self) -> AuditLine {
        let what = match self.what {
            Audited::Gate { about, verdict, code, rule, reason } => Audited::Gate {
                about: About { action: bounded(about.action), subject: bounded(about.subject) },
                verdict,
                code: code.map(bounded),
                rule: rule.map(bounded),
                reason: reason.map(bounded),
            },
            Audited::Mode(event) => {
                Audited::Mode(ModeEvent { by: bounded(event.by), why: bounded(event.why), ..event })
            }
        };
        AuditLine { what, ..self }
    }

    /// A mode change is on disk before anything is done under the new mode; a verdict may follow.
    pub(super) fn durability(&self) -> Durability {
        match self.what {
            Audited::Mode(_) => Durability::Now,
            Audited::Gate { .. } => Durability::Soon,
        }
    }
}

/// Cuts a text at a letter, with a mark.
fn bounded(mut text: String) -> String {
    if text.len() > MOST_TEXT_BYTES {
        let end = text.floor_char_boundary(MOST_TEXT_BYTES);
        text.truncate(end);
        text.push('…');
    }
    text
}
