//! Which folders the person trusts: `trusted.json` in the home, and beside it what their files said when they were trusted. A folder inside a
//! trusted one is trusted. It never decides what trust allows.

mod content;

pub use content::{SeenContent, SeenFile};

use crate::{
    error::{Result, StoreError},
    folder::{Access, Folder},
    home::Home,
    lock,
    replace::{self, Occupied},
};
use serde::{Deserialize, Serialize};
use std::{
    fs::File,
    path::{Path, PathBuf},
};

const FILE: &str = "trusted.json";
/// Locked while the list is changed, so that two changes at once both count.
const LOCK: &str = "trusted.lock";
const MAX_BYTES: usize = 1 << 20;
/// The most folders that are kept.
pub(crate) const MAX_FOLDERS: usize = 4096;

/// The folders that the person trusts, as real paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustedFolders {
    folders: Vec<String>,
}

/// What a change of the list came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustChange {
    /// It is otherwise now.
    Yes,
    /// It was so before.
    Already,
}

impl TrustedFolders {
    /// Reads the list in this home. Makes nothing: no home and no list mean that nothing is trusted.
    pub fn read(home: &Path) -> Result<TrustedFolders> {
        match Folder::open(home) {
            Ok(folder) => read(&folder),
            Err(error) if error.is_missing() => Ok(TrustedFolders::default()),
            Err(error) => Err(error),
        }
    }

    /// The trusted folder that a folder is or lies in. The path has to be a real one.
    pub fn covering(&self, folder: &Path) -> Option<&Path> {
        // The whole disk is never trusted, also if somebody wrote it into the file.
        let covers =
            |trusted: &&Path| trusted.is_absolute() && trusted.parent().is_some() && folder.starts_with(trusted);
        self.folders.iter().map(Path::new).find(covers)
    }

    /// All of them.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(Path::new)
    }
}

/// Trusts a folder and everything in it. Links in its path are resolved first.
pub fn add(home: &Home, folder: &Path) -> Result<(PathBuf, TrustChange)> {
    let real = folder.canonicalize().map_err(StoreError::io("find the folder", folder))?;
    if !real.is_dir() {
        return Err(StoreError::Refused(format!("`{}` is not a folder; name one", real.display())));
    }
    if real.parent().is_none() {
        return Err(StoreError::Refused("the whole disk cannot be trusted; name the folder of a project".into()));
    }
    let text = real.to_str().ok_or_else(|| StoreError::NotUnicode { path: real.clone() })?.to_owned();
    let changed = change(home, |folders| {
        if folders.contains(&text) {
            return Ok(TrustChange::Already);
        }
        if folders.len() >= MAX_FOLDERS {
            let words = format!("{MAX_FOLDERS} folders are trusted already; remove some with `fore trust --remove`");
            return Err(StoreError::Refused(words));
        }
        folders.push(text);
        folders.sort();
        Ok(TrustChange::Yes)
    })?;
    Ok((real, changed))
}

/// Takes a folder off the list, also one that is no longer there.
pub fn remove(home: &Home, folder: &Path) -> Result<(PathBuf, TrustChange)> {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let changed = change(home, |folders| {
        let before = folders.len();
        folders.retain(|known| Path::new(known) != real && Path::new(known) != folder);
        Ok(if folders.len() < before { TrustChange::Yes } else { TrustChange::Already })
    })?;
    content::forget_inside(home, &real)?;
    Ok((real, changed))
}

fn change(home: &Home, with: impl FnOnce(&mut Vec<String>) -> Result<TrustChange>) -> Result<TrustChange> {
    let _lock = locked(&home.root)?;
    let mut trusted = read(&home.root)?;
    let changed = with(&mut trusted.folders)?;
    if changed == TrustChange::Yes {
        let mut text = serde_json::to_vec_pretty(&trusted)?;
        text.push(b'\n');
        replace::write(&home.root, FILE, &text, Occupied::Replace)?;
    }
    Ok(changed)
}

fn locked(folder: &Folder) -> Result<File> {
    let file = folder.file(LOCK, Access::AppendOrMake)?;
    lock::take(&file, &folder.path_of(LOCK))?;
    Ok(file)
}

