//! Which files a search looks at: what the ignore rules leave, never `.git`, never what a rule denies. It follows no link.

use super::{Hands, near};
use crate::disk::real_path;
use fore_plan::gate::Effect;
use fore_sandbox::Secrets;
use ignore::{DirEntry, WalkBuilder, WalkState, types::Types};
use std::{
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Files of one search; a folder with more has to be searched in parts.
const MOST_FILES: usize = 500_000;

/// What to look for beneath a folder.
pub(super) struct Walk<'a> {
    /// A real path; a file is found whatever the rules of ignoring say.
    pub(super) root: &'a Path,
    pub(super) hands: &'a Hands,
    pub(super) what: What<'a>,
    pub(super) types: Option<Types>,
    /// Whether a file or folder is wanted; a folder that is not is left out with all that is in it.
    pub(super) wants: &'a (dyn Fn(&Path, Entry) -> bool + Sync),
}

/// What the search is after.
#[derive(Clone, Copy)]
pub(super) enum What<'a> {
    /// Also of secrets, but not of what is in secret folders.
    NamesExcept(&'a Secrets),
    /// Of ordinary files only, and never of these, folders with all that is in them.
    ContentsExcept(&'a Secrets),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    File,
    Folder,
}

/// What was found, in no order.
pub(super) struct Walked {
    pub(super) files: Vec<PathBuf>,
    pub(super) end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Whole,
    Cancelled,
    TooMany,
}

impl Walk<'_> {
    pub(super) fn files(self) -> Walked {
        let mut builder = WalkBuilder::new(self.root);
        builder.hidden(false).threads(threads());
        if let Some(types) = &self.types {
            builder.types(types.clone());
        }
        let denies = self.hands.rules.iter().any(|rule| rule.effect() == Effect::Deny);
        let (all, count) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
        builder.build_parallel().run(|| {
            let mut own = Own { files: Vec::new(), all: &all };
            let (walk, count) = (&self, &count);
            Box::new(move |entry| {
                if walk.hands.cancel.is_cancelled() || count.load(Ordering::Relaxed) >= MOST_FILES {
                    return WalkState::Quit;
                }
                // What cannot be read is left out, as by every search tool.
                let Ok(entry) = entry else { return WalkState::Continue };
                match walk.look(&entry, denies) {
                    Look::Enter => WalkState::Continue,
                    Look::Skip => WalkState::Skip,
                    Look::Take => {
                        count.fetch_add(1, Ordering::Relaxed);
                        own.files.push(entry.into_path());
                        WalkState::Continue
                    }
                }
            })
        });
        let end = match count.into_inner() {
            _ if self.hands.cancel.is_cancelled() => End::Cancelled,
            count if count >= MOST_FILES => End::TooMany,
            _ => End::Whole,
        };
        Walked { files: all.into_inner().unwrap_or_else(PoisonError::into_inner), end }
    }

    fn look(&self, entry: &DirEntry, denies: bool) -> Look {
        let path = entry.path();
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        if entry.depth() == 0 {
            return if is_folder { Look::Enter } else { Look::Take };
        }
        let kind = if is_folder { Entry::Folder } else { Entry::File };
        let is_ordinary = is_folder || entry.file_type().is_some_and(|kind| kind.is_file());
        let is_closed = match self.what {
            What::NamesExcept(secrets) => is_folder && secrets.name(path),
            What::ContentsExcept(secrets) => !is_ordinary || secrets.name(path),
        };
        let is_left_out = entry.file_name() == ".git"
            || is_closed
            || !(self.wants)(path, kind)
            || (denies && self.hands.is_denied(path));
        match (is_left_out, kind) {
            (true, _) => Look::Skip,
            (false, Entry::Folder) => Look::Enter,
            (false, Entry::File) => Look::Take,
        }
    }
}

enum Look {
    Enter,
    Skip,
    Take,
}

/// What one thread has found; handed over when it is done.
struct Own<'a> {
    files: Vec<PathBuf>,
    all: &'a Mutex<Vec<PathBuf>>,
}

impl Drop for Own<'_> {
    fn drop(&mut self) {
        self.all.lock().unwrap_or_else(PoisonError::into_inner).append(&mut self.files);
    }
}

/// As many as there are processors, within reason.
pub(super) fn threads() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from).min(12)
}

/// A path as the next call would name it: relative to the working folder where it lies inside.
pub(super) fn called(path: &Path, folder: &Path) -> String {
    let inside = path.strip_prefix(folder).ok().filter(|rest| !rest.as_os_str().is_empty());
    inside.unwrap_or(path).display().to_string()
}

/// What a search begins at, or why it cannot begin there.
pub(super) fn begin(root: &Path, hands: &Hands) -> Result<Entry, String> {
    let found = root.symlink_metadata().map_err(|_| near::missing(root, hands))?;
    // Rules and secrets are known by real paths: under another name they would not be recognised.
    let real = real_path(root);
    if real != root {
        return Err(format!("{} leads through a link; search in {}.", root.display(), real.display()));
    }
    if root.components().any(|part| part.as_os_str() == ".git") {
        return Err("`.git` is not searched; ask git itself, such as with `git log` or `git grep`.".into());
    }
    match found {
        found if found.is_dir() => Ok(Entry::Folder),
        found if found.is_file() => Ok(Entry::File),
        _ => Err(format!("{} is neither a file nor a folder.", root.display())),
    }
}
