//! Which sessions there are: newest first, from the first line and the age of each file. Reads no history.

use crate::{
    entry::{self, BodyRef, ForkOrigin, KeptContent, LineReading, SessionHeader, SessionId},
    error::{LockHolder, Result, StoreError},
    folder::{Access, FileFacts},
    home::Home,
    replace, transcript,
};
use fore_plan::approval::Timestamp;
use std::{
    io::{BufRead, BufReader, Read},
    path::PathBuf,
};

/// Files looked at in the folder.
const MAX_FILES: usize = 20_000;
/// The longest first line that is read here.
const MAX_HEADER_BYTES: u64 = 64 * 1024;

/// A session as a line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSummary {
    /// Names it.
    pub session: SessionId,
    /// The workspace; none when the first line is damaged.
    pub folder: Option<String>,
    /// When it began; none when the first line is damaged.
    pub created: Option<Timestamp>,
    /// When it was written last.
    pub modified: Timestamp,
    /// The session that it is a copy of.
    pub forked_from: Option<ForkOrigin>,
    /// How long its transcript is.
    pub bytes: u64,
}

/// At most `most` sessions, newest first; of one workspace or of all.
pub fn list(home: &Home, folder: Option<&str>, most: usize) -> Result<Vec<SessionSummary>> {
    let mut found: Vec<(SessionId, FileFacts)> = Vec::new();
    for name in home.sessions.names(MAX_FILES)? {
        if name.ends_with(transcript::DRAFT_EXTENSION) {
            // A process died while it made a session; nobody ever saw it.
            replace::remove_abandoned(&home.sessions, &name);
        }
        let id = name.strip_suffix(transcript::EXTENSION).and_then(|id| id.parse().ok());
        if let (Some(id), Some(facts)) = (id, home.sessions.facts(&name)?) {
            found.push((id, facts));
        }
    }
    found.sort_by_key(|(id, facts)| std::cmp::Reverse((facts.modified_ms, *id)));
    let summaries = found.into_iter().map(|(id, facts)| summary(home, id, &facts));
    Ok(summaries.filter(|summary| folder.is_none() || summary.folder.as_deref() == folder).take(most).collect())
}

/// One session; none if there is no such one.
pub fn summary_of(home: &Home, id: SessionId) -> Result<Option<SessionSummary>> {
    let facts = home.sessions.facts(&transcript::file_name(id))?;
    Ok(facts.map(|facts| summary(home, id, &facts)))
}

/// Where the transcript of a session is.
pub fn path_of(home: &Home, id: SessionId) -> PathBuf {
    home.sessions.path_of(&transcript::file_name(id))
}

/// Who has a session open now; none where nobody does.
pub fn holder(home: &Home, id: SessionId) -> Result<Option<LockHolder>> {
    let file = home.sessions.file(&transcript::file_name(id), Access::Read)?;
    transcript::holder(&file, &home.sessions, id)
}

/// The ids of all sessions, in no order. Opens no file.
pub fn ids(home: &Home) -> Result<Vec<SessionId>> {
    let names = home.sessions.names(MAX_FILES)?;
    Ok(names.iter().filter_map(|name| name.strip_suffix(transcript::EXTENSION)?.parse().ok()).collect())
}

fn summary(home: &Home, id: SessionId, facts: &FileFacts) -> SessionSummary {
    let header = header(home, id).ok().flatten();
    SessionSummary {
        session: id,
        folder: header.as_ref().map(|header| header.folder.clone()),
        created: header.as_ref().map(|header| header.created),
        modified: Timestamp(facts.modified_ms),
        forked_from: header.and_then(|header| header.forked_from),
        bytes: facts.bytes,
    }
}

fn header(home: &Home, id: SessionId) -> Result<Option<SessionHeader>> {
    let name = transcript::file_name(id);
    let file = home.sessions.file(&name, Access::Read)?;
    let mut line = Vec::new();
    let mut reader = BufReader::with_capacity(1024, file).take(MAX_HEADER_BYTES);
    reader.read_until(b'\n', &mut line).map_err(StoreError::io("read", home.sessions.path_of(&name)))?;
    Ok(match entry::read(&line, KeptContent::Marked) {
        LineReading::Entry(entry::EntryRef { body: BodyRef::Session(header), .. }) => Some(header),
        LineReading::Entry(_) | LineReading::Newer { .. } | LineReading::UnknownKind | LineReading::Broken => None,
    })
}
