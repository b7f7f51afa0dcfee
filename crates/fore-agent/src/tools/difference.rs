//! What a change does to a file, as a bounded unified difference for the person. The model never gets it.

use super::Hands;
use crate::event::Shown;
use similar::{Algorithm, ChangeTag, TextDiff};
use std::{path::Path, time::Duration};

/// Lines and bytes of a difference that are shown.
const MOST_LINES: usize = 400;
const MOST_BYTES: usize = 40_000;
/// Texts larger than this together are not compared.
const MOST_COMPARED_BYTES: usize = 8 << 20;
/// Afterwards the difference becomes coarser, never wrong.
const MOST_TIME: Duration = Duration::from_millis(300);

/// The difference from nothing or the old text to the new one.
pub(super) fn shown(path: &Path, old: Option<&[u8]>, new: &[u8], hands: &Hands) -> Shown {
    let name = hands.short(path);
    let before = String::from_utf8_lossy(old.unwrap_or_default());
    let after = String::from_utf8_lossy(new);
    if before.len().saturating_add(after.len()) > MOST_COMPARED_BYTES {
        return Shown::line(format!("{name}: too large to show the difference"));
    }
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .timeout(MOST_TIME)
        .diff_lines(before.as_ref(), after.as_ref());
    let (mut added, mut removed) = (0_usize, 0_usize);
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Insert => added = added.saturating_add(1),
            ChangeTag::Delete => removed = removed.saturating_add(1),
            ChangeTag::Equal => {}
        }
    }
    let line = match (old, added, removed) {
        (None, added, _) => format!("{name}: new, +{added}"),
        (Some(_), 0, 0) => return Shown::line(format!("{name}: no change")),
        (Some(_), added, removed) => format!("{name}: +{added} −{removed}"),
    };
    Shown::diff(line, name, bounded(&diff.unified_diff().to_string()))
}

fn bounded(diff: &str) -> String {
    let mut text = String::new();
    for (index, line) in diff.split_inclusive('\n').enumerate() {
        if index >= MOST_LINES || text.len().saturating_add(line.len()) > MOST_BYTES {
            let left = diff.lines().count().saturating_sub(index);
            text.push_str(&format!("… {left} more lines left out\n"));
            return text;
        }
        text.push_str(line);
    }
    text
}
