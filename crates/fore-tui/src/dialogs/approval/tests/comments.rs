//! Comments, reasons and notes: written, changed, sent, never lost unasked.

use super::*;

fn comment(first_line: u32, last_line: u32, quote: &str, remark: &str) -> Comment {
    Comment { first_line, last_line, quote: quote.into(), remark: remark.into() }
}

/// A dialog with one comment on line 8.
fn commented() -> ApprovalDialog {
    let mut approval = open(asked(PLAN));
    assert_eq!(typed(&mut approval, "j j j j j j j c 'Which?' enter"), DialogStep::Stay);
    approval
}

fn one_comment() -> Vec<Comment> {
    vec![comment(8, 8, "2. Keep the session in memory.", "Which?")]
}

#[test]
fn a_comment_on_a_line_goes_out_with_its_lines_and_quote() {
    let mut approval = commented();
    let expected = ExitResponse { comments: one_comment(), ..answer("keepPlanning") };
    assert_eq!(typed(&mut approval, "tab enter enter"), sent(expected));
}

#[test]
fn a_range_is_marked_with_v_or_with_shift() {
    let quote = "1. Read the user and the roles in one query.\n2. Keep the session in memory.";
    let expected = ExitResponse { comments: vec![comment(7, 8, quote, "Why?")], ..answer("keepPlanning") };
    for keys in ["v j c 'Why?' enter", "shift+down c 'Why?' enter", "j v k c 'Why?' enter", "j shift+up c 'Why?' enter"]
    {
        let mut approval = open(asked(PLAN));
        typed(&mut approval, "j j j j j j");
        assert_eq!(typed(&mut approval, keys), DialogStep::Stay);
        assert_eq!(typed(&mut approval, "tab enter enter"), sent(expected.clone()), "{keys}");
    }
}

#[test]
fn digits_and_letters_are_typed_while_a_comment_is_written() {
    let mut approval = open(asked(PLAN));
    typed(&mut approval, "c '1e4fxq/' alt+enter tab '2' ctrl+j");
    approval.paste("3\tpasted");
    assert_eq!(typed(&mut approval, "enter"), DialogStep::Stay);
    let comments = vec![comment(1, 1, "# Faster login", "1e4fxq/\n2\n3    pasted")];
    assert_eq!(typed(&mut approval, "tab enter enter"), sent(ExitResponse { comments, ..answer("keepPlanning") }));
}

#[test]
fn a_comment_is_changed_with_c_and_removed_with_x_and_brought_back_with_u() {
    let mut approval = commented();
    typed(&mut approval, "c backspace '_now?' enter");
    let comments = vec![comment(8, 8, "2. Keep the session in memory.", "Which_now?")];
    let changed = sent(ExitResponse { comments, ..answer("keepPlanning") });
    assert_eq!(typed(&mut approval, "tab enter enter"), changed);
    typed(&mut approval, "x");
    assert_eq!(last_row(&mut approval), "The comment is removed; u brings it back.");
    assert_eq!(typed(&mut approval, "tab enter enter"), sent(answer("keepPlanning")));
    typed(&mut approval, "u");
    assert_eq!(typed(&mut approval, "tab enter enter"), changed);
}

#[test]
fn esc_in_a_comment_keeps_a_draft_that_opens_again_and_goes_out() {
    let mut approval = open(asked(PLAN));
    assert_eq!(typed(&mut approval, "c 'Half' esc"), DialogStep::Stay);
    assert_eq!(last_row(&mut approval), "Kept as a draft: c opens it again, x removes it.");
    typed(&mut approval, "j j c 'Other' esc");
    typed(&mut approval, "k k c '_done' enter");
    let comments = vec![
        comment(1, 1, "# Faster login", "Half_done"),
        comment(3, 3, "The login page asks the database three times.", "Other"),
    ];
    assert_eq!(typed(&mut approval, "tab enter enter"), sent(ExitResponse { comments, ..answer("keepPlanning") }));
}

