//! Reads a small file that gives rules, such as `.gitignore`. Whoever puts a pipe, a device or an endless file in its place
//! keeps nobody waiting: only an ordinary file is read, and only up to a size.

use crate::sys;
use rustix::fs::OFlags;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::AsFd as _;
use std::path::Path;

/// What to do with a link in the place of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkPolicy {
    /// As git does with `.gitignore`.
    Refused,
    /// As git does with a file that its settings name.
    Followed,
}

/// The whole file; none if it is not there, not an ordinary file or longer than `max_bytes`.
pub fn read(path: &Path, link: LinkPolicy, max_bytes: u64) -> Option<Vec<u8>> {
    let (facts, flag) = match link {
        LinkPolicy::Refused => (path.symlink_metadata(), OFlags::NOFOLLOW),
        LinkPolicy::Followed => (path.metadata(), OFlags::empty()),
    };
    // Looked at before it is opened: opening a device or a pipe can do something by itself.
    let facts = facts.ok()?;
    if !facts.is_file() || facts.len() > max_bytes {
        return None;
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | flag;
    let file = File::from(sys::open(path, flags).ok()?);
    // It may have been swapped in between. What the kernel makes up on reading has no size and may have no end.
    if !file.metadata().ok()?.is_file() || sys::is_of_processes(file.as_fd()).ok()? {
        return None;
    }
    let mut bytes = Vec::with_capacity(usize::try_from(facts.len()).ok()?);
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= max_bytes).then_some(bytes)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "makes the files that are read")]
mod tests {
    use super::*;
    use rustix::fs::{CWD, Mode};
    use std::os::unix::fs::symlink;

    fn made() -> tempfile::TempDir {
        let made = tempfile::tempdir().unwrap();
        std::fs::write(made.path().join("rules"), "target\n").unwrap();
        symlink("rules", made.path().join("link")).unwrap();
        symlink("/dev/zero", made.path().join("zero")).unwrap();
        symlink("/dev/tty", made.path().join("tty")).unwrap();
        symlink("/proc/self/environ", made.path().join("process")).unwrap();
        symlink("loop", made.path().join("loop")).unwrap();
        std::fs::create_dir(made.path().join("folder")).unwrap();
        rustix::fs::mkfifoat(CWD, made.path().join("pipe"), Mode::from(0o600)).unwrap();
        made
    }

    #[test]
    fn an_ordinary_file_is_read_and_a_link_only_where_it_may_be_one() {
        let made = made();
        let read = |name, link| read(&made.path().join(name), link, 7);
        assert_eq!(read("rules", LinkPolicy::Refused).as_deref(), Some(b"target\n".as_slice()));
        assert_eq!(read("link", LinkPolicy::Followed).as_deref(), Some(b"target\n".as_slice()));
        assert_eq!(read("link", LinkPolicy::Refused), None);
    }

    #[test]
    fn nothing_else_is_read_and_nothing_is_waited_for() {
        let made = made();
        for name in ["zero", "tty", "process", "loop", "folder", "pipe", "missing", "rules/inside"] {
            for link in [LinkPolicy::Refused, LinkPolicy::Followed] {
                assert_eq!(read(&made.path().join(name), link, 100), None, "{name} {link:?}");
            }
        }
    }

    #[test]
    fn a_file_that_is_too_long_is_not_read_in_part() {
        let made = made();
        assert_eq!(read(&made.path().join("rules"), LinkPolicy::Refused, 6), None);
        let huge = made.path().join("huge");
        File::create(&huge).unwrap().set_len(4 << 30).unwrap();
        assert_eq!(read(&huge, LinkPolicy::Refused, 1 << 20), None);
    }
}
