//! One switch that stops a call: code that waits, code that loops, and the processes in a cage.

use fore_sandbox::Canceller;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use tokio::sync::Notify;

/// Clones share the switch. Once cancelled it stays so.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cancel {
    inner: Arc<CancelState>,
}

#[derive(Debug, Default)]
struct CancelState {
    is_cancelled: AtomicBool,
    woken: Notify,
    cage: Canceller,
}

impl Cancel {
    pub(crate) fn cancel(&self) {
        self.inner.is_cancelled.store(true, Ordering::SeqCst);
        self.inner.cage.cancel();
        self.inner.woken.notify_waiters();
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.inner.is_cancelled.load(Ordering::SeqCst)
    }

    /// For [`fore_sandbox::Job::cancel`].
    pub(crate) fn cage(&self) -> Canceller {
        self.inner.cage.clone()
    }

    /// Returns when cancelled.
    pub(crate) async fn cancelled(&self) {
        let woken = self.inner.woken.notified();
        tokio::pin!(woken);
        // Registered before the look, so that a cancel between the two is not missed.
        woken.as_mut().enable();
        if !self.is_cancelled() {
            woken.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn everybody_who_waits_wakes_up_and_nobody_waits_afterwards() {
        let cancel = Cancel::default();
        let waiting = (cancel.clone(), cancel.clone());
        let both = async { tokio::join!(waiting.0.cancelled(), waiting.1.cancelled()) };
        let (_, ()) = tokio::join!(both, async { cancel.cancel() });
        cancel.cancelled().await;
        assert!(waiting.0.is_cancelled());
    }
}
