//! Plays the loop for the scout: runs its calls against a real folder until it hands in a plan or falls silent.

use fore_model::{Answer, Block, Duty, History, Message, ToolResult, ToolUse};
use grep_regex::RegexMatcher;
use grep_searcher::{SearcherBuilder, sinks::Lossy};
use ignore::WalkBuilder;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const MAX_ANSWERS: usize = 8;

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Played {
    /// What was handed in.
    pub plan: Option<String>,
    pub history: History,
    /// Tool and input of every call, a round a row.
    pub rounds: Vec<Vec<(String, Value)>>,
    /// The text of the last answer.
    pub said: String,
}

/// Which tools there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tools {
    All,
    /// Every command is refused.
    NoBash,
    /// Everything but the plan is refused.
    None,
}

/// Plays a prompt from the beginning.
pub(crate) fn play(folder: &Path, prompt: &str, tools: Tools) -> Played {
    let reminder = "<system-reminder>\nPlan mode is on: find the teapot.\n</system-reminder>";
    let mut message = Message::user(prompt);
    message.blocks.push(Block::text(reminder));
    play_on(folder, [message].into_iter().collect(), tools)
}

/// Plays on from a history whose last message is the person's or holds results.
pub(crate) fn play_on(folder: &Path, mut history: History, tools: Tools) -> Played {
    let mut rounds = Vec::new();
    let mut ids = BTreeSet::new();
    for _ in 0..MAX_ANSWERS {
        let mut answer = Answer::default();
        for event in fore_agent::scout::answer(&history, Duty::Plan) {
            answer.apply(&event);
        }
        assert!(answer.complete);
        let calls: Vec<ToolUse> = answer.tool_calls().cloned().collect();
        let said = answer.text();
        history.push(answer.into_message());
        if calls.is_empty() {
            return Played { plan: None, history, rounds, said };
        }
        assert!(calls.iter().all(|call| ids.insert(call.id.clone())), "an id was used twice");
        rounds.push(calls.iter().map(|call| (call.name.clone(), input(call))).collect());
        if let Some(exit) = calls.iter().find(|call| call.name == "ExitPlanMode") {
            let plan = input(exit).get("plan").and_then(Value::as_str).map(str::to_owned);
            return Played { plan, history, rounds, said };
        }
        history.push(Message::results(calls.iter().map(|call| run(folder, call, tools)).collect()));
    }
    panic!("no plan after {MAX_ANSWERS} answers");
}

fn input(call: &ToolUse) -> Value {
    match &call.arguments {
        fore_model::Arguments::Ok(value) => value.clone(),
        fore_model::Arguments::Broken { why, .. } => panic!("{why}"),
    }
}

fn run(folder: &Path, call: &ToolUse, tools: Tools) -> ToolResult {
    let input = input(call);
    let text = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let outcome = match (call.name.as_str(), tools) {
        (_, Tools::None) | ("Bash", Tools::NoBash) => Err("refused".to_owned()),
        ("Glob", _) => Ok(glob(folder, &text("pattern"))),
        ("Grep", _) => grep(folder, &input),
        ("Read", _) => read(folder, &input),
        ("Bash", _) => bash(folder, &text("command")),
        (other, _) => Err(format!("no tool {other}")),
    };
    let is_error = outcome.is_err();
    ToolResult { is_error, ..ToolResult::text(call, outcome.unwrap_or_else(|why| why)) }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let walk = WalkBuilder::new(folder).hidden(true).require_git(false).sort_by_file_path(Path::cmp).build();
    walk.flatten().map(ignore::DirEntry::into_path).filter(|path| path != folder).collect()
}

fn relative(folder: &Path, path: &Path) -> String {
    path.strip_prefix(folder).unwrap().to_string_lossy().into_owned()
}

fn glob(folder: &Path, pattern: &str) -> String {
    let glob = globset::GlobBuilder::new(pattern).literal_separator(true).build().unwrap().compile_matcher();
    let found: Vec<String> = files(folder)
        .iter()
        .filter(|path| path.is_file())
        .map(|path| relative(folder, path))
        .filter(|path| glob.is_match(path))
        .take(200)
        .collect();
    if found.is_empty() { "No files found".to_owned() } else { found.join("\n") }
}

fn grep(folder: &Path, input: &Value) -> Result<String, String> {
    let matcher = RegexMatcher::new_line_matcher(input["pattern"].as_str().unwrap()).map_err(|why| why.to_string())?;
    let limit = input["head_limit"].as_u64().unwrap() as usize;
    let mut lines = Vec::new();
    for path in files(folder).into_iter().filter(|path| path.is_file()) {
        let name = relative(folder, &path);
        let mut count = 0;
        let mut searcher = SearcherBuilder::new().binary_detection(grep_searcher::BinaryDetection::quit(0)).build();
        let sink = Lossy(|number, text| {
            count += 1;
            if input["output_mode"] == "content" {
                lines.push(format!("{name}:{number}:{}", text.trim_end_matches('\n')));
            }
            Ok(true)
        });
        searcher.search_path(&matcher, &path, sink).map_err(|why| why.to_string())?;
        if count > 0 && input["output_mode"] == "count" {
            lines.push(format!("{name}:{count}"));
        }
        if lines.len() >= limit {
            lines.truncate(limit);
            lines.push("(more results are left out)".to_owned());
            break;
        }
    }
    Ok(if lines.is_empty() { "No matches found".to_owned() } else { lines.join("\n") })
}

#[expect(clippy::disallowed_methods, reason = "reads as the tool would")]
fn read(folder: &Path, input: &Value) -> Result<String, String> {
    let bytes = std::fs::read(folder.join(input["file_path"].as_str().unwrap())).map_err(|why| why.to_string())?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let limit = input["limit"].as_u64().unwrap() as usize;
    let lines = (1..).zip(text.lines()).take(limit);
    Ok(lines.map(|(number, line): (usize, &str)| format!("{number:>6}\t{line}\n")).collect())
}

#[expect(clippy::disallowed_methods, reason = "the scout's commands run for real in a folder made for the test")]
fn bash(folder: &Path, command: &str) -> Result<String, String> {
    let output = std::process::Command::new("bash")
        .args(["-o", "pipefail", "-c", command])
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap())
        .output()
        .map_err(|why| why.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() { Ok(text) } else { Err(text) }
}
