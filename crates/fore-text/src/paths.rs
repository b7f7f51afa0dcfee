//! Reads paths by their letters alone; what a link would change is for others to find out.

use std::path::{Component, Path, PathBuf};

/// The path without `.` and `..`: each `..` takes away the name before it, and is dropped where there is none.
///
/// Only right where no part before a `..` is a link, or where every spelling of a path is to be compared as one.
pub fn folded(path: &Path) -> PathBuf {
    let mut folded = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(folded.pop()),
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => folded.push(part),
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

    #[test]
    fn dots_are_folded_by_letters() {
        let page = [
            ("/a/./b", "/a/b"),
            ("/a/../b", "/b"),
            ("/a/b/../../c", "/c"),
            // Nothing is above the root.
            ("/..", "/"),
            ("/../../etc", "/etc"),
            // A relative path has nothing to take away.
            ("../a", "a"),
            ("a/../../b", "b"),
            ("..", ""),
            (".", ""),
            ("", ""),
            // Slashes: more than one is one, the last does not count.
            ("//a///b//", "/a/b"),
            ("/a/b/", "/a/b"),
            ("/a/b/.", "/a/b"),
            ("/a/b/..", "/a"),
            // Names that only look like dots, and no home.
            ("/a/.../b", "/a/.../b"),
            ("/a/..b", "/a/..b"),
            ("~/a/../b", "~/b"),
            ("~/..", ""),
        ];
        for (path, expected) in page {
            assert_eq!(folded(Path::new(path)).to_str(), Some(expected), "{path}");
        }
    }

    #[test]
    fn names_that_are_no_text_stay_as_they_are() {
        let path = Path::new(OsStr::from_bytes(b"/a/\xff/../\xfe\xff/."));
        assert_eq!(folded(path).as_os_str().as_bytes(), b"/a/\xfe\xff");
    }
}
