//! The settings of another agent as a file: read whole, and put in the place of exactly the text that was read. What stands in it is
//! none of its business, and it is written only because the person said so.

use crate::{
    error::{Result, StoreError},
    folder::{Access, Folder, IfMissing},
    replace,
};
use std::{
    fs::Permissions,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

const MAX_BYTES: usize = 4 << 20;

/// A file in a folder of a project or of the home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSettings {
    /// A folder that is there.
    pub root: PathBuf,
    /// The names that lead from it to the file; folders that are missing are made.
    pub names: Vec<String>,
}

impl AgentSettings {
    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.names.iter().fold(self.root.clone(), |path, name| path.join(name))
    }

    /// What it says; none where there is no file.
    pub fn read(&self) -> Result<Option<String>> {
        let found = self.folder(IfMissing::Fail).and_then(|(folder, name)| folder.file(name, Access::Read));
        let file = match found {
            Ok(file) => file,
            Err(error) if error.is_missing() => return Ok(None),
            Err(error) => return Err(error),
        };
        let path = self.path();
        let refused = |why: &str| StoreError::Refused(format!("`{}` {why}", path.display()));
        let bytes = replace::read_bounded(file, MAX_BYTES).map_err(StoreError::io("read", &path))?;
        let bytes = bytes.ok_or_else(|| refused("is larger than 4 MiB"))?;
        String::from_utf8(bytes).map(Some).map_err(|_| refused("is not UTF-8 text"))
    }

    /// Puts a text in the place of the one that was read before; of another one nothing is changed. None: the file is taken away.
    pub fn replace(&self, before: Option<&str>, text: Option<&str>) -> Result<()> {
        if self.read()?.as_deref() != before {
            let words = format!("`{}` was changed meanwhile; nothing was written", self.path().display());
            return Err(StoreError::Refused(words));
        }
        let missing = if text.is_some() { IfMissing::Make } else { IfMissing::Fail };
        let (folder, name) = self.folder(missing)?;
        match text {
            Some(text) => replace::write_shared(&folder, name, text.as_bytes(), self.mode()),
            None => folder.remove(name),
        }
    }

    /// Who else may read it stays as it was.
    fn mode(&self) -> Permissions {
        let found = std::fs::symlink_metadata(self.path()).map(|found| found.permissions().mode() & 0o777);
        Permissions::from_mode(found.unwrap_or(0o644))
    }

    fn folder(&self, missing: IfMissing) -> Result<(Folder, &str)> {
        let Some((name, folders)) = self.names.split_last() else {
            return Err(StoreError::BadName { name: String::new() });
        };
        let root = Folder::open(&self.root)?;
        let folder = folders.iter().try_fold(root, |folder, name| folder.child(name, missing))?;
        Ok((folder, name))
    }
}

/// The file of this path beneath a folder that is there.
pub fn beneath(root: &Path, path: &str) -> AgentSettings {
    AgentSettings { root: root.to_owned(), names: path.split('/').map(str::to_owned).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_only_where_it_is_the_one_that_was_read() {
        let root = tempfile::tempdir().unwrap();
        let file = beneath(root.path(), ".claude/settings.json");
        assert_eq!(file.read().unwrap(), None);
        file.replace(None, Some("{}\n")).unwrap();
        assert_eq!(file.read().unwrap().as_deref(), Some("{}\n"));
        assert_eq!(std::fs::metadata(file.path()).unwrap().permissions().mode() & 0o777, 0o644);
        let words = file.replace(Some("{ }"), Some("x")).unwrap_err().to_string();
        assert!(words.contains("was changed meanwhile"), "{words}");
        std::fs::set_permissions(file.path(), Permissions::from_mode(0o600)).unwrap();
        file.replace(Some("{}\n"), Some("{\"a\": 1}\n")).unwrap();
        assert_eq!(std::fs::metadata(file.path()).unwrap().permissions().mode() & 0o777, 0o600);
        file.replace(Some("{\"a\": 1}\n"), None).unwrap();
        assert!(!file.path().exists());
    }

    #[test]
    fn a_link_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("other.json"), "{}").unwrap();
        std::os::unix::fs::symlink("other.json", root.path().join("settings.json")).unwrap();
        let file = beneath(root.path(), "settings.json");
        assert!(file.read().is_err() && file.replace(Some("{}"), Some("x")).is_err());
        assert_eq!(std::fs::read_to_string(root.path().join("other.json")).unwrap(), "{}");
    }
}
