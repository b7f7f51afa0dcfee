//! Keeps a command in a writable workspace from planting what runs later, outside: what gives orders, and our own programs.
//!
//! What is there becomes read-only, and every folder on the way to it a mount point, which nobody can move away. What is not
//! there cannot be covered, and neither can a link; what the command makes there gets another name afterwards.

use super::mounts::{SEALED, cover};
use super::{At, Failure};
use crate::blueprint::{Blueprint, RawPath};
use crate::protection::Layer;
use crate::sys::{self, AT_RECURSIVE};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A path that could not be covered.
#[derive(Debug)]
pub(super) struct Uncovered {
    path: PathBuf,
    /// The first part of it that was not there, or was a link.
    first: PathBuf,
    /// Where that led, if it was a link.
    link: Option<PathBuf>,
    /// There was no repository: one without orders may be made.
    in_new_repository: bool,
}

impl Uncovered {
    fn new(path: &Path, first: &Path) -> Uncovered {
        let link = std::fs::read_link(first).ok();
        Uncovered { path: path.to_owned(), first: first.to_owned(), link, in_new_repository: false }
    }

    /// What the command made there, if it did.
    fn made(&self) -> Option<&Path> {
        let link = std::fs::read_link(&self.first).ok();
        if link.is_some() && link == self.link {
            return None;
        }
        // What a link leads to may lie outside; the link is what was made here.
        let made = if link.is_some() { &self.first } else { &self.path };
        let is_there = made.symlink_metadata().is_ok() && !(self.in_new_repository && is_as_git_makes_it(made));
        is_there.then_some(made)
    }
}

/// Whether this part of a new repository is what git itself puts there: settings that start nothing, and examples of hooks.
fn is_as_git_makes_it(part: &Path) -> bool {
    let Ok(found) = part.symlink_metadata() else { return false };
    if found.is_file() {
        return part.file_name() == Some(OsStr::new("config")) && !crate::git::starts_programs(part);
    }
    let is_example = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.path().extension() == Some(OsStr::new("sample")))
    };
    found.is_dir() && std::fs::read_dir(part).is_ok_and(|mut entries| entries.all(is_example))
}

/// Protects what is there, and returns what could not be covered.
pub(super) fn protect(blueprint: &Blueprint) -> Result<Vec<Uncovered>, Failure> {
    let mut held: BTreeSet<PathBuf> = BTreeSet::new();
    let mut uncovered = Vec::new();
    for path in &blueprint.protected {
        let path = path.path();
        let tops = blueprint.writable.iter().map(|top| top.path());
        let Some(top) =
            tops.filter(|top| path.starts_with(top) && path != *top).max_by_key(|top| top.as_os_str().len())
        else {
            continue;
        };
        match hold_way(top, path, &mut held)? {
            // A command may make a repository; but what that would obey is put aside.
            Way::Missing(at) if at.file_name() == Some(OsStr::new(".git")) => {
                uncovered.push(Uncovered { in_new_repository: true, ..Uncovered::new(path, &at) });
            }
            Way::Missing(first) | Way::Link(first) => uncovered.push(Uncovered::new(path, &first)),
            Way::Blocked => {}
            Way::Clear => match sys::open_true(path.as_os_str()) {
                Ok(fd) => {
                    let tree = sys::clone_tree(fd.as_fd(), AT_RECURSIVE).at_path(Layer::Writable, path)?;
                    cover(&tree, path, SEALED).at_path(Layer::Writable, path)?;
                }
                // Not there, or a link. Where a link leads inside the workspace is on the list by itself; elsewhere nothing is
                // writable.
                Err(_) => uncovered.push(Uncovered::new(path, path)),
            },
        }
    }
    Ok(uncovered)
}

enum Way {
    /// Every folder on the way is there and held.
    Clear,
    /// This folder on the way is not there.
    Missing(PathBuf),
    /// This part of the way is a link.
    Link(PathBuf),
    /// Something on the way is a file, and held.
    Blocked,
}

/// Makes every folder between `top` and `path` a mount point of itself: writable as before, but not to be renamed.
fn hold_way(top: &Path, path: &Path, held: &mut BTreeSet<PathBuf>) -> Result<Way, Failure> {
    let mut folders: Vec<&Path> = path.ancestors().skip(1).take_while(|folder| *folder != top).collect();
    folders.reverse();
    for folder in folders {
        let Ok(fd) = sys::open_true(folder.as_os_str()) else {
            let is_link = folder.symlink_metadata().is_ok_and(|found| found.is_symlink());
            return Ok(if is_link { Way::Link(folder.to_owned()) } else { Way::Missing(folder.to_owned()) });
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

/// Gives another name to everything that was made where nothing may be made; says what it had been called.
///
/// Call this when every process of the cage is dead.
#[expect(clippy::disallowed_methods, reason = "undoes what the command did to protected paths, and never destroys it")]
pub(super) fn put_aside(uncovered: &[Uncovered]) -> Vec<RawPath> {
    let mut planted = Vec::new();
    for path in uncovered.iter().filter_map(Uncovered::made) {
        // A name that nobody could take beforehand.
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let mut name = OsString::from(path);
        name.push(format!(".planted-{now}"));
        if std::fs::rename(path, name).is_ok() {
            planted.push(path.into());
        }
    }
    planted
}
