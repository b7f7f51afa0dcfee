//! A snapshot as bytes: each path without what it shares with the one before it, numbers as short as they are.

use super::{FileStamp, GitHead, MAX_FILES, SnapshotFile, SnapshotGap, WorkspaceSnapshot};
use std::{
    ffi::OsStr,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

/// The form of what follows; bytes of another form are no snapshot.
const FORM: &[u8] = b"fore before 1\n";

pub(super) fn write(snapshot: &WorkspaceSnapshot) -> Vec<u8> {
    let mut bytes = FORM.to_vec();
    put_text(&mut bytes, snapshot.root.as_os_str().as_bytes());
    put(&mut bytes, snapshot.gap.map_or(0, gap_number));
    put(&mut bytes, u64::from(snapshot.head.is_some()));
    if let Some(head) = &snapshot.head {
        put_text(&mut bytes, head.branch.as_deref().unwrap_or_default().as_bytes());
        put_text(&mut bytes, head.commit.as_deref().unwrap_or_default().as_bytes());
    }
    put(&mut bytes, snapshot.files.len() as u64);
    let mut last: &[u8] = b"";
    for SnapshotFile { path, facts } in &snapshot.files {
        let path = path.as_os_str().as_bytes();
        let shared = last.iter().zip(path).take_while(|(one, other)| one == other).count();
        put(&mut bytes, shared as u64);
        put_text(&mut bytes, path.get(shared..).unwrap_or_default());
        put(&mut bytes, u64::from(facts.mode));
        put(&mut bytes, facts.size);
        put(&mut bytes, facts.inode);
        put_signed(&mut bytes, facts.modified_ns);
        // Mostly the same as the other time, or near it.
        put_signed(&mut bytes, facts.changed_ns.wrapping_sub(facts.modified_ns));
        last = path;
    }
    bytes
}

pub(super) fn read(bytes: &[u8]) -> Option<WorkspaceSnapshot> {
    let mut rest = bytes.strip_prefix(FORM)?;
    let root = PathBuf::from(OsStr::from_bytes(text(&mut rest)?));
    let gap = gap_of(number(&mut rest)?)?;
    let head = match number(&mut rest)? {
        0 => None,
        1 => Some(GitHead { branch: word(&mut rest)?, commit: word(&mut rest)? }),
        _ => return None,
    };
    let count = usize::try_from(number(&mut rest)?).ok().filter(|count| *count <= MAX_FILES)?;
    // Made as it is read: a number alone must not take memory.
    let mut files: Vec<SnapshotFile> = Vec::new();
    let mut path: Vec<u8> = Vec::new();
    for _ in 0..count {
        let shared = usize::try_from(number(&mut rest)?).ok().filter(|shared| *shared <= path.len())?;
        path.truncate(shared);
        path.extend_from_slice(text(&mut rest)?);
        let mode = u32::try_from(number(&mut rest)?).ok()?;
        let (size, inode) = (number(&mut rest)?, number(&mut rest)?);
        let modified_ns = signed(&mut rest)?;
        let changed_ns = signed(&mut rest)?.wrapping_add(modified_ns);
        let file = SnapshotFile {
            path: Path::new(OsStr::from_bytes(&path)).into(),
            facts: FileStamp { mode, size, inode, modified_ns, changed_ns },
        };
        // Comparing rests on the order.
        if files.last().is_some_and(|last| last.path >= file.path) {
            return None;
        }
        files.push(file);
    }
    rest.is_empty().then_some(WorkspaceSnapshot { root, files, head, gap })
}

fn gap_number(gap: SnapshotGap) -> u64 {
    match gap {
        SnapshotGap::TooMany => 1,
        SnapshotGap::TooSlow => 2,
        SnapshotGap::Stopped => 3,
        SnapshotGap::Unreadable => 4,
    }
}

fn gap_of(number: u64) -> Option<Option<SnapshotGap>> {
    Some(match number {
        0 => None,
        1 => Some(SnapshotGap::TooMany),
        2 => Some(SnapshotGap::TooSlow),
        3 => Some(SnapshotGap::Stopped),
        4 => Some(SnapshotGap::Unreadable),
        _ => return None,
    })
}

/// Seven bits a byte, the lowest first; the eighth says that more follow.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Small numbers of both signs become small numbers.
fn put_signed(bytes: &mut Vec<u8>, number: i64) {
    put(bytes, ((number << 1) ^ (number >> 63)) as u64);
}

fn put_text(bytes: &mut Vec<u8>, text: &[u8]) {
    put(bytes, text.len() as u64);
    bytes.extend_from_slice(text);
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        let bits = u64::from(byte & 0x7f);
        let placed = bits << shift;
        if placed >> shift != bits {
            return None;
        }
        number |= placed;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn signed(rest: &mut &[u8]) -> Option<i64> {
    let number = number(rest)?;
    Some(((number >> 1) as i64) ^ -((number & 1) as i64))
}

fn text<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(number(rest)?).ok()?;
    let (text, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(text)
}

fn word(rest: &mut &[u8]) -> Option<Option<String>> {
    let text = String::from_utf8(text(rest)?.to_vec()).ok()?;
    Some(Some(text).filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_survive(value: u64, other: i64) {
            let mut bytes = Vec::new();
            put(&mut bytes, value);
            put_signed(&mut bytes, other);
            let mut rest = bytes.as_slice();
            prop_assert_eq!(number(&mut rest), Some(value));
            prop_assert_eq!(signed(&mut rest), Some(other));
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            let _ = read(&[FORM, bytes.as_slice()].concat());
        }
    }
}
