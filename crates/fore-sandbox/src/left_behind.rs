//! What uncaged commands have left running: their guards, by which it is ended when planning begins or the session is over.
//!
//! A guard inherits every process that lost its parent, and ends them all when its socket is closed; so they end with this program,
//! too, whatever ends it.

use crate::starter;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Commands whose rest runs at the same time; the oldest is ended for a new one.
const MAX_LEFT_BEHIND: usize = 64;
/// How long all guards together are waited for; they go on for longer than that. Somebody may be waiting to press a key.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// A guard that stays with what its command has left running.
#[derive(Debug)]
pub(crate) struct LeftBehind {
    guard: Child,
    socket: UnixStream,
}

/// What came of ending it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndedLeftovers {
    /// Commands of which something still ran.
    pub commands: usize,
    /// Of those, the ones of which something did not end in time, such as a process of another person.
    pub failed: usize,
}

impl LeftBehind {
    pub(crate) fn new(guard: Child, socket: UnixStream) -> LeftBehind {
        LeftBehind { guard, socket }
    }

    fn has_ended(&mut self) -> bool {
        matches!(self.guard.try_wait(), Ok(Some(_)))
    }

    fn request_end(&self) {
        // A guard that is gone need not be told.
        let _ = self.socket.shutdown(Shutdown::Both);
    }

    /// Whether all of it has ended in time.
    fn wait(mut self, until: Instant) -> bool {
        let left = until.saturating_duration_since(Instant::now());
        let in_time = self.has_ended() || starter::ends_within(self.guard.id(), left).unwrap_or(false);
        if !in_time {
            starter::wait_later(self.guard);
            return false;
        }
        self.guard.wait().is_ok_and(|status| status.success())
    }
}

/// All of a session.
#[derive(Debug, Default)]
pub(crate) struct LeftBehindList(Mutex<Vec<LeftBehind>>);

impl LeftBehindList {
    pub(crate) fn add(&self, left_behind: LeftBehind) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain_mut(|known| !known.has_ended());
        let oldest = (list.len() >= MAX_LEFT_BEHIND).then(|| list.remove(0));
        list.push(left_behind);
        drop(list);
        if let Some(oldest) = oldest {
            oldest.request_end();
            starter::wait_later(oldest.guard);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain_mut(|known| !known.has_ended());
        list.is_empty()
    }

    pub(crate) fn end(&self) -> EndedLeftovers {
        let mut list = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        list.retain_mut(|known| !known.has_ended());
        // All are told before any is waited for.
        list.iter().for_each(LeftBehind::request_end);
        let commands = list.len();
        let until = Instant::now() + MAX_WAIT;
        let failed = list.into_iter().map(|rest| rest.wait(until)).filter(|all_ended| !all_ended).count();
        EndedLeftovers { commands, failed }
    }
}

impl Drop for LeftBehindList {
    fn drop(&mut self) {
        for left_behind in self.0.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            left_behind.request_end();
            starter::wait_later(left_behind.guard);
        }
    }
}
