//! One walk through a workspace: what each name that is met means for the index.

use super::{
    FolderRole, Index, IndexOwner, InspectedFile, MAX_CLOSED, MAX_DEPTH_ELSEWHERE, MAX_ELSEWHERE, MAX_ENTRIES,
    MAX_ENTRIES_OF_OTHERS, inspect,
};
use crate::error::CageError;
use crate::secrets::names::{Naming, is_secret_folder, naming};
use crate::secrets::presence::is_settled;
use crate::sys::inode;
use std::ffi::OsStr;
use std::fs::FileType;
use std::os::unix::fs::{DirEntryExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

impl Index {
    pub(super) fn walk(&mut self, top: &Path, part: FolderRole) -> Result<(), CageError> {
        let mut folders = vec![(top.to_owned(), part)];
        while let Some((folder, part)) = folders.pop() {
            self.watch(&folder, part);
            let Ok(entries) = std::fs::read_dir(&folder) else {
                self.meet_closed(&folder, part);
                continue;
            };
            for entry in entries.flatten() {
                if !self.has_room(part)? {
                    break;
                }
                let Ok(kind) = entry.file_type() else { continue };
                if let Some(next) = self.meet(&folder, &entry.file_name(), kind, entry.ino(), part) {
                    folders.push(next);
                }
            }
        }
        Ok(())
    }

    /// Outside of the workspace only so many files are known by their numbers; in it all must be.
    pub(super) fn has_room(&mut self, part: FolderRole) -> Result<bool, CageError> {
        match part {
            FolderRole::Secret(_) => {
                self.elsewhere += 1;
                Ok(self.elsewhere <= MAX_ELSEWHERE)
            }
            FolderRole::HoldsListed => Ok(false),
            FolderRole::Workspace => {
                self.entries += 1;
                match self.whose {
                    IndexOwner::Project if self.entries > MAX_ENTRIES => {
                        Err(self
                            .too_much("holds more files than can be searched for secrets; start in a project folder"))
                    }
                    IndexOwner::Others if self.entries > MAX_ENTRIES_OF_OTHERS => {
                        Err(self.too_much("holds more files than can be searched for secrets; name a smaller folder"))
                    }
                    IndexOwner::Project | IndexOwner::Others => Ok(true),
                }
            }
        }
    }

    /// One name in a folder. Gives the folder to go on with, if it is one.
    pub(super) fn meet(
        &mut self,
        folder: &Path,
        name: &OsStr,
        kind: FileType,
        number: u64,
        part: FolderRole,
    ) -> Option<(PathBuf, FolderRole)> {
        if folder.starts_with(&self.workspace) {
            self.orders.meet(folder, name, kind);
        }
        match part {
            FolderRole::Secret(depth) if kind.is_dir() => {
                (depth < MAX_DEPTH_ELSEWHERE).then(|| (folder.join(name), FolderRole::Secret(depth + 1)))
            }
            FolderRole::Secret(_) => {
                if kind.is_file() {
                    self.note(&folder.join(name));
                } else if kind.is_symlink() {
                    self.meet_link(&folder.join(name));
                }
                None
            }
            FolderRole::HoldsListed => {
                let path = folder.join(name);
                if self.listed.contains(&path) && !self.ways.contains_key(&path) {
                    self.note(&path);
                    self.appeared.push(path);
                }
                None
            }
            FolderRole::Workspace if kind.is_dir() => self.meet_folder(folder, name),
            FolderRole::Workspace if kind.is_file() || kind.is_symlink() => {
                self.meet_file(folder, name, kind, number);
                None
            }
            FolderRole::Workspace => {
                // A socket leads out of the cage. A pipe of the project itself is the project's to use.
                if kind.is_socket() || (kind.is_fifo() && self.whose == IndexOwner::Others) {
                    self.hidden.insert(folder.join(name));
                }
                None
            }
        }
    }

    /// It is hidden as a whole until somebody opens it.
    pub(super) fn meet_closed(&mut self, folder: &Path, part: FolderRole) {
        self.orders.meet_closed(folder);
        if part == FolderRole::Workspace && folder.symlink_metadata().is_ok_and(|facts| facts.is_dir()) {
            self.closed.insert(folder.to_owned());
            if self.closed.len() > MAX_CLOSED {
                self.watcher = None;
            }
        }
    }

    /// What a link in a secret folder leads to is secret too, if it is a file.
    pub(super) fn meet_link(&mut self, link: &Path) {
        let Some(real) = link.canonicalize().ok().filter(|real| real.is_file()) else { return };
        self.note(&real);
        if real.starts_with(&self.workspace) {
            self.hidden.insert(real);
            self.watch_way(link);
        }
    }

    pub(super) fn meet_folder(&mut self, folder: &Path, name: &OsStr) -> Option<(PathBuf, FolderRole)> {
        let path = folder.join(name);
        // Millions of small files that only git reads.
        let is_git_store = name == "objects" && folder.components().any(|part| part.as_os_str() == ".git");
        // Hidden as a whole anyway.
        if is_git_store || self.own.as_ref() == Some(&path) || self.listed.contains(&path) {
            return None;
        }
        if is_secret_folder(&path) || self.is_relative_secret(&path) {
            self.hidden.insert(path.clone());
            return Some((path, FolderRole::Secret(0)));
        }
        Some((path, FolderRole::Workspace))
    }

    pub(super) fn meet_file(&mut self, folder: &Path, name: &OsStr, kind: FileType, number: u64) {
        let is_excepted = !self.exceptions.is_empty() && self.exceptions.hold(&folder.join(name));
        let naming = if is_excepted { Naming::Plain } else { naming(name) };
        let is_relative = self.relative.iter().any(|secret| secret.file_name() == Some(name));
        if naming == Naming::Plain && !is_relative && !self.numbers.contains(&number) {
            return;
        }
        let path = folder.join(name);
        // Whatever it is called, it may be another name of a secret.
        let is_other_name = || {
            kind.is_file() && path.symlink_metadata().is_ok_and(|facts| facts.nlink() > 1 && self.secrets.hold(&facts))
        };
        match naming {
            Naming::Secret => self.hide(path.clone()),
            _ if is_relative && self.is_relative_secret(&path) => self.hide(path.clone()),
            Naming::Depends(_) | Naming::Plain if is_other_name() => drop(self.hidden.insert(path)),
            Naming::Depends(_) => drop(self.doubtful.entry(path.clone()).or_default()),
            Naming::Plain => return,
        }
        if kind.is_symlink() {
            self.watch_way(&folder.join(name));
        }
    }

    pub(super) fn hide(&mut self, path: PathBuf) {
        self.note(&path);
        self.hidden.insert(path);
    }

    pub(super) fn is_relative_secret(&self, path: &Path) -> bool {
        self.relative.iter().any(|secret| path.ends_with(secret))
    }

    /// Looks into a file of an open name, again only when it has changed.
    pub(super) fn holds_a_secret(&mut self, path: &Path) -> bool {
        let Some(Naming::Depends(content)) = path.file_name().map(naming) else { return false };
        let Ok(facts) = path.metadata() else { return false };
        let is_same = |looked: &InspectedFile| {
            (looked.inode, looked.bytes, looked.changed)
                == (inode(&facts), facts.len(), (facts.ctime(), facts.ctime_nsec()))
        };
        if let Some(Some(looked)) = self.doubtful.get(path)
            && is_same(looked)
        {
            return looked.is_secret;
        }
        let Some(is_secret) = inspect(path, content) else { return false };
        if is_secret {
            self.note(path);
        }
        let looked = InspectedFile {
            inode: inode(&facts),
            bytes: facts.len(),
            changed: (facts.ctime(), facts.ctime_nsec()),
            is_secret,
        };
        self.doubtful.insert(path.to_owned(), is_settled(facts.ctime()).then_some(looked));
        is_secret
    }
}
