//! Temporary directories that tests fill: files, links and a repository whose commits have the same ids every time.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::tree::snapshot;

/// The time of the first commit, 2026-01-01 00:00:00 UTC; each further one is a minute later.
const FIRST_COMMIT: u64 = 1_767_225_600;

/// Why a workspace cannot be made as asked.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The path would leave the workspace.
    #[error("{} is no path inside of a workspace", .0.display())]
    Outside(PathBuf),
    /// The system refused.
    #[error("{}: {reason}", path.display())]
    Refused {
        /// The path.
        path: PathBuf,
        /// The reason.
        reason: io::Error,
    },
    /// `git` did not do it.
    #[error("git {arguments}: {words}")]
    Git {
        /// The arguments.
        arguments: String,
        /// What it said.
        words: String,
    },
}

/// A temporary directory; dropping it removes it.
#[derive(Debug)]
pub struct Workspace {
    directory: tempfile::TempDir,
    commits: u64,
}

impl Workspace {
    /// An empty workspace.
    #[expect(clippy::disallowed_methods, reason = "the error names the folder for temp files")]
    pub fn new() -> Result<Workspace, WorkspaceError> {
        let made = tempfile::Builder::new().prefix("workspace-").tempdir();
        let directory = made.map_err(|reason| WorkspaceError::Refused { path: std::env::temp_dir(), reason })?;
        Ok(Workspace { directory, commits: 0 })
    }

    /// An empty workspace in a folder of the caller's.
    pub(crate) fn new_in(folder: &Path) -> Result<Workspace, WorkspaceError> {
        let made = tempfile::Builder::new().prefix("workspace-").tempdir_in(folder);
        let directory = made.map_err(|reason| WorkspaceError::Refused { path: folder.to_owned(), reason })?;
        Ok(Workspace { directory, commits: 0 })
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Adds or replaces a file; directories above it are made.
    #[expect(clippy::disallowed_methods, reason = "tests set the stage in a temporary directory of their own")]
    pub fn file(self, path: &str, content: impl AsRef<[u8]>) -> Result<Workspace, WorkspaceError> {
        let full = self.inside(path)?;
        self.directories(full.parent().unwrap_or(self.path()))?;
        std::fs::write(&full, content).map_err(refused(&full))?;
        set_mode(&full, 0o644)?;
        Ok(self)
    }

    /// Adds or replaces a file that can be run.
    pub fn executable(self, path: &str, content: impl AsRef<[u8]>) -> Result<Workspace, WorkspaceError> {
        let made = self.file(path, content)?;
        set_mode(&made.inside(path)?, 0o755)?;
        Ok(made)
    }

    /// Adds a symbolic link; its target may be anything, also outside.
    #[cfg(unix)]
    #[expect(clippy::disallowed_methods, reason = "tests set the stage in a temporary directory of their own")]
    pub fn link(self, path: &str, target: &str) -> Result<Workspace, WorkspaceError> {
        let full = self.inside(path)?;
        self.directories(full.parent().unwrap_or(self.path()))?;
        std::os::unix::fs::symlink(target, &full).map_err(refused(&full))?;
        Ok(self)
    }

    /// Adds an empty directory.
    pub fn directory(self, path: &str) -> Result<Workspace, WorkspaceError> {
        let full = self.inside(path)?;
        self.directories(&full)?;
        Ok(self)
    }

    /// Makes a repository and commits everything in it.
    pub fn repository(self) -> Result<Workspace, WorkspaceError> {
        self.git(["init", "--quiet", "--initial-branch=main"])?;
        self.commit("first")
    }

    /// Commits everything; the ids depend on the content alone.
    pub fn commit(mut self, message: &str) -> Result<Workspace, WorkspaceError> {
        self.git(["add", "--all"])?;
        self.git(["commit", "--quiet", "--allow-empty", "--message", message])?;
        self.commits += 1;
        Ok(self)
    }

    /// Runs `git` here, with no settings but its own defaults; what it printed.
    #[expect(clippy::disallowed_methods, reason = "git makes the repositories that tests start from")]
    pub fn git<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Result<String, WorkspaceError> {
        let date = format!("{} +0000", FIRST_COMMIT + 60 * self.commits);
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
            command.env_remove(name);
        }
        command
            .args(["-c", "core.autocrlf=false", "-c", "commit.gpgsign=false", "-c", "gc.auto=0"])
            .args(arguments)
            .current_dir(self.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CEILING_DIRECTORIES", self.path().parent().unwrap_or(self.path()))
            .envs([("GIT_AUTHOR_NAME", "Test"), ("GIT_AUTHOR_EMAIL", "test@example.invalid")])
            .envs([("GIT_COMMITTER_NAME", "Test"), ("GIT_COMMITTER_EMAIL", "test@example.invalid")])
            .envs([("GIT_AUTHOR_DATE", &date), ("GIT_COMMITTER_DATE", &date)])
            .env("LC_ALL", "C");
        let arguments = command_words(&command);
        match command.output() {
            Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            Ok(output) => {
                let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                Err(WorkspaceError::Git { arguments, words })
            }
            Err(error) => Err(WorkspaceError::Git { arguments, words: error.to_string() }),
        }
    }

    /// All files with their contents as a page of text, without `.git`.
    pub fn snapshot(&self) -> Result<String, WorkspaceError> {
        snapshot(self.path()).map_err(refused(self.path()))
    }

    fn inside(&self, path: &str) -> Result<PathBuf, WorkspaceError> {
        let relative = Path::new(path);
        let plain = |component: Component<'_>| matches!(component, Component::Normal(_));
        if path.is_empty() || !relative.components().all(plain) {
            return Err(WorkspaceError::Outside(relative.to_owned()));
        }
        Ok(self.path().join(relative))
    }

    #[expect(clippy::disallowed_methods, reason = "tests set the stage in a temporary directory of their own")]
    fn directories(&self, full: &Path) -> Result<(), WorkspaceError> {
        std::fs::create_dir_all(full).map_err(refused(full))?;
        let below = |path: &&Path| path.starts_with(self.path()) && *path != self.path();
        full.ancestors().take_while(below).try_for_each(|path| set_mode(path, 0o755))
    }
}

/// Sets the mode that trees compare, so that it does not depend on who runs the test.
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "tests set the stage in a temporary directory of their own")]
fn set_mode(path: &Path, mode: u32) -> Result<(), WorkspaceError> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).map_err(refused(path))
}

#[cfg(not(unix))]
fn set_mode(_path: &Path, _mode: u32) -> Result<(), WorkspaceError> {
    Ok(())
}

fn refused(path: &Path) -> impl FnOnce(io::Error) -> WorkspaceError {
    let path = path.to_owned();
    move |reason| WorkspaceError::Refused { path, reason }
}

fn command_words(command: &Command) -> String {
    command.get_args().map(|argument| argument.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
