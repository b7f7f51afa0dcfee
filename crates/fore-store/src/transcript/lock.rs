//! The lock that keeps a second process from writing the same session. The kernel ends it with its process.

use crate::{
    entry::SessionId,
    error::{LockHolder, Result, StoreError},
    folder::{Access, Folder},
};
use std::{
    fs::{File, TryLockError},
    io::{Read, Write},
};

const MAX_HOLDER_BYTES: u64 = 1024;

/// Takes the lock or says who has it.
pub(super) fn take(file: &File, folder: &Folder, session: SessionId) -> Result<()> {
    match file.try_lock() {
        Ok(()) => {
            // For people only, so a failure to write it down stops nothing.
            let _ = write_holder(folder, session);
            Ok(())
        }
        Err(TryLockError::WouldBlock) => {
            let holder = read_holder(folder, session).unwrap_or_default();
            Err(StoreError::InUse { session: session.to_string(), holder })
        }
        Err(TryLockError::Error(error)) => Err(StoreError::io("lock the session in", folder.path())(error)),
    }
}

/// Who has the session open; none where nobody does.
pub(crate) fn holder(file: &File, folder: &Folder, session: SessionId) -> Result<Option<LockHolder>> {
    match file.try_lock_shared() {
        // The lock ends with the file.
        Ok(()) => Ok(None),
        Err(TryLockError::WouldBlock) => Ok(Some(read_holder(folder, session).unwrap_or_default())),
        Err(TryLockError::Error(error)) => {
            Err(StoreError::io("look at the lock of the session in", folder.path())(error))
        }
    }
}

/// Removes the note about who holds the lock.
pub(super) fn forget_holder(folder: &Folder, session: SessionId) {
    let _ = folder.remove(&holder_name(session));
}

fn holder_name(session: SessionId) -> String {
    format!("{session}.holder")
}

fn write_holder(folder: &Folder, session: SessionId) -> Result<()> {
    let name = holder_name(session);
    let program = std::env::args_os().next().map(std::path::PathBuf::from);
    let program = program.and_then(|path| path.file_name()?.to_str().map(str::to_owned));
    let holder = LockHolder { pid: Some(std::process::id()), program };
    let mut file = folder.file(&name, Access::AppendOrMake)?;
    let text = serde_json::to_vec(&holder)?;
    file.set_len(0).and_then(|()| file.write_all(&text)).map_err(StoreError::io("write", folder.path_of(&name)))
}

fn read_holder(folder: &Folder, session: SessionId) -> Option<LockHolder> {
    let file = folder.file(&holder_name(session), Access::Read).ok()?;
    let mut text = Vec::new();
    file.take(MAX_HOLDER_BYTES).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}
