//! Edit: replaces an exact and unique text. It never guesses: what does not match word for word is explained and left alone.

mod nearest;

use super::{
    ToolContext, TypedTool,
    difference::{self, ChangedPassage},
    input::FieldAlias,
    pending_edit::{self, PendingEdit},
    tool_context::short,
};
use crate::{event::ShownCall, output::Output};
use fore_plan::{
    ToolName,
    gate::{Action, Presented},
};
use fore_sandbox::edit::Precondition;
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::Path;

/// Places that are named when a text is there several times.
const MAX_LOCATIONS: usize = 10;

#[derive(Debug)]
pub(crate) struct Edit;

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct EditInput {
    file_path: String,
    old_string: String,
    new_string: String,
    replace_all: Option<bool>,
}

impl TypedTool for Edit {
    type Input = EditInput;

    const NAME: ToolName = ToolName::Edit;
    const ALIASES: &'static [FieldAlias] = &[("file_path", &["path", "absolute_path"])];

    fn description(&self) -> &str {
        include_str!("edit.md").trim_ascii_end()
    }

    fn line(&self, input: &EditInput) -> String {
        input.file_path.clone()
    }

    fn run(&self, permit: Presented, input: EditInput, context: &ToolContext) -> Output {
        let draft = draft(permit.action(), &input, context);
        pending_edit::make(permit, draft, context)
    }

    fn preview(&self, action: &Action, input: EditInput, context: &ToolContext) -> Result<ShownCall, String> {
        pending_edit::preview(action, draft(action, &input, context), context)
    }

    fn again(&self, input: EditInput, told: &str, project: Option<&Path>) -> Option<ShownCall> {
        let (old, new) = (input.old_string.as_str(), input.new_string.as_str());
        if let Some(path) = told.strip_suffix(WRITTEN) {
            return Some(difference::shown(short(Path::new(path), project), None, new.as_bytes()));
        }
        let Some((path, place)) = told.rsplit_once(CHANGED_AT) else { return pending_edit::unchanged(told, project) };
        let place = match place.strip_suffix('.')?.split_once(' ')? {
            ("line", number) => ChangedPassage::Line(number.parse().ok()?),
            (count, "places") => ChangedPassage::Several(count.parse().ok()?),
            _ => return None,
        };
        Some(difference::passage(short(Path::new(path), project), old, new, place))
    }
}

/// What the model is told of a change, between the path and where it was made.
const CHANGED_AT: &str = " was changed at ";
/// What it is told of a new file.
const WRITTEN: &str = " was written.";

/// One replacement.
struct Replacement {
    old: Vec<u8>,
    new: Vec<u8>,
}

fn draft(action: &Action, input: &EditInput, context: &ToolContext) -> Result<PendingEdit, String> {
    let path = Path::new(&pending_edit::target(action)?.real);
    let (old, new) = (input.old_string.as_str(), input.new_string.as_str());
    let all = input.replace_all.unwrap_or(false);
    if old == new {
        return Err("old_string and new_string are the same; there is nothing to change.".into());
    }
    if old.is_empty() {
        return new_file(path, new, context);
    }
    let found = pending_edit::seen(path, context)?;
    let (replacement, places) = places(&found.bytes, old, new);
    let done = match places.as_slice() {
        [] => return Err(nearest::explain(path, &String::from_utf8_lossy(&found.bytes), old)),
        [place] => format!("{}{CHANGED_AT}line {}.", path.display(), line_of(&found.bytes, *place)),
        places if all => format!("{}{CHANGED_AT}{} places.", path.display(), places.len()),
        places => return Err(not_unique(path, &found.bytes, places)),
    };
    let new = replaced(&found.bytes, &places, &replacement);
    Ok(PendingEdit { before: Precondition::Exactly(found.fingerprint), old: Some(found), new, done })
}

fn new_file(path: &Path, new: &str, context: &ToolContext) -> Result<PendingEdit, String> {
    let old = match pending_edit::found(path)? {
        Some(found) if !found.bytes.is_empty() => {
            return Err(format!(
                "{} exists, and an empty old_string only makes a new file. Name the text to replace, or use Write.",
                path.display()
            ));
        }
        Some(_) => Some(pending_edit::seen(path, context)?),
        None => None,
    };
    let before = old.as_ref().map_or(Precondition::Absent, |old| Precondition::Exactly(old.fingerprint));
    Ok(PendingEdit { old, new: new.as_bytes().to_vec(), before, done: format!("{}{WRITTEN}", path.display()) })
}

/// Where the text is. A model writes `\n` whatever line ends it has read, so `\r\n` is tried second.
fn places(bytes: &[u8], old: &str, new: &str) -> (Replacement, Vec<usize>) {
    let windows = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n").into_bytes();
    let places = occurrences(bytes, old.as_bytes());
    let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
    let windows_ends = bytes.windows(2).filter(|pair| pair == b"\r\n").count();
    if windows_ends > 0 && places.is_empty() {
        let windows = Replacement { old: windows(old), new: windows(new) };
        let places = occurrences(bytes, &windows.old);
        return (windows, places);
    }
    // In a file of one kind of line ends the new text follows it.
    let new = if windows_ends > 0 && windows_ends == ends { windows(new) } else { new.into() };
    (Replacement { old: old.into(), new }, places)
}

/// Where one text begins in another, without overlaps.
fn occurrences(bytes: &[u8], text: &[u8]) -> Vec<usize> {
    if let (Ok(all), Ok(text)) = (std::str::from_utf8(bytes), std::str::from_utf8(text)) {
        return all.match_indices(text).map(|(place, _)| place).collect();
    }
    let (mut places, mut from) = (Vec::new(), 0_usize);
    while let Some(place) = bytes.get(from..).and_then(|rest| rest.windows(text.len()).position(|part| part == text)) {
        places.push(from.saturating_add(place));
        from = from.saturating_add(place).saturating_add(text.len());
    }
    places
}

fn replaced(bytes: &[u8], places: &[usize], replacement: &Replacement) -> Vec<u8> {
    let (mut result, mut from) = (Vec::with_capacity(bytes.len()), 0);
    for place in places {
        result.extend_from_slice(bytes.get(from..*place).unwrap_or_default());
        result.extend_from_slice(&replacement.new);
        from = place.saturating_add(replacement.old.len());
    }
    result.extend_from_slice(bytes.get(from..).unwrap_or_default());
    result
}

fn line_of(bytes: &[u8], place: usize) -> usize {
    bytes.iter().take(place).filter(|byte| **byte == b'\n').count().saturating_add(1)
}

fn not_unique(path: &Path, bytes: &[u8], places: &[usize]) -> String {
    let lines: Vec<String> =
        places.iter().take(MAX_LOCATIONS).map(|place| line_of(bytes, *place).to_string()).collect();
    let more = if places.len() > MAX_LOCATIONS { " and more" } else { "" };
    format!(
        "old_string is in {} {} times, at lines {}{more}. Take more of the lines around the one you mean, or set \
         replace_all to change every one.",
        path.display(),
        places.len(),
        lines.join(", ")
    )
}

#[cfg(test)]
mod tests;
