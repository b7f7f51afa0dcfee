//! The plan as a file: read without surprises, written whole, never through a link of either kind.

use crate::{
    error::{Result, StoreError},
    folder::{Access, Folder, IfMissing},
    home::Home,
    replace::{self, Occupied},
};
use fore_plan::approval::OnDisk;
use fore_plan::plan::{
    DirectoryCandidate, DirectoryFacts, DirectoryRefusal, FoundDirectory, Hash, MAX_PLAN_BYTES, PlanFileName,
};
use std::{
    ffi::OsStr,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Where plans are kept: looked up and made once, then held open.
#[derive(Clone, Debug)]
pub struct PlanFolder {
    folder: Arc<Folder>,
    refused: Option<DirectoryRefusal>,
}

/// What is in the place of a plan, with all that the disk said. What a decision depends on is [`PlanReading::on_disk`].
#[derive(Debug)]
pub enum PlanReading {
    /// Nothing is there.
    Missing,
    /// Something is there that cannot be read; the reason belongs into a log.
    Unreadable(StoreError),
    /// It is longer than a plan may be.
    TooLarge {
        /// How long it is.
        bytes: u64,
    },
    /// What it says.
    Text(String),
}

impl PlanFolder {
    /// The default folder, or the one that `plansDirectory` names inside the project.
    pub fn resolve(home: &Home, project: &Path, setting: Option<&OsStr>) -> PlanFolder {
        let default = |refused| PlanFolder { folder: Arc::clone(&home.plans), refused };
        let plans = match setting.map(|setting| in_project(home, project, setting)) {
            None => default(None),
            Some(Err(refused)) => default(Some(refused)),
            Some(Ok(folder)) => PlanFolder { folder: Arc::new(folder), refused: None },
        };
        replace::sweep(&plans.folder);
        plans
    }

    /// The folder of a plan that was named earlier, perhaps under another setting. Its path was real then; it must be now.
    pub(crate) fn of_recorded(&self, home: &Home, path: &Path) -> Result<(PlanFolder, String)> {
        let refuse = || StoreError::BadName { name: path.display().to_string() };
        let (parent, name) = path.parent().zip(path.file_name()).ok_or_else(refuse)?;
        let name = name.to_str().filter(|name| name.parse::<PlanFileName>().is_ok()).ok_or_else(refuse)?;
        let folder = if parent == self.folder.path() {
            Arc::clone(&self.folder)
        } else if parent == home.plans.path() {
            Arc::clone(&home.plans)
        } else {
            let real = parent.canonicalize().map_err(StoreError::io("find the plan folder", parent))?;
            if real != parent {
                return Err(StoreError::NotPlain { path: parent.to_owned(), found: crate::UnexpectedFile::Symlink });
            }
            Arc::new(Folder::open(parent)?)
        };
        Ok((PlanFolder { folder, refused: None }, name.to_owned()))
    }

    /// The folder that all projects share unless they say otherwise.
    pub fn of_home(home: &Home) -> PlanFolder {
        PlanFolder { folder: Arc::clone(&home.plans), refused: None }
    }

    pub(crate) fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Fails when somebody moved or deleted the folder since it was opened.
    pub fn require_in_place(&self) -> Result<()> {
        self.folder.require_in_place()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Why the setting was not followed, for the log.
    pub fn refused(&self) -> Option<&DirectoryRefusal> {
        self.refused.as_ref()
    }

    /// Where the plan of this name is.
    pub fn path_of(&self, name: &PlanFileName) -> PathBuf {
        self.folder.path_of(&name.to_string())
    }

    /// Whether anything at all has this name.
    pub(crate) fn is_taken(&self, name: &PlanFileName) -> Result<bool> {
        Ok(self.folder.facts(&name.to_string())?.is_some())
    }

    /// What the plan of this name says.
    pub fn read(&self, name: &PlanFileName) -> PlanReading {
        self.read_named(&name.to_string())
    }

    pub(crate) fn read_named(&self, name: &str) -> PlanReading {
        let path = self.folder.path_of(name);
        let file = match self.folder.file(name, Access::Read) {
            Ok(file) => file,
            Err(error) if error.is_missing() => return PlanReading::Missing,
            Err(error) => return PlanReading::Unreadable(error),
        };
        let bytes = file.metadata().map_or(0, |metadata| metadata.len());
        match replace::read_bounded(file, MAX_PLAN_BYTES) {
            Ok(None) => PlanReading::TooLarge { bytes },
            Ok(Some(text)) => String::from_utf8(text).map_or_else(
                |_| PlanReading::Unreadable(StoreError::Refused(format!("`{}` is not UTF-8 text", path.display()))),
                PlanReading::Text,
            ),
            Err(error) => PlanReading::Unreadable(StoreError::io("read", path)(error)),
        }
    }

    /// Replaces the whole plan.
    pub fn write(&self, name: &PlanFileName, text: &str) -> Result<Hash> {
        self.write_named(&name.to_string(), text, Occupied::Replace)
    }

    pub(crate) fn write_named(&self, name: &str, text: &str, occupied: Occupied) -> Result<Hash> {
        if text.len() > MAX_PLAN_BYTES {
            let path = self.folder.path_of(name);
            return Err(StoreError::PlanTooLarge { path, bytes: text.len() as u64, max: MAX_PLAN_BYTES });
        }
        replace::write(&self.folder, name, text.as_bytes(), occupied)?;
        Ok(Hash::of(text.as_bytes()))
    }
}

impl PlanReading {
    /// The text, or none for every reason not to have one.
    pub fn text(&self) -> Option<&str> {
        match self {
            PlanReading::Text(text) => Some(text),
            PlanReading::Missing | PlanReading::Unreadable(_) | PlanReading::TooLarge { .. } => None,
        }
    }

    /// What decisions about the plan are told.
    pub fn on_disk(&self) -> OnDisk<'_> {
        match self {
            PlanReading::Missing => OnDisk::Missing,
            PlanReading::Text(text) => OnDisk::Text(text),
            PlanReading::Unreadable(error) => OnDisk::Unreadable { why: error.to_string() },
            PlanReading::TooLarge { bytes } => {
                OnDisk::Unreadable { why: format!("it has {bytes} bytes, which is too much") }
            }
        }
    }

    /// What belongs into a log: why something that is there was not read.
    pub fn trouble(&self) -> Option<String> {
        match self {
            PlanReading::Missing | PlanReading::Text(_) => None,
            PlanReading::Unreadable(error) => Some(error.to_string()),
            PlanReading::TooLarge { bytes } => {
                Some(format!("the plan has {bytes} bytes; only {MAX_PLAN_BYTES} are read, shorten it"))
            }
        }
    }
}

/// Saves a copy of a plan where the person wants it. Nothing is ever overwritten.
pub fn export(target: &Path, text: &str) -> Result<()> {
    let (folder, name) = open_parent(target)?;
    replace::write(&folder, name, text.as_bytes(), Occupied::Refuse)
}

/// The same in the place of a plain file that is there; a link or a folder is refused still.
pub fn export_replacing(target: &Path, text: &str) -> Result<()> {
    let (folder, name) = open_parent(target)?;
    replace::write(&folder, name, text.as_bytes(), Occupied::Replace)
}

/// Whether a copy could be saved there later: its folder exists and nothing has the name.
pub fn require_free(target: &Path) -> Result<()> {
    let (folder, name) = open_parent(target)?;
    match folder.facts(name)? {
        None => Ok(()),
        Some(_) => Err(StoreError::Exists { path: target.to_owned() }),
    }
}

fn open_parent(target: &Path) -> Result<(Folder, &str)> {
    let (parent, name) = target
        .parent()
        .zip(target.file_name().and_then(OsStr::to_str))
        .ok_or_else(|| StoreError::BadName { name: target.display().to_string() })?;
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    // Nobody moved it: whoever named it is told that it never was there.
    let missing = || StoreError::Refused(format!("there is no folder `{}`; create it first", parent.display()));
    let folder = Folder::open(parent).map_err(|error| if error.is_missing() { missing() } else { error })?;
    Ok((folder, name))
}

/// Looks at what is really there, has it judged, and goes down part by part from the project's own handle: a link that
/// appears in between is refused by the kernel.
fn in_project(home: &Home, project: &Path, setting: &OsStr) -> Result<Folder, DirectoryRefusal> {
    let candidate = DirectoryCandidate::read(setting)?;
    let unresolved = |error: &dyn std::fmt::Display| DirectoryRefusal::Unresolved(error.to_string());
    let root = project.canonicalize().map_err(|error| unresolved(&error))?;
    let seen = inspect(&root, &candidate.under(&root));
    let facts = DirectoryFacts { root: &root, found: seen.found(), link: seen.link.as_deref() };
    let inside = candidate.decide(&facts)?;
    if inside.starts_with(home.path()) {
        return Err(DirectoryRefusal::OwnFolder(setting.to_string_lossy().into_owned()));
    }
    let below = inside.strip_prefix(&root).map_err(|_| DirectoryRefusal::Outside(inside.clone()))?;
    let mut folder = Folder::open(&root).map_err(|error| unresolved(&error))?;
    for part in below {
        let part = part.to_str().ok_or(DirectoryRefusal::NotUtf8)?;
        folder = folder.child(part, IfMissing::Make).map_err(|error| unresolved(&error))?;
    }
    Ok(folder)
}

struct CandidateOnDisk {
    what: CandidateKind,
    link: Option<PathBuf>,
}

enum CandidateKind {
    Folder(PathBuf),
    NotAFolder(PathBuf),
    Missing { existing: PathBuf, missing: usize },
    Unknown(String),
}

impl CandidateOnDisk {
    fn found(&self) -> FoundDirectory<'_> {
        match &self.what {
            CandidateKind::Folder(path) => FoundDirectory::Folder(path),
            CandidateKind::NotAFolder(path) => FoundDirectory::NotAFolder(path),
            CandidateKind::Missing { existing, missing } => FoundDirectory::Missing { existing, missing: *missing },
            CandidateKind::Unknown(why) => FoundDirectory::Unknown(why),
        }
    }
}

fn inspect(root: &Path, candidate: &Path) -> CandidateOnDisk {
    let mut link = None;
    let mut missing = 0;
    let mut reached = root.to_owned();
    for part in candidate.strip_prefix(root).unwrap_or(Path::new("")) {
        let path = reached.join(part);
        match path.symlink_metadata() {
            _ if missing > 0 => missing += 1,
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing = 1,
            Err(error) => return CandidateOnDisk { what: CandidateKind::Unknown(error.to_string()), link },
            Ok(metadata) => {
                if metadata.is_symlink() && link.is_none() {
                    link = path.strip_prefix(root).ok().map(Path::to_owned);
                }
                match path.canonicalize() {
                    Ok(real) if real.is_dir() => reached = real,
                    Ok(real) => return CandidateOnDisk { what: CandidateKind::NotAFolder(real), link },
                    Err(_) => return CandidateOnDisk { what: CandidateKind::NotAFolder(path), link },
                }
            }
        }
    }
    let what = if missing == 0 {
        CandidateKind::Folder(reached)
    } else {
        CandidateKind::Missing { existing: reached, missing }
    };
    CandidateOnDisk { what, link }
}
