//! What changed between two versions of a plan (B7), as data for a screen and as text for the model. Uses no clock: the same
//! two texts always give the same difference.

use std::fmt::Write as _;

use similar::{Algorithm, ChangeTag, DiffOp, InlineChangeMode, InlineChangeOptions, TextDiff};

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;
/// Replaced passages longer than this many lines get no word marks: nobody reads them word by word, and they are slow to find.
const MAX_MARKED_LINES: usize = 40;
const MAX_MARKED_BYTES: usize = 8_192;

/// The difference between two plan texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanDiff {
    /// Lines that came.
    pub added: usize,
    /// Lines that went.
    pub removed: usize,
    /// Where that is.
    pub(crate) hunks: Vec<Hunk>,
}

/// A changed passage with its surroundings. Lines count from 1; an empty side starts at the line before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hunk {
    /// Its first line in the old text, counted from 1.
    pub(crate) old_start: usize,
    /// How many lines of the old text it covers.
    pub(crate) old_lines: usize,
    /// Its first line in the new text, counted from 1.
    pub(crate) new_start: usize,
    /// How many lines of the new text it covers.
    pub(crate) new_lines: usize,
    /// All of them, in the order they are shown.
    pub(crate) lines: Vec<DiffLine>,
}

/// One line of a hunk, cut into pieces so that changed words can be marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DiffLine {
    /// Whether it came, went or stayed.
    pub(crate) change: LineChange,
    /// What it says.
    pub(crate) pieces: Vec<DiffSpan>,
}

/// What happened to a line, with its number where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineChange {
    /// It stayed; its number in both texts.
    Same { old: usize, new: usize },
    /// It went; its number in the old text.
    Removed { old: usize },
    /// It came; its number in the new text.
    Added { new: usize },
}

/// A stretch of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DiffSpan {
    /// The letters.
    pub(crate) text: String,
    /// Whether they differ.
    pub(crate) mark: SpanMark,
}

/// Whether the stretch differs from its counterpart on the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpanMark {
    /// They are the same in both.
    Plain,
    /// They differ.
    Changed,
}

/// The difference from the old to the new text, by lines.
pub fn diff(old: &str, new: &str) -> PlanDiff {
    let lines = TextDiff::configure().algorithm(Algorithm::Myers).diff_lines(old, new);
    let hunks: Vec<Hunk> = lines.grouped_ops(CONTEXT).iter().map(|ops| hunk(&lines, ops)).collect();
    let count = |wanted: fn(LineChange) -> bool| {
        hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| wanted(line.change)).count()
    };
    PlanDiff {
        added: count(|change| matches!(change, LineChange::Added { .. })),
        removed: count(|change| matches!(change, LineChange::Removed { .. })),
        hunks,
    }
}

impl PlanDiff {
    /// `+3 −1`, for a heading.
    #[cfg(test)]
    pub(crate) fn counts(&self) -> String {
        format!("+{} −{}", self.added, self.removed)
    }

    /// Unified text of at most `max_lines` lines and a note on what is missing.
    pub fn unified(&self, max_lines: usize) -> String {
        let all = self
            .hunks
            .iter()
            .flat_map(|hunk| std::iter::once(hunk.header()).chain(hunk.lines.iter().map(DiffLine::unified)));
        let total: usize = self.hunks.iter().map(|hunk| hunk.lines.len().saturating_add(1)).sum();
        let mut text = String::new();
        for line in all.take(max_lines) {
            text.push_str(&line);
            text.push('\n');
        }
        if total > max_lines {
            let left = total.saturating_sub(max_lines);
            // Writing into a String can't fail.
            let _ = writeln!(text, "… {left} more lines left out");
        }
        text
    }
}

impl Hunk {
    /// `@@ -1,3 +1,4 @@`
    pub(crate) fn header(&self) -> String {
        let side = |start, lines| {
            if lines == 1 { format!("{start}") } else { format!("{start},{lines}") }
        };
        format!("@@ -{} +{} @@", side(self.old_start, self.old_lines), side(self.new_start, self.new_lines))
    }
}

impl DiffLine {
    pub(crate) fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    fn unified(&self) -> String {
        let sign = match self.change {
            LineChange::Same { .. } => ' ',
            LineChange::Removed { .. } => '-',
            LineChange::Added { .. } => '+',
        };
        format!("{sign}{}", self.text())
    }
}

fn hunk(diff: &TextDiff<'_, '_, str>, ops: &[DiffOp]) -> Hunk {
    let old_start = ops.first().map_or(0, |op| op.old_range().start);
    let old_end = ops.last().map_or(0, |op| op.old_range().end);
    let new_start = ops.first().map_or(0, |op| op.new_range().start);
    let new_end = ops.last().map_or(0, |op| op.new_range().end);
    let (old_lines, new_lines) = (old_end.saturating_sub(old_start), new_end.saturating_sub(new_start));
    let from_one = |start: usize, lines: usize| {
        if lines == 0 { start } else { start.saturating_add(1) }
    };
    Hunk {
        old_start: from_one(old_start, old_lines),
        old_lines,
        new_start: from_one(new_start, new_lines),
        new_lines,
        lines: ops.iter().flat_map(|op| op_lines(diff, op)).collect(),
    }
}

fn op_lines(diff: &TextDiff<'_, '_, str>, op: &DiffOp) -> Vec<DiffLine> {
    if !is_worth_marking(diff, op) {
        return diff
            .iter_changes(op)
            .filter_map(|change| {
                diff_line(change.tag(), change.old_index(), change.new_index(), &[(false, change.value())])
            })
            .collect();
    }
    let mut options = InlineChangeOptions::new();
    options.algorithm(Algorithm::Myers).mode(InlineChangeMode::Words);
    // Without a deadline: with one, the marks would depend on how busy the machine is.
    diff.iter_inline_changes_with_options_deadline(op, options, None)
        .filter_map(|change| diff_line(change.tag(), change.old_index(), change.new_index(), change.values()))
        .collect()
}

fn is_worth_marking(diff: &TextDiff<'_, '_, str>, op: &DiffOp) -> bool {
    let (old, new) = (op.old_range(), op.new_range());
    if !matches!(op, DiffOp::Replace { .. }) || old.len().max(new.len()) > MAX_MARKED_LINES {
        return false;
    }
    let bytes = diff.iter_changes(op).map(|change| change.value().len()).sum::<usize>();
    bytes <= MAX_MARKED_BYTES
}

fn diff_line(tag: ChangeTag, old: Option<usize>, new: Option<usize>, values: &[(bool, &str)]) -> Option<DiffLine> {
    let number = |index: Option<usize>| index.map(|index| index.saturating_add(1));
    let change = match tag {
        ChangeTag::Equal => LineChange::Same { old: number(old)?, new: number(new)? },
        ChangeTag::Delete => LineChange::Removed { old: number(old)? },
        ChangeTag::Insert => LineChange::Added { new: number(new)? },
    };
    let pieces = values
        .iter()
        .map(|(changed, text)| DiffSpan {
            text: text.trim_end_matches(['\n', '\r']).to_owned(),
            mark: if *changed { SpanMark::Changed } else { SpanMark::Plain },
        })
        .filter(|piece| !piece.text.is_empty())
        .collect();
    Some(DiffLine { change, pieces })
}

#[cfg(test)]
#[path = "diff_tests.rs"]
mod tests;
