//! One line of a transcript: a version, an id, a time and a body. It never holds a line break.

mod message;
mod wire;

pub(crate) use message::{KeptContent, MessageRef, plan_text};
pub use message::{PlanMark, Speaker, StoredMessage};
pub(crate) use wire::{BodyRef, EntryRef, LineReading, read};

use crate::error::{Result, StoreError};
use fore_plan::{
    Change, WorkRecord,
    approval::Timestamp,
    reminder::{Notice, ToldMode},
    report::Report,
};
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    str::FromStr,
    time::{SystemTime, UNIX_EPOCH},
};
use uuid::Uuid;

/// The newest entry version this program understands. An entry is written with the lowest version whose readers do the
/// right thing with it: see [`EntryBody::version`].
pub(crate) const VERSION: u32 = 3;
/// The longest line that is written or read, its line break included.
pub(crate) const MAX_ENTRY_BYTES: usize = 16 * 1024 * 1024;

/// One thing that happened in a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Names it.
    pub id: EntryId,
    /// When it was written.
    pub at: Timestamp,
    /// What it says.
    pub body: EntryBody,
}

/// What an entry says.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", content = "body", rename_all = "kebab-case")]
pub enum EntryBody {
    /// Which session this is; the first line.
    Session(SessionHeader),
    /// Something happened to planning.
    Change(Change),
    /// Something was said.
    Message(StoredMessage),
    /// The todo list as it is now.
    Todos(Vec<Todo>),
    /// For people who look into the file; nothing reads it back.
    Note(SessionNote),
    /// What the model sees starts again here.
    Cut(Cut),
    /// What the model sees goes back.
    Rewind(Rewind),
    /// A command was tried while planning, and nothing of it kept.
    Rehearsal(Rehearsal),
    /// Something was done while a plan was carried out.
    Work(WorkRecord),
    /// What became of a plan.
    Report(Report),
    /// Something the person was shown that no message says, such as how a turn ended. Whoever showed it reads it.
    Shown(serde_json::Value),
}

/// Which session a transcript belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionHeader {
    /// Names the session.
    pub session: SessionId,
    /// The workspace, exactly as given.
    pub folder: String,
    /// When it began.
    pub created: Timestamp,
    /// The session that it is a copy of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<ForkOrigin>,
}

/// Where a fork comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkOrigin {
    /// The session that was copied.
    pub session: SessionId,
    /// The last entry that was taken over.
    pub entry: Option<EntryId>,
}

/// One line of the list of what is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todo {
    /// What is to do.
    pub text: String,
    /// How far it is.
    pub status: TodoStatus,
}

/// How far something to do is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Under way.
    InProgress,
    /// Finished.
    Done,
}

/// A remark in a transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionNote {
    /// What it is about.
    pub topic: String,
    /// What it says.
    pub text: String,
}

/// A command that was tried while planning, with what it came to: evidence for whoever approves the plan (M3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rehearsal {
    /// The command, shortened.
    pub command: String,
    /// How it ended, in a few words.
    pub ended: String,
    /// Its exit code; none where it did not end by itself.
    pub exit_code: Option<i32>,
    /// What would have changed, a line each, the first of them.
    pub would_change: Vec<String>,
}

impl fmt::Display for Rehearsal {
    /// The command and how it ended in one line, then what would have changed, a line each.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rehearsal { command, ended, would_change, .. } = self;
        if would_change.is_empty() {
            return write!(f, "{command}: {ended}, nothing would have changed");
        }
        write!(f, "{command}: {ended}, would have changed:")?;
        would_change.iter().try_for_each(|line| write!(f, "\n  {line}"))
    }
}

/// Why the model sees nothing from before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum Cut {
    /// The history was summarised.
    Compacted { summary: String },
    /// The history was thrown away; what follows may begin with the plan.
    Cleared,
}

/// The person took their last words back, and all that came of them. It stays in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rewind {
    /// The first message that the model no longer sees; it and everything up to here.
    pub from: EntryId,
    /// What the model had been told about planning by then.
    pub told: ToldMode,
    /// What it was told since, and has no longer heard.
    pub unheard: Vec<Notice>,
}

impl Rewind {
    /// What this means for planning.
    pub(crate) fn change(&self) -> Change {
        Change::ContextRewound { told: self.told, unheard: self.unheard.clone() }
    }
}

/// Names one entry, in the order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(Uuid);

/// Names one session, in the order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(Uuid);

/// A text that is no id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an id looks like 01890a5d-ac96-774b-bcce-b302099a8057")]
pub struct NotAnId;

/// When an entry must have reached the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Before the call returns: somebody acts on it, or it guards something.
    Now,
    /// With the next durable entry, or after a bounded amount: losing it costs a sentence.
    Soon,
}

impl Entry {
    /// An entry that happens now.
    pub fn now(body: impl Into<EntryBody>) -> Entry {
        Entry { id: EntryId(Uuid::now_v7()), at: now(), body: body.into() }
    }

    /// Writes the entry as one line into `buffer`, which is emptied first.
    pub fn write_line(&self, buffer: &mut Vec<u8>) -> Result<()> {
        buffer.clear();
        wire::write(self, buffer)?;
        // In JSON a raw line break can only be space between values, which foreign content may bring along.
        buffer.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        buffer.push(b'\n');
        if buffer.len() > MAX_ENTRY_BYTES {
            return Err(StoreError::EntryTooLarge { bytes: buffer.len(), max: MAX_ENTRY_BYTES });
        }
        Ok(())
    }

