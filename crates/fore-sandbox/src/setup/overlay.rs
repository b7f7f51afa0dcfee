//! Throw-away layers: overlays whose upper side lies in memory and dies with the cage.

use super::changes;
use super::mounts::SEALED;
use crate::report::RehearsalReport;
use crate::sys;
use rustix::fs::{FileType, Gid, Mode, OFlags, Uid, mkdirat, mknodat};
use rustix::mount::MountFlags;
use rustix::path::Arg;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// The memory file system that holds all upper sides. It is mounted below the private `/dev`, where no path leads to it.
pub(super) struct UpperLayers {
    base: OwnedFd,
    /// Read-only from the beginning, to be seen in many places: a folder that nobody may open, such a file, and an empty folder.
    blocked: OwnedFd,
    blocked_file: OwnedFd,
    nothing: OwnedFd,
    used: usize,
}

const FOLDER_MODE: Mode = Mode::RWXU.union(Mode::RGRP).union(Mode::XGRP).union(Mode::ROTH).union(Mode::XOTH);

/// What a layer is for that is made before it is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ahead {
    Writable,
    /// Only to be seen.
    Seen,
}

impl UpperLayers {
    pub(super) fn mount(bytes: u64) -> io::Result<UpperLayers> {
        sys::mount_new(
            c"tmpfs",
            OsStr::new("/dev"),
            MountFlags::NOSUID | MountFlags::NODEV,
            // An empty file takes none of the size, but memory all the same.
            &format!("mode=0700,size={bytes},nr_inodes={}", (bytes >> 12).max(1024)),
        )?;
        let base = sys::open_path(OsStr::new("/dev"))?;
        let base_fd = base.as_fd();
        mkdirat(base_fd, c"blocked", Mode::empty())?;
        // A device on a mount without devices: not even root's powers over files open it. Kernels before 5.8 let only
        // root make one; then it is a file without permissions, which is as good for everybody else.
        if mknodat(base_fd, c"blocked-file", FileType::CharacterDevice, Mode::empty(), 0).is_err() {
            let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::EXCL;
            drop(sys::open_at(base_fd, c"blocked-file", flags, Mode::empty())?);
        }
        mkdirat(base_fd, c"nothing", FOLDER_MODE)?;
        // The same once more, sealed: what is cloned from there is sealed as well.
        mkdirat(base_fd, c"sealed", FOLDER_MODE)?;
        let sealed = sys::clone_tree(base_fd, 0)?;
        sys::set_mount_attributes(sealed.as_fd(), SEALED, 0, 0)?;
        sys::attach_tree(sealed.as_fd(), open_in(&base, c"sealed")?.as_fd())?;
        let open = |name| open_in(&sealed, name);
        let (blocked, blocked_file, nothing) = (open(c"blocked")?, open(c"blocked-file")?, open(c"nothing")?);
        Ok(UpperLayers { base, blocked, blocked_file, nothing, used: 0 })
    }

    /// What was set up here was sealed together with everything else.
    pub(super) fn unseal(&self) -> io::Result<()> {
        sys::set_mount_attributes(self.base.as_fd(), 0, sys::MOUNT_ATTR_RDONLY, 0)
    }

    /// Covers `path` with a layer over `lower`; returns the upper side.
    pub(super) fn overlay(&mut self, lower: &OwnedFd, path: &Path) -> io::Result<OwnedFd> {
        self.overlay_at(lower, &|_| Ok(path.as_os_str().to_owned()))
    }

    /// A layer over `lower`, to be put over a folder later.
    pub(super) fn overlay_ahead(&mut self, lower: &OwnedFd, layer: Ahead) -> io::Result<OwnedFd> {
        let number = self.used.to_string();
        match layer {
            Ahead::Writable => self
                .overlay_at(lower, &|home| {
                    mkdirat(home, c"shown", FOLDER_MODE)?;
                    Ok(format!("/proc/self/fd/{}/shown", home.as_raw_fd()).into())
                })
                .map(drop)?,
            Ahead::Seen => self.seen_at(lower)?,
        }
        open_in(&self.base, number + "/shown")
    }

