//! Keeps what the files that a plan names looked like, beside the revision under its hash, or as a session left them.
//!
//! The bytes are whoever took them's business; here they are only kept whole, private and bounded.

use crate::{
    entry::SessionId,
    error::{Result, StoreError},
    folder::{Access, Folder},
    home::Home,
    replace::{self, Occupied},
};
use fore_plan::plan::Hash;
use std::path::Path;

/// Far above what the files that are remembered take.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// What is kept for a session.
pub(crate) const EXTENSION: &str = ".named";
/// Letters of the hash of a project folder that stand in a name.
const PROJECT_DIGITS: usize = 16;

/// What the files are remembered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedBy<'a> {
    /// The text of a plan about a project folder: found in every session.
    Plan(Hash, &'a Path),
    /// The plan that a session carries out.
    Session(SessionId),
}

impl NamedBy<'_> {
    fn place<'h>(&self, home: &'h Home) -> (&'h Folder, String) {
        match self {
            NamedBy::Plan(plan, project) => {
                let project = Hash::of(project.as_os_str().as_encoded_bytes()).to_string();
                let digits = project.get(..PROJECT_DIGITS).unwrap_or_default();
                (&home.revisions, format!("{plan}.{digits}{EXTENSION}"))
            }
            NamedBy::Session(session) => (&home.sessions, format!("{session}{EXTENSION}")),
        }
    }
}

/// Keeps the bytes in the place of earlier ones.
pub fn keep(home: &Home, by: NamedBy<'_>, bytes: &[u8]) -> Result<()> {
    if bytes.len() > MAX_BYTES {
        let (have, most) = (bytes.len(), MAX_BYTES);
        return Err(StoreError::Refused(format!(
            "{have} bytes about named files are more than the {most} that are kept"
        )));
    }
    let (folder, name) = by.place(home);
    replace::write(folder, &name, bytes, Occupied::Replace)
}

/// What was kept; none if nothing was, or too much.
pub fn find(home: &Home, by: NamedBy<'_>) -> Result<Option<Vec<u8>>> {
    let (folder, name) = by.place(home);
    let file = match folder.file(&name, Access::Read) {
        Err(error) if error.is_missing() => return Ok(None),
        other => other?,
    };
    replace::read_bounded(file, MAX_BYTES).map_err(StoreError::io("read", folder.path_of(&name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_for_the_same_plan_and_project_alone() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(temporary.path()).unwrap();
        let (plan, shop) = (Hash::of(b"# Plan"), Path::new("/projects/shop"));
        let session = NamedBy::Session(SessionId::fresh());
        keep(&home, NamedBy::Plan(plan, shop), b"one").unwrap();
        keep(&home, NamedBy::Plan(plan, shop), b"two").unwrap();
        keep(&home, session, b"three").unwrap();
        let found = |by| find(&home, by).unwrap().map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(found(NamedBy::Plan(plan, shop)).as_deref(), Some("two"));
        assert_eq!(found(session).as_deref(), Some("three"));
        assert_eq!(found(NamedBy::Plan(plan, Path::new("/projects/other"))), None);
        assert_eq!(found(NamedBy::Plan(Hash::of(b"# Other"), shop)), None);
        assert_eq!(found(NamedBy::Session(SessionId::fresh())), None);
    }

    #[test]
    fn what_is_too_much_or_no_plain_file_is_refused() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(temporary.path()).unwrap();
        let by = NamedBy::Plan(Hash::of(b"# Plan"), Path::new("/projects/shop"));
        let error = keep(&home, by, &vec![0; MAX_BYTES + 1]).unwrap_err().to_string();
        assert_eq!(error, "8388609 bytes about named files are more than the 8388608 that are kept");
        let (folder, name) = by.place(&home);
        std::os::unix::fs::symlink("elsewhere", folder.path_of(&name)).unwrap();
        assert!(find(&home, by).unwrap_err().to_string().contains("is a symbolic link"));
        assert!(keep(&home, by, b"one").unwrap_err().to_string().contains("is a symbolic link"));
    }
}
