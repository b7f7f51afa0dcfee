//! A whole story with everything in it, at three widths.

use super::{PLAIN, UNICODE, events::*, page};
use fore_agent::{ApprovalOutcome, CallOutcome, Event, NoticeLevel, ShownCall, TurnOutcome};
use fore_plan::{Actor, Cage, Level, Mode, ModeChanger, ModeEvent, ModeReason, Outside, plan::Hash};
use fore_store::entry::TodoStatus;

const PLAN: &str = "# Make the login fast\n\n1. Add an index on `users.name`\n2. Use it in `find_user`\n\n## Verify\n\n`cargo test login`\n";
const DIFF: &str = "--- src/login.rs\n+++ src/login.rs\n@@ -8,3 +8,3 @@\n fn find_user(name: &str) {\n-    users.iter().find(name)\n+    index.get(name)\n }\n";

/// A session from the first prompt to the work on an approved plan.
pub(super) fn story() -> Vec<Event> {
    let approved = ModeReason::Approved { plan: receipt(Level::AcceptEdits).plan, revision: 2 };
    let by = || ModeChanger::Actor(Actor::Person);
    let mode = |from, to, why| Event::ModeChanged(ModeEvent { from, to, by: by(), why });
    let (plan, accepts) = (Mode::Plan, Mode::At(Level::AcceptEdits));
    let cage = Some(Cage::ReadOnly { outside: Outside::Closed });
    vec![
        welcome(Mode::At(Level::Default), true),
        mode(Mode::At(Level::Default), plan, ModeReason::Chosen),
        taken("Why is the login slow?\nPlan a fix."),
        Event::TurnStarted,
        reasoning("The person wants a plan.\nI look first."),
        words("I will **look** at the login first."),
        said("I will **look** at the login first."),
        started("1", "Read", "src/login.rs", None),
        finished("1", "Read", CallOutcome::Done, ShownCall::line("120 lines")),
        started("2", "Grep", "find_user", None),
        finished("2", "Grep", CallOutcome::Done, ShownCall::line("3 matches")),
        started("3", "Bash", "cargo test login", Some(Cage::Rehearsal)),
        finished(
            "3",
            "Bash",
            CallOutcome::Failed,
            ShownCall::text(
                "exit 101",
                "running 3 tests\n\u{1b}[31mtest a ... FAILED\u{1b}[0m\n\tat src/login.rs\nb\nc\nd\ne\n",
            ),
        ),
        started("4", "Bash", "rm -r target", cage),
        finished("4", "Bash", refused(), ShownCall::line("refused: `rm` deletes files")),
        started("5", "!", "git status --short", Some(Cage::Free)),
        finished("5", "!", CallOutcome::Done, ShownCall::text("exit 0", " M src/login.rs")),
        started("6", "ExitPlanMode", "", None),
        asked(PLAN),
        Event::Decided(ApprovalOutcome::Approved {
            receipt: receipt(Level::AcceptEdits),
            notice: None,
            moved: None,
            comments: Vec::new(),
        }),
        mode(plan, accepts, approved),
        finished("6", "ExitPlanMode", CallOutcome::Done, ShownCall::line("approved; acceptEdits from here on")),
        Event::Todos { items: vec![todo("Add the index", TodoStatus::Done), todo("Use it", TodoStatus::InProgress)] },
        started("7", "Edit", "src/login.rs", None),
        finished("7", "Edit", CallOutcome::Done, ShownCall::diff("src/login.rs: +1 −1", "src/login.rs", DIFF)),
        notice(NoticeLevel::Info, "The level that came with the plan ends with it."),
        Event::TurnEnded { outcome: TurnOutcome::Done },
    ]
}

