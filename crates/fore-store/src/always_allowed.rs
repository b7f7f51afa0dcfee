//! Which commands the person allowed for good, project by project: `allowed.json` in the home. It never decides what that covers.

use crate::{
    error::{Result, StoreError},
    folder::{Access, Folder},
    home::Home,
    lock,
    replace::{self, Occupied},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

const FILE: &str = "allowed.json";
/// Locked while the list is changed, so that two changes at once both count.
const LOCK: &str = "allowed.lock";
const MAX_BYTES: usize = 1 << 20;
/// The most beginnings of commands for one project.
const MAX_COMMANDS: usize = 200;
const MAX_PROJECTS: usize = 1_000;

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AllowedFile {
    /// By the real path of the project, how commands begin that are not asked about.
    projects: BTreeMap<String, Vec<String>>,
}

/// Where the list is.
pub fn path(home: &Home) -> PathBuf {
    home.root.path_of(FILE)
}

/// How commands of this project begin that are not asked about. Makes nothing: no home and no list mean none.
pub fn read(home: &Path, project: &Path) -> Result<Vec<String>> {
    let all = match Folder::open(home) {
        Ok(folder) => read_file(&folder)?,
        Err(error) if error.is_missing() => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    Ok(project.to_str().and_then(|project| all.projects.get(project)).cloned().unwrap_or_default())
}

/// Puts a beginning of commands on the list of a project, or takes it off; says whether that changed anything.
pub fn set(home: &Home, project: &Path, command: &str, is_allowed: bool) -> Result<bool> {
    let project = project.to_str().ok_or_else(|| StoreError::NotUnicode { path: project.to_owned() })?;
    let guard = home.root.file(LOCK, Access::AppendOrMake)?;
    lock::take(&guard, &home.root.path_of(LOCK))?;
    let mut all = read_file(&home.root)?;
    let is_full = all.projects.len() >= MAX_PROJECTS && !all.projects.contains_key(project);
    let commands = all.projects.entry(project.to_owned()).or_default();
    let is_known = commands.iter().any(|known| known == command);
    if is_known == is_allowed {
        return Ok(false);
    }
    if is_allowed && (is_full || commands.len() >= MAX_COMMANDS) {
        let words = format!("`{}` is full; take something off it first", home.root.path_of(FILE).display());
        return Err(StoreError::Refused(words));
    }
    match is_allowed {
        true => commands.push(command.to_owned()),
        false => commands.retain(|known| known != command),
    }
    all.projects.retain(|_, commands| !commands.is_empty());
    let mut text = serde_json::to_vec_pretty(&all)?;
    text.push(b'\n');
    replace::write(&home.root, FILE, &text, Occupied::Replace)?;
    Ok(true)
}

fn read_file(folder: &Folder) -> Result<AllowedFile> {
    let file = match folder.file(FILE, Access::Read) {
        Ok(file) => file,
        Err(error) if error.is_missing() => return Ok(AllowedFile::default()),
        Err(error) => return Err(error),
    };
    let path = folder.path_of(FILE);
    let bytes = replace::read_bounded(file, MAX_BYTES).map_err(StoreError::io("read", &path))?;
    let broken = |why: String| {
        let path = path.display();
        StoreError::Refused(format!("`{path}` is not a list of allowed commands ({why}); fix it or delete it"))
    };
    let bytes = bytes.ok_or_else(|| broken(format!("it is larger than {MAX_BYTES} bytes")))?;
    serde_json::from_slice(&bytes).map_err(|error| broken(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_allowed_for_one_project_until_it_is_taken_back() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().join("home");
        let (shop, other) = (Path::new("/projects/shop"), Path::new("/projects/other"));
        assert_eq!(read(&root, shop).unwrap(), Vec::<String>::new());
        let home = Home::open(&root).unwrap();
        assert!(set(&home, shop, "npm test", true).unwrap());
        assert!(!set(&home, shop, "npm test", true).unwrap(), "it is there already");
        assert_eq!(read(&root, shop).unwrap(), ["npm test"]);
        assert_eq!(read(&root, other).unwrap(), Vec::<String>::new());
        assert!(!set(&home, other, "npm test", false).unwrap());
        assert!(set(&home, shop, "npm test", false).unwrap());
        assert_eq!(std::fs::read_to_string(path(&home)).unwrap(), "{\n  \"projects\": {}\n}\n");
    }

    #[test]
    fn a_list_that_is_not_understood_allows_nothing_and_is_not_overwritten() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        std::fs::write(path(&home), "[\"npm test\"]").unwrap();
        let root = temporary.path().join("home");
        assert!(read(&root, Path::new("/projects/shop")).unwrap_err().to_string().contains("fix it or delete it"));
        assert!(set(&home, Path::new("/projects/shop"), "npm test", true).is_err());
        assert_eq!(std::fs::read_to_string(path(&home)).unwrap(), "[\"npm test\"]");
    }
}
