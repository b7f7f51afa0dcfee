//! A folder held open: every file in it is reached relative to that handle, and never through a link.
//!
//! The one place of the crate that opens, makes, renames and removes files.

use crate::error::{Cause, Result, StoreError, UnexpectedFile};
use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags},
    io::{Errno, retry_on_intr},
};
use std::{
    fs::File,
    io,
    os::{
        fd::{AsFd, BorrowedFd},
        unix::fs::MetadataExt,
    },
    path::{Path, PathBuf},
};

/// Times that a file is opened again because its name led elsewhere in the meantime.
const MAX_TRIES: u32 = 16;
/// Private to the person: what we make in our own folders.
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);
const FOLDER_MODE: Mode = Mode::RWXU;

/// An open folder. It stays the same folder even if its path is swapped for something else.
#[derive(Debug)]
pub(crate) struct Folder {
    handle: File,
    path: PathBuf,
}

/// What to do when a folder is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IfMissing {
    /// It is an error.
    Fail,
    /// It is made.
    Make,
}

/// How to open a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    /// Read and append; it must be there.
    Append,
    /// Read and append; made if it is not there.
    AppendOrMake,
    /// Read and write a file that must not have been there.
    New,
}

/// What a name in a folder stands for, without following it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileFacts {
    pub device: u64,
    pub inode: u64,
    pub bytes: u64,
    pub modified_ms: u64,
    kind: FileType,
    links: u64,
    owner: u32,
}

impl Folder {
    /// Opens a folder by its path. The path itself may go through links; everything inside may not.
    pub(crate) fn open(path: &Path) -> Result<Folder> {
        let handle = open_at(CWD, path, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())
            .map_err(StoreError::io("open the folder", path))?;
        Ok(Folder { handle, path: path.to_owned() })
    }

    /// Opens a folder in this one, never through a link.
    pub(crate) fn child(&self, name: &str, missing: IfMissing) -> Result<Folder> {
        let path = self.path.join(plain_name(name)?);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW;
        let open = || open_at(self.fd(), Path::new(name), flags, Mode::empty());
        let handle = match open() {
            Err(Errno::NOENT) if missing == IfMissing::Make => {
                self.make_folder(name).map_err(StoreError::io("make the folder", &path))?;
                open()
            }
            other => other,
        };
        let handle = handle.map_err(|error| match error {
            // Linux says "not a directory" for a link that O_NOFOLLOW met.
            Errno::NOTDIR | Errno::LOOP if self.is_link(name) => {
                StoreError::NotPlain { path: path.clone(), found: UnexpectedFile::Symlink }
            }
            _ => StoreError::io("open the folder", &path)(error),
        })?;
        Ok(Folder { handle, path })
    }

    fn make_folder(&self, name: &str) -> io::Result<()> {
        match rustix::fs::mkdirat(self.fd(), name, FOLDER_MODE) {
            Ok(()) | Err(Errno::EXIST) => self.handle.sync_all(),
            Err(error) => Err(error.into()),
        }
    }

    fn is_link(&self, name: &str) -> bool {
        self.facts(name).is_ok_and(|facts| facts.is_some_and(|facts| facts.kind == FileType::Symlink))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Opens a plain file of ours: no link of either kind, no pipe, no other owner.
    pub(crate) fn file(&self, name: &str, access: Access) -> Result<File> {
        for _ in 0..MAX_TRIES {
            let file = self.open_file(name, access)?;
            // A second name can be taken away after the opening, and then the file looks like one of ours. So the name has to
            // lead to it still, and to be its only one, at the same moment. Even the kernel finds a file first and counts its names
            // then, so it is asked twice.
            if self.links_of(name, &file)? == Some(1) && self.links_of(name, &file)? == Some(1) {
                return Ok(file);
            }
        }
        let path = self.path_of(name);
        Err(StoreError::Refused(format!("`{}` is replaced all the time by somebody else; try again", path.display())))
    }

    fn open_file(&self, name: &str, access: Access) -> Result<File> {
        let path = self.path_of(plain_name(name)?);
        let flags = match access {
            Access::Read => OFlags::RDONLY,
            Access::Append => OFlags::RDWR | OFlags::APPEND,
            Access::AppendOrMake => OFlags::RDWR | OFlags::APPEND | OFlags::CREATE,
            Access::New => OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL,
        };
        let doing = if access == Access::New { "make" } else { "open" };
        // Without O_NONBLOCK a pipe put in the place of a file would hang us.
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = open_at(self.fd(), Path::new(name), flags, FILE_MODE).map_err(|error| match error {
            Errno::LOOP => StoreError::NotPlain { path: path.clone(), found: UnexpectedFile::Symlink },
            Errno::ISDIR => StoreError::NotPlain { path: path.clone(), found: UnexpectedFile::Folder },
            Errno::EXIST => StoreError::Exists { path: path.clone() },
            Errno::NXIO => StoreError::NotPlain { path: path.clone(), found: UnexpectedFile::Special },
            _ => StoreError::io(doing, &path)(error),
        })?;
        let metadata = file.metadata().map_err(StoreError::io("look at", &path))?;
        FileFacts::of(&metadata).plain(&path)?;
        Ok(file)
    }

    /// What a name stands for, without following it; none if nothing is there.
    pub(crate) fn facts(&self, name: &str) -> Result<Option<FileFacts>> {
        let path = self.path_of(plain_name(name)?);
        match rustix::fs::statat(self.fd(), name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(FileFacts {
                device: stat.st_dev,
                inode: stat.st_ino,
                bytes: u64::try_from(stat.st_size).unwrap_or(0),
                modified_ms: milliseconds(stat.st_mtime, stat.st_mtime_nsec.cast_signed()),
                kind: FileType::from_raw_mode(stat.st_mode),
                links: stat.st_nlink,
                owner: stat.st_uid,
            })),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(StoreError::io("look at", path)(error)),
        }
    }

