//! The kernel's word on which names came and went in some folders, without waiting for it.

use crate::sys;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
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
        // SAFETY: no pointers.
        let fd = sys::owned(i64::from(unsafe { libc::inotify_init1(libc::IN_NONBLOCK | libc::IN_CLOEXEC) })).ok()?;
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
        const CHANGES: u32 = libc::IN_CREATE
            | libc::IN_MOVED_TO
            | libc::IN_MOVED_FROM
            | libc::IN_DELETE
            | libc::IN_MOVE_SELF
            | libc::IN_ONLYDIR
            | libc::IN_DONT_FOLLOW
            | libc::IN_EXCL_UNLINK;
        let path = sys::c_string(folder).ok()?;
        // SAFETY: a valid descriptor and C string.
        let watch = unsafe { libc::inotify_add_watch(self.fd.as_raw_fd(), path.as_ptr(), CHANGES) };
        (watch >= 0).then_some(watch)
    }

    /// What happened since the last time.
    pub(super) fn events(&self) -> io::Result<Vec<WatchEvent>> {
        let mut events = Vec::new();
        let mut buffer = vec![0_u8; BUFFER_BYTES];
        loop {
            // SAFETY: a buffer of that many bytes.
            let read = unsafe { libc::read(self.fd.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len()) };
            match sys::check(read as i64) {
                Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => return Ok(events),
                Err(error) if error.raw_os_error() == Some(libc::EINTR) => {}
                Err(error) => return Err(error),
                Ok(count) => {
                    let mut rest = buffer.get(..count as usize).unwrap_or_default();
                    while let Some((event, after)) = parse(rest) {
                        events.push(event);
                        rest = after;
                    }
                }
            }
        }
    }
}

/// `struct inotify_event`: watch, mask, cookie, length, then a name filled up with zeros.
fn parse(bytes: &[u8]) -> Option<(WatchEvent, &[u8])> {
    let word = |at: usize| bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
    let (watch, mask) = (i32::from_ne_bytes(word(0)?), u32::from_ne_bytes(word(4)?));
    let length = u32::from_ne_bytes(word(12)?) as usize;
    let name = bytes.get(16..16 + length)?;
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    let name = OsStr::from_bytes(name.get(..end)?).to_owned();
    Some((WatchEvent { watch, mask, name }, bytes.get(16 + length..)?))
}
