//! Makes a plan name one session's own, also when several start at once. The kernel's lock decides, never a process id.
//!
//! A claim file names its session and is locked while that session lives. It stays afterwards, so that a resumed
//! session finds its name free; it is given away only when its session has no transcript.

use crate::{
    entry::SessionId,
    error::{Result, StoreError},
    folder::{Access, Folder},
    home::Home,
    replace, transcript,
};
use fore_plan::plan::Slug;
use std::{
    fs::{File, TryLockError},
    io::Write,
};

/// A name that is ours for as long as this lives.
#[derive(Debug)]
pub struct Claim {
    /// Holds the lock.
    _file: File,
}

impl Claim {
    /// Keeps every session from using a name while this lives; none if a live session has it. The name stays whose it is.
    pub(crate) fn hold(home: &Home, slug: &Slug) -> Result<Option<Claim>> {
        let name = format!("{slug}.claim");
        let file = home.claims.file(&name, Access::AppendOrMake)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Claim { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(StoreError::io("lock", home.claims.path_of(&name))(error)),
        }
    }

    /// The session that a name belongs to, if any has it.
    pub(crate) fn owner(home: &Home, slug: &Slug) -> Option<SessionId> {
        owner(&home.claims, &format!("{slug}.claim")).ok().flatten()
    }

    /// Takes a name for a session; none if another one has it.
    pub fn take(home: &Home, slug: &Slug, session: SessionId) -> Result<Option<Claim>> {
        let name = format!("{slug}.claim");
        let path = home.claims.path_of(&name);
        let mut file = home.claims.file(&name, Access::AppendOrMake)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(StoreError::io("lock", path)(error)),
        }
        if !home.claims.is_same(&name, &file)? {
            return Ok(None);
        }
        let owner = owner(&home.claims, &name)?;
        if owner != Some(session) {
            if owner.is_some_and(|owner| has_transcript(home, owner)) {
                return Ok(None);
            }
            let text = session.to_string();
            let written = file.set_len(0).and_then(|()| file.write_all(text.as_bytes()));
            written.and_then(|()| file.sync_all()).map_err(StoreError::io("write", path))?;
            home.claims.sync()?;
        }
        Ok(Some(Claim { _file: file }))
    }
}

/// The session that a claim file names; none while it is being made, or if its process died doing that.
fn owner(claims: &Folder, name: &str) -> Result<Option<SessionId>> {
    let file = claims.file(name, Access::Read)?;
    let bytes = replace::read_bounded(file, 64).map_err(StoreError::io("read", claims.path_of(name)))?;
    Ok(bytes.and_then(|bytes| std::str::from_utf8(&bytes).ok()?.parse().ok()))
}

/// When in doubt, it has one: a name too many is spent rather than shared.
fn has_transcript(home: &Home, session: SessionId) -> bool {
    home.sessions.facts(&transcript::file_name(session)).map_or(true, |facts| facts.is_some())
}
