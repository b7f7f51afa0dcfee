//! The fields for comments and reasons, as the person sees them.

use super::*;
use crate::dialogs::test_support::shown;

#[test]
fn a_comment_is_written_and_shown_under_its_line() {
    let mut approval = open(asked(PLAN));
    typed(&mut approval, "j j j j j j v j c 'Why' space 'in' space 'memory?'");
    insta::assert_snapshot!(shown(&mut approval, 80, 34), @r"
    ╭─ Plan • …re/fore/plans/faster-login.md • revision 1 • 0e71f57e57cd • 13 lines
    │  Faster login
    │
    │  The login page asks the database three times.
    │
    │  Steps
    │
    │▌ 1. Read the user and the roles in one query.
    │❯ 2. Keep the session in memory.
    │▌ Comment on lines 7-8
    │▌ Why in memory?▁
    │  3. Measure again.
    │
    │  Verification
    │
    │  Run the login benchmark before and after.
    ╰─ 1-13 of 13 ──────────────────────────────────────────────────────────────────
    • The plan names no file or command that could run without asking.
    ✔ 0 files changed during planning.

      1 Approve; ask before each edit                   ▸ default
      2 Approve and accept edits while this plan lasts  ⏵⏵ acceptEdits
      3 Approve and start fresh with only the plan      ▸ default
        context 62 % full, 124k tokens
      4 Keep planning                                   ⏸ plan
      5 Save the plan and stop here                     ⏸ plan
      6 Leave plan mode without approving               ▸ default
      7 Discard and start over                          ⏸ plan

    Enter saves   Esc keeps a draft   Ctrl+J new line
    ");
    typed(&mut approval, "enter");
    insta::assert_snapshot!(shown(&mut approval, 80, 30), @r"
    ╭─ Plan • …re/fore/plans/faster-login.md • revision 1 • 0e71f57e57cd • 13 lines
    │  Faster login
    │
    │  The login page asks the database three times.
    │
    │  Steps
    │
    │▌ 1. Read the user and the roles in one query.
    │❯ 2. Keep the session in memory.
    │▌ lines 7-8: Why in memory?
    │  3. Measure again.
    │
    │  Verification
    │
    │  Run the login benchmark before and after.
    ╰─ 1-13 of 13 ──────────────────────────────────────────────────────────────────
    • The plan names no file or command that could run without asking.
    ✔ 0 files changed during planning.

      1 Approve; ask before each edit                   ▸ default
      2 Approve and accept edits while this plan lasts  ⏵⏵ acceptEdits
      3 Approve and start fresh with only the plan      ▸ default
        context 62 % full, 124k tokens
      4 Keep planning                                   ⏸ plan
      5 Save the plan and stop here                     ⏸ plan
      6 Leave plan mode without approving               ▸ default
      7 Discard and start over                          ⏸ plan

    1 comment: keep planning sends it   Tab to the choices   Esc keeps planning
    c comment   e edit   f full screen   p what it covers   / search   ? keys
    ");
}

#[test]
fn a_comment_in_a_low_window_is_written_where_the_choices_were() {
    let mut approval = open(asked(PLAN));
    press(&mut approval, "j j c 'Why?'");
    insta::assert_snapshot!(shown(&mut approval, 40, 10), @"
        ╭─ Plan • rev 1 • 0e71f57 • 13 lines ───
        │  Faster login
        │
        │❯ The login page asks the database
        │  three times.
        │
        ╰─ 1-4 of 13 ↓ • ✔ no change found ─────
        Comment on line 3
        ❯ Why?▁
        Enter saves   Esc keeps a draft
        ");
}

#[test]
fn the_field_of_a_comment_is_seen_in_any_window() {
    for height in 10..40 {
        let mut approval = open(asked(PLAN));
        press(
            &mut approval,
            "j j j c 'One' enter v k k c 'a' ctrl+j 'b' ctrl+j 'c' ctrl+j 'd' ctrl+j 'e' ctrl+j 'Here'",
        );
        let text = shown(&mut approval, 80, height);
        assert!(text.contains("Here▁"), "{height}:\n{text}");
    }
}

#[test]
fn a_reason_is_written_below_the_choices() {
    let mut approval = open(asked(PLAN));
    typed(&mut approval, "tab enter 'Smaller' space 'steps'");
    insta::assert_snapshot!(shown(&mut approval, 80, 34), @r"
    ╭─ Plan • …re/fore/plans/faster-login.md • revision 1 • 0e71f57e57cd • 13 lines
    │• Faster login
    │
    │  The login page asks the database three times.
    │
    │  Steps
    │
    │  1. Read the user and the roles in one query.
    │  2. Keep the session in memory.
    │  3. Measure again.
    │
    │  Verification
    │
    │  Run the login benchmark before and after.
    ╰─ 1-13 of 13 ──────────────────────────────────────────────────────────────────
    • The plan names no file or command that could run without asking.
    ✔ 0 files changed during planning.

      1 Approve; ask before each edit                   ▸ default
      2 Approve and accept edits while this plan lasts  ⏵⏵ acceptEdits
      3 Approve and start fresh with only the plan      ▸ default
        context 62 % full, 124k tokens
    • 4 Keep planning                                   ⏸ plan
      5 Save the plan and stop here                     ⏸ plan
      6 Leave plan mode without approving               ▸ default
      7 Discard and start over                          ⏸ plan

    What should be different? (optional)
    ❯ Smaller steps▁

    Enter sends it   Esc goes back   Ctrl+J new line
    ");
}
