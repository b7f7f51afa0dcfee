//! Write: a whole file at once. It never replaces what the model has not seen, except the plan, which is the model's own.

use super::{
    ToolContext, TypedTool, difference,
    input::FieldAlias,
    pending_edit::{self, PendingEdit},
    tool_context::short,
};
use crate::{event::ShownCall, output::Output};
use fore_plan::{
    ToolName,
    gate::{Action, Presented},
};
use fore_sandbox::edit::{Precondition, with_line_ends_of};
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::Path;

#[derive(Debug)]
pub(crate) struct Write;

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct WriteInput {
    file_path: String,
    content: String,
}

impl TypedTool for Write {
    type Input = WriteInput;

    const NAME: ToolName = ToolName::Write;
    const ALIASES: &'static [FieldAlias] = &[("file_path", &["path", "absolute_path"])];

    fn description(&self) -> &str {
        include_str!("write.md").trim_ascii_end()
    }

    fn line(&self, input: &WriteInput) -> String {
        input.file_path.clone()
    }

    fn run(&self, permit: Presented, input: WriteInput, context: &ToolContext) -> Output {
        let draft = draft(permit.action(), &input, context);
        pending_edit::make(permit, draft, context)
    }

    fn preview(&self, action: &Action, input: WriteInput, context: &ToolContext) -> Result<ShownCall, String> {
        pending_edit::preview(action, draft(action, &input, context), context)
    }

    fn again(&self, input: WriteInput, told: &str, project: Option<&Path>) -> Option<ShownCall> {
        let content = input.content.as_str();
        let name = |path: &str| short(Path::new(path), project);
        if let Some(path) = told.strip_suffix(WRITTEN) {
            return Some(difference::shown(name(path), None, content.as_bytes()));
        }
        match told.strip_suffix(REPLACED) {
            Some(path) => Some(difference::replaced(name(path), content)),
            None => pending_edit::unchanged(told, project),
        }
    }
}

/// What the model is told of a new file, after its path, and of one that was there.
const WRITTEN: &str = " was written.";
const REPLACED: &str = " was replaced.";

fn draft(action: &Action, input: &WriteInput, context: &ToolContext) -> Result<PendingEdit, String> {
    let path = Path::new(&pending_edit::target(action)?.real);
    let content = input.content.as_bytes();
    let is_plan = context.plan_file.as_deref() == Some(path);
    let old = match pending_edit::found(path)? {
        Some(_) if !is_plan => Some(pending_edit::seen(path, context)?),
        old => old,
    };
    let before = match &old {
        _ if is_plan => Precondition::Anything,
        Some(old) => Precondition::Exactly(old.fingerprint),
        None => Precondition::Absent,
    };
    let new = old.as_ref().map_or_else(|| content.to_vec(), |old| with_line_ends_of(&old.bytes, content));
    let done = format!("{}{}", path.display(), if old.is_some() { REPLACED } else { WRITTEN });
    Ok(PendingEdit { old, new, before, done })
}

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
