//! Reads which folders are mount points: an overlay shows only the file system of its own folder, and what is mounted twice has two names.

use crate::sys;
use rustix::event::{PollFd, PollFlags, Timespec};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

const TABLE: &str = "/proc/self/mountinfo";

/// Everything mounted.
#[derive(Debug)]
pub(crate) struct Mounts(Vec<Mount>);

#[derive(Debug, PartialEq, Eq)]
struct Mount {
    device: Vec<u8>,
    /// The folder of that file system that is shown.
    root: PathBuf,
    point: PathBuf,
}

impl Mounts {
    pub(crate) fn read() -> io::Result<Mounts> {
        Ok(Mounts::parse(&std::fs::read(TABLE)?))
    }

    /// The same, read again only after a change, of which the kernel tells. For a process that stays where it is.
    pub(crate) fn now() -> io::Result<Arc<Mounts>> {
        static KNOWN: Mutex<Option<(File, Arc<Mounts>)>> = Mutex::new(None);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((table, mounts)) = &*known
            && !has_changed(table)
        {
            return Ok(mounts.clone());
        }
        // Opened before it is read: a change in between is told later.
        let mut table = match known.take() {
            Some((table, _)) => table,
            None => File::open(TABLE)?,
        };
        table.rewind()?;
        let mut text = Vec::new();
        table.read_to_end(&mut text)?;
        let mounts = Arc::new(Mounts::parse(&text));
        *known = Some((table, mounts.clone()));
        Ok(mounts)
    }

    /// Mount points strictly below `folder`, parents first, each once.
    pub(crate) fn below(&self, folder: &Path) -> Vec<PathBuf> {
        let points = self.0.iter().map(|mount| &mount.point);
        let mut found: Vec<PathBuf> =
            points.filter(|point| *point != folder && point.starts_with(folder)).cloned().collect();
        found.sort();
        found.dedup();
        found
    }

    /// Whether the same is mounted over a folder, above it and in it, in the same order.
    pub(crate) fn are_the_same_around(&self, folder: &Path, others: &Mounts) -> bool {
        let around = |mount: &&Mount| mount.point.starts_with(folder) || folder.starts_with(&mount.point);
        self.0.iter().filter(around).eq(others.0.iter().filter(around))
    }

    fn parse(mountinfo: &[u8]) -> Mounts {
        let mount = |line: &[u8]| {
            let mut fields = line.split(|byte| *byte == b' ').skip(2);
            let (device, root, point) = (fields.next()?.to_vec(), fields.next()?, fields.next()?);
            Some(Mount { device, root: unescape(root).into(), point: unescape(point).into() })
        };
        Mounts(mountinfo.split(|byte| *byte == b'\n').filter_map(mount).collect())
    }

