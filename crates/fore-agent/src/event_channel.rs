//! Events on their way to the front end, in order. Streams wait when nobody reads; rare events never get lost.

use crate::event::{Event, NoticeLevel};
use crate::lock::lock;
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::{Notify, mpsc};

/// Events that wait before a stream has to wait for its reader.
const MAX_QUEUED: usize = 1024;
/// Bytes in them: what a model has said and nobody has seen is kept all the same when it is stopped.
const MAX_WAITING_BYTES: usize = 256 << 10;
/// Events that wait before commands have to wait for the reader too.
const MAX_UNREAD: usize = 4 * MAX_QUEUED;

/// The sending side; clones share it.
#[derive(Clone, Debug)]
pub(crate) struct EventSender {
    sender: mpsc::UnboundedSender<Event>,
    shared: Arc<EventQueue>,
}

/// The reading side.
#[derive(Debug)]
pub(crate) struct EventReceiver {
    receiver: mpsc::UnboundedReceiver<Event>,
    shared: Arc<EventQueue>,
}

#[derive(Debug, Default)]
struct EventQueue {
    waiting: AtomicUsize,
    /// Of streams.
    waiting_bytes: AtomicUsize,
    taken: Notify,
    /// Events from before the session is ready: they come after the one that says so.
    held: Mutex<Option<Vec<Event>>>,
}

pub(crate) fn event_channel() -> (EventSender, EventReceiver) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let shared = Arc::new(EventQueue { held: Mutex::new(Some(Vec::new())), ..EventQueue::default() });
    (EventSender { sender, shared: Arc::clone(&shared) }, EventReceiver { receiver, shared })
}

impl EventSender {
    /// Sends at once. For events whose number is bounded by the work that causes them.
    pub(crate) fn send(&self, event: Event) {
        if let Some(held) = lock(&self.shared.held).as_mut() {
            held.push(event);
            return;
        }
        self.shared.waiting.fetch_add(1, Ordering::SeqCst);
        self.shared.waiting_bytes.fetch_add(streamed_bytes(&event), Ordering::SeqCst);
        // A front end that has gone away needs no events.
        let _ = self.sender.send(event);
    }

    /// Words of the program for the person.
    pub(crate) fn notice(&self, level: NoticeLevel, text: impl Into<String>) {
        self.send(Event::Notice { level, text: text.into() });
    }

    /// Sends the first event and then all that happened before it.
    pub(crate) fn begin(&self, first: Event) {
        let held = lock(&self.shared.held).take();
        self.send(first);
        held.into_iter().flatten().for_each(|event| self.send(event));
    }

    /// Sends a piece of a stream: waits while the reader is behind.
    pub(crate) async fn stream(&self, event: Event) {
        self.until(EventSender::has_room).await;
        self.send(event);
    }

    /// Waits until another command may be taken: each may bring an event, and a front end that sends commands without
    /// ever reading would pile them up.
    pub(crate) async fn room_for_commands(&self) {
        self.until(EventSender::has_room_for_commands).await;
    }

    /// Whether another command may be taken now.
    pub(crate) fn has_room_for_commands(&self) -> bool {
        self.has_fewer_than(MAX_UNREAD)
    }

    /// Whether there is room for what a control brings: a host that only switches to and fro has to read sometime, too.
    pub(crate) fn has_room_for_controls(&self) -> bool {
        self.has_fewer_than(2 * MAX_UNREAD)
    }

    /// Whether a piece of live output may be sent; pieces that find no room are left out, the result has them.
    pub(crate) fn has_room(&self) -> bool {
        let bytes = self.shared.waiting_bytes.load(Ordering::SeqCst);
        self.has_fewer_than(MAX_QUEUED) && (bytes < MAX_WAITING_BYTES || self.sender.is_closed())
    }

    fn has_fewer_than(&self, most: usize) -> bool {
        self.shared.waiting.load(Ordering::SeqCst) < most || self.sender.is_closed()
    }

