//! The audit log: what the gate decided and how the mode changed, one line each, from all sessions. Never rewritten.
//!
//! Processes take turns by a lock, so no line is torn by another. When the file is full it is put aside under a number;
//! the oldest of `MOST_FILES` is dropped.

mod line;

pub use line::{About, AuditLine, Audited, Outcome};

use crate::{
    entry::Durability,
    error::{Result, StoreError},
    folder::{Access, Folder},
    home::Home,
};
use std::{fs::File, io::Write, os::unix::fs::FileExt};

const NAME: &str = "audit.jsonl";
const LOCK_NAME: &str = "audit.lock";
/// The longest line, with every text at its bound.
pub const MOST_LINE_BYTES: usize = 16 * 1024;
/// When a file is put aside.
const MOST_FILE_BYTES: u64 = 8 * 1024 * 1024;
/// Files that are kept, the current one included.
const MOST_FILES: u32 = 8;

/// The log, open for appending.
#[derive(Debug)]
pub struct AuditLog {
    folder: Folder,
    lock: File,
    file: File,
    most_file_bytes: u64,
}

impl AuditLog {
    pub fn open(home: &Home) -> Result<AuditLog> {
        AuditLog::open_with(home, MOST_FILE_BYTES)
    }

    /// With another size at which a file is put aside.
    pub fn open_with(home: &Home, most_file_bytes: u64) -> Result<AuditLog> {
        let folder = Folder::open(home.path())?;
        let lock = folder.file(LOCK_NAME, Access::AppendOrMake)?;
        let file = folder.file(NAME, Access::AppendOrMake)?;
        Ok(AuditLog { folder, lock, file, most_file_bytes })
    }

    /// Appends one line, all of it or nothing.
    pub fn append(&mut self, line: AuditLine) -> Result<()> {
        let durability = line.durability();
        let mut bytes = serde_json::to_vec(&line.bounded())?;
        bytes.push(b'\n');
        if bytes.len() > MOST_LINE_BYTES {
            return Err(StoreError::EntryTooLarge { bytes: bytes.len(), most: MOST_LINE_BYTES });
        }
        self.lock.lock().map_err(StoreError::io("lock", self.folder.path_of(LOCK_NAME)))?;
        let appended = self.append_locked(&bytes, durability);
        let unlocked = self.lock.unlock().map_err(StoreError::io("unlock", self.folder.path_of(LOCK_NAME)));
        appended.and(unlocked)
    }

    fn append_locked(&mut self, bytes: &[u8], durability: Durability) -> Result<()> {
        self.follow_rotation(bytes.len() as u64)?;
        let path = self.folder.path_of(NAME);
        let append = || {
            let length = self.file.metadata()?.len();
            let mut whole = Vec::with_capacity(bytes.len() + 1);
            if !ends_in_line_break(&self.file, length)? {
                // Somebody was cut off here; their half line must not swallow ours.
                whole.push(b'\n');
            }
            whole.extend_from_slice(bytes);
            let written = (&self.file).write_all(&whole).and_then(|()| match durability {
                Durability::Now => self.file.sync_data(),
                Durability::Soon => Ok(()),
            });
            if written.is_err() {
                self.file.set_len(length)?;
            }
            written
        };
        append().map_err(StoreError::io("append to", path))
    }

    /// Goes on in the file that has the name now, and puts it aside when it is full.
    fn follow_rotation(&mut self, more: u64) -> Result<()> {
        if !self.folder.is_same(NAME, &self.file)? {
            self.file = self.folder.file(NAME, Access::AppendOrMake)?;
        }
        let length = self.file.metadata().map_err(StoreError::io("look at", self.folder.path_of(NAME)))?.len();
        if length == 0 || length + more <= self.most_file_bytes {
            return Ok(());
        }
        for number in (1..MOST_FILES).rev() {
            let from = if number == 1 { NAME.to_owned() } else { aside_name(number - 1) };
            if self.folder.facts(&from)?.is_some() {
                self.folder.rename(&from, &aside_name(number))?;
            }
        }
        self.file = self.folder.file(NAME, Access::AppendOrMake)?;
        self.folder.sync()
    }
}

fn aside_name(number: u32) -> String {
    format!("audit.{number}.jsonl")
}

fn ends_in_line_break(file: &File, length: u64) -> std::io::Result<bool> {
    let Some(last) = length.checked_sub(1) else { return Ok(true) };
    let mut byte = [0];
    file.read_exact_at(&mut byte, last)?;
    Ok(byte == *b"\n")
}

#[cfg(test)]
mod tests;
