//! The settings as rows: a key, what holds, and every value that somebody gave it. Nothing secret gets into a row.

use crate::settings::{
    Fate, LocationState, SettingEntry, SettingOrigin, Settings, Trust, WrittenSettings, at, is_list, keys,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What stands for a value that is not shown.
const HIDDEN: &str = "[hidden]";

/// One setting.
#[derive(Debug)]
pub(super) struct SettingRow {
    pub(super) key: String,
    /// What holds; none if nothing is set.
    pub(super) value: Option<Value>,
    /// The values that were given, in the order of the layers.
    pub(super) parts: Vec<SettingValue>,
}

#[derive(Debug)]
pub(super) struct SettingValue {
    pub(super) value: Value,
    pub(super) origin: SettingOrigin,
    pub(super) state: ValueState,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum ValueState {
    Holds,
    /// A later layer says something else.
    Overridden,
    Refused(String),
}

/// All settings, those of one group together.
pub(super) fn rows(settings: &Settings) -> Vec<SettingRow> {
    let held = serde_json::to_value(&settings.written).unwrap_or_default();
    let defaults = serde_json::to_value(WrittenSettings::default()).unwrap_or_default();
    let mut paths: Vec<Vec<String>> = settings.entries.iter().map(|entry| entry.path.clone()).collect();
    // An event without hooks says nothing.
    let is_shown = |key: &String| !key.contains('*') && key != "$schema" && !key.starts_with("hooks.");
    let known = keys().into_iter().filter(is_shown);
    let mut known: Vec<Vec<String>> = known.map(|key| key.split('.').map(str::to_owned).collect()).collect();
    // Names of the person's choice stand for the empty map.
    known.push(vec!["model".into(), "providers".into()]);
    known.retain(|path| !paths.iter().any(|given| given.len() > path.len() && given.starts_with(path)));
    paths.extend(known);
    paths.retain(|path| path.first().is_none_or(|first| first != "$schema"));
    // What stands alone comes first, then group after group.
    paths.sort_by_cached_key(|path| {
        let group: Vec<String> = path.iter().take(path.len().saturating_sub(1)).cloned().collect();
        (group, path.clone())
    });
    paths.dedup();
    paths.iter().map(|path| row(settings, path, &held, &defaults)).collect()
}

/// What holds, by key, for somebody who compares it with what held before. What is hidden here is hidden there.
pub(crate) fn listed(settings: &Settings) -> BTreeMap<String, String> {
    let words = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    rows(settings).into_iter().filter_map(|row| Some((row.key, words(row.value?)))).collect()
}

fn row(settings: &Settings, path: &[String], held: &Value, defaults: &Value) -> SettingRow {
    let entries: Vec<&SettingEntry> = settings.entries.iter().filter(|entry| entry.path == path).collect();
    let joins = is_list(defaults, path);
    let last = entries.iter().rposition(|entry| entry.is_taken());
    let part = |(number, entry): (usize, &&SettingEntry)| SettingValue {
        value: shown(path, &entry.value),
        origin: entry.origin.clone(),
        state: match &entry.fate {
            Fate::Refused(why) => ValueState::Refused(why.to_string()),
            Fate::Taken if joins || Some(number) == last => ValueState::Holds,
            Fate::Taken => ValueState::Overridden,
        },
    };
    let is_empty = |value: &&Value| value.as_object().is_some_and(serde_json::Map::is_empty);
    let value = at(held, path).filter(|value| !is_empty(value)).map(|value| shown(path, value));
    SettingRow { key: path.join("."), value, parts: entries.iter().enumerate().map(part).collect() }
}

/// A value without what nobody should read over a shoulder or in a log.
fn shown(path: &[String], value: &Value) -> Value {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match (path.as_slice(), value.as_str()) {
        (["mcp", "servers", _, "env" | "headers", _], _) => HIDDEN.into(),
        (["model", "providers", _, "headers", _] | ["model", "providers", _, "apiKeyCommand"], _) => HIDDEN.into(),
        (["env", name], Some(_)) if sounds_secret(name) => HIDDEN.into(),
        (["model", "providers", _, "baseUrl"] | ["proxy"] | ["env", _], Some(url)) => without_secrets(url).into(),
        (["hooks", ..], _) => without_headers(value),
        _ => value.clone(),
    }
}

/// Hooks that tell an address may send keys along.
fn without_headers(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let field = |(name, value): (&String, &Value)| {
                (name.clone(), if name == "headers" { HIDDEN.into() } else { without_headers(value) })
            };
            Value::Object(object.iter().map(field).collect())
        }
        Value::Array(list) => Value::Array(list.iter().map(without_headers).collect()),
        other => other.clone(),
    }
}

