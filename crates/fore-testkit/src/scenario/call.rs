//! Calls on the page: those of one batch may run side by side and end in any order, so they are written by their number.

use serde_json::Value;
use std::collections::BTreeMap;

/// The calls that are not on the page yet, by number.
#[derive(Debug, Default)]
pub(crate) struct PageCalls {
    open: BTreeMap<u32, PageCall>,
}

#[derive(Debug, Default)]
struct PageCall {
    tool: String,
    line: String,
    cage: Option<String>,
    outcome: Option<String>,
    /// What a subagent called, if this is one.
    inner: BTreeMap<u32, PageCall>,
}

impl PageCalls {
    /// Takes an event about a call or a subagent; false for any other.
    pub(crate) fn take(&mut self, event: &Value) -> bool {
        let text = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("event") {
            "tool-started" => {
                let call = self.call(event);
                call.line = text("line").to_owned();
                call.tool = text("tool").to_owned();
                call.cage = event.get("cage").filter(|cage| !cage.is_null()).map(cage_name);
                true
            }
            "tool-finished" => {
                let outcome = outcome(event);
                let call = self.call(event);
                call.tool = text("tool").to_owned();
                call.outcome = Some(outcome);
                true
            }
            "tool-output" | "agent-started" | "agent-progress" | "agent-finished" => true,
            // What a subagent says is handed back by its call.
            "said" => event.get("agent").is_some_and(|agent| !agent.is_null()),
            _ => false,
        }
    }

    /// The calls that have ended, as lines.
    pub(crate) fn ended(&mut self) -> Vec<String> {
        let (ended, open) = std::mem::take(&mut self.open).into_iter().partition(|(_, call)| call.outcome.is_some());
        self.open = open;
        let ended: BTreeMap<u32, PageCall> = ended;
        ended.values().flat_map(|call| call.lines("  ")).collect()
    }

    fn call(&mut self, event: &Value) -> &mut PageCall {
        let number = |name: &str, prefix: &str| {
            event
                .get(name)
                .and_then(Value::as_str)
                .and_then(|id| id.strip_prefix(prefix))
                .and_then(|id| id.parse().ok())
        };
        let call: u32 = number("call", "call-").unwrap_or_default();
        match number("agent", "a") {
            Some(agent) => self.open.entry(agent).or_default().inner.entry(call).or_default(),
            None => self.open.entry(call).or_default(),
        }
    }
}

impl PageCall {
    fn lines(&self, indent: &str) -> Vec<String> {
        let cage = self.cage.as_ref().map(|cage| format!(" [{cage}]")).unwrap_or_default();
        let outcome = self.outcome.as_deref().unwrap_or("not ended");
        let line = format!("{indent}{} {}{cage} → {outcome}", self.tool, self.line.replace('\n', "⏎"));
        let deeper = format!("{indent}  ");
        let inner = self.inner.values().flat_map(|call| call.lines(&deeper));
        std::iter::once(line).chain(inner).collect()
    }
}

fn cage_name(cage: &Value) -> String {
    match cage {
        Value::String(name) => name.clone(),
        Value::Object(fields) => fields.get("cage").and_then(Value::as_str).unwrap_or_default().to_owned(),
        other => other.to_string(),
    }
}

fn outcome(event: &Value) -> String {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let shown = text("/shown/line").replace('\n', "⏎");
    match text("/outcome/outcome") {
        "done" => shown,
        "refused" => format!("REFUSED ({}) {}", text("/outcome/refusal/code"), text("/outcome/refusal/reason")),
        // The program cuts a long line, and where it does depends on the length of a path.
        other => format!("{other}: {}", shown.split("; ").next().unwrap_or_default()),
    }
}
