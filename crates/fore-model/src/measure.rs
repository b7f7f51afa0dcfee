//! For benchmarks and for tests outside of the crate: bytes to events and requests to bytes, without a network.

use crate::client::EventReader;
use crate::event::EventKind;
use crate::protocol::body::RequestBody;
use crate::protocol::{Protocol, Receiver, StreamEnd};
use crate::provider::ChosenModel;
use crate::request::ModelRequest;

/// Decodes a response from bytes.
#[derive(Debug)]
pub struct Decoding(EventReader);

impl Decoding {
    /// The beginning of a response.
    #[must_use]
    pub fn new(protocol: Protocol, model: &str) -> Self {
        Self(EventReader::new(protocol, model, 16 * 1024 * 1024))
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
        (self.0.take().collect(), ending == StreamEnd::Complete)
    }
}

/// Encodes a request as it would be sent and hands every piece to `piece`; gives the length that is announced.
pub fn encode(request: &ModelRequest, model: &ChosenModel, piece: &mut dyn FnMut(&[u8])) -> u64 {
    let body = RequestBody::new(request, &Receiver::of(model));
    for segment in body.segments() {
        piece(&segment);
    }
    body.len()
}
