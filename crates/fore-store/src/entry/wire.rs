//! How an entry looks as a line: `{"v":1,"id":…,"at":…,"kind":…,"body":…}`, read in one pass without copying content.

use super::{Cut, Entry, EntryBody, EntryId, KeptContent, MessageRef, Rehearsal, Rewind, SessionHeader, Todo, VERSION};
use fore_plan::{Change, WorkRecord, approval::Timestamp, report::Report};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;
use std::fmt;

/// What a line turned out to be.
#[derive(Debug)]
pub(crate) enum LineReading<'line> {
    Entry(EntryRef<'line>),
    /// Made by a newer version of this program.
    Newer {
        version: u32,
    },
    /// Sound, but of a kind this program does not know.
    UnknownKind,
    /// No entry, or one that says nothing that makes sense.
    Broken,
}

/// An entry in the line buffer.
#[derive(Debug)]
pub(crate) struct EntryRef<'line> {
    pub id: EntryId,
    pub at: Timestamp,
    pub body: BodyRef<'line>,
}

#[derive(Debug)]
pub(crate) enum BodyRef<'line> {
    Session(SessionHeader),
    Change(Box<Change>),
    Message(MessageRef<'line>),
    Todos(Vec<Todo>),
    Note,
    Cut(Cut),
    Rewind(Rewind),
    Rehearsal(Rehearsal),
    Work(WorkRecord),
    Report(Report),
    Shown(&'line RawValue),
}

#[derive(Serialize)]
struct WireOut<'entry> {
    v: u32,
    id: EntryId,
    at: Timestamp,
    #[serde(flatten)]
    body: &'entry EntryBody,
}

pub(super) fn write(entry: &Entry, buffer: &mut Vec<u8>) -> serde_json::Result<()> {
    serde_json::to_writer(buffer, &WireOut { v: entry.body.version(), id: entry.id, at: entry.at, body: &entry.body })
}

/// Reads one line, with or without its line break. Never fails and never panics: what is wrong is in the answer.
pub(crate) fn read(line: &[u8], keep: KeptContent) -> LineReading<'_> {
    match envelope(line, keep) {
        Ok(Envelope { v, .. }) if v > VERSION => LineReading::Newer { version: v },
        Ok(Envelope { v: 1..=VERSION, id: Some(id), at: Some(at), body: Some(body) }) => {
            LineReading::Entry(EntryRef { id, at, body })
        }
        Ok(Envelope { v: 1..=VERSION, id: Some(_), at: Some(_), body: None }) => unknown_or_broken(line),
        Ok(_) => LineReading::Broken,
        // A foreign line may name the mark behind the content: then it is read with all of it.
        Err(_) if keep == KeptContent::Marked => read(line, KeptContent::Content),
        Err(_) => newer_or_broken(line),
    }
}

fn envelope(line: &[u8], keep: KeptContent) -> serde_json::Result<Envelope<'_>> {
    let mut from = serde_json::Deserializer::from_slice(line);
    let envelope = (&mut from).deserialize_map(EnvelopeVisitor(keep))?;
    from.end()?;
    Ok(envelope)
}

/// A newer version may give a known kind another body, so a line that makes no sense is asked for its version alone.
fn newer_or_broken(line: &[u8]) -> LineReading<'static> {
    #[derive(Deserialize)]
    struct OnlyVersion {
        v: u32,
    }
    match serde_json::from_slice::<OnlyVersion>(line) {
        Ok(OnlyVersion { v }) if v > VERSION => LineReading::Newer { version: v },
        _ => LineReading::Broken,
    }
}

/// A kind we do not know may be a newer one, unless the body is plainly ours or missing: then the line was damaged.
fn unknown_or_broken(line: &[u8]) -> LineReading<'static> {
    #[derive(Deserialize)]
    struct OnlyBody<T> {
        #[serde(rename = "body")]
        _body: T,
    }
    let is_change = serde_json::from_slice::<OnlyBody<Change>>(line).is_ok();
    let has_body = serde_json::from_slice::<OnlyBody<IgnoredAny>>(line).is_ok();
    if has_body && !is_change { LineReading::UnknownKind } else { LineReading::Broken }
}

struct Envelope<'line> {
    v: u32,
    id: Option<EntryId>,
    at: Option<Timestamp>,
    /// None when the kind is unknown.
    body: Option<BodyRef<'line>>,
}

struct EnvelopeVisitor(KeptContent);

impl<'de> Visitor<'de> for EnvelopeVisitor {
    type Value = Envelope<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a transcript entry")
    }

    /// Our own lines name the kind before the body, so the body is read straight into its type. Others are read twice.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope<'de>, A::Error> {
        let mut envelope = Envelope { v: 0, id: None, at: None, body: None };
        let (mut kind, mut body): (Option<BodyKind>, Option<&RawValue>) = (None, None);
        while let Some(field) = map.next_key()? {
            match field {
                EnvelopeField::V => envelope.v = map.next_value()?,
                EnvelopeField::Id => envelope.id = Some(map.next_value()?),
                EnvelopeField::At => envelope.at = Some(map.next_value()?),
                EnvelopeField::Kind => kind = Some(map.next_value()?),
                EnvelopeField::Body => match kind {
                    Some(kind) if (1..=VERSION).contains(&envelope.v) => {
                        envelope.body = map.next_value_seed(BodySeed(kind, self.0))?;
                    }
                    Some(_) | None => body = Some(map.next_value()?),
                },
                EnvelopeField::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        if let (Some(kind), Some(body), 1..=VERSION) = (kind, body, envelope.v) {
            let mut again = serde_json::Deserializer::from_str(body.get());
            envelope.body = BodySeed(kind, self.0).deserialize(&mut again).map_err(A::Error::custom)?;
        }
        Ok(envelope)
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum EnvelopeField {
    V,
    Id,
    At,
    Kind,
    Body,
    #[serde(other)]
    Other,
}

/// The kinds of this version; everything else is `Unknown`.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum BodyKind {
    Session,
    Change,
    Message,
    Todos,
    Note,
    Cut,
    Rewind,
    Rehearsal,
    Work,
    Report,
    Shown,
    #[serde(other)]
    Unknown,
}

struct BodySeed(BodyKind, KeptContent);

impl<'de> DeserializeSeed<'de> for BodySeed {
    /// None for a kind we do not know.
    type Value = Option<BodyRef<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Option<BodyRef<'de>>, D::Error> {
        Ok(Some(match self.0 {
            BodyKind::Session => BodyRef::Session(SessionHeader::deserialize(from)?),
            BodyKind::Change => BodyRef::Change(Box::new(Change::deserialize(from)?)),
            BodyKind::Message => BodyRef::Message(self.1.deserialize(from)?),
            BodyKind::Todos => BodyRef::Todos(Vec::deserialize(from)?),
            BodyKind::Note => {
                IgnoredAny::deserialize(from)?;
                BodyRef::Note
            }
            BodyKind::Cut => BodyRef::Cut(Cut::deserialize(from)?),
            BodyKind::Rewind => BodyRef::Rewind(Rewind::deserialize(from)?),
            BodyKind::Rehearsal => BodyRef::Rehearsal(Rehearsal::deserialize(from)?),
            BodyKind::Work => BodyRef::Work(WorkRecord::deserialize(from)?),
            BodyKind::Report => BodyRef::Report(Report::deserialize(from)?),
            BodyKind::Shown => BodyRef::Shown(<&RawValue>::deserialize(from)?),
            BodyKind::Unknown => {
                IgnoredAny::deserialize(from)?;
                return Ok(None);
            }
        }))
    }
}
