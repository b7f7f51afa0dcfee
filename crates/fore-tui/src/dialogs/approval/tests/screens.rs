//! What the person sees, in wide and narrow, high and low windows.

use super::*;
use crate::{
    dialogs::test_support::{THEME, shown, text_of},
    theme::{Colours, Signs, Theme},
    view::Space,
};

#[test]
fn d3_the_dialog_at_120_columns() {
    insta::assert_snapshot!(shown(&mut open(asked_again(PLAN)), 120, 40), @r"
    ╭─ Plan • /home/ada/.local/share/fore/plans/faster-login.md • revision 3 • 0e71f57e57cd • 13 lines ─────────────────────
    │⚠ note on the whole plan: The plan says nothing about how to check it.
    │❯ Faster login
    │
    │  The login page asks the database three times.
    │
    │  Steps
    │
    │  1. Read the user and the roles in one query.
    │⚠ note: `src/user.rs` does not exist.
    │  2. Keep the session in memory.
    │• note: A question is open.
    │  3. Measure again.
    │
    │  Verification
    │
    │  Run the login benchmark before and after.
    ╰─ 1-13 of 13 • 3 notes, 1 serious (.) • +2 -1 since you last saw it (d) • 2 earlier comments (r) ──────────────────────
    • The plan names no file or command that could run without asking.
    ⚠ 2 files changed during planning.
    │ src/login.rs, Cargo.lock

      1 Approve; ask before each edit                   ▸ default
      2 Approve and accept edits while this plan lasts  ⏵⏵ acceptEdits
      3 Approve and start fresh with only the plan      ▸ default  context about 62 % full, 124k tokens
      4 Keep planning                                   ⏸ plan
      5 Save the plan and stop here                     ⏸ plan
      6 Leave plan mode without approving               ▸ default
      7 Discard and start over                          ⏸ plan

    Tab choices   Esc keeps planning   c comment   . , notes   e edit   f full screen   p what it covers   d difference
    s leave a step out   / search   n add a note   v range   ? keys
    ");
}

#[test]
fn d3_the_dialog_at_80_columns() {
    insta::assert_snapshot!(shown(&mut open(asked(PLAN)), 80, 30), @r"
    ╭─ Plan • …re/fore/plans/faster-login.md • revision 1 • 0e71f57e57cd • 13 lines
    │❯ Faster login
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
      4 Keep planning                                   ⏸ plan
      5 Save the plan and stop here                     ⏸ plan
      6 Leave plan mode without approving               ▸ default
      7 Discard and start over                          ⏸ plan

    Tab choices   Esc keeps planning   c comment   e edit   f full screen
    p what it covers   s leave a step out   / search   n add a note   ? keys
    ");
}

#[test]
fn d3_the_dialog_at_40_columns() {
    insta::assert_snapshot!(shown(&mut open(asked_again(PLAN)), 40, 40), @r"
    ╭─ Plan • rev 3 • 0e71f57 • 13 lines ───
    │⚠ note on the whole plan: The plan says
    ││ nothing about how to check it.
    │❯ Faster login
    │
    │  The login page asks the database
    │  three times.
    │
    │  Steps
    │
    │  1. Read the user and the roles in one
    │     query.
    │⚠ note: `src/user.rs` does not exist.
    │  2. Keep the session in memory.
    │• note: A question is open.
    │  3. Measure again.
    │
    │  Verification
    │
    ╰─ 1-12 of 13 ↓ • 3 notes • +2 -1 (d) ──
    • The plan names no file or command that
    │ could run without asking.
    ⚠ 2 files changed during planning.
    │ src/login.rs, Cargo.lock

      1 Approve; ask before each edit
        ▸ default
      2 Approve and accept edits while this
        plan lasts  ⏵⏵ acceptEdits
      3 Approve and start fresh with only
        the plan  ▸ default
        context about 62 % full, 124k tokens
      4 Keep planning  ⏸ plan
      5 Save the plan and stop here  ⏸ plan
      6 Leave plan mode without approving
        ▸ default
      7 Discard and start over  ⏸ plan

    Tab to the choices   Esc keeps planning
    c comment   . , notes   e edit   ? keys
    ");
}

#[test]
fn in_a_low_window_there_are_fewer_words_and_the_choices_stay() {
    insta::assert_snapshot!(shown(&mut open(asked_again(PLAN)), 80, 18), @r"
    ╭─ Plan • …re/fore/plans/faster-login.md • revision 3 • 0e71f57e57cd • 13 lines
    │⚠ note on the whole plan: The plan says nothing about how to check it.
    │❯ Faster login
    │
    │  The login page asks the database three times.
    │
    │  Steps
    ╰─ 1-5 of 13 ↓ • 3 notes, 1 serious (.) • +2 -1 (d) • 2 earlier comments (r) ───
    ⚠ 2 files changed during planning.
      1 Approve; ask before each edit                   ▸ default
      2 Approve and accept edits while this plan lasts  ⏵⏵ acceptEdits
      3 Approve and start fresh with only the plan      ▸ default
        context about 62 % full, 124k tokens
      4 Keep planning                                   ⏸ plan
      5 Save the plan and stop here                     ⏸ plan
      6 Leave plan mode without approving               ▸ default
      7 Discard and start over                          ⏸ plan
    Tab to the choices   Esc keeps planning   c comment   . , notes   ? keys
    ");
    insta::assert_snapshot!(shown(&mut open(asked_again(PLAN)), 80, 10), @"
    ╭─ Plan • …re/fore/plans/faster-login.md • revision 3 • 0e71f57e57cd • 13 lines
    │⚠ note on the whole plan: The plan says nothing about how to check it.
    │❯ Faster login
    │
    │  The login page asks the database three times.
    ╰─ 1-3 of 13 ↓ • ⚠ 2 changed • 3 notes (.) • +2 -1 (d) • 2 earlier (r) ─────────
      1 Approve: default   2 Approve: acceptEdits
      3 Clear, approve: default (62 % full)   4 Keep planning   5 Save and stop
      6 Leave: default   7 Discard
    Tab to the choices   Esc keeps planning   c comment   . , notes   ? keys
    ");
    insta::assert_snapshot!(shown(&mut open(asked_again(PLAN)), 40, 10), @"
    ╭─ Plan • rev 3 • 0e71f57 • 13 lines ───
    │⚠ note on the whole plan: The plan say…
    │❯ Faster login
    ╰─ 1-1 of 13 ↓ • ⚠ 2 changed • 3 notes ─
      1 Approve: default
      2 Approve: acceptEdits
      3 Clear, approve: default (62 % full)
      4 Keep planning   5 Save and stop
      6 Leave: default   7 Discard
    Tab to the choices   c comment   ? keys
    ");
    insta::assert_snapshot!(shown(&mut open(asked_again(PLAN)), 40, 5), @"
        A plan waits for your answer. Make the
        window larger to see the choices. Esc
        keeps planning.
        ");
}

#[test]
fn in_the_lowest_window_every_choice_of_every_level_is_there() {
    for level in [Level::Default, Level::AcceptEdits, Level::Auto, Level::BypassPermissions] {
        for width in [40, 60, 80, 120] {
            let mut asked = asked_again(PLAN);
            asked.request.options = offers(&state(level), &fore_plan::contract::Contract::default());
            let text = shown(&mut open(asked.clone()), width, 10);
            for number in 1..=asked.request.options.len() {
                assert!(text.contains(&format!(" {number} ")), "choice {number} of {level} at {width}:\n{text}");
            }
        }
    }
}

#[test]
fn without_utf8_and_without_colours() {
    let theme = Theme { colours: Colours::Nothing, signs: Signs::Ascii, ..THEME };
    let view = open(asked_again(PLAN)).view(Space { width: 80, height: 40, theme }, Focus::Here);
    let text = text_of(&view);
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!(text, @r"
    +- Plan - .../fore/plans/faster-login.md - revision 3 - 0e71f57e57cd - 13 lines
    |! note on the whole plan: The plan says nothing about how to check it.
    |> Faster login
    |
    |  The login page asks the database three times.
    |
    |  Steps
    |
    |  1. Read the user and the roles in one query.
    |! note: `src/user.rs` does not exist.
    |  2. Keep the session in memory.
    |- note: A question is open.
    |  3. Measure again.
    |
    |  Verification
    |
    |  Run the login benchmark before and after.
    +- 1-13 of 13 - 3 notes, 1 serious (.) - +2 -1 (d) - 2 earlier comments (r) ----
    - The plan names no file or command that could run without asking.
    ! 2 files changed during planning.
    | src/login.rs, Cargo.lock

      1 Approve; ask before each edit                   > default
      2 Approve and accept edits while this plan lasts  >> acceptEdits
      3 Approve and start fresh with only the plan      > default
        context about 62 % full, 124k tokens
      4 Keep planning                                   || plan
      5 Save the plan and stop here                     || plan
      6 Leave plan mode without approving               > default
      7 Discard and start over                          || plan

    Tab choices   Esc keeps planning   c comment   . , notes   e edit
    f full screen   p what it covers   d difference   s leave a step out   ? keys
    ");
}

#[test]
fn without_the_focus_the_dialog_says_how_to_reach_it() {
    let mut approval = open(asked(PLAN));
    insta::assert_snapshot!(text_of(&approval.view(space(80, 30), Focus::Elsewhere)), @r"
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
      4 Keep planning                                   ⏸ plan
      5 Save the plan and stop here                     ⏸ plan
      6 Leave plan mode without approving               ▸ default
      7 Discard and start over                          ⏸ plan

    Tab to answer - what you type goes to your message
    ");
}