#[test]
fn a_session_at_120_columns() {
    insta::assert_snapshot!(page(&story(), 120, &UNICODE), @"
    Forethought 0.1.0
      folder  /projects/shop
      model   anthropic/claude-opus-5
      mode    ▸ asks before each change
      sandbox ▣ on while planning

    ⏸ plan mode on

    ❯ Why is the login slow?
      Plan a fix.

    ○ thought · 2 lines (ctrl+o)

    ● I will look at the login first.

    ● Read src/login.rs · 120 lines
    ● Grep find_user · 3 matches

    ● Bash cargo test login
      └ rehearsed, nothing kept · exit 101
        running 3 tests
        test a ... FAILED
            at src/login.rs
        b
        c
        d
        e

    ● Bash rm -r target
      └ Refused in plan mode: `rm` deletes files.
        Put this step in the plan.

    ❯ ! git status --short
      └ your own command · exit 0
         M src/login.rs

    ● Plan approved · accept edits on · for this plan · revision 2 · c3964bb3b70a · edited by you
      │ Make the login fast
      │
      │ 1. Add an index on `users.name`
      │ 2. Use it in `find_user`
      │
      │ Verify
      │
      │ `cargo test login`

    ● Edit src/login.rs
      └ +1 −1
         8   fn find_user(name: &str) {
         9 -     users.iter().find(name)
         9 +     index.get(name)
        10   }

    • The level that came with the plan ends with it.

    ● Todo list · 1 of 2 done
      ✔ Add the index
      ❯ Use it
    ");
}

#[test]
fn a_session_at_80_columns_without_colours() {
    insta::assert_snapshot!(page(&story(), 80, &PLAIN), @"
    Forethought 0.1.0
      folder  /projects/shop
      model   anthropic/claude-opus-5
      mode    > asks before each change
      sandbox # on while planning

    || plan mode on

    > Why is the login slow?
      Plan a fix.

    o thought - 2 lines (ctrl+o)

    * I will look at the login first.

    * Read src/login.rs - 120 lines
    * Grep find_user - 3 matches

    * Bash cargo test login
      ` rehearsed, nothing kept - exit 101
        running 3 tests
        test a ... FAILED
            at src/login.rs
        b
        c
        d
        e

    * Bash rm -r target
      ` Refused in plan mode: `rm` deletes files.
        Put this step in the plan.

    > ! git status --short
      ` your own command - exit 0
         M src/login.rs

    * Plan approved - accept edits on - for this plan - revision 2 - c3964bb3b70a -
      edited by you
      | Make the login fast
      |
      | 1. Add an index on `users.name`
      | 2. Use it in `find_user`
      |
      | Verify
      |
      | `cargo test login`

    * Edit src/login.rs
      ` +1 −1
         8   fn find_user(name: &str) {
         9 -     users.iter().find(name)
         9 +     index.get(name)
        10   }

    - The level that came with the plan ends with it.

    * Todo list - 1 of 2 done
      + Add the index
      > Use it
    ");
}

#[test]
fn a_session_at_40_columns() {
    insta::assert_snapshot!(page(&story(), 40, &UNICODE), @"
    Forethought 0.1.0
      folder  /projects/shop
      model   anthropic/claude-opus-5
      mode    ▸ asks before each change
      sandbox ▣ on while planning

    ⏸ plan mode on

    ❯ Why is the login slow?
      Plan a fix.

    ○ thought · 2 lines (ctrl+o)

    ● I will look at the login first.

    ● Read src/login.rs · 120 lines
    ● Grep find_user · 3 matches

    ● Bash cargo test login
      └ rehearsed, nothing kept · exit 101
        running 3 tests
        test a ... FAILED
            at src/login.rs
        b
        c
        d
        e

    ● Bash rm -r target
      └ Refused in plan mode: `rm` deletes
        files.
        Put this step in the plan.

    ❯ ! git status --short
      └ your own command · exit 0
         M src/login.rs

    ● Plan approved · accept edits on · for
      this plan · revision 2 · c3964bb3b70a
      · edited by you
      │ Make the login fast
      │
      │ 1. Add an index on `users.name`
      │ 2. Use it in `find_user`
      │
      │ Verify
      │
      │ `cargo test login`

    ● Edit src/login.rs
      └ +1 −1
         8   fn find_user(name: &str) {
         9 -     users.iter().find(name)
         9 +     index.get(name)
        10   }

    • The level that came with the plan ends
      with it.

    ● Todo list · 1 of 2 done
      ✔ Add the index
      ❯ Use it
    ");
}

#[test]
fn every_other_block_at_60_columns() {
    let path = || String::from("/home/ada/.forethought/plans/brave-quiet-fox.md");
    let hash = Hash::of(b"# Plan\n");
    let events = [
        welcome(Mode::Plan, false),
        Event::Plan { path: None, text: None, hash: None, changed: String::new(), unreadable: None },
        Event::Plan {
            path: Some(path()),
            text: Some("# Plan\n\n- a\n- b\n".into()),
            hash: Some(hash),
            changed: String::new(),
            unreadable: None,
        },
        Event::Decided(ApprovalOutcome::Saved { path: path() }),
        Event::Decided(ApprovalOutcome::Left { level: Level::Default }),
        Event::Decided(ApprovalOutcome::Awaits { path: path(), hash }),
        Event::PlanImplement { plan_file_path: path(), plan_hash: hash, plan_content: String::new() },
        Event::ContextCut { why: fore_agent::ContextCutReason::Summarised },
        Event::ModelChanged { model: model(), duty: Some(fore_agent::DutyName::Plan) },
        notice(NoticeLevel::Warning, "careful\nnow"),
        notice(NoticeLevel::Error, "The transcript could not be written: disk full"),
        Event::TurnEnded { outcome: TurnOutcome::ModelFailed { why: "no answer".into() } },
        Event::TurnEnded { outcome: TurnOutcome::TooManyRounds { rounds: 100 } },
    ];
    insta::assert_snapshot!(page(&events, 60, &UNICODE), @r#"
    Forethought 0.1.0
      folder  /projects/shop
      model   anthropic/claude-opus-5
      mode    ⏸ plan mode on
      sandbox ▢ none: while planning, no command runs
      trust   ⚠ folder not trusted; /trust to change

    ● Already in plan mode. No plan written yet.

    ● Current Plan
      /home/ada/.forethought/plans/brave-quiet-fox.md
      │ Plan
      │
      │ • a
      │ • b

    ● Plan saved, nothing started ·
      /home/ada/.forethought/plans/brave-quiet-fox.md
      Your next prompt continues planning.

    ● Left plan mode without approving · asks before each change

    ● Plan awaits approval ·
      /home/ada/.forethought/plans/brave-quiet-fox.md ·
      c3964bb3b70a

    ● Work starts from the plan alone ·
      /home/ada/.forethought/plans/brave-quiet-fox.md ·
      c3964bb3b70a

    • The conversation was summarised; the transcript keeps all
      of it.

    • Now using anthropic/claude-opus-5 for planning

    ⚠ careful
      now

    ✘ The transcript could not be written: disk full

    ✘ The model could not answer: no answer

    ⚠ Stopped after 100 rounds of calls. Say "continue" to let
      it work on.
    "#);
}

#[test]
fn i1_the_verdict_of_auto_mode_stands_in_the_line_of_the_call() {
    let line = "ok, no output · auto mode allowed it: asked for";
    let events = vec![
        started("1", "Bash", "touch a.txt", Some(Cage::Free)),
        finished("1", "Bash", CallOutcome::Done, ShownCall::text(line, "(no output)\nok")),
    ];
    let page = page(&events, 120, &UNICODE);
    assert!(page.contains(line), "{page}");
    assert!(!page.contains("(no output)"), "what the line says is not said twice: {page}");
}