#[test]
fn approving_with_comments_is_asked_once_more() {
    let mut approval = commented();
    assert_eq!(typed(&mut approval, "tab 1 enter"), DialogStep::Stay);
    insta::assert_snapshot!(crate::dialogs::test_support::shown(&mut approval, 80, 24), @"
    ╭─ Plan • …re/fore/plans/faster-login.md • revision 1 • 0e71f57e57cd • 13 lines
    │  Faster login
    │
    │  The login page asks the database three times.
    │
    │  Steps
    │
    │  1. Read the user and the roles in one query.
    │• 2. Keep the session in memory.
    │▌ line 8: Which?
    │  3. Measure again.
    │
    │  Verification
    │
    ╰─ 1-12 of 13 ↓ ────────────────────────────────────────────────────────────────
    • The plan names no file or command that could run without asking.
    ✔ 0 files changed during planning.

    You wrote 1 comment.
    ❯ 1 Back to the plan
      2 Keep planning and send it
      3 Approve and send it along

    Enter answers   Esc goes back   1-3 select
    ");
    assert_eq!(typed(&mut approval, "enter"), DialogStep::Stay, "back stands first");
    let keep = sent(ExitResponse { comments: one_comment(), ..answer("keepPlanning") });
    let approve = sent(ExitResponse { comments: one_comment(), ..answer("startEditing") });
    assert_eq!(typed(&mut approval, "tab enter down enter"), keep);
    let mut approval = commented();
    assert_eq!(typed(&mut approval, "tab 1 enter 3 enter"), approve);
}

#[test]
fn d8_esc_asks_what_to_do_with_what_was_written() {
    let with = sent(ExitResponse { comments: one_comment(), ..answer("keepPlanning") });
    let page = [
        ("esc enter", with.clone()),
        ("esc 1 enter", with),
        ("esc 2 enter", sent(answer("keepPlanning"))),
        ("esc 3 enter", DialogStep::Stay),
        ("esc esc", DialogStep::Stay),
    ];
    for (keys, expected) in page {
        assert_eq!(typed(&mut commented(), keys), expected, "{keys}");
    }
}

#[test]
fn saving_and_leaving_with_comments_say_that_nobody_would_hear_of_them() {
    let page = [("tab 5 enter 3 enter", "saveAndStop"), ("tab 6 enter 3 enter", "leavePlanMode")];
    for (keys, selected) in page {
        let expected = sent(ExitResponse { comments: one_comment(), ..answer(selected) });
        assert_eq!(typed(&mut commented(), keys), expected, "{keys}");
        assert_eq!(typed(&mut commented(), keys.trim_end_matches("3 enter")), DialogStep::Stay, "{keys}");
    }
    assert_eq!(typed(&mut commented(), "tab 7 enter 3 enter"), sent(answer("discard")));
}

#[test]
fn d3_keep_planning_takes_a_reason() {
    let mut approval = open(asked(PLAN));
    let reason = "Smaller steps\nplease";
    let expected = ExitResponse { reason: reason.into(), ..answer("keepPlanning") };
    assert_eq!(typed(&mut approval, "tab enter 'Smaller' space 'steps' ctrl+j 'please' enter"), sent(expected));
}

#[test]
fn a_reason_that_was_left_is_kept_and_asked_about() {
    let mut approval = open(asked(PLAN));
    assert_eq!(typed(&mut approval, "tab enter 'Smaller' esc"), DialogStep::Stay);
    assert_eq!(typed(&mut approval, "tab tab 1 enter"), DialogStep::Stay, "approving asks");
    assert_eq!(typed(&mut approval, "esc esc"), DialogStep::Stay, "and so does Esc");
    let expected = ExitResponse { reason: "Smaller".into(), ..answer("keepPlanning") };
    assert_eq!(typed(&mut approval, "enter"), sent(expected));
}

#[test]
fn a_note_goes_along_with_an_approval() {
    let mut approval = open(asked(PLAN));
    typed(&mut approval, "n 'Mind' space 'the' space 'tests' enter");
    let expected = ExitResponse { reason: "Mind the tests".into(), ..answer("acceptEdits") };
    assert_eq!(typed(&mut approval, "tab 2 enter"), sent(expected));
}

#[test]
fn the_draft_of_a_note_is_asked_about_before_it_goes_along() {
    let mut approval = open(asked(PLAN));
    typed(&mut approval, "n 'Mind' esc");
    assert_eq!(typed(&mut approval, "tab 2 enter"), DialogStep::Stay);
    let text = crate::dialogs::test_support::shown(&mut approval, 80, 40);
    assert!(text.contains("You wrote the draft of a note."), "{text}");
    let expected = ExitResponse { reason: "Mind".into(), ..answer("acceptEdits") };
    assert_eq!(typed(&mut approval, "3 enter"), sent(expected));
}

#[test]
fn no_more_comments_are_taken_than_a_session_keeps() {
    let mut approval = open(asked(&"a line\n\n".repeat(101)));
    for _ in 0..100 {
        press(&mut approval, "c x enter j j");
    }
    typed(&mut approval, "c");
    assert_eq!(last_row(&mut approval), "There are 100 comments already; more are not sent.");
}
