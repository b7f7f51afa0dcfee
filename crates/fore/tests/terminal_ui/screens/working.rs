//! A model at work: calls, refusals while planning, edits, the todo list, agents, and everything in full.

use super::{SIZES, see};
use crate::stage::{Person, Stage};
use fore_testkit::{ModelScript, ScriptedTurn, call, terminal::TerminalKey, text};
use serde_json::json;

fn todo(first: &str, second: &str) -> serde_json::Value {
    json!({"todos": [
        {"content": "Read how login finds a user", "status": first},
        {"content": "Write an index by name", "status": second},
        {"content": "Measure a login among 20,000 users", "status": "pending"},
    ]})
}

/// Nothing comes after this.
fn silence() -> ScriptedTurn {
    text("Well.").stall(0)
}

/// Waits until the model was asked so often; the silence that follows shows nothing.
#[track_caller]
fn wait_asked(stage: &Stage, count: usize) {
    assert!(stage.server.wait_requests_blocking(count), "it was asked {} times", stage.server.requests().len());
}

#[test]
fn b1_while_planning_reads_run_and_changes_are_refused() {
    for size in SIZES {
        let reads = text("I look at how users are found.")
            .call("Read", json!({"file_path": "src/login.rs"}))
            .call("Grep", json!({"pattern": "users", "path": "src"}))
            .call("Bash", json!({"command": "git log --oneline -3"}));
        let tries = text("The fix is small, so I make it right away.")
            .call("Bash", json!({"command": "sed -i s/users/by_name/ src/login.rs"}))
            .call("Bash", json!({"command": "git commit -am 'Find users by name'"}));
        let waits = call("Bash", json!({"command": "cat answers"}));
        let stage = Stage::new(ModelScript::new().turn(reads).turn(tries).turn(waits), Person::Known);
        stage.pipe("shop/answers");
        let mut terminal = stage.start(&["--mode", "plan", "Login is slow. Plan a fix."], size);
        see(&stage, &terminal, "planning");
        terminal.key(TerminalKey::Esc);
        see(&stage, &terminal, "planning_interrupted");
        terminal.key(TerminalKey::Ctrl('o'));
        see(&stage, &terminal, "in_full");
        terminal.key(TerminalKey::Char('o'));
        see(&stage, &terminal, "in_full_opened");
        stage.finish();
    }
}

#[test]
fn while_a_plan_is_being_written_it_is_said_how_far_it_is() {
    for size in SIZES {
        let plan: String = (1..=60).map(|number| format!("Step {number}\n")).collect();
        // The call has come but for its end.
        let writes = text("I write it down.").call("Write", json!({"file_path": "plan.md", "content": plan})).stall(6);
        let stage = Stage::new(ModelScript::new().turn(writes), Person::Known);
        let mut terminal = stage.start(&["--mode", "plan", "Login is slow. Plan a fix."], size);
        see(&stage, &terminal, "writing_a_plan");
        terminal.key(TerminalKey::Esc);
        terminal.wait_for("Interrupted");
        stage.finish();
    }
}

#[test]
fn an_edit_shows_its_difference_and_a_list_what_is_to_do() {
    for size in SIZES {
        let begins =
            call("TodoWrite", todo("in_progress", "pending")).call("Read", json!({"file_path": "src/login.rs"}));
        let old = "    users().iter().any(|user| user == name)\n";
        let new = "    // One look-up, however many users there are.\n    by_name(name).is_some()\n";
        let edits = call("TodoWrite", todo("completed", "in_progress"))
            .call("Edit", json!({"file_path": "src/login.rs", "old_string": old, "new_string": new}));
        let script = ModelScript::new().turn(begins).turn(edits).turn(silence());
        let stage = Stage::new(script, Person::Known);
        let mut terminal = stage.start(&["--mode", "acceptEdits", "Make login faster."], size);
        see(&stage, &terminal, "editing");
        wait_asked(&stage, 3);
        terminal.key(TerminalKey::Esc);
        see(&stage, &terminal, "editing_interrupted");
        stage.finish();
    }
}

#[test]
fn f6_agents_at_work_are_a_line_each() {
    for size in SIZES {
        let agent =
            |task: &str, prompt: &str| json!({"subagent_type": "Explore", "description": task, "prompt": prompt});
        let starts = text("Two of us look around.")
            .call("Agent", agent("find the login", "FIND-LOGIN: where is it?"))
            .call("Agent", agent("find the users", "FIND-USERS: where are they?"));
        let reads = call("Read", json!({"file_path": "src/login.rs"}));
        let searches = call("Grep", json!({"pattern": "users", "path": "src"}));
        let script = ModelScript::new()
            .turn(starts)
            .conversation("login", "FIND-LOGIN", [reads, silence()])
            .conversation("users", "FIND-USERS", [searches, silence()]);
        let stage = Stage::new(script, Person::Known);
        let mut terminal = stage.start(&["--mode", "plan", "Why is login slow?"], size);
        see(&stage, &terminal, "agents_at_work");
        wait_asked(&stage, 5);
        terminal.key(TerminalKey::Esc);
        see(&stage, &terminal, "agents_interrupted");
        stage.finish();
    }
}
