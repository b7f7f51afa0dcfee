//! Throw-away layers: overlays whose upper side lies in memory and dies with the cage.

use super::changes;
use super::mounts::SEALED;
use crate::report::RehearsalReport;
use crate::sys;
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
            libc::MS_NOSUID | libc::MS_NODEV,
            // An empty file takes none of the size, but memory all the same.
            &format!("mode=0700,size={bytes},nr_inodes={}", (bytes >> 12).max(1024)),
        )?;
        let base = sys::open_path(OsStr::new("/dev"))?;
        let base_fd = base.as_fd();
        sys::mkdir_at(base_fd, c"blocked", 0)?;
        // A device on a mount without devices: not even root's powers over files open it. Kernels before 5.8 let only
        // root make one; then it is a file without permissions, which is as good for everybody else.
        if sys::whiteout_at(base_fd, c"blocked-file").is_err() {
            drop(sys::open_at(Some(base_fd), c"blocked-file", libc::O_CREAT | libc::O_WRONLY | libc::O_EXCL, 0)?);
        }
        sys::mkdir_at(base_fd, c"nothing", 0o755)?;
        // The same once more, sealed: what is cloned from there is sealed as well.
        sys::mkdir_at(base_fd, c"sealed", 0o755)?;
        let sealed = sys::clone_tree(base_fd, 0)?;
        sys::set_mount_attributes(sealed.as_fd(), SEALED, 0, 0)?;
        sys::attach_tree(sealed.as_fd(), sys::open_at(Some(base_fd), c"sealed", libc::O_PATH, 0)?.as_fd())?;
        let open = |name| sys::open_at(Some(sealed.as_fd()), name, libc::O_PATH, 0);
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
                    sys::mkdir_at(home.as_fd(), c"shown", 0o755)?;
                    Ok(format!("/proc/self/fd/{}/shown", home.as_raw_fd()).into())
                })
                .map(drop)?,
            Ahead::Seen => self.seen_at(lower)?,
        }
        sys::open_at(Some(self.base.as_fd()), &sys::c_string(number + "/shown")?, libc::O_PATH, 0)
    }

    /// Without an upper side, which takes the kernel some time.
    fn seen_at(&mut self, lower: &OwnedFd) -> io::Result<()> {
        let home_name = sys::c_string(self.used.to_string())?;
        self.used += 1;
        sys::mkdir_at(self.base.as_fd(), &home_name, 0o755)?;
        let home = sys::open_at(Some(self.base.as_fd()), &home_name, libc::O_PATH, 0)?;
        sys::mkdir_at(home.as_fd(), c"shown", 0o755)?;
        let (lower, nothing) = (lower.as_raw_fd(), self.nothing.as_raw_fd());
        let options = format!("lowerdir=/proc/self/fd/{lower}:/proc/self/fd/{nothing},userxattr");
        let place = OsString::from(format!("/proc/self/fd/{}/shown", home.as_raw_fd()));
        sys::mount_new(c"overlay", &place, libc::MS_NOSUID | libc::MS_NODEV, &options)
    }

    fn overlay_at(&mut self, lower: &OwnedFd, place: &dyn Fn(&OwnedFd) -> io::Result<OsString>) -> io::Result<OwnedFd> {
        let name = self.used.to_string();
        self.used += 1;
        let home_name = sys::c_string(&name)?;
        sys::mkdir_at(self.base.as_fd(), &home_name, 0o755)?;
        let home = sys::open_at(Some(self.base.as_fd()), &home_name, libc::O_PATH, 0)?;
        sys::mkdir_at(home.as_fd(), c"work", 0o755)?;
        sys::mkdir_at(home.as_fd(), c"upper", 0o755)?;
        let upper = sys::open_at(Some(home.as_fd()), c"upper", libc::O_RDONLY | libc::O_DIRECTORY, 0)?;
        copy_attributes(lower, &upper)?;
        let place = place(&home)?;
        // Descriptors instead of paths: a path may hold the commas and colons that separate these options.
        let (lower, home) = (lower.as_raw_fd(), home.as_raw_fd());
        let options = format!(
            "lowerdir=/proc/self/fd/{lower},upperdir=/proc/self/fd/{home}/upper,workdir=/proc/self/fd/{home}/work,userxattr"
        );
        let flags = libc::MS_NOSUID | libc::MS_NODEV;
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
        let name = sys::c_string(self.used.to_string())?;
        self.used += 1;
        sys::mkdir_at(self.base.as_fd(), &name, 0o755)?;
        sys::clone_tree(sys::open_at(Some(self.base.as_fd()), &name, libc::O_PATH, 0)?.as_fd(), 0)
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

/// An overlay shows the mode and owner of its upper root, so that must look like the folder it covers.
fn copy_attributes(lower: &OwnedFd, upper: &OwnedFd) -> io::Result<()> {
    let status = sys::status_of(lower.as_fd())?;
    // SAFETY: a valid descriptor and plain numbers. A foreign owner cannot be copied without privileges; then it stays ours.
    unsafe { libc::fchown(upper.as_raw_fd(), status.st_uid, status.st_gid) };
    // SAFETY: as above.
    sys::check(i64::from(unsafe { libc::fchmod(upper.as_raw_fd(), status.st_mode & 0o7777) })).map(drop)
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
