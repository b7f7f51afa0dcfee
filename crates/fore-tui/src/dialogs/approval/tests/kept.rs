//! What the person wrote and has not sent: what is kept of it, and how it comes back.

use super::*;
use crate::dialogs::{
    approval::{LostEdit, UnsavedReview},
    test_support::shown,
};
use fore_plan::approval::GrantChanges;
use fore_store::{
    UnsentReview,
    unsent_review::{Anchor, CommentState, NotePurpose, UnsentComment},
};

const KEPT: &str = "2. Keep the session in memory.";

fn remark(line: u32, quote: &str, remark: &str, state: CommentState) -> UnsentComment {
    let comment = Comment { first_line: line, last_line: line, quote: quote.into(), remark: remark.into() };
    UnsentComment { comment, state, anchor: Anchor::Same }
}

fn nothing() -> UnsentReview {
    UnsentReview {
        plan: Hash::of(PLAN.as_bytes()),
        remarks: Vec::new(),
        note: String::new(),
        meant: NotePurpose::Note,
        edited: None,
        grants: GrantChanges::default(),
    }
}

/// A comment, a reason that was begun, and an edit.
fn everything() -> UnsentReview {
    UnsentReview {
        remarks: vec![remark(8, KEPT, "Which?", CommentState::Saved)],
        note: "Smaller steps".into(),
        meant: NotePurpose::Reason,
        edited: Some(PLAN.replace("3. Measure again.\n", "")),
        ..nothing()
    }
}

#[test]
fn what_is_finished_is_kept_at_once_and_what_is_typed_soon() {
    let page = [
        ("j j tab / 'x' esc", UnsavedReview::Nothing),
        ("/ 'login' enter n", UnsavedReview::Nothing),
        ("c 'Wh'", UnsavedReview::Typed),
        ("c 'Why?' enter", UnsavedReview::Finished),
        ("c 'Why?' esc", UnsavedReview::Finished),
        ("tab enter 'Smaller'", UnsavedReview::Typed),
        ("tab enter 'Smaller' esc", UnsavedReview::Finished),
        ("n 'Mind' enter", UnsavedReview::Finished),
    ];
    for (keys, unkept) in page {
        let mut approval = open(asked(PLAN));
        typed(&mut approval, keys);
        assert_eq!(approval.unkept(), unkept, "{keys}");
        approval.keep();
        assert_eq!(approval.unkept(), UnsavedReview::Nothing, "{keys}");
    }
    let mut approval = open(asked(PLAN));
    typed(&mut approval, "c 'Why?' enter");
    for keys in ["x", "u", "c '!' enter"] {
        approval.keep();
        typed(&mut approval, keys);
        assert_eq!(approval.unkept(), UnsavedReview::Finished, "{keys}");
    }
    approval.keep();
    approval.edited(Ok(everything().edited.unwrap()));
    assert_eq!(approval.unkept(), UnsavedReview::Finished);
}

#[test]
fn what_stands_in_an_open_field_is_kept_as_leaving_it_would_keep_it() {
    let page = [
        (
            "j j j j j j j c 'Wh'",
            UnsentReview { remarks: vec![remark(8, KEPT, "Wh", CommentState::Draft)], ..nothing() },
        ),
        (
            "j j j j j j j c 'Which?' enter c",
            UnsentReview { remarks: vec![remark(8, KEPT, "Which?", CommentState::Saved)], ..nothing() },
        ),
        ("c enter", nothing()),
        ("tab enter 'Smaller'", UnsentReview { note: "Smaller".into(), meant: NotePurpose::Reason, ..nothing() }),
        ("n 'Mind'", UnsentReview { note: "Mind".into(), meant: NotePurpose::Draft, ..nothing() }),
        ("/ 'login'", nothing()),
    ];
    for (keys, draft) in page {
        let mut approval = open(asked(PLAN));
        typed(&mut approval, keys);
        assert_eq!(approval.keep(), draft, "{keys}");
    }
}

#[test]
fn the_same_plan_comes_back_with_everything_that_was_written() {
    let (mut approval, lost) = ApprovalDialog::resumed(asked(PLAN), everything());
    assert_eq!((lost, approval.unkept()), (None, UnsavedReview::Nothing));
    assert_eq!(last_row(&mut approval), "Here again, not sent yet: 1 comment and a reason, and an edit of the plan.");
    assert_eq!(approval.keep(), everything());
    // Nothing of it approves: whoever wants that is asked once more.
    assert_eq!(typed(&mut approval, "enter tab 1 enter enter"), DialogStep::Stay);
    let comments = vec![everything().remarks[0].comment.clone()];
    let reason = "Smaller steps".into();
    let expected = ExitResponse { reason, comments, plan: everything().edited, ..answer("keepPlanning") };
    assert_eq!(typed(&mut approval, "tab 4 enter enter"), sent(expected));
}

