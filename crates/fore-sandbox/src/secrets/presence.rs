//! What a run sees of the disk, each place looked at once: which of many paths are certainly not there, and where links lead.

use super::inotify::LOCAL;
use crate::sys;
use rustix::fs::OFlags;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Bytes of names that are read of one folder; in a fuller one each path is looked at by itself.
const MAX_BYTES: usize = 32 << 10;
/// Who reads a folder while it changes may miss a name that was there all the time. Longer than a tick of the disk's clock.
pub(super) const SETTLED: Duration = Duration::from_secs(2);
/// Names differ only by their letters' case, and by what looks alike, in a folder with this flag.
const FOLDED: u32 = 0x4000_0000;

/// Links on the way to one path, as many as the kernel follows.
const MAX_LINKS: usize = 40;
/// Folders whose listings are kept for later runs.
const MAX_KEPT: usize = 512;

/// What one run has looked at. Not kept for the next one, but for listings of folders that are as they were.
#[derive(Debug, Default)]
pub(crate) struct PathPresence {
    names: RefCell<ByPath<ListedFolder>>,
    real: RefCell<ByPath<Option<PathBuf>>>,
    links: RefCell<ByPath<bool>>,
}

/// By the letters of a path: to compare its parts takes longer than some looks at the disk, and a second entry does no harm.
type ByPath<T> = HashMap<OsString, T>;

/// A folder as it was seen.
#[derive(Clone, Debug)]
struct ListedFolder {
    names: Arc<FolderNames>,
    state: FolderState,
}

/// How to find out whether a folder is still what it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FolderState {
    Is(Version),
    Missing,
    /// The folder around it does not have it.
    RuledOut,
    /// It changes, or nobody can tell.
    Unsure,
}

impl FolderState {
    /// Of a folder that was not ruled out.
    pub(super) fn of(folder: &Path) -> FolderState {
        match folder.metadata() {
            Ok(facts) => FolderState::Is(Version::of(&facts)),
            Err(error) if is_missing(&error) => FolderState::Missing,
            Err(_) => FolderState::Unsure,
        }
    }
}

#[derive(Debug)]
enum FolderNames {
    /// There is no such folder.
    NoFolder,
    /// Every name, in small letters.
    All(HashSet<Vec<u8>>),
    /// It could not be read, or its listing is not the whole truth.
    Unknown,
}

impl PathPresence {
    /// Whether a look at this path may find something. A "yes" is only a perhaps: one listing answers for all names in a folder.
    pub(crate) fn may_be(&self, path: &Path) -> bool {
        let Some((folder, name)) = split(path) else { return true };
        let mut known = self.names.borrow_mut();
        if let Some(folder) = known.get(folder) {
            return folder.names.may_hold(name);
        }
        let seen = if is_ruled_out(&known, folder) {
            ListedFolder { names: Arc::new(FolderNames::NoFolder), state: FolderState::RuledOut }
        } else {
            ListedFolder::look_at(Path::new(folder))
        };
        let may_be = seen.names.may_hold(name);
        known.insert(folder.to_owned(), seen);
        may_be
    }

    /// Every folder whose names were asked about, as it was.
    pub(super) fn folders(&self) -> Vec<(PathBuf, FolderState)> {
        let known = self.names.borrow();
        let state = |path: &OsStr, folder: &ListedFolder| {
            let is_ruled_out = matches!(folder.state, FolderState::Missing) && is_ruled_out(&known, path);
            if is_ruled_out { FolderState::RuledOut } else { folder.state }
        };
        known.iter().map(|(path, folder)| (PathBuf::from(path), state(path, folder))).collect()
    }

    /// Where an absolute path leads, as `canonicalize` would tell.
    pub(crate) fn real(&self, path: &Path) -> Option<PathBuf> {
        self.follow(path, MAX_LINKS)
    }

