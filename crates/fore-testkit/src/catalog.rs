//! The lists of models that clients ask for, in each provider's shape.

use serde_json::{Value, json};

/// The names to list when a script names none.
const ANY: [&str; 1] = ["scripted"];

/// The answer to `GET path`, if the path is a list of models.
pub(crate) fn answer(path: &str, is_anthropic: bool, models: &[String], window: Option<u64>) -> Option<Value> {
    let names: Vec<&str> = if models.is_empty() { ANY.to_vec() } else { models.iter().map(String::as_str).collect() };
    match path {
        "/v1/models" if is_anthropic => Some(anthropic(&names, window)),
        "/v1/models" => Some(openai(&names, window)),
        "/v1beta/models" => Some(gemini(&names, window)),
        "/api/tags" => Some(ollama(&names)),
        _ => None,
    }
}

fn anthropic(names: &[&str], window: Option<u64>) -> Value {
    let model = |name: &&str| {
        let (kind, created) = ("model", "2026-01-01T00:00:00Z");
        let mut entry = json!({"type": kind, "id": name, "display_name": name, "created_at": created});
        if let Some(window) = window {
            entry["max_input_tokens"] = json!(window);
        }
        entry
    };
    let data: Vec<Value> = names.iter().map(model).collect();
    json!({"data": data, "has_more": false, "first_id": names.first(), "last_id": names.last()})
}

fn openai(names: &[&str], window: Option<u64>) -> Value {
    let model = |name: &&str| {
        let mut entry = json!({"id": name, "object": "model", "created": 1_700_000_000, "owned_by": "testkit"});
        if let Some(window) = window {
            entry["meta"] = json!({ "n_ctx": window });
        }
        entry
    };
    json!({"object": "list", "data": names.iter().map(model).collect::<Vec<_>>()})
}

fn gemini(names: &[&str], window: Option<u64>) -> Value {
    let model = |name: &&str| {
        json!({
            "name": format!("models/{name}"),
            "version": "001",
            "displayName": name,
            "description": "A scripted model.",
            "inputTokenLimit": window.unwrap_or(1_048_576),
            "outputTokenLimit": 65_536,
            "supportedGenerationMethods": ["generateContent", "streamGenerateContent"],
        })
    };
    json!({"models": names.iter().map(model).collect::<Vec<_>>()})
}

fn ollama(names: &[&str]) -> Value {
    let model = |name: &&str| {
        json!({
            "name": name,
            "model": name,
            "modified_at": "2026-01-01T00:00:00Z",
            "size": 1,
            "digest": "0".repeat(64),
            "details": {
                "parent_model": "",
                "format": "gguf",
                "family": "scripted",
                "families": ["scripted"],
                "parameter_size": "1B",
                "quantization_level": "Q4_0",
            },
        })
    };
    json!({"models": names.iter().map(model).collect::<Vec<_>>()})
}