#[test]
fn words_about_another_text_stand_with_the_line_they_were_written_for() {
    let changed = PLAN.replace(KEPT, "2. Keep it in a file.").replace("# Faster", "New.\n\n# Faster");
    let other = remark(9, "3. Measure again.", "How?", CommentState::Draft);
    let draft = UnsentReview { remarks: vec![everything().remarks.remove(0), other], ..everything() };
    let (mut approval, lost) = ApprovalDialog::resumed(asked(&changed), draft.clone());
    assert_eq!(lost, draft.edited.map(LostEdit), "an edit of other bytes is not applied");
    insta::assert_snapshot!(shown(&mut approval, 80, 40), @r#"
    ╭─ Plan • …re/fore/plans/faster-login.md • revision 1 • c132ff6ea599 • 15 lines
    │❯ New.
    │
    │  Faster login
    │
    │  The login page asks the database three times.
    │
    │  Steps
    │▌
    │▌ line 8 (on an older text, "2. Keep the session in memory."): Which?
    │  1. Read the user and the roles in one query.
    │  2. Keep it in a file.
    │▌ 3. Measure again.
    │▌ line 11 (draft, on an older text, "3. Measure again."): How?
    │
    │  Verification
    │
    │  Run the login benchmark before and after.
    ╰─ 1-15 of 15 ──────────────────────────────────────────────────────────────────
    • The plan names no file or command that could run without asking.
    ✔ 0 files changed during planning.
    ▌ your note: Smaller steps

      1 Approve; ask before each edit                   ▸ default
      2 Approve and accept edits while this plan lasts  ⏵⏵ acceptEdits
      3 Approve and start fresh with only the plan      ▸ default
        context 62 % full, 124k tokens
      4 Keep planning                                   ⏸ plan
      5 Save the plan and stop here                     ⏸ plan
      6 Leave plan mode without approving               ▸ default
      7 Discard and start over                          ⏸ plan

    Written on an older text, not sent yet: 2 comments (1 a draft) and a reason.
    "#);
    // Kept once more, they are still about the older text.
    let again = approval.keep();
    assert_eq!(again.plan, Hash::of(changed.as_bytes()));
    let (mut approval, _) = ApprovalDialog::resumed(asked(&changed), again.clone());
    assert_eq!(approval.keep(), again);
    let page = shown(&mut approval, 80, 40);
    assert_eq!(page.matches("on an older text").count(), 2, "{page}");
}

#[test]
fn a_draft_of_nonsense_does_no_harm() {
    let odd = |first_line, last_line| UnsentComment {
        comment: Comment { first_line, last_line, quote: "\u{1b}[2J".into(), remark: "x\u{202e}".into() },
        state: CommentState::Saved,
        anchor: Anchor::Same,
    };
    for plan in [nothing().plan, Hash::of(b"another")] {
        let remarks = vec![odd(0, 0), odd(9, 3), odd(u32::MAX, u32::MAX), odd(0, u32::MAX)];
        let draft = UnsentReview { plan, remarks, edited: Some(" ".into()), ..nothing() };
        let (mut approval, _) = ApprovalDialog::resumed(asked(PLAN), draft);
        for width in [30, 80] {
            let view = approval.view(space(width, 40), Focus::Here);
            crate::dialogs::test_support::assert_inside(&view, space(width, 40));
        }
        assert_eq!(typed(&mut approval, "tab 1 enter enter"), DialogStep::Stay, "it asks once more");
    }
}

#[test]
fn what_is_written_in_the_browser_is_here_and_the_other_way_round() {
    let mut approval = open(asked(PLAN));
    assert_eq!(typed(&mut approval, "b"), DialogStep::Review, "b shows the plan there and answers nothing");
    let (shown_there, draft) = approval.for_page();
    assert_eq!((shown_there.request.plan_content.as_str(), draft.is_empty()), (PLAN, true));
    let edited = PLAN.replacen('\n', "\nMore.\n", 1);
    let comment =
        Comment { first_line: 1, last_line: 1, quote: PLAN.lines().next().unwrap().into(), remark: "Why?".into() };
    let remarks = vec![UnsentComment { comment, state: CommentState::Saved, anchor: Anchor::Same }];
    let there = UnsentReview { remarks, note: "Mind".into(), edited: Some(edited), ..draft };
    approval.redrafted(there.clone());
    assert_eq!((approval.for_page().1, approval.unkept()), (there.clone(), UnsavedReview::Nothing), "it is kept there");
    let other = UnsentReview { plan: Hash::of(b"another"), note: "Old".into(), ..there.clone() };
    approval.redrafted(other);
    assert_eq!(approval.for_page().1, there, "words about other bytes change nothing");
    approval.redrafted(UnsentReview { edited: None, remarks: Vec::new(), ..there });
    assert_eq!((approval.for_page().1.edited, approval.remark_count()), (None, None));
}
