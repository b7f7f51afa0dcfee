//! Folders as a cage is told of them: without links, and fit to be what they are asked to be.

use crate::blueprint::RawPath;
use crate::error::CageError;
use crate::secrets::PathPresence;
use std::path::{Component, Path, PathBuf};

/// File systems that are not files; nothing there can be a workspace.
pub(super) const KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

/// The path without links: mounts and rules hold for the place itself.
pub(super) fn real(path: &Path, there: &PathPresence) -> Result<PathBuf, CageError> {
    if !path.is_absolute() {
        return Err(CageError::Unusable { path: path.to_owned(), why: "is not an absolute path" });
    }
    let missing = || CageError::Unusable { path: path.to_owned(), why: "does not exist or cannot be reached" };
    there.real(path).ok_or_else(missing)
}

pub(super) fn real_folder(path: &Path, there: &PathPresence) -> Result<PathBuf, CageError> {
    let real = real(path, there)?;
    if real.is_dir() { Ok(real) } else { Err(CageError::Unusable { path: real, why: "is not a folder" }) }
}

/// The plan file by its true folder and its own name: the name itself may not be a link.
pub(super) fn real_plan(path: &Path, there: &PathPresence) -> Result<PathBuf, CageError> {
    let wrong = |why| CageError::Unusable { path: path.to_owned(), why };
    let (Some(folder), Some(Component::Normal(name))) = (path.parent(), path.components().next_back()) else {
        return Err(wrong("does not name a plan file"));
    };
    let plan = real_folder(folder, there)?.join(name);
    let metadata = std::fs::symlink_metadata(&plan)
        .map_err(|_| wrong("does not exist; create the plan file before a command may write it"))?;
    if !metadata.is_file() || std::os::unix::fs::MetadataExt::nlink(&metadata) != 1 {
        return Err(wrong("is not an ordinary file with exactly one name, so it cannot be the plan file"));
    }
    Ok(plan)
}

pub(super) fn usable(workspace: &Path) -> Result<(), CageError> {
    let wrong = |why| Err(CageError::Unusable { path: workspace.to_owned(), why });
    if workspace == Path::new("/") {
        return wrong("is the whole disk; choose a project folder as workspace");
    }
    if KERNEL.iter().any(|kernel| workspace.starts_with(kernel)) {
        return wrong("belongs to the kernel and cannot be a workspace");
    }
    Ok(())
}

/// Without those that lie in another one; the first stays first.
pub(super) fn outermost(paths: impl Iterator<Item = PathBuf>) -> Vec<RawPath> {
    let paths: Vec<PathBuf> = paths.collect();
    let mut kept: Vec<RawPath> = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let inside =
            paths.iter().enumerate().any(|(other, outer)| path.starts_with(outer) && (path != outer || other < index));
        if !inside {
            kept.push(path.as_path().into());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(list: &[&str]) -> Vec<RawPath> {
        list.iter().map(|path| RawPath::from(Path::new(path))).collect()
    }

    #[test]
    fn folders_inside_others_are_left_out_and_the_first_stays_first() {
        let given = ["/w/project", "/a", "/a/b", "/a", "/w/other"].map(PathBuf::from);
        assert_eq!(outermost(given.into_iter()), paths(&["/w/project", "/a", "/w/other"]));
    }

    #[test]
    fn the_disk_and_kernel_folders_are_no_workspace() {
        let refused: Vec<bool> = ["/", "/proc/1", "/sys", "/dev/shm/x", "/home/x"]
            .iter()
            .map(|path| usable(Path::new(path)).is_err())
            .collect();
        assert_eq!(refused, [true, true, true, true, false]);
    }
}
