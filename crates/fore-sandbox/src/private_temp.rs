//! The real temp folder of a cage without namespaces: made for one run, and removed with whatever a command has built in it.
#![expect(clippy::disallowed_methods, reason = "makes and removes a folder of its own")]

use crate::error::CageError;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Where temp files may be when the usual place is gone or full.
const OTHERS: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// Removed when dropped.
#[derive(Debug)]
pub(crate) struct PrivateTemp(PathBuf);

impl PrivateTemp {
    /// In the usual temp folder, or where else such a folder can be.
    pub(crate) fn new() -> Result<PrivateTemp, CageError> {
        let usual = crate::person_environment::temp_folder();
        let made = PrivateTemp::within(&usual);
        let other = |folder: &str| PrivateTemp::within(Path::new(folder)).ok();
        match made {
            Ok(made) => Ok(made),
            Err(error) => OTHERS
                .iter()
                .find_map(|folder| other(folder))
                .ok_or_else(|| CageError::TempFolder { path: usual, reason: error.to_string() }),
        }
    }

    fn within(folder: &Path) -> io::Result<PrivateTemp> {
        // Its own removal walks down with a descriptor and a piece of stack for every level, and a command chooses how many there are.
        Ok(PrivateTemp(tempfile::Builder::new().prefix("fore-cage-").tempdir_in(folder)?.keep()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// A file of ours in it.
    pub(crate) fn add(&self, name: &str, text: &str) -> Result<PathBuf, CageError> {
        let path = self.0.join(name);
        let failed = |error: io::Error| CageError::TempFolder { path: self.0.clone(), reason: error.to_string() };
        fs::write(&path, text).map_err(failed)?;
        Ok(path)
    }
}

impl Drop for PrivateTemp {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

/// Also for the guard, who outlives an agent that is killed. What cannot be removed stays where temp files are expected to be.
pub(crate) fn remove(folder: &Path) {
    let _ = clear(folder).and_then(|()| fs::remove_dir(folder));
}

/// Removes everything in `top`, never more than two levels deep: what lies deeper is brought up first.
fn clear(top: &Path) -> io::Result<()> {
    let mut number = 0u64;
    loop {
        let mut is_empty = true;
        for entry in fs::read_dir(top)? {
            let entry = entry?;
            is_empty = false;
            if entry.file_type()?.is_dir() {
                open_up(&entry.path())?;
                for inner in fs::read_dir(entry.path())? {
                    let inner = inner?;
                    if inner.file_type()?.is_dir() {
                        open_up(&inner.path())?;
                        fs::rename(inner.path(), free_name(top, &mut number))?;
                    } else {
                        fs::remove_file(inner.path())?;
                    }
                }
                fs::remove_dir(entry.path())?;
            } else {
                fs::remove_file(entry.path())?;
            }
        }
        if is_empty {
            return Ok(());
        }
    }
}

/// A folder may have been made so that not even its owner can look into it or move it.
fn open_up(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, Permissions::from_mode(0o700))
}

fn free_name(top: &Path, number: &mut u64) -> PathBuf {
    loop {
        *number += 1;
        let name = top.join(number.to_string());
        if name.symlink_metadata().is_err() {
            return name;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_too_deep_too_closed_or_too_cleverly_named_to_be_removed() {
        let temp = PrivateTemp::new().unwrap();
        let top = temp.path().to_owned();
        let mut deep = top.join("1");
        for _ in 0..400 {
            fs::create_dir(&deep).unwrap();
            fs::write(deep.join("file"), "x").unwrap();
            deep.push("2");
        }
        fs::create_dir_all(top.join("3/closed/inner")).unwrap();
        std::os::unix::fs::symlink("/", top.join("3/link")).unwrap();
        fs::set_permissions(top.join("3/closed"), Permissions::from_mode(0o000)).unwrap();
        fs::set_permissions(top.join("3"), Permissions::from_mode(0o000)).unwrap();
        drop(temp);
        assert!(!top.exists());
    }
}
