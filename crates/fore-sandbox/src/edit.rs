//! File edits for the Write and Edit tools: inside the permitted folder only, through no link, whole or not at all.
//!
//! A target is always named by a permitted root and a path beneath it. No component of that path may be a symbolic link: what
//! was judged is the path, and a link could lead elsewhere a moment later.

use crate::sys;
use std::ffi::{CString, OsStr};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

/// Larger files are not edited by a model.
const MOST_BYTES: u64 = 64 << 20;

/// Why a file was not read or written. Nothing has changed when one of these is returned.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("{} is outside of what may be edited", .0.display())]
    Outside(PathBuf),
    #[error("{} leads through a symbolic link; name the file by its true path", .0.display())]
    Link(PathBuf),
    #[error("{} does not exist", .0.display())]
    Missing(PathBuf),
    #[error("the folder of {} does not exist", .0.display())]
    NoFolder(PathBuf),
    #[error("{} is not an ordinary file", .0.display())]
    NotAFile(PathBuf),
    #[error("{} has several names (hard links); editing it here would change it elsewhere or tear the names apart", .0.display())]
    SeveralNames(PathBuf),
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    #[error("{} has changed since it was read; read it again", .0.display())]
    Changed(PathBuf),
    #[error("{} is larger than {} MB", .0.display(), MOST_BYTES >> 20)]
    TooLarge(PathBuf),
    #[error("{}: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// What has to be true of the target before it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// Whatever is there.
    Anything,
    /// Nothing is there.
    Absent,
    /// Exactly these bytes are there: what the model has read.
    Exactly(u64),
}

/// How to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub before: Before,
    /// Make missing folders on the way.
    pub make_folders: bool,
    pub ends: LineEnds,
}

/// What to do with line ends and a byte order mark of the file that is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnds {
    /// The file keeps its own: a model writes `\n` whatever it has read.
    Keep,
    /// The bytes are written as given.
    AsGiven,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            before: Before::Anything,
            make_folders: false,
            ends: LineEnds::Keep,
        }
    }
}

/// A file as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub bytes: Vec<u8>,
    /// For [`Before::Exactly`].
    pub fingerprint: u64,
}

/// What a write did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    Created,
    Replaced,
    /// The file held these bytes already and was not touched.
    Same,
}

/// A number that differs when the content does. Against accidents, not against an enemy: who can swap the file can also wait.
pub fn fingerprint(bytes: &[u8]) -> u64 {
    use std::hash::{DefaultHasher, Hasher};
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

/// A folder that may be edited.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    fd: OwnedFd,
}

impl Root {
    /// Opens the folder itself; links on the way to it are the person's own business.
    pub fn open(path: &Path) -> Result<Root, EditError> {
        let fd = sys::c_string(path)
            .and_then(|name| sys::open_at(None, &name, libc::O_PATH | libc::O_DIRECTORY, 0))
            .map_err(|source| EditError::Io {
                path: path.to_owned(),
                source,
            })?;
        Ok(Root {
            path: path.to_owned(),
            fd,
        })
    }

    pub fn read(&self, target: &Path) -> Result<Found, EditError> {
        let place = self.place(target, false)?;
        let bytes = place
            .read()?
            .ok_or_else(|| EditError::Missing(target.to_owned()))?
            .0;
        Ok(Found {
            fingerprint: fingerprint(&bytes),
            bytes,
        })
    }

    /// Writes the whole file: a reader sees the old content or the new one, never a part, and a crash leaves one of both.
    pub fn write(
        &self,
        target: &Path,
        bytes: &[u8],
        options: Options,
    ) -> Result<Written, EditError> {
        let place = self.place(target, options.make_folders)?;
        let old = place.read()?;
        let fits = match (options.before, &old) {
            (Before::Anything, _) | (Before::Absent, None) => Ok(()),
            (Before::Absent, Some(_)) => Err(EditError::Exists(target.to_owned())),
            (Before::Exactly(_), None) => Err(EditError::Missing(target.to_owned())),
            (Before::Exactly(seen), Some((old, _))) if fingerprint(old) == seen => Ok(()),
            (Before::Exactly(_), Some(_)) => Err(EditError::Changed(target.to_owned())),
        };
        fits?;
        let Some((old, status)) = old else {
            place.put(bytes, None)?;
            return Ok(Written::Created);
        };
        let bytes = match options.ends {
            LineEnds::Keep => keep_ends(&old, bytes),
            LineEnds::AsGiven => bytes.to_vec(),
        };
        if bytes == old {
            return Ok(Written::Same);
        }
        place.put(&bytes, Some(&status))?;
        Ok(Written::Replaced)
    }

