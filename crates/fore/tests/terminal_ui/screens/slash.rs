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

#[test]
fn custom_commands_complete_are_listed_and_are_shown_as_they_were_typed() {
    for size in SIZES {
        let script = ModelScript::new().turn(text("Two things are odd.").expect_user("Look at the cart."));
        let stage = Stage::new(script, Person::Known);
        stage.write(
            "shop/.claude/commands/git/review.md",
            "---\ndescription: Looks for what is wrong\nargument-hint: [what]\n---\nLook at $ARGUMENTS.\n\n!`ls src`\n",
        );
        stage.write(".forethought/commands/grow.md", "---\ndescription: Adds a test\n---\nAdd a test.\n");
        let mut terminal = stage.start(&[], size);
        terminal.wait_for("asks before each change");
        terminal.keys("/g");
        see(&stage, &terminal, "completion_of_custom_commands");
        terminal.keys("it\tthe cart\n");
        terminal.wait_for("Two things are odd.");
        terminal.wait_gone("esc stops");
        see(&stage, &terminal, "custom_command_has_run");
        terminal.keys("/help commands\n");
        see(&stage, &terminal, "page_help_custom_commands");
        stage.finish();
    }
}

#[test]
fn a_custom_command_that_cannot_be_sent_says_why() {
    for size in SIZES {
        let stage = Stage::new(ModelScript::new(), Person::Known);
        stage.write("shop/.claude/commands/keys.md", "Use @.env for it.\n");
        stage.write("shop/.env", "KEY=1\n");
        let mut terminal = stage.start(&[], size);
        terminal.wait_for("asks before each change");
        terminal.keys("/keys\n");
        terminal.wait_for("was not sent");
        see(&stage, &terminal, "custom_command_not_sent");
        stage.finish();
    }
}

#[test]
fn a_permission_is_explained_before_it_is_asked_for() {
    for size in SIZES {
        let stage = Stage::new(ModelScript::new(), Person::Known);
        let mut terminal = stage.start(&[], size);
        terminal.wait_for("asks before each change");
        terminal.keys("/permissions test cargo fmt && npm test -- x | tail -5\n");
        see(&stage, &terminal, "page_permissions_test");
        stage.finish();
    }
}