    /// Folders are asked about before what is in them, and most paths have some in common.
    fn follow(&self, path: &Path, most_links: usize) -> Option<PathBuf> {
        if let Some(known) = self.real.borrow().get(path.as_os_str()) {
            return known.clone();
        }
        let found = match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) if path.is_absolute() => self.follow(folder, most_links).and_then(|folder| {
                let place = folder.join(name);
                match std::fs::read_link(&place) {
                    Ok(target) => self.follow(&folder.join(target), most_links.checked_sub(1)?),
                    // It is there, and not a link.
                    Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Some(place),
                    Err(_) => None,
                }
            }),
            // The top, or on from `..`.
            (_, _) => path.canonicalize().ok(),
        };
        // What failed behind links may have failed for their number, and asked for by itself lead somewhere.
        if found.is_some() || most_links == MAX_LINKS {
            self.real.borrow_mut().insert(path.as_os_str().to_owned(), found.clone());
        }
        found
    }

    pub(crate) fn is_link(&self, path: &Path) -> bool {
        if let Some(known) = self.links.borrow().get(path.as_os_str()) {
            return *known;
        }
        // What leads to itself is not one.
        let is_real = self.real.borrow().get(path.as_os_str()).is_some_and(|real| real.as_deref() == Some(path));
        let is_link = !is_real && path.is_symlink();
        self.links.borrow_mut().insert(path.as_os_str().to_owned(), is_link);
        is_link
    }
}

/// Whether the folder around one is known not to have it.
fn is_ruled_out(known: &ByPath<ListedFolder>, folder: &OsStr) -> bool {
    split(Path::new(folder))
        .is_some_and(|(around, name)| known.get(around).is_some_and(|around| !around.names.may_hold(name)))
}

/// The folder and the name in it; none where the last part is not a name.
fn split(path: &Path) -> Option<(&OsStr, &[u8])> {
    let bytes = path.as_os_str().as_bytes();
    let slash = bytes.iter().rposition(|byte| *byte == b'/')?;
    let (folder, name) = (bytes.get(..slash.max(1))?, bytes.get(slash + 1..)?);
    (!matches!(name, b"" | b"." | b"..")).then(|| (OsStr::from_bytes(folder), name))
}

/// Which folder it is, and when a name last came or went. Nobody can set this time back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    device: u64,
    number: u64,
    changed: (i64, i64),
}

impl Version {
    pub(super) fn of(facts: &Metadata) -> Version {
        Version { device: facts.dev(), number: facts.ino(), changed: (facts.ctime(), facts.ctime_nsec()) }
    }
}

pub(super) fn is_missing(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR))
}

/// Listings of folders that had not changed for a while when they were read. A folder with the same version has the same names.
static KEPT: Mutex<Option<KeptNames>> = Mutex::new(None);

type KeptNames = HashMap<PathBuf, (Version, Arc<FolderNames>)>;

fn kept(folder: &Path, version: Version) -> Option<Arc<FolderNames>> {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let (known, names) = kept.as_ref()?.get(folder)?;
    (*known == version).then(|| names.clone())
}

fn keep(folder: &Path, version: Version, names: &Arc<FolderNames>) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = kept.get_or_insert_default();
    if kept.len() >= MAX_KEPT {
        kept.clear();
    }
    kept.insert(folder.to_owned(), (version, names.clone()));
}

impl ListedFolder {
    fn look_at(path: &Path) -> ListedFolder {
        let state = FolderState::of(path);
        if let FolderState::Is(version) = state
            && let Some(names) = kept(path, version)
        {
            return ListedFolder { names, state };
        }
        if state == FolderState::Missing {
            return ListedFolder { names: Arc::new(FolderNames::NoFolder), state };
        }
        match sys::open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NONBLOCK) {
            Ok(fd) => match FolderNames::read(&fd) {
                Some((names, version)) => {
                    let names = Arc::new(names);
                    keep(path, version, &names);
                    ListedFolder { names, state: FolderState::Is(version) }
                }
                None => ListedFolder { names: Arc::new(FolderNames::Unknown), state: FolderState::Unsure },
            },
            Err(error) if is_missing(&error) => {
                ListedFolder { names: Arc::new(FolderNames::NoFolder), state: FolderState::Missing }
            }
            Err(_) => ListedFolder { names: Arc::new(FolderNames::Unknown), state: FolderState::Unsure },
        }
    }
}

