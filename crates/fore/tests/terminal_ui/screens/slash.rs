//! Commands: what completes them, and the pages and lists they show.

use super::{SIZES, see};
use crate::stage::{Person, Stage};
use fore_testkit::{ModelScript, terminal::TerminalKey, text};

#[test]
fn commands_and_files_complete() {
    for size in SIZES {
        let stage = Stage::new(ModelScript::new(), Person::Known);
        let mut terminal = stage.start(&[], size);
        terminal.wait_for("asks before each change");
        terminal.keys("/");
        see(&stage, &terminal, "completion_of_commands");
        terminal.keys("pl");
        see(&stage, &terminal, "completion_of_plan");
        terminal.key(TerminalKey::Ctrl('c'));
        terminal.keys("Look at @");
        see(&stage, &terminal, "completion_of_files");
        stage.finish();
    }
}

#[test]
fn pages_tell_what_holds() {
    for size in SIZES {
        let stage = Stage::new(ModelScript::new().turn(text("Hello.")), Person::Known);
        let mut terminal = stage.start(&["Hi"], size);
        terminal.wait_for("Hello.");
        terminal.wait_gone("esc stops");
        for command in ["help", "status", "cost", "permissions", "agents"] {
            terminal.keys(&format!("/{command}\n"));
            see(&stage, &terminal, &format!("page_{command}"));
        }
        stage.finish();
    }
}

#[test]
fn lists_let_choose() {
    for size in SIZES {
        let stage = Stage::new(ModelScript::new().turn(text("Hello.")), Person::Known);
        stage.start(&["-p", "Why is login slow for shops with many users?"], size).wait_exit();
        stage.touch_sessions();
        let mut terminal = stage.start(&[], size);
        terminal.wait_for("asks before each change");
        for command in ["mode", "model", "resume"] {
            terminal.keys(&format!("/{command}\n"));
            see(&stage, &terminal, &format!("list_{command}"));
            terminal.key(TerminalKey::Esc);
        }
        stage.finish();
    }
}
