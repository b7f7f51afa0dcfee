//! What git's index says about the files of a work tree: which of them are as they were when git last looked, so that their contents
//! lie in the repository already. The index is only ever read.

use fore_sandbox::{
    edit::FileMark,
    small_file::{self, LinkPolicy},
};
use std::path::{Path, PathBuf};

const MAX_INDEX_BYTES: u64 = 256 << 20;
const MAX_POINTER_BYTES: u64 = 16 << 10;
/// Fields of fixed length in front of an object's name, and the bytes of that name.
const HEAD_BYTES: usize = 40;
const NAME_BYTES: usize = 20;
const NANOSECONDS: i64 = 1_000_000_000;

/// The files of an index, by their paths.
#[derive(Debug, Default)]
pub(super) struct GitIndex {
    /// What it was read from.
    mark: Option<FileMark>,
    entries: Vec<IndexEntry>,
}

#[derive(Debug)]
struct IndexEntry {
    path: Vec<u8>,
    changed: (u32, u32),
    modified: (u32, u32),
    inode: u32,
    size: u32,
    is_executable: bool,
    name: [u8; NAME_BYTES],
}

impl GitIndex {
    /// The index of the repository whose work tree begins in a folder. One that is not understood has no files.
    pub(super) fn read(project: &Path) -> GitIndex {
        let Some(path) = path_of(project) else { return GitIndex::default() };
        let Some(mark) = FileMark::at(&path) else { return GitIndex::default() };
        let bytes = small_file::read(&path, LinkPolicy::Refused, MAX_INDEX_BYTES);
        let entries = bytes.and_then(|bytes| parse(&bytes)).unwrap_or_default();
        GitIndex { mark: Some(mark), entries }
    }

    /// Whether the file is still the one that was read.
    pub(super) fn is_current(&self, project: &Path) -> bool {
        self.mark == path_of(project).and_then(|path| FileMark::at(&path))
    }

    /// The object that holds what an ordinary file holds; none if the file may have changed since git looked.
    pub(super) fn object(&self, path: &str, mark: &FileMark) -> Option<String> {
        let at = self.entries.binary_search_by(|entry| entry.path.as_slice().cmp(path.as_bytes())).ok()?;
        let entry = self.entries.get(at)?;
        let index = self.mark?;
        let modified = nanoseconds(entry.modified);
        let is_same = nanoseconds(entry.changed) == mark.changed_ns
            && modified == mark.modified_ns
            && u64::from(entry.size) == mark.size
            && entry.inode == mark.inode as u32
            && entry.is_executable == (mark.mode & 0o100 != 0)
            // Of a file that changed when the index was written, or later, git is not sure either.
            && modified < index.modified_ns;
        is_same.then(|| entry.name.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

fn nanoseconds((seconds, rest): (u32, u32)) -> i64 {
    i64::from(seconds).saturating_mul(NANOSECONDS).saturating_add(i64::from(rest))
}

fn path_of(project: &Path) -> Option<PathBuf> {
    let git = project.join(".git");
    if git.symlink_metadata().ok()?.is_dir() {
        return Some(git.join("index"));
    }
    let line = small_file::read(&git, LinkPolicy::Refused, MAX_POINTER_BYTES)?;
    let named = String::from_utf8(line).ok()?;
    Some(project.join(named.trim().strip_prefix("gitdir:")?.trim()).join("index"))
}

/// Versions 2 to 4, with names of twenty bytes.
fn parse(bytes: &[u8]) -> Option<Vec<IndexEntry>> {
    let mut rest = bytes.strip_prefix(b"DIRC")?;
    let version = take_u32(&mut rest)?;
    let count = usize::try_from(take_u32(&mut rest)?).ok()?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut entries: Vec<IndexEntry> = Vec::new();
    let mut previous: Vec<u8> = Vec::new();
    for _ in 0..count {
        let begin = rest;
        let mut fields = rest.get(..HEAD_BYTES)?;
        let mut field = || take_u32(&mut fields);
        let (changed, modified) = ((field()?, field()?), (field()?, field()?));
        let (_device, inode, mode) = (field()?, field()?, field()?);
        let (_user, _group, size) = (field()?, field()?, field()?);
        let name: [u8; NAME_BYTES] = rest.get(HEAD_BYTES..HEAD_BYTES + NAME_BYTES)?.try_into().ok()?;
        let mut after = rest.get(HEAD_BYTES + NAME_BYTES..)?;
        let flags = take_u16(&mut after)?;
        if flags & 0x4000 != 0 {
            if version < 3 {
                return None;
            }
            take_u16(&mut after)?;
        }
        if version == 4 {
            let stripped = take_offset(&mut after)?;
            previous.truncate(previous.len().checked_sub(stripped)?);
        } else {
            previous.clear();
        }
        let end = after.iter().position(|byte| *byte == 0)?;
        previous.extend_from_slice(after.get(..end)?);
        rest = if version == 4 {
            after.get(end.checked_add(1)?..)?
        } else {
            let length = begin.len() - after.len() + end;
            // One to eight bytes of nothing, up to a multiple of eight.
            begin.get((length / 8 + 1) * 8..)?
        };
        let (is_whole, is_file) = (flags & 0x3000 == 0, mode & 0o170_000 == 0o100_000);
        if is_whole && is_file {
            let is_executable = mode & 0o100 != 0;
            entries.push(IndexEntry { path: previous.clone(), changed, modified, inode, size, is_executable, name });
        }
    }
    let is_sorted = entries.is_sorted_by(|one, other| one.path < other.path);
    is_sorted.then_some(entries)
}

fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    let (head, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u32::from_be_bytes(*head))
}

fn take_u16(rest: &mut &[u8]) -> Option<u16> {
    let (head, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u16::from_be_bytes(*head))
}

/// Git's number of variable length.
fn take_offset(rest: &mut &[u8]) -> Option<usize> {
    let (first, mut after) = rest.split_first()?;
    let (mut byte, mut value) = (*first, usize::from(*first & 0x7f));
    while byte & 0x80 != 0 {
        let (next, more) = after.split_first()?;
        (byte, after) = (*next, more);
        value = value.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
    }
    *rest = after;
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>, version in 0_u32..6, count in 0_u32..5) {
            let head = [b"DIRC".as_slice(), &version.to_be_bytes(), &count.to_be_bytes(), &bytes].concat();
            let _ = parse(&head);
            let _ = parse(&bytes);
        }
    }
}
