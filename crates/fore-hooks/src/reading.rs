//! Reads hooks as settings write them. What is not understood is told, never dropped without a word.

use crate::{
    definition::{Hook, HookOrigin, HookRunner, OnFailure},
    event::HookEvent,
    matcher::HookMatcher,
};
use fore_text::cut;
use serde_json::Value;
use std::time::Duration;

/// Hooks of one file at most.
const MAX_HOOKS: usize = 200;
/// The longest command.
const MAX_COMMAND_BYTES: usize = 32 << 10;

/// Something in a file that is no hook of ours, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookFault {
    /// What is wrong.
    pub what: String,
}

/// The `hooks` of a file: events with their groups. Names that are no event are told.
pub fn read_hooks(hooks: &Value, origin: &HookOrigin) -> (Vec<Hook>, Vec<HookFault>) {
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    let Some(events) = hooks.as_object() else {
        return (found, vec![fault("`hooks` must be an object")]);
    };
    for (name, groups) in events {
        match (HookEvent::from_name(name), groups.as_array()) {
            (Some(event), Some(groups)) => {
                let (more, wrong) = read_groups(event, groups, origin);
                found.extend(more);
                faults.extend(wrong);
            }
            (Some(_), None) => faults.push(fault(&format!("`hooks.{name}` must be a list"))),
            (None, _) => faults.push(fault(&format!("there is no event `{}`, so its hooks are not run", short(name)))),
        }
    }
    if found.len() > MAX_HOOKS {
        faults.push(fault(&format!("more than {MAX_HOOKS} hooks; the rest is not run")));
        found.truncate(MAX_HOOKS);
    }
    (found, faults)
}

/// The groups of one event: `[{matcher, hooks: [{type, command, …}]}]`.
pub fn read_groups(event: HookEvent, groups: &[Value], origin: &HookOrigin) -> (Vec<Hook>, Vec<HookFault>) {
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    for group in groups {
        let matcher = match group.get("matcher") {
            None | Some(Value::Null) => HookMatcher::new(""),
            Some(Value::String(text)) => HookMatcher::new(text),
            Some(_) => {
                faults.push(fault(&format!("a matcher of {} is not a text, so its hooks run each time", event.name())));
                HookMatcher::new("")
            }
        };
        if let Some(why) = matcher.problem() {
            let text = short(matcher.text());
            faults.push(fault(&format!(
                "the matcher `{text}` of {} cannot be read, so its hooks run each time: {why}",
                event.name()
            )));
        }
        let Some(handlers) = group.get("hooks").and_then(Value::as_array) else {
            faults.push(fault(&format!("a group of {} has no list `hooks`", event.name())));
            continue;
        };
        for handler in handlers {
            match read_handler(event, &matcher, handler, origin) {
                Ok(hook) => {
                    if handler.get("if").is_some() {
                        let why = format!("the `if` of {} is not read, so it runs each time", hook.name());
                        faults.push(fault(&why));
                    }
                    found.push(hook);
                }
                Err(what) => faults.push(fault(&format!("a hook of {} is not run: {what}", event.name()))),
            }
        }
    }
    (found, faults)
}

fn read_handler(event: HookEvent, matcher: &HookMatcher, handler: &Value, origin: &HookOrigin) -> Result<Hook, String> {
    let text = |name: &str| match handler.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.len() <= MAX_COMMAND_BYTES && !text.contains('\0') => Ok(Some(text.clone())),
        Some(_) => Err(format!("its `{name}` is not a text that can be used")),
    };
    let texts = |name: &str| match handler.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(list)) => {
            let texts: Option<Vec<String>> = list.iter().map(|one| one.as_str().map(str::to_owned)).collect();
            texts.map(Some).ok_or_else(|| format!("its `{name}` is not a list of texts"))
        }
        Some(_) => Err(format!("its `{name}` is not a list of texts")),
    };
    let runner = match text("type")?.as_deref() {
        Some("command") => {
            let command = text("command")?.filter(|text| !text.trim().is_empty()).ok_or("it has no `command`")?;
            match texts("args")? {
                Some(args) => HookRunner::Program { command, args },
                None => HookRunner::Shell { command },
            }
        }
        Some("http") => HookRunner::Http {
            url: text("url")?.filter(|text| !text.trim().is_empty()).ok_or("it has no `url`")?,
            headers: headers(handler.get("headers"))?,
            allowed_variables: texts("allowedEnvVars")?.unwrap_or_default(),
        },
        Some(other) => return Err(format!("hooks of the type `{}` are not known here", short(other))),
        None => return Err("it has no `type`".into()),
    };
    let timeout = match handler.get("timeout") {
        None | Some(Value::Null) => event.usual_timeout(),
        Some(seconds) => {
            let seconds =
                seconds.as_f64().filter(|seconds| *seconds > 0.0).ok_or("its `timeout` is not a number of seconds")?;
            #[expect(clippy::cast_precision_loss, reason = "some thousand seconds")]
            let most = event.most_seconds() as f64;
            Duration::from_secs_f64(seconds.min(most))
        }
    };
    let on_failure = match text("onFailure")?.as_deref() {
        None | Some("block") => OnFailure::Block,
        Some("continue") => OnFailure::Continue,
        Some(_) => return Err("its `onFailure` is neither `block` nor `continue`".into()),
    };
    let is_async = handler.get("async").and_then(Value::as_bool).unwrap_or(false);
    Ok(Hook { event, matcher: matcher.clone(), runner, timeout, on_failure, is_async, origin: origin.clone() })
}

