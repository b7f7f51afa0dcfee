//! Proof of no change: what the files of a workspace looked like when planning began, compared with how they look now.
//! It reads names and facts of files, never their contents, and changes nothing.

mod bytes;
mod describe;
mod head;
mod walk;

use crate::{cancel::Cancel, event::Proof};
use fore_sandbox::Opener;
use head::GitHead;
use std::{
    cmp::Ordering,
    fs::Metadata,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// Files that are looked at; beyond that a snapshot is incomplete.
pub(crate) const MAX_FILES: usize = 200_000;
/// Files that are hidden by new ignore rules and looked at all the same.
const MAX_HIDDEN: usize = 20_000;
/// How long looking may take.
pub(crate) const MAX_DURATION: std::time::Duration = std::time::Duration::from_secs(2);

/// Where a repository stands, in words; none where there is none.
pub(crate) fn git_head(opener: &Opener, workspace: &Path) -> Option<String> {
    head::read(opener, workspace).map(|head| head.describe())
}

/// The files of a workspace at one moment, without those that git ignores and without the inside of `.git`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorkspaceSnapshot {
    root: PathBuf,
    /// Ordered by path.
    files: Vec<SnapshotFile>,
    head: Option<GitHead>,
    gap: Option<SnapshotGap>,
}

/// One file, link or other thing that is no folder.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SnapshotFile {
    /// Relative to the workspace.
    path: Box<Path>,
    facts: FileStamp,
}

/// What tells that a file was changed, or at least touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileStamp {
    /// Kind and rights.
    mode: u32,
    size: u64,
    inode: u64,
    modified_ns: i64,
    /// Set by the kernel whenever the file changes in any way; nobody can set it back.
    changed_ns: i64,
}

/// Why a snapshot does not have all files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SnapshotGap {
    TooMany,
    TooSlow,
    Stopped,
    Unreadable,
}

/// What happened to a file between two snapshots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileDifference {
    New,
    Gone,
    Changed,
    /// The same size and rights, but written or replaced: perhaps by the same text.
    Touched,
}

impl WorkspaceSnapshot {
    /// Looks at the workspace with several threads. Call it where blocking is allowed.
    pub(crate) fn take(opener: &Opener, workspace: &Path, cancel: &Cancel) -> WorkspaceSnapshot {
        let (mut files, gap) = walk::files(workspace, cancel, MAX_FILES, MAX_DURATION);
        files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        WorkspaceSnapshot {
            root: workspace.to_path_buf(),
            files,
            head: head::read(&opener.clone().for_many(), workspace),
            gap,
        }
    }

    /// The same in few bytes, for the store.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        bytes::write(self)
    }

    /// None if these are not the bytes of a snapshot.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<WorkspaceSnapshot> {
        bytes::read(bytes)
    }

    /// What changed since `self` was taken. `excused` are absolute paths of files or folders that the plan or the
    /// person's own commands account for.
    pub(crate) fn compare(&self, now: &WorkspaceSnapshot, excused: &[PathBuf]) -> Proof {
        describe::proof(self, now, excused)
    }

    /// The absolute paths that differ, to learn what a command of the person's own did.
    pub(crate) fn changed(&self, now: &WorkspaceSnapshot) -> Vec<PathBuf> {
        self.differences(now).into_iter().map(|(path, _)| self.root.join(path)).collect()
    }

    /// The paths from the workspace that differ, and whether each was touched since a time; what is gone counts as touched.
    pub(crate) fn touched_since(&self, now: &WorkspaceSnapshot, since_ns: i64) -> Vec<(String, bool)> {
        let differs = self.differences(now).into_iter();
        let stamp = |path: &Path| {
            let found = now.files.binary_search_by(|file| (*file.path).cmp(path)).ok();
            found.and_then(|at| now.files.get(at)).map(|file| file.facts.changed_ns)
        };
        // A name that is no text is shown with marks in it; that it changed is what counts.
        let paths = differs.map(|(path, _)| (path.to_string_lossy().into_owned(), path));
        paths.map(|(name, path)| (name, stamp(path).is_none_or(|changed| changed >= since_ns))).collect()
    }

    /// Whether every file was met.
    pub(crate) fn is_whole(&self) -> bool {
        self.gap.is_none()
    }

    /// All files, by their paths from the workspace.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| &*file.path)
    }

    /// The same with the files of an earlier one that are still there and were not met now: a new ignore rule hides no file that
    /// was seen before.
    pub(crate) fn with_what_was_known(mut self, before: &WorkspaceSnapshot) -> WorkspaceSnapshot {
        let is_met = |file: &&SnapshotFile| self.files.binary_search_by(|known| known.path.cmp(&file.path)).is_ok();
        let hidden = before.files.iter().filter(|file| !is_met(file)).take(MAX_HIDDEN);
        let there = hidden.filter_map(|file| {
            let metadata = self.root.join(&file.path).symlink_metadata().ok()?;
            Some(SnapshotFile { path: file.path.clone(), facts: FileStamp::of(&metadata) })
        });
        let there: Vec<SnapshotFile> = there.collect();
        self.files.extend(there);
        self.files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        self
    }

    fn differences<'a>(&'a self, now: &'a WorkspaceSnapshot) -> Vec<(&'a Path, FileDifference)> {
        let mut found = Vec::new();
        let (mut before, mut after) = (self.files.iter().peekable(), now.files.iter().peekable());
        loop {
            let order = match (before.peek(), after.peek()) {
                (Some(one), Some(other)) => one.path.cmp(&other.path),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return found,
            };
            let old = if order == Ordering::Greater { None } else { before.next() };
            let new = if order == Ordering::Less { None } else { after.next() };
            match (old, new) {
                (Some(old), Some(new)) => found.extend(old.facts.against(&new.facts).map(|what| (&*old.path, what))),
                (Some(old), None) => found.extend(self.missing(old).map(|what| (&*old.path, what))),
                // Perhaps it was only not looked at.
                (None, Some(_)) if self.gap.is_some() => {}
                (None, Some(new)) => found.push((&new.path, FileDifference::New)),
                (None, None) => return found,
            }
        }
    }

    /// A file that was not met again: gone, or only not looked at (a new ignore rule, a limit).
    fn missing(&self, old: &SnapshotFile) -> Option<FileDifference> {
        match self.root.join(&old.path).symlink_metadata() {
            Ok(metadata) => old.facts.against(&FileStamp::of(&metadata)),
            Err(_) => Some(FileDifference::Gone),
        }
    }
}

impl FileStamp {
    fn of(metadata: &Metadata) -> FileStamp {
        let nanoseconds = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        FileStamp {
            mode: metadata.mode(),
            size: metadata.size(),
            inode: metadata.ino(),
            modified_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    fn against(&self, now: &FileStamp) -> Option<FileDifference> {
        match (self == now, (self.mode, self.size) == (now.mode, now.size)) {
            (true, _) => None,
            (false, true) => Some(FileDifference::Touched),
            (false, false) => Some(FileDifference::Changed),
        }
    }
}

#[cfg(test)]
mod tests;
