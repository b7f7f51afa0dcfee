//! Changes the text of a settings file and leaves everything else in it as it is: comments, order, indents. Never touches the disk.

use super::read::OPTIONS;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
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

/// The text with a value in it, at the end of these names.
pub(crate) fn with_value(text: &str, path: &[&str], value: &Value) -> Result<String, String> {
    let root = parsed(text)?;
    let (last, groups) = path.split_last().ok_or("no setting is named")?;
    let mut group = root.object_value_or_create().ok_or("it is not an object")?;
    multiline(&group);
    for name in groups {
        let wrong = || format!("its key `{name}` is not an object");
        group = group.object_value_or_create(name).ok_or_else(wrong)?;
        multiline(&group);
    }
    let value = input(value);
    match group.get(last) {
        Some(property) => property.set_value(value),
        None => drop(group.append(last, value)),
    }
    Ok(ended(&root))
}

/// The text with an MCP server of the person's own in it.
pub(crate) fn with_mcp_server(text: &str, name: &str, entry: &Value, replaces: bool) -> Result<String, String> {
    let path = ["mcp", "servers", name];
    if !replaces && find(&parsed(text)?, &path).is_some() {
        return Err(format!("there is an MCP server `{name}` in your settings already (--replace)"));
    }
    with_value(text, &path, entry)
}

/// The text without the value at the end of these names.
pub(crate) fn without_value(text: &str, path: &[&str]) -> Result<String, String> {
    let root = parsed(text)?;
    let property = find(&root, path).ok_or_else(|| format!("`{}` is not set there", path.join(".")))?;
    property.remove();
    Ok(root.to_string())
}

/// The text without an MCP server; none where it has no such server.
pub(crate) fn without_mcp_server(text: &str, name: &str) -> Result<Option<String>, String> {
    let root = parsed(text)?;
    let Some(property) = find(&root, &["mcp", "servers", name]) else { return Ok(None) };
    property.remove();
    Ok(Some(ended(&root)))
}

fn find(root: &CstRootNode, path: &[&str]) -> Option<CstObjectProp> {
    let (last, groups) = path.split_last()?;
    let group = groups.iter().try_fold(root.object_value()?, |group, name| group.object_value(name))?;
    group.get(last)
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

/// What is new reads well; what was there keeps its looks.
fn multiline(group: &CstObject) {
    if group.properties().is_empty() {
        group.ensure_multiline();
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(values) => {
            CstInputValue::Object(values.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

/// The text without a rule, in the one list or in all of them; none where it is not in there.
pub(crate) fn without_rule(text: &str, list: Option<&str>, rule: &str) -> Option<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let root = CstRootNode::parse(text, &OPTIONS).ok()?;
    let permissions = root.object_value()?.object_value("permissions")?;
    let mut is_found = false;
    for name in ["deny", "ask", "allow"].into_iter().filter(|name| list.is_none_or(|list| list == *name)) {
        let elements = permissions.array_value(name).map(|array| array.elements()).unwrap_or_default();
        for element in elements {
            let is_it =
                element.as_string_lit().and_then(|literal| literal.decoded_value().ok()).is_some_and(|it| it == rule);
            if is_it {
                element.remove();
                is_found = true;
            }
        }
    }
    is_found.then(|| root.to_string())
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
    fn a_rule_is_taken_out_and_the_rest_stays_as_it_is() {
        let text = "{\n  // mine\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(make:*)\", // builds\n      \"Read\"\n    ],\n    \"deny\": [\"Read\"]\n  }\n}\n";
        let without = without_rule(text, Some("allow"), "Read").unwrap();
        assert!(
            without.contains("// mine") && without.contains("\"Bash(make:*)\"") && without.contains("// builds"),
            "{without}"
        );
        assert_eq!(without.matches("\"Read\"").count(), 1, "{without}");
        assert_eq!(without_rule(text, None, "Read").unwrap().matches("\"Read\"").count(), 0);
        for (list, rule) in [(Some("ask"), "Read"), (None, "Bash(make)"), (None, "")] {
            assert_eq!(without_rule(text, list, rule), None, "{rule}");
        }
        assert_eq!(without_rule("[", None, "Read"), None);
    }

    #[test]
    fn a_file_that_is_no_settings_file_is_left_alone() {
        for text in ["[]", "{", "{\"model\": 3}"] {
            assert!(with_models(text, "scout", None).is_err(), "{text}");
        }
    }
}
