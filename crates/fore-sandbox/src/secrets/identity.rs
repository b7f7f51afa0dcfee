//! Whether a path still leads to the folder that was walked: the same one, with the same things mounted over it and in it.

use crate::setup::Mounts;
use crate::sys::{Inode, inode};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Links on the way to one path, as many as the kernel follows.
const MAX_LINKS: usize = 40;

/// A folder as it was when a walk through it began.
#[derive(Debug)]
pub(super) struct WorkspaceIdentity {
    number: Inode,
    mounts: Arc<Mounts>,
}

impl WorkspaceIdentity {
    pub(super) fn of(folder: &Path) -> Option<WorkspaceIdentity> {
        let mounts = Mounts::now().ok()?;
        Some(WorkspaceIdentity { number: inode(&folder.metadata().ok()?), mounts })
    }

    /// Neither a mount nor a move of a folder above is told to whoever watches the folders inside.
    pub(super) fn is_same(&mut self, folder: &Path) -> bool {
        let Some(now) = WorkspaceIdentity::of(folder) else { return false };
        let is_same = self.number == now.number
            && (Arc::ptr_eq(&self.mounts, &now.mounts) || self.mounts.are_the_same_around(folder, &now.mounts));
        // Others may mount elsewhere all the time; that is compared once.
        *self = now;
        is_same
    }
}

/// Everything that decides where a path leads: the links on the way, and its end.
pub(super) fn way_of(path: &Path) -> Vec<PathBuf> {
    let (mut way, mut at) = (Vec::new(), path.to_owned());
    for _ in 0..MAX_LINKS {
        let link = at.ancestors().filter(|part| part.is_symlink()).last().map(Path::to_owned);
        let Some(link) = link else { break };
        let (Ok(target), Some(folder), Ok(rest)) = (std::fs::read_link(&link), link.parent(), at.strip_prefix(&link))
        else {
            break;
        };
        // The folder holds no link any more, so `..` in the target means what it says.
        let next = folder.join(target).join(rest);
        way.push(link);
        at = fore_text::paths::folded(&next);
    }
    way.push(at);
    way
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "makes the folders that are looked at")]
    use super::*;

    #[test]
    fn another_folder_of_the_same_name_is_noticed() {
        let top = tempfile::tempdir().unwrap();
        let (up, other) = (top.path().join("up"), top.path().join("other"));
        for folder in [&up, &other] {
            std::fs::create_dir_all(folder.join("project")).unwrap();
        }
        let project = up.join("project");
        let mut identity = WorkspaceIdentity::of(&project).unwrap();
        assert!(identity.is_same(&project));
        std::fs::rename(&up, top.path().join("old")).unwrap();
        assert!(!WorkspaceIdentity { number: identity.number, mounts: identity.mounts.clone() }.is_same(&project));
        std::fs::rename(&other, &up).unwrap();
        assert!(!identity.is_same(&project));
    }

    #[test]
    fn a_way_has_every_link_and_its_end() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        std::fs::create_dir(top.join("real")).unwrap();
        for (target, name) in [("folder/middle", ".env"), ("real", "folder"), ("../end.txt", "real/middle")] {
            std::os::unix::fs::symlink(target, top.join(name)).unwrap();
        }
        let expected = [".env", "folder", "real/middle", "end.txt"].map(|name| top.join(name));
        assert_eq!(way_of(&top.join(".env")), expected);
        std::os::unix::fs::symlink("loop", top.join("loop")).unwrap();
        assert_eq!(way_of(&top.join("loop")).len(), MAX_LINKS + 1);
    }
}
