//! The plan edited by the person, and compared.

use super::*;
use crate::dialogs::test_support::shown;
use fore_plan::plan::MAX_PLAN_BYTES;

fn edit() -> String {
    PLAN.replace("2. Keep the session in memory.\n", "").replace("# Faster", "A new first line\n\n# Faster")
}

#[test]
fn d6_an_edited_plan_goes_out_with_every_answer() {
    let page = [
        ("tab 1 enter", "startEditing"),
        ("tab 5 enter", "saveAndStop"),
        ("tab 4 enter enter", "keepPlanning"),
        ("esc esc", "keepPlanning"),
    ];
    for (keys, selected) in page {
        let mut approval = open(asked(PLAN));
        let step = typed(&mut approval, "e");
        assert_eq!(step, DialogStep::Edit { name: "faster-login.md".into(), text: PLAN.into() });
        approval.edited(Ok(edit()));
        approval.view(space(100, 40), Focus::Here);
        let expected = ExitResponse { plan: Some(edit()), ..answer(selected) };
        assert_eq!(typed(&mut approval, keys), sent(expected), "{keys}");
    }
}

#[test]
fn an_edit_is_not_left_behind_unasked() {
    let page = [
        ("tab 6 enter 3 enter", ExitResponse { plan: Some(edit()), ..answer("leavePlanMode") }),
        ("tab 7 enter 3 enter", answer("discard")),
        ("tab 7 enter 2 enter", ExitResponse { plan: Some(edit()), ..answer("keepPlanning") }),
    ];
    for (keys, expected) in page {
        let mut approval = open(asked(PLAN));
        approval.edited(Ok(edit()));
        approval.view(space(100, 40), Focus::Here);
        assert_eq!(typed(&mut approval, keys), sent(expected), "{keys}");
    }
}