impl FolderNames {
    /// None where the listing may lack a name that can be opened.
    fn read(folder: &OwnedFd) -> Option<(FolderNames, Version)> {
        // Elsewhere a name may come to be when it is asked for.
        if !sys::file_system_of(folder.as_fd()).is_ok_and(|kind| LOCAL.contains(&kind)) {
            return None;
        }
        let names = sys::names_in(folder.as_fd(), MAX_BYTES).ok()??;
        // After the reading: then nothing has changed while it went on.
        let status = rustix::fs::fstat(folder).ok()?;
        if !is_settled(status.st_ctime) || (!names.iter().all(|name| name.is_ascii()) && may_fold(folder)) {
            return None;
        }
        let changed = (status.st_ctime, status.st_ctime_nsec.cast_signed());
        let version = Version { device: status.st_dev, number: status.st_ino, changed };
        Some((FolderNames::All(names.into_iter().map(|name| name.to_ascii_lowercase()).collect()), version))
    }

    fn may_hold(&self, name: &[u8]) -> bool {
        match self {
            FolderNames::NoFolder => false,
            FolderNames::All(names) => !name.is_ascii() || names.contains(&name.to_ascii_lowercase()),
            FolderNames::Unknown => true,
        }
    }
}

/// Whether what last changed at this second will show the next change.
pub(super) fn is_settled(changed: i64) -> bool {
    let changed = u64::try_from(changed).ok().map(|seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    changed.is_some_and(|changed| changed.elapsed().is_ok_and(|age| age > SETTLED))
}

/// Whether letters outside of ASCII may stand for some inside.
fn may_fold(folder: &OwnedFd) -> bool {
    !rustix::fs::ioctl_getflags(folder).is_ok_and(|flags| flags.bits() & FOLDED == 0)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "makes the files that are looked for")]
    use super::*;

    /// As if the folder had not changed for long.
    fn listed(folder: &Path) -> FolderNames {
        let fd = sys::open(folder, OFlags::RDONLY | OFlags::DIRECTORY).unwrap();
        let names = sys::names_in(fd.as_fd(), MAX_BYTES).unwrap().unwrap();
        FolderNames::All(names.into_iter().map(|name| name.to_ascii_lowercase()).collect())
    }

    #[test]
    fn a_listing_rules_out_what_no_way_of_writing_finds() {
        let top = tempfile::tempdir().unwrap();
        for name in [".ssh", ".NPMRC"] {
            std::fs::write(top.path().join(name), "").unwrap();
        }
        std::os::unix::fs::symlink("nowhere", top.path().join("dangling")).unwrap();
        let names = listed(top.path());
        let page = [(".ssh", true), (".npmrc", true), ("dangling", true), (".aws", false), (".ſsh", true)];
        assert_eq!(page.map(|(name, _)| (name, names.may_hold(name.as_bytes()))), page);
    }

    #[test]
    fn what_a_changing_or_closed_folder_holds_is_not_ruled_out_and_what_has_no_folder_is() {
        let top = tempfile::tempdir().unwrap();
        std::fs::write(top.path().join("file"), "").unwrap();
        let there = PathPresence::default();
        // It was made this moment.
        assert!(there.may_be(&top.path().join(".env")));
        assert!(!there.may_be(&top.path().join("none/.env")));
        assert!(!there.may_be(&top.path().join("file/.env")));
        assert!(there.may_be(Path::new("/proc/self/any")));
        assert!(!there.may_be(Path::new("/usr/no-such-folder/deep/.env")));
    }

    #[test]
    fn a_path_leads_where_the_kernel_follows_it() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("a/b")).unwrap();
        for (target, name) in [("a", "one"), ("../a/b", "a/up"), ("loop", "loop"), ("a", "0")] {
            std::os::unix::fs::symlink(target, top.join(name)).unwrap();
        }
        for number in 1..=45 {
            std::os::unix::fs::symlink((number - 1).to_string(), top.join(number.to_string())).unwrap();
        }
        let there = PathPresence::default();
        // The longest chain is asked about first, and must not spoil the answers for its parts.
        for path in ["45", "44", "30", "0", "one/b", "a/up", "a/../one", "loop", "none/x", "a/b/.", "."] {
            let path = top.join(path);
            assert_eq!(there.real(&path), path.canonicalize().ok(), "{}", path.display());
        }
    }

    #[test]
    fn a_folder_with_too_many_names_is_not_read() {
        let top = tempfile::tempdir().unwrap();
        for number in 0..2000 {
            std::fs::write(top.path().join(format!("{number:020}")), "").unwrap();
        }
        let fd = sys::open(top.path(), OFlags::RDONLY).unwrap();
        assert_eq!(sys::names_in(fd.as_fd(), MAX_BYTES).unwrap(), None);
    }
}
