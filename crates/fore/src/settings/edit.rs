//! Changes the text of a settings file and leaves everything else in it as it is: comments, order, indents. Never touches the disk.

use super::read::OPTIONS;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};

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
