//! Waits until something comes into a folder: the kernel says so, and where it cannot, the folder is looked at fifty times a second.

use std::{path::Path, time::Duration};

/// Between two looks where the kernel does not tell.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// A look from time to time all the same: a folder on a network disk may change without the kernel's knowing.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The watch over one inbox.
#[derive(Debug)]
pub(super) struct InboxWatch {
    #[cfg(target_os = "linux")]
    kernel: Option<kernel::FolderWatch>,
}

impl InboxWatch {
    /// Begins to watch. There are only so many watches for a person; without one it works as well, with a few more looks.
    pub(super) fn new(folder: &Path) -> InboxWatch {
        #[cfg(target_os = "linux")]
        return InboxWatch { kernel: kernel::FolderWatch::new(folder) };
        #[cfg(not(target_os = "linux"))]
        {
            let _ = folder;
            InboxWatch {}
        }
    }

    /// Forgets what has come so far.
    pub(super) fn forget(&self) {
        #[cfg(target_os = "linux")]
        if let Some(kernel) = &self.kernel {
            kernel.forget();
        }
    }

    /// Waits until something may have come since then.
    pub(super) async fn changed(&self) {
        #[cfg(target_os = "linux")]
        if let Some(kernel) = &self.kernel {
            let _ = tokio::time::timeout(MAX_WAIT, kernel.changed()).await;
            return;
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
}

#[cfg(target_os = "linux")]
mod kernel {
    use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
    use std::{os::fd::OwnedFd, path::Path};
    use tokio::io::unix::AsyncFd;

    const BUFFER_BYTES: usize = 16 * 1024;

    #[derive(Debug)]
    pub(super) struct FolderWatch {
        events: AsyncFd<OwnedFd>,
    }

    impl FolderWatch {
        pub(super) fn new(folder: &Path) -> Option<FolderWatch> {
            let fd = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            let flags = WatchFlags::MOVED_TO | WatchFlags::CREATE | WatchFlags::ONLYDIR | WatchFlags::DONT_FOLLOW;
            inotify::add_watch(&fd, folder, flags).ok()?;
            #[expect(
                deprecated,
                reason = "its successor is unsafe for descriptors that nobody owns; this one is owned"
            )]
            let events = AsyncFd::new(fd).ok()?;
            Some(FolderWatch { events })
        }

        pub(super) fn forget(&self) {
            let mut buffer = Vec::with_capacity(BUFFER_BYTES);
            let mut reader = inotify::Reader::new(self.events.get_ref(), buffer.spare_capacity_mut());
            while reader.next().is_ok() {}
        }

        pub(super) async fn changed(&self) {
            // Readiness is remembered, so it is forgotten after each look; the next one asks the kernel.
            while let Ok(mut ready) = self.events.readable().await {
                let mut buffer = Vec::with_capacity(BUFFER_BYTES);
                let mut reader = inotify::Reader::new(self.events.get_ref(), buffer.spare_capacity_mut());
                let came = reader.next().is_ok();
                ready.clear_ready();
                if came {
                    return;
                }
            }
        }
    }
}
