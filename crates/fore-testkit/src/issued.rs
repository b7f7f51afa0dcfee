//! What the server has sent so far: the calls and seals that may come back, and what each turn consisted of.

use std::collections::HashMap;

use crate::protocol::WireProtocol;
use crate::reply::{TurnKey, TurnReply};
use crate::script::{Fault, TurnPart};

/// A call as it was sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct IssuedCall {
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) turn: TurnKey,
}

/// A seal as it was sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct IssuedSeal {
    /// The text under the seal, where the protocol sends both together.
    pub(crate) text: Option<String>,
    pub(crate) turn: TurnKey,
}

/// One turn as it was sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct IssuedTurn {
    pub(crate) key: TurnKey,
    pub(crate) model: String,
    pub(crate) protocol: WireProtocol,
    /// All words together.
    pub(crate) words: String,
    /// All reasoning together, for the protocol that sends no seals.
    pub(crate) reasoning: String,
    /// Seals and call ids in the order in which they have to come back.
    pub(crate) tokens: Vec<String>,
    /// Whether the client got all of it.
    pub(crate) complete: bool,
}

/// Everything sent so far, over all conversations: a subagent may begin with its parent's history.
#[derive(Debug, Default)]
pub(crate) struct Issued {
    pub(crate) calls: HashMap<String, IssuedCall>,
    pub(crate) seals: HashMap<String, IssuedSeal>,
    pub(crate) turns: Vec<IssuedTurn>,
}

impl Issued {
    pub(crate) fn add(&mut self, reply: &TurnReply<'_>) {
        let mut turn = IssuedTurn {
            key: reply.key,
            model: reply.model.to_owned(),
            protocol: reply.protocol,
            words: String::new(),
            reasoning: String::new(),
            tokens: Vec::new(),
            complete: arrives_complete(reply.turn.fault.as_ref()),
        };
        let mut gemini_seal = reply.gemini_seal().filter(|_| reply.protocol == WireProtocol::Gemini);
        for (index, part) in reply.turn.say.iter().enumerate() {
            match part {
                TurnPart::Text(text) => turn.words.push_str(text),
                TurnPart::Reasoning(text) => {
                    turn.reasoning.push_str(text);
                    let sealed = match reply.protocol {
                        WireProtocol::Anthropic => true,
                        WireProtocol::Responses => reply.wants_seals,
                        WireProtocol::Chat | WireProtocol::Gemini => false,
                    };
                    if sealed {
                        self.add_seal(reply.seal(index), Some(text.clone()), &mut turn);
                    }
                }
                TurnPart::Call(call) => {
                    if reply.protocol == WireProtocol::Gemini && call.arguments_object().is_none() {
                        continue;
                    }
                    if let Some(seal) = gemini_seal.take() {
                        self.add_seal(seal, None, &mut turn);
                    }
                    let id = reply.call_id(index, call);
                    let issued =
                        IssuedCall { name: call.name.clone(), arguments: call.arguments_text(), turn: reply.key };
                    self.calls.insert(id.clone(), issued);
                    turn.tokens.push(id);
                }
            }
        }
        if let Some(seal) = gemini_seal {
            self.add_seal(seal, None, &mut turn);
        }
        self.turns.push(turn);
    }

    fn add_seal(&mut self, seal: String, text: Option<String>, turn: &mut IssuedTurn) {
        self.seals.insert(seal.clone(), IssuedSeal { text, turn: turn.key });
        turn.tokens.push(seal);
    }

    /// The turn that sent this seal or call id.
    pub(crate) fn turn_of(&self, token: &str) -> Option<TurnKey> {
        let call = self.calls.get(token).map(|call| call.turn);
        call.or_else(|| self.seals.get(token).map(|seal| seal.turn))
    }
}

fn arrives_complete(fault: Option<&Fault>) -> bool {
    match fault {
        None => true,
        Some(
            Fault::Status(_)
            | Fault::HangUp
            | Fault::Document(_)
            | Fault::Cut { .. }
            | Fault::MalformedEvent(_)
            | Fault::Stall { .. }
            | Fault::ErrorEvent { .. },
        ) => false,
    }
}
