//! Puts files, links and folders back as they were, for a person who takes changes of the agent back. What is there now goes only
//! if it is exactly what whoever asked has seen, and kept.

use super::target::EditTarget;
use super::{EditError, EditRoot};
use crate::orders::note_approved;
use crate::sys;
use fore_plan::gate::{Action, Presented};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::fs::Metadata;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What tells a file from what it was: any change of its content, its rights or its place gives another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileMark {
    /// Kind and rights, as the kernel has them.
    pub mode: u32,
    /// In bytes.
    pub size: u64,
    /// The disk it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// When its content changed last, as far as it says.
    pub modified_ns: i64,
    /// When anything about it changed; nobody can set that back.
    pub changed_ns: i64,
}

/// Kinds of what has a name in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkedKind {
    /// An ordinary file.
    File,
    /// A symbolic link.
    Link,
    /// A folder.
    Folder,
    /// A pipe, a socket or a device.
    Special,
}

/// What a name is to stand for again.
#[derive(Clone, Copy, Debug)]
pub enum PutBack<'a> {
    /// Nothing. A folder goes only if it is empty.
    Nothing,
    /// A file.
    File {
        /// What it held.
        bytes: &'a [u8],
        /// Its rights.
        mode: u32,
    },
    /// A symbolic link to this.
    Link(&'a str),
    /// A folder with these rights.
    Folder(u32),
}

impl FileMark {
    /// Of what a path stands for itself, not what it leads to; none if nothing is there or it cannot be looked at.
    pub fn at(path: &Path) -> Option<FileMark> {
        path.symlink_metadata().ok().map(|metadata| FileMark::of(&metadata))
    }

    /// Of an open file.
    pub fn of(metadata: &Metadata) -> FileMark {
        FileMark {
            mode: metadata.mode(),
            size: metadata.size(),
            device: metadata.dev(),
            inode: metadata.ino(),
            modified_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    fn of_stat(stat: &Stat) -> FileMark {
        FileMark {
            mode: stat.st_mode,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            device: stat.st_dev,
            inode: stat.st_ino,
            modified_ns: nanoseconds(stat.st_mtime, stat.st_mtime_nsec.cast_signed()),
            changed_ns: nanoseconds(stat.st_ctime, stat.st_ctime_nsec.cast_signed()),
        }
    }

    /// What it is.
    pub fn kind(&self) -> MarkedKind {
        match FileType::from_raw_mode(self.mode) {
            FileType::RegularFile => MarkedKind::File,
            FileType::Symlink => MarkedKind::Link,
            FileType::Directory => MarkedKind::Folder,
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => MarkedKind::Special,
        }
    }

    /// Its rights alone.
    pub fn rights(&self) -> u32 {
        self.mode & 0o7777
    }

    /// The same thing with the same content. What is in a folder says nothing about the folder.
    pub fn is_same(&self, other: &FileMark) -> bool {
        match (self.kind(), other.kind()) {
            (MarkedKind::Folder, MarkedKind::Folder) => self.mode == other.mode,
            _ => self == other,
        }
    }
}

fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}

/// Puts back what the permit names. `seen`: what is there now, none for nothing; anything else is left alone.
pub fn put_back(permit: Presented, seen: Option<&FileMark>, to: PutBack<'_>) -> Result<(), EditError> {
    let (Action::Edit { target, .. } | Action::Delete { target }) = permit.action() else {
        return Err(EditError::NotPermitted);
    };
    let path = Path::new(&target.real);
    let place = match EditRoot::of_all()?.target(path, !matches!(to, PutBack::Nothing)) {
        // Nothing is to be there, and not even the folder is.
        Err(EditError::NoFolder(_)) if matches!(to, PutBack::Nothing) && seen.is_none() => return Ok(()),
        place => place?,
    };
    let stat = sys::status_at(place.folder.as_fd(), &place.name).map_err(|source| io_error(path, source))?;
    let is_as_seen = match (&stat, seen) {
        (None, None) => true,
        (Some(stat), Some(seen)) => FileMark::of_stat(stat).is_same(seen),
        (None, Some(_)) | (Some(_), None) => false,
    };
    if !is_as_seen {
        return Err(EditError::Changed(path.to_owned()));
    }
    match to {
        PutBack::Nothing => place.clear(stat.as_ref()),
        PutBack::File { bytes, mode } => place.file_back(bytes, mode, stat),
        PutBack::Link(target) => place.link_back(target, stat.as_ref()),
        PutBack::Folder(mode) => place.folder_back(mode, stat.as_ref()),
    }
}

fn io_error(path: &Path, source: io::Error) -> EditError {
    EditError::Io { path: path.to_owned(), source }
}

fn is_folder(stat: Option<&Stat>) -> bool {
    stat.is_some_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
}

impl EditTarget<'_> {
    fn clear(&self, stat: Option<&Stat>) -> Result<(), EditError> {
        let Some(stat) = stat else { return Ok(()) };
        let flags = if is_folder(Some(stat)) { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        match rustix::fs::unlinkat(&self.folder, &self.name, flags) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(io_error(self.target, error.into())),
        }
    }

    /// A folder in the way goes first, if it is empty.
    fn make_way(&self, stat: Option<&Stat>) -> Result<(), EditError> {
        if is_folder(stat) { self.clear(stat) } else { Ok(()) }
    }

    fn file_back(&self, bytes: &[u8], mode: u32, stat: Option<Stat>) -> Result<(), EditError> {
        let kind = stat.as_ref().map(|stat| FileType::from_raw_mode(stat.st_mode));
        if kind == Some(FileType::RegularFile) && stat.as_ref().is_some_and(|stat| stat.st_nlink > 1) {
            return Err(EditError::SeveralNames(self.target.to_owned()));
        }
        self.make_way(stat.as_ref())?;
        note_approved(self.target, bytes);
        match (kind, stat) {
            (Some(FileType::RegularFile | FileType::Symlink), Some(mut stat)) => {
                stat.st_mode = mode;
                self.put(bytes, Some(&stat))
            }
            _ => {
                self.put(bytes, None)?;
                self.set_rights(mode)
            }
        }
    }

    fn link_back(&self, to: &str, stat: Option<&Stat>) -> Result<(), EditError> {
        self.make_way(stat)?;
        if stat.is_some() && !is_folder(stat) {
            self.clear(stat)?;
        }
        let made = rustix::fs::symlinkat(to, &self.folder, &self.name);
        made.map_err(|error| io_error(self.target, error.into()))
    }

    fn folder_back(&self, mode: u32, stat: Option<&Stat>) -> Result<(), EditError> {
        if !is_folder(stat) {
            self.clear(stat)?;
            let made = rustix::fs::mkdirat(&self.folder, &self.name, Mode::from(0o700));
            made.map_err(|error| io_error(self.target, error.into()))?;
        }
        self.set_rights(mode)
    }

    fn set_rights(&self, mode: u32) -> Result<(), EditError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let opened = sys::open_at(self.folder.as_fd(), &self.name, flags, Mode::empty());
        let set = opened.and_then(|fd| Ok(rustix::fs::fchmod(&fd, Mode::from(mode & 0o1777))?));
        set.map_err(|source| io_error(self.target, source))
    }
}