    pub(crate) fn durability(&self) -> Durability {
        self.body.durability()
    }
}

impl EntryBody {
    /// A program that knows only the first version would show the model what the person took back, and one that knows only the second
    /// would go on allowing what they no longer allow, so these must refuse a session in which that happened.
    pub(crate) fn version(&self) -> u32 {
        match self {
            EntryBody::Change(change) => change_version(change),
            EntryBody::Session(_)
            | EntryBody::Message(_)
            | EntryBody::Todos(_)
            | EntryBody::Note(_)
            | EntryBody::Rehearsal(_)
            | EntryBody::Work(_)
            | EntryBody::Report(_)
            | EntryBody::Shown(_)
            | EntryBody::Cut(_) => 1,
            EntryBody::Rewind(_) => 2,
        }
    }

    /// Proposals, decisions, modes, trust and plan texts are on disk before anybody acts on them.
    pub(crate) fn durability(&self) -> Durability {
        match self {
            EntryBody::Session(_) | EntryBody::Cut(_) | EntryBody::Rewind(_) => Durability::Now,
            EntryBody::Change(change) => change_durability(change),
            EntryBody::Message(_)
            | EntryBody::Todos(_)
            | EntryBody::Note(_)
            | EntryBody::Rehearsal(_)
            | EntryBody::Work(_)
            | EntryBody::Report(_)
            | EntryBody::Shown(_) => Durability::Soon,
        }
    }
}

/// To an older program a change that it does not know is damage, so a new one raises the version.
fn change_version(change: &Change) -> u32 {
    match change {
        Change::Started { .. }
        | Change::Mode { .. }
        | Change::Openings { .. }
        | Change::SettingsRead
        | Change::AutoDuringPlan { .. }
        | Change::PlanNamed { .. }
        | Change::PlanWritten { .. }
        | Change::Stage { .. }
        | Change::Proposed(_)
        | Change::Decided { .. }
        | Change::Amended { .. }
        | Change::HumanTurn
        | Change::Told { .. }
        | Change::ReminderFailed { .. }
        | Change::ReminderMended
        | Change::ContextCut
        | Change::ContextRewound { .. }
        | Change::PlanEditedOutside { .. }
        | Change::Allowed { .. }
        | Change::AutoVerdict { .. } => 1,
        Change::Forgotten { .. } => 3,
    }
}

fn change_durability(change: &Change) -> Durability {
    match change {
        Change::Started { .. }
        | Change::Mode { .. }
        | Change::Openings { .. }
        | Change::SettingsRead
        | Change::AutoDuringPlan { .. }
        | Change::PlanNamed { .. }
        | Change::PlanWritten { .. }
        | Change::Stage { .. }
        | Change::Proposed(_)
        | Change::Decided { .. }
        | Change::Amended { .. }
        | Change::ReminderFailed { .. }
        | Change::ContextCut
        | Change::ContextRewound { .. }
        | Change::PlanEditedOutside { .. }
        | Change::Allowed { .. }
        | Change::Forgotten { .. } => Durability::Now,
        Change::HumanTurn | Change::Told { .. } | Change::ReminderMended | Change::AutoVerdict { .. } => {
            Durability::Soon
        }
    }
}

/// Milliseconds since 1970 by the clock of this machine.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

macro_rules! body_from {
    ($($kind:ident($from:ty)),*) => {
        $(impl From<$from> for EntryBody {
            fn from(body: $from) -> EntryBody {
                EntryBody::$kind(body)
            }
        })*
    };
}
body_from!(
    Session(SessionHeader),
    Change(Change),
    Message(StoredMessage),
    Todos(Vec<Todo>),
    Note(SessionNote),
    Cut(Cut),
    Rewind(Rewind),
    Rehearsal(Rehearsal),
    Work(WorkRecord),
    Report(Report)
);

macro_rules! id {
    ($id:ident) => {
        impl fmt::Display for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl FromStr for $id {
            type Err = NotAnId;

            /// Only the usual form with hyphens: one id, one file name.
            fn from_str(text: &str) -> Result<$id, NotAnId> {
                let id = Uuid::try_parse(text).map_err(|_| NotAnId)?;
                if text.len() == 36 && text.bytes().all(|byte| !byte.is_ascii_uppercase()) {
                    Ok($id(id))
                } else {
                    Err(NotAnId)
                }
            }
        }

        impl Serialize for $id {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let mut text = Uuid::encode_buffer();
                to.serialize_str(self.0.hyphenated().encode_lower(&mut text))
            }
        }

        impl<'de> Deserialize<'de> for $id {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$id, D::Error> {
                struct FromText;

                impl serde::de::Visitor<'_> for FromText {
                    type Value = $id;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("an id")
                    }

                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$id, E> {
                        text.parse().map_err(E::custom)
                    }
                }

                from.deserialize_str(FromText)
            }
        }
    };
}
id!(EntryId);
id!(SessionId);

impl SessionId {
    /// An id that nobody has yet.
    pub fn fresh() -> SessionId {
        SessionId(Uuid::now_v7())
    }
}
