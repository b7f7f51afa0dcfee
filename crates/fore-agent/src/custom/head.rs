//! What a command's file says before its text: what it is for, what may follow, and what it wishes of the program.

use crate::document::{
    front_matter::{FrontMatter, FrontMatterError},
    one_line,
};
use fore_plan::Mode;
use serde_json::Value;

const MAX_DESCRIPTION_CHARS: usize = 200;
const MAX_HINT_CHARS: usize = 60;
const MAX_MODEL_CHARS: usize = 200;
/// Tools that one command may name.
const MAX_TOOLS: usize = 50;
const KEYS: [&str; 5] = ["description", "argument-hint", "allowed-tools", "model", "mode"];
/// Keys that others use and that take nothing away when they are left out.
const WITHOUT_EFFECT: [&str; 6] = ["name", "version", "license", "color", "tags", "disable-model-invocation"];

/// The head of a command's file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CommandHead {
    pub(crate) description: String,
    /// What may follow, as help shows it.
    pub(crate) arguments: String,
    /// Rules of calls that need not ask while the command's turn runs.
    pub(crate) allowed: Vec<String>,
    pub(crate) model: Option<CommandModel>,
    pub(crate) mode: Option<Mode>,
    /// What is wrong with it and does not stand in its way.
    pub(crate) notes: Vec<String>,
}

/// The model that a command wishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CommandModel {
    /// The one for small duties.
    Small,
    /// This one: whom the code is sent to, and who pays.
    Named(String),
}

/// What a file wishes of the program beyond words for the model and beyond being stricter, in words; nothing where that is nothing.
/// The person is asked to trust these.
pub fn wishes(text: &str) -> Vec<String> {
    let Ok((head, _)) = CommandHead::read(text) else { return Vec::new() };
    let tools = head.allowed.iter().map(|rule| format!("allow {rule}"));
    let model = match head.model {
        Some(CommandModel::Named(name)) => Some(format!("model {name}")),
        Some(CommandModel::Small) | None => None,
    };
    let mode = head.mode.filter(|mode| *mode != Mode::Plan).map(|mode| format!("mode {mode}"));
    tools.chain(model).chain(mode).collect()
}

impl CommandHead {
    /// The head and the text after it. A file without a head is all text.
    pub(crate) fn read(text: &str) -> Result<(CommandHead, String), FrontMatterError> {
        if text.lines().next().map(str::trim_end) != Some("---") {
            let head = CommandHead { description: first_words(text), ..CommandHead::default() };
            return Ok((head, text.to_owned()));
        }
        let plain = with_plain_hints(text);
        let matter = FrontMatter::read(&plain)?;
        let body = matter.body.to_owned();
        let description = match matter.text("description")? {
            Some(description) => one_line(&description, MAX_DESCRIPTION_CHARS),
            None => first_words(&body),
        };
        let arguments = matter.text("argument-hint")?.map(|hint| one_line(&hint, MAX_HINT_CHARS)).unwrap_or_default();
        let mut notes = Vec::new();
        let mut note = |key: &str, why: String| notes.push(format!("line {}: {why}", matter.line(key)));
        let mode = match matter.text("mode")? {
            None => None,
            Some(name) => {
                let mode = name.parse().ok();
                if mode.is_none() {
                    note("mode", format!("`{}` is not a mode, so the mode stays as it is", one_line(&name, 40)));
                }
                mode
            }
        };
        for key in matter.others(&KEYS).into_iter().filter(|key| !WITHOUT_EFFECT.contains(key)) {
            note(key, format!("`{}` is not known here and has no effect", one_line(key, 40)));
        }
        let allowed = match matter.text("allowed-tools") {
            Ok(text) => tools(&text.unwrap_or_default()),
            Err(_) => matter.list("allowed-tools")?.unwrap_or_default(),
        };
        if allowed.len() > MAX_TOOLS {
            note("allowed-tools", format!("more than {MAX_TOOLS} tools are named; none of them counts"));
        }
        let allowed = if allowed.len() > MAX_TOOLS { Vec::new() } else { allowed };
        let model = model(matter.text("model")?);
        Ok((CommandHead { description, arguments, allowed, model, mode, notes }, body))
    }
}

fn model(text: Option<String>) -> Option<CommandModel> {
    match text.as_deref() {
        // Sizes by which another agent's files name models: the large ones are what the session uses.
        None | Some("inherit" | "sonnet" | "opus") => None,
        Some("small" | "haiku") => Some(CommandModel::Small),
        Some(name) => Some(CommandModel::Named(one_line(name, MAX_MODEL_CHARS))),
    }
}

/// Rules with commas or blanks between them; neither counts inside of brackets: `Bash(git add:*), Read`.
fn tools(text: &str) -> Vec<String> {
    let (mut rules, mut rule, mut depth) = (Vec::new(), String::new(), 0_usize);
    for letter in text.chars() {
        match letter {
            '(' => depth = depth.saturating_add(1),
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (letter == ',' || letter.is_whitespace()) {
            rules.push(std::mem::take(&mut rule));
        } else {
            rule.push(letter);
        }
    }
    rules.push(rule);
    rules.into_iter().filter(|rule| !rule.is_empty()).collect()
}

/// Many files have `argument-hint: [number] [priority]`, which is no YAML and is meant as it stands.
fn with_plain_hints(text: &str) -> String {
    let mut is_head = true;
    let mut whole = String::with_capacity(text.len() + 16);
    for (number, line) in text.split_inclusive('\n').enumerate() {
        is_head &= number == 0 || line.trim_end() != "---";
        match line.strip_prefix("argument-hint:").map(str::trim).filter(|_| is_head) {
            Some(hint) if !hint.is_empty() && !hint.starts_with(['"', '\'', '|', '>']) => {
                whole.push_str(&format!("argument-hint: {}\n", Value::from(hint)));
            }
            Some(_) | None => whole.push_str(line),
        }
    }
    whole
}

/// The first line of a text that says something, without the signs of a heading.
fn first_words(text: &str) -> String {
    let line = text.lines().map(|line| line.trim_start_matches('#').trim()).find(|line| !line.is_empty());
    one_line(line.unwrap_or_default(), MAX_DESCRIPTION_CHARS)
}
