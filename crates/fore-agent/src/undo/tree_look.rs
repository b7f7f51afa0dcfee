//! One look at the workspace: every file, link and folder with its mark, also those that git ignores, as far as they are not too many.
//! It reads names and facts, no contents.

use super::turn_changes::ContentPlace;
use crate::walk::{EnterFolder, IgnoreFiles, Visitor, Walk, WalkEnd, person_excludes, threads};
use fore_sandbox::edit::{FileMark, MarkedKind};
use std::{
    cmp::Ordering,
    collections::VecDeque,
    fs::FileType,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Files and folders of a workspace that are looked at; of a larger one no command is remembered.
const MAX_ENTRIES: usize = 300_000;
const MAX_TIME: Duration = Duration::from_secs(4);
/// Files and folders that are looked at in one folder that git ignores, and in all of them.
const MAX_IGNORED_EACH: usize = 5_000;
const MAX_IGNORED: usize = 20_000;
/// The kernel stamps files by a clock that moves in steps of up to so much.
const CLOCK_STEP_NS: i64 = 20_000_000;

/// When a look began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LookTime(pub(super) i64);

/// The workspace at one moment.
#[derive(Debug)]
pub(super) struct TreeLook {
    pub(super) time: LookTime,
    /// Ordered by path.
    pub(super) entries: Vec<TreeEntry>,
    /// Ignored folders with more in them than is looked at.
    pub(super) unseen: Vec<String>,
    /// Everything else was seen.
    pub(super) is_whole: bool,
}

/// One name.
#[derive(Clone, Debug)]
pub(super) struct TreeEntry {
    /// From the workspace.
    pub(super) path: Box<str>,
    pub(super) mark: FileMark,
    /// Where a link leads; empty for anything else, and for what is no text.
    pub(super) link: Box<str>,
    /// Where its content is; known only once somebody has kept it.
    pub(super) content: Option<ContentPlace>,
}

impl TreeLook {
    pub(super) fn take(project: &Path, stop: &dyn Fn() -> bool) -> TreeLook {
        let time = LookTime(now_ns());
        let walk = Walk {
            root: project.to_owned(),
            ignore_files: IgnoreFiles::Git,
            excludes: person_excludes(),
            threads: threads(),
            max_found: MAX_ENTRIES,
            time: MAX_TIME,
        };
        let walked = walk.run(LookVisitor { root: project.to_owned() }, stop);
        let mut look = TreeLook {
            time,
            entries: Vec::with_capacity(walked.found.len()),
            unseen: Vec::new(),
            is_whole: walked.end == WalkEnd::Complete && !walked.has_gaps,
        };
        let mut left = MAX_IGNORED;
        let mut ignored: Vec<PathBuf> = Vec::new();
        for found in walked.found {
            match found {
                LookFound::Entry(entry) => look.entries.push(entry),
                LookFound::Ignored(folder) => ignored.push(folder),
            }
        }
        ignored.sort_unstable();
        for folder in ignored {
            match inside(project, &folder, left.min(MAX_IGNORED_EACH)) {
                Some(entries) => {
                    left = left.saturating_sub(entries.len());
                    look.entries.extend(entries);
                }
                None => look.unseen.extend(relative(project, &folder).map(String::from)),
            }
        }
        look.entries.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        look
    }

    /// Whether a path lies in an ignored folder that was not looked into.
    pub(super) fn is_unseen(&self, path: &str) -> bool {
        let is_in = |folder: &String| path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
        self.unseen.iter().any(is_in)
    }

    /// The paths that are not what they were, each as it was and as it is. Both looks are whole.
    pub(super) fn differences<'a>(
        &'a self,
        now: &'a TreeLook,
    ) -> Vec<(&'a str, Option<&'a TreeEntry>, Option<&'a TreeEntry>)> {
        let mut found = Vec::new();
        let (mut before, mut after) = (self.entries.iter().peekable(), now.entries.iter().peekable());
        loop {
            let order = match (before.peek(), after.peek()) {
                (Some(one), Some(other)) => one.path.cmp(&other.path),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return found,
            };
            let old = if order == Ordering::Greater { None } else { before.next() };
            let new = if order == Ordering::Less { None } else { after.next() };
            let Some(path) = old.or(new).map(|entry| &*entry.path) else { continue };
            let is_same = match (old, new) {
                (Some(old), Some(new)) => {
                    let is_sure = new.mark.kind() != MarkedKind::File || !self.time.is_unsure_of(&new.mark);
                    old.mark.is_same(&new.mark) && old.link == new.link && is_sure
                }
                // One of both did not look there.
                (Some(_), None) => now.is_unseen(path),
                (None, Some(_)) => self.is_unseen(path),
                (None, None) => true,
            };
            if !is_same {
                found.push((path, old, new));
            }
        }
    }
}

impl LookTime {
    /// What was changed as late as the look began: it may have changed again since without getting another mark.
    pub(super) fn is_unsure_of(self, mark: &FileMark) -> bool {
        mark.changed_ns.saturating_add(CLOCK_STEP_NS) >= self.0
    }
}

enum LookFound {
    Entry(TreeEntry),
    Ignored(PathBuf),
}

struct LookVisitor {
    root: PathBuf,
}

impl Visitor for LookVisitor {
    type Found = LookFound;

    fn folder(&self, path: &Path) -> EnterFolder<LookFound> {
        entry(&self.root, path).map_or(EnterFolder::Yes, |entry| EnterFolder::AndKeep(LookFound::Entry(entry)))
    }

    fn file(&self, path: PathBuf, _: FileType) -> Option<LookFound> {
        entry(&self.root, &path).map(LookFound::Entry)
    }

    fn left_out(&self, path: PathBuf, kind: FileType) -> Option<LookFound> {
        if kind.is_dir() { Some(LookFound::Ignored(path)) } else { entry(&self.root, &path).map(LookFound::Entry) }
    }
}

/// One that is gone by now is gone; a name that is no text is never written down, so it is not remembered.
fn entry(root: &Path, path: &Path) -> Option<TreeEntry> {
    let mark = FileMark::at(path)?;
    let link = if mark.kind() == MarkedKind::Link { path.read_link().ok() } else { None };
    let link = link.as_deref().and_then(Path::to_str).unwrap_or_default();
    Some(TreeEntry { path: relative(root, path)?, mark, link: link.into(), content: None })
}

fn relative(root: &Path, path: &Path) -> Option<Box<str>> {
    Some(path.strip_prefix(root).ok()?.to_str()?.into())
}

/// A folder and everything in it; none if that is more than `most`.
fn inside(root: &Path, folder: &Path, most: usize) -> Option<Vec<TreeEntry>> {
    let mut found: Vec<TreeEntry> = entry(root, folder).into_iter().collect();
    let mut folders = VecDeque::from([folder.to_owned()]);
    while let Some(folder) = folders.pop_front() {
        let Ok(listing) = folder.read_dir() else { continue };
        for name in listing.flatten() {
            if name.file_name() == ".git" {
                continue;
            }
            let path = name.path();
            found.extend(entry(root, &path));
            if name.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push_back(path);
            }
            if found.len() > most {
                return None;
            }
        }
    }
    Some(found)
}

pub(super) fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
