//! What servers gave after a login, one for each address: in the person's keyring or, where there is none, in `logins.json` of the home,
//! which is the person's alone and which no sandbox shows. It does not know what they say.

use crate::{
    error::{Result, StoreError},
    folder::{Access, Folder},
    home::Home,
    keyring::Keyring,
    lock,
    replace::{self, Occupied},
};
use fore_plan::plan::Hash;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    path::PathBuf,
};

const FILE: &str = "logins.json";
/// Locked while the file is changed: two sessions may get new tokens at once.
const LOCK: &str = "logins.lock";
/// Held while a login is renewed.
const RENEWAL: &str = "logins-renewal.lock";
const MAX_BYTES: usize = 4 << 20;
const MAX_LOGINS: usize = 500;
/// Of one login.
const MAX_LOGIN_BYTES: usize = 256 << 10;

#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct LoginsFile {
    /// By the hash of the address, which may hold a secret itself.
    logins: BTreeMap<String, String>,
    /// Those that are in the keyring.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    in_keyring: BTreeSet<String>,
}

/// Where they are that are in no keyring.
fn path(home: &Home) -> PathBuf {
    home.root.path_of(FILE)
}

/// What the server at this address gave.
pub fn get(home: &Home, address: &str) -> Result<Option<String>> {
    let mut all = read_file(&home.root)?;
    let key = key(address);
    match (&home.keyring, all.in_keyring.contains(&key)) {
        (_, false) => Ok(all.logins.remove(&key)),
        (Some(keyring), true) => keyring.get(&name_in_keyring(home, &key)),
        (None, true) => Err(StoreError::Refused("the login is in your keyring, which is not there".into())),
    }
}

/// Where it is kept, in words for the person.
pub fn place(home: &Home, address: &str) -> Result<String> {
    let path = path(home).display().to_string();
    Ok(match (&home.keyring, read_file(&home.root)?.in_keyring.contains(&key(address))) {
        (_, true) => "your keyring".to_owned(),
        (Some(_), false) => format!("{path}, because your keyring did not take it"),
        (None, false) => path,
    })
}

/// Keeps it instead of what was kept for this address, in the keyring if that takes it.
pub fn put(home: &Home, address: &str, login: &str) -> Result<()> {
    if login.len() > MAX_LOGIN_BYTES {
        return Err(StoreError::Refused("what the server gave is too large to keep".into()));
    }
    let key = key(address);
    let takes = |keyring: &Keyring| keyring.put(&name_in_keyring(home, &key), login).is_ok();
    let is_in_keyring = home.keyring.as_ref().is_some_and(takes);
    change(home, |all| {
        if is_in_keyring {
            all.logins.remove(&key);
            all.in_keyring.insert(key);
        } else {
            all.in_keyring.remove(&key);
            all.logins.insert(key, login.to_owned());
        }
    })
    .map(drop)
}

/// Forgets what was kept for this address. Says whether there was something.
pub fn forget(home: &Home, address: &str) -> Result<bool> {
    let key = key(address);
    if let Some(keyring) =
        home.keyring.as_ref().filter(|_| read_file(&home.root).is_ok_and(|all| all.in_keyring.contains(&key)))
    {
        keyring.remove(&name_in_keyring(home, &key))?;
    }
    change(home, |all| {
        all.logins.remove(&key);
        all.in_keyring.remove(&key);
    })
}

/// Changes the file. Says whether that changed anything.
fn change(home: &Home, change: impl FnOnce(&mut LoginsFile)) -> Result<bool> {
    let guard = home.root.file(LOCK, Access::AppendOrMake)?;
    lock::take(&guard, &home.root.path_of(LOCK))?;
    let before = read_file(&home.root)?;
    let mut all = read_file(&home.root)?;
    change(&mut all);
    if all == before {
        return Ok(false);
    }
    let mut text = serde_json::to_vec_pretty(&all)?;
    text.push(b'\n');
    if all.logins.len() + all.in_keyring.len() > MAX_LOGINS || text.len() > MAX_BYTES {
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

/// One keyring serves all homes of a person.
fn name_in_keyring(home: &Home, key: &str) -> String {
    Hash::of(format!("{}\n{key}", home.path().display()).as_bytes()).to_string()
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
        for login in ["t1", "t1", "t2"] {
            put(&home, docs, login).unwrap();
            assert_eq!(place(&home, docs).unwrap(), path(&home).display().to_string());
        }
        assert_eq!((get(&home, docs).unwrap().as_deref(), get(&home, other).unwrap()), (Some("t2"), None));
        assert_eq!(std::fs::metadata(path(&home)).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!std::fs::read_to_string(path(&home)).unwrap().contains("s3cret"));
        let held = hold_renewal(&home).unwrap();
        assert!(held.is_some() && hold_renewal(&home).unwrap().is_none(), "one at a time");
        drop(held);
        assert!(hold_renewal(&home).unwrap().is_some());
        assert!(forget(&home, docs).unwrap());
        assert!(!forget(&home, docs).unwrap());
        assert_eq!(get(&home, docs).unwrap(), None);
    }

    #[test]
    fn a_keyring_that_does_not_answer_is_said_and_what_is_in_it_is_not_taken_for_nothing() {
        let temporary = tempfile::tempdir().unwrap();
        let bus = format!("unix:path={}/bus", temporary.path().display());
        let home = Home::open(&temporary.path().join("home")).unwrap().with_keyring(Some(&bus));
        let docs = "https://docs.example/mcp";
        put(&home, docs, "t1").unwrap();
        let place = place(&home, docs).unwrap();
        assert!(place.ends_with("logins.json, because your keyring did not take it"), "{place}");
        assert_eq!(get(&home, docs).unwrap().as_deref(), Some("t1"));
        std::fs::write(path(&home), format!("{{\"logins\": {{}}, \"inKeyring\": [\"{}\"]}}", key(docs))).unwrap();
        assert!(get(&home, docs).unwrap_err().to_string().starts_with("your keyring cannot be used"));
        assert!(forget(&home, docs).is_err(), "a login that is still there is not called forgotten");
        let without = Home::open(&temporary.path().join("home")).unwrap();
        assert!(get(&without, docs).unwrap_err().to_string().contains("which is not there"));
        assert!(forget(&without, docs).unwrap());
    }

    #[test]
    fn a_file_that_is_not_understood_is_left_as_it_is_and_not_quoted() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        std::fs::write(path(&home), "[\"s3cret\"]").unwrap();
        let words = get(&home, "https://docs.example").unwrap_err().to_string();
        assert!(words.contains("cannot be read") && !words.contains("s3cret"), "{words}");
        assert!(put(&home, "https://docs.example", "t").is_err());
        assert!(put(&home, "https://docs.example", &"x".repeat(MAX_LOGIN_BYTES + 1)).is_err());
        assert_eq!(std::fs::read_to_string(path(&home)).unwrap(), "[\"s3cret\"]");
    }
}
