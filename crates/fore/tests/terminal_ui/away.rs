//! Who looks at another window is called when a question or a plan waits; who looks at this one is not.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::{
    stage::{Person, Stage, WIDE},
    steps::{focus, leave, wait_ready, wait_reply},
};
use fore_testkit::{
    ModelScript, call,
    terminal::{Terminal, TerminalKey},
    text,
};
use serde_json::json;

/// What terminals send when another window comes to the front, and when they are back.
const FOCUS_LOST: &[u8] = b"\x1b[O";
const FOCUS_GAINED: &[u8] = b"\x1b[I";

#[test]
fn who_looks_elsewhere_is_called_by_their_own_command_and_who_is_here_is_not() {
    let script = ModelScript::new()
        .turn(call("Bash", json!({"command": "touch one"})))
        .turn(text("It is made."))
        .turn(call("Bash", json!({"command": "touch two"})))
        .turn(text("Both are made."));
    let stage = Stage::new(script, Person::Known);
    stage.command("call-me", "printf '%s|' \"$@\" >> \"$HOME/called\"");
    stage.write(".forethought/settings.json", &with_notify(&stage.read(".forethought/settings.json")));
    let mut terminal = stage.start(&[], WIDE);
    wait_ready(&terminal);
    terminal.wait_until("the title", |screen| screen.title == "shop – fore");
    terminal.send(FOCUS_LOST);
    terminal.keys("Make one.\n");
    terminal.wait_until("the call", |_| stage.has("called") && stage.read("called").ends_with('|'));
    assert_eq!(stage.read("called"), "Forethought: shop|A question is waiting for you.|");
    let asked = terminal.wait_until("the title", |screen| screen.title == "shop – waiting for you – fore");
    assert_eq!(asked.bells, 1);
    terminal.send(FOCUS_GAINED);
    allow(&mut terminal);
    wait_reply(&terminal, "It is made.");
    terminal.keys("Make two.\n");
    allow(&mut terminal);
    wait_reply(&terminal, "Both are made.");
    leave(&mut terminal);
    assert_eq!((terminal.screen().title.as_str(), terminal.screen().bells), ("", 1));
    assert_eq!(stage.read("called"), "Forethought: shop|A question is waiting for you.|", "they were here");
    stage.finish();
}

fn allow(terminal: &mut Terminal) {
    focus(terminal);
    terminal.key(TerminalKey::Char('1'));
    terminal.wait_for("❯ 1. Yes");
    terminal.key(TerminalKey::Enter);
}

/// The settings that there are, and the command.
fn with_notify(settings: &str) -> String {
    let mut settings: serde_json::Value = serde_json::from_str(settings).unwrap();
    settings["notify"] = json!({ "command": ["call-me"], "terminal": "bell" });
    settings.to_string()
}
