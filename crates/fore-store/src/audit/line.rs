//! One line of the audit log, with every text bounded.

use crate::entry::{self, Durability, SessionId};
use fore_plan::{
    Mode, ModeEvent, Refusal, RefusalCode,
    approval::Timestamp,
    gate::{Action, PermitSource, Verdict},
};
use serde::{Deserialize, Serialize};

/// A text that is longer is cut, with a mark.
const MAX_TEXT_BYTES: usize = 512;

/// What happened, when, in which session, under which mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditLine {
    /// When it happened.
    pub at: Timestamp,
    /// In which session.
    pub session: SessionId,
    /// Which mode held.
    pub mode: Mode,
    /// What it was.
    #[serde(flatten)]
    pub what: Audited,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum Audited {
    /// A call was judged.
    Gate(Ruling),
    /// A call that was asked about got its answer.
    Answer(Ruling),
    /// The mode changed.
    Mode(AuditedMode),
    /// A command wanted to talk to somebody outside its sandbox.
    Connection(Connected),
    /// A change of mode was refused.
    ModeRefused { to: String, by: String, code: String, reason: String },
    /// A hook ran, or should have.
    Hook(AuditedHook),
}

/// What became of a hook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditedHook {
    /// The event, such as `PreToolUse`.
    pub on: String,
    /// Its command, shortened.
    pub hook: String,
    /// The file that sets it up.
    pub from: String,
    /// What it answered, or why it did not work.
    pub answer: String,
    /// How long it took.
    pub duration_ms: u64,
    /// Whether it was held to a read-only sandbox.
    pub sandboxed: bool,
}

/// A mode change, in the words of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditedMode {
    /// The mode before.
    pub from: Mode,
    /// The mode after.
    pub to: Mode,
    /// Who changed it.
    pub by: String,
    /// What it was changed for.
    pub why: String,
}

/// A connection through the proxy, or one that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connected {
    /// `host:port`.
    pub host: String,
    /// Where that led.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub address: Option<String>,
    /// The person's own proxy, where it went through that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub through: Option<String>,
    /// What went out.
    pub sent_bytes: u64,
    /// What came back.
    pub received_bytes: u64,
    /// Why it was refused; none where it was let through.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refused: Option<String>,
}

/// What was decided about a call, and by whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    /// The call.
    #[serde(flatten)]
    pub about: AuditSubject,
    /// What was decided.
    pub verdict: AuditOutcome,
    /// Lines of older versions do not say it.
    #[serde(default)]
    pub by: AuditDecider,
    /// The code of the refusal, where there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub code: Option<String>,
    /// The rule that spoke, where one did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rule: Option<String>,
    /// Why, in words.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

/// What a call was about. Taken before the gate takes the action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditSubject {
    /// The kind of action: `read`, `edit`, `execute`, …
    pub action: String,
    /// The action with its command, path or address.
    pub subject: String,
}

/// What was decided about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AuditOutcome {
    /// It may run.
    Allowed,
    /// Somebody has to answer first.
    Asked,
    /// It does not run.
    Blocked,
}

/// Who decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AuditDecider {
    /// The table of the mode that holds.
    #[default]
    Gate,
    /// A rule of the settings.
    Rule,
    /// The plan that the person approved: it names this, or something beside it.
    Plan,
    /// The person: an answer, an earlier one that holds for the session, or a command of their own.
    Person,
    /// Auto mode's classifier.
    Classifier,
    /// A hook of the person's.
    Hook,
}

impl AuditSubject {
    /// What the log says of this action.
    pub fn new(action: &Action) -> AuditSubject {
        let kind = serde_json::to_value(action.kind()).ok();
        let kind = kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or("other").to_owned();
        AuditSubject { action: kind, subject: bounded(serde_json::to_string(action).unwrap_or_default()) }
    }
}

impl From<PermitSource> for AuditDecider {
    fn from(source: PermitSource) -> AuditDecider {
        match source {
            PermitSource::Gate => AuditDecider::Gate,
            PermitSource::Rule => AuditDecider::Rule,
            PermitSource::Plan | PermitSource::NearPlan | PermitSource::Drift => AuditDecider::Plan,
            PermitSource::Person | PermitSource::Typed => AuditDecider::Person,
            PermitSource::Classifier => AuditDecider::Classifier,
            PermitSource::Hook => AuditDecider::Hook,
        }
    }
}

impl Ruling {
    /// What the gate says to a call.
    pub fn of(about: AuditSubject, verdict: &Verdict) -> Ruling {
        match verdict {
            Verdict::Allow(permit) => Ruling::new(about, AuditOutcome::Allowed, permit.source().into()),
            Verdict::Ask(question) => Ruling {
                rule: Some(question.rule().to_owned()),
                reason: Some(question.text().to_owned()),
                ..Ruling::new(about, AuditOutcome::Asked, question.source().into())
            },
            Verdict::Block(refusal) => Ruling::refused(about, AuditDecider::Gate, refusal),
        }
    }

