//! Which names the ignore files of a repository, of the folders above and of the person leave out. The files are read by
//! [`small_file`]; patterns are understood by the `ignore` crate, which opens nothing here.

use super::Walk;
use fore_sandbox::small_file::{self, LinkPolicy};
use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Longest ignore file that counts; git itself leaves out those that are far too long.
const MAX_BYTES: u64 = 1 << 20;

/// Most patterns of one file that count: each of them costs time for every name.
const MAX_PATTERNS: usize = 20_000;

/// Longest path in a file such as `.git` of a worktree.
const MAX_PATH_BYTES: u64 = 16 << 10;

/// Whose rules count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoreFiles {
    /// What git has: `.gitignore`, `.git/info/exclude` and the person's own file, in a repository.
    Git,
    /// `.ignore` as well, as search tools have it.
    Search,
    /// The same, and `.gitignore` also where there is no repository.
    Anywhere,
}

/// Which names that matter a folder has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct IgnoreMarkers {
    dot_ignore: bool,
    git_ignore: bool,
    git: bool,
    jj: bool,
}

impl IgnoreMarkers {
    /// Not known: each has to be looked for.
    const ALL: IgnoreMarkers = IgnoreMarkers { dot_ignore: true, git_ignore: true, git: true, jj: true };

    pub(super) fn of<'a>(names: impl Iterator<Item = &'a OsStr>) -> IgnoreMarkers {
        let mut marks = IgnoreMarkers::default();
        for name in names {
            match name.as_encoded_bytes() {
                b".ignore" => marks.dot_ignore = true,
                b".gitignore" => marks.git_ignore = true,
                b".git" => marks.git = true,
                b".jj" => marks.jj = true,
                _ => {}
            }
        }
        marks
    }
}

/// The rules that hold in one folder.
#[derive(Clone, Debug)]
pub(super) struct IgnoreRules {
    files: IgnoreFiles,
    /// Of the person, for paths below the top.
    excludes: Arc<Gitignore>,
    /// Where the repository begins; without one, where the walk begins.
    top: Arc<Path>,
    is_in_repository: bool,
    nearest: Option<Arc<FolderRules>>,
}

/// The files of one folder that has any.
#[derive(Debug)]
struct FolderRules {
    above: Option<Arc<FolderRules>>,
    dot_ignore: Gitignore,
    git_ignore: Gitignore,
    /// `.git/info/exclude`, at the top.
    git_exclude: Gitignore,
    /// Rules of git end here.
    is_top: bool,
}

impl IgnoreRules {
    /// What the folders above the root of a walk say.
    pub(super) fn above(walk: &Walk) -> IgnoreRules {
        let excludes = walk.excludes.as_ref().map(|path| matcher(Path::new(""), path, LinkPolicy::Followed));
        let nothing = IgnoreRules {
            files: walk.ignore_files,
            excludes: Arc::new(excludes.unwrap_or_else(Gitignore::empty)),
            top: walk.root.as_path().into(),
            is_in_repository: false,
            nearest: None,
        };
        let above: Vec<&Path> = walk.root.ancestors().skip(1).collect();
        above.into_iter().rev().fold(nothing, |rules, folder| rules.within(folder, IgnoreMarkers::ALL))
    }

    /// The rules of a folder below, which has at most these files.
    pub(super) fn within(&self, folder: &Path, marks: IgnoreMarkers) -> IgnoreRules {
        if marks == IgnoreMarkers::default() {
            return self.clone();
        }
        let read = |is_there: bool, name: &str| {
            if is_there { matcher(folder, &folder.join(name), LinkPolicy::Refused) } else { Gitignore::empty() }
        };
        let git = marks.git.then(|| git_folder(folder)).flatten();
        let is_top = git.is_some() || (marks.jj && folder.join(".jj").is_dir());
        let exclude = |git: &PathBuf| matcher(folder, &git.join("info/exclude"), LinkPolicy::Followed);
        let level = FolderRules {
            above: self.nearest.clone(),
            dot_ignore: read(marks.dot_ignore && self.files != IgnoreFiles::Git, ".ignore"),
            git_ignore: read(marks.git_ignore, ".gitignore"),
            git_exclude: git.as_ref().map_or_else(Gitignore::empty, exclude),
            is_top,
        };
        if !is_top && level.dot_ignore.is_empty() && level.git_ignore.is_empty() {
            return self.clone();
        }
        let top = if is_top { folder.into() } else { Arc::clone(&self.top) };
        let is_in_repository = self.is_in_repository || is_top;
        IgnoreRules { top, is_in_repository, nearest: Some(Arc::new(level)), ..self.clone() }
    }

    /// Whether an entry of the folder is left out.
    pub(super) fn ignore(&self, path: &Path, is_folder: bool) -> bool {
        let has_git_rules = self.is_in_repository || self.files == IgnoreFiles::Anywhere;
        let (mut own, mut git, mut exclude) = (Match::None, Match::None, Match::None);
        let mut is_inside = has_git_rules;
        let mut next = self.nearest.as_deref();
        while let Some(level) = next {
            if own.is_none() {
                own = level.dot_ignore.matched(path, is_folder);
            }
            if is_inside && git.is_none() {
                git = level.git_ignore.matched(path, is_folder);
            }
            if is_inside && exclude.is_none() {
                exclude = level.git_exclude.matched(path, is_folder);
            }
            is_inside &= !level.is_top;
            next = level.above.as_deref();
        }
        let person = || match path.strip_prefix(&self.top) {
            Ok(path) if has_git_rules => self.excludes.matched(path, is_folder),
            _ => Match::None,
        };
        let found = own.or(git).or(exclude);
        if found.is_none() { person().is_ignore() } else { found.is_ignore() }
    }
}

/// What a file says about the names below a folder; nothing if it cannot be read.
fn matcher(folder: &Path, file: &Path, link: LinkPolicy) -> Gitignore {
    let Some(bytes) = small_file::read(file, link, MAX_BYTES) else { return Gitignore::empty() };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let lines = bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let patterns = lines.filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    let mut builder = GitignoreBuilder::new(folder);
    for pattern in patterns.take(MAX_PATTERNS).filter_map(|line| str::from_utf8(line).ok()) {
        // A pattern that is not understood is left out, as git does it.
        let _ = builder.add_line(None, pattern);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Where git keeps what belongs to the repository that begins in this folder.
fn git_folder(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    let kind = git.metadata().ok()?;
    if kind.is_dir() {
        return Some(git);
    }
    // A worktree or a submodule: a file that names the place.
    let named = line_of(&git)?;
    let place = folder.join(named.strip_prefix("gitdir:")?.trim());
    let common = line_of(&place.join("commondir"));
    Some(common.map_or_else(|| place.clone(), |common| place.join(common)))
}

fn line_of(path: &Path) -> Option<String> {
    let bytes = small_file::read(path, LinkPolicy::Followed, MAX_PATH_BYTES)?;
    Some(str::from_utf8(&bytes).ok()?.lines().next()?.trim().to_owned())
}
