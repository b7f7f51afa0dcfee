//! A server's tools: what a model needs of one, what a person vouches for, and which are left out with which reason.

use crate::schema::sorted;
use serde_json::{Map, Value, json};

/// Tools of one server; more are left out.
const MAX_TOOLS: usize = 512;
const MAX_NAME: usize = 128;
/// Longest description that is read, and what a model gets of it.
const MAX_RAW_DESCRIPTION: usize = 256 << 10;
const MAX_DESCRIPTION: usize = 16 << 10;
const MAX_SCHEMA: usize = 256 << 10;
/// Most of what is left out that is named.
const MAX_LEFT_OUT: usize = 64;

/// One tool, as its server describes it. All of it is the server's claim.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct McpTool {
    /// Its name for the server; without hidden characters.
    pub name: String,
    /// Its name for people, if it has one.
    pub title: Option<String>,
    /// What it says it does, for a model: bounded, hidden characters are marks.
    pub description: String,
    /// The schema of its input, as the server sent it; see [`crate::provider_schema`].
    pub input_schema: Value,
    /// It says that it changes nothing.
    pub read_only: Option<bool>,
    /// It says that it may destroy something.
    pub destructive: Option<bool>,
    /// It says that a second call does nothing more.
    pub idempotent: Option<bool>,
    /// It says that it talks to others.
    pub open_world: Option<bool>,
    /// It wants to be in the first request.
    pub always_load: bool,
    /// It wants the person asked at every call.
    pub requires_user: bool,
    /// How large it wants its results to be, in characters.
    pub max_result_chars: Option<u64>,
    definition: String,
}

impl McpTool {
    /// What a vouch holds for: name, title, description, schema and annotations, all as sent. The same for the same meaning: keys are
    /// in order.
    pub fn definition(&self) -> &str {
        &self.definition
    }

    /// A tool from one entry of a list, or why it is left out.
    pub(crate) fn read(value: &Value) -> Result<McpTool, LeftOutTool> {
        let name = value.get("name").and_then(Value::as_str).unwrap_or_default();
        let refused = |reason: &str| Err(LeftOutTool { name: shown_name(name), reason: reason.to_owned() });
        if name.is_empty() {
            return refused("it has no name");
        }
        if name.chars().count() > MAX_NAME {
            return refused("its name is too long");
        }
        if name.chars().any(|letter| fore_text::hidden(letter).is_some()) {
            return refused("its name has characters that nobody can see");
        }
        let raw = value.get("description").and_then(Value::as_str).unwrap_or_default();
        if raw.len() > MAX_RAW_DESCRIPTION {
            return refused("its description is too long");
        }
        let input_schema = match value.get("inputSchema") {
            Some(schema @ Value::Object(_)) => schema.clone(),
            None => json!({"type": "object"}),
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                return refused("the schema of its input is not an object");
            }
        };
        if input_schema.to_string().len() > MAX_SCHEMA {
            return refused("the schema of its input is too large");
        }
        let hint = |name: &str| value.get("annotations")?.get(name)?.as_bool();
        let meta = |name: &str| value.get("_meta")?.get(name);
        let title = value.get("title").or_else(|| value.get("annotations")?.get("title")).and_then(Value::as_str);
        let mut definition = Map::new();
        for key in ["name", "title", "description", "inputSchema", "annotations"] {
            definition.insert(key.to_owned(), value.get(key).map_or(Value::Null, sorted));
        }
        let requires_user = meta("anthropic/requiresUserInteraction").and_then(Value::as_bool).unwrap_or(false);
        definition.insert("requiresUserInteraction".to_owned(), Value::Bool(requires_user));
        Ok(McpTool {
            name: name.to_owned(),
            title: title.map(|title| fore_text::line(&fore_text::cut::ellipsis(title, MAX_NAME)).into_owned()),
            description: fore_text::prose(fore_text::cut::bytes(raw, MAX_DESCRIPTION)).into_owned(),
            input_schema,
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
            always_load: meta("anthropic/alwaysLoad").and_then(Value::as_bool).unwrap_or(false),
            requires_user,
            max_result_chars: meta("anthropic/maxResultSizeChars").and_then(Value::as_u64),
            definition: Value::Object(definition).to_string(),
        })
    }
}

/// A tool that is not offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutTool {
    /// Its name, hidden characters as marks.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// All tools of a server at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct McpToolList {
    /// Those that can be used, in the server's order.
    pub tools: Vec<McpTool>,
    /// Those that cannot.
    pub left_out: Vec<LeftOutTool>,
}

impl McpToolList {
    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&McpTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    pub(crate) fn is_full(&self) -> bool {
        self.tools.len() >= MAX_TOOLS
    }

    pub(crate) fn add(&mut self, value: &Value) {
        let tool = match McpTool::read(value) {
            Ok(tool) if self.get(&tool.name).is_some() => {
                Err(LeftOutTool { name: tool.name, reason: "another tool of this server has the same name".to_owned() })
            }
            Ok(tool) if self.is_full() => {
                let reason = format!("the server has more than {MAX_TOOLS} tools");
                Err(LeftOutTool { name: tool.name, reason })
            }
            other => other,
        };
        match tool {
            Ok(tool) => self.tools.push(tool),
            Err(left_out) if self.left_out.len() < MAX_LEFT_OUT => self.left_out.push(left_out),
            Err(_) => {}
        }
    }
}

fn shown_name(name: &str) -> String {
    fore_text::line(&fore_text::cut::ellipsis(name, MAX_NAME)).into_owned()
}
