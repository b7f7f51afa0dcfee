//! A session's file: entries are appended, one line each, and never changed. One process at a time may write.
//!
//! An entry that matters (`Durability::Now`) is on disk when `append` returns; others follow with it, or after
//! `MAX_UNSYNCED` of them. A failed append is taken back, so that the file never holds half a line.

mod lock;
mod repair;

pub(crate) use lock::holder;

use crate::{
    entry::{Durability, Entry, SessionId, VERSION},
    error::{Cause, Result, StoreError},
    fold::{FoldUntil, FoldedTranscript, fold},
    folder::{Access, Folder},
};
use std::{
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Entries that a power cut may take at most when none of them mattered.
const MAX_UNSYNCED: u32 = 32;

/// Names looked at when a session is removed with what lies beside it.
const MAX_BESIDE_NAMES: usize = 100_000;

pub(crate) const EXTENSION: &str = ".jsonl";
pub(crate) const DRAFT_EXTENSION: &str = ".draft";

/// An open transcript that this process alone writes.
#[derive(Debug)]
pub(crate) struct Transcript {
    folder: Arc<Folder>,
    session: SessionId,
    name: String,
    path: PathBuf,
    file: File,
    length: u64,
    unsynced: u32,
    is_closed: bool,
    buffer: Vec<u8>,
}

impl Transcript {
    /// Begins a transcript that nobody can see until it is published.
    pub(crate) fn draft(folder: &Arc<Folder>, session: SessionId) -> Result<Transcript> {
        let name = format!("{session}{DRAFT_EXTENSION}");
        let file = folder.file(&name, Access::New)?;
        let transcript = Transcript::over(folder, session, name, file);
        lock::take(&transcript.file, folder, session)?;
        Ok(transcript)
    }

    /// Gives a finished draft its name: other processes see all of it or nothing.
    pub(crate) fn publish(mut self) -> Result<Transcript> {
        self.sync()?;
        let name = file_name(self.session);
        if self.folder.facts(&name)?.is_some() {
            return Err(StoreError::Exists { path: self.folder.path_of(&name) });
        }
        self.folder.rename(&self.name, &name)?;
        self.folder.sync()?;
        (self.path, self.name) = (self.folder.path_of(&name), name);
        Ok(self)
    }

    /// Opens a transcript to go on with it. A torn last line is put aside first and reported.
    pub(crate) fn open(folder: &Arc<Folder>, session: SessionId) -> Result<(Transcript, FoldedTranscript)> {
        let name = file_name(session);
        let file = folder.file(&name, Access::Append).map_err(|error| missing_session(error, folder, session))?;
        lock::take(&file, folder, session)?;
        make_private(&file, &folder.path_of(&name))?;
        let mut transcript = Transcript::over(folder, session, name, file);
        let folded = fold(&transcript.file, &transcript.path, FoldUntil::End)?;
        if let Some(found) = folded.report.newer_version {
            return Err(StoreError::NewerVersion { path: transcript.path.clone(), found, known: VERSION });
        }
        if let Some(torn) = folded.report.torn {
            repair::put_aside(folder, &transcript.name, &transcript.file, torn)?;
        }
        let metadata = transcript.file.metadata().map_err(StoreError::io("look at", &transcript.path))?;
        transcript.length = metadata.len();
        Ok((transcript, folded))
    }

    /// Reads a transcript that may be in use, changing nothing.
    pub(crate) fn read(folder: &Folder, session: SessionId, until: FoldUntil) -> Result<FoldedTranscript> {
        let name = file_name(session);
        let file = folder.file(&name, Access::Read).map_err(|error| missing_session(error, folder, session))?;
        fold(&file, &folder.path_of(&name), until)
    }

    /// Removes a transcript that nobody has open, and what lies beside it.
    pub(crate) fn remove(folder: &Folder, session: SessionId) -> Result<()> {
        let name = file_name(session);
        let file = folder.file(&name, Access::Read).map_err(|error| missing_session(error, folder, session))?;
        // Held to the end: whoever opened the file meanwhile finds it in use, and later finds it gone.
        lock::take(&file, folder, session)?;
        folder.remove(&name)?;
        lock::forget_holder(folder, session);
        let torn = format!("{name}.torn-");
        for beside in folder.names(MAX_BESIDE_NAMES)?.iter().filter(|beside| beside.starts_with(&torn)) {
            folder.remove(beside)?;
        }
        folder.sync()
    }

    fn over(folder: &Arc<Folder>, session: SessionId, name: String, file: File) -> Transcript {
        let path = folder.path_of(&name);
        let folder = Arc::clone(folder);
        Transcript { folder, session, name, path, file, length: 0, unsynced: 0, is_closed: false, buffer: Vec::new() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one entry, all of it or nothing.
    pub(crate) fn append(&mut self, entry: &Entry) -> Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let appended = entry.write_line(&mut buffer).and_then(|()| self.append_bytes(&buffer, entry.durability()));
        self.buffer = buffer;
        appended
    }

    /// Appends whole lines as they are, for copies of a history.
    pub(crate) fn append_lines(&mut self, lines: &[u8]) -> Result<()> {
        self.append_bytes(lines, Durability::Soon)
    }

    fn append_bytes(&mut self, bytes: &[u8], durability: Durability) -> Result<()> {
        if self.is_closed {
            return Err(StoreError::Closed { path: self.path.clone() });
        }
        let written = match self.file.write_all(bytes) {
            Ok(()) => self.make_durable(durability),
            Err(error) => Err(StoreError::io("append to", &self.path)(error)),
        };
        match written {
            Ok(()) => self.length += bytes.len() as u64,
            // What could not be promised is taken back; if even that fails, the next start repairs it.
            Err(_) => self.is_closed = self.file.set_len(self.length).is_err(),
        }
        written
    }

    fn make_durable(&mut self, durability: Durability) -> Result<()> {
        self.unsynced += 1;
        if durability == Durability::Soon && self.unsynced < MAX_UNSYNCED {
            return Ok(());
        }
        // A deleted file takes writes gladly; nobody would ever read them.
        if !self.folder.is_same(&self.name, &self.file)? {
            let path = self.path.clone();
            return Err(StoreError::Io { doing: "append to", path, cause: Cause::Vanished });
        }
        self.sync()
    }

    /// Makes everything appended so far survive a power cut.
    pub(crate) fn sync(&mut self) -> Result<()> {
        self.file.sync_data().map_err(StoreError::io("save", &self.path))?;
        self.unsynced = 0;
        Ok(())
    }
}

impl Drop for Transcript {
    fn drop(&mut self) {
        // The lock is still held here, so this is our own note and not the next holder's.
        lock::forget_holder(&self.folder, self.session);
        if self.name.ends_with(DRAFT_EXTENSION) {
            // A draft that was never published is nobody's session.
            let _ = self.folder.remove(&self.name);
        } else if self.unsynced > 0 && !self.is_closed {
            let _ = self.file.sync_data();
        }
    }
}

pub(crate) fn file_name(session: SessionId) -> String {
    format!("{session}{EXTENSION}")
}

fn missing_session(error: StoreError, folder: &Folder, session: SessionId) -> StoreError {
    if error.is_missing() {
        StoreError::NoSuchSession { session: session.to_string(), folder: folder.path().to_owned() }
    } else {
        error
    }
}

fn make_private(file: &File, path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o600)).map_err(StoreError::io("make private", path))
}
