//! Decides whether the setting `plansDirectory` may be followed (B1). Looks at no disk: the caller hands in what is really there.

use crate::orders::gives_orders;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

const MAX_SETTING_BYTES: usize = 1_024;

/// Folders whose files are run, or read as orders, by their place alone: programs, and what agents and their plugins look for.
const READ_BY_PLACE: [&str; 14] = [
    "node_modules",
    ".bin",
    "bin",
    "sbin",
    "scripts",
    ".venv",
    "venv",
    "agents",
    "skills",
    "commands",
    "prompts",
    "hooks",
    "rules",
    "workflows",
];

/// A setting that is sound as text: a path downwards from the project root. What is on disk is not known yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryCandidate {
    parts: Vec<String>,
}

/// Why a setting is not followed; each is a sentence for the log. The default folder is used instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each variant says what it is")]
pub enum DirectoryRefusal {
    #[error("plansDirectory is empty, so the default folder is used.")]
    Empty,
    #[error("plansDirectory is longer than {MAX_SETTING_BYTES} bytes, so the default folder is used.")]
    TooLong,
    #[error("plansDirectory is not valid UTF-8, so the default folder is used.")]
    NotUtf8,
    #[error("plansDirectory {0:?} contains a control character, so the default folder is used.")]
    ControlCharacter(String),
    #[error(
        "plansDirectory {0:?} is absolute but must be relative to the project root, so the default folder is used."
    )]
    Absolute(String),
    #[error(
        "plansDirectory {0:?} begins with '~', which is not expanded here: it must be relative to the project root, so the default folder is used."
    )]
    Home(String),
    #[error(
        "plansDirectory {0:?} has a backslash or a drive letter: write it with '/', relative to the project root; the default folder is used."
    )]
    Windows(String),
    #[error("plansDirectory {0:?} climbs with '..', so the default folder is used.")]
    Climbs(String),
    #[error("plansDirectory {0:?} lies in git's own folder, so the default folder is used.")]
    GitFolder(String),
    #[error(
        "plansDirectory {0:?} lies where agents, editors or build tools take orders from, so the default folder is used."
    )]
    GivesOrders(String),
    #[error(
        "plansDirectory {0:?} is the project itself, where agents look for their instructions: name a folder in it, such as \"plans\"; the default folder is used."
    )]
    ProjectItself(String),
    #[error(
        "plansDirectory {0:?} lies where programs are run from or agents look for their instructions, so the default folder is used."
    )]
    ReadByPlace(String),
    #[error("plansDirectory {0:?} lies in Forethought's own folder, so the default folder is used.")]
    OwnFolder(String),
    #[error(
        "plansDirectory leads outside the project through the symlink {link:?} to {resolved:?}, so the default folder is used."
    )]
    LinkOutside { link: PathBuf, resolved: PathBuf },
    #[error("plansDirectory resolves to {0:?}, which is outside the project, so the default folder is used.")]
    Outside(PathBuf),
    #[error("plansDirectory resolves to {0:?}, which is not a folder, so the default folder is used.")]
    NotAFolder(PathBuf),
    #[error("plansDirectory could not be resolved ({0}), so the default folder is used.")]
    Unresolved(String),
}

/// What the caller found on disk for a [`DirectoryCandidate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectoryFacts<'a> {
    /// The project root with every symlink resolved.
    pub root: &'a Path,
    /// What is there.
    pub found: FoundDirectory<'a>,
    /// The first part of the candidate that is a symlink, as named from the root.
    pub link: Option<&'a Path>,
}