#[test]
fn an_edit_is_shown_in_the_plan_and_its_difference_is_a_key_away() {
    let mut approval = open(asked(PLAN));
    approval.edited(Ok(edit()));
    insta::assert_snapshot!(shown(&mut approval, 80, 32), @r"
    ╭─ Plan • …re/fore/plans/faster-login.md • revision 1 • e7ff483b9ef1 • 14 lines
    │❯ A new first line
    │
    │  Faster login
    │
    │  The login page asks the database three times.
    │
    │  Steps
    │
    │  1. Read the user and the roles in one query.
    │  3. Measure again.
    │
    │  Verification
    │
    │  Run the login benchmark before and after.
    ╰─ 1-14 of 14 • notes: being checked • edited by you: +2 -1 (d) ────────────────
    • Reading what the plan covers…
    ✔ 0 files changed during planning.

      1 Approve; ask before each edit                   ▸ default
      2 Approve and accept edits while this plan lasts  ⏵⏵ acceptEdits
      3 Approve and start fresh with only the plan      ▸ default
        context 62 % full, 124k tokens
      4 Keep planning                                   ⏸ plan
      5 Save the plan and stop here                     ⏸ plan
      6 Leave plan mode without approving               ▸ default
      7 Discard and start over                          ⏸ plan

    Edited by you: your answer carries this text. d shows what you changed.
    ");
    typed(&mut approval, "d");
    insta::assert_snapshot!(shown(&mut approval, 80, 32), @r"
    ╭─ What you changed in the plan • revision 1 • e7ff483b9ef1 • 14 lines ─────────
    │❯  1 + A new first line
    │   2 +
    │   3   # Faster login
    │   4
    │   5   The login page asks the database three times.
    │   …
    │   7   ## Steps
    │   8
    │   9   1. Read the user and the roles in one query.
    │   8 - 2. Keep the session in memory.
    │  10   3. Measure again.
    │  11
    │  12   ## Verification
    ╰─ 1-13 of 13 • notes: being checked • edited by you: +2 -1 (d) ────────────────
    • Reading what the plan covers…
    ✔ 0 files changed during planning.

      1 Approve; ask before each edit                   ▸ default
      2 Approve and accept edits while this plan lasts  ⏵⏵ acceptEdits
      3 Approve and start fresh with only the plan      ▸ default
        context 62 % full, 124k tokens
      4 Keep planning                                   ⏸ plan
      5 Save the plan and stop here                     ⏸ plan
      6 Leave plan mode without approving               ▸ default
      7 Discard and start over                          ⏸ plan

    Esc back to the plan   Tab to the choices   ? keys
    ");
}

#[test]
fn an_edited_plan_comes_back_where_it_was_changed() {
    let plan: String = (1..=200).map(|number| format!("- step {number}\n")).collect();
    let mut approval = open(asked(&plan));
    approval.edited(Ok(plan.replace("step 100\n", "step one hundred\n")));
    let text = shown(&mut approval, 80, 30);
    let inside: Vec<&str> = text.lines().filter(|row| row.starts_with('│')).collect();
    assert_eq!(inside.iter().position(|row| *row == "│❯ • step one hundred"), Some(inside.len() / 2), "{text}");
}

#[test]
fn a_message_that_is_too_long_is_broken_where_there_is_room() {
    let why = "the editor nano ended with exit code 3, so nothing was changed";
    for (height, expected) in [
        (30, "Not edited: the editor nano ended with\nexit code 3, so nothing was changed"),
        (9, "Not edited: the editor nano ended with …"),
    ] {
        let mut approval = open(asked(PLAN));
        approval.edited(Err(why.into()));
        let text = shown(&mut approval, 40, height);
        assert!(text.ends_with(expected), "{text}");
    }
}

#[test]
fn after_an_edit_the_person_chooses_again() {
    let mut approval = open(asked(PLAN));
    typed(&mut approval, "tab 1");
    approval.edited(Ok(edit()));
    assert_eq!(typed(&mut approval, "enter"), DialogStep::Stay);
}

#[test]
fn edits_that_are_none_are_refused_in_words() {
    let long = "x".repeat(MAX_PLAN_BYTES + 1);
    let page = [
        (Ok(" \n\n".to_owned()), "An empty plan is not accepted: the plan is as it was before."),
        (Ok(long), "Too long: 262145 bytes, the most is 262144. Nothing changed."),
        (Ok(PLAN.to_owned()), "The plan was not changed."),
        (Ok(PLAN.trim_end().to_owned()), "The plan was not changed."),
        (Err("no\u{1b}[31m editor\nfound".to_owned()), "Not edited: no\\u{1b}[31m editor found"),
    ];
    for (text, expected) in page {
        let mut approval = open(asked(PLAN));
        approval.edited(text);
        assert_eq!(last_row(&mut approval), expected);
        assert_eq!(typed(&mut approval, "tab 1 enter"), sent(answer("startEditing")));
    }
}

#[test]
fn an_edit_that_is_taken_back_is_none() {
    let mut approval = open(asked(PLAN));
    approval.edited(Ok(edit()));
    approval.edited(Ok(PLAN.into()));
    approval.view(space(100, 40), Focus::Here);
    assert_eq!(typed(&mut approval, "tab 1 enter"), sent(answer("startEditing")));
}

#[test]
fn comments_follow_their_lines_through_an_edit() {
    let mut approval = open(asked(PLAN));
    typed(&mut approval, "j j j j j j j c 'gone' enter j c 'moved' enter");
    approval.edited(Ok(edit()));
    typed(&mut approval, "d d");
    insta::assert_snapshot!(shown(&mut approval, 80, 34), @r"
    ╭─ Plan • …re/fore/plans/faster-login.md • revision 1 • e7ff483b9ef1 • 14 lines
    │❯ A new first line
    │
    │  Faster login
    │
    │  The login page asks the database three times.
    │
    │  Steps
    │▌
    │▌ line 8 (line changed): gone
    │  1. Read the user and the roles in one query.
    │▌ 3. Measure again.
    │▌ line 10: moved
    │
    │  Verification
    │
    │  Run the login benchmark before and after.
    ╰─ 1-14 of 14 • notes: being checked • edited by you: +2 -1 (d) ────────────────
    • Reading what the plan covers…
    ✔ 0 files changed during planning.

      1 Approve; ask before each edit                   ▸ default
      2 Approve and accept edits while this plan lasts  ⏵⏵ acceptEdits
      3 Approve and start fresh with only the plan      ▸ default
        context 62 % full, 124k tokens
      4 Keep planning                                   ⏸ plan
      5 Save the plan and stop here                     ⏸ plan
      6 Leave plan mode without approving               ▸ default
      7 Discard and start over                          ⏸ plan

    2 comments: keep planning sends them   Tab to the choices   Esc keeps planning
    c comment   e edit   f full screen   p what it covers   d difference   ? keys
    ");
    let comment = |line, quote: &str, remark: &str| Comment {
        first_line: line,
        last_line: line,
        quote: quote.into(),
        remark: remark.into(),
    };
    let comments =
        vec![comment(8, "2. Keep the session in memory.", "gone"), comment(10, "3. Measure again.", "moved")];
    let expected = ExitResponse { comments, plan: Some(edit()), ..answer("keepPlanning") };
    assert_eq!(typed(&mut approval, "tab enter enter"), sent(expected));
}

#[test]
fn a_plan_that_is_asked_again_keeps_what_the_person_wrote() {
    let mut approval = open(asked(PLAN));
    typed(&mut approval, "G c 'Where?' enter n 'Mind' enter");
    let quote = "Run the login benchmark before and after.";
    let comments =
        |line| vec![Comment { first_line: line, last_line: line, quote: quote.into(), remark: "Where?".into() }];
    let newer = format!("One line more.\n\n{PLAN}");
    let mut request = asked(&newer);
    request.request.agent_id = "plan_approval:main:login:2".into();
    let mut approval = approval.again(request.clone());
    assert_eq!(last_row(&mut approval), "The plan is asked again. What you wrote is still here.");
    let expected = ExitResponse { agent_id: "plan_approval:main:login:2".into(), ..answer("keepPlanning") };
    let expected = ExitResponse { reason: "Mind".into(), comments: comments(15), ..expected };
    assert_eq!(typed(&mut approval, "tab enter enter"), sent(expected.clone()));

    approval.edited(Ok(PLAN.into()));
    let mut approval = approval.again(request);
    approval.view(space(100, 40), Focus::Here);
    let expected = ExitResponse { comments: comments(13), plan: Some(PLAN.into()), ..expected };
    assert_eq!(typed(&mut approval, "tab enter enter"), sent(expected));
}

#[test]
fn the_difference_and_the_earlier_comments_are_a_key_away() {
    let mut approval = open(asked_again(PLAN));
    typed(&mut approval, "d");
    insta::assert_snapshot!(shown(&mut approval, 80, 30), @r"
    ╭─ What changed since you last saw it • revision 3 • 0e71f57e57cd • 13 lines ───
    │❯ 7   1. Read the user and the roles in one query.
    │  8 - 2. Use a cache.
    │  8 + 2. Keep the session in memory.
    │  9 + 3. Measure again.
    ╰─ 1-4 of 4 • 3 notes, 1 serious (.) • +2 -1 (d) • 2 earlier comments (r) ──────
    • The plan names no file or command that could run without asking.
    ⚠ 2 files changed during planning.
    │ src/login.rs, Cargo.lock

      1 Approve; ask before each edit                   ▸ default
      2 Approve and accept edits while this plan lasts  ⏵⏵ acceptEdits
      3 Approve and start fresh with only the plan      ▸ default
        context about 62 % full, 124k tokens
      4 Keep planning                                   ⏸ plan
      5 Save the plan and stop here                     ⏸ plan
      6 Leave plan mode without approving               ▸ default
      7 Discard and start over                          ⏸ plan

    Esc back to the plan   Tab to the choices   ? keys
    ");
    typed(&mut approval, "r");
    insta::assert_snapshot!(shown(&mut approval, 80, 30), @r"
    ╭─ Earlier comments • …s/faster-login.md • revision 3 • 0e71f57e57cd • 13 lines
    │❯ line 8: these lines have changed
    │  2. Use a cache.
    │  Which cache?
    │
    │  line 7: these lines are unchanged
    │  1. Read the user and the roles in one query.
    │  And the groups?
    ╰─ 1-7 of 7 • 3 notes, 1 serious (.) • +2 -1 (d) • 2 earlier comments (r) ──────
    • The plan names no file or command that could run without asking.
    ⚠ 2 files changed during planning.
    │ src/login.rs, Cargo.lock

      1 Approve; ask before each edit                   ▸ default
      2 Approve and accept edits while this plan lasts  ⏵⏵ acceptEdits
      3 Approve and start fresh with only the plan      ▸ default
        context about 62 % full, 124k tokens
      4 Keep planning                                   ⏸ plan
      5 Save the plan and stop here                     ⏸ plan
      6 Leave plan mode without approving               ▸ default
      7 Discard and start over                          ⏸ plan

    Esc back to the plan   Tab to the choices   d difference   ? keys
    ");
    assert_eq!(typed(&mut approval, "esc"), DialogStep::Stay, "back to the plan");
    assert_eq!(typed(&mut approval, "esc"), sent(answer("keepPlanning")));
}
