//! What messages are made of: text, images, tool calls and results, and reasoning with what its provider sealed.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::protocol::Protocol;

/// Who speaks in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Whoever asks; also results of tools.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation. Reminders are ordinary text blocks of user messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub blocks: Vec<Block>,
}

impl Message {
    /// Words of the one who asks.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, blocks: vec![Block::text(text)] }
    }

    /// An answer that a model gave.
    #[must_use]
    pub fn assistant(blocks: Vec<Block>) -> Self {
        Self { role: Role::Assistant, blocks }
    }

    /// About how many bytes it takes when encoded, to make room for it at once.
    pub(crate) fn size_hint(&self) -> usize {
        let of_pieces = |pieces: &[ResultPart]| -> usize {
            pieces
                .iter()
                .map(|piece| match piece {
                    ResultPart::Text(text) => text.len(),
                    ResultPart::Image(image) => image.base64.len(),
                })
                .sum()
        };
        let contents: usize = self
            .blocks
            .iter()
            .map(|block| match block {
                Block::Text(text) => text.text.len(),
                Block::Image(image) => image.base64.len(),
                Block::ToolUse(_) => 256,
                Block::ToolResult(result) => of_pieces(&result.content),
                Block::Reasoning(reasoning) => reasoning.text.len(),
            })
            .sum();
        // Escapes and frames: a sixteenth and a little for each block.
        contents + contents / 16 + 96 * (self.blocks.len() + 1)
    }

    /// The results of one round of tool calls; every protocol wants them before any other words of the user.
    #[must_use]
    pub fn results(results: Vec<ToolResult>) -> Self {
        Self { role: Role::User, blocks: results.into_iter().map(Block::ToolResult).collect() }
    }
}

/// One part of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    /// Words.
    Text(TextBlock),
    /// A picture.
    Image(Image),
    /// A call that the model makes.
    ToolUse(ToolUse),
    /// What came of a call.
    ToolResult(ToolResult),
    /// What the model thought.
    Reasoning(Reasoning),
}

impl Block {
    /// Words without a seal.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextBlock { text: text.into(), seal: None })
    }

    pub(crate) fn seal(&self) -> Option<&Seal> {
        match self {
            Self::Text(text) => text.seal.as_ref(),
            Self::ToolUse(call) => call.seal.as_ref(),
            Self::Reasoning(reasoning) => reasoning.seal.as_ref(),
            Self::Image(_) | Self::ToolResult(_) => None,
        }
    }
}

/// Words, and what their provider wants back with them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextBlock {
    /// The words.
    pub text: String,
    /// What came with them and goes back unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<Seal>,
}

/// A picture for a model that can see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Image {
    /// Such as `image/png`.
    pub media_type: String,
    /// The picture in standard base64.
    pub base64: String,
}

impl Image {
    /// Encodes a picture.
    #[must_use]
    pub fn from_bytes(media_type: impl Into<String>, bytes: &[u8]) -> Self {
        use base64::Engine as _;
        Self { media_type: media_type.into(), base64: base64::engine::general_purpose::STANDARD.encode(bytes) }
    }
}

/// A call of a tool, as the model made it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    /// Pairs the call with its result.
    pub id: String,
    /// The tool, by the name in its schema.
    pub name: String,
    /// What the tool is called with.
    pub arguments: Arguments,
    /// What came with the call and goes back unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<Seal>,
}

/// What a model wrote as the arguments of a call: an object, or text that is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arguments {
    /// An object; an empty one where the model wrote nothing.
    Ok(Value),
    /// Text that is no object.
    Broken {
        /// What the model wrote.
        raw: String,
        /// What is wrong with it.
        why: String,
    },
}

impl Arguments {
    /// Reads streamed arguments. No text at all means a call without arguments.
    #[must_use]
    pub fn parse(raw: &str) -> Self {
        if raw.trim().is_empty() {
            return Self::Ok(Value::Object(serde_json::Map::new()));
        }
        match serde_json::from_str::<Value>(raw) {
            Ok(value @ Value::Object(_)) => Self::Ok(value),
            Ok(other) => Self::Broken {
                raw: raw.to_owned(),
                why: format!("arguments must be a JSON object, this is {}", kind_of(&other)),
            },
            Err(error) => Self::Broken { raw: raw.to_owned(), why: error.to_string() },
        }
    }

