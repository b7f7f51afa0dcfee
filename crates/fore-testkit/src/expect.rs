//! What a turn demands of the request that asks for it, beyond the rules of the protocol.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json_place::{find, shorten};
use crate::protocol::WireProtocol;
use crate::received::{Received, ReceivedBlock, ReceivedRole};
use crate::report::BrokenRules;

const RULE: &str = "the script's expectation";

/// Demands on one request; all of them must hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// The model that is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// A substring of the system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_contains: Option<String>,
    /// A substring of the words (not the tool results) in the last user message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_user_contains: Option<String>,
    /// Results that the last message must hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<ResultExpect>,
    /// Tools that must be offered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Demands on the body as it came, for what only one protocol has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValueExpect>,
}

/// A result that the last message must hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultExpect {
    /// The tool that was called.
    pub tool: String,
    /// A substring of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contains: Option<String>,
    /// A substring that the result must not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<String>,
    /// Whether it is marked as an error; only Anthropic marks results, the others ignore this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
}

/// A demand on the values at a path in the body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValueExpect {
    /// Only for this protocol.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<WireProtocol>,
    /// For example `$.messages[-1].content[*].text`.
    pub path: String,
    /// What must hold there.
    #[serde(flatten)]
    pub demand: Demand,
}

/// What must hold at a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Demand {
    /// One value is equal to this.
    Equals(Value),
    /// One value is a text with this substring, or an array with this element.
    Contains(Value),
    /// There is a value (`true`) or none (`false`).
    Exists(bool),
}

impl Demand {
    fn holds(&self, found: &[&Value]) -> bool {
        match self {
            Demand::Equals(wanted) => found.contains(&wanted),
            Demand::Exists(wanted) => *wanted != found.is_empty(),
            Demand::Contains(wanted) => found.iter().any(|value| match (value, wanted) {
                (Value::String(text), Value::String(part)) => text.contains(part.as_str()),
                (Value::Array(array), element) => array.contains(element),
                _ => false,
            }),
        }
    }

    fn words(&self) -> String {
        match self {
            Demand::Equals(wanted) => format!("equal to {wanted}"),
            Demand::Contains(wanted) => format!("containing {wanted}"),
            Demand::Exists(true) => "a value".to_owned(),
            Demand::Exists(false) => "no value".to_owned(),
        }
    }
}

impl Expect {
    /// Finds paths that cannot be followed before a request does.
    pub(crate) fn check(&self, place: &str) -> Result<(), (String, String)> {
        for (index, value) in self.values.iter().enumerate() {
            find(&Value::Null, &value.path).map_err(|why| (format!("{place}.expect.values[{index}].path"), why))?;
        }
        Ok(())
    }

    pub(crate) fn hold_against(
        &self,
        protocol: WireProtocol,
        received: &Received,
        body: &Value,
        findings: &mut BrokenRules,
    ) {
        if let Some(model) = self.model.as_ref().filter(|model| **model != received.model) {
            findings.add(RULE, "model", model, &received.model);
        }
        if let Some(part) = self.system_contains.as_ref().filter(|part| !received.system.contains(part.as_str())) {
            findings.add(RULE, "system prompt", format!("containing {part:?}"), shorten(&received.system));
        }
        self.hold_last_user(received, findings);
        self.hold_results(protocol, received, findings);
        for name in self.tools.iter().filter(|name| !received.tools.contains(name)) {
            findings.add(RULE, "tools", format!("a tool named {name}"), received.tools.join(", "));
        }
        for wanted in self.values.iter().filter(|wanted| wanted.protocol.is_none_or(|only| only == protocol)) {
            let found = find(body, &wanted.path).unwrap_or_default();
            if !wanted.demand.holds(&found) {
                let shown: Vec<String> = found.iter().map(|value| shorten(&value.to_string())).collect();
                let shown = if shown.is_empty() { "nothing there".to_owned() } else { shown.join(", ") };
                findings.add(RULE, &wanted.path, wanted.demand.words(), shown);
            }
        }
    }

    fn hold_last_user(&self, received: &Received, findings: &mut BrokenRules) {
        let Some(part) = &self.last_user_contains else { return };
        let words = received.last_user_words();
        if !words.contains(part.as_str()) {
            findings.add(RULE, "last user message", format!("containing {part:?}"), format!("{:?}", shorten(&words)));
        }
    }

    fn hold_results(&self, protocol: WireProtocol, received: &Received, findings: &mut BrokenRules) {
        let last = received.entries.iter().rev().take_while(|entry| entry.role == ReceivedRole::User);
        let results: Vec<(&str, &str, bool)> = last
            .flat_map(|entry| &entry.blocks)
            .filter_map(|block| match block {
                ReceivedBlock::Result { id, text, is_error, .. } => {
                    Some((received.tool_of(id), text.as_str(), *is_error))
                }
                ReceivedBlock::Text(_)
                | ReceivedBlock::Image
                | ReceivedBlock::Reasoning { .. }
                | ReceivedBlock::Call { .. } => None,
            })
            .collect();
        for wanted in &self.results {
            let fits = |(tool, text, is_error): &(&str, &str, bool)| {
                *tool == wanted.tool
                    && wanted.contains.as_ref().is_none_or(|part| text.contains(part.as_str()))
                    && wanted.lacks.as_ref().is_none_or(|part| !text.contains(part.as_str()))
                    && (protocol != WireProtocol::Anthropic || wanted.is_error.is_none_or(|error| error == *is_error))
            };
            if !results.iter().any(fits) {
                let shown: Vec<String> = results
                    .iter()
                    .map(|(tool, text, error)| {
                        format!("{tool}{}: {:?}", if *error { " (error)" } else { "" }, shorten(text))
                    })
                    .collect();
                let shown = if shown.is_empty() { "no tool results".to_owned() } else { shown.join("; ") };
                findings.add(RULE, "tool results of the last message", wanted.words(), shown);
            }
        }
    }
}

impl ResultExpect {
    fn words(&self) -> String {
        let mut words = format!("a result of {}", self.tool);
        if let Some(part) = &self.contains {
            words.push_str(&format!(" containing {part:?}"));
        }
        if let Some(part) = &self.lacks {
            words.push_str(&format!(" without {part:?}"));
        }
        if let Some(is_error) = self.is_error {
            words.push_str(if is_error { ", marked as an error" } else { ", not marked as an error" });
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn demands_hold_for_any_one_of_the_values_found() {
        let (text, list) = (json!("a word"), json!(["x", 1]));
        let found = [&text, &list];
        assert!(Demand::Equals(json!("a word")).holds(&found));
        assert!(!Demand::Equals(json!("word")).holds(&found));
        assert!(Demand::Contains(json!("word")).holds(&found));
        assert!(Demand::Contains(json!(1)).holds(&found));
        assert!(!Demand::Contains(json!("y")).holds(&found));
        assert!(Demand::Exists(true).holds(&found) && !Demand::Exists(true).holds(&[]));
        assert!(Demand::Exists(false).holds(&[]) && !Demand::Exists(false).holds(&found));
    }
}
