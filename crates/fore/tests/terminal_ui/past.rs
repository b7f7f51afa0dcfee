//! A session that is resumed: its screen tells what the live one told.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::{
    stage::{Person, Stage},
    steps::{focus, leave, wait_ready, wait_reply},
};
use fore_testkit::{
    FailureKind, ModelScript, call, failure,
    terminal::{Terminal, TerminalKey, TerminalSize},
    text,
};
use serde_json::json;

const SIZE: TerminalSize = TerminalSize { columns: 100, rows: 50 };
/// All of a story fits.
const TALL: TerminalSize = TerminalSize { columns: 100, rows: 160 };

const PLAN: &str = "# Mend the cart\n\n1. Sum it up.\n\n## Verification\nRun the tests.\n";

/// What is on the screen from the first row with these words to the last one with those.
#[track_caller]
fn told(terminal: &Terminal, first: &str, last: &str) -> Vec<String> {
    let text = terminal.screen().text();
    let rows: Vec<String> = text.lines().map(|row| row.trim_end().to_owned()).collect();
    let first = rows.iter().position(|row| row.contains(first)).unwrap();
    let last = rows.iter().rposition(|row| row.contains(last)).unwrap();
    rows[first..=last].to_vec()
}

/// Leaves the session, resumes it, and compares what is told of it; gives that.
#[track_caller]
fn resumed(stage: &Stage, mut terminal: Terminal, first: &str, last: &str) -> Vec<String> {
    let live = told(&terminal, first, last);
    leave(&mut terminal);
    let mut terminal = stage.start(&["--continue"], TALL);
    terminal.wait_for(last);
    wait_ready(&terminal);
    assert_eq!(told(&terminal, first, last).join("\n"), live.join("\n"));
    leave(&mut terminal);
    live
}

#[test]
fn a_resumed_screen_shows_the_calls_and_differences_of_the_live_one() {
    let old = "fn total() -> u64 {\n    0\n}\n";
    let new = "fn total() -> u64 {\n    // Every cart costs something.\n    sum()\n}\n";
    let script = ModelScript::new()
        .turn(text("I look at the cart.").call("Read", json!({"file_path": "cart.rs"})))
        .turn(call("Edit", json!({"file_path": "cart.rs", "old_string": old, "new_string": new})))
        .turn(call("Write", json!({"file_path": "notes.txt", "content": "Mended by hand.\nTested.\n"})))
        .turn(call("Edit", json!({"file_path": "cart.rs", "old_string": "nothing", "new_string": "of this"})))
        .turn(text("It is mended."));
    let stage = Stage::new(script, Person::Known);
    stage.write("shop/cart.rs", old);
    let terminal = stage.start(&["--mode", "acceptEdits", "Mend the cart."], TALL);
    wait_reply(&terminal, "It is mended.");
    let live = resumed(&stage, terminal, "Mend the cart.", "It is mended.");
    assert!(live.iter().any(|row| row.contains("+ ") && row.contains("// Every cart costs something.")), "{live:#?}");
    stage.finish();
}

/// A plan that is written, edited and handed in twice; the work that it leads to.
fn planned() -> ModelScript {
    let edit = json!({"file_path": "{{plan}}", "old_string": "Sum it up", "new_string": "Add up the rows"});
    let done = json!({"todos": [{"content": "Add up", "status": "completed", "activeForm": "Adding"}]});
    ModelScript::new()
        .turn(call("Read", json!({"file_path": "cart.rs"})).call("Bash", json!({"command": "rm cart.rs"})))
        .turn(call("Bash", json!({"command": "ls"})))
        .turn(call("Bash", json!({"command": "touch made && ls", "rehearse": true})))
        .turn(call("Write", json!({"file_path": "{{plan}}", "content": PLAN})))
        .turn(call("ExitPlanMode", json!({})))
        .turn(call("Edit", edit))
        .turn(call("ExitPlanMode", json!({})))
        .turn(call("Edit", json!({"file_path": "cart.rs", "old_string": "0", "new_string": "sum()"})))
        .turn(call("TodoWrite", done))
        .turn(text("It is mended."))
        .turn(text("You are welcome."))
}