/// What the candidate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum FoundDirectory<'a> {
    /// A folder, with every symlink resolved.
    Folder(&'a Path),
    /// Something else, such as a file or a dangling symlink.
    NotAFolder(&'a Path),
    /// The last `missing` parts do not exist; `existing` is the real path of the part before them.
    Missing { existing: &'a Path, missing: usize },
    /// The disk did not tell, and why.
    Unknown(&'a str),
}

impl DirectoryCandidate {
    /// Reads the setting as text alone.
    pub fn read(setting: &OsStr) -> Result<Self, DirectoryRefusal> {
        let text = setting.to_str().ok_or(DirectoryRefusal::NotUtf8)?;
        if text.trim().is_empty() {
            return Err(DirectoryRefusal::Empty);
        }
        if text.len() > MAX_SETTING_BYTES {
            return Err(DirectoryRefusal::TooLong);
        }
        let shown = || text.to_owned();
        if text.chars().any(char::is_control) {
            return Err(DirectoryRefusal::ControlCharacter(shown()));
        }
        if text.starts_with('/') {
            return Err(DirectoryRefusal::Absolute(shown()));
        }
        if text.starts_with('~') {
            return Err(DirectoryRefusal::Home(shown()));
        }
        if text.split(['/', '\\']).any(|part| part == "..") {
            return Err(DirectoryRefusal::Climbs(shown()));
        }
        if text.contains('\\') || has_drive_letter(text) {
            return Err(DirectoryRefusal::Windows(shown()));
        }
        let parts: Vec<String> =
            text.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_owned).collect();
        if parts.iter().any(|part| part.eq_ignore_ascii_case(".git")) {
            return Err(DirectoryRefusal::GitFolder(shown()));
        }
        refuse_place(&parts.iter().collect::<PathBuf>(), shown)?;
        Ok(Self { parts })
    }

    /// The path to look at on disk.
    pub fn under(&self, root: &Path) -> PathBuf {
        self.parts.iter().fold(root.to_path_buf(), |path, part| path.join(part))
    }

    /// Decides by what is really there: a real path inside the project, perhaps still to be made, or why the default holds.
    pub fn decide(&self, facts: &DirectoryFacts<'_>) -> Result<PathBuf, DirectoryRefusal> {
        if !is_real(facts.root) {
            return Err(DirectoryRefusal::Unresolved(format!(
                "{} is not a real path of the project root",
                facts.root.display()
            )));
        }
        let (resolved, missing) = match facts.found {
            FoundDirectory::Folder(path) => (path, 0),
            FoundDirectory::Missing { existing, missing } => (existing, missing),
            FoundDirectory::NotAFolder(path) => return Err(DirectoryRefusal::NotAFolder(path.to_path_buf())),
            FoundDirectory::Unknown(why) => return Err(DirectoryRefusal::Unresolved(why.to_owned())),
        };
        if !is_real(resolved) || !resolved.starts_with(facts.root) {
            return Err(outside(resolved, facts.link));
        }
        if resolved.strip_prefix(facts.root).is_ok_and(in_git_folder) {
            return Err(DirectoryRefusal::GitFolder(resolved.display().to_string()));
        }
        let kept = self.parts.len().checked_sub(missing).and_then(|at| self.parts.get(at..));
        let rest = kept.ok_or_else(|| {
            DirectoryRefusal::Unresolved(format!("{missing} parts are said to be missing, it has {}", self.parts.len()))
        })?;
        let path = rest.iter().fold(resolved.to_path_buf(), |path, part| path.join(part));
        // A link may have led there.
        let place = path.strip_prefix(facts.root).unwrap_or(&path);
        refuse_place(place, || path.display().to_string())?;
        Ok(path)
    }
}

/// Refuses a place inside the project where a plan would be more than a text: somebody obeys or runs what lies there.
fn refuse_place(inside: &Path, shown: impl Fn() -> String) -> Result<(), DirectoryRefusal> {
    let is_read = |part: Component<'_>| READ_BY_PLACE.iter().any(|name| part.as_os_str().eq_ignore_ascii_case(name));
    match () {
        () if inside.as_os_str().is_empty() => Err(DirectoryRefusal::ProjectItself(shown())),
        () if gives_orders(inside) => Err(DirectoryRefusal::GivesOrders(shown())),
        () if inside.components().any(is_read) => Err(DirectoryRefusal::ReadByPlace(shown())),
        () => Ok(()),
    }
}

fn outside(resolved: &Path, link: Option<&Path>) -> DirectoryRefusal {
    match link {
        Some(link) => DirectoryRefusal::LinkOutside { link: link.to_path_buf(), resolved: resolved.to_path_buf() },
        None => DirectoryRefusal::Outside(resolved.to_path_buf()),
    }
}

/// A path that was resolved is absolute and climbs nowhere; anything else is a caller's mistake and is not trusted.
fn is_real(path: &Path) -> bool {
    path.is_absolute() && !path.components().any(|part| part == Component::ParentDir)
}

fn in_git_folder(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().eq_ignore_ascii_case(".git"))
}

fn has_drive_letter(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
#[path = "directory_tests.rs"]
mod tests;
