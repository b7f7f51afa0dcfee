//! A turn as bytes in time: events, noise and faults become steps, and the steps become the body of the response.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;

use crate::connection::Switch;
use crate::failure;
use crate::limits::MAX_TURN_DELAY_MS;
use crate::reply::{Repeat, ServerSentEvent, TurnReply};
use crate::script::{CutAt, CutHow, Fault, Noise};
use crate::stream;

/// One thing that happens to the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DeliveryStep {
    /// Nothing, for a while.
    Wait(Duration),
    /// Nothing, until so long after the first step.
    Until(Duration),
    /// Bytes, in one write.
    Write(Bytes),
    /// The connection breaks.
    Break,
    /// Nothing until the client closes.
    Stall,
}

/// The steps of a turn whose response is a stream.
pub(crate) fn steps(reply: &TurnReply<'_>) -> Vec<DeliveryStep> {
    let events = noisy(reply, with_error(reply, stream::events(reply)));
    let chunks = encode(reply, &events);
    let (chunks, end) = faulty(reply, chunks);
    let mut steps = paced(reply, chunks);
    steps.extend(end);
    steps
}

fn with_error(reply: &TurnReply<'_>, mut events: Vec<ServerSentEvent>) -> Vec<ServerSentEvent> {
    if let Some(Fault::ErrorEvent { after_event, failure }) = &reply.turn.fault {
        events.truncate(*after_event);
        events.push(failure::event(reply.protocol, failure, reply.model, events.len()));
    }
    events
}

/// An event with what stands around it, which counts as part of the event.
fn noisy(reply: &TurnReply<'_>, events: Vec<ServerSentEvent>) -> Vec<Vec<ServerSentEvent>> {
    let twice = reply.turn.noise.contains(&Noise::DuplicateEvents);
    let group = |event: ServerSentEvent| {
        let mut group = vec![event];
        if let (true, Some(event)) = (twice, group.first().filter(|event| event.repeat == Repeat::Harmless).cloned()) {
            group.push(event);
        }
        if reply.turn.noise.contains(&Noise::Ping) {
            group.extend(stream::ping(reply.protocol));
        }
        if reply.turn.noise.contains(&Noise::UnknownEvent) {
            group.push(stream::unknown(reply));
        }
        group
    };
    let mut groups: Vec<Vec<ServerSentEvent>> = events.into_iter().map(group).collect();
    // Nothing may follow the event that ends the stream.
    if let Some(last) = groups.last_mut() {
        last.truncate(if twice { 2 } else { 1 });
    }
    groups
}

fn encode(reply: &TurnReply<'_>, groups: &[Vec<ServerSentEvent>]) -> Vec<Vec<u8>> {
    let noise = &reply.turn.noise;
    let line_end = if noise.contains(&Noise::CarriageReturn) { "\r\n" } else { "\n" };
    let comment =
        noise.contains(&Noise::Comment) || (noise.contains(&Noise::Ping) && stream::ping(reply.protocol).is_none());
    let broken = match reply.turn.fault {
        Some(Fault::MalformedEvent(index)) => Some(index),
        _ => None,
    };
    let chunk = |(index, group): (usize, &Vec<ServerSentEvent>)| {
        let mut bytes = Vec::new();
        if comment {
            bytes.extend(format!(": keep-alive{line_end}{line_end}").into_bytes());
        }
        for event in group {
            if broken == Some(index) {
                bytes.extend(malformed(event).encode(line_end));
            } else {
                bytes.extend(event.encode(line_end));
            }
        }
        bytes
    };
    groups.iter().enumerate().map(chunk).collect()
}

/// The event without the last third of its JSON.
fn malformed(event: &ServerSentEvent) -> ServerSentEvent {
    let data = fore_text::cut::bytes(&event.data, event.data.len() * 2 / 3).to_owned();
    ServerSentEvent { data, ..event.clone() }
}

fn faulty(reply: &TurnReply<'_>, mut chunks: Vec<Vec<u8>>) -> (Vec<Vec<u8>>, Option<DeliveryStep>) {
    match reply.turn.fault {
        Some(Fault::Cut { at, how }) => {
            cut(&mut chunks, at);
            let end = match how {
                CutHow::Break => Some(DeliveryStep::Break),
                CutHow::End => None,
            };
            (chunks, end)
        }
        Some(Fault::Stall { after_event }) => {
            chunks.truncate(after_event);
            (chunks, Some(DeliveryStep::Stall))
        }
        Some(
            Fault::Status(_) | Fault::HangUp | Fault::Document(_) | Fault::MalformedEvent(_) | Fault::ErrorEvent { .. },
        )
        | None => (chunks, None),
    }
}

