//! What can go wrong with our own files: what was tried, where, why, and what to do next.

use std::{io, path::PathBuf};

/// What the functions of this crate give.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// Why the store could not do something. Whatever was saved before is still there.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what it is")]
pub enum StoreError {
    #[error("cannot {doing} `{path}`: {cause}", path = .path.display())]
    Io { doing: &'static str, path: PathBuf, cause: Cause },

    #[error(
        "`{path}` is {found}, so it is neither read nor written; \
         move it away and put a plain file of your own in its place",
        path = .path.display()
    )]
    NotPlain { path: PathBuf, found: UnexpectedFile },

    #[error(
        "session {session} is in use by {holder}; end that one first, or continue in a copy of it (--fork {session})"
    )]
    InUse { session: String, holder: LockHolder },

    #[error(
        "`{path}` was written by a newer version (entry version {found}, this program knows {known}); \
         it can be read but not continued here: update the program",
        path = .path.display()
    )]
    NewerVersion { path: PathBuf, found: u32, known: u32 },

    #[error("an entry of {bytes} bytes is larger than the {max} that a transcript takes; shorten what is in it")]
    EntryTooLarge { bytes: usize, max: usize },

    #[error("a plan of {bytes} bytes is larger than the {max} that can be kept and shown; shorten it")]
    PlanTooLarge { path: PathBuf, bytes: u64, max: usize },

    #[error("`{path}` was closed after a write that failed; resume the session to repair it", path = .path.display())]
    Closed { path: PathBuf },

    #[error("there is no session `{session}` in `{folder}`; list the sessions to see what is there", folder = .folder.display())]
    NoSuchSession { session: String, folder: PathBuf },

    #[error("`{path}` holds no entry that can be read; start a new session", path = .path.display())]
    Empty { path: PathBuf },

    #[error("`{path}` already exists; choose another name, nothing is overwritten", path = .path.display())]
    Exists { path: PathBuf },

    #[error("`{name}` cannot be used as a name here; use small letters, digits and `-`")]
    BadName { name: String },

    #[error("none of {tried} plan names was free; try again")]
    NoFreeName { tried: usize },

    #[error("{0}")]
    BadHome(String),

    #[error("the path `{path}` is not valid UTF-8 and cannot be kept in a transcript; use a folder with a plain name", path = .path.display())]
    NotUnicode { path: PathBuf },

    #[error("the entry cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),

    #[error("`{path}` is locked by another process; end that one, or try again", path = .path.display())]
    Locked { path: PathBuf },

    #[error("{0}")]
    Refused(String),
}

/// Why the system refused, with the way out.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what it is")]
pub enum Cause {
    #[error("the disk is full; free some space and try again, everything saved before is still there")]
    FullDisk,
    #[error("files may not grow further; raise the limit (`ulimit -f`) and try again, everything saved is still there")]
    SizeLimit,
    #[error("the file system is read-only; make it writable, or set FORETHOUGHT_HOME to a folder that is")]
    ReadOnly,
    #[error("it is no longer there; somebody moved or deleted it while it was in use, put it back or start again")]
    Vanished,
    #[error("permission denied; make it yours, or set FORETHOUGHT_HOME to a folder that is")]
    Denied,
    #[error("a symbolic link is in the way; it is not followed, put the real thing in its place")]
    Link,
    #[error("{0}")]
    Other(io::Error),
}

/// What is there instead of a plain file of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what it is")]
pub enum UnexpectedFile {
    #[error("a symbolic link")]
    Symlink,
    #[error("a hard link to a file with another name too")]
    HardLink,
    #[error("a folder")]
    Folder,
    #[error("a pipe, socket or device")]
    Special,
    #[error("owned by another user")]
    Foreign,
}

/// Who holds a session, as far as it says itself. For people only: the lock decides, never this.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LockHolder {
    /// Its process.
    pub pid: Option<u32>,
    /// Its name.
    pub program: Option<String>,
}

impl std::fmt::Display for LockHolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.program, self.pid) {
            (Some(program), Some(pid)) => write!(f, "`{program}` (process {pid})"),
            (None, Some(pid)) => write!(f, "process {pid}"),
            (_, None) => write!(f, "another process"),
        }
    }
}

impl From<io::Error> for Cause {
    fn from(error: io::Error) -> Cause {
        match error.raw_os_error() {
            Some(libc::ENOSPC | libc::EDQUOT) => Cause::FullDisk,
            Some(libc::EFBIG) => Cause::SizeLimit,
            Some(libc::EROFS) => Cause::ReadOnly,
            Some(libc::ENOENT | libc::ESTALE) => Cause::Vanished,
            Some(libc::EACCES | libc::EPERM) => Cause::Denied,
            Some(libc::ELOOP) => Cause::Link,
            _ => Cause::Other(error),
        }
    }
}

impl StoreError {
    /// Names what was tried and where, for use with `map_err`.
    pub(crate) fn io<E: Into<io::Error>>(
        doing: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(E) -> StoreError {
        let path = path.into();
        move |error| StoreError::Io { doing, path, cause: error.into().into() }
    }

    /// Whether nothing is there, as opposed to something that could not be used.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, StoreError::Io { cause: Cause::Vanished, .. })
    }
}
