//! Keeps a command in a writable workspace from planting what runs later, outside: git's hooks and settings, and our own programs.
//!
//! What is there becomes read-only, and every folder on the way to it a mount point, which nobody can move away. What is not
//! there cannot be covered; if the command makes it, it gets another name afterwards.

use super::mounts::{SEALED, cover};
use super::{At, Failure};
use crate::blueprint::Blueprint;
use crate::protection::Layer;
use crate::sys::{self, AT_RECURSIVE};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Protects what is there, and returns what is not.
pub(super) fn protect(blueprint: &Blueprint) -> Result<Vec<PathBuf>, Failure> {
    let mut held: BTreeSet<PathBuf> = BTreeSet::new();
    let mut absent = Vec::new();
    for path in &blueprint.protected {
        let path = path.path();
        let tops = blueprint.writable.iter().map(|top| top.path());
        let Some(top) =
            tops.filter(|top| path.starts_with(top) && path != *top).max_by_key(|top| top.as_os_str().len())
        else {
            continue;
        };
        match hold_way(top, path, &mut held)? {
            Way::Clear if path.symlink_metadata().is_err() => absent.push(path.to_owned()),
            Way::Clear => {
                // By whatever way its links lead there: the place itself is what must not change.
                if let Ok(fd) = sys::open_path(path.as_os_str()) {
                    let tree = sys::clone_tree(fd.as_fd(), AT_RECURSIVE).at_path(Layer::Writable, path)?;
                    cover(&tree, path, SEALED).at_path(Layer::Writable, path)?;
                }
            }
            Way::Blocked => {}
        }
    }
    Ok(absent)
}

enum Way {
    /// Every folder on the way is there and held.
    Clear,
    /// Something on the way is missing, or is no folder.
    Blocked,
}

/// Makes every folder between `top` and `path` a mount point of itself: writable as before, but not to be renamed.
fn hold_way(top: &Path, path: &Path, held: &mut BTreeSet<PathBuf>) -> Result<Way, Failure> {
    let mut folders: Vec<&Path> = path.ancestors().skip(1).take_while(|folder| *folder != top).collect();
    folders.reverse();
    for folder in folders {
        let Ok(fd) = sys::open_true(folder.as_os_str()) else {
            return Ok(Way::Blocked);
        };
        let is_folder = is_folder(&fd, folder)?;
        if held.insert(folder.to_owned()) {
            let tree = sys::clone_tree(fd.as_fd(), AT_RECURSIVE).at_path(Layer::Writable, folder)?;
            // A work tree's `.git` is a file that names the true place: to replace it is to replace that place.
            let attributes = if is_folder { 0 } else { SEALED };
            cover(&tree, folder, attributes).at_path(Layer::Writable, folder)?;
        }
        if !is_folder {
            return Ok(Way::Blocked);
        }
    }
    Ok(Way::Clear)
}

fn is_folder(fd: &OwnedFd, path: &Path) -> Result<bool, Failure> {
    let status = sys::status_of(fd.as_fd()).at_path(Layer::Writable, path)?;
    Ok(status.st_mode & libc::S_IFMT == libc::S_IFDIR)
}

/// Gives another name to everything that was made where nothing may be made; says how many there were.
///
/// Call this when every process of the cage is dead.
#[expect(clippy::disallowed_methods, reason = "undoes what the command did to protected paths, and never destroys it")]
pub(super) fn put_aside(absent: &[PathBuf]) -> u64 {
    let mut count = 0;
    for path in absent.iter().filter(|path| path.symlink_metadata().is_ok()) {
        count += 1;
        // A name that nobody could take beforehand.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let mut name = OsString::from(path);
        name.push(format!(".planted-{now}"));
        let _ = std::fs::rename(path, name);
    }
    count
}