    /// The folder that holds the target, opened beneath the root without following any link.
    fn place<'a>(&self, target: &'a Path, make_folders: bool) -> Result<Place<'a>, EditError> {
        let outside = || EditError::Outside(target.to_owned());
        let inner = if target.is_absolute() {
            target.strip_prefix(&self.path).map_err(|_| outside())?
        } else {
            target
        };
        let mut names = Vec::new();
        for component in inner.components() {
            match component {
                Component::Normal(name) => names.push(name),
                Component::CurDir => {}
                // `..` means another folder behind a link than the judge has seen.
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                    return Err(outside());
                }
            }
        }
        let name = names.pop().ok_or_else(outside)?;
        let mut folder = self
            .fd
            .as_fd()
            .try_clone_to_owned()
            .map_err(|source| EditError::Io {
                path: target.to_owned(),
                source,
            })?;
        for part in names {
            folder = step(folder.as_fd(), part, target, make_folders)?;
        }
        let name = sys::c_string(name).map_err(|_| outside())?;
        Ok(Place {
            folder,
            name,
            target,
        })
    }
}

/// One folder further in. Each step refuses links by itself, so no kernel is too old for it and nothing can be swapped between.
fn step(
    folder: BorrowedFd<'_>,
    part: &OsStr,
    target: &Path,
    make: bool,
) -> Result<OwnedFd, EditError> {
    let io = |source| EditError::Io {
        path: target.to_owned(),
        source,
    };
    let name = sys::c_string(part).map_err(io)?;
    let open = || {
        sys::open_at(
            Some(folder),
            &name,
            libc::O_PATH | libc::O_DIRECTORY | libc::O_NOFOLLOW,
            0,
        )
    };
    let result = match open() {
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) && make => {
            match sys::mkdir_at(folder, &name, 0o777) {
                // Somebody was faster: then it is looked at like any other.
                Err(error) if error.raw_os_error() != Some(libc::EEXIST) => Err(error),
                Ok(()) | Err(_) => open(),
            }
        }
        other => other,
    };
    result.map_err(|error| match error.raw_os_error() {
        Some(libc::ENOENT) => EditError::NoFolder(target.to_owned()),
        // A link with O_NOFOLLOW and O_DIRECTORY is "not a directory".
        Some(libc::ELOOP | libc::ENOTDIR) if is_link(folder, &name) => {
            EditError::Link(target.to_owned())
        }
        _ => io(error),
    })
}

fn is_link(folder: BorrowedFd<'_>, name: &CString) -> bool {
    matches!(sys::status_at(folder, name), Ok(Some(status)) if status.st_mode & libc::S_IFMT == libc::S_IFLNK)
}

/// A name in an opened folder.
struct Place<'a> {
    folder: OwnedFd,
    name: CString,
    target: &'a Path,
}

