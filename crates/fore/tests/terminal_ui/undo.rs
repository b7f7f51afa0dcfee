//! `/undo`, `/redo` and `/rewind` in a terminal: what would change is on the screen before anything happens.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::{
    stage::{Person, Stage},
    steps::{focus, leave, wait_reply, wait_status},
};
use fore_testkit::{
    ModelScript, call,
    terminal::{Terminal, TerminalKey, TerminalSize},
    text,
};
use serde_json::json;

const SIZE: TerminalSize = TerminalSize { columns: 100, rows: 60 };

fn edits() -> ModelScript {
    ModelScript::new()
        .turn(
            call("Write", json!({"file_path": "cart.rs", "content": "fn total() -> u64 {\n    1\n}\n"}))
                .call("Write", json!({"file_path": "docs/cart.md", "content": "# Cart\n"})),
        )
        .turn(text("It is mended."))
}

fn mended(stage: &Stage) -> Terminal {
    let terminal = stage.start(&["--mode", "acceptEdits", "Mend the cart."], SIZE);
    wait_reply(&terminal, "It is mended.");
    assert!(stage.has("shop/cart.rs") && stage.has("shop/docs/cart.md"));
    terminal
}

#[test]
fn undo_shows_what_it_would_do_asks_and_redo_brings_it_back() {
    let stage = Stage::new(edits(), Person::Known);
    let mut terminal = mended(&stage);
    terminal.keys("/undo\r");
    let shown = terminal.wait_for("Undo the changes of 2 files?");
    for row in ["What was changed after “Mend the cart.”", "cart.rs is removed (+0 −3)", "docs/cart.md is removed"]
    {
        assert!(shown.contains(row), "{row}: {}", shown.text());
    }
    assert!(stage.has("shop/cart.rs"), "nothing happens before the answer");
    focus(&mut terminal);
    terminal.key(TerminalKey::Esc);
    terminal.wait_for("Nothing was changed.");
    assert!(stage.has("shop/cart.rs"));

    terminal.keys("/undo\r");
    terminal.wait_rows("the question once more", |rows| {
        rows.iter().filter(|row| row.contains("What was changed after")).count() > 1
            && rows.iter().any(|row| row.contains("Leave everything as it is"))
    });
    focus(&mut terminal);
    terminal.keys("1\n");
    terminal.wait_for("Undone: 2 files; /redo brings it back.");
    assert!(!stage.has("shop/cart.rs") && !stage.has("shop/docs"));

    terminal.keys("/redo\r");
    terminal.wait_for("Redo the changes of 2 files?");
    focus(&mut terminal);
    terminal.keys("1\n");
    terminal.wait_for("Redone: 2 files; /undo takes it back.");
    assert_eq!(stage.read("shop/cart.rs"), "fn total() -> u64 {\n    1\n}\n");
    leave(&mut terminal);
    stage.finish();
}

#[test]
fn while_planning_undo_says_why_it_does_nothing() {
    let stage = Stage::new(edits(), Person::Known);
    let mut terminal = mended(&stage);
    terminal.keys("/mode plan\r");
    wait_status(&terminal, "⏸");
    terminal.keys("/undo\r");
    terminal.wait_for("No file changes while planning, also not by undo.");
    assert!(stage.has("shop/cart.rs"));
    leave(&mut terminal);
    stage.finish();
}
