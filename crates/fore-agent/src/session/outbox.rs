//! Events on their way to the front end, in order. Streams wait when nobody reads; rare events never get lost.

use crate::event::Event;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::{Notify, mpsc};

/// Events that wait before a stream has to wait for its reader.
const MOST_WAITING: usize = 1024;

/// The sending side; clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Outbox {
    sender: mpsc::UnboundedSender<Event>,
    shared: Arc<Shared>,
}

/// The reading side.
#[derive(Debug)]
pub(crate) struct Letters {
    receiver: mpsc::UnboundedReceiver<Event>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    waiting: AtomicUsize,
    taken: Notify,
}

pub(crate) fn outbox() -> (Outbox, Letters) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let shared = Arc::new(Shared::default());
    (Outbox { sender, shared: Arc::clone(&shared) }, Letters { receiver, shared })
}

impl Outbox {
    /// Sends at once. For events whose number is bounded by the work that causes them.
    pub(crate) fn send(&self, event: Event) {
        self.shared.waiting.fetch_add(1, Ordering::SeqCst);
        // A front end that has gone away needs no events.
        let _ = self.sender.send(event);
    }

    /// Sends a piece of a stream: waits while the reader is behind.
    pub(crate) async fn stream(&self, event: Event) {
        while self.shared.waiting.load(Ordering::SeqCst) >= MOST_WAITING && !self.sender.is_closed() {
            let taken = self.shared.taken.notified();
            tokio::pin!(taken);
            taken.as_mut().enable();
            if self.shared.waiting.load(Ordering::SeqCst) >= MOST_WAITING {
                taken.await;
            }
        }
        self.send(event);
    }

    /// Whether a piece of live output may be sent; pieces that find no room are left out, the result has them.
    pub(crate) fn has_room(&self) -> bool {
        self.shared.waiting.load(Ordering::SeqCst) < MOST_WAITING
    }
}

impl Letters {
    pub(crate) async fn next(&mut self) -> Option<Event> {
        let event = self.receiver.recv().await;
        if event.is_some() {
            self.shared.waiting.fetch_sub(1, Ordering::SeqCst);
            self.shared.taken.notify_waiters();
        }
        event
    }
}

impl Drop for Letters {
    fn drop(&mut self) {
        self.receiver.close();
        self.shared.taken.notify_waiters();
    }
}
