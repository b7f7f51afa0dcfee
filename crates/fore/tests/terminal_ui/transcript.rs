//! What a session left on disk, without what differs from run to run: every entry on a line of its own.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::stage::Stage;
use serde_json::Value;

impl Stage {
    /// The entries of the only session, one a line, without ids and times. Which front end the person used is left out too.
    pub(crate) fn transcript(&self) -> String {
        let sessions = self.sessions();
        assert_eq!(sessions.len(), 1, "{sessions:?}");
        let text = self.read(&format!(".forethought/sessions/{}.jsonl", sessions[0]));
        let lines = self.stable_text(&text);
        let lines = lines.lines().map(|line| stable(serde_json::from_str(line).unwrap()).to_string());
        ids(&lines.collect::<Vec<_>>().join("\n"))
    }
}

/// An entry without the fields that say when, and through which front end.
fn stable(entry: Value) -> Value {
    match entry {
        Value::Object(fields) => {
            let is_kept = |name: &str, value: &Value| match name {
                "at" | "created" => !value.is_number(),
                "via" => false,
                _ => true,
            };
            let kept = fields.into_iter().filter(|(name, value)| is_kept(name, value));
            Value::Object(kept.map(|(name, value)| (name, stable(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(stable).collect()),
        other => other,
    }
}

/// Ids by the order they turn up in.
fn ids(text: &str) -> String {
    let is_part = |letter: char| letter.is_ascii_hexdigit() || letter == '-';
    let mut known: Vec<String> = Vec::new();
    let mut made = String::with_capacity(text.len());
    let mut word = String::new();
    for letter in text.chars().chain(['\n']) {
        if is_part(letter) {
            word.push(letter);
            continue;
        }
        if word.len() == 36 && word.matches('-').count() == 4 {
            let index = known.iter().position(|other| *other == word).unwrap_or(known.len());
            if index == known.len() {
                known.push(std::mem::take(&mut word));
            }
            made.push_str(&format!("ID-{}", index + 1));
        } else {
            made.push_str(&word);
        }
        word.clear();
        made.push(letter);
    }
    made
}
