//! Whether this program may start the threads that it lives on. It is asked once, so that no later one fails in the middle of work.

use anyhow::bail;
use std::sync::Mutex;

/// What a session, its tools and the programs it starts need at the same time at least.
const MIN_THREADS: usize = 16;

/// An error with what to do, when the person's limit of processes and threads leaves no room.
pub(crate) fn require_available() -> anyhow::Result<()> {
    let gate = Mutex::new(());
    let started = std::thread::scope(|scope| {
        // All of them wait, so that they are there at the same time.
        let _closed = gate.lock();
        let wait = || drop(gate.lock());
        (0..MIN_THREADS)
            .try_for_each(|_| std::thread::Builder::new().stack_size(64 << 10).spawn_scoped(scope, wait).map(drop))
    });
    if let Err(error) = started {
        bail!(
            "No more threads can be started ({error}). Close some programs, or raise the limit of processes (`ulimit -u`)"
        );
    }
    Ok(())
}
