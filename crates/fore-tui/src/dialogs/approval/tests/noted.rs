//! The notes of the plan check: beneath their lines, about the text that is shown.

use super::*;
use crate::dialogs::test_support::shown;
use fore_agent::{FileMove, MovedFile};

const BEING_CHECKED: &str = "╰ 1-15 of 15 • notes: being checked • edited by you • +4 -1 (d) • 2 earlier comments (r)";

fn note(line: Option<usize>, sentence: &str) -> CheckNote {
    CheckNote { severity: Severity::Warning, code: NoteCode::MissingFile, line, sentence: sentence.into() }
}

/// The rows of the plan.
fn rows(approval: &mut ApprovalDialog, width: u16, height: u16) -> String {
    let text = shown(approval, width, height);
    text.lines().filter(|row| row.starts_with(['│', '╰'])).collect::<Vec<_>>().join("\n")
}

#[test]
fn notes_of_the_plan_check_lead_to_their_lines() {
    let mut approval = open(asked_again(PLAN));
    let mut page = Vec::new();
    for keys in [".", ".", ".", ".", ",", ","] {
        typed(&mut approval, keys);
        let text = shown(&mut approval, 80, 40);
        let cursor = text.lines().find(|row| row.starts_with("│❯")).unwrap_or_default().to_owned();
        page.push(format!("{keys} {cursor:<48} {}", text.lines().last().unwrap_or_default()));
    }
    insta::assert_snapshot!(page.join("\n"), @"
        . │❯ Faster login                                  Note 1 of 3, on the whole plan.
        . │❯ 1. Read the user and the roles in one query.  Note 2 of 3, on line 7.
        . │❯ 2. Keep the session in memory.                Note 3 of 3, on line 8.
        . │❯ Faster login                                  Note 1 of 3, on the whole plan.
        , │❯ 2. Keep the session in memory.                Note 3 of 3, on line 8.
        , │❯ 1. Read the user and the roles in one query.  Note 2 of 3, on line 7.
        ");
    let mut approval = open(asked(PLAN));
    typed(&mut approval, ".");
    assert_eq!(last_row(&mut approval), "The plan check has no notes.");
}

#[test]
fn no_comment_is_on_a_note_and_no_line_number_counts_one() {
    let mut approval = open(asked_again(PLAN));
    typed(&mut approval, "j j j j j j j c 'Which?' enter");
    let comment = Comment {
        first_line: 8,
        last_line: 8,
        quote: "2. Keep the session in memory.".into(),
        remark: "Which?".into(),
    };
    let expected = ExitResponse { comments: vec![comment], ..answer("keepPlanning") };
    insta::assert_snapshot!(rows(&mut approval, 60, 40), @"
    │⚠ note on the whole plan: The plan says nothing about how
    ││ to check it.
    │  Faster login
    │
    │  The login page asks the database three times.
    │
    │  Steps
    │
    │  1. Read the user and the roles in one query.
    │⚠ note: `src/user.rs` does not exist.
    │❯ 2. Keep the session in memory.
    │• note: A question is open.
    │▌ line 8: Which?
    │  3. Measure again.
    │
    │  Verification
    │
    │  Run the login benchmark before and after.
    ╰─ 1-13 of 13 • 3 notes (.) • +2 -1 (d) • 2 earlier (r) ────
    │ asking.
    │ src/login.rs, Cargo.lock
    ");
    assert_eq!(typed(&mut approval, "tab enter enter"), sent(expected));
}

#[test]
fn a_long_note_is_broken_into_rows_and_many_are_all_there() {
    let mut request = asked(PLAN);
    let long = "src/a_rather_long_name_of_a_file.rs does not exist, and the plan does not say that it is new.";
    request.notes =
        vec![note(None, long), note(None, &"word ".repeat(60)), note(Some(7), long), note(Some(7), "Short.")];
    insta::assert_snapshot!(rows(&mut open(request), 40, 50), @"
    │⚠ note on the whole plan:
    ││ src/a_rather_long_name_of_a_file.rs
    ││ does not exist, and the plan does not
    ││ say that it is new.
    │⚠ note on the whole plan: word word
    ││ word word word word word word word
    ││ word word word word word word word
    ││ word word word word word word word  …
    │❯ Faster login
    │
    │  The login page asks the database
    │  three times.
    │
    │  Steps
    │
    │  1. Read the user and the roles in one
    │     query.
    │⚠ note:
    ││ src/a_rather_long_name_of_a_file.rs
    ││ does not exist, and the plan does not
    ││ say that it is new.
    │⚠ note: Short.
    │  2. Keep the session in memory.
    │  3. Measure again.
    │
    │  Verification
    │
    │  Run the login benchmark before and
    │  after.
    ╰─ 1-13 of 13 • 4 notes (.) ────────────
    │ could run without asking.
    ");
}

#[test]
fn a_low_window_shows_the_note_that_was_gone_to() {
    let plan: String = (1..=200).map(|number| format!("- step {number}\n")).collect();
    let mut request = asked(&plan);
    request.notes = vec![note(Some(120), "`src/user.rs` does not exist."), note(Some(200), "The last one.")];
    let mut approval = open(request);
    for expected in ["note: `src/user.rs` does", "note: The last one."] {
        press(&mut approval, ".");
        for (width, height) in [(120, 30), (80, 18), (40, 11)] {
            let text = shown(&mut approval, width, height);
            assert!(text.contains(expected), "{width}x{height}:\n{text}");
        }
    }
}

#[test]
fn after_an_edit_the_notes_are_about_the_text_on_the_screen() {
    let mut approval = open(asked_again(PLAN));
    let edited = format!("First.\n\n{PLAN}");
    assert_eq!(approval.unchecked(), None);
    approval.edited(Ok(edited.clone()));
    assert_eq!((approval.unchecked(), approval.unchecked()), (Some(edited.clone()), None));
    let foot = |approval: &mut ApprovalDialog| {
        let rows = rows(approval, 100, 40);
        rows.lines().find(|row| row.starts_with('╰')).unwrap_or_default().replace('─', "").trim_end().to_owned()
    };
    assert_eq!(foot(&mut approval), BEING_CHECKED);
    approval.checked(Hash::of(PLAN.as_bytes()), vec![note(Some(1), "Of another text.")]);
    assert_eq!(foot(&mut approval), BEING_CHECKED);
    approval.checked(Hash::of(edited.as_bytes()), vec![note(Some(9), "`src/user.rs` does not exist.")]);
    press(&mut approval, ".");
    insta::assert_snapshot!(rows(&mut approval, 80, 40), @"
        │  First.
        │
        │  Faster login
        │
        │  The login page asks the database three times.
        │
        │  Steps
        │
        │❯ 1. Read the user and the roles in one query.
        │⚠ note: `src/user.rs` does not exist.
        │  2. Keep the session in memory.
        │  3. Measure again.
        │
        │  Verification
        │
        │  Run the login benchmark before and after.
        ╰─ 1-15 of 15 • 1 note (.) • edited by you • +4 -1 (d) • 2 earlier comments (r)
        │ src/login.rs, Cargo.lock
        ");
    // As it was proposed, it has the notes it was proposed with.
    approval.edited(Ok(PLAN.into()));
    assert_eq!((approval.unchecked(), approval.notes().len()), (None, 3));
}

#[test]
fn after_an_edit_the_difference_to_what_was_seen_last_is_that_of_the_edited_text() {
    let mut approval = open(asked_again(PLAN));
    approval.edited(Ok(format!("First.\n\n{PLAN}")));
    typed(&mut approval, "d d");
    insta::assert_snapshot!(rows(&mut approval, 80, 40), @"
    │❯  1 + First.
    │   2 +
    │   3   # Faster login
    │   4
    │   5   The login page asks the database three times.
    │   …
    │   7   ## Steps
    │   8
    │   9   1. Read the user and the roles in one query.
    │   8 - 2. Use a cache.
    │  10 + 2. Keep the session in memory.
    │  11 + 3. Measure again.
    │  12
    │  13   ## Verification
    │  14
    ╰─ 1-15 of 15 • checking • edited by you • +4 -1 (d) • 2 earlier (r) ───────────
    │ src/login.rs, Cargo.lock
    ");
    // Back to what was seen: nothing changed since.
    approval.edited(Ok(PLAN.replace("2. Keep the session in memory.\n3. Measure again.\n", "2. Use a cache.\n")));
    typed(&mut approval, "d d");
    assert!(shown(&mut approval, 80, 40).starts_with("╭─ Plan •"));
}

#[test]
fn the_sentence_of_the_proof_is_whole_in_every_width() {
    let sentence =
        "No file in the workspace changed since planning began (3 files compared, ignored files not checked).";
    for (width, height) in [(120, 40), (80, 30), (40, 44)] {
        let mut request = asked(PLAN);
        request.proof.line = sentence.into();
        let text = shown(&mut open(request), width, height);
        let words = text.replace(['\n', '│'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(sentence), "{width}x{height}:\n{text}");
    }
    // Where it has no room, it is said in fewer words; a warning is not, unless there is hardly any room at all.
    let warning =
        "2 files changed since planning began; not by this session: src/login.rs, Cargo.lock (3 files compared).";
    let page = [
        (sentence, 0, 80, 20, "✔ no change found since planning began ─"),
        (sentence, 0, 40, 14, "✔ no change found ─"),
        (warning, 2, 80, 20, "Cargo.lock (3 files compared)."),
        (warning, 2, 40, 14, "⚠ 2 changed ─"),
    ];
    for (line, changed, width, height, expected) in page {
        let mut request = asked(PLAN);
        request.proof = Proof { line: line.into(), changed, ..Proof::default() };
        let text = shown(&mut open(request), width, height);
        assert!(text.contains(expected), "{width}x{height}:\n{text}");
    }
}

#[test]
fn m9_named_files_that_changed_since_the_plan_was_made_are_said_in_every_size() {
    let moved = |path: &str| MovedFile {
        path: path.into(),
        change: FileMove::Changed,
        added: Some(3),
        removed: Some(1),
        diff: String::new(),
    };
    let page = [
        (120, 40, "⚠ Changed since this plan was made: src/login.rs (changed, +3 −1), a\\u{1b}b (changed, +3 −1)."),
        (40, 14, "⚠ 2 changed ─"),
    ];
    for (width, height, expected) in page {
        let mut request = asked(PLAN);
        request.moved = vec![moved("src/login.rs"), moved("a\u{1b}b")];
        let text = shown(&mut open(request), width, height);
        assert!(text.contains(expected), "{width}x{height}:\n{text}");
    }
    assert!(!shown(&mut open(asked(PLAN)), 120, 40).contains("since this plan was made"));
}
