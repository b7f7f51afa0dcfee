//! Takes a lock on one of our files without ever waiting long: another process may hold it and never let go.

use crate::error::{Result, StoreError};
use std::{
    fs::{File, TryLockError},
    path::Path,
    time::{Duration, Instant},
};

/// Our own processes hold a lock for a few milliseconds; whoever holds one longer is not waited for.
pub(crate) const MAX_WAIT: Duration = Duration::from_millis(500);
pub(crate) const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// Locks the file until it is closed, or says that somebody else has it.
pub(crate) fn take(file: &File, path: &Path) -> Result<()> {
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if started.elapsed() < MAX_WAIT => std::thread::sleep(BETWEEN_TRIES),
            Err(TryLockError::WouldBlock) => return Err(StoreError::Locked { path: path.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(StoreError::io("lock", path)(error)),
        }
    }
}

/// Tries until nobody else has the lock: on a slow disk the last of many who write at once is told that it is taken.
#[cfg(test)]
pub(crate) fn until_free<T>(attempt: impl Fn() -> Result<T>) -> T {
    loop {
        match attempt() {
            Err(StoreError::Locked { .. }) => {}
            outcome => return outcome.unwrap(),
        }
    }
}
