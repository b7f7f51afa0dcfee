//! `scenario.json`: what is started, and what the person does at which moment. Plain data; nothing happens here.

use super::ScenarioError;
use crate::protocol::WireProtocol;
use serde::Deserialize;
use serde_json::Value;
use std::{collections::BTreeMap, path::Path};

/// A story.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// The story in a sentence or two.
    pub(crate) tells: String,
    /// Rows of the requirements, incidents and classes of bugs that it holds.
    pub(crate) covers: Vec<String>,
    /// Whether the person trusts the folder.
    #[serde(default)]
    pub(crate) trusted: bool,
    /// The person's own settings.
    #[serde(default)]
    pub(crate) settings: serde_json::Map<String, Value>,
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    /// Makes the workspace a repository with everything in it committed.
    #[serde(default)]
    pub(crate) repository: bool,
    /// Files that are written on top of the workspace, after the commit.
    #[serde(default)]
    pub(crate) afterwards: BTreeMap<String, String>,
    /// Files in the person's home.
    #[serde(default)]
    pub(crate) home: BTreeMap<String, String>,
    /// The protocols it makes sense for; all unless given.
    #[serde(default = "all")]
    pub(crate) protocols: Vec<WireProtocol>,
    #[serde(default)]
    pub(crate) shows: Vec<PageExtra>,
    pub(crate) runs: Vec<ScenarioRun>,
}

/// More on the page than usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PageExtra {
    /// What the model was told, to the last line.
    WholeWords,
    /// The tools that were offered.
    Tools,
    /// The audit log.
    Audit,
}

/// One start of the program.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScenarioRun {
    /// After `fore`; for a host they come after the options that make it one. `{{plan}}`, `{{hash}}` and `{{session}}`
    /// are what was seen last.
    #[serde(default)]
    pub(crate) arguments: Vec<String>,
    #[serde(default)]
    pub(crate) frontend: Frontend,
    /// Standard input, for a plain run.
    #[serde(default)]
    pub(crate) input: String,
    /// For a plain run: files that are written and removed before it starts.
    #[serde(default)]
    pub(crate) person: Vec<ScenarioStep>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Frontend {
    /// A host that speaks JSON lines.
    #[default]
    Host,
    /// A command line, its output as it is.
    Plain,
}

/// One thing the person, or the world around, does. Steps are taken in order; input is closed after the last one.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ScenarioStep {
    /// Waits for an event that has these fields; a text in a list `["…"]` only has to be part of the field.
    Await(Value),
    /// Waits for the end of the turn.
    AwaitTurn,
    /// Waits until the model was asked so many times in all.
    AwaitRequests(usize),
    Prompt(String),
    /// A prompt for the running turn.
    Steer(String),
    Mode(String),
    /// Answers the question that was asked last: `yes`, `yes-for-session`, or `no` with a reason.
    Reply(String),
    /// Declines the question that was asked last.
    Decline(String),
    /// Answers the form that was asked last.
    Form(Value),
    /// Answers whether the model may plan first.
    Confirm(bool),
    /// Answers the request for approval that was shown last.
    Answer(Value),
    /// Answers the request for approval that was shown first.
    AnswerFirst(Value),
    /// Any command.
    Send(Value),
    /// A line that may be anything.
    Line(String),
    /// Ctrl+C.
    Signal(String),
    CloseInput,
    /// Somebody writes a file of the workspace.
    Write {
        file: String,
        text: String,
    },
    Remove(String),
    /// The person saves other settings; the way to the model stays in them.
    Settings(serde_json::Map<String, Value>),
    /// The person writes a file in their home.
    WriteHome {
        file: String,
        text: String,
    },
    /// Somebody writes the plan file.
    WritePlan(String),
    RemovePlan,
    /// Somebody puts a link to a file of the workspace in the place of the plan file.
    LinkPlan(String),
    /// Somebody makes the plan file another name of a file of the workspace.
    HardLinkPlan(String),
    /// Every line of the newest transcript with this text in it is damaged.
    DamageTranscript(String),
    /// The versions of plans that are kept by their hash are gone.
    ForgetRevisions,
    /// A file takes the place of the folder for plans.
    BreakPlanFolder,
    /// The newest transcript ends in the middle of a line, as after a power cut.
    TearTranscript,
}

impl Scenario {
    pub(crate) fn read(folder: &Path) -> Result<Scenario, ScenarioError> {
        let path = folder.join("scenario.json");
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    pub(crate) fn has(&self, shows: PageExtra) -> bool {
        self.shows.contains(&shows)
    }
}

fn all() -> Vec<WireProtocol> {
    WireProtocol::ALL.to_vec()
}

/// Whether an event has these fields.
pub(crate) fn matches(pattern: &Value, event: &Value) -> bool {
    match (pattern, event) {
        (Value::Object(fields), Value::Object(have)) => {
            fields.iter().all(|(name, wanted)| have.get(name).is_some_and(|value| matches(wanted, value)))
        }
        (Value::Array(parts), Value::String(text)) => {
            parts.iter().all(|part| part.as_str().is_some_and(|part| text.contains(part)))
        }
        (wanted, value) => wanted == value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_pattern_names_the_fields_that_count() {
        let event = json!({"event": "notice", "level": "warning", "text": "Stopped: make watch"});
        assert!(matches(&json!({"event": "notice"}), &event));
        assert!(matches(&json!({"event": "notice", "text": ["Stopped"]}), &event));
        assert!(!matches(&json!({"event": "notice", "text": ["stopped"]}), &event));
        assert!(!matches(&json!({"event": "notice", "who": "x"}), &event));
    }
}
