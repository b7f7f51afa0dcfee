//! One file name in one opened folder: reads it and replaces it, and never looks at a path again.

use super::{EditError, MAX_BYTES};
use crate::sys;
use rustix::fs::{AtFlags, CWD, FileType, Gid, Mode, OFlags, RenameFlags, ResolveFlags, Stat, Uid};
use rustix::io::Errno;
use std::ffi::{CString, OsStr};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// Names that are tried for a file beside the target.
const MAX_NAME_TRIES: u32 = 64;

/// One folder further in. Each step refuses links by itself, so no kernel is too old for it and nothing can be swapped between.
pub(super) fn step(folder: BorrowedFd<'_>, part: &OsStr, target: &Path, make: bool) -> Result<OwnedFd, EditError> {
    let io = |source| EditError::Io { path: target.to_owned(), source };
    let name = sys::c_string(part).map_err(io)?;
    let open = || sys::open_at(folder, &name, OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW, Mode::empty());
    let result = match open() {
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) && make => {
            match rustix::fs::mkdirat(folder, &name, Mode::from(0o777)) {
                // Somebody was faster: then it is looked at like any other.
                Ok(()) | Err(Errno::EXIST) => open(),
                Err(error) => Err(error.into()),
            }
        }
        other => other,
    };
    result.map_err(|error| match error.raw_os_error() {
        Some(libc::ENOENT) => EditError::NoFolder(target.to_owned()),
        // A link with O_NOFOLLOW and O_DIRECTORY is "not a directory".
        Some(libc::ELOOP | libc::ENOTDIR) if is_link(folder, &name) => EditError::Link(target.to_owned()),
        _ => io(error),
    })
}

fn is_link(folder: BorrowedFd<'_>, name: &CString) -> bool {
    matches!(sys::status_at(folder, name), Ok(Some(status)) if FileType::from_raw_mode(status.st_mode) == FileType::Symlink)
}

/// A name in an opened folder.
pub(super) struct EditTarget<'a> {
    pub(super) folder: OwnedFd,
    pub(super) name: CString,
    pub(super) target: &'a Path,
}

