//! `/plan` in the real program, as the first page of `docs/test-list.md` has it.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::{
    stage::{Person, Stage, WIDE},
    steps::{leave, wait_ready, wait_reply, wait_status},
};
use fore_testkit::{ModelScript, call, text};
use serde_json::json;

const ASKS: &str = "▸ asks before each change";
const PLANS: &str = "⏸ plan mode on";

#[test]
fn n19_1_plan_enters_and_only_a_description_is_sent() {
    let script = ModelScript::new().turn(text("I look into it.").expect_user("rework the login"));
    let stage = Stage::new(script, Person::Known);
    let mut terminal = stage.start(&[], WIDE);
    wait_status(&terminal, ASKS);
    terminal.keys("/plan\n");
    wait_status(&terminal, PLANS);
    assert_eq!(stage.server.requests().len(), 0, "entering asks the model nothing");
    terminal.keys("/plan off\n");
    wait_status(&terminal, ASKS);
    terminal.keys("/plan rework the login\n");
    wait_reply(&terminal, "I look into it.");
    wait_status(&terminal, PLANS);
    leave(&mut terminal);
    stage.finish();
}

#[test]
fn n19_1_plan_shows_and_opens_the_plan_or_says_that_there_is_none() {
    let script = ModelScript::new()
        .turn(call("Write", json!({"file_path": "{{plan}}", "content": "# Faster login\n\n1. Look it up by name.\n"})))
        .turn(text("Which database is it?"));
    let stage = Stage::new(script, Person::Known).variable("EDITOR", Some("my-editor"));
    stage.command("my-editor", "test -e \"$HOME/broken\" && exit 3\necho '2. Measure.' >> \"$1\"");
    let mut terminal = stage.start(&["--mode", "plan"], WIDE);
    wait_ready(&terminal);
    terminal.keys("/plan\n");
    terminal.wait_for("Already in plan mode. No plan written yet.");
    terminal.keys("Plan a fix.\n");
    wait_reply(&terminal, "Which database is it?");
    terminal.keys("/plan\n");
    let shown = terminal.wait_for("Current Plan");
    for part in [".forethought/plans/", "Faster login", "my-editor"] {
        assert!(shown.contains(part), "{part} is missing:\n{}", shown.text());
    }
    terminal.keys("/plan open\n");
    terminal.wait_for("Opened plan in editor");
    // The session takes it in its turn.
    terminal.keys("/plan\n");
    terminal.wait_for("Measure.");
    let file = format!(".forethought/plans/{}.md", stage.plans().concat());
    assert!(stage.read(&file).ends_with("2. Measure.\n"), "what was written there is the plan");
    stage.write("broken", "");
    terminal.keys("/plan open\n");
    terminal.wait_for("Failed to open plan in editor");
    leave(&mut terminal);
    stage.finish();
}
