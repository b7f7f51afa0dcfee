//! The four wire protocols as pure encoders and decoders: values in, bytes out, and back. No network, clock or environment.

use serde::{Deserialize, Serialize};

use crate::block::{Message, Seal};
use crate::event::EventKind;
use crate::fault::ServerFault;
use crate::framing::sse::SseFrame;
use crate::provider::{AnswerOptions, ChosenModel, Quirks, ThinkingControl, thinks};
use crate::request::{ModelRequest, RequestHead, Thinking};

pub(crate) mod anthropic;
pub(crate) mod body;
pub(crate) mod chat;
pub(crate) mod gemini;
pub(crate) mod json;
pub(crate) mod responses;

/// The wire protocols that are spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Messages of Anthropic.
    AnthropicMessages,
    /// Responses of OpenAI.
    OpenAiResponses,
    /// Chat Completions, which most servers copy.
    ChatCompletions,
    /// `generateContent` of Google.
    Gemini,
}

impl Protocol {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::AnthropicMessages, Self::OpenAiResponses, Self::ChatCompletions, Self::Gemini];
}

/// How reasoning goes back over Chat Completions, which has no standard place for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ReasoningReturn {
    /// It does not go back.
    Omit,
    /// As `reasoning_content`, beside the calls it led to.
    Content,
    /// As the `reasoning_details` list that came with it.
    Details,
}

/// Everything the encoding of a message depends on, besides the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Dialect {
    Anthropic,
    Responses,
    Chat(ReasoningReturn),
    Gemini,
}

/// What an encoder needs to know about the receiver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Receiver<'a> {
    pub(crate) protocol: Protocol,
    pub(crate) model: &'a str,
    pub(crate) quirks: Quirks,
    pub(crate) thinks: ThinkingControl,
    pub(crate) options: &'a AnswerOptions,
    /// The most that may be written.
    pub(crate) limit: u32,
    /// Fields that this server refuses.
    pub(crate) refused: &'a [String],
    /// Whether the server says how far it has read, when it is asked to.
    pub(crate) tells_progress: bool,
}

/// What is asked for where neither the settings nor the table name a limit.
pub(crate) const DEFAULT_OUTPUT_TOKENS: u32 = 16_384;
/// Never more is asked for unless the settings do: providers reserve what is asked for.
pub(crate) const MAX_REQUESTED_TOKENS: u32 = 32_000;
/// Fields that are no one's to replace: they are the conversation.
const OWN_FIELDS: [&str; 10] = [
    "model",
    "messages",
    "input",
    "contents",
    "tools",
    "system",
    "instructions",
    "systemInstruction",
    "stream",
    "generationConfig",
];

impl<'a> Receiver<'a> {
    pub(crate) fn of(model: &'a ChosenModel) -> Self {
        let name = model.name.name();
        Self {
            protocol: model.protocol,
            model: name,
            quirks: model.provider.quirks,
            thinks: thinks(model.protocol, name),
            options: &model.options,
            limit: model.output_limit(),
            refused: &[],
            tells_progress: false,
        }
    }

    /// The most that may be written in the answer to this request.
    pub(crate) fn limit_for(&self, request: &ModelRequest) -> u32 {
        request.max_output_tokens.map_or(self.limit, |asked| asked.min(self.limit))
    }

    /// Whether a field goes into the request: neither refused before nor set by the person.
    pub(crate) fn sends(&self, field: &str) -> bool {
        !self.refused.iter().any(|refused| refused == field) && !self.options.extra.contains_key(field)
    }

    /// How much the model should reason: what the request says, else the settings.
    pub(crate) fn thinking(&self, request: &ModelRequest) -> Thinking {
        if request.thinking == Thinking::Default { self.options.thinking } else { request.thinking }
    }

    /// Temperature and the like, under the names that three of the four protocols share.
    fn sampling(&self, out: &mut json::Writer) {
        for (field, value) in [("temperature", self.options.temperature), ("top_p", self.options.top_p)] {
            if let Some(value) = value.filter(|_| self.sends(field)) {
                out.raw(",\"").raw(field).raw("\":").value(&value);
            }
        }
    }

