//! What is behind the paths that calls name: links, names, real places. It only looks.

use fore_plan::gate::{FileTarget, McpClaims, Paths};
use std::{
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// The longest path that a kernel takes; nothing can be at a longer one, and looking for it would take long.
const MAX_PATH_BYTES: usize = 4096;

/// The repository that a folder belongs to, else the folder itself.
pub fn project_of(cwd: &Path) -> PathBuf {
    let root = cwd.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
    root.unwrap_or(cwd).to_path_buf()
}

/// Looks up what is behind the paths that calls name.
#[derive(Debug)]
pub struct Disk<'a> {
    cwd: &'a Path,
    home: Option<&'a Path>,
}

impl<'a> Disk<'a> {
    /// Paths as a call in this folder means them.
    pub fn new(cwd: &'a Path, home: Option<&'a Path>) -> Disk<'a> {
        Disk { cwd, home }
    }

    /// Where a call's words lead. Some tools take `~/` for the home folder, so it is that here.
    fn absolute(&self, asked: &str) -> PathBuf {
        let in_home = asked.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let path = match (in_home, self.home) {
            (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
            _ => self.cwd.join(asked),
        };
        // Without a slash at the end, which would make the disk follow a link there.
        path.components().collect()
    }

    /// The folder, as text.
    pub fn text(&self) -> String {
        self.cwd.to_string_lossy().into_owned()
    }
}

impl Paths for Disk<'_> {
    fn resolve(&self, asked: &str) -> FileTarget {
        let path = self.absolute(asked);
        let found = path.symlink_metadata();
        let real = real_path(&path);
        // A path that is not text, or that no disk has, cannot be told from others: it is as little trusted as a link.
        let is_unclear = real.to_str().is_none() || path.as_os_str().len() > MAX_PATH_BYTES;
        FileTarget {
            asked: asked.to_owned(),
            real: real.to_string_lossy().into_owned(),
            is_link: is_unclear || found.as_ref().is_ok_and(std::fs::Metadata::is_symlink),
            names: found.map_or(0, |found| if found.is_dir() { 1 } else { found.nlink() }),
        }
    }

    fn cwd(&self) -> String {
        self.text()
    }

    fn is_read_only_agent(&self, name: &str) -> bool {
        matches!(name, "Explore" | "Plan")
    }

    /// No team is here.
    fn is_harmless_to_tell(&self, _name: &str) -> bool {
        false
    }

    /// No server is connected here, so none has marked anything.
    fn mcp_claims(&self, _server: &str, _tool: &str) -> McpClaims {
        McpClaims::default()
    }
}

/// The path without links: as far as it exists by the disk, the rest by its letters.
pub(crate) fn real_path(path: &Path) -> PathBuf {
    if path.as_os_str().len() > MAX_PATH_BYTES {
        return path.to_path_buf();
    }
    for folder in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (folder.canonicalize(), path.strip_prefix(folder)) {
            return fore_text::paths::folded(&real.join(rest));
        }
    }
    path.to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_no_disk_has_is_not_looked_for_and_as_little_trusted_as_a_link() {
        let folder = PathBuf::from("/projects/shop");
        let asked = "a/".repeat(MAX_PATH_BYTES);
        let target = Disk::new(&folder, None).resolve(&asked);
        assert_eq!((target.is_link, target.names), (true, 0));
        assert!(!target.is_plain());
        let target = Disk::new(&folder, None).resolve("a/b");
        assert_eq!((target.real.as_str(), target.is_link), ("/projects/shop/a/b", false));
    }
}
