//! Opens a file on behalf of the model: the one way there is, for tools, memory, skills, agents and proofs alike.
//!
//! What counts is the file that was opened, not the path that was asked for: whoever swaps one for the other in between gains nothing.

use crate::cages::Cages;
use crate::secrets::{IndexOwner, Naming, SecretInodes, Secrets, SessionFiles, is_a_private_key, listed, naming};
use crate::sys;
use rustix::fs::OFlags;
use std::ffi::OsStr;
use std::fmt;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Says whether a rule of the person's denies reading a path.
pub(crate) type DenyCheck = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

/// What may be opened for the model of one session.
#[derive(Clone)]
pub struct Opener {
    cages: Arc<Cages>,
    workspace: PathBuf,
    folder: PathBuf,
    session: SessionFiles,
    denied: DenyCheck,
    /// What was known when a search began.
    pinned: Option<Arc<KnownSecrets>>,
}

/// The secrets at one moment.
#[derive(Debug)]
struct KnownSecrets {
    secrets: Secrets,
    /// Only looked for when a file has a second name.
    by_number: OnceLock<Option<SecretInodes>>,
}

/// What to do with links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// The path must hold none: rules were judged by it.
    Refused,
    /// They lead to a file that is then judged by where it is.
    Followed,
}

/// An ordinary file that the model may see.
#[derive(Debug)]
pub struct OpenedFile {
    /// Open for reading.
    pub file: File,
    /// Where it really is.
    pub path: PathBuf,
    /// How long it was when it was opened.
    pub bytes: u64,
}

/// What is there instead of an ordinary file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialFile {
    /// A folder.
    Folder,
    /// A named pipe: whoever opens one may wait for ever.
    Pipe,
    /// A socket.
    Socket,
    /// A device.
    Device,
    /// Of a kernel file system such as `/proc`: reading it may do something.
    MadeByKernel,
}

impl fmt::Display for SpecialFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SpecialFile::Folder => "a folder",
            SpecialFile::Pipe => "a pipe",
            SpecialFile::Socket => "a socket",
            SpecialFile::Device => "a device",
            SpecialFile::MadeByKernel => "made by the kernel",
        })
    }
}

/// Why a file was not opened.
#[derive(Debug, thiserror::Error)]
pub enum NotOpened {
    /// Nothing has this name.
    #[error("does not exist")]
    Missing,
    /// By its place, its name, or as another name of a secret.
    #[error("is kept secret")]
    Secret,
    /// By a deny rule, for this name or the real one.
    #[error("may not be read: a rule denies it")]
    Denied,
    /// And links were not to be followed.
    #[error("leads through a symbolic link")]
    Link,
    /// What it is instead.
    #[error("is {0}, not an ordinary file")]
    NotAFile(SpecialFile),
    /// The system said no.
    #[error("cannot be read: {0}")]
    Io(io::Error),
}

impl Opener {
    /// For a workspace, with nothing of a session and without rules.
    pub fn new(cages: Arc<Cages>, workspace: &Path) -> Opener {
        Opener {
            cages,
            workspace: workspace.to_owned(),
            folder: workspace.to_owned(),
            session: SessionFiles::default(),
            denied: Arc::new(|_| false),
            pinned: None,
        }
    }

    /// Relative secrets count in the folders above this one as well.
    #[must_use]
    pub fn in_folder(self, folder: PathBuf) -> Opener {
        Opener { folder, ..self }
    }

    /// What of our own folder this session may read.
    #[must_use]
    pub fn with_session(self, session: SessionFiles) -> Opener {
        Opener { session, ..self }
    }

    /// What rules deny.
    #[must_use]
    pub fn denying(self, denied: DenyCheck) -> Opener {
        Opener { denied, ..self }
    }

    /// Looks for the secrets once, for whoever opens many files.
    #[must_use]
    pub fn for_many(self) -> Opener {
        let known = self.known();
        Opener { pinned: Some(known), ..self }
    }

    /// Where the secrets are, for whoever walks.
    pub fn secrets(&self) -> Secrets {
        self.known().secrets.clone()
    }

    /// Whether a rule denies a path.
    pub fn is_denied(&self, path: &Path) -> bool {
        (self.denied)(path)
    }

    /// Whether a path is secret by its place or its name, there or not.
    pub fn is_secret(&self, path: &Path) -> bool {
        let secrets = &self.known().secrets;
        secrets.hold(path) || path.canonicalize().is_ok_and(|real| secrets.hold(&real))
    }

