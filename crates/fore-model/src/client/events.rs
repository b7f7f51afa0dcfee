//! The stream of events of one answer: reads, decodes, and turns every way of ending into `Done` or a typed error.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use reqwest::Response;

use super::ClientLimits;
use super::clock::{Clock, Wait};
use super::reach;
use super::send::{describe, is_document, refused};
use super::whole;
use crate::answer::Answer;
use crate::error::{Error, FailurePhase};
use crate::event::{EventKind, ModelEvent};
use crate::framing::sse::{SseFrame, SseParser, TooLarge};
use crate::protocol::{Decode, StreamEnd, StreamFault, decoder};
use crate::provider::ChosenModel;

/// Dropping it closes the connection at once.
pub struct Events {
    /// `None` once the bytes are over.
    response: Option<Response>,
    model: ChosenModel,
    reader: EventReader,
    ready: VecDeque<EventKind>,
    failed: Option<Error>,
    answer: Answer,
    taken: usize,
    /// Whether a piece of the answer itself has come.
    has_begun: bool,
    /// An answer that came in one piece, as the bytes of a stream.
    whole: Option<Vec<u8>>,
    was_whole: bool,
    limits: ClientLimits,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for Events {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Events").field("model", &self.model.name).finish_non_exhaustive()
    }
}

/// Bytes to events, without the network.
pub(crate) struct EventReader {
    parser: SseParser,
    decoder: Box<dyn Decode>,
    events: Vec<EventKind>,
}

impl fmt::Debug for EventReader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("EventReader").field("parser", &self.parser).finish_non_exhaustive()
    }
}

/// Why reading cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReadFault {
    Stream(StreamFault),
    TooLarge(TooLarge),
}

impl EventReader {
    pub(crate) fn new(protocol: crate::protocol::Protocol, model: &str, event_limit: usize) -> Self {
        Self { parser: SseParser::new(event_limit), decoder: decoder(protocol, model), events: Vec::new() }
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<(), ReadFault> {
        let mut fault = None;
        let (decoder, events) = (&mut self.decoder, &mut self.events);
        let fed = self.parser.feed(bytes, &mut |frame: SseFrame<'_>| {
            if fault.is_none() {
                fault = decoder.frame(frame, events).err();
            }
        });
        match (fault, fed) {
            (Some(fault), _) => Err(ReadFault::Stream(fault)),
            (None, Err(large)) => Err(ReadFault::TooLarge(large)),
            (None, Ok(())) => Ok(()),
        }
    }

    /// The bytes are over. Half an event at the end is what a cut looks like, not a fault of its own.
    pub(crate) fn end(&mut self) -> StreamEnd {
        let (decoder, events) = (&mut self.decoder, &mut self.events);
        let _half = self.parser.finish(&mut |frame: SseFrame<'_>| {
            let _broken = decoder.frame(frame, events);
        });
        self.decoder.end(&mut self.events)
    }

    pub(crate) fn take(&mut self) -> std::vec::Drain<'_, EventKind> {
        self.events.drain(..)
    }
}

impl Events {
    pub(super) fn new(response: Response, model: ChosenModel, limits: ClientLimits, clock: Arc<dyn Clock>) -> Self {
        let reader = EventReader::new(model.protocol, model.name.name(), limits.max_event_bytes);
        let whole = is_document(&response).then(Vec::new);
        Self {
            response: Some(response),
            model,
            reader,
            ready: VecDeque::new(),
            failed: None,
            answer: Answer::default(),
            taken: 0,
            has_begun: false,
            was_whole: whole.is_some(),
            whole,
            limits,
            clock,
        }
    }

    /// The next event; `None` after `Done` or an error. Safe to drop while waiting: nothing is lost.
    pub async fn next(&mut self) -> Option<Result<ModelEvent, Error>> {
        loop {
            if let Some(kind) = self.ready.pop_front() {
                self.answer.apply(&kind);
                if kind == EventKind::Done {
                    self.response = None;
                    self.ready.clear();
                }
                return Some(Ok(ModelEvent { model: self.model.name.clone(), kind }));
            }
            if let Some(error) = self.failed.take() {
                return Some(Err(self.with_answer(error)));
            }
            let (patience, phase) = if self.has_begun {
                (self.limits.between_pieces, FailurePhase::WhileAnswering)
            } else {
                (self.limits.first_piece, FailurePhase::BeforeAnswering)
            };
            let response = self.response.as_mut()?;
            let chunk = tokio::select! {
                biased;
                chunk = response.chunk() => chunk,
                () = self.clock.sleep(patience, Wait::Silence) => {
                    self.response = None;
                    self.failed = Some(Error::Timeout {
                        model: self.model.name.clone(),
                        after: patience,
                        phase,
                        so_far: Box::default(),
                    });
                    continue;
                }
            };
            self.read(chunk);
        }
    }

