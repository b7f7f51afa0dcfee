//! Takes what a run has planted out of everybody's way: it gets another name, and what cannot get one is removed or named. No link
//! is followed on the way.

use super::{OrderCandidates, Orders, OrdersSnapshot};
use crate::blueprint::RawPath;
use crate::error::CageError;
use crate::sys;
use rustix::fs::AtFlags;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Looks again after a rename, because what is moved may have hidden something.
const MAX_ROUNDS: usize = 4;
/// How much of the old name the new one shows: no name is too long to get another.
const MAX_SHOWN: usize = 120;
const MARK: &str = ".planted-";

/// What became of what a run has planted, by the names that it had.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SettledPlants {
    /// They have another name now.
    pub(crate) put_aside: Vec<PathBuf>,
    /// They could get no other name.
    pub(crate) removed: Vec<PathBuf>,
    /// They are still there.
    pub(crate) left: Vec<PathBuf>,
}

impl SettledPlants {
    /// Puts one aside; says whether that could be done.
    pub(super) fn take(&mut self, path: &Path) -> bool {
        match put_aside(path) {
            Ok(PutAside::Renamed) => self.put_aside.push(path.to_owned()),
            Ok(PutAside::Removed) => self.removed.push(path.to_owned()),
            Err(_) => return false,
        }
        true
    }

    pub(super) fn in_order(mut self) -> SettledPlants {
        for list in [&mut self.put_aside, &mut self.removed, &mut self.left] {
            list.sort();
            list.dedup();
        }
        self
    }
}

/// After a run, when all its processes are dead: puts aside what it planted, and says what that had been called.
///
/// `look` asks the index of the workspace; where that fails, every name is looked at.
pub(crate) fn settle(orders: &Orders, mut look: impl FnMut() -> Result<OrdersSnapshot, CageError>) -> SettledPlants {
    let mut planted = || look().unwrap_or_else(|_| by_walking(orders)).planted(&orders.before);
    let mut settled = SettledPlants { left: planted(), ..SettledPlants::default() };
    for _ in 0..MAX_ROUNDS {
        if settled.left.is_empty() {
            break;
        }
        for path in std::mem::take(&mut settled.left) {
            settled.take(&path);
        }
        settled.left = planted();
    }
    settled
}

/// The same for a guard whose agent is gone: there is nobody left to tell.
pub(crate) fn settle_alone(orders: &Orders) {
    settle(orders, || Ok(by_walking(orders)));
}

fn by_walking(orders: &Orders) -> OrdersSnapshot {
    let names = orders.names.iter().map(RawPath::path);
    let path: Vec<&Path> = orders.path.iter().map(RawPath::path).collect();
    let person = super::PersonPaths { home: orders.home.as_ref().map(RawPath::path), path: &path };
    OrdersSnapshot::of(&OrderCandidates::by_walking(orders.workspace.path(), names), person)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PutAside {
    Renamed,
    Removed,
}

fn put_aside(path: &Path) -> std::io::Result<PutAside> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(std::io::ErrorKind::InvalidInput.into());
    };
    let (name, new_name) = (sys::c_string(name)?, sys::c_string(another_name(name))?);
    let opened = sys::open_true(folder.as_os_str())?;
    let rename = || sys::rename_in(opened.as_fd(), &name, &new_name);
    let renamed = rename().or_else(|_| {
        // The command may have closed the folder.
        super::candidates::open_up(folder)?;
        rename()
    });
    match renamed {
        Ok(()) => Ok(PutAside::Renamed),
        Err(_) => remove(opened.as_fd(), &name, path),
    }
}

/// One that nobody could take beforehand, that is never too long, and that stands for nothing itself.
fn another_name(name: &OsStr) -> OsString {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let bytes = name.as_bytes();
    // It was put aside before, and is still taken for something: nothing of its old name is kept.
    let is_second = bytes.windows(MARK.len()).any(|part| part == MARK.as_bytes());
    let shown = if is_second { b"" } else { bytes.get(..MAX_SHOWN).unwrap_or(bytes) };
    let mut new_name = OsStr::from_bytes(shown).to_owned();
    new_name.push(format!("{MARK}{now}"));
    new_name
}

/// A folder is only closed, which does not keep everybody out of it: it counts as still there.
fn remove(folder: BorrowedFd<'_>, name: &std::ffi::CStr, path: &Path) -> std::io::Result<PutAside> {
    if path.symlink_metadata()?.is_dir() {
        super::candidates::close(path)?;
        return Err(std::io::ErrorKind::IsADirectory.into());
    }
    rustix::fs::unlinkat(folder, name, AtFlags::empty())?;
    Ok(PutAside::Removed)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "makes the files that are put aside")]
    use super::*;

    #[test]
    fn every_name_can_get_another() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let long = format!("{}.code-workspace", "a".repeat(240));
        for (name, begins) in [(".envrc", ".envrc.planted-"), (&long, "aaaa"), ("x.planted-12", ".planted-")] {
            std::fs::write(top.join(name), "evil").unwrap();
            assert_eq!(put_aside(&top.join(name)).unwrap(), PutAside::Renamed, "{name}");
            let left: Vec<_> = std::fs::read_dir(&top).unwrap().map(|entry| entry.unwrap().path()).collect();
            let [left] = left.as_slice() else { panic!("{left:?}") };
            let now = left.file_name().unwrap().to_str().unwrap();
            assert!(now.starts_with(begins) && now.len() < 160 && now != name, "{now}");
            std::fs::remove_file(left).unwrap();
        }
    }

    #[test]
    fn what_cannot_be_renamed_is_removed_and_what_cannot_be_removed_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        std::fs::write(top.join(".envrc"), "evil").unwrap();
        std::fs::create_dir(top.join(".vscode")).unwrap();
        let opened = sys::open_true(top.as_os_str()).unwrap();
        let removed = |name: &str| remove(opened.as_fd(), &sys::c_string(name).unwrap(), &top.join(name)).ok();
        assert_eq!((removed(".envrc"), removed(".vscode")), (Some(PutAside::Removed), None));
        assert!(!top.join(".envrc").exists() && top.join(".vscode").exists());
        // Nobody renames or removes what the kernel shows there.
        let stays = PathBuf::from(format!("/proc/{}/status", std::process::id()));
        let orders = Orders {
            workspace: RawPath::from(Path::new("/proc")),
            home: None,
            path: Vec::new(),
            names: Vec::new(),
            before: OrdersSnapshot::default(),
            also_held: Vec::new(),
        };
        let look =
            || Ok(OrdersSnapshot { places: [RawPath::from(stays.as_path())].into(), ..OrdersSnapshot::default() });
        assert_eq!(settle(&orders, look), SettledPlants { left: vec![stays.clone()], ..SettledPlants::default() });
    }
}
