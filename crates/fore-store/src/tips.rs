//! What a newcomer was shown and when: `tips.json` in the home, so that no tip comes back soon and the welcome not at all. It has no
//! words of its own.

use crate::{
    error::{Result, StoreError},
    folder::Access,
    home::Home,
    lock,
    replace::{self, Occupied},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fs::File};

/// Sessions that have to start before a tip is shown again.
pub(crate) const COOLDOWN: u64 = 20;

const FILE: &str = "tips.json";
/// Locked while the file is changed: a session may begin while the welcome is answered, and both count.
const LOCK: &str = "tips.lock";
const MAX_BYTES: usize = 64 << 10;

#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct ShownTips {
    /// Sessions that have started.
    sessions: u64,
    /// The session in which each tip was shown last, by its name.
    shown: BTreeMap<String, u64>,
    /// The welcome was answered or skipped.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    welcomed: bool,
}

/// Whether the welcome was answered or skipped once.
pub fn is_welcomed(home: &Home) -> Result<bool> {
    Ok(read(home)?.welcomed)
}

/// The welcome was answered or skipped.
pub fn welcomed(home: &Home) -> Result<()> {
    let _guard = locked(home)?;
    let state = ShownTips { welcomed: true, ..read(home)? };
    write(home, &state)
}

/// Counts a session, and gives the tip whose turn it is: one that was never shown, else the one shown longest ago,
/// unless that was less than a few sessions ago. What is given counts as shown.
pub fn next<'n>(home: &Home, names: &[&'n str]) -> Result<Option<&'n str>> {
    let _guard = locked(home)?;
    let mut state = read(home)?;
    state.sessions = state.sessions.saturating_add(1);
    // Names of older versions would stay for ever.
    state.shown.retain(|name, _| names.contains(&name.as_str()));
    let last = |name: &&&str| state.shown.get(**name).copied().unwrap_or(0);
    let due = names.iter().min_by_key(last).copied();
    let due =
        due.filter(|name| state.shown.get(*name).is_none_or(|last| state.sessions.saturating_sub(*last) >= COOLDOWN));
    if let Some(name) = due {
        state.shown.insert(name.to_owned(), state.sessions);
    }
    write(home, &state)?;
    Ok(due)
}

fn locked(home: &Home) -> Result<File> {
    let guard = home.root.file(LOCK, Access::AppendOrMake)?;
    lock::take(&guard, &home.root.path_of(LOCK))?;
    Ok(guard)
}

fn write(home: &Home, state: &ShownTips) -> Result<()> {
    let mut text = serde_json::to_vec_pretty(state)?;
    text.push(b'\n');
    replace::write(&home.root, FILE, &text, Occupied::Replace)?;
    Ok(())
}

/// A file that is damaged means that nothing was shown yet: at worst a tip comes back early.
fn read(home: &Home) -> Result<ShownTips> {
    let file = match home.root.file(FILE, Access::Read) {
        Ok(file) => file,
        Err(error) if error.is_missing() => return Ok(ShownTips::default()),
        Err(error) => return Err(error),
    };
    let path = home.root.path_of(FILE);
    let bytes = replace::read_bounded(file, MAX_BYTES).map_err(StoreError::io("read", path))?;
    Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tip_comes_back_after_twenty_sessions_and_not_before() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        let names = ["plan", "comments"];
        let shown: Vec<Option<&str>> = (0..23).map(|_| next(&home, &names).unwrap()).collect();
        let mut expected = vec![None; 23];
        for (session, name) in [(0, "plan"), (1, "comments"), (20, "plan"), (21, "comments")] {
            expected[session] = Some(name);
        }
        assert_eq!(shown, expected);
        assert_eq!(next(&home, &["plan", "comments", "diff"]).unwrap(), Some("diff"));
    }

    #[test]
    fn a_welcome_that_was_answered_stays_so_beside_the_tips() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        assert_eq!(next(&home, &["plan"]).unwrap(), Some("plan"));
        assert!(!is_welcomed(&home).unwrap());
        welcomed(&home).unwrap();
        assert_eq!(next(&home, &["plan"]).unwrap(), None);
        assert!(is_welcomed(&home).unwrap());
    }

    #[test]
    fn sessions_that_begin_while_the_welcome_is_answered_all_count() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| lock::until_free(|| next(&home, &[])));
            }
            scope.spawn(|| lock::until_free(|| welcomed(&home)));
        });
        assert_eq!(
            (read(&home).unwrap().sessions, is_welcomed(&home).unwrap()),
            (8, true),
            "none of them overwrote another"
        );
    }

    #[test]
    fn a_damaged_file_and_names_of_old_versions_do_no_harm() {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        for text in ["{", "[]", r#"{"sessions": 3, "shown": {"gone": 3}}"#] {
            std::fs::write(home.path().join(FILE), text).unwrap();
            assert_eq!(next(&home, &["plan"]).unwrap(), Some("plan"), "{text}");
        }
        assert_eq!(next(&home, &[]).unwrap(), None);
        let text = std::fs::read_to_string(home.path().join(FILE)).unwrap();
        assert_eq!(text, "{\n  \"sessions\": 5,\n  \"shown\": {}\n}\n");
    }
}
