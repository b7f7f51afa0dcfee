//! The newest entries of a session, for a screen. Reads a bounded part from the end of the file and changes nothing.

use crate::{
    entry::{self, BodyRef, Entry, EntryBody, EntryRef, KeptContent, LineReading, SessionId},
    error::{Result, StoreError},
    folder::Access,
    home::Home,
    transcript,
};
use std::os::unix::fs::FileExt;

/// The entries in the last `most_bytes` of a session's file, oldest first, also while another process has it. Lines that are
/// damaged or of a kind this program does not know are left out, and so are remarks for people who look into the file.
pub fn recent(home: &Home, id: SessionId, most_bytes: usize) -> Result<Vec<Entry>> {
    let name = transcript::file_name(id);
    let path = home.sessions.path_of(&name);
    let file = home.sessions.file(&name, Access::Read).map_err(|error| {
        let folder = home.sessions.path().to_owned();
        if error.is_missing() { StoreError::NoSuchSession { session: id.to_string(), folder } } else { error }
    })?;
    let length = file.metadata().map_err(StoreError::io("look at", &path))?.len();
    let start = length.saturating_sub(u64::try_from(most_bytes).unwrap_or(u64::MAX));
    let mut bytes = vec![0; usize::try_from(length - start).unwrap_or(usize::MAX)];
    file.read_exact_at(&mut bytes, start).map_err(StoreError::io("read", &path))?;
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    // The first line begins before the part that was read, unless that is all there is.
    let whole = lines.skip(usize::from(start > 0));
    Ok(whole.filter_map(entry).collect())
}

fn entry(line: &[u8]) -> Option<Entry> {
    let LineReading::Entry(EntryRef { id, at, body }) = entry::read(line, KeptContent::Content) else { return None };
    let body = match body {
        BodyRef::Session(header) => EntryBody::Session(header),
        BodyRef::Change(change) => EntryBody::Change(*change),
        BodyRef::Message(message) => EntryBody::Message(message.to_message()?),
        BodyRef::Todos(todos) => EntryBody::Todos(todos),
        BodyRef::Cut(cut) => EntryBody::Cut(cut),
        BodyRef::Rewind(rewind) => EntryBody::Rewind(rewind),
        BodyRef::Shown(shown) => EntryBody::Shown(serde_json::from_str(shown.get()).ok()?),
        BodyRef::Report(report) => EntryBody::Report(report),
        BodyRef::Note | BodyRef::Rehearsal(_) | BodyRef::Work(_) => return None,
    };
    Some(Entry { id, at, body })
}
