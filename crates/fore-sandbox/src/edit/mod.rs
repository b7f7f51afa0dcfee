//! File edits for the Write and Edit tools: exactly the file a permit names, through no link, whole or not at all.
//!
//! No component of the path may be a symbolic link: what was judged is the path, and a link could lead elsewhere a moment
//! later.

mod line_ends;
mod put_back;
mod target;

pub use line_ends::with_line_ends_of;
pub use put_back::{FileMark, MarkedKind, PutBack, put_back};

use crate::orders::note_approved;
use crate::sys;
use fore_plan::gate::{Action, Presented};
use rustix::fs::OFlags;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use target::{EditTarget, step};

/// Larger files are not edited by a model.
const MAX_BYTES: u64 = 64 << 20;

/// Why a file was not read or written. Nothing has changed when one of these is returned.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The permit is for something else.
    #[error("the permit is not for a file")]
    NotPermitted,
    /// Outside of the workspace, and not this session's plan.
    #[error("{} is outside of what may be edited", .0.display())]
    Outside(PathBuf),
    /// Rules were judged by a path without links.
    #[error("{} leads through a symbolic link; name the file by its true path", .0.display())]
    Link(PathBuf),
    /// There is nothing to read or replace.
    #[error("{} does not exist", .0.display())]
    Missing(PathBuf),
    /// And nobody asked for it to be made.
    #[error("the folder of {} does not exist", .0.display())]
    NoFolder(PathBuf),
    /// A folder, pipe, socket or device.
    #[error("{} is not an ordinary file", .0.display())]
    NotAFile(PathBuf),
    /// What it is called elsewhere was not judged.
    #[error("{} has several names (hard links); editing it here would change it elsewhere or tear the names apart", .0.display())]
    SeveralNames(PathBuf),
    /// It was to be new.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    /// The model would write over what it has not seen.
    #[error("{} has changed since it was read; read it again", .0.display())]
    Changed(PathBuf),
    /// More than a model edits.
    #[error("{} is larger than {} MB", .0.display(), MAX_BYTES >> 20)]
    TooLarge(PathBuf),
    /// The system said no.
    #[error("{}: {source}", .path.display())]
    Io {
        /// What was opened or written.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// What has to be true of the target before it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precondition {
    /// Whatever is there.
    Anything,
    /// Nothing is there.
    Absent,
    /// Exactly these bytes are there: what the model has read.
    Exactly(u64),
}

/// How to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteOptions {
    /// What has to be true first.
    pub before: Precondition,
    /// Make missing folders on the way.
    pub make_folders: bool,
    /// What becomes of line ends.
    pub ends: LineEnds,
}

/// What to do with line ends and a byte order mark of the file that is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnds {
    /// The file keeps its own: a model writes `\n` whatever it has read.
    Keep,
    /// The bytes are written as given.
    AsGiven,
}

impl Default for WriteOptions {
    fn default() -> WriteOptions {
        WriteOptions { before: Precondition::Anything, make_folders: false, ends: LineEnds::Keep }
    }
}

/// A file as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// All of it.
    pub bytes: Vec<u8>,
    /// For [`Precondition::Exactly`].
    pub fingerprint: u64,
}

/// What a write did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    /// It is new.
    Created,
    /// It held something else.
    Replaced,
    /// The file held these bytes already and was not touched.
    Same,
}

/// A number that differs when the content does. Against accidents, not against an enemy: who can swap the file can also wait.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// Writes the file that a permit is for: a reader sees the old content or the new one, never a part, and a crash leaves
/// one of both.
pub fn write(permit: Presented, bytes: &[u8], options: WriteOptions) -> Result<WriteOutcome, EditError> {
    let (Action::Edit { target, .. } | Action::EditNotebook { target }) = permit.action() else {
        return Err(EditError::NotPermitted);
    };
    EditRoot::of_all()?.write(Path::new(&target.real), bytes, options)
}

/// Reads a file for a later [`write()`], by its true path.
pub fn read(path: &Path) -> Result<FoundFile, EditError> {
    EditRoot::of_all()?.read(path)
}

/// Where the way to every file begins.
#[derive(Debug)]
struct EditRoot {
    path: PathBuf,
    fd: OwnedFd,
}

impl EditRoot {
    fn of_all() -> Result<EditRoot, EditError> {
        let path = PathBuf::from("/");
        match sys::open(&path, OFlags::PATH | OFlags::DIRECTORY) {
            Ok(fd) => Ok(EditRoot { path, fd }),
            Err(source) => Err(EditError::Io { path, source }),
        }
    }

    fn read(&self, target: &Path) -> Result<FoundFile, EditError> {
        let place = self.target(target, false)?;
        let bytes = place.read()?.ok_or_else(|| EditError::Missing(target.to_owned()))?.0;
        Ok(FoundFile { fingerprint: fingerprint(&bytes), bytes })
    }

    fn write(&self, target: &Path, bytes: &[u8], options: WriteOptions) -> Result<WriteOutcome, EditError> {
        let place = self.target(target, options.make_folders)?;
        let old = place.read()?;
        let fits = match (options.before, &old) {
            (Precondition::Anything, _) | (Precondition::Absent, None) => Ok(()),
            (Precondition::Absent, Some(_)) => Err(EditError::Exists(target.to_owned())),
            (Precondition::Exactly(_), None) => Err(EditError::Missing(target.to_owned())),
            (Precondition::Exactly(seen), Some((old, _))) if fingerprint(old) == seen => Ok(()),
            (Precondition::Exactly(_), Some(_)) => Err(EditError::Changed(target.to_owned())),
        };
        fits?;
        let Some((old, status)) = old else {
            // Who keeps commands from planting things must know this from theirs.
            note_approved(target, bytes);
            place.put(bytes, None)?;
            return Ok(WriteOutcome::Created);
        };
        let bytes = match options.ends {
            LineEnds::Keep => line_ends::with_line_ends_of(&old, bytes),
            LineEnds::AsGiven => bytes.to_vec(),
        };
        if bytes == old {
            return Ok(WriteOutcome::Same);
        }
        note_approved(target, &bytes);
        place.put(&bytes, Some(&status))?;
        Ok(WriteOutcome::Replaced)
    }

    /// The folder that holds the target, opened from the root without following any link.
    fn target<'a>(&self, target: &'a Path, make_folders: bool) -> Result<EditTarget<'a>, EditError> {
        let outside = || EditError::Outside(target.to_owned());
        let inner = target.strip_prefix(&self.path).map_err(|_| outside())?;
        let mut names = Vec::new();
        for component in inner.components() {
            match component {
                Component::Normal(name) => names.push(name),
                Component::CurDir => {}
                // `..` means another folder behind a link than the judge has seen.
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    return Err(outside());
                }
            }
        }
        let name = names.pop().ok_or_else(outside)?;
        let mut folder =
            self.fd.as_fd().try_clone_to_owned().map_err(|source| EditError::Io { path: target.to_owned(), source })?;
        for part in names {
            folder = step(folder.as_fd(), part, target, make_folders)?;
        }
        let name = sys::c_string(name).map_err(|_| outside())?;
        Ok(EditTarget { folder, name, target })
    }
}
