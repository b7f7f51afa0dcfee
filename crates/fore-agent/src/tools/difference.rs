//! What a change does to a file, as a bounded unified difference for the person. The model gets that of changes in an editor alone.

use crate::event::ShownCall;
use similar::{Algorithm, ChangeTag, TextDiff};
use std::{borrow::Cow, fmt::Write, time::Duration};

/// Lines and bytes of a difference that are shown.
const MAX_LINES: usize = 400;
const MAX_BYTES: usize = 40_000;
/// Texts larger than this together are not compared.
const MAX_COMPARED_BYTES: usize = 8 << 20;
/// The same for texts from a past call, of which a screen shows many at once.
const MAX_COMPARED_AGAIN_BYTES: usize = 64 << 10;
/// Lines around a change that are shown.
const AROUND: usize = 3;
/// Afterwards the difference becomes coarser, never wrong.
const MAX_TIME: Duration = Duration::from_millis(300);

/// The difference from nothing or the old text to the new one.
pub(super) fn shown(name: String, old: Option<&[u8]>, new: &[u8]) -> ShownCall {
    let before = String::from_utf8_lossy(old.unwrap_or_default());
    let after = String::from_utf8_lossy(new);
    if before.len().saturating_add(after.len()) > MAX_COMPARED_BYTES {
        return ShownCall::line(format!("{name}: too large to show the difference"));
    }
    let diff = compared(&before, &after);
    let (added, removed) = counted(&diff);
    let line = match (old, added, removed) {
        (None, added, _) => format!("{name}: new, +{added}"),
        (Some(_), 0, 0) => return ShownCall::line(format!("{name}: no change")),
        (Some(_), added, removed) => format!("{name}: +{added} −{removed}"),
    };
    ShownCall::diff(line, name, bounded(&diff.unified_diff().to_string()))
}

/// How the second text differs; none where it does not.
pub(super) fn between(before: &str, after: &str) -> Option<String> {
    (before != after).then(|| bounded(&compared(before, after).unified_diff().to_string()))
}

/// Lines that are new, and lines that are gone; texts too large to compare count as replaced.
pub(crate) fn counts(old: Option<&[u8]>, new: &[u8]) -> (u32, u32) {
    let before = String::from_utf8_lossy(old.unwrap_or_default());
    let after = String::from_utf8_lossy(new);
    let (added, removed) = if before.len().saturating_add(after.len()) > MAX_COMPARED_BYTES {
        (after.lines().count(), before.lines().count())
    } else {
        counted(&compared(&before, &after))
    };
    (u32::try_from(added).unwrap_or(u32::MAX), u32::try_from(removed).unwrap_or(u32::MAX))
}

/// Where a passage was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangedPassage {
    /// It begins in this line of the file.
    Line(usize),
    /// At so many places that nobody wrote down.
    Several(usize),
}

/// The difference of a passage whose file is not known any more. Its first and last lines may be parts of lines; where it
/// was is told only as far as that is known: a hunk that begins at line 0 is somewhere.
pub(super) fn passage(name: String, old: &str, new: &str, place: ChangedPassage) -> ShownCall {
    if old.len().saturating_add(new.len()) > MAX_COMPARED_AGAIN_BYTES {
        return ShownCall::line(format!("{name}: too large to show the difference again"));
    }
    // The line goes on behind a passage that does not end with it.
    let is_whole = [old, new].iter().all(|text| text.is_empty() || text.ends_with('\n'));
    let ended = |text| if is_whole { Cow::Borrowed(text) } else { Cow::Owned(format!("{text}\n")) };
    let (before, after) = (ended(old), ended(new));
    let diff = compared(&before, &after);
    let (added, removed) = counted(&diff);
    let line = match place {
        ChangedPassage::Line(_) => format!("{name}: +{added} −{removed}"),
        ChangedPassage::Several(places) => {
            let (added, removed) = (added.saturating_mul(places), removed.saturating_mul(places));
            format!("{name}: +{added} −{removed}, at {places} places")
        }
    };
    ShownCall::diff(line, name, bounded(&hunks(&diff, place)))
}

fn hunks(diff: &TextDiff<'_, '_, str>, place: ChangedPassage) -> String {
    let start = |index: usize| match place {
        ChangedPassage::Line(first) => first.saturating_add(index),
        ChangedPassage::Several(_) => 0,
    };
    let mut text = String::new();
    for hunk in diff.unified_diff().context_radius(AROUND).iter_hunks() {
        let (Some(first), Some(last)) = (hunk.ops().first(), hunk.ops().last()) else { continue };
        let (old, new) = (first.old_range().start..last.old_range().end, first.new_range().start..last.new_range().end);
        let (old_start, new_start) = (start(old.start), start(new.start));
        let _ = writeln!(text, "@@ -{old_start},{} +{new_start},{} @@", old.len(), new.len());
        for change in hunk.iter_changes() {
            let _ = write!(text, "{}{}", change.tag(), change.value());
        }
    }
    text
}

/// A file that was replaced whole: what it was before is not known any more.
pub(super) fn replaced(name: String, new: &str) -> ShownCall {
    let lines = new.lines().count();
    let text: String = new.lines().map(|line| format!("+{line}\n")).collect();
    ShownCall::diff(
        format!("{name}: replaced by {}", fore_text::count(lines, "line")),
        name,
        bounded(&format!("@@ -0,0 +1,{lines} @@\n{text}")),
    )
}

fn compared<'text>(before: &'text str, after: &'text str) -> TextDiff<'text, 'text, str> {
    TextDiff::configure().algorithm(Algorithm::Myers).timeout(MAX_TIME).diff_lines(before, after)
}

/// Lines that were added, and lines that were removed.
fn counted(diff: &TextDiff<'_, '_, str>) -> (usize, usize) {
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    (count(ChangeTag::Insert), count(ChangeTag::Delete))
}

fn bounded(diff: &str) -> String {
    let mut text = String::new();
    for (index, line) in diff.split_inclusive('\n').enumerate() {
        if index >= MAX_LINES || text.len().saturating_add(line.len()) > MAX_BYTES {
            let left = diff.lines().count().saturating_sub(index);
            text.push_str(&format!("… {left} more lines left out\n"));
            return text;
        }
        text.push_str(line);
    }
    text
}
