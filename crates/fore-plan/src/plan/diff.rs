//! What changed between two versions of a plan (B7), as data for a screen and as text for the model. Uses no clock: the same
//! two texts always give the same difference.

use std::fmt::Write as _;

use similar::{Algorithm, ChangeTag, DiffOp, InlineChangeMode, InlineChangeOptions, TextDiff};

/// Unchanged lines shown around a change.
const CONTEXT: usize = 3;
/// Replaced passages longer than this many lines get no word marks: nobody reads them word by word, and they are slow to find.
const MARKED_LINES_MAX: usize = 40;
const MARKED_BYTES_MAX: usize = 8_192;

/// The difference between two plan texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanDiff {
    pub added: usize,
    pub removed: usize,
    pub hunks: Vec<Hunk>,
}

/// A changed passage with its surroundings. Lines count from 1; an empty side starts at the line before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    pub old_start: usize,
    pub old_lines: usize,
    pub new_start: usize,
    pub new_lines: usize,
    pub lines: Vec<DiffLine>,
}

/// One line of a hunk, cut into pieces so that changed words can be marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffLine {
    pub change: Change,
    pub pieces: Vec<Piece>,
}

/// What happened to a line, with its number where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Same { old: usize, new: usize },
    Removed { old: usize },
    Added { new: usize },
}

/// A stretch of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub text: String,
    pub mark: Mark,
}

/// Whether the stretch differs from its counterpart on the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Plain,
    Changed,
}

/// The difference from the old to the new text, by lines.
pub fn diff(old: &str, new: &str) -> PlanDiff {
    let lines = TextDiff::configure()
        .algorithm(Algorithm::Myers)
        .diff_lines(old, new);
    let hunks: Vec<Hunk> = lines
        .grouped_ops(CONTEXT)
        .iter()
        .map(|ops| hunk(&lines, ops))
        .collect();
    let count = |wanted: fn(Change) -> bool| {
        hunks
            .iter()
            .flat_map(|hunk| &hunk.lines)
            .filter(|line| wanted(line.change))
            .count()
    };
    PlanDiff {
        added: count(|change| matches!(change, Change::Added { .. })),
        removed: count(|change| matches!(change, Change::Removed { .. })),
        hunks,
    }
}

impl PlanDiff {
    pub fn is_empty(&self) -> bool {
        self.hunks.is_empty()
    }

    /// `+3 −1`, for a heading.
    pub fn counts(&self) -> String {
        format!("+{} −{}", self.added, self.removed)
    }

    /// Unified text of at most `max_lines` lines and a note on what is missing.
    pub fn unified(&self, max_lines: usize) -> String {
        let all = self.hunks.iter().flat_map(|hunk| {
            std::iter::once(hunk.header()).chain(hunk.lines.iter().map(DiffLine::unified))
        });
        let total: usize = self
            .hunks
            .iter()
            .map(|hunk| hunk.lines.len().saturating_add(1))
            .sum();
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
    pub fn header(&self) -> String {
        let side = |start, lines| {
            if lines == 1 {
                format!("{start}")
            } else {
                format!("{start},{lines}")
            }
        };
        format!(
            "@@ -{} +{} @@",
            side(self.old_start, self.old_lines),
            side(self.new_start, self.new_lines)
        )
    }
}

impl DiffLine {
    pub fn text(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| piece.text.as_str())
            .collect()
    }

    fn unified(&self) -> String {
        let sign = match self.change {
            Change::Same { .. } => ' ',
            Change::Removed { .. } => '-',
            Change::Added { .. } => '+',
        };
        format!("{sign}{}", self.text())
    }
}

fn hunk(diff: &TextDiff<'_, '_, str>, ops: &[DiffOp]) -> Hunk {
    let old_start = ops.first().map_or(0, |op| op.old_range().start);
    let old_end = ops.last().map_or(0, |op| op.old_range().end);
    let new_start = ops.first().map_or(0, |op| op.new_range().start);
    let new_end = ops.last().map_or(0, |op| op.new_range().end);
    let (old_lines, new_lines) = (
        old_end.saturating_sub(old_start),
        new_end.saturating_sub(new_start),
    );
    let from_one = |start: usize, lines: usize| {
        if lines == 0 {
            start
        } else {
            start.saturating_add(1)
        }
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
                diff_line(
                    change.tag(),
                    change.old_index(),
                    change.new_index(),
                    &[(false, change.value())],
                )
            })
            .collect();
    }
    let mut options = InlineChangeOptions::new();
    options
        .algorithm(Algorithm::Myers)
        .mode(InlineChangeMode::Words);
    // Without a deadline: with one, the marks would depend on how busy the machine is.
    diff.iter_inline_changes_with_options_deadline(op, options, None)
        .filter_map(|change| {
            diff_line(
                change.tag(),
                change.old_index(),
                change.new_index(),
                change.values(),
            )
        })
        .collect()
}