    /// Without an upper side, which takes the kernel some time.
    fn seen_at(&mut self, lower: &OwnedFd) -> io::Result<()> {
        let home_name = self.used.to_string();
        self.used += 1;
        mkdirat(&self.base, &home_name, FOLDER_MODE)?;
        let home = open_in(&self.base, &home_name)?;
        mkdirat(&home, c"shown", FOLDER_MODE)?;
        let (lower, nothing) = (lower.as_raw_fd(), self.nothing.as_raw_fd());
        let options = format!("lowerdir=/proc/self/fd/{lower}:/proc/self/fd/{nothing},userxattr");
        let place = OsString::from(format!("/proc/self/fd/{}/shown", home.as_raw_fd()));
        sys::mount_new(c"overlay", &place, MountFlags::NOSUID | MountFlags::NODEV, &options)
    }

    fn overlay_at(&mut self, lower: &OwnedFd, place: &dyn Fn(&OwnedFd) -> io::Result<OsString>) -> io::Result<OwnedFd> {
        let home_name = self.used.to_string();
        self.used += 1;
        mkdirat(&self.base, &home_name, FOLDER_MODE)?;
        let home = open_in(&self.base, &home_name)?;
        mkdirat(&home, c"work", FOLDER_MODE)?;
        mkdirat(&home, c"upper", FOLDER_MODE)?;
        let upper = sys::open_at(home.as_fd(), c"upper", OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())?;
        copy_attributes(lower, &upper)?;
        let place = place(&home)?;
        // Descriptors instead of paths: a path may hold the commas and colons that separate these options.
        let (lower, home) = (lower.as_raw_fd(), home.as_raw_fd());
        let options = format!(
            "lowerdir=/proc/self/fd/{lower},upperdir=/proc/self/fd/{home}/upper,workdir=/proc/self/fd/{home}/work,userxattr"
        );
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        // Volatile: nothing here is worth an fsync. Kernels before 5.10 do not know the word.
        match sys::mount_new(c"overlay", &place, flags, &format!("{options},volatile")) {
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
                sys::mount_new(c"overlay", &place, flags, &options)?
            }
            other => other?,
        }
        Ok(upper)
    }

    /// A new empty folder, to put over one.
    pub(super) fn empty(&mut self) -> io::Result<OwnedFd> {
        let name = self.used.to_string();
        self.used += 1;
        mkdirat(&self.base, &name, FOLDER_MODE)?;
        sys::clone_tree(open_in(&self.base, &name)?.as_fd(), 0)
    }

    /// An empty folder that stays empty, sealed, to put over one.
    pub(super) fn nothing(&self) -> io::Result<OwnedFd> {
        sys::clone_tree(self.nothing.as_fd(), 0)
    }

    /// A sealed mount that nobody may open, to put over a secret.
    pub(super) fn blocked(&self, folder: bool) -> io::Result<OwnedFd> {
        let what = if folder { &self.blocked } else { &self.blocked_file };
        sys::clone_tree(what.as_fd(), 0)
    }
}

fn open_in(folder: &OwnedFd, name: impl Arg) -> io::Result<OwnedFd> {
    sys::open_at(folder.as_fd(), name, OFlags::PATH, Mode::empty())
}

/// An overlay shows the mode and owner of its upper root, so that must look like the folder it covers.
fn copy_attributes(lower: &OwnedFd, upper: &OwnedFd) -> io::Result<()> {
    let status = rustix::fs::fstat(lower)?;
    // A foreign owner cannot be copied without privileges; then it stays ours.
    let _ = rustix::fs::fchown(upper, Some(Uid::from_raw(status.st_uid)), Some(Gid::from_raw(status.st_gid)));
    Ok(rustix::fs::fchmod(upper, Mode::from_raw_mode(status.st_mode))?)
}

/// The layers of one rehearsal, for its report.
#[derive(Default)]
pub(super) struct Overlays {
    list: Vec<changes::OverlayLayer>,
}

impl Overlays {
    pub(super) fn add(&mut self, path: PathBuf, lower: OwnedFd, upper: OwnedFd, in_workspace: bool) {
        self.list.push(changes::OverlayLayer { path, lower, upper, in_workspace });
    }

    pub(super) fn report(&self, diff: bool) -> RehearsalReport {
        changes::report(&self.list, diff)
    }
}
