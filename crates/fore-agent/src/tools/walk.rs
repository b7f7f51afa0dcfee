//! Which files a search looks at: what the ignore rules leave, never `.git`, never what a rule denies. It follows no link.

use super::{ToolContext, suggestions};
use crate::{
    disk::real_path,
    walk::{self, EnterFolder, IgnoreFiles, Visitor, WalkResult},
};
use fore_plan::gate::RuleEffect;
use fore_sandbox::Secrets;
use ignore::types::Types;
use std::{
    fs::FileType,
    path::{Path, PathBuf},
    time::Duration,
};

pub(crate) use crate::walk::WalkEnd;

/// Files of one search; a folder with more has to be searched in parts.
const MAX_FILES: usize = 500_000;

/// How long a search may look for files.
const MAX_TIME: Duration = Duration::from_secs(60);

/// What to look for beneath a folder.
pub(crate) struct FileSearch {
    pub(crate) context: ToolContext,
    pub(crate) target: SearchTarget,
    pub(crate) types: Option<Types>,
    pub(crate) filter: SearchFilter,
}

/// Whether a file or folder is wanted; a folder that is not is left out with all that is in it.
pub(crate) type SearchFilter = Box<dyn Fn(&Path, FoundKind) -> bool + Send + Sync>;

/// What the search is after.
#[derive(Clone)]
pub(crate) enum SearchTarget {
    /// Also of secrets, but not of what is in secret folders.
    NamesExcept(Secrets),
    /// Of ordinary files only, and never of these, folders with all that is in them.
    ContentsExcept(Secrets),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FoundKind {
    File,
    Folder,
}

impl FileSearch {
    /// Beneath a folder, as a real path.
    pub(crate) fn files(self, root: &Path) -> WalkResult<PathBuf> {
        let walk = walk::Walk {
            root: root.to_owned(),
            ignore_files: IgnoreFiles::Search,
            excludes: walk::person_excludes(),
            threads: walk::threads(),
            max_found: MAX_FILES,
            time: MAX_TIME,
        };
        let cancel = self.context.cancel.clone();
        let denies = self.context.rules.iter().any(|rule| rule.effect() == RuleEffect::Deny);
        walk.run(SearchVisitor { walk: self, denies }, &|| cancel.is_cancelled())
    }
}

/// A search on its way.
struct SearchVisitor {
    walk: FileSearch,
    /// Whether there is any rule that denies.
    denies: bool,
}

impl SearchVisitor {
    fn wants(&self, path: &Path, entry: FoundKind) -> bool {
        let is_of_type = |types: &Types| !types.matched(path, entry == FoundKind::Folder).is_ignore();
        self.walk.types.as_ref().is_none_or(is_of_type)
            && (self.walk.filter)(path, entry)
            && !(self.denies && self.walk.context.is_denied(path))
    }
}

impl Visitor for SearchVisitor {
    type Found = PathBuf;

    fn folder(&self, path: &Path) -> EnterFolder<PathBuf> {
        let (SearchTarget::NamesExcept(secrets) | SearchTarget::ContentsExcept(secrets)) = &self.walk.target;
        if secrets.name(path) || !self.wants(path, FoundKind::Folder) { EnterFolder::No } else { EnterFolder::Yes }
    }

    fn file(&self, path: PathBuf, kind: FileType) -> Option<PathBuf> {
        let is_closed = match &self.walk.target {
            SearchTarget::NamesExcept(_) => false,
            SearchTarget::ContentsExcept(secrets) => !kind.is_file() || secrets.name(&path),
        };
        (!is_closed && self.wants(&path, FoundKind::File)).then_some(path)
    }
}

/// A path as the next call would name it: relative to the working folder where it lies inside.
pub(super) fn called(path: &Path, folder: &Path) -> String {
    let inside = path.strip_prefix(folder).ok().filter(|rest| !rest.as_os_str().is_empty());
    inside.unwrap_or(path).display().to_string()
}

/// What a search begins at, or why it cannot begin there.
pub(super) fn begin(root: &Path, context: &ToolContext) -> Result<FoundKind, String> {
    let found = root.symlink_metadata().map_err(|_| suggestions::missing(root, context))?;
    // Rules and secrets are known by real paths: under another name they would not be recognised.
    let real = real_path(root);
    if real != root {
        return Err(format!("{} leads through a link; search in {}.", root.display(), real.display()));
    }
    if root.components().any(|part| part.as_os_str() == ".git") {
        return Err("`.git` is not searched; ask git itself, such as with `git log` or `git grep`.".into());
    }
    match found {
        found if found.is_dir() => Ok(FoundKind::Folder),
        found if found.is_file() => Ok(FoundKind::File),
        _ => Err(format!("{} is neither a file nor a folder.", root.display())),
    }
}