    /// Refuses whatever is no plain file of ours. A name that is free passes.
    pub(crate) fn require_plain_or_free(&self, name: &str) -> Result<Option<FileFacts>> {
        let facts = self.facts(name)?;
        if let Some(facts) = &facts {
            facts.plain(&self.path_of(name))?;
        }
        Ok(facts)
    }

    /// Whether this handle is still the file that the name stands for.
    pub(crate) fn is_same(&self, name: &str, file: &File) -> Result<bool> {
        Ok(self.links_of(name, file)?.is_some())
    }

    /// How many names the open file has, if this is one of them.
    fn links_of(&self, name: &str, file: &File) -> Result<Option<u64>> {
        let path = self.path_of(name);
        let open = FileFacts::of(&file.metadata().map_err(StoreError::io("look at", path))?);
        let named = self.facts(name)?.filter(|named| (named.device, named.inode) == (open.device, open.inode));
        Ok(named.map(|named| named.links))
    }

    /// Gives a file another name, replacing whatever has it; a link there is replaced itself, not what it points to.
    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<()> {
        let path = self.path_of(plain_name(to)?);
        let renamed = rustix::fs::renameat(self.fd(), from, self.fd(), to);
        renamed.map_err(StoreError::io("replace", path))
    }

    /// Gives a file another name unless something has it already.
    pub(crate) fn rename_to_free(&self, from: &str, to: &str) -> Result<()> {
        let path = self.path_of(plain_name(to)?);
        if self.facts(to)?.is_some() {
            return Err(StoreError::Exists { path });
        }
        rename_unless_there(self.fd(), from, self.fd(), to).map_err(|error| match error {
            Errno::EXIST => StoreError::Exists { path: path.clone() },
            _ => StoreError::io("make", &path)(error),
        })
    }

    /// Moves whatever has a name into another folder, unless something has the new name there.
    pub(crate) fn move_to(&self, from: &str, folder: &Folder, to: &str) -> Result<()> {
        let path = folder.path_of(plain_name(to)?);
        if folder.facts(to)?.is_some() {
            return Err(StoreError::Exists { path });
        }
        rename_unless_there(self.fd(), plain_name(from)?, folder.fd(), to).map_err(|error| match error {
            Errno::EXIST => StoreError::Exists { path: path.clone() },
            _ => StoreError::io("move", self.path_of(from))(error),
        })
    }

    pub(crate) fn remove(&self, name: &str) -> Result<()> {
        let path = self.path_of(plain_name(name)?);
        let removed = rustix::fs::unlinkat(self.fd(), name, AtFlags::empty());
        removed.map_err(StoreError::io("remove", path))
    }

    /// Removes an empty folder in this one.
    pub(crate) fn remove_folder(&self, name: &str) -> Result<()> {
        let path = self.path_of(plain_name(name)?);
        let removed = rustix::fs::unlinkat(self.fd(), name, AtFlags::REMOVEDIR);
        removed.map_err(StoreError::io("remove the folder", path))
    }

    /// Makes new and renamed names survive a power cut.
    pub(crate) fn sync(&self) -> Result<()> {
        self.handle.sync_all().map_err(StoreError::io("save the folder", &self.path))
    }

