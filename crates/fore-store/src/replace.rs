//! Puts a whole file in the place of another: readers see the old text or the new one, also after a power cut.

use crate::{
    error::{Result, StoreError},
    folder::{Access, Folder},
};
use std::{
    fs::{File, Permissions},
    io::{Read, Write},
    os::unix::fs::PermissionsExt,
};
use uuid::Uuid;

const TEMPORARY_EXTENSION: &str = ".fore-tmp";
/// Names looked at when leftovers of a crash are removed.
const MAX_SWEPT: usize = 4096;

/// Whether something may already have the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occupied {
    /// A plain file of ours is replaced; anything else is refused.
    Replace,
    /// Nothing is ever overwritten.
    Refuse,
}

/// Writes `bytes` under `name`. When it fails, what was there before is untouched.
pub(crate) fn write(folder: &Folder, name: &str, bytes: &[u8], occupied: Occupied) -> Result<()> {
    put(folder, name, bytes, occupied, None)
}

/// The same for a file that is written once: from the moment it has its name, whoever writes to it by mistake is told so.
pub(crate) fn write_once(folder: &Folder, name: &str, bytes: &[u8]) -> Result<()> {
    put(folder, name, bytes, Occupied::Replace, Some(Permissions::from_mode(0o400)))
}

/// The same for a file that others read, too.
pub(crate) fn write_shared(folder: &Folder, name: &str, bytes: &[u8], permissions: Permissions) -> Result<()> {
    put(folder, name, bytes, Occupied::Replace, Some(permissions))
}

fn put(folder: &Folder, name: &str, bytes: &[u8], occupied: Occupied, permissions: Option<Permissions>) -> Result<()> {
    folder.require_in_place()?;
    let there = folder.require_plain_or_free(name)?;
    if there.is_some() && occupied == Occupied::Refuse {
        return Err(StoreError::Exists { path: folder.path_of(name) });
    }
    let temporary = format!(".{}{TEMPORARY_EXTENSION}", Uuid::now_v7().simple());
    let mut file = folder.file(&temporary, Access::New)?;
    // Tells a sweeping process that somebody is at work here. Without it the file is still new enough to be left alone.
    let _ = file.try_lock();
    let written = file
        .write_all(bytes)
        .and_then(|()| permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions)))
        .and_then(|()| file.sync_all())
        .map_err(StoreError::io("write", folder.path_of(name)))
        .and_then(|()| put_in_place(folder, &temporary, name, occupied));
    if written.is_err() {
        let _ = folder.remove(&temporary);
    }
    written?;
    folder.sync()
}

fn put_in_place(folder: &Folder, temporary: &str, name: &str, occupied: Occupied) -> Result<()> {
    match occupied {
        Occupied::Replace => {
            folder.require_plain_or_free(name)?;
            folder.rename(temporary, name)
        }
        Occupied::Refuse => folder.rename_to_free(temporary, name),
    }
}

/// Reads at most `most` bytes of a plain file; none if it is longer.
pub(crate) fn read_bounded(file: File, most: usize) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= most).then_some(bytes))
}

/// Removes what processes that died while writing have left. A file that is still being written is locked.
pub(crate) fn sweep(folder: &Folder) {
    let Ok(names) = folder.names(MAX_SWEPT) else { return };
    for name in names.iter().filter(|name| name.starts_with('.') && name.ends_with(TEMPORARY_EXTENSION)) {
        remove_abandoned(folder, name);
    }
}

/// Removes a file that nobody has locked for a while.
pub(crate) fn remove_abandoned(folder: &Folder, name: &str) {
    let is_free = folder.file(name, Access::Read).is_ok_and(|file| file.try_lock().is_ok());
    // Between its making and its lock a file looks abandoned for a moment; age tells the two apart.
    let is_old = folder.facts(name).is_ok_and(|facts| facts.is_some_and(|facts| is_old(facts.modified_ms)));
    if is_free && is_old {
        let _ = folder.remove(name);
    }
}

fn is_old(modified_ms: u64) -> bool {
    const MINUTE_MS: u64 = 60_000;
    crate::entry::now().0.saturating_sub(modified_ms) > MINUTE_MS
}
