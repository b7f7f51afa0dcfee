//! NotebookEdit: one cell of a notebook. All other bytes of the file stay as they are.

mod cells;

use super::{
    ToolContext, TypedTool,
    input::{self, FieldAlias},
    pending_edit::{self, PendingEdit},
};
use crate::{event::ShownCall, output::Output};
use cells::{CellEdit, CellType, Cells};
use fore_plan::{
    ToolName,
    gate::{Action, Presented},
};
use fore_sandbox::edit::Precondition;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Value;
use std::path::Path;

#[derive(Debug)]
pub(crate) struct NotebookEdit;

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct NotebookInput {
    notebook_path: String,
    cell_id: Option<CellId>,
    new_source: Option<String>,
    cell_type: Option<CellType>,
    edit_mode: Option<CellEditMode>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = input::without_type)]
pub(crate) enum CellEditMode {
    #[default]
    Replace,
    Insert,
    Delete,
}

impl TypedTool for NotebookEdit {
    type Input = NotebookInput;

    const NAME: ToolName = ToolName::NotebookEdit;
    const ALIASES: &'static [FieldAlias] = &[("notebook_path", &["file_path", "path", "absolute_path"])];

    fn description(&self) -> &str {
        include_str!("notebook_edit.md").trim_ascii_end()
    }

    fn line(&self, input: &NotebookInput) -> String {
        let (path, mode) = (&input.notebook_path, input.edit_mode.unwrap_or_default());
        let verb = match mode {
            CellEditMode::Replace => "replace",
            CellEditMode::Insert => "insert",
            CellEditMode::Delete => "delete",
        };
        match (input.cell(), mode) {
            (Some(cell), CellEditMode::Insert) => format!("{path}, insert after cell {cell}"),
            (Some(cell), CellEditMode::Replace | CellEditMode::Delete) => format!("{path}, {verb} cell {cell}"),
            (None, _) => format!("{path}, {verb}"),
        }
    }

    fn run(&self, permit: Presented, input: NotebookInput, context: &ToolContext) -> Output {
        let draft = draft(permit.action(), &input, context);
        pending_edit::make(permit, draft, context)
    }

    fn preview(&self, action: &Action, input: NotebookInput, context: &ToolContext) -> Result<ShownCall, String> {
        pending_edit::preview(action, draft(action, &input, context), context)
    }
}

fn draft(action: &Action, input: &NotebookInput, context: &ToolContext) -> Result<PendingEdit, String> {
    let path = Path::new(&pending_edit::target(action)?.real);
    if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("ipynb")) {
        return Err(format!("{} is not a notebook; use Edit.", path.display()));
    }
    let found = pending_edit::seen(path, context)?;
    let text = std::str::from_utf8(&found.bytes).map_err(|_| format!("{} is not UTF-8.", path.display()))?;
    let cells = Cells::read(text).map_err(|why| format!("{} is not a valid notebook: {why}.", path.display()))?;
    let place = input.cell().map(|cell| cells.find(cell)).transpose()?;
    let source = || input.new_source.as_deref().ok_or("`new_source` is missing.");
    let (edit, place, done) = match (input.edit_mode.unwrap_or_default(), place) {
        (CellEditMode::Replace, Some(place)) => {
            (CellEdit::Replace { kind: input.cell_type, source: source()? }, place, "replaced")
        }
        (CellEditMode::Delete, Some(place)) => (CellEdit::Delete, place, "deleted"),
        (CellEditMode::Insert, place) => {
            let kind = input.cell_type.ok_or("`cell_type` is missing: a new cell is code, markdown or raw.")?;
            (CellEdit::Insert { kind, source: source()? }, place.map_or(0, |place| place.saturating_add(1)), "inserted")
        }
        (CellEditMode::Replace | CellEditMode::Delete, None) => {
            return Err("`cell_id` is missing: the id or the number of the cell.".into());
        }
    };
    let new = cells.edited(place, &edit)?.into_bytes();
    let done = format!("Cell {place} of {} was {done}.", path.display());
    Ok(PendingEdit { before: Precondition::Exactly(found.fingerprint), old: Some(found), new, done })
}

impl NotebookInput {
    fn cell(&self) -> Option<&str> {
        self.cell_id.as_ref().map(|CellId(cell)| cell.as_str()).filter(|cell| !cell.is_empty())
    }
}

// A cell by its id, or by its number, which some models write as one.
#[derive(Debug, JsonSchema)]
#[schemars(with = "String")]
pub(crate) struct CellId(String);

impl<'de> Deserialize<'de> for CellId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CellId, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(id) => Ok(CellId(id)),
            Value::Number(number) => Ok(CellId(number.to_string())),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                Err(Error::custom("it has to be a string"))
            }
        }
    }
}

#[cfg(test)]
mod tests;
