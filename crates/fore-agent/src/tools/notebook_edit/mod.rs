//! NotebookEdit: one cell of a notebook. All other bytes of the file stay as they are.

mod cells;

use super::{
    Tool, ToolContext, fields,
    pending_edit::{self, PendingEdit},
};
use crate::{event::ShownCall, output::Output};
use cells::{CellEdit, CellType, Cells};
use fore_plan::gate::{Action, Presented};
use fore_sandbox::edit::Precondition;
use serde_json::{Value, json};
use std::path::Path;

#[derive(Debug)]
pub(crate) struct NotebookEdit;

impl Tool for NotebookEdit {
    fn name(&self) -> &'static str {
        "NotebookEdit"
    }

    fn description(&self) -> &'static str {
        include_str!("notebook_edit.md").trim_ascii_end()
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "notebook_path": {"type": "string"},
                "cell_id": {"type": "string"},
                "new_source": {"type": "string"},
                "cell_type": {"enum": ["code", "markdown", "raw"]},
                "edit_mode": {"enum": ["replace", "insert", "delete"]}
            },
            "required": ["notebook_path"],
            "additionalProperties": false
        })
    }

    fn line(&self, input: &Value) -> String {
        let path = fields::path(input, &["notebook_path", "file_path", "path", "absolute_path"]);
        let mode = fields::text(input, "edit_mode").ok().flatten().unwrap_or("replace");
        match cell(input) {
            Ok(Some(cell)) if mode == "insert" => format!("{path}, insert after cell {cell}"),
            Ok(Some(cell)) => format!("{path}, {mode} cell {cell}"),
            _ => format!("{path}, {mode}"),
        }
    }

    fn run(&self, permit: Presented, input: &Value, context: &ToolContext) -> Output {
        let draft = draft(permit.action(), input, context);
        pending_edit::make(permit, draft, context)
    }

    fn preview(&self, action: &Action, input: &Value, context: &ToolContext) -> Result<ShownCall, String> {
        pending_edit::preview(action, draft(action, input, context), context)
    }
}

fn draft(action: &Action, input: &Value, context: &ToolContext) -> Result<PendingEdit, String> {
    let path = Path::new(&pending_edit::target(action)?.real);
    if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("ipynb")) {
        return Err(format!("{} is no notebook; use Edit.", path.display()));
    }
    let found = pending_edit::seen(path, context)?;
    let text = std::str::from_utf8(&found.bytes).map_err(|_| format!("{} is not UTF-8.", path.display()))?;
    let cells = Cells::read(text).map_err(|why| format!("{} is no valid notebook: {why}.", path.display()))?;
    let place = cell(input)?.map(|cell| cells.find(&cell)).transpose()?;
    let source = || fields::required(input, "new_source");
    let kind = fields::text(input, "cell_type")?.map(CellType::read).transpose()?;
    let (edit, place, done) = match (fields::text(input, "edit_mode")?.unwrap_or("replace"), place) {
        ("replace", Some(place)) => (CellEdit::Replace { kind, source: source()? }, place, "replaced"),
        ("delete", Some(place)) => (CellEdit::Delete, place, "deleted"),
        ("insert", place) => {
            let kind = kind.ok_or("`cell_type` is missing: a new cell is code, markdown or raw.")?;
            (CellEdit::Insert { kind, source: source()? }, place.map_or(0, |place| place.saturating_add(1)), "inserted")
        }
        ("replace" | "delete", None) => return Err("`cell_id` is missing: the id or the number of the cell.".into()),
        (other, _) => return Err(format!("edit_mode `{other}` is not known; it is replace, insert or delete.")),
    };
    let new = cells.edited(place, &edit)?.into_bytes();
    let done = format!("Cell {place} of {} was {done}.", path.display());
    Ok(PendingEdit { before: Precondition::Exactly(found.fingerprint), old: Some(found), new, done })
}

/// The cell that a call names, by id or by number.
fn cell(input: &Value) -> Result<Option<String>, String> {
    match input.get("cell_id") {
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        _ => Ok(fields::text(input, "cell_id")?.filter(|cell| !cell.is_empty()).map(str::to_owned)),
    }
}

#[cfg(test)]
mod tests;