impl Place<'_> {
    fn io(&self, source: io::Error) -> EditError {
        EditError::Io {
            path: self.target.to_owned(),
            source,
        }
    }

    /// Content and status of the file; `None` when there is none.
    fn read(&self) -> Result<Option<(Vec<u8>, libc::stat)>, EditError> {
        // O_NONBLOCK: opening a pipe must not wait for somebody at its other end.
        let flags = libc::O_RDONLY | libc::O_NONBLOCK;
        let resolve =
            libc::RESOLVE_BENEATH | libc::RESOLVE_NO_SYMLINKS | libc::RESOLVE_NO_MAGICLINKS;
        let opened = match sys::open_beneath(self.folder.as_fd(), &self.name, flags, 0, resolve) {
            Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => sys::open_at(
                Some(self.folder.as_fd()),
                &self.name,
                flags | libc::O_NOFOLLOW,
                0,
            ),
            other => other,
        };
        let fd = match opened {
            Ok(fd) => fd,
            Err(error) => {
                return match error.raw_os_error() {
                    Some(libc::ENOENT) => Ok(None),
                    Some(libc::ELOOP) => Err(EditError::Link(self.target.to_owned())),
                    // A socket cannot be opened at all.
                    Some(libc::ENXIO) => Err(EditError::NotAFile(self.target.to_owned())),
                    _ => Err(self.io(error)),
                };
            }
        };
        let status = sys::status_of(fd.as_fd()).map_err(|error| self.io(error))?;
        if status.st_mode & libc::S_IFMT != libc::S_IFREG {
            return Err(EditError::NotAFile(self.target.to_owned()));
        }
        if status.st_nlink > 1 {
            return Err(EditError::SeveralNames(self.target.to_owned()));
        }
        let mut bytes = Vec::new();
        let read = std::fs::File::from(fd)
            .take(MOST_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| self.io(error))?;
        if read as u64 > MOST_BYTES {
            return Err(EditError::TooLarge(self.target.to_owned()));
        }
        Ok(Some((bytes, status)))
    }

    /// Writes a new file beside the old one and gives it the name.
    fn put(&self, bytes: &[u8], old: Option<&libc::stat>) -> Result<(), EditError> {
        if bytes.len() as u64 > MOST_BYTES {
            return Err(EditError::TooLarge(self.target.to_owned()));
        }
        let (fd, temporary) = self.temporary().map_err(|error| self.io(error))?;
        let result = fill(&fd, bytes, old).and_then(|()| self.rename(&temporary, old.is_none()));
        if result.is_err() {
            // SAFETY: a valid descriptor and C string; removes only the file made above.
            unsafe { libc::unlinkat(self.folder.as_raw_fd(), temporary.as_ptr(), 0) };
        }
        result.map_err(|error| match error.raw_os_error() {
            Some(libc::EEXIST) => EditError::Changed(self.target.to_owned()),
            _ => self.io(error),
        })
    }

    fn temporary(&self) -> io::Result<(OwnedFd, CString)> {
        let mut last = io::Error::from_raw_os_error(libc::EEXIST);
        for attempt in 0..64u32 {
            let name = sys::c_string(format!(".fore-{}-{attempt}", std::process::id()))?;
            let flags = libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY | libc::O_NOFOLLOW;
            match sys::open_at(Some(self.folder.as_fd()), &name, flags, 0o666) {
                Ok(fd) => return Ok((fd, name)),
                Err(error) if error.raw_os_error() == Some(libc::EEXIST) => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    fn rename(&self, temporary: &CString, is_new: bool) -> io::Result<()> {
        // A file that appeared meanwhile is not overwritten unseen.
        let flags = if is_new { libc::RENAME_NOREPLACE } else { 0 };
        let folder = self.folder.as_raw_fd();
        // SAFETY: valid descriptors and C strings.
        sys::check(unsafe {
            libc::syscall(
                libc::SYS_renameat2,
                folder,
                temporary.as_ptr(),
                folder,
                self.name.as_ptr(),
                flags,
            )
        })
        .map(drop)
    }
}

/// Content, then owner, then mode: a change of owner clears the bits that run as somebody else.
fn fill(fd: &OwnedFd, bytes: &[u8], old: Option<&libc::stat>) -> io::Result<()> {
    let mut file = std::fs::File::from(fd.try_clone()?);
    file.write_all(bytes)?;
    if let Some(old) = old {
        // SAFETY: a valid descriptor and plain numbers. Only root can give a file away; for others the file stays theirs.
        unsafe { libc::fchown(fd.as_raw_fd(), old.st_uid, old.st_gid) };
        // SAFETY: as above.
        sys::check(i64::from(unsafe {
            libc::fchmod(fd.as_raw_fd(), old.st_mode & 0o7777)
        }))?;
    }
    file.sync_all()
}

const MARK: &[u8] = b"\xef\xbb\xbf";

/// The new text with the line ends and the byte order mark of the old one. A file of mixed line ends is written as given.
fn keep_ends(old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(new.len());
    if old.starts_with(MARK) && !new.starts_with(MARK) {
        result.extend_from_slice(MARK);
    }
    let ends = old.iter().filter(|byte| **byte == b'\n').count();
    let double = old.windows(2).filter(|pair| pair == b"\r\n").count();
    if ends == 0 || ends != double {
        result.extend_from_slice(new);
        return result;
    }
    let mut previous = 0;
    for byte in new {
        if *byte == b'\n' && previous != b'\r' {
            result.push(b'\r');
        }
        result.push(*byte);
        previous = *byte;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_byte_order_mark_of_the_old_file_stay() {
        let cases: [(&[u8], &[u8], &[u8]); 6] = [
            (b"a\r\nb\r\n", b"x\ny\r\nz", b"x\r\ny\r\nz"),
            (b"a\nb\n", b"x\ny\r\n", b"x\ny\r\n"),
            (b"a\r\nb\n", b"x\n", b"x\n"),
            (b"no end", b"x\n", b"x\n"),
            (b"\xef\xbb\xbfa\n", b"x\n", b"\xef\xbb\xbfx\n"),
            (
                b"\xef\xbb\xbfa\r\n",
                b"\xef\xbb\xbfx\n",
                b"\xef\xbb\xbfx\r\n",
            ),
        ];
        for (old, new, expected) in cases {
            assert_eq!(keep_ends(old, new), expected);
        }
    }
}
