//! Questions: may this run, and what would you like.

use super::{SIZES, see};
use crate::{
    stage::{Person, Stage, WIDE},
    steps::{focus, leave, wait_question, wait_reply},
};
use fore_testkit::{ModelScript, call, terminal::TerminalKey, text};
use serde_json::json;

#[test]
fn a_call_that_has_to_be_asked_for_shows_what_exactly_it_would_do() {
    for size in SIZES {
        let old = "    users().iter().any(|user| user == name)\n";
        let new = "    // One look-up, however many users there are.\n    by_name(name).is_some()\n";
        let script = ModelScript::new()
            .turn(call("Bash", json!({"command": "touch seen && wc -l src/login.rs", "description": "Counts lines"})))
            .turn(call("Read", json!({"file_path": "src/login.rs"})))
            .turn(call("Edit", json!({"file_path": "src/login.rs", "old_string": old, "new_string": new})))
            .turn(text("Then I leave it."));
        let stage = Stage::new(script, Person::Known);
        let mut terminal = stage.start(&["Make login faster."], size);
        see(&stage, &terminal, "permission_for_a_command");
        terminal.keys("1\n");
        see(&stage, &terminal, "permission_for_an_edit");
        terminal.keys("4\n");
        see(&stage, &terminal, "permission_refused");
        terminal.keys("an index first\n");
        see(&stage, &terminal, "permission_was_refused");
        stage.finish();
    }
}

#[test]
fn a_form_has_a_page_for_each_question_and_one_to_look_it_over() {
    for size in SIZES {
        let kept = json!({"question": "Keep the list of users?", "header": "Users", "options": [
            {"label": "Keep it", "description": "others may call it"},
            {"label": "Drop it", "description": "one caller is left, and it is changed"},
        ]});
        let tests = json!({"question": "Which logins are measured?", "header": "Tests", "multiSelect": true, "options": [
            {"label": "A known name"}, {"label": "An unknown name"}, {"label": "An empty name"},
        ]});
        let script = ModelScript::new()
            .turn(call("AskUserQuestion", json!({"questions": [kept]})))
            .turn(call("AskUserQuestion", json!({"questions": [tests, kept]})))
            .turn(text("Thank you."));
        let stage = Stage::new(script, Person::Known);
        let mut terminal = stage.start(&["--mode", "plan", "Make login faster."], size);
        see(&stage, &terminal, "form");
        terminal.keys("1nbut make it private");
        see(&stage, &terminal, "form_with_words");
        terminal.key(TerminalKey::Enter);
        see(&stage, &terminal, "form_of_pages");
        terminal.keys("12");
        see(&stage, &terminal, "form_with_ticks");
        terminal.key(TerminalKey::Enter);
        terminal.keys("3");
        terminal.key(TerminalKey::Enter);
        terminal.keys("hide it");
        see(&stage, &terminal, "form_own_answer");
        terminal.key(TerminalKey::Enter);
        see(&stage, &terminal, "form_looked_over");
        terminal.key(TerminalKey::Enter);
        see(&stage, &terminal, "form_was_sent");
        stage.finish();
    }
}

#[test]
fn a_command_that_is_always_allowed_is_asked_about_once_and_forgotten_on_request() {
    let runs = || call("Bash", json!({"command": "npm test"}));
    let script = ModelScript::new().turn(runs()).turn(text("Tested.")).turn(runs()).turn(text("Again."));
    let stage = Stage::new(script.turn(runs()).turn(text("Not now.")), Person::Known);
    stage.command("npm", "echo 3 tests passed");
    let mut terminal = stage.start(&["Test it."], WIDE);
    wait_question(&terminal, "always allow `npm test …` in this project");
    see(&stage, &terminal, "permission_for_good");
    terminal.keys("4\n");
    terminal.wait_for("runs in this project without asking from now on");
    wait_reply(&terminal, "Tested.");
    assert!(stage.read(".forethought/allowed.json").contains("npm test"));
    assert!(!stage.has("shop/.forethought"));
    leave(&mut terminal);
    let mut terminal = stage.start(&["Test it."], WIDE);
    wait_reply(&terminal, "Again.");
    terminal.keys("/permissions\n");
    terminal.wait_for("npm test …");
    terminal.keys("/permissions forget npm test\n");
    terminal.wait_for("is asked about again");
    leave(&mut terminal);
    let mut terminal = stage.start(&["Test it."], WIDE);
    wait_question(&terminal, "Run this command?");
    terminal.key(TerminalKey::Esc);
    wait_reply(&terminal, "Not now.");
    leave(&mut terminal);
    stage.finish();
}

#[test]
fn of_several_commands_each_part_is_proposed_and_allowed_by_itself() {
    for size in SIZES {
        let runs = |command: &str| call("Bash", json!({ "command": command }));
        let script = ModelScript::new()
            .turn(runs("cargo fmt && npm test -- cart"))
            .turn(text("Tested."))
            .turn(runs("npm test -- users | tail -3"))
            .turn(text("Again."))
            .turn(runs("npm test && npm run build"))
            .turn(text("Not built."));
        let stage = Stage::new(script, Person::Known);
        stage.command("cargo", "exit 0");
        stage.command("npm", "echo 3 tests passed");
        let mut terminal = stage.start(&["Test it."], size);
        wait_question(&terminal, "Run this command?");
        see(&stage, &terminal, "permission_for_parts");
        terminal.keys("3\n");
        if size.columns < WIDE.columns / 2 {
            // What is not on the screen yet is shown first.
            terminal.keys("\n");
        }
        wait_reply(&terminal, "Tested.");
        terminal.keys("Once more.\n");
        wait_reply(&terminal, "Again.");
        terminal.keys("/permissions\n");
        terminal.wait_for("`npm test …`");
        terminal.keys("/permissions forget npm test\n");
        terminal.wait_for("Asked about again");
        terminal.keys("Build it.\n");
        focus(&mut terminal);
        terminal.key(TerminalKey::Esc);
        wait_reply(&terminal, "Not built.");
        leave(&mut terminal);
        stage.finish();
    }
}
