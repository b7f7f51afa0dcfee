//! What a server offers besides tools: resources and prompts.

use crate::content::{McpContent, ResultRoom};
use serde_json::Value;

/// Of each kind, from one server.
pub(crate) const MAX_OFFERS: usize = 1000;
const MAX_NAME: usize = 128;
const MAX_ADDRESS: usize = 2 << 10;
const MAX_DESCRIPTION: usize = 2 << 10;
const MAX_ARGUMENTS: usize = 64;
const MAX_MESSAGES: usize = 256;

/// A resource, or a pattern of addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpResource {
    /// Its address, or a pattern with `{…}` in it; without hidden characters.
    pub uri: String,
    /// Whether `uri` is a pattern.
    pub is_template: bool,
    /// What it is called.
    pub name: String,
    /// What it is, for people and models.
    pub description: String,
    /// Its type.
    pub mime: Option<String>,
    /// Its size in bytes, as the server says.
    pub size: Option<u64>,
}

/// A prompt that a server has ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpPrompt {
    /// Its name for the server; without hidden characters.
    pub name: String,
    /// Its name for people, if it has one.
    pub title: Option<String>,
    /// What it is for.
    pub description: String,
    /// What can be filled in.
    pub arguments: Vec<McpPromptArgument>,
}

/// What can be filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpPromptArgument {
    /// Its name.
    pub name: String,
    /// What it means.
    pub description: String,
    /// Whether it must be given.
    pub required: bool,
}

/// A prompt that is filled in.
#[derive(Clone, Debug, PartialEq)]
pub struct McpPromptText {
    /// What it is for.
    pub description: String,
    /// What it says.
    pub messages: Vec<McpPromptMessage>,
}

/// One message of a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct McpPromptMessage {
    /// Who is said to say it.
    pub role: PromptRole,
    /// What.
    pub content: McpContent,
}

/// Whose words a prompt's message is meant to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptRole {
    /// The person's.
    User,
    /// The model's.
    Assistant,
}

fn text(value: &Value, field: &str) -> String {
    let text = value.get(field).and_then(Value::as_str).unwrap_or_default();
    fore_text::prose(fore_text::cut::bytes(text, MAX_DESCRIPTION)).into_owned()
}

/// A name that must be given back as it is: bounded and visible, or not taken at all.
fn exact(value: &Value, field: &str, most: usize) -> Option<String> {
    let name = value.get(field).and_then(Value::as_str)?;
    let is_fit =
        !name.is_empty() && name.len() <= most && !name.chars().any(|letter| fore_text::hidden(letter).is_some());
    is_fit.then(|| name.to_owned())
}

fn line(value: &Value, field: &str) -> Option<String> {
    let text = value.get(field).and_then(Value::as_str)?;
    Some(fore_text::line(fore_text::cut::chars(text, MAX_NAME)).into_owned())
}

impl McpResource {
    pub(crate) fn read(value: &Value, is_template: bool) -> Option<McpResource> {
        let uri = exact(value, if is_template { "uriTemplate" } else { "uri" }, MAX_ADDRESS)?;
        Some(McpResource {
            name: line(value, "title").or_else(|| line(value, "name")).unwrap_or_else(|| uri.clone()),
            is_template,
            description: text(value, "description"),
            mime: line(value, "mimeType"),
            size: value.get("size").and_then(Value::as_u64),
            uri,
        })
    }
}

impl McpPrompt {
    pub(crate) fn read(value: &Value) -> Option<McpPrompt> {
        let arguments = value.get("arguments").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let argument = |value: &Value| {
            Some(McpPromptArgument {
                name: exact(value, "name", MAX_NAME)?,
                description: text(value, "description"),
                required: value.get("required").and_then(Value::as_bool).unwrap_or(false),
            })
        };
        Some(McpPrompt {
            name: exact(value, "name", MAX_NAME)?,
            title: line(value, "title"),
            description: text(value, "description"),
            arguments: arguments.iter().take(MAX_ARGUMENTS).filter_map(argument).collect(),
        })
    }
}

impl McpPromptText {
    pub(crate) fn read(value: &Value) -> McpPromptText {
        let messages = value.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut room = ResultRoom::new();
        let message = |message: &Value| McpPromptMessage {
            role: match message.get("role").and_then(Value::as_str) {
                Some("assistant") => PromptRole::Assistant,
                Some(_) | None => PromptRole::User,
            },
            content: room.read(message.get("content").unwrap_or(&Value::Null)),
        };
        McpPromptText {
            description: text(value, "description"),
            messages: messages.iter().take(MAX_MESSAGES).map(message).collect(),
        }
    }
}