fn cut(chunks: &mut Vec<Vec<u8>>, at: CutAt) {
    match at {
        CutAt::AfterEvent(count) => chunks.truncate(count),
        CutAt::InsideEvent(index) => {
            chunks.truncate(index + 1);
            if let Some(last) = chunks.get_mut(index) {
                last.truncate(last.len() / 2);
            }
        }
        CutAt::Bytes(mut left) => {
            for chunk in chunks.iter_mut() {
                chunk.truncate(left);
                left -= chunk.len();
            }
            chunks.retain(|chunk| !chunk.is_empty());
        }
    }
}

fn paced(reply: &TurnReply<'_>, chunks: Vec<Vec<u8>>) -> Vec<DeliveryStep> {
    let pace = reply.turn.pace;
    let writes: Vec<Bytes> = if pace.write_bytes == 0 {
        chunks.into_iter().map(Bytes::from).collect()
    } else {
        let all = Bytes::from(chunks.concat());
        let starts = (0..all.len()).step_by(pace.write_bytes);
        starts.map(|start| all.slice(start..all.len().min(start.saturating_add(pace.write_bytes)))).collect()
    };
    let writes = writes.into_iter().filter(|write| !write.is_empty());
    if let Some(rate) = reply.turn.rate {
        let most = Duration::from_millis(MAX_TURN_DELAY_MS);
        let due = |number: u32| DeliveryStep::Until((Duration::from_secs(number.into()) / rate.max(1)).min(most));
        return (0..).zip(writes).flat_map(|(number, write)| [due(number), DeliveryStep::Write(write)]).collect();
    }
    let mut left_ms = MAX_TURN_DELAY_MS;
    let mut steps = Vec::new();
    for write in writes {
        let delay_ms = pace.delay_ms.min(left_ms);
        left_ms -= delay_ms;
        if delay_ms > 0 {
            steps.push(DeliveryStep::Wait(Duration::from_millis(delay_ms)));
        }
        steps.push(DeliveryStep::Write(write));
    }
    steps
}

/// Told when a response is over.
pub(crate) trait CloseListener: Send + 'static {
    /// The client went away before the response was complete.
    fn client_closed(&mut self);
}

/// The body of a response.
pub(crate) struct Delivery<E: CloseListener> {
    steps: VecDeque<DeliveryStep>,
    began: Option<tokio::time::Instant>,
    pause: Option<Pin<Box<tokio::time::Sleep>>>,
    flush: bool,
    complete: bool,
    switch: Switch,
    ending: E,
}

impl<E: CloseListener> Delivery<E> {
    pub(crate) fn new(steps: Vec<DeliveryStep>, switch: Switch, ending: E) -> Delivery<E> {
        Delivery { steps: steps.into(), began: None, pause: None, flush: false, complete: false, switch, ending }
    }
}

impl<E: CloseListener + Unpin> Stream for Delivery<E> {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(pause) = &mut self.pause {
                match pause.as_mut().poll(context) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(()) => self.pause = None,
                }
            }
            // Being pending once between writes makes each of them leave on its own.
            if std::mem::take(&mut self.flush) {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            match self.steps.front() {
                Some(DeliveryStep::Stall) => return Poll::Pending,
                Some(DeliveryStep::Break) => {
                    self.complete = true;
                    self.switch.break_after_flush();
                    return Poll::Pending;
                }
                Some(DeliveryStep::Wait(_) | DeliveryStep::Until(_) | DeliveryStep::Write(_)) | None => {}
            }
            match self.steps.pop_front() {
                Some(DeliveryStep::Wait(duration)) => self.pause = Some(Box::pin(tokio::time::sleep(duration))),
                Some(DeliveryStep::Until(moment)) => {
                    let now = tokio::time::Instant::now();
                    let due = *self.began.get_or_insert(now) + moment;
                    if due > now {
                        self.pause = Some(Box::pin(tokio::time::sleep_until(due)));
                    }
                }
                Some(DeliveryStep::Write(bytes)) => {
                    self.flush = true;
                    return Poll::Ready(Some(Ok(bytes)));
                }
                Some(DeliveryStep::Break | DeliveryStep::Stall) | None => {
                    self.complete = true;
                    return Poll::Ready(None);
                }
            }
        }
    }
}

impl<E: CloseListener> Drop for Delivery<E> {
    fn drop(&mut self) {
        if !self.complete {
            self.ending.client_closed();
        }
    }
}
