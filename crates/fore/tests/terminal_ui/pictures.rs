//! The pictures in the documentation: they are drawn by the running program, and this test fails when it no longer looks so.
//!
//! `docs/screenshots/make` draws them anew.
#![allow(clippy::disallowed_methods, reason = "pictures are written when the person asks for it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it is wrong")]

use crate::stage::{Person, Stage};
use fore_testkit::{
    Script, call,
    terminal::{Key, Look, Screen, Size, Terminal},
    text,
};
use serde_json::json;
use std::path::Path;

/// Set to write the pictures instead of comparing them.
const UPDATE: &str = "UPDATE_SCREENSHOTS";
/// The window of all pictures.
const WINDOW: Size = Size { columns: 100, rows: 34 };
const TASK: &str = "Login is slow for shops with many users. Plan a fix.";
const PLAN: &str = include_str!("picture_plan.md");

/// A planner that looks around, tries what it must not, and hands in a plan.
fn script() -> Script {
    let said = "I look at how users are found, then I write the plan.";
    let reads = text(said)
        .call("Read", json!({"file_path": "src/login.rs"}))
        .call("Read", json!({"file_path": "src/users.rs"}))
        .call("Bash", json!({"command": "git log --oneline -3"}));
    let tries = text("The fix is small, so I make it right away.")
        .call("Edit", json!({"file_path": "src/login.rs", "old_string": "users()", "new_string": "by_name(name)"}))
        .call("Bash", json!({"command": "sed -i s/users/by_name/ src/login.rs"}));
    let plans = call("Write", json!({"file_path": "{{plan}}", "content": PLAN})).call("ExitPlanMode", json!({}));
    Script::new().turn(reads).turn(tries).turn(plans).allow_unused_turns()
}

#[test]
fn the_pictures_in_the_documentation_are_those_of_the_program() {
    let stage = Stage::new(script(), Person::Known);
    let mut terminal = stage.start(&["--mode", "plan"], WINDOW);
    terminal.wait_for("plan mode on");
    terminal.keys(TASK);
    terminal.key(Key::Enter);
    let asked = terminal.wait_for("Keep planning");
    let mut changed = vec![keep("approval", &stage.stable(&asked))];
    changed.push(keep("approval-with-comments", &stage.stable(&commented(&mut terminal))));
    terminal.key(Key::Esc);
    terminal.key(Key::Enter);
    let refused = terminal.wait_for("plan mode on");
    changed.push(keep("refusal", &stage.stable(&refused)));
    let changed: Vec<&str> = changed.into_iter().flatten().collect();
    assert!(changed.is_empty(), "{changed:?} look otherwise now; to accept that: docs/screenshots/make");
}

/// The approval with a comment on a line that is being written.
fn commented(terminal: &mut Terminal) -> Screen {
    terminal.key(Key::Tab);
    terminal.keys("/index\n");
    terminal.key(Key::Char('c'));
    terminal.keys("keep the old order of users, the tests rely on it");
    terminal.key(Key::Enter);
    terminal.wait_for("1 comment")
}

/// Compares a picture with the one in the documentation, or writes it; its name if it has changed.
fn keep(name: &'static str, screen: &Screen) -> Option<&'static str> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/screenshots/{name}.svg"));
    let picture = screen.svg("fore - shop", Look::Dark);
    if std::fs::read_to_string(&path).is_ok_and(|kept| kept == picture) {
        return None;
    }
    if std::env::var_os(UPDATE).is_some_and(|value| !value.is_empty() && value != "0") {
        std::fs::write(&path, picture).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return None;
    }
    Some(name)
}
