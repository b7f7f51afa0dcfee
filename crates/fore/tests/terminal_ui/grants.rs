//! What a plan covers, as a list in the approval: read, struck, added to, and kept when the program ends before an answer.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::{
    stage::{Person, Stage, WIDE},
    steps::{turn_to_plan, wait_question, wait_reply},
};
use fore_testkit::{
    ModelScript, call,
    terminal::{Exit, Screen, TerminalKey},
    text,
};
use serde_json::json;

const PLAN: &str = "# Faster login\n\n## Change\n\n- `src/login.rs`: look the user up by name.\n- Create `src/names.rs`.\n\n\
                    ## Verify\n\n- Run: `cargo test login`\n\n## Out of scope\n\n- `README.md`\n";

/// The window of the dialog.
fn window(screen: &Screen) -> String {
    let rows: Vec<String> = screen.rows().into_iter().filter(|row| row.starts_with('│')).collect();
    rows.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\n")
}

#[test]
fn m7_what_a_plan_covers_is_struck_and_added_to_and_outlives_the_program() {
    let hands_in = call("Write", json!({"file_path": "{{plan}}", "content": PLAN})).call("ExitPlanMode", json!({}));
    let work = call("Write", json!({"file_path": "docs/login.md", "content": "by name\n"}));
    let script = ModelScript::new().turn(hands_in).turn(work).turn(text("Only the page is written."));
    let stage = Stage::new(script, Person::Known);
    let mut terminal = stage.start(&["--mode", "plan", "Plan a fix."], WIDE);
    wait_question(&terminal, "Keep planning");
    turn_to_plan(&mut terminal);
    terminal.wait_for("This plan covers 2 files, 1 command (p)");
    terminal.keys("p");
    terminal.wait_for("Named, but not covered");
    terminal.keys("x");
    terminal.wait_for("struck");
    terminal.keys("adocs/login.md\n");
    terminal.wait_for("docs/login.md  new  added by you");
    terminal.keys("a../other.rs\n");
    terminal.wait_for("cannot be added: outside the project");
    let screen = terminal.wait_for("1 struck, 1 added");
    insta::assert_snapshot!(window(&screen));
    terminal.kill();
    assert_eq!(terminal.wait_exit(), Exit::Signal(9));

    let mut again = stage.start(&["--continue"], WIDE);
    wait_question(&again, "Keep planning");
    again.wait_for("Here again, not sent yet: what the plan covers (1 struck, 1 added)");
    turn_to_plan(&mut again);
    again.keys("p");
    let screen = again.wait_for("docs/login.md  new  added by you");
    insta::assert_snapshot!(window(&screen));
    // Approved with what is on the list: what was added runs without a question.
    again.key(TerminalKey::Esc);
    again.wait_gone("Named, but not covered");
    again.keys("1\t\n");
    wait_reply(&again, "Only the page is written.");
    assert_eq!(stage.read("shop/docs/login.md"), "by name\n");
    again.kill();
}