fn headers(written: Option<&Value>) -> Result<Vec<(String, String)>, String> {
    match written {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Object(headers)) => headers
            .iter()
            .map(|(name, value)| match value.as_str().filter(|value| !value.contains(char::is_control)) {
                Some(value) => Ok((name.clone(), value.to_owned())),
                None => Err(format!("its header `{}` cannot be sent", short(name))),
            })
            .collect(),
        Some(_) => Err("its `headers` are not an object".into()),
    }
}

fn fault(what: &str) -> HookFault {
    HookFault { what: what.to_owned() }
}

fn short(text: &str) -> String {
    fore_text::line(&cut::ellipsis(text, 60)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(hooks: Value) -> (Vec<Hook>, Vec<String>) {
        let origin = HookOrigin { file: ".claude/settings.json".into(), is_of_repository: true };
        let (hooks, faults) = read_hooks(&hooks, &origin);
        (hooks, faults.into_iter().map(|fault| fault.what).collect())
    }

    #[test]
    fn the_contract_that_people_know_is_read() {
        let (hooks, faults) = read(json!({
            "PreToolUse": [
                { "matcher": "Bash", "hooks": [{ "type": "command", "command": "./guard.sh" }] },
                { "matcher": "Edit|Write", "hooks": [
                    { "type": "command", "command": "node", "args": ["a b.js"], "timeout": 2.5, "onFailure": "continue" },
                    { "type": "http", "url": "http://localhost:9/x", "headers": { "X": "$Y" }, "allowedEnvVars": ["Y"] },
                ] },
            ],
            "SessionEnd": [{ "hooks": [{ "type": "command", "command": "bye", "timeout": 9000, "async": true }] }],
        }));
        assert_eq!(faults, Vec::<String>::new());
        let runners: Vec<String> = hooks.iter().map(|hook| hook.runner.text()).collect();
        assert_eq!(runners, ["./guard.sh", "node a b.js", "http://localhost:9/x", "bye"]);
        let seconds: Vec<f32> = hooks.iter().map(|hook| hook.timeout.as_secs_f32()).collect();
        assert_eq!(seconds, [600.0, 2.5, 600.0, 60.0], "the end of a session waits a minute at most");
        let blocks: Vec<bool> = hooks.iter().map(Hook::blocks_on_failure).collect();
        assert_eq!(blocks, [true, false, true, false]);
        assert!(hooks[3].is_async);
    }

    #[test]
    fn what_is_not_understood_is_told_and_the_rest_still_guards() {
        let (hooks, faults) = read(json!({
            "PretoolUse": [],
            "Stop": {},
            "PreToolUse": [
                { "matcher": "(", "hooks": [{ "type": "command", "command": "x", "if": "Bash(rm:*)" }] },
                { "hooks": [{ "type": "prompt", "prompt": "?" }, { "type": "command" }, { "command": "x" },
                            { "type": "command", "command": "x", "timeout": -1 },
                            { "type": "command", "command": "x", "onFailure": "ignore" }] },
                { "matcher": 7 },
            ],
        }));
        assert_eq!(hooks.len(), 1);
        assert!(hooks[0].matcher.matches(Some("anything")));
        assert_eq!(faults.len(), 11, "{faults:#?}");
        assert_eq!(read(json!([])).1, ["`hooks` must be an object"]);
    }
}
