//! What the model is told of files that the person put back.

use super::UndoDirection;

/// Names of files that it is told.
const MAX_NAMED: usize = 40;

/// The whole reminder.
pub(crate) fn reminder(direction: UndoDirection, files: &[String]) -> String {
    let did = match direction {
        UndoDirection::Undo => "took changes of files back; they are as they were before",
        UndoDirection::Redo => "brought changes of files back that they had undone",
    };
    let names: Vec<&str> = files.iter().take(MAX_NAMED).map(String::as_str).collect();
    let words = format!("The person {did}: {}. Read them again before you rely on them.", names.join(", "));
    format!("<system-reminder>\n{}\n</system-reminder>", fore_plan::reminder::defuse_str(&words))
}