fn sounds_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH", "COOKIE"].iter().any(|word| name.contains(word))
}

/// An address without the name, the password and the query in it; other text as it is.
fn without_secrets(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let (place, query) = rest.split_once('?').map_or((rest, ""), |(place, _)| (place, "?…"));
    let (host, path) = place.split_once('/').map_or((place, String::new()), |(host, path)| (host, format!("/{path}")));
    let host = host.rsplit_once('@').map_or(host.to_owned(), |(_, host)| format!("…@{host}"));
    format!("{scheme}://{host}{path}{query}")
}

pub(super) fn as_json(settings: &Settings, rows: &[SettingRow]) -> Value {
    let part = |part: &SettingValue| {
        let (state, why) = match &part.state {
            ValueState::Holds => ("holds", None),
            ValueState::Overridden => ("overridden", None),
            ValueState::Refused(why) => ("refused", Some(why)),
        };
        json!({"value": part.value, "from": from(&part.origin), "state": state, "why": why})
    };
    let row = |row: &SettingRow| json!({"key": row.key, "value": row.value, "given": row.parts.iter().map(part).collect::<Vec<_>>()});
    let file = |place: &crate::settings::SettingsLocation| json!({"layer": place.source.layer.name(), "path": place.path, "found": place.found == LocationState::Settings});
    json!({
        "settings": rows.iter().map(row).collect::<Vec<_>>(),
        "files": settings.places.iter().map(file).collect::<Vec<_>>(),
        "project": settings.project,
        "trusted": matches!(settings.trust, Trust::Trusted(_)),
        "warnings": settings.all_warnings().collect::<Vec<_>>(),
        "problems": settings.problems.lines(),
    })
}

fn from(origin: &SettingOrigin) -> Value {
    match origin {
        SettingOrigin::Variable(name) => json!({"kind": "variable", "name": name}),
        SettingOrigin::Written { source, line, column } => {
            json!({"kind": "file", "layer": source.layer.name(), "file": &*source.name, "line": line, "column": column})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_secret_is_shown() {
        let page = [
            ("proxy", json!("http://ada:pass@proxy.example:3128/x?k=v"), "http://…@proxy.example:3128/x?…"),
            ("model.providers.openai.baseUrl", json!("https://models.example/v1"), "https://models.example/v1"),
            ("model.providers.openai.apiKeyCommand", json!("echo sk-1"), "[hidden]"),
            ("model.providers.openai.headers.x-team", json!("secret"), "[hidden]"),
            ("env.DATABASE_URL", json!("postgres://ada:pass@db/shop"), "postgres://…@db/shop"),
            ("env.NPM_TOKEN", json!("npm_1"), "[hidden]"),
            ("env.RUST_LOG", json!("debug"), "debug"),
            ("hooks.mayWrite", json!("/var/log/x"), "/var/log/x"),
        ];
        for (key, value, expected) in page {
            let path: Vec<String> = key.split('.').map(str::to_owned).collect();
            assert_eq!(shown(&path, &value), expected, "{key}");
        }
        let hook = json!({"hooks": [{"type": "http", "url": "http://x", "headers": {"X": "sk-1"}}]});
        let expected = json!({"hooks": [{"type": "http", "url": "http://x", "headers": "[hidden]"}]});
        assert_eq!(shown(&["hooks".to_owned(), "Stop".to_owned()], &hook), expected);
    }
}
