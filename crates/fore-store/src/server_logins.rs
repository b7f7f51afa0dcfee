//! What servers gave after a login: `logins.json` in the home, one for each address. Secrets: the file is the person's alone, and no sandbox
//! shows it. It does not know what they say.

use crate::{
    error::{Result, StoreError},
    folder::{Access, Folder},
    home::Home,
    lock,
    replace::{self, Occupied},
};
use fore_plan::plan::Hash;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fs::File, path::PathBuf};

const FILE: &str = "logins.json";
/// Locked while the file is changed: two sessions may get new tokens at once.
const LOCK: &str = "logins.lock";
/// Held while a login is renewed.
const RENEWAL: &str = "logins-renewal.lock";
const MAX_BYTES: usize = 4 << 20;
const MAX_LOGINS: usize = 500;
/// Of one login.
const MAX_LOGIN_BYTES: usize = 256 << 10;

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LoginsFile {
    /// By the hash of the address, which may hold a secret itself.
    logins: BTreeMap<String, String>,
}

/// Where they are.
pub fn path(home: &Home) -> PathBuf {
    home.root.path_of(FILE)
}

/// What the server at this address gave.
pub fn get(home: &Home, address: &str) -> Result<Option<String>> {
    Ok(read_file(&home.root)?.logins.remove(&key(address)))
}

/// Keeps it instead of what was kept for this address; without anything new it is forgotten. Says whether that changed anything.
pub fn put(home: &Home, address: &str, login: Option<&str>) -> Result<bool> {
    let guard = home.root.file(LOCK, Access::AppendOrMake)?;
    lock::take(&guard, &home.root.path_of(LOCK))?;
    let mut all = read_file(&home.root)?;
    let before = match login {
        Some(login) if login.len() > MAX_LOGIN_BYTES => {
            return Err(StoreError::Refused("what the server gave is too large to keep".into()));
        }
        Some(login) => all.logins.insert(key(address), login.to_owned()),
        None => all.logins.remove(&key(address)),
    };
    if before.as_deref() == login {
        return Ok(false);
    }
    let mut text = serde_json::to_vec_pretty(&all)?;
    text.push(b'\n');
    if all.logins.len() > MAX_LOGINS || text.len() > MAX_BYTES {
        let words = format!("`{}` is full; log out of something first", path(home).display());
        return Err(StoreError::Refused(words));
    }
    replace::write(&home.root, FILE, &text, Occupied::Replace)?;
    Ok(true)
}

/// Keeps other sessions from renewing a login as long as the file lives; none where one of them does now.
pub fn hold_renewal(home: &Home) -> Result<Option<File>> {
    let file = home.root.file(RENEWAL, Access::AppendOrMake)?;
    Ok(file.try_lock().is_ok().then_some(file))
}

fn key(address: &str) -> String {
    Hash::of(address.as_bytes()).to_string()
}

fn read_file(folder: &Folder) -> Result<LoginsFile> {
    let file = match folder.file(FILE, Access::Read) {
        Ok(file) => file,
        Err(error) if error.is_missing() => return Ok(LoginsFile::default()),
        Err(error) => return Err(error),
    };
    let path = folder.path_of(FILE);
    let bytes = replace::read_bounded(file, MAX_BYTES).map_err(StoreError::io("read", &path))?;
    // What is wrong with it is not quoted: it is full of secrets.
    let found = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    found.ok_or_else(|| StoreError::Refused(format!("`{}` cannot be read; delete it and log in again", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_login_is_kept_for_its_address_alone_in_a_private_file_until_it_is_forgotten() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        let (docs, other) = ("https://docs.example/mcp?key=s3cret", "https://docs.example/other");
        assert_eq!(get(&home, docs).unwrap(), None);
        assert!(put(&home, docs, Some("t1")).unwrap());
        assert!(!put(&home, docs, Some("t1")).unwrap(), "it is there already");
        assert!(put(&home, docs, Some("t2")).unwrap());
        assert_eq!((get(&home, docs).unwrap().as_deref(), get(&home, other).unwrap()), (Some("t2"), None));
        assert_eq!(std::fs::metadata(path(&home)).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!std::fs::read_to_string(path(&home)).unwrap().contains("s3cret"));
        let held = hold_renewal(&home).unwrap();
        assert!(held.is_some() && hold_renewal(&home).unwrap().is_none(), "one at a time");
        drop(held);
        assert!(hold_renewal(&home).unwrap().is_some());
        assert!(put(&home, docs, None).unwrap());
        assert!(!put(&home, docs, None).unwrap());
        assert_eq!(get(&home, docs).unwrap(), None);
    }

    #[test]
    fn a_file_that_is_not_understood_is_left_as_it_is_and_not_quoted() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        std::fs::write(path(&home), "[\"s3cret\"]").unwrap();
        let words = get(&home, "https://docs.example").unwrap_err().to_string();
        assert!(words.contains("cannot be read") && !words.contains("s3cret"), "{words}");
        assert!(put(&home, "https://docs.example", Some("t")).is_err());
        assert!(put(&home, "https://docs.example", Some(&"x".repeat(MAX_LOGIN_BYTES + 1))).is_err());
        assert_eq!(std::fs::read_to_string(path(&home)).unwrap(), "[\"s3cret\"]");
    }
}
