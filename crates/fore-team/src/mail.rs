//! Messages between members: what they can say, and how they are handed out. A text is never consent; only a decision that was taken is.

use crate::{
    error::{TeamError, TeamResult},
    name::MemberName,
    task::TaskId,
};
use fore_plan::{
    approval::{RequestId, Timestamp},
    plan::{Hash, MAX_PLAN_BYTES},
    team::{PlanApprovalRequest, PlanApprovalResponse},
};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};
use uuid::Uuid;

/// The longest text of a message.
pub(crate) const MAX_TEXT_BYTES: usize = 64 * 1024;
/// The longest message as JSON: a plan whose every letter needs an escape, and room for the rest.
pub(crate) const MAX_MESSAGE_BYTES: usize = MAX_PLAN_BYTES * 6 + 256 * 1024;
/// Messages that may wait for one member.
pub(crate) const MAX_WAITING: usize = 10_000;
/// The most that one call hands out.
pub(crate) const MAX_CLAIMED: usize = 256;

/// Names one message, for good: its effect is recorded under this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MessageId(Uuid);

impl MessageId {
    /// A new one. Those of one process come in the order in which they were made.
    pub fn fresh() -> MessageId {
        MessageId(Uuid::now_v7())
    }

    /// The same for the same text, so that what is sent again after a crash is the same message.
    pub(crate) fn of(text: &str) -> MessageId {
        let mut bytes = [0; 16];
        let digits = Hash::of(text.as_bytes()).to_string();
        for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks(2)) {
            let pair = std::str::from_utf8(pair).unwrap_or_default();
            *byte = u8::from_str_radix(pair, 16).unwrap_or_default();
        }
        MessageId(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl TryFrom<String> for MessageId {
    type Error = TeamError;

    fn try_from(text: String) -> TeamResult<MessageId> {
        text.parse()
    }
}

impl From<MessageId> for String {
    fn from(id: MessageId) -> String {
        id.to_string()
    }
}

impl FromStr for MessageId {
    type Err = TeamError;

    fn from_str(text: &str) -> TeamResult<MessageId> {
        let parsed = Uuid::try_parse(text).ok().map(MessageId);
        // One spelling: a name that differs in a letter would be another file.
        parsed
            .filter(|id| id.to_string() == text)
            .ok_or_else(|| TeamError::BadId(fore_text::cut::ellipsis(text, 80).into()))
    }
}

/// A message that lies in an inbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeamMessage {
    /// Names it.
    pub id: MessageId,
    /// Who wrote it: the store fills this in.
    pub from: MemberName,
    /// Whose inbox it lies in.
    pub to: MemberName,
    /// When it was sent: on one machine by its clock, else by the server's.
    pub at: Timestamp,
    /// What it says.
    pub body: MailBody,
}

/// What a message says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "content", rename_all = "snake_case")]
pub enum MailBody {
    /// Words. They are never a decision.
    Text(String),
    /// A plan waits; written by [`crate::Membership::ask_approval`].
    PlanRequest(PlanApprovalRequest),
    /// A decision was taken; written by [`crate::Membership::decide`].
    PlanResponse(PlanApprovalResponse),
    /// A plan no longer waits; written by [`crate::Membership::withdraw`].
    PlanWithdrawn(RequestId),
    /// A task is the reader's now.
    TaskAssigned(TaskId),
    /// The writer has nothing to do; the words say how it ended.
    Idle(String),
    /// The lead asks the reader to come to an end; the words say why.
    ShutdownRequest(String),
    /// The writer ends, or says why not yet.
    ShutdownResponse {
        /// Whether it ends.
        ends: bool,
        /// Its words.
        reason: String,
    },
}

impl MailBody {
    /// Refuses what is too long, and what only the store itself writes.
    pub(crate) fn check_sendable(&self) -> TeamResult<()> {
        let text = match self {
            MailBody::Text(text) | MailBody::Idle(text) | MailBody::ShutdownRequest(text) => text,
            MailBody::ShutdownResponse { reason, .. } => reason,
            MailBody::TaskAssigned(_) => return Ok(()),
            MailBody::PlanRequest(_) | MailBody::PlanWithdrawn(_) => return Err(TeamError::NotByHand("request")),
            MailBody::PlanResponse(_) => return Err(TeamError::NotByHand("decision")),
        };
        if text.len() > MAX_TEXT_BYTES {
            return Err(TeamError::TooLarge { what: "a message", bytes: text.len(), max: MAX_TEXT_BYTES });
        }
        Ok(())
    }
}

/// A message to be sent. The same one can be sent again after a failure: its id stays.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// Names it.
    pub id: MessageId,
    /// To whom.
    pub to: MemberName,
    /// What it says.
    pub body: MailBody,
}

impl Outgoing {
    /// A new message.
    pub fn new(to: MemberName, body: MailBody) -> Outgoing {
        Outgoing { id: MessageId::fresh(), to, body }
    }
}

/// What sending came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendOutcome {
    /// It lies in the inbox, on disk.
    Sent,
    /// It lay there already.
    Already,
}

/// What was handed out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimedMail {
    /// To be acted on, oldest first, each to be followed by [`crate::Membership::done`].
    pub messages: Vec<TeamMessage>,
    /// What lay in the inbox and does not count. It is out of the way, and the others were not held up.
    pub set_aside: Vec<SetAside>,
}

/// Something in an inbox that is not a message to its owner from a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetAside {
    /// What it was called.
    pub name: String,
    /// Why it does not count.
    pub why: String,
}
