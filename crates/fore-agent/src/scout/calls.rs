//! The calls the scout makes. Each is made from what it looks for alone, so that its result is found again in the history.

use super::{request::Term, task_history::AnsweredCall};
use serde_json::{Value, json};

const COUNT_LINES: u64 = 400;
const DEFINITION_LINES: u64 = 80;
const READ_LINES: u64 = 600;
const MANIFEST_LINES: u64 = 200;
const README_LINES: u64 = 30;
const GIT_COMMITS: u64 = 60;
const GIT_MS: u64 = 8_000;
const CHECK_MS: u64 = 20_000;
/// A longer path is not passed on.
pub(super) const MAX_PATH_BYTES: usize = 300;

/// One thing to look at.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ScoutCall {
    /// Files at the top.
    Top,
    /// Files and folders at the top.
    Folders,
    /// Manifests of any depth.
    Manifests,
    /// How many files git knows.
    Size,
    /// Files that mention the term, and how often.
    Count(Term),
    /// Lines that define something of this name.
    Definitions(Term),
    /// Files and folders of this name.
    Named(Term),
    /// Files about the same subject as a candidate.
    Subject(String),
    /// Commits that touched the file, with everything else they touched.
    Together(String),
    Source(String),
    Manifest(String),
    Readme(String),
    /// The project's own check, in rehearsal.
    Check(&'static str),
}

impl ScoutCall {
    /// Tool and input.
    pub(super) fn call(&self) -> Option<(&'static str, Value)> {
        Some(match self {
            ScoutCall::Top => ("Glob", json!({ "pattern": "*" })),
            ScoutCall::Folders => ("Bash", bash("ls -p", "See what lies at the top", GIT_MS)),
            ScoutCall::Manifests => ("Glob", json!({ "pattern": super::project::manifest_glob() })),
            ScoutCall::Size => ("Bash", bash("git ls-files | wc -l", "Count the files git knows", GIT_MS)),
            ScoutCall::Count(term) => {
                let pattern = term.pattern()?;
                ("Grep", json!({ "pattern": pattern, "output_mode": "count", "head_limit": COUNT_LINES }))
            }
            ScoutCall::Definitions(term) => {
                let pattern = term.definition()?;
                let input =
                    json!({ "pattern": pattern, "output_mode": "content", "-n": true, "head_limit": DEFINITION_LINES });
                ("Grep", input)
            }
            ScoutCall::Named(term) => ("Glob", json!({ "pattern": term.glob()? })),
            ScoutCall::Subject(subject) => ("Glob", json!({ "pattern": format!("**/*{subject}*") })),
            ScoutCall::Together(path) => {
                let command = format!(
                    "git log --no-merges --full-diff --name-only --pretty=format:==%h -n {GIT_COMMITS} -- {}",
                    shell_word(path)?
                );
                ("Bash", bash(&command, "What changes together with it", GIT_MS))
            }
            ScoutCall::Source(path) => ("Read", json!({ "file_path": path, "limit": READ_LINES })),
            ScoutCall::Manifest(path) => ("Read", json!({ "file_path": path, "limit": MANIFEST_LINES })),
            ScoutCall::Readme(path) => ("Read", json!({ "file_path": path, "limit": README_LINES })),
            ScoutCall::Check(command) => {
                let mut input = bash(command, "The project's own check, in rehearsal", CHECK_MS);
                if let Some(fields) = input.as_object_mut() {
                    fields.insert("rehearse".into(), Value::Bool(true));
                }
                ("Bash", input)
            }
        })
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

    /// Whether the call was made, with whatever result.
    pub(super) fn was_made(self, call: &ScoutCall) -> bool {
        self.answered(call).is_some()
    }

    fn answered(self, call: &ScoutCall) -> Option<&'a AnsweredCall> {
        let (tool, input) = call.call()?;
        self.0.iter().rev().find(|answered| answered.tool == tool && answered.input == input)
    }
}
