//! What a person wrote about a plan and did not send: it outlives the program, and answers nothing.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]
#![allow(clippy::panic, reason = "a test may stop where it is wrong")]

use crate::{
    stage::{Person, Stage, WIDE},
    steps::{leave, turn_to_plan, wait_question, wait_reply},
};
use fore_testkit::{
    ModelScript, ScriptedTurn, call,
    terminal::{Exit, PATIENCE, Screen, Terminal, TerminalKey},
    text,
};
use serde_json::json;
use std::time::{Duration, Instant};

const PLAN: &str =
    "# Faster login\n\n## Change\n\n- `src/login.rs`: look the user up by name.\n\n## Verify\n\n- Run the tests.\n";
const LOOK_AGAIN: Duration = Duration::from_millis(10);

fn hands_in() -> ScriptedTurn {
    call("Write", json!({"file_path": "{{plan}}", "content": PLAN})).call("ExitPlanMode", json!({}))
}

fn start(stage: &Stage, arguments: &[&str]) -> Terminal {
    let mut terminal = stage.start(arguments, WIDE);
    wait_question(&terminal, "Keep planning");
    turn_to_plan(&mut terminal);
    terminal
}

/// The session again, and what it says of the words that came back with the plan: the first key takes that away.
#[track_caller]
fn resume(stage: &Stage, said: &str) -> (Terminal, Screen) {
    let mut terminal = stage.start(&["--continue"], WIDE);
    wait_question(&terminal, "Keep planning");
    let screen = terminal.wait_for(said);
    turn_to_plan(&mut terminal);
    (terminal, screen)
}

/// All drafts on disk; one that is still being written is none.
fn kept(stage: &Stage) -> String {
    let files = std::fs::read_dir(stage.fore_home().join("drafts")).into_iter().flatten().flatten();
    let files = files.filter(|file| file.path().extension().is_some_and(|extension| extension == "json"));
    files.filter_map(|file| std::fs::read_to_string(file.path()).ok()).collect()
}

/// Waits until what is on disk is so.
#[track_caller]
fn wait_kept(stage: &Stage, what: &str, is_so: impl Fn(&str) -> bool) {
    let end = Instant::now() + PATIENCE;
    while !is_so(&kept(stage)) {
        assert!(Instant::now() < end, "{what} is not what is kept: {}", kept(stage));
        std::thread::park_timeout(LOOK_AGAIN);
    }
}

fn kill(mut terminal: Terminal) {
    terminal.kill();
    assert_eq!(terminal.wait_exit(), Exit::Signal(9));
}

#[test]
fn c_after_a_crash_a_comment_and_a_reason_that_were_not_sent_are_there_again() {
    let sent = text("I look again.").expect_result("ExitPlanMode", "by name is slow too");
    let stage = Stage::new(ModelScript::new().turn(hands_in()).turn(sent), Person::Known);
    let mut terminal = start(&stage, &["--mode", "plan", "Plan a fix."]);
    terminal.keys("/login.rs\n");
    terminal.key(TerminalKey::Esc);
    terminal.keys("cby name is slow too\n");
    wait_kept(&stage, "the comment", |kept| kept.contains("by name is slow too"));
    // A reason that is still being written.
    terminal.keys("\t\nwhy not an index");
    wait_kept(&stage, "the reason", |kept| kept.contains("why not an index"));
    kill(terminal);

    let (mut again, screen) = resume(&stage, "Here again, not sent yet: 1 comment and a reason.");
    let first = screen.row_of("Change").unwrap();
    let rows: Vec<String> = screen.rows().into_iter().skip(first).take(10).collect();
    insta::assert_snapshot!(rows.join("\n"), @"
    │  Change
    │
    │▌ • `src/login.rs`: look the user up by name.
    │▌ line 5: by name is slow too
    │
    │  Verify
    │
    │  • Run the tests.
    ╰─ 1-9 of 9 ────────────────────────────────────────────────────────────────────────────────────────────────────────────
    • This plan covers 1 file (p)
    ");
    assert_eq!(stage.server.requests().len(), 1, "nothing was answered");
    // Approving asks once more, and keeping planning sends both.
    again.keys("1\t\n");
    again.wait_for("You wrote 1 comment and a reason.");
    again.keys("2\n");
    wait_reply(&again, "I look again.");
    wait_kept(&stage, "nothing", str::is_empty);
    let told = stage.server.requests().pop().unwrap();
    assert!(format!("{told:?}").contains("why not an index"), "the reason went along");
    stage.finish();
}

#[test]
fn c_who_leaves_in_the_middle_of_a_comment_finds_it_again() {
    let stage = Stage::new(ModelScript::new().turn(hands_in()).turn(text("Working.")), Person::Known);
    let mut terminal = start(&stage, &["--mode", "plan", "Plan a fix."]);
    terminal.keys("cnot fin");
    terminal.wait_for("not fin");
    leave(&mut terminal);
    drop(terminal);
    let mut again = start(&stage, &["--continue"]);
    again.wait_for("line 1 (draft): not fin");
    again.keys("x");
    again.wait_gone("not fin");
    wait_kept(&stage, "nothing", str::is_empty);
    again.keys("1\t\n");
    wait_reply(&again, "Working.");
    stage.finish();
}

#[test]
fn c_m5_an_edit_of_a_plan_is_checked_and_outlives_the_program() {
    let stage = Stage::new(ModelScript::new().turn(hands_in()).turn(text("Working.")), Person::Known);
    let stage = stage.variable("EDITOR", Some("my-editor"));
    stage.command("my-editor", "sed -i 's|^- .src/login.rs.: |&like `src/gone.rs`, |' \"$1\"");
    let mut terminal = start(&stage, &["--mode", "plan", "Plan a fix."]);
    terminal.keys("e");
    terminal.wait_for("edited by you");
    let note = "note: src/gone.rs does not exist, and the plan does not say that it is new.";
    terminal.wait_for(note);
    wait_kept(&stage, "the edit", |kept| kept.contains("like `src/gone.rs`"));
    kill(terminal);
    let (mut again, _) = resume(&stage, "Here again, not sent yet: an edit of the plan.");
    again.wait_for(note);
    again.keys("1\t\n");
    wait_reply(&again, "Working.");
    let plan = stage.plans().pop().unwrap();
    assert!(stage.read(&format!(".forethought/plans/{plan}.md")).contains("like `src/gone.rs`"));
    wait_kept(&stage, "nothing", str::is_empty);
    stage.finish();
}

#[test]
fn c_a_comment_on_a_text_that_changed_meanwhile_says_so() {
    let stage = Stage::new(ModelScript::new().turn(hands_in()), Person::Known);
    let mut terminal = start(&stage, &["--mode", "plan", "Plan a fix."]);
    terminal.keys("cwhy faster?\n");
    wait_kept(&stage, "the comment", |kept| kept.contains("why faster?"));
    kill(terminal);
    let file = format!(".forethought/plans/{}.md", stage.plans().pop().unwrap());
    stage.write(&file, &stage.read(&file).replace("# Faster login", "# Login"));
    let again = start(&stage, &["--continue"]);
    again.wait_for("line 1 (on an older text, \"# Faster login\"): why faster?");
    stage.finish();
}
