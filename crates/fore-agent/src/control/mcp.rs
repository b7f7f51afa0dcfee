//! `McpSearch`, `McpCall` and `McpRead` as the model sees them: always the same three, whatever servers come and go.

use super::InputError;
use crate::tools::input;
use fore_model::ToolSchema;
use fore_plan::ToolName;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Letters of arguments in the line of a call.
const MAX_LINE_CHARS: usize = 120;

/// What is looked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct McpSearchInput {
    /// Words, or the name of a tool. Nothing: all names.
    pub(crate) query: Option<String>,
    /// Only this server.
    pub(crate) server: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct McpCallInput {
    #[expect(dead_code, reason = "the gate reads it: the permit's action names the server")]
    server: String,
    #[expect(dead_code, reason = "the gate reads it: the permit's action names the tool")]
    tool: String,
    /// By the tool's own schema.
    #[schemars(with = "Map<String, Value>")]
    #[serde(default)]
    arguments: Value,
}

/// What is read.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct McpReadInput {
    #[expect(dead_code, reason = "the gate reads it: the permit's action names the server")]
    server: String,
    pub(crate) uri: String,
}

/// The three of them, with the servers that are set up by name.
pub(crate) fn schemas(servers: &str) -> [ToolSchema; 3] {
    let schema = |name: ToolName, description: &str, parameters| ToolSchema {
        name: name.name().into(),
        description: description.trim_end().into(),
        parameters,
    };
    let search = format!("{}\nServers: {servers}", include_str!("mcp_search.md").trim_end());
    [
        schema(ToolName::McpSearch, &search, input::schema::<McpSearchInput>()),
        schema(ToolName::McpCall, include_str!("mcp_call.md"), input::schema::<McpCallInput>()),
        schema(ToolName::McpRead, include_str!("mcp_read.md"), input::schema::<McpReadInput>()),
    ]
}

pub(crate) fn parse_search(input: &Value) -> Result<McpSearchInput, InputError> {
    input::read(input, &[]).map_err(|why| why.to_string())
}

pub(crate) fn parse_read(input: &Value) -> Result<McpReadInput, InputError> {
    input::read(input, &[]).map_err(|why| why.to_string())
}

/// The arguments of a call by `McpCall`. Some models write the object as text.
pub(crate) fn parse_call(input: &Value) -> Result<Map<String, Value>, InputError> {
    let input: McpCallInput = input::read(input, &[]).map_err(|why| why.to_string())?;
    arguments(input.arguments)
}

/// What a tool of a server is called with.
pub(crate) fn arguments(value: Value) -> Result<Map<String, Value>, InputError> {
    let wrong = || "`arguments` is not an object".to_owned();
    match value {
        Value::Null => Ok(Map::new()),
        Value::Object(object) => Ok(object),
        Value::String(text) if text.trim().is_empty() => Ok(Map::new()),
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(object)) => Ok(object),
            Ok(_) | Err(_) => Err(wrong()),
        },
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => Err(wrong()),
    }
}

/// A call in one line, for people.
pub(crate) fn line(tool: ToolName, input: &Value) -> String {
    let text = |field: &str| input.get(field).and_then(Value::as_str).unwrap_or_default();
    let said = if tool == ToolName::McpSearch {
        match text("query") {
            "" => "MCP tools by name".to_owned(),
            query => format!("MCP tools for {query}"),
        }
    } else if tool == ToolName::McpRead {
        format!("{} · {}", text("server"), text("uri"))
    } else {
        let arguments = input.get("arguments").filter(|value| !value.is_null()).map(Value::to_string);
        format!("{} · {} {}", text("server"), text("tool"), arguments.unwrap_or_default())
    };
    fore_text::line(&fore_text::cut::ellipsis(said.trim_end(), MAX_LINE_CHARS)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_an_object_however_a_model_writes_it() {
        let read = |arguments: Value| parse_call(&json!({"server": "git", "tool": "log", "arguments": arguments}));
        let wanted = json!({"n": 1}).as_object().cloned().unwrap();
        assert_eq!(read(json!({"n": 1})), Ok(wanted.clone()));
        assert_eq!(read(json!("{\"n\": 1}")), Ok(wanted));
        assert_eq!(read(Value::Null), Ok(Map::new()));
        assert_eq!(parse_call(&json!({"server": "git", "tool": "log"})), Ok(Map::new()));
        assert_eq!(read(json!([1])), Err("`arguments` is not an object".into()));
        assert_eq!(read(json!("[1]")), Err("`arguments` is not an object".into()));
        assert_eq!(parse_call(&json!({"tool": "log"})), Err("`server` is missing.".into()));
    }

    #[test]
    fn a_call_is_one_line_without_anything_hidden() {
        let input = json!({"server": "git", "tool": "log", "arguments": {"path": "a\u{202e}b"}});
        assert_eq!(line(ToolName::McpCall, &input), "git · log {\"path\":\"a\\u{202e}b\"}");
        assert_eq!(line(ToolName::McpSearch, &json!({"query": "issues"})), "MCP tools for issues");
    }
}