    /// The object to send back to a server: protocols have no place for broken JSON, so it travels inside an object
    /// where the model can still see what it wrote.
    pub(crate) fn object(&self) -> Cow<'_, Value> {
        match self {
            Self::Ok(value) => Cow::Borrowed(value),
            Self::Broken { raw, .. } => Cow::Owned(serde_json::json!({ "broken_json": raw })),
        }
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

impl ToolUse {
    /// The result to hand back when the arguments were broken, so that the model can correct itself.
    #[must_use]
    pub fn broken_result(&self) -> Option<ToolResult> {
        match &self.arguments {
            Arguments::Ok(_) => None,
            Arguments::Broken { why, .. } => Some(ToolResult {
                id: self.id.clone(),
                name: self.name.clone(),
                content: vec![ResultPart::Text(format!(
                    "The call was not run: its arguments could not be read ({why}). \
                     Call {} again with one complete JSON object.",
                    self.name
                ))],
                is_error: true,
            }),
        }
    }
}

/// What the model is told about a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The id of the call it answers.
    pub id: String,
    /// The tool's name; one protocol pairs results by it.
    pub name: String,
    /// The parts it reads.
    pub content: Vec<ResultPart>,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: bool,
}

impl ToolResult {
    /// Words as the result of a call that went well.
    #[must_use]
    pub fn text(call: &ToolUse, text: impl Into<String>) -> Self {
        Self {
            id: call.id.clone(),
            name: call.name.clone(),
            content: vec![ResultPart::Text(text.into())],
            is_error: false,
        }
    }

    pub(crate) fn joined_text(&self) -> Cow<'_, str> {
        if let [ResultPart::Text(only)] = self.content.as_slice() {
            return Cow::Borrowed(only);
        }
        let mut joined = String::new();
        for piece in &self.content {
            if let ResultPart::Text(text) = piece {
                if !joined.is_empty() {
                    joined.push('\n');
                }
                joined.push_str(text);
            }
        }
        Cow::Owned(joined)
    }

    pub(crate) fn images(&self) -> impl Iterator<Item = &Image> {
        self.content.iter().filter_map(|piece| match piece {
            ResultPart::Image(image) => Some(image),
            ResultPart::Text(_) => None,
        })
    }
}

/// One part of a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultPart {
    /// Words.
    Text(String),
    /// A picture.
    Image(Image),
}

/// What a model thought. Without a seal (a cut stream) it is shown to people and never sent back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reasoning {
    /// The thoughts, or what the provider shows of them.
    pub text: String,
    /// What came with them and goes back unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<Seal>,
}

/// What a provider attached to a block and wants back unchanged: signatures, encrypted contents, item ids.
/// It is sent only over the protocol and to the model it came from; other models cannot read it.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Seal {
    /// The protocol it came over.
    pub from: Protocol,
    /// The model that gave it.
    pub model: String,
    /// What goes back, untouched.
    pub data: Value,
}

impl fmt::Debug for Seal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Seal({:?} {} {})", self.from, self.model, self.data)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_an_object_is_an_argument_list() {
        assert_eq!(Arguments::parse("{\"a\":1}"), Arguments::Ok(json!({"a": 1})));
        assert_eq!(Arguments::parse("  "), Arguments::Ok(json!({})));
        assert_eq!(
            Arguments::parse("[1]"),
            Arguments::Broken { raw: "[1]".into(), why: "arguments must be a JSON object, this is an array".into() }
        );
        assert!(matches!(Arguments::parse("{\"a\":"), Arguments::Broken { raw, .. } if raw == "{\"a\":"));
    }

    #[test]
    fn a_broken_call_becomes_a_result_the_model_can_act_on() {
        let call = ToolUse { id: "1".into(), name: "Read".into(), arguments: Arguments::parse("{"), seal: None };
        let result = call.broken_result().unwrap();
        assert!(result.is_error);
        assert_eq!(
            result.joined_text(),
            "The call was not run: its arguments could not be read (EOF while parsing an object at line 1 column 1). \
             Call Read again with one complete JSON object."
        );
        assert_eq!(ToolUse { arguments: Arguments::parse(""), ..call }.broken_result(), None);
    }

    #[test]
    fn messages_survive_a_round_through_json() {
        let message = Message::assistant(vec![
            Block::Reasoning(Reasoning {
                text: "hm".into(),
                seal: Some(Seal { from: Protocol::Gemini, model: "m".into(), data: json!({"thoughtSignature": "s"}) }),
            }),
            Block::text("hello"),
            Block::Image(Image::from_bytes("image/png", b"png")),
        ]);
        let text = serde_json::to_string(&message).unwrap();
        assert_eq!(serde_json::from_str::<Message>(&text).unwrap(), message);
    }
}