    /// Opens an ordinary file, only to read it; it may have any size. The path has to be absolute.
    pub fn open(&self, path: &Path, links: Links) -> Result<OpenedFile, NotOpened> {
        let known = self.known();
        if known.secrets.hold(path) {
            return Err(NotOpened::Secret);
        }
        if (self.denied)(path) {
            return Err(NotOpened::Denied);
        }
        // Looked at before it is opened: opening a device or a pipe can do something by itself.
        require_ordinary(&path.metadata().map_err(NotOpened::of)?)?;
        let file = File::from(open(path, links)?);
        let facts = file.metadata().map_err(NotOpened::of)?;
        require_ordinary(&facts)?;
        // There this program's own environment, and so its keys, could be read.
        if sys::is_of_processes(file.as_fd()).map_err(NotOpened::of)? {
            return Err(NotOpened::NotAFile(SpecialFile::MadeByKernel));
        }
        let real = match links {
            Links::Refused => path.to_owned(),
            Links::Followed => real_path(&file).map_err(NotOpened::of)?,
        };
        let is_secret = known.secrets.hold(&real)
            || (may_have_other_names(&facts, &real) && self.may_be_known_by_number(&known, &facts))
            || (!known.secrets.are_shown(&real) && tells_a_secret(&[path, &real], &file)?);
        if is_secret {
            return Err(NotOpened::Secret);
        }
        if (self.denied)(&real) {
            return Err(NotOpened::Denied);
        }
        Ok(OpenedFile { file, path: real, bytes: facts.len() })
    }

    fn known(&self) -> Arc<KnownSecrets> {
        let look = || {
            let secrets = self.cages.settings().secrets(&self.workspace, &self.folder, &self.session);
            Arc::new(KnownSecrets { secrets, by_number: OnceLock::new() })
        };
        self.pinned.clone().unwrap_or_else(look)
    }

    /// In a workspace that is too large to be searched, what has several names may be another name of a secret.
    fn may_be_known_by_number(&self, known: &KnownSecrets, facts: &Metadata) -> bool {
        let look = || {
            let settings = self.cages.settings();
            let listed = listed(settings, [&self.workspace, &self.folder]);
            let of = (self.workspace.as_path(), IndexOwner::Project);
            self.cages.indexes().ask(settings, of, &listed, |index| index.by_number()).ok()
        };
        known.by_number.get_or_init(look).as_ref().is_none_or(|secrets| secrets.hold(facts))
    }
}

impl std::fmt::Debug for Opener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opener").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

impl NotOpened {
    fn of(error: io::Error) -> NotOpened {
        match error.raw_os_error() {
            Some(libc::ENOENT | libc::ENOTDIR) => NotOpened::Missing,
            Some(libc::ELOOP) => NotOpened::Link,
            Some(libc::ENXIO) => NotOpened::NotAFile(SpecialFile::Socket),
            _ => NotOpened::Io(error),
        }
    }
}

fn open(path: &Path, links: Links) -> Result<OwnedFd, NotOpened> {
    let opened = match links {
        Links::Refused => sys::open_true_to_read(path),
        // Never waits for the other end of a pipe, and takes no terminal.
        Links::Followed => sys::open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY),
    };
    opened.map_err(NotOpened::of)
}

fn require_ordinary(facts: &Metadata) -> Result<(), NotOpened> {
    let kind = facts.file_type();
    match () {
        () if kind.is_file() => Ok(()),
        () if kind.is_dir() => Err(NotOpened::NotAFile(SpecialFile::Folder)),
        () if kind.is_fifo() => Err(NotOpened::NotAFile(SpecialFile::Pipe)),
        () if kind.is_socket() => Err(NotOpened::NotAFile(SpecialFile::Socket)),
        () => Err(NotOpened::NotAFile(SpecialFile::Device)),
    }
}

/// Where an open file is; by its last name if that was taken from it meanwhile.
fn real_path(file: &File) -> io::Result<PathBuf> {
    let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    let bytes = path.as_os_str().as_bytes();
    match bytes.strip_suffix(b" (deleted)") {
        Some(kept) if path.symlink_metadata().is_err() => Ok(PathBuf::from(OsStr::from_bytes(kept))),
        _ => Ok(path),
    }
}

/// Whether the file may also be reached by another name. Asked again, because one of the names may be taken away in between: then the
/// path no longer leads to the file. Even the kernel finds a file first and counts its names then, so the path is asked twice.
fn may_have_other_names(facts: &Metadata, real: &Path) -> bool {
    let is_alone = || {
        real.symlink_metadata()
            .is_ok_and(|now| (now.dev(), now.ino()) == (facts.dev(), facts.ino()) && now.nlink() == 1)
    };
    facts.nlink() > 1 || !is_alone() || !is_alone()
}

/// Looks into a file whose name leaves open whether it holds a secret, and for a private key under any name.
fn tells_a_secret(names: &[&Path], file: &File) -> Result<bool, NotOpened> {
    for name in names.iter().filter_map(|path| path.file_name()) {
        if let Naming::Depends(content) = naming(name)
            && content.is_in(file).map_err(NotOpened::Io)?
        {
            return Ok(true);
        }
    }
    is_a_private_key(file).map_err(NotOpened::Io)
}
