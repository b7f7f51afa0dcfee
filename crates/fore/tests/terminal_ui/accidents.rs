//! Nothing is approved or allowed by accident: keys meant for the composer, a paste, a crash, a closed window.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::{
    stage::{Person, Stage, WIDE},
    steps::{SOON, wait_invited, wait_question, wait_ready, wait_reply, wait_status},
};
use fore_testkit::{
    ModelScript, ScriptedTurn, call,
    terminal::{Exit, Screen, Terminal, TerminalKey},
    text,
};
use serde_json::json;

const PLAN: &str = "# Faster login\n\n## Why\n\nLogin reads every user: *äöü* `{{}}` <b>.\n\n## Change\n\n- `src/login.rs`: look the user up by name.\n";
const PLANS: &str = "⏸ plan mode on";
/// Everything that answers some dialog somewhere, and the key that sends.
const TYPED: &str = "1 2 3 yes y Y a approve no n j k space and q";

fn hands_in() -> ScriptedTurn {
    call("Write", json!({"file_path": "{{plan}}", "content": PLAN})).call("ExitPlanMode", json!({}))
}

/// A plan is written and waits; nothing is typed meanwhile.
fn waiting_for_approval(stage: &Stage) -> Terminal {
    let terminal = stage.start(&["--mode", "plan", "Plan a fix."], WIDE);
    wait_for_approval(&terminal);
    terminal
}

fn wait_for_approval(terminal: &Terminal) -> Screen {
    terminal.wait_rows("a plan that waits", |rows| {
        let has = |part: &str| rows.iter().any(|row| row.contains(part));
        has("Faster login") && has("Keep planning") && !has(SOON)
    })
}

/// It still waits: the mode is the same, and the model was told nothing.
#[track_caller]
fn assert_unanswered(stage: &Stage, terminal: &Terminal) {
    wait_for_approval(terminal);
    wait_status(terminal, PLANS);
    assert_eq!(stage.server.requests().len(), 1);
}

#[test]
fn c_no_key_of_a_message_that_is_being_typed_answers_the_approval_that_comes_up() {
    let stage = Stage::new(ModelScript::new().turn(hands_in()).allow_unused_turns(), Person::Known);
    let mut terminal = stage.start(&["--mode", "plan"], WIDE);
    wait_ready(&terminal);
    terminal.keys("Plan a fix.\n");
    // Typing goes on before, while and after the dialog comes up.
    terminal.keys(TYPED);
    wait_for_approval(&terminal);
    terminal.keys(TYPED);
    terminal.wait_for(&format!("❯ {TYPED}{TYPED}"));
    // Enter sends the message; it does not answer. What the message is for is asked, and another Enter leads back to it.
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("What should happen with your message?");
    terminal.key(TerminalKey::Enter);
    terminal.wait_gone("What should happen with your message?");
    terminal.wait_for(&format!("❯ {TYPED}{TYPED}"));
    assert_unanswered(&stage, &terminal);
    // Nor does another one, with nothing written.
    terminal.key(TerminalKey::Ctrl('u'));
    terminal.wait_gone(TYPED);
    terminal.key(TerminalKey::Enter);
    terminal.keys("y");
    terminal.key(TerminalKey::Backspace);
    terminal.key(TerminalKey::Enter);
    assert_unanswered(&stage, &terminal);
    stage.finish();
}

#[test]
fn no_key_of_a_message_that_is_being_typed_allows_a_command() {
    let script = ModelScript::new().turn(call("Bash", json!({"command": "touch made"}))).allow_unused_turns();
    let stage = Stage::new(script, Person::Known);
    let mut terminal = stage.start(&[], WIDE);
    wait_ready(&terminal);
    terminal.keys("Make it.\n");
    terminal.keys(TYPED);
    terminal.wait_for("1. Yes");
    terminal.keys(TYPED);
    terminal.wait_for(&format!("❯ {TYPED}{TYPED}"));
    terminal.key(TerminalKey::Ctrl('u'));
    wait_invited(&terminal);
    terminal.key(TerminalKey::Enter);
    terminal.key(TerminalKey::Enter);
    terminal.keys("y");
    terminal.wait_for("❯ y");
    terminal.wait_for("1. Yes");
    assert!(!stage.project().join("made").exists());
    assert_eq!(stage.server.requests().len(), 1);
    stage.finish();
}

#[test]
fn a_paste_into_a_dialog_chooses_nothing() {
    let stage = Stage::new(ModelScript::new().turn(hands_in()).allow_unused_turns(), Person::Known);
    let mut terminal = waiting_for_approval(&stage);
    for pasted in ["1\n", "y\n", "\n\n", "1", "\x1b[B\r"] {
        terminal.paste(pasted);
    }
    // They are a message that nobody sent; the plan is a Tab away. A key that was read after them has been drawn: so have they.
    terminal.key(TerminalKey::Tab);
    terminal.key(TerminalKey::Char('3'));
    terminal.wait_for("• 3 Approve");
    assert_unanswered(&stage, &terminal);
    stage.finish();
}

