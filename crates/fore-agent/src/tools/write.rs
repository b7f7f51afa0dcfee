//! Write: a whole file at once. It never replaces what the model has not seen, except the plan, which is the model's own.

use super::{
    Hands, Tool,
    change::{self, Draft},
    fields,
};
use crate::{event::Shown, output::Output};
use fore_plan::gate::{Action, Presented};
use fore_sandbox::edit::{Before, keep};
use serde_json::{Value, json};
use std::path::Path;

#[derive(Debug)]
pub(crate) struct Write;

impl Tool for Write {
    fn name(&self) -> &'static str {
        "Write"
    }

    fn description(&self) -> &'static str {
        include_str!("write.md").trim_ascii_end()
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {"file_path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["file_path", "content"],
            "additionalProperties": false
        })
    }

    fn line(&self, input: &Value) -> String {
        fields::path(input, &["file_path", "path", "absolute_path"]).to_owned()
    }

    fn run(&self, permit: Presented, input: &Value, hands: &Hands) -> Output {
        let draft = draft(permit.action(), input, hands);
        change::make(permit, draft, hands)
    }

    fn preview(&self, action: &Action, input: &Value, hands: &Hands) -> Result<Shown, String> {
        change::preview(action, draft(action, input, hands), hands)
    }
}

fn draft(action: &Action, input: &Value, hands: &Hands) -> Result<Draft, String> {
    let path = Path::new(&change::target(action)?.real);
    let content = fields::required(input, "content")?.as_bytes();
    let is_plan = hands.plan_file.as_deref() == Some(path);
    let old = match change::found(path)? {
        Some(_) if !is_plan => Some(change::seen(path, hands)?),
        old => old,
    };
    let before = match &old {
        _ if is_plan => Before::Anything,
        Some(old) => Before::Exactly(old.fingerprint),
        None => Before::Absent,
    };
    let new = old.as_ref().map_or_else(|| content.to_vec(), |old| keep(&old.bytes, content));
    let verb = if old.is_some() { "replaced" } else { "written" };
    Ok(Draft { old, new, before, done: format!("{} was {verb}.", path.display()) })
}

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
