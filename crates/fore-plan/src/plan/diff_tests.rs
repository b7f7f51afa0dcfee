//! Differences as pages, and that each leads from the old to the new text.

use proptest::prelude::*;

use super::{LineChange, PlanDiff, SpanMark, diff};

const OLD: &str = "# Login\n\nBecause it is slow.\n\n1. Cache the key\n2. Test it\n";

fn shown(diff: &PlanDiff) -> String {
    let mut page = diff.counts();
    for hunk in &diff.hunks {
        page.push_str(&format!("\n{}", hunk.header()));
        for line in &hunk.lines {
            let numbers = match line.change {
                LineChange::Same { old, new } => format!("{old:>2} {new:>2}  "),
                LineChange::Removed { old } => format!("{old:>2}    -"),
                LineChange::Added { new } => format!("   {new:>2} +"),
            };
            let text: String = line
                .pieces
                .iter()
                .map(|piece| match piece.mark {
                    SpanMark::Plain => piece.text.clone(),
                    SpanMark::Changed => format!("[{}]", piece.text),
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
    assert_eq!(diff("", ""), PlanDiff::default());
}

#[test]
fn b7_a_changed_line_shows_its_changed_words() {
    let new = "# Login\n\nBecause it is slow.\n\n1. Cache the session key\n2. Test it\n3. Measure it\n";
    insta::assert_snapshot!("changed_words", shown(&diff(OLD, new)));
}

#[test]
fn b7_far_changes_are_two_hunks() {
    let old: String = (1..=20).map(|n| format!("line {n}\n")).collect();
    let new = old.replace("line 2\n", "").replace("line 19\n", "line 19\nnew\n");
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
    let mut lines: Vec<Option<String>> = old.lines().map(|line| Some(line.to_owned())).collect();
    let mut added = Vec::new();
    for line in diff.hunks.iter().flat_map(|hunk| &hunk.lines) {
        match line.change {
            LineChange::Same { old, .. } => {
                assert_eq!(lines[old - 1].as_deref(), Some(line.text().as_str()))
            }
            LineChange::Removed { old } => assert_eq!(lines[old - 1].take(), Some(line.text())),
            LineChange::Added { new } => added.push((new, line.text())),
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