fn is_worth_marking(diff: &TextDiff<'_, '_, str>, op: &DiffOp) -> bool {
    let (old, new) = (op.old_range(), op.new_range());
    if !matches!(op, DiffOp::Replace { .. }) || old.len().max(new.len()) > MARKED_LINES_MAX {
        return false;
    }
    let bytes = diff
        .iter_changes(op)
        .map(|change| change.value().len())
        .sum::<usize>();
    bytes <= MARKED_BYTES_MAX
}

fn diff_line(
    tag: ChangeTag,
    old: Option<usize>,
    new: Option<usize>,
    values: &[(bool, &str)],
) -> Option<DiffLine> {
    let number = |index: Option<usize>| index.map(|index| index.saturating_add(1));
    let change = match tag {
        ChangeTag::Equal => Change::Same {
            old: number(old)?,
            new: number(new)?,
        },
        ChangeTag::Delete => Change::Removed { old: number(old)? },
        ChangeTag::Insert => Change::Added { new: number(new)? },
    };
    let pieces = values
        .iter()
        .map(|(changed, text)| Piece {
            text: text.trim_end_matches(['\n', '\r']).to_owned(),
            mark: if *changed { Mark::Changed } else { Mark::Plain },
        })
        .filter(|piece| !piece.text.is_empty())
        .collect();
    Some(DiffLine { change, pieces })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Change, Mark, PlanDiff, diff};

    const OLD: &str = "# Login\n\nBecause it is slow.\n\n1. Cache the key\n2. Test it\n";

    fn shown(diff: &PlanDiff) -> String {
        let mut page = diff.counts();
        for hunk in &diff.hunks {
            page.push_str(&format!("\n{}", hunk.header()));
            for line in &hunk.lines {
                let numbers = match line.change {
                    Change::Same { old, new } => format!("{old:>2} {new:>2}  "),
                    Change::Removed { old } => format!("{old:>2}    -"),
                    Change::Added { new } => format!("   {new:>2} +"),
                };
                let text: String = line
                    .pieces
                    .iter()
                    .map(|piece| match piece.mark {
                        Mark::Plain => piece.text.clone(),
                        Mark::Changed => format!("[{}]", piece.text),
                    })
                    .collect();
                page.push_str(&format!("\n{numbers}{text}"));
            }
        }
        page
    }

    #[test]
    fn b7_the_same_text_has_no_difference() {
        assert_eq!(diff(OLD, OLD), PlanDiff::default());
        assert!(diff("", "").is_empty());
    }

    #[test]
    fn b7_a_changed_line_shows_its_changed_words() {
        let new = "# Login\n\nBecause it is slow.\n\n1. Cache the session key\n2. Test it\n3. Measure it\n";
        insta::assert_snapshot!("changed_words", shown(&diff(OLD, new)));
    }

    #[test]
    fn b7_far_changes_are_two_hunks() {
        let old: String = (1..=20).map(|n| format!("line {n}\n")).collect();
        let new = old
            .replace("line 2\n", "")
            .replace("line 19\n", "line 19\nnew\n");
        insta::assert_snapshot!("two_hunks", shown(&diff(&old, &new)));
    }

    #[test]
    fn b7_a_first_plan_is_all_added() {
        insta::assert_snapshot!("first_plan", shown(&diff("", "a\nb")));
    }

    #[test]
    fn b7_unified_text_is_bounded_and_says_what_is_missing() {
        let new: String = (1..=100).map(|n| format!("line {n}\n")).collect();
        insta::assert_snapshot!("bounded_unified", diff("", &new).unified(4));
        assert_eq!(diff("a\n", "b\n").unified(50), "@@ -1 +1 @@\n-a\n+b\n");
    }

    #[test]
    fn b7_large_and_unlike_texts_end() {
        let old: String = (0..20_000).map(|n| format!("{}\n", n % 97)).collect();
        let new: String = (0..20_000).map(|n| format!("{}\n", n % 89)).collect();
        let diff = diff(&old, &new);
        assert!(diff.added > 0 && diff.removed > 0);
    }

    /// Undoes the difference by hand, so that a wrong line or number shows.
    fn applied(old: &str, diff: &PlanDiff) -> Vec<String> {
        let mut lines: Vec<Option<String>> =
            old.lines().map(|line| Some(line.to_owned())).collect();
        let mut added = Vec::new();
        for line in diff.hunks.iter().flat_map(|hunk| &hunk.lines) {
            match line.change {
                Change::Same { old, .. } => {
                    assert_eq!(lines[old - 1].as_deref(), Some(line.text().as_str()))
                }
                Change::Removed { old } => assert_eq!(lines[old - 1].take(), Some(line.text())),
                Change::Added { new } => added.push((new, line.text())),
            }
        }
        let mut result: Vec<String> = lines.into_iter().flatten().collect();
        for (new, text) in added {
            result.insert(new - 1, text);
        }
        result
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn b7_the_difference_leads_from_the_old_to_the_new_text(
            old in prop::collection::vec("[ab ]{0,3}", 0..30),
            new in prop::collection::vec("[ab ]{0,3}", 0..30),
        ) {
            let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            prop_assert_eq!(applied(&text(&old), &diff(&text(&old), &text(&new))), new);
        }
    }
}
