//! What is put into another agent's settings: its file, the event, the group. Pure: a text goes in and a text comes out, and
//! everything else in it stays as it is.

use crate::args::HookHost;
use jsonc_parser::{
    ParseOptions,
    cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode},
};

/// Where and how an agent is told about hooks.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostRow {
    /// The file in a project.
    pub(super) in_project: &'static str,
    /// The file in the home folder.
    pub(super) in_home: &'static str,
    kind: HostFile,
}

#[derive(Clone, Copy, Debug)]
enum HostFile {
    /// A group of this event in its settings, for these tools, with a timeout in its own unit.
    Json { event: &'static str, matcher: &'static str, timeout: u32 },
    /// A file of our own.
    Plugin,
}

/// What `fore hooks install` writes as a plugin.
const PLUGIN: &str = include_str!("opencode.js");

pub(super) fn row(host: HookHost) -> HostRow {
    match host {
        HookHost::Claude => HostRow {
            in_project: ".claude/settings.json",
            in_home: ".claude/settings.json",
            kind: HostFile::Json { event: "PreToolUse", matcher: "*", timeout: 30 },
        },
        HookHost::Codex => HostRow {
            in_project: ".codex/hooks.json",
            in_home: ".codex/hooks.json",
            kind: HostFile::Json { event: "PreToolUse", matcher: "", timeout: 30 },
        },
        HookHost::Gemini => HostRow {
            in_project: ".gemini/settings.json",
            in_home: ".gemini/settings.json",
            kind: HostFile::Json { event: "BeforeTool", matcher: "*", timeout: 30_000 },
        },
        HookHost::Qwen => HostRow {
            in_project: ".qwen/settings.json",
            in_home: ".qwen/settings.json",
            kind: HostFile::Json { event: "PreToolUse", matcher: "*", timeout: 30_000 },
        },
        HookHost::Opencode => HostRow {
            in_project: ".opencode/plugin/forethought.js",
            in_home: ".config/opencode/plugin/forethought.js",
            kind: HostFile::Plugin,
        },
    }
}

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The text with our hook in it, in which it is there already.
pub(super) fn with_hook(row: HostRow, text: Option<&str>, command: &str) -> Result<String, String> {
    let HostFile::Json { event, matcher, timeout } = row.kind else {
        return match text {
            Some(text) if !is_our_plugin(text) => Err("another plugin has this name".into()),
            Some(_) | None => Ok(PLUGIN.replace("FORE", &serde_json::Value::from(command).to_string())),
        };
    };
    let text = text.unwrap_or_default();
    let root = CstRootNode::parse(text, &OPTIONS).map_err(|error| format!("it is not JSON: {error}"))?;
    let all = root.object_value_or_create().ok_or("it is not an object")?;
    let is_new = all.properties().is_empty();
    let hooks = all.object_value_or_create("hooks").ok_or("its key `hooks` is not an object")?;
    let groups = hooks.array_value_or_create(event).ok_or_else(|| format!("its key `hooks.{event}` is not a list"))?;
    let ours: Vec<CstNode> = groups.elements().into_iter().filter(holds_our_hook).collect();
    if ours.iter().any(|group| commands(group).iter().any(|written| written == command)) {
        return Ok(text.to_owned());
    }
    // One of a program that has moved is started by nobody, and lets every call pass.
    ours.into_iter().for_each(CstNode::remove);
    if is_new {
        all.ensure_multiline();
    }
    hooks.ensure_multiline();
    groups.append(group(matcher, command, timeout));
    groups.ensure_multiline();
    let is_new_file = text.is_empty();
    let mut text = root.to_string();
    if is_new_file && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// The text without it; none where nothing is left. What was there only for it goes too.
pub(super) fn without_hook(row: HostRow, text: &str) -> Result<Option<String>, String> {
    let HostFile::Json { event, .. } = row.kind else {
        return if is_our_plugin(text) { Ok(None) } else { Err("it is not the plugin that was installed".into()) };
    };
    let root = CstRootNode::parse(text, &OPTIONS).map_err(|error| format!("it is not JSON: {error}"))?;
    let Some(all) = root.object_value() else { return Err("it is not an object".into()) };
    let Some(hooks) = all.object_value("hooks") else { return Ok(Some(text.to_owned())) };
    let Some(groups) = hooks.array_value(event) else { return Ok(Some(text.to_owned())) };
    let ours: Vec<CstNode> = groups.elements().into_iter().filter(holds_our_hook).collect();
    if ours.is_empty() {
        return Ok(Some(text.to_owned()));
    }
    ours.into_iter().for_each(CstNode::remove);
    if groups.elements().is_empty()
        && let Some(property) = hooks.get(event)
    {
        property.remove();
    }
    if hooks.properties().is_empty()
        && let Some(property) = all.get("hooks")
    {
        property.remove();
    }
    if all.properties().is_empty() { Ok(None) } else { Ok(Some(root.to_string())) }
}

fn is_our_plugin(text: &str) -> bool {
    text.starts_with("// Written by `fore hooks install`")
}

fn group(matcher: &str, command: &str, timeout: u32) -> CstInputValue {
    let text = |text: &str| CstInputValue::String(text.to_owned());
    let hook = CstInputValue::Object(vec![
        ("type".to_owned(), text("command")),
        ("command".to_owned(), text(command)),
        ("timeout".to_owned(), CstInputValue::Number(timeout.to_string())),
    ]);
    let hooks = ("hooks".to_owned(), CstInputValue::Array(vec![hook]));
    let matcher = (!matcher.is_empty()).then(|| ("matcher".to_owned(), text(matcher)));
    CstInputValue::Object(matcher.into_iter().chain([hooks]).collect())
}

/// A group that holds our hook and nothing else: one that somebody added to is theirs to take apart.
fn holds_our_hook(group: &CstNode) -> bool {
    let commands = commands(group);
    commands.len() == 1 && commands.iter().all(|command| is_our_command(command))
}

/// The commands of a group, in their order; what is no command is empty.
fn commands(group: &CstNode) -> Vec<String> {
    let handlers = group.as_object().and_then(|group: CstObject| group.array_value("hooks"));
    let handlers = handlers.map(|handlers: CstArray| handlers.elements()).unwrap_or_default();
    let command = |handler: &CstNode| {
        let command = handler.as_object().and_then(|handler| handler.get("command"));
        let command = command.and_then(|command| command.value()).and_then(|value| value.as_string_lit());
        command.and_then(|command| command.decoded_value().ok()).unwrap_or_default()
    };
    handlers.iter().map(command).collect()
}

fn is_our_command(command: &str) -> bool {
    command.contains(" gate --as ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAND: &str = "'/opt/fore' gate --as claude";

    #[test]
    fn what_is_put_in_is_taken_out_again_and_the_rest_stays_to_the_letter() {
        let claude = row(HookHost::Claude);
        let page = [
            "{\n  // mine\n  \"model\": \"x\",\n  \"permissions\": { \"allow\": [\"Bash\"] }\n}\n",
            "{\n  \"hooks\": {\n    \"Stop\": [\n      { \"hooks\": [] }\n    ]\n  }\n}\n",
            "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"matcher\": \"Bash\", \"hooks\": [{ \"type\": \"command\", \"command\": \"mine\" }] }\n    ]\n  }\n}\n",
        ];
        for before in page {
            let with = with_hook(claude, Some(before), COMMAND).unwrap();
            let value: serde_json::Value = jsonc_parser::parse_to_serde_value(&with, &OPTIONS).unwrap();
            let groups = value["hooks"]["PreToolUse"].as_array().unwrap();
            assert_eq!(groups.last().unwrap()["hooks"][0]["command"], COMMAND);
            assert_eq!(with_hook(claude, Some(&with), COMMAND).unwrap(), with, "once is enough");
            let moved = with_hook(claude, Some(&with), "'/usr/bin/fore' gate --as claude").unwrap();
            assert!(moved.contains("/usr/bin/fore") && !moved.contains("/opt/fore"), "{moved}");
            let after = without_hook(claude, &with).unwrap().unwrap();
            let parsed =
                |text: &str| -> serde_json::Value { jsonc_parser::parse_to_serde_value(text, &OPTIONS).unwrap() };
            assert_eq!(parsed(&after), parsed(before), "{after}");
            assert!(before.lines().all(|line| after.contains(line.trim().trim_end_matches(','))), "{after}");
        }
    }

    #[test]
    fn a_new_file_is_gone_afterwards_and_what_is_no_settings_file_is_left_alone() {
        for host in [HookHost::Claude, HookHost::Codex, HookHost::Gemini, HookHost::Qwen, HookHost::Opencode] {
            let made = with_hook(row(host), None, COMMAND).unwrap();
            assert!(made.contains("gate --as"), "{made}");
            assert_eq!(without_hook(row(host), &made).unwrap(), None, "{host:?}");
            assert!(with_hook(row(host), Some("[]"), COMMAND).is_err(), "{host:?}");
        }
        let theirs = "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"command\": \"x gate --as claude\"}, {\"command\": \"y\"}]}]}}";
        assert_eq!(without_hook(row(HookHost::Claude), theirs).unwrap().as_deref(), Some(theirs));
    }
}
