//! How much a cage without namespaces has put into its real temp folder. Counted by the guard, because no limit of the kernel does.

use crate::blueprint::Bounds;
use crate::sys;
use std::collections::HashSet;
use std::fs::Metadata;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Temp files on the real disk take room from everybody.
const MAX_BYTES: u64 = 512 << 20;
const MAX_ENTRIES: u64 = 200_000;
/// Folders in folders; whoever nests deeper is ended, because nobody could tell what is in there.
const MAX_DEPTH: usize = 256;

/// What all temp files of a run may take together.
pub(super) fn max_bytes(bounds: &Bounds) -> u64 {
    bounds.layer_bytes.min(MAX_BYTES)
}

/// Whether there is more than that, or it is hidden so that nobody can tell.
pub(super) fn is_full(folder: &Path, processes: &[libc::pid_t], bounds: &Bounds) -> bool {
    let mut count = TempUsage { bytes: 0, entries: 0, max_bytes: max_bytes(bounds) };
    let Ok(top) = sys::open_path(folder.as_os_str()) else { return true };
    let device = rustix::fs::fstat(&top).map(|status| status.st_dev);
    let seen = count.walk(&format!("/proc/self/fd/{}", top.as_raw_fd()), 0);
    if let Ok(device) = device {
        count.nameless(processes, device);
    }
    seen.is_err() || count.is_over()
}

struct TempUsage {
    bytes: u64,
    entries: u64,
    max_bytes: u64,
}

impl TempUsage {
    fn is_over(&self) -> bool {
        self.bytes > self.max_bytes || self.entries > MAX_ENTRIES
    }

    fn add(&mut self, found: &Metadata) {
        self.bytes = self.bytes.saturating_add(found.blocks().saturating_mul(512));
        self.entries += 1;
    }

    /// By descriptors, because a command can nest folders deeper than a path can say.
    fn walk(&mut self, folder: &str, depth: usize) -> io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let found = match entry.metadata() {
                Ok(found) => found,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            self.add(&found);
            if self.is_over() {
                return Ok(());
            }
            if !found.is_dir() {
                continue;
            }
            if depth >= MAX_DEPTH {
                return Err(io::Error::other("too deep"));
            }
            match std::fs::File::open(entry.path()) {
                Ok(inner) => self.walk(&format!("/proc/self/fd/{}", inner.as_raw_fd()), depth + 1)?,
                // Gone since; or made so that not even its maker can get in, and then nothing is in it.
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Files without a name take room for as long as somebody has them open.
    fn nameless(&mut self, processes: &[libc::pid_t], device: u64) {
        let mut known = HashSet::new();
        for pid in processes {
            for entry in std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten() {
                let Ok(found) = std::fs::metadata(entry.path()) else { continue };
                if found.is_file() && found.nlink() == 0 && found.dev() == device && known.insert(found.ino()) {
                    self.add(&found);
                }
            }
        }
    }
}