    /// A decision without a code, rule or reason.
    pub fn new(about: AuditSubject, verdict: AuditOutcome, by: AuditDecider) -> Ruling {
        Ruling { about, verdict, by, code: None, rule: None, reason: None }
    }

    /// A no, with its reason. Some refusals say themselves whose they are; the others are `by`.
    pub fn refused(about: AuditSubject, by: AuditDecider, refusal: &Refusal) -> Ruling {
        let by = match refusal.code {
            RefusalCode::RuleDeny => AuditDecider::Rule,
            RefusalCode::PermitStale => AuditDecider::Gate,
            RefusalCode::AutoDenied => AuditDecider::Classifier,
            RefusalCode::HookDenied => AuditDecider::Hook,
            RefusalCode::UntrustedFolder
            | RefusalCode::ModeNotAvailable
            | RefusalCode::NeedsApproval
            | RefusalCode::LeadDecides
            | RefusalCode::PlanEdit
            | RefusalCode::PlanNotebook
            | RefusalCode::PlanShellWrites
            | RefusalCode::PlanShellUnproven
            | RefusalCode::PlanNetwork
            | RefusalCode::PlanAgent
            | RefusalCode::PlanMcp
            | RefusalCode::PlanTodo
            | RefusalCode::PlanAmend
            | RefusalCode::PlanNotCovered
            | RefusalCode::ReadOnlyFallback
            | RefusalCode::UnknownTool
            | RefusalCode::CageUnavailable
            | RefusalCode::Declined
            | RefusalCode::EnterInput
            | RefusalCode::EnterSubagent
            | RefusalCode::EnterNoApprover
            | RefusalCode::ExitOutsidePlan
            | RefusalCode::ExitInput
            | RefusalCode::ExitWrongFile
            | RefusalCode::ExitNoPlan
            | RefusalCode::ExitPending
            | RefusalCode::BatchRetry => by,
        };
        Ruling {
            code: Some(refusal.code.name().to_owned()),
            rule: Some(refusal.rule.clone()),
            reason: Some(refusal.reason.clone()),
            ..Ruling::new(about, AuditOutcome::Blocked, by)
        }
    }

    /// The same with its reason.
    pub fn because(self, reason: impl Into<String>) -> Ruling {
        Ruling { reason: Some(reason.into()), ..self }
    }

    fn bounded(self) -> Ruling {
        Ruling {
            about: AuditSubject { action: bounded(self.about.action), subject: bounded(self.about.subject) },
            code: self.code.map(bounded),
            rule: self.rule.map(bounded),
            reason: self.reason.map(bounded),
            ..self
        }
    }
}

impl AuditLine {
    /// Something that happened now.
    pub fn now(session: SessionId, mode: Mode, what: Audited) -> AuditLine {
        AuditLine { at: entry::now(), session, mode, what }
    }

    /// A mode change, now.
    pub fn mode(session: SessionId, event: ModeEvent) -> AuditLine {
        let ModeEvent { from, to, by, why } = event;
        let event = AuditedMode { from, to, by: by.to_string(), why: why.to_string() };
        AuditLine::now(session, to, Audited::Mode(event))
    }

    pub(super) fn bounded(self) -> AuditLine {
        let what = match self.what {
            Audited::Gate(ruling) => Audited::Gate(ruling.bounded()),
            Audited::Answer(ruling) => Audited::Answer(ruling.bounded()),
            Audited::Mode(event) => {
                Audited::Mode(AuditedMode { by: bounded(event.by), why: bounded(event.why), ..event })
            }
            Audited::Connection(connected) => Audited::Connection(Connected {
                host: bounded(connected.host),
                address: connected.address.map(bounded),
                through: connected.through.map(bounded),
                refused: connected.refused.map(bounded),
                ..connected
            }),
            Audited::ModeRefused { to, by, code, reason } => {
                Audited::ModeRefused { to: bounded(to), by: bounded(by), code: bounded(code), reason: bounded(reason) }
            }
            Audited::Hook(hook) => Audited::Hook(AuditedHook {
                on: bounded(hook.on),
                hook: bounded(hook.hook),
                from: bounded(hook.from),
                answer: bounded(hook.answer),
                ..hook
            }),
        };
        AuditLine { what, ..self }
    }

    /// A mode change is on disk before anything is done under the new mode; a verdict may follow.
    pub(super) fn durability(&self) -> Durability {
        match self.what {
            Audited::Mode(_) => Durability::Now,
            Audited::Gate(_)
            | Audited::Answer(_)
            | Audited::Connection(_)
            | Audited::ModeRefused { .. }
            | Audited::Hook(_) => Durability::Soon,
        }
    }
}

/// Cuts a text at a letter, with a mark.
fn bounded(text: String) -> String {
    let kept = fore_text::cut::bytes(&text, MAX_TEXT_BYTES);
    if kept.len() < text.len() { format!("{kept}…") } else { text }
}