    /// Collects the whole answer.
    pub async fn finish(mut self) -> Result<Answer, Error> {
        while let Some(event) = self.next().await {
            event?;
        }
        Ok(self.answer)
    }

    fn read(&mut self, chunk: reqwest::Result<Option<bytes::Bytes>>) {
        match chunk {
            Ok(Some(bytes)) => {
                self.taken = self.taken.saturating_add(bytes.len());
                let limit = self.limits.answer_limit;
                let fed = if self.taken > limit {
                    Err(ReadFault::TooLarge(TooLarge { limit }))
                } else {
                    self.take_in(&bytes)
                };
                if let Err(fault) = fed {
                    self.response = None;
                    self.failed = Some(self.fault(fault));
                }
            }
            Ok(None) if self.whole.is_some() => self.read_whole(),
            Ok(None) => self.end("the stream ended before the answer was complete".to_owned()),
            Err(error) => {
                let why = describe(error);
                self.end(reach::cause(&why).map_or(why, |known| known.why.to_owned()));
            }
        }
        let is_piece = |event: &EventKind| !matches!(event, EventKind::Started { .. } | EventKind::PromptRead { .. });
        for event in self.reader.take() {
            self.has_begun |= is_piece(&event);
            self.ready.push_back(event);
        }
    }

    fn take_in(&mut self, bytes: &[u8]) -> Result<(), ReadFault> {
        match &mut self.whole {
            Some(whole) => {
                whole.extend_from_slice(bytes);
                Ok(())
            }
            None => self.reader.feed(bytes),
        }
    }

    /// Some servers answer in one piece though they were asked for a stream.
    fn read_whole(&mut self) {
        let document = self.whole.take().unwrap_or_default();
        let fed = match whole::as_stream(self.model.protocol, &document) {
            Some(stream) => self.reader.feed(&stream),
            None => Err(ReadFault::Stream(StreamFault::Server(whole::refusal(self.model.protocol, &document)))),
        };
        match fed {
            Ok(()) => self.end("the answer came in one piece and is not complete".to_owned()),
            Err(fault) => {
                self.response = None;
                self.failed = Some(self.fault(fault));
            }
        }
    }

    fn end(&mut self, message: String) {
        self.response = None;
        if self.reader.end() == StreamEnd::Cut {
            let message = self.model.scrub(&message);
            self.failed = Some(Error::Cut { model: self.model.name.clone(), message, so_far: Box::default() });
        }
    }

    fn fault(&self, fault: ReadFault) -> Error {
        let (model, so_far) = (self.model.name.clone(), Box::default());
        match fault {
            ReadFault::TooLarge(TooLarge { limit }) => Error::TooLarge { model, limit, so_far },
            ReadFault::Stream(StreamFault::Garbled(message)) => Error::Garbled { model, message, so_far },
            ReadFault::Stream(StreamFault::Server(mut fault)) => {
                fault.message = self.model.scrub(&fault.message);
                let cause = Box::new(refused(&self.model, None, fault, 1, None));
                // An overflow is the same thing to the loop wherever it is reported.
                if matches!(*cause, Error::ContextOverflow { .. }) || self.was_whole {
                    return *cause;
                }
                Error::Broke { model, cause, so_far }
            }
        }
    }

    /// Puts what arrived into an error; events handed out before it are all in there.
    fn with_answer(&mut self, mut error: Error) -> Error {
        match &mut error {
            Error::Timeout { so_far, .. }
            | Error::Cut { so_far, .. }
            | Error::Broke { so_far, .. }
            | Error::Garbled { so_far, .. }
            | Error::TooLarge { so_far, .. } => **so_far = std::mem::take(&mut self.answer),
            _ => {}
        }
        error
    }
}
