//! Where a repository stands: its branch and commit, read from git's own files without starting git.

use crate::document::{self, Completeness};
use fore_sandbox::Opener;
use std::path::{Component, Path, PathBuf};

/// Files of git that are read.
const MAX_REF_BYTES: usize = 4 * 1024;
const MAX_PACKED_BYTES: usize = 4 * 1024 * 1024;
/// Letters of a commit that people read.
const SHORT: usize = 7;

/// The branch, or nothing when no branch is checked out, and the commit, or nothing before the first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GitHead {
    pub(super) branch: Option<String>,
    pub(super) commit: Option<String>,
}

impl GitHead {
    /// Such as `main at 1a2b3c4`.
    pub(super) fn describe(&self) -> String {
        let commit = self.commit.as_deref().map(|commit| commit.get(..SHORT).unwrap_or(commit));
        match (&self.branch, commit) {
            (Some(branch), Some(commit)) => format!("{} at {commit}", document::one_line(branch, 80)),
            (Some(branch), None) => format!("{} without a commit", document::one_line(branch, 80)),
            (None, Some(commit)) => format!("commit {commit}"),
            (None, None) => "no commit".to_owned(),
        }
    }
}

/// None where there is no repository.
pub(super) fn read(opener: &Opener, workspace: &Path) -> Option<GitHead> {
    let own = git_folder(opener, workspace)?;
    let head = text(opener, &own.join("HEAD"), MAX_REF_BYTES)?;
    let Some(name) = head.trim().strip_prefix("ref:").map(str::trim) else {
        return Some(GitHead { branch: None, commit: commit(head.trim()) });
    };
    if !is_ref(name) {
        return None;
    }
    let shared =
        text(opener, &own.join("commondir"), MAX_REF_BYTES).map_or_else(|| own.clone(), |path| own.join(path.trim()));
    let loose = text(opener, &shared.join(name), MAX_REF_BYTES).and_then(|text| commit(text.trim()));
    let branch = name.strip_prefix("refs/heads/").unwrap_or(name).to_owned();
    Some(GitHead { branch: Some(branch), commit: loose.or_else(|| packed(opener, &shared, name)) })
}

/// `.git`, or the folder that a file of that name leads to.
fn git_folder(opener: &Opener, workspace: &Path) -> Option<PathBuf> {
    let path = workspace.join(".git");
    if path.is_dir() {
        return Some(path);
    }
    let text = text(opener, &path, MAX_REF_BYTES)?;
    Some(workspace.join(text.trim().strip_prefix("gitdir:")?.trim()))
}

fn packed(opener: &Opener, shared: &Path, name: &str) -> Option<String> {
    let text = text(opener, &shared.join("packed-refs"), MAX_PACKED_BYTES)?;
    let line = text.lines().find(|line| line.strip_suffix(name).is_some_and(|rest| rest.ends_with(' ')))?;
    commit(line.split(' ').next()?)
}

fn text(opener: &Opener, path: &Path, most: usize) -> Option<String> {
    let document = document::read(opener, path, Path::new("/"), most).ok()?;
    (document.end == Completeness::Complete).then_some(document.text)
}

fn commit(text: &str) -> Option<String> {
    let is_commit = text.len() >= 40 && text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_commit.then(|| text.to_owned())
}

fn is_ref(name: &str) -> bool {
    name.starts_with("refs/") && Path::new(name).components().all(|part| matches!(part, Component::Normal(_)))
}
