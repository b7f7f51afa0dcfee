//! Near names for a model the provider does not know: from the table, and from the provider's own list.

use std::time::Duration;

use serde_json::Value;

use super::{Client, Wait};
use crate::provider::{ChosenModel, known_names, nearest};

/// It is a courtesy; nobody waits long for it.
const LIST_TIMEOUT: Duration = Duration::from_secs(4);
const MAX_LIST_BYTES: usize = 2 * 1024 * 1024;
const MAX_SUGGESTIONS: usize = 5;

impl Client {
    pub(super) async fn near_names(&self, model: &ChosenModel) -> Vec<String> {
        let listed = self.list_models(model).await.unwrap_or_default();
        let mut names: Vec<&str> = listed.iter().map(String::as_str).collect();
        for known in known_names(model.name.provider()) {
            names.push(known);
        }
        nearest(model.name.name(), names, MAX_SUGGESTIONS)
    }

    /// The models the provider says it has; `None` when it does not say so within a few seconds.
    pub async fn list_models(&self, model: &ChosenModel) -> Option<Vec<String>> {
        tokio::select! {
            biased;
            listed = self.list(model) => listed,
            () = self.clock.sleep(LIST_TIMEOUT, Wait::Silence) => None,
        }
    }

    async fn list(&self, model: &ChosenModel) -> Option<Vec<String>> {
        let headers = self.key_headers(model).ok()?;
        let mut response = self.http(model).get(model.endpoint.models()).headers(headers).send().await.ok()?;
        let mut text = Vec::new();
        while let Some(chunk) = response.chunk().await.ok()? {
            if text.len() + chunk.len() > MAX_LIST_BYTES {
                return None;
            }
            text.extend_from_slice(&chunk);
        }
        let list: Value = serde_json::from_slice(&text).ok()?;
        Some(names(&list))
    }
}

/// Reads both shapes: `data` with `id`, and `models` with `name`.
pub(crate) fn names(list: &Value) -> Vec<String> {
    let entries = list.get("data").or_else(|| list.get("models")).and_then(Value::as_array);
    entries
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.get("id").or_else(|| entry.get("name")).and_then(Value::as_str))
        .map(|name| name.strip_prefix("models/").unwrap_or(name).to_owned())
        .collect()
}