    /// Fails when the path no longer leads to this folder, so that nothing is saved where nobody will look.
    pub(crate) fn require_in_place(&self) -> Result<()> {
        let vanished = || StoreError::Io { doing: "use the folder", path: self.path.clone(), cause: Cause::Vanished };
        let named = std::fs::metadata(&self.path).map_err(|error| {
            let is_gone = error.kind() == io::ErrorKind::NotFound;
            if is_gone { vanished() } else { StoreError::io("look at the folder", &self.path)(error) }
        })?;
        let open = self.handle.metadata().map_err(StoreError::io("look at the folder", &self.path))?;
        if (named.dev(), named.ino()) == (open.dev(), open.ino()) { Ok(()) } else { Err(vanished()) }
    }

    /// At most `most` names, in no order.
    pub(crate) fn names(&self, most: usize) -> Result<Vec<String>> {
        self.require_in_place()?;
        let listing = std::fs::read_dir(&self.path).map_err(StoreError::io("list the folder", &self.path))?;
        Ok(listing.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).take(most).collect())
    }

    /// Takes rights away from everybody but the owner.
    pub(crate) fn make_private(&self) -> Result<()> {
        let open = self.handle.metadata().map_err(StoreError::io("look at the folder", &self.path))?;
        if ![open.uid(), 0].contains(&effective_user()) {
            return Err(StoreError::NotPlain { path: self.path.clone(), found: UnexpectedFile::Foreign });
        }
        if open.mode() & 0o077 == 0 {
            return Ok(());
        }
        let closed = rustix::fs::fchmod(self.fd(), FOLDER_MODE);
        closed.map_err(StoreError::io("make private", &self.path))
    }

    fn fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

impl FileFacts {
    fn of(metadata: &std::fs::Metadata) -> FileFacts {
        FileFacts {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.len(),
            modified_ms: milliseconds(metadata.mtime(), metadata.mtime_nsec()),
            kind: FileType::from_raw_mode(metadata.mode()),
            links: metadata.nlink(),
            owner: metadata.uid(),
        }
    }

    fn plain(&self, path: &Path) -> Result<()> {
        let found = match self.kind {
            FileType::RegularFile if self.links > 1 => UnexpectedFile::HardLink,
            // Root in a container meets files of the person outside all the time, and may read them anyway.
            FileType::RegularFile if ![self.owner, 0].contains(&effective_user()) => UnexpectedFile::Foreign,
            FileType::RegularFile => return Ok(()),
            FileType::Symlink => UnexpectedFile::Symlink,
            FileType::Directory => UnexpectedFile::Folder,
            FileType::Fifo
            | FileType::Socket
            | FileType::CharacterDevice
            | FileType::BlockDevice
            | FileType::Unknown => UnexpectedFile::Special,
        };
        Err(StoreError::NotPlain { path: path.to_owned(), found })
    }
}

/// A single name: no separator, no way up, nothing that could be read as a path.
pub(crate) fn plain_name(name: &str) -> Result<&str> {
    let is_plain = !name.is_empty() && name.len() <= 255 && name != "." && name != ".." && !name.contains(['/', '\0']);
    if is_plain { Ok(name) } else { Err(StoreError::BadName { name: name.chars().take(80).collect() }) }
}

fn open_at(folder: BorrowedFd<'_>, name: &Path, flags: OFlags, mode: Mode) -> Result<File, Errno> {
    retry_on_intr(|| rustix::fs::openat(folder, name, flags | OFlags::CLOEXEC, mode)).map(File::from)
}

/// A hard link would do the same everywhere, but a crash would leave the file with two names.
#[cfg(target_os = "linux")]
fn rename_unless_there(folder: BorrowedFd<'_>, from: &str, new_folder: BorrowedFd<'_>, to: &str) -> Result<(), Errno> {
    match rustix::fs::renameat_with(folder, from, new_folder, to, rustix::fs::RenameFlags::NOREPLACE) {
        // Not every file system can; the caller has looked, and only we write here.
        Err(Errno::INVAL | Errno::NOSYS) => rustix::fs::renameat(folder, from, new_folder, to),
        other => other,
    }
}

#[cfg(not(target_os = "linux"))]
fn rename_unless_there(folder: BorrowedFd<'_>, from: &str, new_folder: BorrowedFd<'_>, to: &str) -> Result<(), Errno> {
    rustix::fs::renameat(folder, from, new_folder, to)
}

fn milliseconds(seconds: i64, nanoseconds: i64) -> u64 {
    u64::try_from(seconds.saturating_mul(1000).saturating_add(nanoseconds / 1_000_000)).unwrap_or(0)
}

fn effective_user() -> u32 {
    rustix::process::geteuid().as_raw()
}
