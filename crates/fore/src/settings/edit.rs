//! Changes the text of a settings file and leaves everything else in it as it is: comments, order, indents. Never touches the disk.

use super::read::OPTIONS;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

/// The text with a server of the person's own in it, and a model that does the work.
pub(crate) fn with_server(text: &str, (name, address): (&str, &str), act: &str) -> Result<String, String> {
    let text = with_models(text, act, None)?;
    let root = CstRootNode::parse(&text, &OPTIONS).map_err(|error| format!("it is not JSON: {error}"))?;
    let wrong = || "its key `model.servers` is not an object".to_owned();
    let all = root.object_value_or_create().ok_or_else(wrong)?;
    let model = all.object_value_or_create("model").ok_or_else(wrong)?;
    let servers = model.object_value_or_create("servers").ok_or_else(wrong)?;
    let server = servers.object_value_or_create(name).ok_or_else(wrong)?;
    [&servers, &server].into_iter().filter(|group| group.properties().len() <= 1).for_each(CstObject::ensure_multiline);
    set(&server, "baseUrl", address);
    Ok(root.to_string())
}

/// The text with these models in it: the one that does the work, and the small one if there is one for it.
pub(crate) fn with_models(text: &str, act: &str, small: Option<&str>) -> Result<String, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let root = CstRootNode::parse(text, &OPTIONS).map_err(|error| format!("it is not JSON: {error}"))?;
    let all = root.object_value_or_create().ok_or("it is not an object")?;
    let model = all.object_value_or_create("model").ok_or("its key `model` is not an object")?;
    // What is new reads well; what was there keeps its looks.
    [&all, &model].into_iter().filter(|group| group.properties().len() <= 1).for_each(CstObject::ensure_multiline);
    set(&model, "act", act);
    if let Some(small) = small {
        set(&model, "small", small);
    }
    let mut text = root.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// The text with an MCP server of the person's own in it.
pub(crate) fn with_mcp_server(text: &str, name: &str, entry: &Value, replaces: bool) -> Result<String, String> {
    let root = parsed(text)?;
    let wrong = || "its key `mcp.servers` is not an object".to_owned();
    let all = root.object_value_or_create().ok_or("it is not an object")?;
    let mcp = all.object_value_or_create("mcp").ok_or_else(wrong)?;
    let servers = mcp.object_value_or_create("servers").ok_or_else(wrong)?;
    [&all, &mcp, &servers]
        .into_iter()
        .filter(|group| group.properties().len() <= 1)
        .for_each(CstObject::ensure_multiline);
    match servers.get(name) {
        Some(_) if !replaces => {
            return Err(format!("there is an MCP server `{name}` in your settings already (--replace)"));
        }
        Some(property) => property.set_value(input(entry)),
        None => drop(servers.append(name, input(entry))),
    }
    Ok(ended(&root))
}

/// The text without an MCP server; none where it has no such server.
pub(crate) fn without_mcp_server(text: &str, name: &str) -> Result<Option<String>, String> {
    let root = parsed(text)?;
    let servers = root.object_value().and_then(|all| all.object_value("mcp")?.object_value("servers"));
    let Some(property) = servers.and_then(|servers| servers.get(name)) else { return Ok(None) };
    property.remove();
    Ok(Some(ended(&root)))
}

fn parsed(text: &str) -> Result<CstRootNode, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    CstRootNode::parse(text, &OPTIONS).map_err(|error| format!("it is not JSON: {error}"))
}

fn ended(root: &CstRootNode) -> String {
    let mut text = root.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(object) => {
            CstInputValue::Object(object.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}

fn set(object: &CstObject, key: &str, value: &str) {
    let value = CstInputValue::String(value.to_owned());
    match object.get(key) {
        Some(property) => property.set_value(value),
        None => drop(object.append(key, value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_put_into_a_new_file() {
        let text = with_models("", "anthropic/claude-sonnet-5-5", Some("anthropic/claude-haiku-5-5")).unwrap();
        insta::assert_snapshot!(text, @r#"
        {
          "model": {
            "act": "anthropic/claude-sonnet-5-5",
            "small": "anthropic/claude-haiku-5-5"
          }
        }
        "#);
    }

    #[test]
    fn a_server_is_put_beside_its_model() {
        let text = with_server("", ("mine", "http://10.0.0.5:8000/v1"), "mine/qwen3").unwrap();
        insta::assert_snapshot!(text, @r#"
        {
          "model": {
            "act": "mine/qwen3",
            "servers": {
              "mine": {
                "baseUrl": "http://10.0.0.5:8000/v1"
              }
            }
          }
        }
        "#);
        assert!(with_server("{\"model\": {\"servers\": []}}", ("mine", "http://a"), "mine/x").is_err());
    }

    #[test]
    fn an_mcp_server_is_put_in_once_and_taken_out_again() {
        let entry = serde_json::json!({"command": "mcp-git", "args": ["--repository", "."]});
        let text = with_mcp_server("{ // mine\n}", "git", &entry, false).unwrap();
        assert!(text.contains("// mine") && text.contains("\"command\": \"mcp-git\""), "{text}");
        assert!(with_mcp_server(&text, "git", &entry, false).unwrap_err().contains("already"));
        assert_eq!(with_mcp_server(&text, "git", &entry, true).unwrap(), text);
        assert_eq!(without_mcp_server(&text, "other"), Ok(None));
        let without = without_mcp_server(&text, "git").unwrap().unwrap();
        assert!(without.contains("// mine") && !without.contains("mcp-git"), "{without}");
    }

    #[test]
    fn comments_and_order_stay_as_they_are() {
        let page = [
            (
                "{\n    // mine\n    \"memory\": false, /* quiet */\n    \"model\": { \"act\": \"scout\", \"plan\": \"ollama/qwen3\" }, // now\n}\n",
                "{\n    // mine\n    \"memory\": false, /* quiet */\n    \"model\": { \"act\": \"openai/gpt-5.4\", \"plan\": \"ollama/qwen3\" }, // now\n}\n",
            ),
            (
                "{ // all mine\n  \"tips\": false, // quiet\n  \"plain\": true\n}",
                "{ // all mine\n  \"tips\": false, // quiet\n  \"plain\": true,\n  \"model\": {\n    \"act\": \"openai/gpt-5.4\"\n  }\n}\n",
            ),
        ];
        for (text, expected) in page {
            assert_eq!(with_models(text, "openai/gpt-5.4", None).unwrap(), expected);
        }
    }

    #[test]
    fn a_file_that_is_no_settings_file_is_left_alone() {
        for text in ["[]", "{", "{\"model\": 3}"] {
            assert!(with_models(text, "scout", None).is_err(), "{text}");
        }
    }
}
