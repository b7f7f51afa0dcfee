//! Locks whose holder cannot leave a value half-changed that matters more than continuing.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The value, also if a thread panicked while it held it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
