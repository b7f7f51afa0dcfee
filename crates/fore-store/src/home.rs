//! Where everything of ours lives: `~/.forethought`, or where `FORETHOUGHT_HOME` says. Private to the person.

use crate::{
    error::{Result, StoreError},
    folder::{Folder, IfMissing},
    keyring::Keyring,
};
use std::{
    ffi::OsString,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

/// The variable that moves the home.
pub const HOME_VARIABLE: &str = "FORETHOUGHT_HOME";

/// Our own folder, open, with the folders in it.
#[derive(Debug)]
pub struct Home {
    pub(crate) root: Folder,
    pub(crate) sessions: Arc<Folder>,
    pub(crate) plans: Arc<Folder>,
    pub(crate) claims: Arc<Folder>,
    pub(crate) revisions: Arc<Folder>,
    /// Where logins are kept, if the person has such a thing.
    pub(crate) keyring: Option<Keyring>,
}

impl Home {
    /// Where the home is: the variable if it is set, else in the person's home folder.
    pub fn locate(variable: Option<OsString>, user_home: Option<PathBuf>) -> Result<PathBuf> {
        match (variable.filter(|value| !value.is_empty()), user_home.filter(|path| path.is_absolute())) {
            (Some(value), _) => {
                let path = PathBuf::from(value);
                if path.is_absolute() && !path.components().any(|part| part == Component::ParentDir) {
                    Ok(path)
                } else {
                    Err(StoreError::BadHome(format!(
                        "{HOME_VARIABLE} is `{}`, which is not an absolute path without `..`; set it to one or unset it",
                        path.display()
                    )))
                }
            }
            (None, Some(user_home)) => Ok(user_home.join(".forethought")),
            (None, None) => Err(StoreError::BadHome(format!(
                "your home folder is unknown; set HOME, or {HOME_VARIABLE} to the folder to keep sessions and plans in"
            ))),
        }
    }

    /// Opens the home and makes what is missing.
    pub fn open(path: &Path) -> Result<Home> {
        drop(open_or_make(path)?);
        // The real path: the one that the model is told, the gate compares and the tools open.
        let path = path.canonicalize().map_err(StoreError::io("find the folder", path))?;
        let root = Folder::open(&path)?;
        root.make_private()?;
        let child = |name| {
            let folder = root.child(name, IfMissing::Make)?;
            folder.make_private()?;
            Ok::<Arc<Folder>, StoreError>(Arc::new(folder))
        };
        let (sessions, plans) = (child("sessions")?, child("plans")?);
        let (claims, revisions) = (child("claims")?, child("revisions")?);
        Ok(Home { root, sessions, plans, claims, revisions, keyring: None })
    }

    /// With the keyring of the desktop whose bus is at this address; one that is no socket of this machine is not used.
    #[must_use]
    pub fn with_keyring(self, bus: Option<&str>) -> Home {
        Home { keyring: bus.and_then(Keyring::behind), ..self }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// Where plans are kept unless a project says otherwise.
    pub fn plans_path(&self) -> &Path {
        self.plans.path()
    }
}

/// Opens the folder at a path, making it and the folders above it where they are missing.
fn open_or_make(path: &Path) -> Result<Folder> {
    match Folder::open(path) {
        Err(error) if error.is_missing() => {}
        other => return other,
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Folder::open(path);
    };
    let name = name.to_str().ok_or_else(|| StoreError::NotUnicode { path: path.to_owned() })?;
    open_or_make(parent)?.child(name, IfMissing::Make)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_home_is_beside_the_persons_files_unless_the_variable_moves_it() {
        let user = Some(PathBuf::from("/users/ada"));
        let page = [
            (None, user.clone(), Some("/users/ada/.forethought")),
            (Some("/elsewhere/fore"), user.clone(), Some("/elsewhere/fore")),
            (Some("/elsewhere/fore"), None, Some("/elsewhere/fore")),
            (Some(""), user.clone(), Some("/users/ada/.forethought")),
            (Some("fore"), user.clone(), None),
            (Some("/a/../b"), user, None),
            (None, None, None),
            (None, Some(PathBuf::from("relative")), None),
        ];
        for (variable, user_home, expected) in page {
            let found = Home::locate(variable.map(OsString::from), user_home).ok();
            assert_eq!(found, expected.map(PathBuf::from), "{variable:?}");
        }
    }

    #[test]
    fn the_home_and_its_folders_are_private_also_when_they_were_not() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("deep/home");
        drop(Home::open(&path).unwrap());
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        drop(Home::open(&path).unwrap());
        for folder in ["", "sessions", "plans", "claims", "revisions"] {
            let mode = std::fs::metadata(path.join(folder)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{folder}");
        }
    }

    #[test]
    fn a_folder_of_ours_that_was_swapped_for_a_link_is_refused() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("home");
        drop(Home::open(&path).unwrap());
        std::fs::remove_dir(path.join("plans")).unwrap();
        std::os::unix::fs::symlink(temporary.path(), path.join("plans")).unwrap();
        let error = Home::open(&path).unwrap_err().to_string();
        assert!(error.contains("plans` is a symbolic link"), "{error}");
    }
}
