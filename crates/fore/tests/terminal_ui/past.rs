//! A session that is resumed: its screen tells what the live one told.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::{
    stage::{Person, Stage},
    steps::{leave, wait_ready, wait_reply},
};
use fore_testkit::{
    ModelScript, call,
    terminal::{Terminal, TerminalSize},
    text,
};
use serde_json::json;

const SIZE: TerminalSize = TerminalSize { columns: 100, rows: 50 };

/// What is on the screen from the prompt to the last words.
fn told(terminal: &Terminal) -> Vec<String> {
    let text = terminal.screen().text();
    let rows = text.lines().map(|row| row.trim_end().to_owned());
    let from_prompt: Vec<String> = rows.skip_while(|row| !row.contains("Mend the cart.")).collect();
    let last = from_prompt.iter().position(|row| row.contains("It is mended.")).unwrap();
    from_prompt[..=last].to_vec()
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
    let mut terminal = stage.start(&["--mode", "acceptEdits", "Mend the cart."], SIZE);
    wait_reply(&terminal, "It is mended.");
    let live = told(&terminal);
    leave(&mut terminal);
    let mut terminal = stage.start(&["--continue"], SIZE);
    terminal.wait_for("It is mended.");
    wait_ready(&terminal);
    assert_eq!(told(&terminal), live);
    assert!(live.iter().any(|row| row.contains("+ ") && row.contains("// Every cart costs something.")), "{live:#?}");
    leave(&mut terminal);
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
