//! The files by which git is led from one folder to another (`.git`, `commondir`, `gitdir`), read byte for byte as git does.

use crate::small_file::{self, LinkPolicy};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// As much as git reads of a file called `.git`.
const MAX_BYTES: u64 = 1 << 20;

/// Where such a file leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    /// As git finds it.
    pub(super) to: PathBuf,
    /// Whether git itself would have written it like this. Who writes it otherwise may mean another folder than a reader sees.
    pub(super) is_plain: bool,
}

/// What a file called `.git` names; none where git would refuse it.
pub(super) fn of_work_tree(file: &Path) -> Option<Pointer> {
    read(file, b"gitdir: ", file.parent()?)
}

/// What `commondir` in a git folder names.
pub(super) fn to_common(folder: &Path) -> Option<Pointer> {
    read(&folder.join("commondir"), b"", folder)
}

/// The `.git` of the work tree that a git folder is for.
pub(super) fn to_work_tree(folder: &Path) -> Option<Pointer> {
    read(&folder.join("gitdir"), b"", folder)
}

fn read(file: &Path, mark: &[u8], base: &Path) -> Option<Pointer> {
    let bytes = small_file::read(file, LinkPolicy::Followed, MAX_BYTES)?;
    let (path, is_plain) = parsed(bytes.strip_prefix(mark)?)?;
    Some(Pointer { to: base.join(path), is_plain })
}

/// Git takes the whole file but for line ends at its end, up to a zero byte.
fn parsed(bytes: &[u8]) -> Option<(&Path, bool)> {
    let is_line_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let length = bytes.iter().rposition(|byte| !is_line_end(byte))? + 1;
    let (text, end) = bytes.split_at(length);
    let path = text.split(|byte| *byte == 0).next().filter(|path| !path.is_empty())?;
    let is_word = |text: &str| !text.contains(char::is_control) && text.trim() == text;
    let is_plain = end == b"\n" && std::str::from_utf8(text).is_ok_and(is_word);
    Some((Path::new(OsStr::from_bytes(path)), is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_read_as_git_reads_it_and_is_plain_only_as_git_writes_it() {
        let page = [
            (&b"../..\n"[..], Some((&b"../.."[..], true))),
            (b"/a b/.git\n", Some((b"/a b/.git", true))),
            (b"../..", Some((b"../..", false))),
            (b"../..\r\n\n", Some((b"../..", false))),
            (b"../.. \n", Some((b"../.. ", false))),
            (b" ../..\n", Some((b" ../..", false))),
            (b"../..\n/../../x\n", Some((b"../..\n/../../x", false))),
            (b"../x\0y\n", Some((b"../x", false))),
            (b"../\xff\n", Some((b"../\xff", false))),
            (b"\0x\n", None),
            (b"\n\r\n", None),
            (b"", None),
        ];
        for (bytes, expected) in page {
            let expected = expected.map(|(path, is_plain)| (Path::new(OsStr::from_bytes(path)), is_plain));
            assert_eq!(parsed(bytes), expected, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "makes the files that are looked at")]
    fn a_file_called_git_needs_the_words_that_git_needs() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(".git");
        let page = [("gitdir: x\n", true), ("gitdir:x\n", false), ("x\n", false), ("GITDIR: x\n", false)];
        for (text, is_pointer) in page {
            std::fs::write(&file, text).unwrap();
            assert_eq!(of_work_tree(&file).is_some(), is_pointer, "{text}");
        }
    }
}
