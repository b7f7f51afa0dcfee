//! The kernel's word on which names came and went in some folders, without waiting for it.

use crate::sys;
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;
use std::ffi::{CStr, OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// A share of what the person's other programs want as well.
const SHARE: usize = 4;
/// When the kernel does not say how many there may be.
const DEFAULT_WATCHES: usize = 8_192;
const BUFFER_BYTES: usize = 64 << 10;
/// File systems whose changes all go through this kernel.
pub(super) const LOCAL: [u64; 8] =
    [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0xf2f5_2010, 0x2fc1_2fc1, 0xca45_1a4e];

#[derive(Debug)]
pub(super) struct Watcher {
    fd: Arc<OwnedFd>,
    max_watches: usize,
}

/// A change in a folder.
#[derive(Debug)]
pub(super) struct WatchEvent {
    pub(super) watch: i32,
    pub(super) mask: u32,
    pub(super) name: OsString,
}

impl WatchEvent {
    pub(super) fn is(&self, bits: u32) -> bool {
        self.mask & bits != 0
    }
}

impl Watcher {
    /// None where the kernel would not tell of every change.
    pub(super) fn new(folder: &Path) -> Option<Watcher> {
        let is_local = |path: &Path| {
            let kind =
                sys::open_path(path.as_os_str()).and_then(|fd| sys::file_system_of(std::os::fd::AsFd::as_fd(&fd)));
            kind.is_ok_and(|kind| LOCAL.contains(&kind))
        };
        // What is mounted twice has two names, and is watched under one.
        if !is_local(folder) || !crate::setup::Mounts::now().ok()?.below(folder).is_empty() {
            return None;
        }
        let most = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok();
        let most = most.and_then(|text| text.trim().parse().ok()).unwrap_or(DEFAULT_WATCHES);
        let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        Some(Watcher { fd: Arc::new(fd), max_watches: most / SHARE })
    }

    /// Readable when there is something to hear.
    pub(super) fn descriptor(&self) -> Arc<OwnedFd> {
        Arc::clone(&self.fd)
    }

    /// How many folders may be watched.
    pub(super) fn max_watches(&self) -> usize {
        self.max_watches
    }

    /// None when the folder cannot be watched, so that changes in it would go unseen.
    pub(super) fn watch(&self, folder: &Path) -> Option<i32> {
        let changes = WatchFlags::CREATE
            | WatchFlags::MOVED_TO
            | WatchFlags::MOVED_FROM
            | WatchFlags::DELETE
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW
            | WatchFlags::EXCL_UNLINK;
        inotify::add_watch(&self.fd, folder, changes).ok()
    }

    /// What happened since the last time.
    pub(super) fn events(&self) -> io::Result<Vec<WatchEvent>> {
        let mut events = Vec::new();
        let mut buffer = Vec::with_capacity(BUFFER_BYTES);
        let mut reader = inotify::Reader::new(&self.fd, buffer.spare_capacity_mut());
        loop {
            match reader.next() {
                Ok(event) => {
                    let name = event.file_name().map_or(b"".as_slice(), CStr::to_bytes);
                    let (watch, mask) = (event.wd(), event.events().bits());
                    events.push(WatchEvent { watch, mask, name: OsStr::from_bytes(name).to_owned() });
                }
                Err(Errno::AGAIN) => return Ok(events),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}
