//! Which of many paths are certainly not there: one look at a folder answers for all names in it. A "yes" is only a perhaps.

use super::inotify::LOCAL;
use crate::sys;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Bytes of names that are read of one folder; in a fuller one each path is looked at by itself.
const MAX_BYTES: usize = 32 << 10;
/// Who reads a folder while it changes may miss a name that was there all the time. Longer than a tick of the disk's clock.
const SETTLED: Duration = Duration::from_secs(2);
/// Names differ only by their letters' case, and by what looks alike, in a folder with this flag.
const FOLDED: libc::c_long = 0x4000_0000;

/// The folders that one run has looked at. Not kept for the next one.
#[derive(Debug, Default)]
pub(crate) struct There(RefCell<HashMap<PathBuf, Names>>);

#[derive(Debug)]
enum Names {
    /// There is no such folder.
    NoFolder,
    /// Every name, in small letters.
    All(HashSet<Vec<u8>>),
    /// It could not be read, or its listing is not the whole truth.
    Unknown,
}

impl There {
    /// Whether a look at this path may find something.
    pub(crate) fn may_be(&self, path: &Path) -> bool {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return true };
        let mut known = self.0.borrow_mut();
        if !known.contains_key(folder) {
            let names = if is_ruled_out(&known, folder) { Names::NoFolder } else { Names::of(folder) };
            known.insert(folder.to_owned(), names);
        }
        known.get(folder).is_none_or(|names| names.may_hold(name.as_bytes()))
    }
}

/// Whether the folder around a folder was looked at and does not have it.
fn is_ruled_out(known: &HashMap<PathBuf, Names>, folder: &Path) -> bool {
    match (folder.parent().and_then(|around| known.get(around)), folder.file_name()) {
        (Some(names), Some(name)) => !names.may_hold(name.as_bytes()),
        (None, _) | (_, None) => false,
    }
}

impl Names {
    fn of(folder: &Path) -> Names {
        let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NONBLOCK;
        match sys::c_string(folder).and_then(|folder| sys::open_at(None, &folder, flags, 0)) {
            Ok(folder) => Names::read(&folder).unwrap_or(Names::Unknown),
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR)) => Names::NoFolder,
            Err(_) => Names::Unknown,
        }
    }

    /// None where the listing may lack a name that can be opened.
    fn read(folder: &OwnedFd) -> Option<Names> {
        // Elsewhere a name may come to be when it is asked for.
        if !sys::file_system_of(folder.as_fd()).is_ok_and(|kind| LOCAL.contains(&kind)) {
            return None;
        }
        let names = sys::names_in(folder.as_fd(), MAX_BYTES).ok()??;
        // After the reading: then nothing has changed while it went on.
        let status = sys::status_of(folder.as_fd()).ok()?;
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(status.st_ctime).ok()?);
        let is_settled = changed.elapsed().is_ok_and(|age| age > SETTLED);
        if !is_settled || (!names.iter().all(|name| name.is_ascii()) && may_fold(folder)) {
            return None;
        }
        Some(Names::All(names.into_iter().map(|name| name.to_ascii_lowercase()).collect()))
    }

    fn may_hold(&self, name: &[u8]) -> bool {
        match self {
            Names::NoFolder => false,
            Names::All(names) => !name.is_ascii() || names.contains(&name.to_ascii_lowercase()),
            Names::Unknown => true,
        }
    }
}

/// Whether letters outside of ASCII may stand for some inside.
fn may_fold(folder: &OwnedFd) -> bool {
    let mut flags: libc::c_long = 0;
    // SAFETY: the call writes one number.
    let asked = unsafe { libc::ioctl(folder.as_raw_fd(), libc::FS_IOC_GETFLAGS as _, &raw mut flags) };
    asked != 0 || flags & FOLDED != 0
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "makes the files that are looked for")]
    use super::*;

    /// As if the folder had not changed for long.
    fn listed(folder: &Path) -> Names {
        let fd = sys::open_at(None, &sys::c_string(folder).unwrap(), libc::O_RDONLY | libc::O_DIRECTORY, 0).unwrap();
        let names = sys::names_in(fd.as_fd(), MAX_BYTES).unwrap().unwrap();
        Names::All(names.into_iter().map(|name| name.to_ascii_lowercase()).collect())
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
        let there = There::default();
        // It was made this moment.
        assert!(there.may_be(&top.path().join(".env")));
        assert!(!there.may_be(&top.path().join("none/.env")));
        assert!(!there.may_be(&top.path().join("file/.env")));
        assert!(there.may_be(Path::new("/proc/self/any")));
        assert!(!there.may_be(Path::new("/usr/no-such-folder/deep/.env")));
    }

    #[test]
    fn a_folder_with_too_many_names_is_not_read() {
        let top = tempfile::tempdir().unwrap();
        for number in 0..2000 {
            std::fs::write(top.path().join(format!("{number:020}")), "").unwrap();
        }
        let fd = sys::open_at(None, &sys::c_string(top.path()).unwrap(), libc::O_RDONLY, 0).unwrap();
        assert_eq!(sys::names_in(fd.as_fd(), MAX_BYTES).unwrap(), None);
    }
}
