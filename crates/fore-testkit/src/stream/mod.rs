//! Turns as the event streams of the four protocols, written from their public documentation.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use crate::protocol::WireProtocol;
use crate::reply::{ServerSentEvent, TurnReply};

/// The events of a turn.
pub(crate) fn events(reply: &TurnReply<'_>) -> Vec<ServerSentEvent> {
    match reply.protocol {
        WireProtocol::Anthropic => anthropic::events(reply),
        WireProtocol::Responses => responses::events(reply),
        WireProtocol::Chat => chat::events(reply),
        WireProtocol::Gemini => gemini::events(reply),
    }
}

/// The event that keeps a connection alive, where the protocol has one.
pub(crate) fn ping(protocol: WireProtocol) -> Option<ServerSentEvent> {
    match protocol {
        WireProtocol::Anthropic => Some(anthropic::ping()),
        WireProtocol::Responses | WireProtocol::Chat | WireProtocol::Gemini => None,
    }
}

/// An event that no client knows yet.
pub(crate) fn unknown(reply: &TurnReply<'_>) -> ServerSentEvent {
    match reply.protocol {
        WireProtocol::Anthropic => anthropic::unknown(),
        WireProtocol::Responses => responses::unknown(),
        WireProtocol::Chat => chat::unknown(reply),
        WireProtocol::Gemini => gemini::unknown(reply),
    }
}
