//! Which files a search looks at: what the ignore rules leave, never `.git`, never what a rule denies. It follows no link.

use super::{Hands, near};
use crate::{
    disk::real_path,
    walk::{self, Enter, IgnoreFiles, Visitor, Walked},
};
use fore_plan::gate::Effect;
use fore_sandbox::Secrets;
use ignore::types::Types;
use std::{
    fs::FileType,
    path::{Path, PathBuf},
    time::Duration,
};

pub(super) use crate::walk::End;

/// Files of one search; a folder with more has to be searched in parts.
const MAX_FILES: usize = 500_000;

/// How long a search may look for files.
const MAX_TIME: Duration = Duration::from_secs(60);

/// What to look for beneath a folder.
pub(super) struct Walk {
    pub(super) hands: Hands,
    pub(super) what: What,
    pub(super) types: Option<Types>,
    pub(super) wants: Wants,
}

/// Whether a file or folder is wanted; a folder that is not is left out with all that is in it.
pub(super) type Wants = Box<dyn Fn(&Path, Entry) -> bool + Send + Sync>;

/// What the search is after.
#[derive(Clone)]
pub(super) enum What {
    /// Also of secrets, but not of what is in secret folders.
    NamesExcept(Secrets),
    /// Of ordinary files only, and never of these, folders with all that is in them.
    ContentsExcept(Secrets),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    File,
    Folder,
}

impl Walk {
    /// Beneath a folder, as a real path.
    pub(super) fn files(self, root: &Path) -> Walked<PathBuf> {
        let walk = walk::Walk {
            root: root.to_owned(),
            ignore_files: IgnoreFiles::Search,
            excludes: walk::person_excludes(),
            threads: walk::threads(),
            most: MAX_FILES,
            time: MAX_TIME,
        };
        let cancel = self.hands.cancel.clone();
        let denies = self.hands.rules.iter().any(|rule| rule.effect() == Effect::Deny);
        walk.run(Search { walk: self, denies }, &|| cancel.is_cancelled())
    }
}

/// A search on its way.
struct Search {
    walk: Walk,
    /// Whether there is any rule that denies.
    denies: bool,
}

impl Search {
    fn wants(&self, path: &Path, entry: Entry) -> bool {
        let is_of_type = |types: &Types| !types.matched(path, entry == Entry::Folder).is_ignore();
        self.walk.types.as_ref().is_none_or(is_of_type)
            && (self.walk.wants)(path, entry)
            && !(self.denies && self.walk.hands.is_denied(path))
    }
}

impl Visitor for Search {
    type Found = PathBuf;

    fn folder(&self, path: &Path) -> Enter<PathBuf> {
        let (What::NamesExcept(secrets) | What::ContentsExcept(secrets)) = &self.walk.what;
        if secrets.name(path) || !self.wants(path, Entry::Folder) { Enter::No } else { Enter::Yes }
    }

    fn file(&self, path: PathBuf, kind: FileType) -> Option<PathBuf> {
        let is_closed = match &self.walk.what {
            What::NamesExcept(_) => false,
            What::ContentsExcept(secrets) => !kind.is_file() || secrets.name(&path),
        };
        (!is_closed && self.wants(&path, Entry::File)).then_some(path)
    }
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
