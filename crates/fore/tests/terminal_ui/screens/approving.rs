//! A plan that waits for its answer, and the ways to give one.

use super::{SIZES, see};
use crate::{
    stage::{Person, Stage},
    steps::{turn_to_plan, wait_question},
};
use fore_testkit::{
    ModelScript, ScriptedTurn, call,
    terminal::{Terminal, TerminalKey, TerminalSize},
    text,
};
use serde_json::json;

const PLAN: &str = include_str!("../picture_plan.md");

fn hand_in() -> ScriptedTurn {
    call("Write", json!({"file_path": "{{plan}}", "content": PLAN})).call("ExitPlanMode", json!({}))
}

fn planned(script: ModelScript, size: TerminalSize) -> (Stage, Terminal) {
    let stage = Stage::new(script, Person::Known);
    let mut terminal = stage.start(&["--mode", "plan", "Login is slow. Plan a fix."], size);
    wait_question(&terminal, "Faster login");
    turn_to_plan(&mut terminal);
    (stage, terminal)
}

#[test]
fn d3_approving_with_unsent_comments_asks_once_more() {
    for size in SIZES {
        let (stage, mut terminal) = planned(ModelScript::new().turn(hand_in()).turn(text("I start.")), size);
        see(&stage, &terminal, "plan");
        // Only a plan whose end was on the screen is approved.
        terminal.keys("Gg");
        terminal.keys("/by_name\nc");
        terminal.keys("keep the old order of users, the tests rely on it");
        see(&stage, &terminal, "plan_comment");
        terminal.key(TerminalKey::Enter);
        terminal.key(TerminalKey::Esc);
        see(&stage, &terminal, "plan_with_a_comment");
        terminal.keys("1\t");
        see(&stage, &terminal, "plan_choice");
        terminal.key(TerminalKey::Enter);
        see(&stage, &terminal, "plan_asks_once_more");
        terminal.keys("3\n");
        see(&stage, &terminal, "plan_approved");
        stage.finish();
    }
}

#[test]
fn m4_the_next_version_shows_what_changed() {
    for size in SIZES {
        let changed = call(
            "Edit",
            json!({"file_path": "{{plan}}", "old_string": "an index built once", "new_string": "a map built at start"}),
        )
        .call("ExitPlanMode", json!({}));
        let (stage, mut terminal) =
            planned(ModelScript::new().turn(hand_in()).turn(changed).turn(text("I look again.")), size);
        terminal.keys("5\t\nwhy an index?\n");
        terminal.wait_for("+1 -1");
        see(&stage, &terminal, "plan_again");
        turn_to_plan(&mut terminal);
        terminal.keys("d");
        see(&stage, &terminal, "plan_difference");
        terminal.key(TerminalKey::Esc);
        terminal.keys("f");
        see(&stage, &terminal, "plan_in_full");
        terminal.keys("q");
        terminal.key(TerminalKey::Esc);
        see(&stage, &terminal, "plan_kept_planning");
        terminal.keys("/plan\n");
        see(&stage, &terminal, "plan_shown");
        let file = format!(".forethought/plans/{}.md", stage.plans().concat());
        stage.write(&file, &stage.read(&file).replace("300 ms", "half a second"));
        terminal.keys("/plan diff\n");
        see(&stage, &terminal, "plan_changed_by_hand");
        stage.finish();
    }
}

#[test]
fn m5_notes_stand_beneath_the_lines_they_are_about() {
    let plan =
        "# Faster login\n\n1. Change `src/logon.rs`, which reads every user.\n2. Name the index: TBD\n3. Measure.\n";
    let hand_in = call("Write", json!({"file_path": "{{plan}}", "content": plan})).call("ExitPlanMode", json!({}));
    for size in SIZES {
        let (stage, mut terminal) = planned(ModelScript::new().turn(hand_in.clone()), size);
        see(&stage, &terminal, "plan_noted");
        terminal.keys("..c");
        terminal.keys("it is login.rs");
        terminal.key(TerminalKey::Enter);
        see(&stage, &terminal, "plan_noted_and_commented");
        terminal.keys(".");
        see(&stage, &terminal, "plan_next_note");
        stage.finish();
    }
}

#[test]
fn d3_a_plan_takes_no_keys_from_somebody_who_writes() {
    for size in SIZES {
        let (stage, mut terminal) = planned(ModelScript::new().turn(hand_in()), size);
        terminal.key(TerminalKey::Ctrl('t'));
        terminal.keys("one more thing");
        see(&stage, &terminal, "plan_elsewhere");
        terminal.resize(TerminalSize { rows: 12, ..size });
        see(&stage, &terminal, "plan_elsewhere_low");
        terminal.key(TerminalKey::Tab);
        see(&stage, &terminal, "plan_low");
        stage.finish();
    }
}
