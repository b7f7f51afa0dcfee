//! Reads which folders are mount points. An overlay shows only the file system of its own folder, so mounts below need care.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Mount points strictly below `folder`, parents first, each once.
pub(super) fn below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(points(&std::fs::read("/proc/self/mountinfo")?, folder))
}

fn points(mountinfo: &[u8], folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = mountinfo
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.split(|byte| *byte == b' ').nth(4))
        .map(|field| PathBuf::from(unescape(field)))
        .filter(|point| point != folder && point.starts_with(folder))
        .collect();
    found.sort();
    found.dedup();
    found
}

/// The kernel writes space, tab, newline and backslash as three octal digits.
fn unescape(field: &[u8]) -> OsString {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, tail)) = rest.split_first() {
        let octal = tail
            .get(..3)
            .filter(|_| *first == b'\\')
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match octal {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(3..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_points_below_a_folder_come_parents_first_and_unescaped() {
        let text = b"22 1 8:1 / / rw - ext4 /dev/a rw\n\
                     30 22 0:5 / /w/b\\040c/d rw - tmpfs x rw\n\
                     29 22 0:5 / /w/b\\040c rw - tmpfs x rw\n\
                     31 22 0:5 / /wide rw - tmpfs x rw\n\
                     28 22 0:5 / /w rw - tmpfs x rw\n";
        assert_eq!(points(text, Path::new("/w")), [PathBuf::from("/w/b c"), PathBuf::from("/w/b c/d")]);
    }
}
