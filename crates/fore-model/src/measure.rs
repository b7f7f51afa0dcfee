//! Doors for benchmarks and for tests outside of the crate: bytes to events and requests to bytes, without a network.

use crate::client::Reader;
use crate::event::EventKind;
use crate::protocol::body::Body;
use crate::protocol::{Ending, Protocol, Receiver};
use crate::provider::Chosen;
use crate::request::Request;

/// Decodes a response from bytes.
#[derive(Debug)]
pub struct Decoding(Reader);

impl Decoding {
    #[must_use]
    pub fn new(protocol: Protocol, model: &str) -> Self {
        Self(Reader::new(protocol, model, 16 * 1024 * 1024))
    }

    /// Appends the events that these bytes complete; a fault is told in words, after the events before it.
    pub fn feed(&mut self, bytes: &[u8], events: &mut Vec<EventKind>) -> Result<(), String> {
        let fed = self.0.feed(bytes);
        events.extend(self.0.take());
        fed.map_err(|fault| format!("{fault:?}"))
    }

    /// The last events, and whether the answer was whole.
    pub fn end(mut self) -> (Vec<EventKind>, bool) {
        let ending = self.0.end();
        (self.0.take().collect(), ending == Ending::Complete)
    }
}

/// Encodes a request as it would be sent and hands every piece to `piece`; gives the length that is announced.
pub fn encode(request: &Request, model: &Chosen, piece: &mut dyn FnMut(&[u8])) -> u64 {
    let body = Body::new(request, &Receiver::of(model));
    for segment in body.segments() {
        piece(&segment);
    }
    body.len()
}
