//! Keeps what a workspace looked like when planning began, so that a resumed session still compares with that moment.
//!
//! The bytes are whoever took them's business; here they are only kept whole, private and bounded.

use crate::{
    entry::SessionId,
    error::{Result, StoreError},
    folder::Access,
    home::Home,
    named_files,
    replace::{self, Occupied},
    transcript,
};

/// Far above what the facts of the most files that are looked at take.
pub(crate) const MAX_BYTES: usize = 64 * 1024 * 1024;
const EXTENSION: &str = ".before";
/// Names looked at when snapshots of sessions that are gone are removed.
const MAX_SWEPT: usize = 4096;

/// Keeps the bytes in the place of earlier ones.
pub fn save(home: &Home, session: SessionId, bytes: &[u8]) -> Result<()> {
    if bytes.len() > MAX_BYTES {
        let (have, most) = (bytes.len(), MAX_BYTES);
        return Err(StoreError::Refused(format!("a snapshot of {have} bytes is larger than the {most} that are kept")));
    }
    sweep(home);
    replace::write(&home.sessions, &file_name(session), bytes, Occupied::Replace)
}

/// What was kept; none if nothing was, or too much.
pub fn load(home: &Home, session: SessionId) -> Result<Option<Vec<u8>>> {
    let name = file_name(session);
    let file = match home.sessions.file(&name, Access::Read) {
        Err(error) if error.is_missing() => return Ok(None),
        other => other?,
    };
    replace::read_bounded(file, MAX_BYTES).map_err(StoreError::io("read", home.sessions.path_of(&name)))
}

/// Removes what a crash left half-written, and what belongs to a session that is no longer there.
fn sweep(home: &Home) {
    replace::sweep(&home.sessions);
    let Ok(names) = home.sessions.names(MAX_SWEPT) else { return };
    for name in &names {
        let id = name.strip_suffix(EXTENSION).or_else(|| name.strip_suffix(named_files::EXTENSION));
        let session = id.and_then(|id| id.parse::<SessionId>().ok());
        let is_gone = |id| matches!(home.sessions.facts(&transcript::file_name(id)), Ok(None));
        if session.is_some_and(is_gone) {
            replace::remove_abandoned(&home.sessions, name);
        }
    }
}

fn file_name(session: SessionId) -> String {
    format!("{session}{EXTENSION}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_snapshot_is_kept_and_replaced() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(temporary.path()).unwrap();
        let session = SessionId::fresh();
        assert_eq!(load(&home, session).unwrap(), None);
        save(&home, session, b"one").unwrap();
        save(&home, session, b"two").unwrap();
        assert_eq!(load(&home, session).unwrap().as_deref(), Some(b"two".as_slice()));
        assert_eq!(load(&home, SessionId::fresh()).unwrap(), None);
    }

    #[test]
    fn one_that_is_too_large_or_no_plain_file_is_refused() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(temporary.path()).unwrap();
        let session = SessionId::fresh();
        let error = save(&home, session, &vec![0; MAX_BYTES + 1]).unwrap_err().to_string();
        assert_eq!(error, "a snapshot of 67108865 bytes is larger than the 67108864 that are kept");
        let path = home.path().join("sessions").join(file_name(session));
        std::os::unix::fs::symlink("elsewhere", path).unwrap();
        assert!(load(&home, session).unwrap_err().to_string().contains("is a symbolic link"));
        assert!(save(&home, session, b"one").unwrap_err().to_string().contains("is a symbolic link"));
    }

    #[test]
    fn what_belongs_to_no_session_goes_when_the_next_one_is_kept() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(temporary.path()).unwrap();
        let (gone, there) = (SessionId::fresh(), SessionId::fresh());
        let sessions = home.path().join("sessions");
        std::fs::write(sessions.join(transcript::file_name(there)), "").unwrap();
        for session in [gone, there] {
            std::fs::write(sessions.join(file_name(session)), "old").unwrap();
            let file = std::fs::File::open(sessions.join(file_name(session))).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
        }
        save(&home, SessionId::fresh(), b"new").unwrap();
        assert_eq!(load(&home, gone).unwrap(), None);
        assert_eq!(load(&home, there).unwrap().as_deref(), Some(b"old".as_slice()));
    }
}