#[test]
fn a_resumed_screen_tells_how_turns_ended_as_the_live_one() {
    let script = ModelScript::new()
        .turn(text("I begin.").stall(3))
        .turn(failure(FailureKind::Unauthorized))
        .turn(text("Once more."))
        .turn(text("Enough."));
    let stage = Stage::new(script, Person::Known);
    let mut terminal = stage.start(&["Mend the cart."], TALL);
    terminal.wait_for("I begin.");
    terminal.key(TerminalKey::Esc);
    terminal.wait_for("Interrupted");
    terminal.keys("Go on with it.\n");
    terminal.wait_for("refused the key");
    terminal.keys("Try again.\n");
    wait_reply(&terminal, "Once more.");
    terminal.key(TerminalKey::Esc);
    terminal.key(TerminalKey::Esc);
    terminal.wait_for("Your last prompt was undone");
    terminal.key(TerminalKey::Ctrl('c'));
    terminal.keys("The last one.\n");
    wait_reply(&terminal, "Enough.");
    let live = resumed(&stage, terminal, "Mend the cart.", "Enough.").join("\n");
    for part in ["Interrupted. What should I do instead?", "refused the key", "Your last prompt was undone"] {
        assert!(live.contains(part), "{part} is not in\n{live}");
    }
    stage.finish();
}

#[test]
fn a_resumed_screen_tells_a_plan_with_its_comments_and_modes_as_the_live_one() {
    let stage = Stage::new(planned(), Person::Known);
    stage.write("shop/cart.rs", "fn total() -> u64 {\n    0\n}\n");
    let mut terminal = stage.start(&[], TALL);
    wait_ready(&terminal);
    terminal.keys("!echo by hand\n");
    terminal.wait_for("ok, 1 line");
    terminal.keys("/mode plan\n");
    terminal.wait_for("plan mode on");
    terminal.keys("Mend the cart.\n");
    terminal.wait_for("revision 1 •");
    focus(&mut terminal);
    terminal.keys("/Sum\n");
    terminal.key(TerminalKey::Esc);
    terminal.keys("cwhich sum?\n\t\nSay more.");
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("revision 2 •");
    focus(&mut terminal);
    terminal.keys("/rows\n");
    terminal.key(TerminalKey::Esc);
    terminal.keys("call of them\nG2\t\n");
    terminal.wait_for("Approve and send it along");
    terminal.keys("3\n");
    wait_reply(&terminal, "It is mended.");
    terminal.keys("Thanks.\n");
    wait_reply(&terminal, "You are welcome.");
    let live = resumed(&stage, terminal, "echo by hand", "You are welcome.").join("\n");
    for part in [
        "which sum?",
        "Say more.",
        "all of them",
        "Plan approved",
        "asks before each change · program: the plan is over",
        "1 of 1 done",
        "rehearsed, nothing kept",
    ] {
        assert!(live.contains(part), "{part}:\n{live}");
    }
    stage.finish();
}

#[test]
fn a_resumed_screen_tells_how_planning_was_left_as_the_live_one() {
    let script = ModelScript::new()
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(call("ExitPlanMode", json!({"plan": PLAN.replace("Sum", "Add")})))
        .turn(text("It is mended."));
    let stage = Stage::new(script, Person::Known);
    let mut terminal = stage.start(&["--mode", "plan", "Mend the cart."], TALL);
    terminal.wait_for("revision 1 •");
    terminal.key(TerminalKey::ShiftTab);
    terminal.wait_for("Left plan mode without approving");
    terminal.keys("/mode plan\n");
    terminal.wait_for("plan mode on");
    terminal.keys("Once more.\n");
    terminal.wait_for("Add it up");
    focus(&mut terminal);
    terminal.keys("G3\t\n");
    wait_reply(&terminal, "It is mended.");
    let live = resumed(&stage, terminal, "Mend the cart.", "It is mended.").join("\n");
    for part in ["Left plan mode without approving", "Work starts from the plan alone"] {
        assert!(live.contains(part), "{part}:\n{live}");
    }
    stage.finish();
}

#[test]
fn a_session_is_resumed_by_the_beginning_of_its_id() {
    let stage = Stage::new(ModelScript::new().turn(text("Hello.")), Person::Known);
    stage.start(&["-p", "Say hello."], SIZE).wait_exit();
    let id = stage.sessions()[0].clone();
    let mut terminal = stage.start(&[], SIZE);
    wait_ready(&terminal);
    terminal.keys("/resume 9999\n");
    terminal.wait_for("there is no session `9999`");
    terminal.keys(&format!("/resume {}\n", &id[..id.len() - 1]));
    terminal.wait_for("Hello.");
    leave(&mut terminal);
    stage.finish();
}
