//! The mode in the real program: how it is switched, what the status line says (L1), and that it holds at once.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::{
    stage::{MODEL, Person, Stage, USUAL, WIDE},
    steps::{leave, status, wait_question, wait_ready, wait_status},
};
use fore_testkit::{
    ModelScript, WireProtocol, call,
    terminal::{Habits, Terminal, TerminalKey},
    text,
};
use serde_json::json;

const ASKS: &str = "▸ asks before each change (shift+tab to cycle)";
const ACCEPTS: &str = "⏵⏵ accept edits on (shift+tab to cycle)";
const PLANS: &str = "⏸ plan mode on (shift+tab to cycle)";

#[test]
fn l1_shift_tab_alt_m_and_a_command_lead_from_mode_to_mode() {
    let stage = Stage::new(ModelScript::new(), Person::Known);
    let mut terminal = stage.start(&[], WIDE);
    wait_status(&terminal, ASKS);
    terminal.key(TerminalKey::ShiftTab);
    wait_status(&terminal, ACCEPTS);
    terminal.key(TerminalKey::Alt('m'));
    wait_status(&terminal, PLANS);
    terminal.keys("/mode default\n");
    wait_status(&terminal, ASKS);
    terminal.keys("/plan\n");
    wait_status(&terminal, PLANS);
    terminal.keys("/plan off\n");
    wait_status(&terminal, ASKS);
    leave(&mut terminal);
    stage.finish();
}

#[test]
fn l1_a_terminal_of_old_sends_shift_tab_in_its_own_way() {
    let stage = Stage::new(ModelScript::new(), Person::Known);
    let mut terminal = Terminal::start(&stage.fore(&[]), USUAL, Habits::OLD);
    wait_status(&terminal, ASKS);
    terminal.key(TerminalKey::ShiftTab);
    wait_status(&terminal, ACCEPTS);
    terminal.key(TerminalKey::Alt('m'));
    wait_status(&terminal, PLANS);
    stage.finish();
}

#[test]
fn a3_a_mode_that_is_shown_holds_for_the_next_call_of_a_turn_that_runs() {
    let script = ModelScript::new()
        .turn(
            call("Write", json!({"file_path": "one.txt", "content": "1"}))
                .call("Write", json!({"file_path": "two.txt", "content": "2"})),
        )
        .turn(text("I see, planning now.").expect_result("Write", "plan"));
    let stage = Stage::new(script, Person::Known);
    let mut terminal = stage.start(&["Write two files."], WIDE);
    wait_question(&terminal, "one.txt");
    // Back to the composer: the dialog has keys of its own.
    terminal.key(TerminalKey::Ctrl('t'));
    terminal.key(TerminalKey::ShiftTab);
    wait_status(&terminal, ACCEPTS);
    terminal.key(TerminalKey::ShiftTab);
    wait_status(&terminal, PLANS);
    // The yes comes too late, if it is asked for at all.
    if terminal.screen().contains("Yes") {
        terminal.key(TerminalKey::Ctrl('t'));
        terminal.keys("1\n");
    }
    terminal.wait_for("I see, planning now.");
    assert!(!stage.project().join("one.txt").exists());
    assert!(!stage.project().join("two.txt").exists());
    stage.finish();
}

#[test]
fn keys_of_the_settings_take_the_place_of_the_usual_ones() {
    let stage = Stage::new(ModelScript::new(), Person::Known);
    let provider = json!({ "baseUrl": stage.server.url(WireProtocol::Anthropic), "protocol": "anthropic-messages" });
    let settings = json!({
        "model": { "act": MODEL, "providers": { "anthropic": provider } },
        "keys": { "cycleMode": ["ctrl+y"], "newLine": "ctrl+o", "toggleDetails": "f2" },
    });
    stage.write(".forethought/settings.json", &settings.to_string());
    let mut terminal = stage.start(&[], WIDE);
    wait_status(&terminal, "▸ asks before each change (ctrl+y to cycle)");
    terminal.key(TerminalKey::ShiftTab);
    terminal.keys("one");
    terminal.key(TerminalKey::Ctrl('o'));
    terminal.keys("two");
    let screen = terminal.wait_for("two");
    assert_eq!(screen.row_of("one").map(|row| row + 1), screen.row_of("two"));
    assert!(status(&screen.rows()).starts_with("▸ asks"), "{}", screen.text());
    terminal.key(TerminalKey::Ctrl('y'));
    wait_status(&terminal, "⏵⏵ accept edits on (ctrl+y to cycle)");
    stage.finish();
}

#[test]
fn keys_that_are_not_understood_are_named_before_there_is_a_screen() {
    let stage = Stage::new(ModelScript::new(), Person::Known);
    stage.write(".forethought/settings.json", &json!({ "keys": { "cycleMode": "hyper+q" } }).to_string());
    let terminal = stage.start(&[], WIDE);
    let screen = terminal.wait_for("hyper+q");
    assert!(screen.contains("there is a mistake in the keys of your settings"), "{}", screen.text());
    assert_ne!(terminal.wait_exit(), fore_testkit::terminal::Exit::Code(0));
    crate::steps::assert_at_rest(&terminal);
    stage.finish();
}

#[test]
fn l1_the_status_line_names_the_mode_of_the_start() {
    let stage = Stage::new(ModelScript::new(), Person::Known);
    for (mode, line) in [("plan", PLANS), ("acceptEdits", ACCEPTS), ("default", ASKS)] {
        let terminal = stage.start(&["--mode", mode], USUAL);
        wait_ready(&terminal);
        wait_status(&terminal, line);
    }
    stage.finish();
}
