//! The planning stories of the headless scenarios, typed by keys: they end in the same transcript.

use crate::{
    headless,
    screens::{SIZES, see},
    stage::{Stage, WIDE},
    steps::focus,
};
use fore_testkit::terminal::{Exit, Terminal, TerminalKey};

const KEEP: &str = "keep_planning_with_reason_and_comments";
const WHOLE: &str = "whole_planning_story";

#[test]
fn d3_m4_a_comment_and_a_reason_lead_to_a_new_revision_that_is_approved() {
    let expected = told_headless(KEEP);
    for size in SIZES {
        let stage = Stage::of(KEEP);
        let mut terminal = stage.start(&["--mode", "plan"], size);
        terminal.wait_for("plan mode on");
        terminal.keys("Plan a fix.\n");
        keep_planning(&stage, &mut terminal);
        approve(&stage, &mut terminal);
        terminal.wait_for("Working.");
        see(&stage, &terminal, "story_approved");
        leave(&mut terminal);
        same(&stage.transcript(), &expected);
        stage.finish();
    }
}

/// Comments on a line of the plan, and keeps planning with a reason.
fn keep_planning(stage: &Stage, terminal: &mut Terminal) {
    terminal.wait_for("Faster login");
    focus(terminal);
    see(stage, terminal, "story_plan");
    terminal.keys("/login.rs\n");
    terminal.key(TerminalKey::Esc);
    terminal.keys("cby name is slow too\n");
    see(stage, terminal, "story_commented");
    // Whoever has not chosen stands on "keep planning".
    terminal.keys("\t\nWhy not an index? \"quoted\" <b>&");
    see(stage, terminal, "story_reason");
    terminal.key(TerminalKey::Enter);
}

/// Looks at what changed, and approves by the first choice.
fn approve(stage: &Stage, terminal: &mut Terminal) {
    let is_second = |row: &String| row.contains("• rev 2 •") || row.contains("• revision 2 •");
    terminal.wait_rows("the second revision", |rows| rows.iter().any(is_second));
    focus(terminal);
    see(stage, terminal, "story_second_revision");
    terminal.keys("d");
    see(stage, terminal, "story_difference");
    terminal.key(TerminalKey::Esc);
    // Only a plan whose end was on the screen is approved.
    terminal.keys("G2\t\n");
}

#[test]
fn f6_d4_agents_a_question_a_plan_and_an_edit_are_one_story() {
    let stage = Stage::of(WHOLE);
    let mut terminal = stage.start(&["--mode", "plan"], WIDE);
    terminal.wait_for("plan mode on");
    terminal.keys("Why is login slow? Plan a fix.\n");
    terminal.wait_for("Keep the list of users?");
    focus(&mut terminal);
    // A choice with a word to it.
    terminal.keys("1nbut make it private\n");
    terminal.wait_for("Faster login");
    focus(&mut terminal);
    terminal.keys("2\t\n");
    terminal.wait_for("by_name(name).is_some()");
    focus(&mut terminal);
    terminal.keys("1\n");
    terminal.wait_for("Login looks the user up by name.");
    see(&stage, &terminal, "whole_story");
    leave(&mut terminal);
    same(&stage.transcript(), &told_headless(WHOLE));
    stage.finish();
}

/// Leaves, and finds the terminal as it was.
fn leave(terminal: &mut Terminal) {
    terminal.key(TerminalKey::Ctrl('c'));
    terminal.wait_for("again");
    terminal.key(TerminalKey::Ctrl('c'));
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert!(terminal.screen().modes.are_at_rest(), "{:?}", terminal.screen().modes);
}

/// What the same story leaves on disk when it is told without a terminal.
fn told_headless(story: &str) -> String {
    let stage = Stage::of(story);
    headless::play(&stage, story);
    stage.transcript()
}

fn same(found: &str, expected: &str) {
    // Lines are compared one by one: the first one that differs says more than two long texts.
    for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "line {}", number + 1);
    }
    assert_eq!(found.lines().count(), expected.lines().count());
}
