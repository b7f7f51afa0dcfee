//! What the judge is told about the machine. It looks up nothing itself.

use crate::{catalogue::Catalogue, finding::Reach};
use std::path::Path;

/// Everything besides the text that a verdict may depend on.
#[derive(Clone, Copy)]
pub struct ShellFacts<'a> {
    /// The programs that are known. Any other may do anything.
    pub catalogue: &'a Catalogue,
    /// The folder the command would run in; absolute.
    pub cwd: &'a Path,
    /// The person's home folder, for `~`.
    pub home: Option<&'a Path>,
    /// The one file that may be written: this session's plan.
    pub plan_file: Option<&'a Path>,
    /// Argv prefixes that the user vouches for as read-only (from user settings, never from a repository).
    pub vouched: &'a [Vec<String>],
    /// Who answers questions about folders.
    pub repositories: &'a dyn Repositories,
}

impl std::fmt::Debug for ShellFacts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShellFacts").field("cwd", &self.cwd).field("home", &self.home).finish_non_exhaustive()
    }
}

/// Answers what a verdict may ask about a folder.
pub trait Repositories {
    /// What the git configuration that applies there would make git do.
    fn at(&self, folder: &Path) -> GitFacts;

    /// Whether this name is found on the search path as a version manager's shim, which asks files of the working folder what
    /// to start, or as a link into the project around that folder.
    fn is_shim(&self, _program: &str, _folder: &Path) -> bool {
        false
    }

    /// Whether a file there may be named like an option (`-o`), so that `*` may become one. Who did not look says yes.
    fn may_hold_dashed_names(&self, _folder: &Path) -> bool {
        true
    }

    /// Whom the configuration that holds in a folder names as this partner. Who did not look, or cannot know, names nobody.
    fn hosts(&self, _partner: Partner<'_>, _folder: &Path) -> Vec<Reach> {
        Vec::new()
    }
}

/// Somebody whom a command talks to without naming a host: the configuration does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partner<'a> {
    /// A git remote by its name, or the one that git takes by itself.
    Remote {
        /// None for git's own choice.
        name: Option<&'a str>,
        /// Which of its addresses.
        direction: RemoteDirection,
    },
    /// Where packages come from.
    Registry(Registry),
    /// The server that `gh` talks to.
    Forge,
}

/// Which of a remote's addresses is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteDirection {
    /// The one that is read from.
    Fetch,
    /// The one that is written to.
    Push,
}

/// Where packages come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registry {
    /// Of npm, pnpm and yarn.
    Npm,
    /// Of cargo.
    Cargo,
    /// Of pip and uv.
    Pip,
    /// Of go: its proxies.
    Go,
}

/// What was found by probing a folder's git configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitFacts {
    /// No repository here; git has nothing to obey.
    NoRepository,
    /// A repository whose own configuration makes git run nothing.
    Quiet,
    /// These keys of the repository's configuration can make git run programs or rewrite files.
    Armed(Vec<String>),
    /// Nobody looked, or looking failed.
    Unprobed,
}

/// The same answer for every folder.
impl Repositories for GitFacts {
    fn at(&self, _folder: &Path) -> GitFacts {
        self.clone()
    }
}
