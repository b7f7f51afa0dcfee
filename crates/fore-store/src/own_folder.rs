//! A folder of the home in which another crate of ours keeps whole files: put in place, moved and removed, never through a link. What is in
//! them is that crate's business.

use crate::{
    error::{Result, StoreError},
    folder::{Access, Folder, IfMissing},
    home::Home,
    lock,
    replace::{self, Occupied},
};
use std::{
    fs::{File, TryLockError},
    io::Write,
    path::Path,
    time::{Duration, Instant},
};

/// An open folder of the home, private to the person. It stays the same folder even if its path is swapped for something else.
#[derive(Debug)]
pub struct OwnFolder(Folder);

impl OwnFolder {
    /// Opens the folder that these names lead to from the home; none if one of them is not there.
    pub fn find(home: &Home, names: &[&str]) -> Result<Option<OwnFolder>> {
        match OwnFolder::walk(home, names, IfMissing::Fail) {
            Err(error) if error.is_missing() => Ok(None),
            other => other.map(Some),
        }
    }

    /// The same, making what is missing.
    pub fn make(home: &Home, names: &[&str]) -> Result<OwnFolder> {
        OwnFolder::walk(home, names, IfMissing::Make)
    }

    fn walk(home: &Home, names: &[&str], missing: IfMissing) -> Result<OwnFolder> {
        let mut folder: Option<Folder> = None;
        for name in names {
            let next = folder.as_ref().unwrap_or(&home.root).child(name, missing)?;
            next.make_private()?;
            folder = Some(next);
        }
        let none = || StoreError::Refused("a folder of the home needs a name".to_owned());
        folder.map(OwnFolder).ok_or_else(none)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Puts a new file in place: written beside it, synced, renamed. [`StoreError::Exists`] if the name is taken; of several who try at once
    /// one succeeds.
    pub fn put_new(&self, name: &str, bytes: &[u8]) -> Result<()> {
        replace::write(&self.0, name, bytes, Occupied::Refuse)
    }

    /// Puts a file in the place of the one that has the name, if any.
    pub fn put(&self, name: &str, bytes: &[u8]) -> Result<()> {
        replace::write(&self.0, name, bytes, Occupied::Replace)
    }

    /// What a plain file of ours holds; none if nothing has the name. More than `most` bytes are refused.
    pub fn read(&self, name: &str, most: usize) -> Result<Option<Vec<u8>>> {
        let file = match self.0.file(name, Access::Read) {
            Err(error) if error.is_missing() => return Ok(None),
            other => other?,
        };
        let path = self.0.path_of(name);
        let bytes = replace::read_bounded(file, most).map_err(StoreError::io("read", &path))?;
        let too_long =
            || StoreError::Refused(format!("`{}` is longer than {most} bytes, so it is not read", path.display()));
        bytes.map(Some).ok_or_else(too_long)
    }

    /// Whether something has this name.
    pub fn has(&self, name: &str) -> Result<bool> {
        Ok(self.0.facts(name)?.is_some())
    }

    /// At most `most` names of what is in it, in no order, without what is still being written.
    pub fn names(&self, most: usize) -> Result<Vec<String>> {
        let mut names = self.0.names(most)?;
        names.retain(|name| !name.starts_with('.'));
        Ok(names)
    }

    /// Moves whatever has the name into another folder, also what is no plain file: nothing is opened or followed. [`StoreError::Exists`] if
    /// the new name is taken.
    pub fn move_to(&self, name: &str, to: &OwnFolder, new_name: &str) -> Result<()> {
        self.0.move_to(name, &to.0, new_name)
    }

    /// Removes a file or a link; it is fine if nothing has the name.
    pub fn remove(&self, name: &str) -> Result<()> {
        match self.0.remove(name) {
            Err(error) if error.is_missing() => Ok(()),
            other => other,
        }
    }

    /// Removes what processes that died while they wrote have left behind.
    pub fn sweep(&self) {
        replace::sweep(&self.0);
    }

    /// Locks a file until it is closed, or until its process is gone; none if somebody else has it for longer than `wait`. It then names
    /// this process, for people.
    pub fn lock(&self, name: &str, wait: Duration) -> Result<Option<File>> {
        let mut file = self.0.file(name, Access::AppendOrMake)?;
        let path = self.0.path_of(name);
        let started = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if started.elapsed() < wait => std::thread::sleep(lock::BETWEEN_TRIES),
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(StoreError::io("lock", path)(error)),
            }
        }
        let holder = format!("process {}\n", std::process::id());
        let written = file.set_len(0).and_then(|()| file.write_all(holder.as_bytes()));
        written.map_err(StoreError::io("write", path))?;
        Ok(Some(file))
    }

    /// Whether some process has this file locked.
    pub fn is_locked(&self, name: &str) -> Result<bool> {
        let file = match self.0.file(name, Access::Read) {
            Err(error) if error.is_missing() => return Ok(false),
            other => other?,
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(StoreError::io("look at", self.0.path_of(name))(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Home, OwnFolder) {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        let folder = OwnFolder::make(&home, &["teams", "shop"]).unwrap();
        (temporary, home, folder)
    }

    #[test]
    fn of_several_who_put_a_new_file_one_succeeds() {
        let (_temporary, _home, folder) = folder();
        let winners: usize = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..8)
                .map(|number: u8| {
                    let folder = &folder;
                    scope.spawn(move || match folder.put_new("decision", &[number]) {
                        Ok(()) => 1,
                        Err(StoreError::Exists { .. }) => 0,
                        Err(error) => panic!("{error}"),
                    })
                })
                .collect();
            tries.into_iter().map(|one| one.join().unwrap()).sum()
        });
        assert_eq!(winners, 1);
        assert_eq!(folder.names(10).unwrap(), ["decision"]);
    }

    #[test]
    fn names_lead_nowhere_else_and_links_are_not_followed() {
        let (temporary, home, folder) = folder();
        std::fs::write(temporary.path().join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink(temporary.path().join("secret"), folder.path().join("link")).unwrap();
        std::os::unix::fs::symlink(temporary.path(), home.path().join("teams/away")).unwrap();
        for name in ["../secret", "a/b", "..", ""] {
            assert!(matches!(folder.put_new(name, b"x"), Err(StoreError::BadName { .. })), "{name}");
            assert!(matches!(folder.read(name, 10), Err(StoreError::BadName { .. })), "{name}");
        }
        assert!(matches!(folder.read("link", 10), Err(StoreError::NotPlain { .. })));
        assert!(matches!(folder.put("link", b"x"), Err(StoreError::NotPlain { .. })));
        assert!(matches!(OwnFolder::find(&home, &["teams", "away"]), Err(StoreError::NotPlain { .. })));
        assert!(OwnFolder::find(&home, &["teams", "none"]).unwrap().is_none());
        // Out of the way it goes as it is.
        folder.move_to("link", &OwnFolder::make(&home, &["teams", "refused"]).unwrap(), "1").unwrap();
        assert_eq!(std::fs::read_to_string(temporary.path().join("secret")).unwrap(), "secret");
    }

    #[test]
    fn a_lock_belongs_to_one_process_until_it_lets_go() {
        let (_temporary, _home, folder) = folder();
        let held = folder.lock("lead.lock", Duration::ZERO).unwrap();
        assert!(held.is_some() && folder.is_locked("lead.lock").unwrap());
        assert!(folder.lock("lead.lock", Duration::from_millis(20)).unwrap().is_none());
        drop(held);
        assert!(!folder.is_locked("lead.lock").unwrap());
        assert!(folder.lock("lead.lock", Duration::ZERO).unwrap().is_some());
    }
}