    /// What the person wants sent besides.
    fn extra(&self, out: &mut json::Writer) {
        let may_go = |field: &str| !OWN_FIELDS.contains(&field) && !self.refused.iter().any(|refused| refused == field);
        for (field, value) in self.options.extra.iter().filter(|(field, _)| may_go(field)) {
            out.raw(",").value(field).raw(":").value(value);
        }
    }

    pub(crate) fn dialect(&self) -> Dialect {
        match self.protocol {
            Protocol::AnthropicMessages => Dialect::Anthropic,
            Protocol::OpenAiResponses => Dialect::Responses,
            Protocol::ChatCompletions => Dialect::Chat(self.quirks.reasoning_return),
            Protocol::Gemini => Dialect::Gemini,
        }
    }
}

impl Dialect {
    fn protocol(self) -> Protocol {
        match self {
            Self::Anthropic => Protocol::AnthropicMessages,
            Self::Responses => Protocol::OpenAiResponses,
            Self::Chat(_) => Protocol::ChatCompletions,
            Self::Gemini => Protocol::Gemini,
        }
    }

    /// What is sealed may go only where it came from.
    fn opens<'s>(self, seal: Option<&'s Seal>, model: &str) -> Option<&'s serde_json::Value> {
        seal.filter(|seal| seal.from == self.protocol() && seal.model == model).map(|seal| &seal.data)
    }

    /// Everything before the first message: an open JSON object up to and including the bracket of its message list.
    fn head(self, head: &RequestHead) -> Vec<u8> {
        match self {
            Self::Anthropic => anthropic::encode::head(head),
            Self::Responses => responses::encode::head(head),
            Self::Chat(_) => chat::encode::head(head),
            Self::Gemini => gemini::encode::head(head),
        }
    }

    /// One message as zero or more list elements, each with a comma before it.
    fn message(self, message: &Message, model: &str) -> Vec<u8> {
        match self {
            Self::Anthropic => anthropic::encode::message(message, model),
            Self::Responses => responses::encode::message(message, model),
            Self::Chat(returns) => chat::encode::message(message, model, returns),
            Self::Gemini => gemini::encode::message(message, model),
        }
    }

    /// Everything after the last message, beginning with the bracket that ends the list.
    fn tail(self, request: &ModelRequest, receiver: &Receiver<'_>) -> Vec<u8> {
        match self {
            Self::Anthropic => anthropic::encode::tail(request, receiver),
            Self::Responses => responses::encode::tail(request, receiver),
            Self::Chat(_) => chat::encode::tail(request, receiver),
            Self::Gemini => gemini::encode::tail(request, receiver),
        }
    }
}

/// Why a stream cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StreamFault {
    /// The server reported an error inside the stream.
    Server(ServerFault),
    /// The data of an event is not JSON.
    Garbled(String),
}

/// What the end of the bytes means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamEnd {
    Complete,
    Cut,
}

/// What a piece of a stream adds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeltaKind {
    Text,
    Reasoning,
}

pub(crate) trait Decode: Send {
    /// Reads one event. Unknown kinds are skipped.
    fn frame(&mut self, frame: SseFrame<'_>, out: &mut Vec<EventKind>) -> Result<(), StreamFault>;

    /// The bytes are over.
    fn end(&mut self, out: &mut Vec<EventKind>) -> StreamEnd;
}

pub(crate) fn decoder(protocol: Protocol, model: &str) -> Box<dyn Decode> {
    match protocol {
        Protocol::AnthropicMessages => Box::new(anthropic::decode::AnthropicDecoder::new(model)),
        Protocol::OpenAiResponses => Box::new(responses::decode::ResponsesDecoder::new(model)),
        Protocol::ChatCompletions => Box::new(chat::decode::ChatDecoder::new(model)),
        Protocol::Gemini => Box::new(gemini::decode::GeminiDecoder::new(model)),
    }
}

/// Reads the data of an event; JSON of an unexpected shape is `None` (skipped), text that is not JSON is a fault.
fn read<'a, T: Deserialize<'a>>(data: &'a [u8]) -> Result<Option<T>, StreamFault> {
    match serde_json::from_slice::<T>(data) {
        Ok(value) => Ok(Some(value)),
        Err(error) => match serde_json::from_slice::<serde::de::IgnoredAny>(data) {
            Ok(_) => Ok(None),
            Err(_) => Err(StreamFault::Garbled(error.to_string())),
        },
    }
}