    /// Where else the file or folder at this true path, or a part of it, can be seen.
    pub(crate) fn other_names(&self, path: &Path) -> Vec<PathBuf> {
        // Of several mounts on the same folder the last one is seen.
        let over = self.0.iter().filter(|mount| path.starts_with(&mount.point));
        let Some(own) = over.max_by_key(|mount| mount.point.as_os_str().len()) else {
            return Vec::new();
        };
        let Ok(inside) = path.strip_prefix(&own.point) else { return Vec::new() };
        let place = if inside.as_os_str().is_empty() { own.root.clone() } else { own.root.join(inside) };
        let same_device = self.0.iter().filter(|mount| mount.device == own.device);
        let mut names: Vec<PathBuf> = same_device
            .filter_map(|mount| match place.strip_prefix(&mount.root) {
                Ok(rest) if rest.as_os_str().is_empty() => Some(mount.point.clone()),
                Ok(rest) => Some(mount.point.join(rest)),
                Err(_) => mount.root.starts_with(&place).then(|| mount.point.clone()),
            })
            .filter(|name| name != path && name != Path::new("/"))
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

/// Whether something was mounted or unmounted since this was last asked. What cannot be asked may have.
fn has_changed(table: &File) -> bool {
    let no_waiting = Timespec::default();
    rustix::event::poll(&mut [PollFd::new(table, PollFlags::PRI)], Some(&no_waiting)) != Ok(0)
}

/// The mounts around a process, also after it has got some of its own.
#[derive(Debug)]
pub(crate) struct OuterMounts(File);

impl OuterMounts {
    pub(crate) fn new() -> io::Result<OuterMounts> {
        File::open(TABLE).map(OuterMounts)
    }

    /// Sleeps until something is said on the socket, or it is closed, or the mounts change. Tells whether they have changed since
    /// this was made, and whether there is something to read.
    pub(crate) fn wait_for(&self, socket: BorrowedFd<'_>) -> io::Result<[bool; 2]> {
        sys::wait_for([(self.0.as_fd(), PollFlags::PRI), (socket, PollFlags::IN)], None)
    }
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
    fn what_is_mounted_twice_is_found_under_all_its_names() {
        let text = b"22 1 8:1 / / rw - ext4 /dev/a rw\n\
                     23 22 8:2 / /home rw - ext4 /dev/b rw\n\
                     30 22 8:2 / /mnt/b\\040c rw - ext4 /dev/b rw\n\
                     31 22 8:2 /me /data rw - ext4 /dev/b rw\n\
                     32 22 8:2 /me/.ssh/keys /keys rw - ext4 /dev/b rw\n";
        let mounts = Mounts::parse(text);
        assert_eq!(
            mounts.other_names(Path::new("/home/me/.ssh")),
            ["/data/.ssh", "/keys", "/mnt/b c/me/.ssh"].map(PathBuf::from)
        );
        assert_eq!(mounts.other_names(Path::new("/etc/shadow")), Vec::<PathBuf>::new());
        assert_eq!(
            mounts.other_names(Path::new("/data/.ssh/id")),
            ["/home/me/.ssh/id", "/mnt/b c/me/.ssh/id"].map(PathBuf::from)
        );
    }

    #[test]
    fn only_what_is_mounted_around_a_folder_makes_a_difference_for_it() {
        let table = |lines: &[&str]| Mounts::parse(lines.join("\n").as_bytes());
        let top = "22 1 8:1 / / rw - ext4 /dev/a rw";
        let before = table(&[top]);
        let page = [
            ("30 22 0:5 / /elsewhere rw - tmpfs x rw", true),
            ("30 22 0:5 / /wide rw - tmpfs x rw", true),
            ("30 22 0:5 / /w/project rw - tmpfs x rw", false),
            ("30 22 0:5 / /w rw - tmpfs x rw", false),
            ("30 22 0:5 / /w/project/in rw - tmpfs x rw", false),
        ];
        for (line, is_same) in page {
            let after = table(&[top, line]);
            assert_eq!(before.are_the_same_around(Path::new("/w/project"), &after), is_same, "{line}");
        }
    }

    #[test]
    fn mount_points_below_a_folder_come_parents_first_and_unescaped() {
        let text = b"22 1 8:1 / / rw - ext4 /dev/a rw\n\
                     30 22 0:5 / /w/b\\040c/d rw - tmpfs x rw\n\
                     29 22 0:5 / /w/b\\040c rw - tmpfs x rw\n\
                     31 22 0:5 / /wide rw - tmpfs x rw\n\
                     28 22 0:5 / /w rw - tmpfs x rw\n";
        assert_eq!(Mounts::parse(text).below(Path::new("/w")), [PathBuf::from("/w/b c"), PathBuf::from("/w/b c/d")]);
    }

    #[test]
    fn whoever_waits_hears_what_is_said_and_that_nobody_is_there() {
        let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
        let outside = OuterMounts::new().unwrap();
        std::io::Write::write_all(&mut &ours, b"x").unwrap();
        assert_eq!(outside.wait_for(theirs.as_fd()).unwrap(), [false, true]);
        std::io::Read::read_exact(&mut &theirs, &mut [0]).unwrap();
        drop(ours);
        assert_eq!(outside.wait_for(theirs.as_fd()).unwrap(), [false, true]);
    }
}
