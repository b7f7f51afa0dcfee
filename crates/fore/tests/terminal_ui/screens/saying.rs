//! The beginning, and a model that talks.

use super::{SIZES, see};
use crate::stage::{Person, Stage};
use fore_testkit::{ModelScript, terminal::TerminalKey, text};

const ANSWER: &str = include_str!("answer.md");

#[test]
fn l1_a_session_begins_with_a_welcome_and_an_empty_line_to_write_on() {
    for size in SIZES {
        let stage = Stage::new(ModelScript::new(), Person::Known);
        let mut terminal = stage.start(&[], size);
        see(&stage, &terminal, "start");
        terminal.key(TerminalKey::ShiftTab);
        see(&stage, &terminal, "start_accepting_edits");
        terminal.keys("Look at the login page.");
        terminal.key(TerminalKey::ShiftEnter);
        terminal.keys("It is slow for shops with many users, and I would like to know why.");
        see(&stage, &terminal, "message_of_several_lines");
        stage.finish();
    }
}

#[test]
fn an_answer_streams_and_prompts_wait_for_its_end() {
    for size in SIZES {
        // The last words never come, so there is time to look.
        let begun = text(ANSWER).rate(2_000, 20).stall(22);
        let stage = Stage::new(ModelScript::new().turn(begun), Person::Known);
        let mut terminal = stage.start(&["How does login find a user?"], size);
        see(&stage, &terminal, "answer_streams");
        terminal.keys("And where are they kept?\nIs there a test?\n");
        see(&stage, &terminal, "prompts_wait");
        stage.finish();
    }
}

#[test]
fn an_answer_has_headings_lists_tables_and_code() {
    for size in SIZES {
        let stage = Stage::new(ModelScript::new().turn(text(ANSWER)), Person::Known);
        let terminal = stage.start(&["How does login find a user?"], size);
        see(&stage, &terminal, "answer");
        stage.finish();
    }
}
