//! The planning story, typed by keys: the same screens every time, and the same transcript as without a terminal.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::{
    headless,
    stage::{NARROW, Stage, USUAL, WIDE},
};
use fore_testkit::terminal::{Exit, Key, Size, Terminal};
use insta::assert_snapshot;

const KEEP: &str = "keep_planning_with_reason_and_comments";
const WHOLE: &str = "whole_planning_story";

/// What is on the screen, under the name of the moment and the width of the window.
fn see(stage: &Stage, terminal: &Terminal, moment: &str, size: Size) {
    assert_snapshot!(format!("{moment}_{}", size.columns), stage.stable(&terminal.screen()).framed());
}

/// Leaves, and finds the terminal as it was.
fn leave(terminal: &mut Terminal) {
    terminal.key(Key::Ctrl('c'));
    terminal.wait_for("again");
    terminal.key(Key::Ctrl('c'));
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert!(terminal.screen().modes().are_at_rest(), "{:?}", terminal.screen().modes());
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

#[test]
fn d3_m4_a_comment_and_a_reason_lead_to_a_new_revision_that_is_approved() {
    for size in [WIDE, USUAL, NARROW] {
        let stage = Stage::of(KEEP);
        let mut terminal = stage.start(&["--mode", "plan"], size);
        terminal.wait_for("plan mode on");
        see(&stage, &terminal, "start", size);
        terminal.keys("Plan a fix.");
        terminal.key(Key::Enter);
        keep_planning(&stage, &mut terminal, size);
        approve(&stage, &mut terminal, size);
        terminal.wait_for("Working.");
        see(&stage, &terminal, "done", size);
        leave(&mut terminal);
        same(&stage.transcript(), &told_headless(KEEP));
        stage.finish();
    }
}

/// Comments on line 7 of the plan, and keeps planning with a reason.
fn keep_planning(stage: &Stage, terminal: &mut Terminal, size: Size) {
    terminal.wait_for("Keep planning");
    terminal.wait_for("# Faster login");
    see(stage, terminal, "approval", size);
    terminal.key(Key::Tab);
    // Five steps from the heading to the line about the file.
    terminal.keys("/login.rs\n");
    terminal.key(Key::Char('c'));
    terminal.keys("by name is slow too");
    see(stage, terminal, "comment", size);
    terminal.key(Key::Enter);
    terminal.wait_for("1 comment");
    see(stage, terminal, "approval_with_a_comment", size);
    terminal.key(Key::Esc);
    terminal.keys("Why not an index? \"quoted\" <b>&");
    see(stage, terminal, "reason", size);
    terminal.key(Key::Enter);
}

/// Approves the second revision by its first choice.
fn approve(stage: &Stage, terminal: &mut Terminal, size: Size) {
    terminal.wait_for("up in an index");
    terminal.wait_for("earlier");
    see(stage, terminal, "second_revision", size);
    terminal.key(Key::Char('1'));
    terminal.key(Key::Enter);
}

#[test]
fn f6_d4_agents_a_question_a_plan_and_an_edit_are_one_story() {
    let stage = Stage::of(WHOLE);
    let mut terminal = stage.start(&["--mode", "plan", "Why is login slow? Plan a fix."], WIDE);
    terminal.wait_for("Keep the list of users?");
    see(&stage, &terminal, "question", WIDE);
    terminal.key(Key::Enter);
    terminal.keys("but make it private");
    terminal.key(Key::Enter);
    terminal.wait_for("Keep planning");
    terminal.key(Key::Char('1'));
    terminal.key(Key::Enter);
    terminal.wait_for("by_name(name).is_some()");
    see(&stage, &terminal, "permission", WIDE);
    terminal.key(Key::Enter);
    terminal.wait_for("Login looks the user up by name.");
    see(&stage, &terminal, "whole_story", WIDE);
    leave(&mut terminal);
    same(&stage.transcript(), &told_headless(WHOLE));
    stage.finish();
}
