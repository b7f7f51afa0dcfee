//! What the person changed in their editor and has not saved, told beside what is on disk. It is asked for only once the file was opened
//! for the model, and counts as seen by nobody: edits change the disk.

use crate::{
    output::Output,
    tools::{ToolContext, difference},
};
use fore_model::ResultPart;
use std::path::Path;

/// Bytes of a text that is compared with the disk.
const MAX_BYTES: usize = 4 << 20;

/// Adds what differs to what was read.
pub(super) fn told(path: &Path, on_disk: &str, read: Output, context: &ToolContext) -> Output {
    let Some(words) = words(path, on_disk, context) else { return read };
    let Output { mut model, is_error, mut shown, fact } = read;
    model.push(ResultPart::Text(words));
    shown.line.push_str(", with changes that are not saved");
    Output { model, is_error, shown, fact }
}

fn words(path: &Path, on_disk: &str, context: &ToolContext) -> Option<String> {
    let text = context.unsaved.as_ref()?.text(path)?;
    if text.len() > MAX_BYTES || on_disk.len() > MAX_BYTES {
        return None;
    }
    // Editors keep line ends and the last one in ways of their own.
    let lines = |text: &str| format!("{}\n", text.replace("\r\n", "\n").trim_end_matches('\n'));
    let changes = difference::between(&lines(on_disk), &lines(&text))?;
    Some(format!(
        "[The person has changes in this file that are not saved. What stands above is on disk, and edits change that. Ask them to \
         save before you change these lines:]\n{changes}"
    ))
}