    /// Waits until the reader has taken so much that there is room.
    async fn until(&self, has_room: impl Fn(&EventSender) -> bool) {
        while !has_room(self) {
            let taken = self.shared.taken.notified();
            tokio::pin!(taken);
            taken.as_mut().enable();
            if !has_room(self) {
                taken.await;
            }
        }
    }
}

/// The text of a piece of a stream.
fn streamed_bytes(event: &Event) -> usize {
    let (Event::Text { delta: text, .. } | Event::Reasoning { delta: text, .. } | Event::ToolOutput { text, .. }) =
        event
    else {
        return 0;
    };
    text.len()
}

impl EventReceiver {
    pub(crate) async fn next(&mut self) -> Option<Event> {
        let event = self.receiver.recv().await;
        if let Some(event) = &event {
            self.shared.waiting.fetch_sub(1, Ordering::SeqCst);
            self.shared.waiting_bytes.fetch_sub(streamed_bytes(event), Ordering::SeqCst);
            self.shared.taken.notify_waiters();
        }
        event
    }
}

impl Drop for EventReceiver {
    fn drop(&mut self) {
        self.receiver.close();
        self.shared.taken.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::NoticeLevel;

    fn notice(text: &str) -> Event {
        Event::Notice { level: NoticeLevel::Info, text: text.into() }
    }

    #[tokio::test(flavor = "current_thread")]
    async fn what_happens_before_the_beginning_comes_after_it() {
        let (events, mut receiver) = event_channel();
        events.send(notice("early"));
        events.begin(Event::TurnStarted);
        events.send(notice("late"));
        drop(events);
        let mut seen = Vec::new();
        while let Some(event) = receiver.next().await {
            seen.push(event);
        }
        assert_eq!(seen, [Event::TurnStarted, notice("early"), notice("late")]);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_stream_waits_for_its_reader_and_loses_nothing() {
        let (events, mut receiver) = event_channel();
        events.begin(Event::TurnStarted);
        let count = MAX_QUEUED * 3;
        let send = async {
            for number in 0..count {
                events.stream(notice(&number.to_string())).await;
                assert!(events.shared.waiting.load(Ordering::SeqCst) <= MAX_QUEUED + 1);
            }
        };
        let receive = async {
            for _ in 0..=count {
                assert!(receiver.next().await.is_some());
            }
        };
        tokio::join!(send, receive);
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_stream_of_long_pieces_waits_for_its_reader_sooner() {
        let (events, mut receiver) = event_channel();
        events.begin(Event::TurnStarted);
        let piece = || Event::Text {
            agent: None,
            model: fore_model::ModelName::new("scripted", "one"),
            delta: "x".repeat(MAX_WAITING_BYTES / 2),
        };
        events.stream(piece()).await;
        events.stream(piece()).await;
        assert!(!events.has_room() && events.has_room_for_commands());
        let (is_sent, _) = (std::cell::Cell::new(false), receiver.next().await);
        let send = async {
            events.stream(piece()).await;
            is_sent.set(true);
        };
        let read = async {
            assert!(!is_sent.get());
            receiver.next().await
        };
        tokio::join!(send, read);
        assert!(is_sent.get());
    }

    #[tokio::test(flavor = "current_thread")]
    async fn commands_wait_for_a_reader_that_is_far_behind_and_not_for_one_that_has_gone() {
        let (events, mut receiver) = event_channel();
        events.begin(Event::TurnStarted);
        (1..MAX_UNREAD).for_each(|number| events.send(notice(&number.to_string())));
        let is_taken = std::cell::Cell::new(false);
        let take = async {
            events.room_for_commands().await;
            is_taken.set(true);
        };
        let read = async {
            assert!(!is_taken.get());
            receiver.next().await
        };
        tokio::join!(take, read);
        assert!(is_taken.get());
        events.send(notice("one more"));
        drop(receiver);
        events.room_for_commands().await;
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_stream_without_a_reader_does_not_wait_for_ever() {
        let (events, receiver) = event_channel();
        events.begin(Event::TurnStarted);
        drop(receiver);
        for number in 0..MAX_QUEUED * 2 {
            events.stream(notice(&number.to_string())).await;
        }
    }
}
