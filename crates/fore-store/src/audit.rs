//! The audit log: what was decided about each call and by whom, and how the mode changed, one line each, from all sessions.
//! Never rewritten.
//!
//! A line is one write to the end of the file, which the kernel keeps whole among processes: nobody waits for a lock that
//! another process may hold. When the file is full it is put aside under a number; the oldest of `MAX_FILES` is dropped.

mod line;

pub use line::{AuditDecider, AuditLine, AuditOutcome, AuditSubject, Audited, AuditedHook, Connected, Ruling};

use crate::{
    entry::Durability,
    error::{Result, StoreError},
    folder::{Access, Folder},
    home::Home,
};
use std::{fs::File, io::Write, os::unix::fs::FileExt};

const NAME: &str = "audit.jsonl";
/// Held while files are put aside, so that two processes do not do it at once.
const LOCK_NAME: &str = "audit.lock";
/// The longest line, with every text at its bound.
pub(crate) const MAX_LINE_BYTES: usize = 16 * 1024;
/// When a file is put aside.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;
/// Files that are kept, the current one included.
const MAX_FILES: u32 = 8;

/// The log, open for appending.
#[derive(Debug)]
pub struct AuditLog {
    folder: Folder,
    lock: File,
    file: File,
    max_file_bytes: u64,
}

impl AuditLog {
    /// Opens the log of this home, or begins one.
    pub fn open(home: &Home) -> Result<AuditLog> {
        AuditLog::open_with(home, MAX_FILE_BYTES)
    }

    /// With another size at which a file is put aside.
    pub fn open_with(home: &Home, max_file_bytes: u64) -> Result<AuditLog> {
        let folder = Folder::open(home.path())?;
        let lock = folder.file(LOCK_NAME, Access::AppendOrMake)?;
        let file = folder.file(NAME, Access::AppendOrMake)?;
        Ok(AuditLog { folder, lock, file, max_file_bytes })
    }

    /// Appends one line. It waits for no other process.
    pub fn append(&mut self, line: AuditLine) -> Result<()> {
        let durability = line.durability();
        let mut bytes = serde_json::to_vec(&line.bounded())?;
        bytes.push(b'\n');
        if bytes.len() > MAX_LINE_BYTES {
            return Err(StoreError::EntryTooLarge { bytes: bytes.len(), max: MAX_LINE_BYTES });
        }
        self.follow_rotation(bytes.len() as u64)?;
        self.write(&bytes, durability).map_err(StoreError::io("append to", self.folder.path_of(NAME)))
    }

    fn write(&self, bytes: &[u8], durability: Durability) -> std::io::Result<()> {
        let length = self.file.metadata()?.len();
        let mut whole = Vec::with_capacity(bytes.len() + 1);
        if is_torn(&self.file)? {
            // Somebody was cut off here; their half line must not swallow ours.
            whole.push(b'\n');
        }
        whole.extend_from_slice(bytes);
        // One call: a second one could come after another process's line.
        let written = loop {
            match (&self.file).write(&whole) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        if written < whole.len() {
            // The disk is full. The half line goes, unless another process has written behind it: then the next line
            // begins on one of its own.
            let end = length + written as u64;
            if self.file.metadata()?.len() == end {
                self.file.set_len(length)?;
            }
            return Err(std::io::Error::from_raw_os_error(libc::ENOSPC));
        }
        match durability {
            Durability::Now => self.file.sync_data(),
            Durability::Soon => Ok(()),
        }
    }

    /// Continues in the file that has the name now, and puts it aside when it is full.
    fn follow_rotation(&mut self, more: u64) -> Result<()> {
        self.follow_name()?;
        if !self.is_full(more)? {
            return Ok(());
        }
        // Whoever holds it is putting the file aside; one that is far too large was held back by somebody else's lock.
        let is_ours = self.lock.try_lock().is_ok();
        if !is_ours && self.length()? < 2 * self.max_file_bytes {
            return Ok(());
        }
        let done = self.follow_name().and_then(|()| if self.is_full(more)? { self.put_aside() } else { Ok(()) });
        if is_ours {
            let _ = self.lock.unlock();
        }
        done
    }

    fn follow_name(&mut self) -> Result<()> {
        if !self.folder.is_same(NAME, &self.file)? {
            self.file = self.folder.file(NAME, Access::AppendOrMake)?;
        }
        Ok(())
    }

    fn length(&self) -> Result<u64> {
        Ok(self.file.metadata().map_err(StoreError::io("look at", self.folder.path_of(NAME)))?.len())
    }

    fn is_full(&self, more: u64) -> Result<bool> {
        let length = self.length()?;
        Ok(length > 0 && length + more > self.max_file_bytes)
    }

    fn put_aside(&mut self) -> Result<()> {
        for number in (1..MAX_FILES).rev() {
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

/// Whether the last line has no end and nobody is writing it: a line of another process may be seen half-way.
fn is_torn(file: &File) -> std::io::Result<bool> {
    const TRIES: u32 = 3;
    let mut seen = None;
    for look in 0..TRIES {
        let length = file.metadata()?.len();
        let Some(last) = length.checked_sub(1) else { return Ok(false) };
        let mut byte = [0];
        file.read_exact_at(&mut byte, last)?;
        if byte == *b"\n" {
            return Ok(false);
        }
        if seen.replace(length) == Some(length) {
            return Ok(true);
        }
        std::thread::sleep(std::time::Duration::from_millis(u64::from(look) + 1));
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