impl EditTarget<'_> {
    fn io(&self, source: io::Error) -> EditError {
        EditError::Io { path: self.target.to_owned(), source }
    }

    /// Content and status of the file; `None` when there is none.
    pub(super) fn read(&self) -> Result<Option<(Vec<u8>, Stat)>, EditError> {
        // Looked at before it is opened: opening a device or a pipe can do something by itself.
        if let Ok(Some(status)) = sys::status_at(self.folder.as_fd(), &self.name)
            && !matches!(FileType::from_raw_mode(status.st_mode), FileType::RegularFile | FileType::Symlink)
        {
            return Err(EditError::NotAFile(self.target.to_owned()));
        }
        // NONBLOCK: opening a pipe must not wait for somebody at its other end.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let opened = match sys::open_beneath(self.folder.as_fd(), &self.name, flags, resolve) {
            Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {
                sys::open_at(self.folder.as_fd(), &self.name, flags | OFlags::NOFOLLOW, Mode::empty())
            }
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
        let status = rustix::fs::fstat(&fd).map_err(|error| self.io(error.into()))?;
        if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile {
            return Err(EditError::NotAFile(self.target.to_owned()));
        }
        if status.st_nlink > 1 {
            return Err(EditError::SeveralNames(self.target.to_owned()));
        }
        let mut bytes = Vec::new();
        let read =
            std::fs::File::from(fd).take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| self.io(error))?;
        if read as u64 > MAX_BYTES {
            return Err(EditError::TooLarge(self.target.to_owned()));
        }
        Ok(Some((bytes, status)))
    }

    /// Writes a new file and gives it the name.
    pub(super) fn put(&self, bytes: &[u8], old: Option<&Stat>) -> Result<(), EditError> {
        if bytes.len() as u64 > MAX_BYTES {
            return Err(EditError::TooLarge(self.target.to_owned()));
        }
        // Until it has the mode of the old one, the new file is for its writer only: the old one may be nobody else's business.
        let mode = Mode::from(if old.is_some() { 0o600 } else { 0o666 });
        let result = match self.put_nameless(bytes, old, mode) {
            Some(result) => result,
            None => self.put_beside(bytes, old, mode),
        };
        result.map_err(|error| match error.raw_os_error() {
            Some(libc::EEXIST) => EditError::Changed(self.target.to_owned()),
            _ => self.io(error),
        })
    }

    /// The new file has no name until it is whole, so a crash meanwhile leaves nothing in the folder. None where the disk
    /// cannot do that.
    fn put_nameless(&self, bytes: &[u8], old: Option<&Stat>, mode: Mode) -> Option<io::Result<()>> {
        let fd = sys::open_at(self.folder.as_fd(), c".", OFlags::TMPFILE | OFlags::WRONLY, mode).ok()?;
        if let Err(error) = fill(&fd, bytes, old) {
            return Some(Err(error));
        }
        if old.is_none() {
            // A file that appeared meanwhile is not overwritten: this gives a name only where there is none.
            let linked = self.link(&fd, &self.name);
            return if is_unable(&linked) { None } else { Some(linked) };
        }
        for attempt in 0..MAX_NAME_TRIES {
            let Ok(temporary) = temporary_name(attempt) else { break };
            match self.link(&fd, &temporary) {
                Ok(()) => return Some(self.rename_or_remove(&temporary, false)),
                Err(error) if error.raw_os_error() == Some(libc::EEXIST) => {}
                Err(_) => break,
            }
        }
        None
    }

    /// Gives an open file a name in the folder.
    fn link(&self, fd: &OwnedFd, name: &CString) -> io::Result<()> {
        let from = format!("/proc/self/fd/{}", fd.as_raw_fd());
        Ok(rustix::fs::linkat(CWD, from, &self.folder, name, AtFlags::SYMLINK_FOLLOW)?)
    }

    /// Writes the new file under another name first.
    fn put_beside(&self, bytes: &[u8], old: Option<&Stat>, mode: Mode) -> io::Result<()> {
        let (fd, temporary) = self.temporary(mode)?;
        match fill(&fd, bytes, old) {
            Ok(()) => self.rename_or_remove(&temporary, old.is_none()),
            Err(error) => {
                self.remove(&temporary);
                Err(error)
            }
        }
    }

    fn rename_or_remove(&self, temporary: &CString, is_new: bool) -> io::Result<()> {
        self.rename(temporary, is_new).inspect_err(|_| self.remove(temporary))
    }

    /// Removes a file that was made here.
    fn remove(&self, temporary: &CString) {
        let _ = rustix::fs::unlinkat(&self.folder, temporary, AtFlags::empty());
    }

    fn temporary(&self, mode: Mode) -> io::Result<(OwnedFd, CString)> {
        let mut last = io::Error::from_raw_os_error(libc::EEXIST);
        for attempt in 0..MAX_NAME_TRIES {
            let name = temporary_name(attempt)?;
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW;
            match sys::open_at(self.folder.as_fd(), &name, flags, mode) {
                Ok(fd) => return Ok((fd, name)),
                Err(error) if error.raw_os_error() == Some(libc::EEXIST) => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    fn rename(&self, temporary: &CString, is_new: bool) -> io::Result<()> {
        // A file that appeared meanwhile is not overwritten unseen.
        let flags = if is_new { RenameFlags::NOREPLACE } else { RenameFlags::empty() };
        Ok(rustix::fs::renameat_with(&self.folder, temporary, &self.folder, &self.name, flags)?)
    }
}

fn temporary_name(attempt: u32) -> io::Result<CString> {
    sys::c_string(format!(".fore-{}-{attempt}", std::process::id()))
}

/// Whether a file without a name cannot get one here; anything but a name that is taken.
fn is_unable(linked: &io::Result<()>) -> bool {
    linked.as_ref().is_err_and(|error| error.raw_os_error() != Some(libc::EEXIST))
}

/// Content, then owner, then mode. Bits that run as somebody else are lost, as with every write by an ordinary person: who gave them
/// had seen the old content.
fn fill(fd: &OwnedFd, bytes: &[u8], old: Option<&Stat>) -> io::Result<()> {
    let mut file = std::fs::File::from(fd.try_clone()?);
    file.write_all(bytes)?;
    if let Some(old) = old {
        // Only root can give a file away; for others the file stays theirs.
        let _ = rustix::fs::fchown(fd, Some(Uid::from_raw(old.st_uid)), Some(Gid::from_raw(old.st_gid)));
        rustix::fs::fchmod(fd, Mode::from(old.st_mode & 0o1777))?;
    }
    file.sync_all()
}
