//! Puts a torn last line aside before the transcript goes on: cut off, but kept beside it.

use crate::{
    error::{Result, StoreError},
    fold::Torn,
    folder::{Access, Folder},
};
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
};

/// Torn lines that are kept for one session.
const MAX_TORN: u32 = 1000;

pub(super) fn put_aside(folder: &Folder, name: &str, mut transcript: &File, torn: Torn) -> Result<()> {
    let path = folder.path_of(name);
    let aside = free_file(folder, name)?;
    transcript.seek(SeekFrom::Start(torn.at)).map_err(StoreError::io("read", &path))?;
    let copied = io::copy(&mut transcript.take(torn.bytes), &mut &aside.file).and_then(|_| aside.file.sync_all());
    if let Err(error) = copied {
        // Without room for the copy nothing is cut off: the bytes are still where they were.
        let _ = folder.remove(&aside.name);
        return Err(StoreError::io("keep a torn line in", folder.path_of(&aside.name))(error));
    }
    folder.sync()?;
    let cut = transcript.set_len(torn.at).and_then(|()| transcript.sync_all());
    cut.map_err(StoreError::io("repair", path))
}

struct TornFile {
    name: String,
    file: File,
}

fn free_file(folder: &Folder, name: &str) -> Result<TornFile> {
    for number in 1..=MAX_TORN {
        let name = format!("{name}.torn-{number}");
        match folder.file(&name, Access::New) {
            Ok(file) => return Ok(TornFile { name, file }),
            Err(StoreError::Exists { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Err(StoreError::Refused(format!(
        "{MAX_TORN} torn lines are kept beside `{}` already; move them away",
        folder.path_of(name).display()
    )))
}
