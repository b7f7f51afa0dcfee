//! The calls the scout makes. Each is made from what it looks for alone, so that its result is found again in the history.

use super::task_history::AnsweredCall;
use fore_plan::ToolName;
use serde_json::{Value, json};

const GIT_COMMITS: u64 = 60;
const GIT_MS: u64 = 4_000;
const CHECK_MS: u64 = 10_000;
/// A longer path is not passed on.
pub(super) const MAX_PATH_BYTES: usize = 300;

/// One thing to ask a command.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ScoutCall {
    /// How many files git tracks.
    Size,
    /// Commits that touched the file, with everything else they touched.
    Together(String),
    /// The project's own check, in rehearsal.
    Check(&'static str),
}

impl ScoutCall {
    /// Tool and input.
    pub(super) fn call(&self) -> Option<(ToolName, Value)> {
        let input = match self {
            ScoutCall::Size => bash("git ls-files | wc -l", "Count the tracked files", GIT_MS),
            ScoutCall::Together(path) => {
                let command = format!(
                    "git log --no-merges --full-diff --name-only --pretty=format:==%h -n {GIT_COMMITS} -- {}",
                    shell_word(path)?
                );
                bash(&command, "What changes together with it", GIT_MS)
            }
            ScoutCall::Check(command) => {
                let mut input = bash(command, "The project's own check, in rehearsal", CHECK_MS);
                if let Some(fields) = input.as_object_mut() {
                    fields.insert("rehearse".into(), Value::Bool(true));
                }
                input
            }
        };
        Some((ToolName::Bash, input))
    }
}

fn bash(command: &str, description: &str, timeout_ms: u64) -> Value {
    json!({ "command": command, "description": description, "timeout_ms": timeout_ms })
}

/// A path as one word of a shell; none for a name that would have to be quoted with care.
fn shell_word(path: &str) -> Option<String> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+' | '@' | ' ' | ',' | '=');
    (!path.starts_with('-') && path.len() <= MAX_PATH_BYTES && path.chars().all(plain)).then(|| format!("'{path}'"))
}

/// What came of the calls so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScoutResults<'a>(pub(super) &'a [AnsweredCall]);

impl<'a> ScoutResults<'a> {
    pub(super) fn text(self, call: &ScoutCall) -> Option<&'a str> {
        self.answered(call).and_then(|answered| answered.text.as_deref())
    }

    fn answered(self, call: &ScoutCall) -> Option<&'a AnsweredCall> {
        let (tool, input) = call.call()?;
        self.0.iter().rev().find(|answered| answered.tool == Some(tool) && answered.input == input)
    }
}