#[test]
fn keys_that_come_at_once_choose_nothing_in_a_dialog() {
    let script = ModelScript::new().turn(call("Bash", json!({"command": "touch made"}))).turn(text("Made."));
    let stage = Stage::new(script, Person::Known);
    let mut terminal = stage.start(&["Make it."], WIDE);
    wait_question(&terminal, "1. Yes");
    for pasted in ["1\r", "y\r", "\r\r", "1\ry\r", "\t\r"] {
        terminal.send(pasted.as_bytes());
        terminal.wait_read();
    }
    // A key that was read after them has been drawn: so have they.
    terminal.key(TerminalKey::Char('3'));
    terminal.wait_for("❯ 3. No");
    assert_eq!(stage.server.requests().len(), 1);
    assert!(!stage.project().join("made").exists());
    terminal.key(TerminalKey::Char('1'));
    terminal.wait_for("❯ 1. Yes");
    terminal.key(TerminalKey::Enter);
    wait_reply(&terminal, "Made.");
    stage.finish();
}

#[test]
fn d3_esc_at_the_approval_keeps_planning() {
    let script =
        ModelScript::new().turn(hands_in()).turn(text("I keep planning.").expect_result("ExitPlanMode", "plan"));
    let stage = Stage::new(script, Person::Known);
    let mut terminal = waiting_for_approval(&stage);
    terminal.key(TerminalKey::Esc);
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("I keep planning.");
    wait_status(&terminal, PLANS);
    stage.finish();
}

#[test]
fn approving_with_a_comment_that_was_not_sent_asks_once_more() {
    let script = ModelScript::new().turn(hands_in()).turn(text("Working."));
    let stage = Stage::new(script, Person::Known);
    let mut terminal = waiting_for_approval(&stage);
    // Only who has turned to the plan gives it letters.
    terminal.key(TerminalKey::Down);
    terminal.keys("c");
    terminal.keys("by name is slow too\n");
    terminal.wait_for("1 comment");
    choose_first(&mut terminal);
    let screen = terminal.wait_for("You wrote 1 comment.");
    assert_unanswered_yet(&stage, &terminal);
    let first = screen.row_of("You wrote 1 comment.").unwrap();
    let question: Vec<String> = screen.rows().into_iter().skip(first).take(6).collect();
    insta::assert_snapshot!(question.join("\n"), @r"
    You wrote 1 comment.
    ❯ 1 Back to the plan
      2 Keep planning and send it
      3 Approve and send it along

    Enter answers   Esc goes back   1-3 select
    ");
    // Enter stays with what is safe: back to the plan. Only the row that says so approves.
    terminal.key(TerminalKey::Enter);
    terminal.wait_gone("You wrote 1 comment.");
    assert_unanswered_yet(&stage, &terminal);
    choose_first(&mut terminal);
    terminal.wait_for("3 Approve and send it along");
    terminal.keys("3\n");
    terminal.wait_for("Working.");
    stage.finish();
}

/// Marks the first choice while the plan has the keys, goes there, and answers.
fn choose_first(terminal: &mut Terminal) {
    terminal.keys("1");
    terminal.wait_for("Tab, then Enter");
    terminal.key(TerminalKey::Tab);
    terminal.key(TerminalKey::Enter);
}

#[track_caller]
fn assert_unanswered_yet(stage: &Stage, terminal: &Terminal) {
    wait_status(terminal, PLANS);
    assert_eq!(stage.server.requests().len(), 1);
}

/// What is asked for again after a restart: the same bytes, in the same words.
fn asks_again(stage: &Stage, before: &Screen) {
    let mut again = stage.start(&["--continue"], WIDE);
    let after = wait_for_approval(&again);
    let dialog = |screen: &Screen| {
        let rows = screen.rows();
        let first = rows.iter().position(|row| row.contains("❯ Faster login")).unwrap_or_default();
        rows.into_iter().skip(first).take_while(|row| !row.starts_with('╰')).collect::<Vec<_>>()
    };
    assert_eq!(dialog(&after), dialog(before));
    let plan = stage.plans().pop().unwrap();
    assert_eq!(stage.read(&format!(".forethought/plans/{plan}.md")), PLAN);
    wait_status(&again, PLANS);
    choose_first(&mut again);
    wait_reply(&again, "Working.");
}

#[test]
fn c_after_a_crash_the_approval_is_there_again_with_the_same_bytes() {
    let stage = Stage::new(ModelScript::new().turn(hands_in()).turn(text("Working.")), Person::Known);
    let mut terminal = waiting_for_approval(&stage);
    let before = terminal.screen();
    terminal.kill();
    assert_eq!(terminal.wait_exit(), Exit::Signal(9));
    drop(terminal);
    asks_again(&stage, &before);
    stage.finish();
}

#[test]
fn c_after_the_window_was_closed_the_approval_is_there_again_with_the_same_bytes() {
    let stage = Stage::new(ModelScript::new().turn(hands_in()).turn(text("Working.")), Person::Known);
    let mut terminal = waiting_for_approval(&stage);
    let before = terminal.screen();
    terminal.close();
    assert_eq!(terminal.wait_exit(), Exit::Code(143));
    assert_eq!(stage.left_running(), Vec::<String>::new());
    asks_again(&stage, &before);
    stage.finish();
}
