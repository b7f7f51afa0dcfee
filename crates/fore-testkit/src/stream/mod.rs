//! Turns as the event streams of the four protocols, written from their public documentation.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use crate::protocol::Protocol;
use crate::reply::{Event, Reply};

/// The events of a turn.
pub(crate) fn events(reply: &Reply<'_>) -> Vec<Event> {
    match reply.protocol {
        Protocol::Anthropic => anthropic::events(reply),
        Protocol::Responses => responses::events(reply),
        Protocol::Chat => chat::events(reply),
        Protocol::Gemini => gemini::events(reply),
    }
}

/// The event that keeps a connection alive, where the protocol has one.
pub(crate) fn ping(protocol: Protocol) -> Option<Event> {
    match protocol {
        Protocol::Anthropic => Some(anthropic::ping()),
        Protocol::Responses | Protocol::Chat | Protocol::Gemini => None,
    }
}

/// An event that no client knows yet.
pub(crate) fn unknown(reply: &Reply<'_>) -> Event {
    match reply.protocol {
        Protocol::Anthropic => anthropic::unknown(),
        Protocol::Responses => responses::unknown(),
        Protocol::Chat => chat::unknown(reply),
        Protocol::Gemini => gemini::unknown(reply),
    }
}
