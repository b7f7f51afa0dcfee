//! What git opens by name in a repository and would wait for: a pipe or a device where a file should be. It opens only folders.

use std::fs::FileType;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Names that are looked at; a repository with more of them is packed up by git long before.
const MAX_NAMES: usize = 50_000;
/// Folders whose changes make another look due.
const MAX_WATCHED: usize = 64;

/// What git looks for at the top of a work tree.
const AT_TOP: [&str; 4] = [".gitattributes", ".gitignore", ".gitmodules", ".mailmap"];

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RepositoryScan {
    /// Neither an ordinary file nor a folder, by its name in the repository.
    pub(super) odd: Vec<PathBuf>,
    /// When one of these changes, another look is due.
    pub(super) watched: Vec<PathBuf>,
}

/// Looks through git folders with everything in them, and at the files at the top of the work tree.
pub(super) fn scan(top: &Path, git_folders: &[PathBuf]) -> RepositoryScan {
    let mut opened = RepositoryScan { odd: Vec::new(), watched: AT_TOP.iter().map(|name| top.join(name)).collect() };
    for path in &opened.watched {
        opened.odd.extend(odd(path, path.symlink_metadata().ok().map(|found| found.file_type())));
    }
    let mut folders = git_folders.to_vec();
    let mut names = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            names += 1;
            if names > MAX_NAMES {
                return opened;
            }
            let kind = entry.file_type().ok();
            if kind.is_some_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            } else {
                opened.odd.extend(odd(&entry.path(), kind));
            }
        }
        // Loose objects lie in folders of two letters, hundreds of them.
        let is_of_objects = folder.file_name().is_some_and(|name| name.len() == 2);
        if opened.watched.len() < MAX_WATCHED && !is_of_objects {
            opened.watched.push(folder);
        }
    }
    opened.odd.sort();
    opened.odd.dedup();
    opened
}

/// The file that would be opened instead, if that is one to wait for. Sockets cannot be opened at all.
fn odd(path: &Path, kind: Option<FileType>) -> Option<PathBuf> {
    let kind = kind?;
    let (real, kind) = if kind.is_symlink() {
        let real = path.canonicalize().ok()?;
        let kind = real.symlink_metadata().ok()?.file_type();
        (real, kind)
    } else {
        (path.to_owned(), kind)
    };
    // Many a file is switched off by a link to the device that is at its end at once.
    if real == Path::new("/dev/null") {
        return None;
    }
    let is_waited_for = kind.is_fifo() || kind.is_char_device() || kind.is_block_device();
    is_waited_for.then_some(real)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "makes the files that are looked at")]
mod tests {
    use super::*;

    #[test]
    fn pipes_and_devices_are_found_wherever_git_would_open_them() {
        let made = tempfile::tempdir().unwrap();
        let top = made.path().canonicalize().unwrap();
        let git = top.join(".git");
        for folder in ["info", "objects/pack", "objects/ab", "refs/heads"] {
            std::fs::create_dir_all(git.join(folder)).unwrap();
        }
        std::fs::write(git.join("index"), "x").unwrap();
        std::fs::write(top.join(".gitignore"), "x").unwrap();
        std::os::unix::fs::symlink("/dev/zero", git.join("shallow")).unwrap();
        std::os::unix::fs::symlink("/dev/null", git.join("hooks")).unwrap();
        std::os::unix::fs::symlink("loop", git.join("loop")).unwrap();
        std::os::unix::fs::symlink("../.gitignore", git.join("info/exclude")).unwrap();
        let pipes = ["HEAD", "info/attributes", "objects/ab/cd", "objects/pack/multi-pack-index", "refs/heads/x"];
        let mut expected: Vec<PathBuf> = pipes.iter().map(|name| git.join(name)).collect();
        expected.push(top.join(".gitattributes"));
        for path in &expected {
            rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::from(0o600)).unwrap();
        }
        expected.push(PathBuf::from("/dev/zero"));
        expected.sort();
        assert_eq!(scan(&top, &[git]).odd, expected);
    }
}
