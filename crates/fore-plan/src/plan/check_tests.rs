//! Plans and the notes they get, as pages.

use proptest::prelude::*;

use super::{MAX_FILES, MAX_NOTES, NoteCode, Severity, check};
use crate::workflow::PlanLength;

const THERE: [&str; 4] = ["src/login.rs", "src/cache/", "docs/größe.md", "tests/login.rs"];

fn page(plan: &str, length: PlanLength) -> String {
    let note = |note: &super::CheckNote| {
        let line = note.line.map_or("-".to_owned(), |line| line.to_string());
        format!("{:?} {:?} {line}: {}", note.severity, note.code, note.sentence)
    };
    check(plan, length, |path| THERE.contains(&path)).iter().map(note).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn expect(plan: &str, notes: &[&str]) {
    assert_eq!(page(plan, PlanLength::Control), notes.join("\n"), "plan:\n{plan}");
}

/// The body with a verification below it, where only the body is to be judged.
#[track_caller]
fn expect_in_body(body: &str, notes: &[&str]) {
    expect(&format!("{body}\n\n## Verification\n\nrun it\n"), notes);
}

#[test]
fn m5_a_good_plan_gets_no_note() {
    expect(
        "# Faster login\n\nBecause it is slow.\n\n- `src/login.rs:10-20`: cache the key\n- docs/größe.md: say so\n\n## Verification\n\n```sh\ncargo test # TODO src/no.rs\n```\n",
        &[],
    );
}

#[test]
fn m5_an_empty_plan_gets_one_serious_note() {
    for plan in ["", " \n\n"] {
        expect(plan, &["Serious EmptyPlan -: The plan is empty: approving it only ends the planning."]);
    }
    for plan in ["# Title\n", "# Add discounts to the cart", "# Title\n\n---\n\n## Steps\n"] {
        let note = "Serious EmptyPlan -: The plan has a title and nothing else: it does not say what to do.";
        expect(plan, &[note]);
    }
    for plan in ["src/cart.rs\n", "# Title\n\n- `src/cart.rs`\n"] {
        expect(plan, &["Serious EmptyPlan -: The plan is a single word: it does not say what to do."]);
    }
}

#[test]
fn m5_a_plan_must_say_how_it_is_verified() {
    expect("# A\n\nDo it.\n", &["Warning NoVerification -: The plan does not say how the result is verified."]);
    expect(
        "# A\n\nDo the latest thing.\n\n## Contest\n\nx\n",
        &["Warning NoVerification -: The plan does not say how the result is verified."],
    );
    expect(
        "```\n# Verification\nx y\n```\n",
        &["Warning NoVerification -: The plan does not say how the result is verified."],
    );
    expect(
        "Do it.\n\n## Verification\n\n## Notes\n\nx\n",
        &["Warning EmptyVerification 3: The section \"Verification\" is empty: say how the result is verified."],
    );
    for said in [
        "## Verify\n\nrun",
        "## How to check\n\nrun",
        "Testing\n-------\n\nrun",
        "### Test plan\n\nrun",
        "## 4. Validation & rollout\n\nrun",
        "**Verify:** run",
        "5. Verify with `cargo test`",
        "- Test plan: run",
        "## Tests\n\n### Unit\n\nrun",
    ] {
        expect(&format!("Do it.\n\n{said}\n"), &[]);
    }
}

#[test]
fn m5_a_cited_file_that_does_not_exist_is_noted_once() {
    expect_in_body(
        "Change `src/gone.rs` and src/login.rs.\nThen `src/gone.rs:7` again, and [this](docs/gone.md).",
        &[
            "Warning MissingFile 1: src/gone.rs does not exist, and the plan does not say that it is new.",
            "Warning MissingFile 2: docs/gone.md does not exist, and the plan does not say that it is new.",
        ],
    );
    expect_in_body(
        "Change src/my_long_file_name.rs, and docs/weiß/größe.md.",
        &[
            "Warning MissingFile 1: docs/weiß/größe.md does not exist, and the plan does not say that it is new.",
            "Warning MissingFile 1: src/my_long_file_name.rs does not exist, and the plan does not say that it is new.",
        ],
    );
}

#[test]
fn m5_a_file_that_the_plan_makes_is_not_missing() {
    for body in [
        "- `src/key.rs` (new file): the key",
        "Create src/key.rs.",
        "| `src/key.rs` | new | the key |",
        "## New files\n\n- `src/key.rs`",
        "## Files to create\n\n- `src/key.rs`",
        "Add `src/key.rs`.",
        "Rename `src/login.rs` to `src/key.rs`.",
        "Create `src/keys/` for them.\n\nThen `src/keys/a.rs`.",
        "Edit `src/key.rs` later.\n\nFirst create `src/key.rs`.",
    ] {
        expect_in_body(body, &[]);
    }
    for body in ["Add a check to `src/new.rs`.", "Change `src/new.rs`.", "Rename `src/new.rs` to `src/login.rs`."] {
        expect_in_body(
            body,
            &["Warning MissingFile 1: src/new.rs does not exist, and the plan does not say that it is new."],
        );
    }
}

#[test]
fn m5_what_is_no_file_is_not_looked_up() {
    expect_in_body(
        "See https://example.com/a.html, `src/**/*.rs`, `cargo test src/x.rs`, and/or v1.2/3.4, `application/json`, `origin/main`.",
        &[],
    );
}

#[test]
fn m5_placeholders_are_noted() {
    expect_in_body(
        "1. Name: TBD\n2. TODO write this\n3. Use ??? here\n4. Path: <fill in>\n5. [insert name]\n6. ...\n7. <your path here>\n\n<!-- FIXME -->",
        &[
            "Warning Placeholder 1: \"TBD\" is still to be filled in.",
            "Warning Placeholder 2: \"TODO\" is still to be filled in.",
            "Warning Placeholder 3: \"???\" is still to be filled in.",
            "Warning Placeholder 4: \"<fill in>\" is still to be filled in.",
            "Warning Placeholder 5: \"[insert name]\" is still to be filled in.",
            "Warning Placeholder 7: \"<your path here>\" is still to be filled in.",
            "Warning Placeholder 9: \"FIXME\" is still to be filled in.",
        ],
    );
    expect_in_body(
        "- a\n- ...\n- …",
        &[
            "Warning Placeholder 2: \"...\" is still to be filled in.",
            "Warning Placeholder 3: \"…\" is still to be filled in.",
        ],
    );
    expect_in_body(
        "Drop the `TODO` marker, update the todo list, keep `<name>`, <br> and <details>. A [link](https://a.b/c) and [x] done.",
        &[],
    );
}

#[test]
fn m5_open_questions_are_noted() {
    expect_in_body(
        "Do it. Is this fine?\n\n## Questions\n\n- Which key?\n- We take the old one.\n- **And the name?**",
        &[
            "Warning OpenQuestion 5: A question is still open: \"- Which key?\"",
            "Warning OpenQuestion 7: A question is still open: \"- **And the name?**\"",
        ],
    );
    expect_in_body(
        "Do it.\n\n## Open questions\n\nThe name is not settled.",
        &["Warning OpenQuestion 3: The section \"Open questions\" still has content."],
    );
    expect_in_body("Do it.\n\n## Open questions\n\nNone.", &[]);
    expect_in_body("Do it.\n\n## Open questions", &[]);
}

#[test]
fn f4_a_plan_longer_than_chosen_is_noted() {
    let lines = |count: usize| format!("# A\n{}Verify: run\n", "x\n".repeat(count - 2));
    assert_eq!(page(&lines(200), PlanLength::Control), "");
    assert_eq!(page(&lines(40), PlanLength::Cap), "");
    assert_eq!(
        page(&lines(41), PlanLength::Cap),
        "Warning TooLong -: The plan has 41 lines; the chosen length asks for at most 40."
    );
    assert_eq!(
        page(&lines(41), PlanLength::Cut),
        "Info TooLong -: The plan has 41 lines; the chosen length asks for at most 40."
    );
    assert_eq!(page(&lines(80), PlanLength::Trim), "");
    assert_eq!(
        page(&lines(81), PlanLength::Trim),
        "Info TooLong -: The plan has 81 lines; the chosen length asks for at most 80."
    );
}

#[test]
fn m5_the_number_of_notes_and_of_questions_to_the_caller_is_bounded() {
    let plan: String = (0..5_000).map(|n| format!("- `src/gone{n}.rs` TBD\n")).collect();
    let mut asked = 0;
    let notes = check(&plan, PlanLength::Cap, |_| {
        asked += 1;
        false
    });
    assert_eq!((notes.len(), asked), (MAX_NOTES + 1, MAX_FILES));
    let last = notes.last().unwrap();
    assert_eq!((last.code, last.severity), (NoteCode::MoreNotes, Severity::Info));
}

#[test]
fn m5_notes_have_stable_names_in_json() {
    let notes = check("do it", PlanLength::Control, |_| true);
    assert_eq!(
        serde_json::to_string(&notes).unwrap(),
        r#"[{"severity":"warning","code":"no-verification","line":null,"sentence":"The plan does not say how the result is verified."}]"#
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn m5_any_text_is_checked_and_line_numbers_lie_within_it(
        plan in "([#`<>\\[\\]()*_~|!?.:/ \r\n-]|TODO|src/a.rs|## Open questions\n|```\n|é|日|\\PC){0,60}",
    ) {
        let lines = plan.split('\n').count();
        for note in check(&plan, PlanLength::Cut, |_| false) {
            prop_assert!(note.line.is_none_or(|line| (1..=lines).contains(&line)));
        }
    }
}