fn read(folder: &Folder) -> Result<TrustedFolders> {
    let file = match folder.file(FILE, Access::Read) {
        Ok(file) => file,
        Err(error) if error.is_missing() => return Ok(TrustedFolders::default()),
        Err(error) => return Err(error),
    };
    let path = folder.path_of(FILE);
    let bytes = replace::read_bounded(file, MAX_BYTES).map_err(StoreError::io("read", &path))?;
    let broken = |why: String| {
        let path = path.display();
        StoreError::Refused(format!(
            "`{path}` is not a list of trusted folders ({why}); fix it, or delete it and trust again"
        ))
    };
    let bytes = bytes.ok_or_else(|| broken(format!("it is larger than {MAX_BYTES} bytes")))?;
    serde_json::from_slice(&bytes).map_err(|error| broken(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> (tempfile::TempDir, Home, PathBuf) {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        let home = Home::open(&root.join("home")).unwrap();
        std::fs::create_dir_all(root.join("projects/shop/src")).unwrap();
        (temporary, home, root)
    }

    #[test]
    fn a_folder_inside_a_trusted_one_is_trusted_and_one_beside_it_is_not() {
        let (_keep, home, root) = home();
        let shop = root.join("projects/shop");
        assert_eq!(add(&home, &shop).unwrap(), (shop.clone(), TrustChange::Yes));
        assert_eq!(add(&home, &shop).unwrap(), (shop.clone(), TrustChange::Already));
        let trusted = TrustedFolders::read(home.path()).unwrap();
        let page = [
            (shop.clone(), true),
            (shop.join("src"), true),
            (root.join("projects"), false),
            (root.join("projects/shop-2"), false),
            (PathBuf::from("/"), false),
        ];
        for (folder, expected) in page {
            assert_eq!(trusted.covering(&folder).is_some(), expected, "{}", folder.display());
        }
        assert_eq!(remove(&home, &shop).unwrap(), (shop.clone(), TrustChange::Yes));
        assert_eq!(remove(&home, &shop).unwrap(), (shop, TrustChange::Already));
        assert_eq!(TrustedFolders::read(home.path()).unwrap(), TrustedFolders::default());
    }

    #[test]
    fn a_link_is_trusted_as_the_folder_it_leads_to() {
        let (_keep, home, root) = home();
        std::os::unix::fs::symlink(root.join("projects/shop"), root.join("link")).unwrap();
        assert_eq!(add(&home, &root.join("link")).unwrap(), (root.join("projects/shop"), TrustChange::Yes));
    }

    #[test]
    fn the_whole_disk_is_never_trusted_whoever_says_so() {
        let (_keep, home, _root) = home();
        let words = add(&home, Path::new("/")).unwrap_err().to_string();
        assert_eq!(words, "the whole disk cannot be trusted; name the folder of a project");
        std::fs::write(home.path().join(FILE), r#"{"folders": ["/", "projects"]}"#).unwrap();
        assert_eq!(TrustedFolders::read(home.path()).unwrap().covering(Path::new("/projects")), None);
    }

    #[test]
    fn a_folder_that_is_gone_can_still_be_taken_off_the_list() {
        let (_keep, home, root) = home();
        let shop = root.join("projects/shop");
        add(&home, &shop).unwrap();
        std::fs::remove_dir_all(&shop).unwrap();
        assert_eq!(remove(&home, &shop).unwrap(), (shop, TrustChange::Yes));
    }

    #[test]
    fn no_home_means_nothing_is_trusted_and_makes_none() {
        let (_keep, _home, root) = home();
        assert_eq!(TrustedFolders::read(&root.join("nowhere")).unwrap(), TrustedFolders::default());
        assert!(!root.join("nowhere").exists());
    }

    #[test]
    fn a_list_that_cannot_be_read_is_an_error_and_is_not_overwritten() {
        let (_keep, home, root) = home();
        let file = home.path().join(FILE);
        std::fs::write(&file, "[]").unwrap();
        let words = add(&home, &root.join("projects")).unwrap_err().to_string();
        assert!(words.contains("trusted.json` is not a list of trusted folders"), "{words}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "[]");
    }

    #[test]
    fn two_who_trust_at_once_are_both_heard() {
        let (_keep, home, root) = home();
        let names: Vec<PathBuf> = (0..8).map(|number| root.join(format!("p{number}"))).collect();
        names.iter().for_each(|name| std::fs::create_dir(name).unwrap());
        std::thread::scope(|scope| {
            for name in &names {
                let home = &home;
                scope.spawn(move || lock::until_free(|| add(home, name)));
            }
        });
        let trusted = TrustedFolders::read(home.path()).unwrap();
        assert_eq!(trusted.folders().collect::<Vec<_>>(), names);
    }
}
