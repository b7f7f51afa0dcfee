//! Windows as people have them: resized in the middle of a reply, closed, without colours, too small, deaf.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::stage::{NARROW, Person, Stage, USUAL, WIDE};
use fore_testkit::{
    Script,
    terminal::{Exit, Habits, Key, Terminal},
    text,
};

/// Many numbered lines.
fn lines(count: usize) -> String {
    (1..=count).map(|number| format!("line {number}\n\n")).collect()
}

#[test]
fn a_resize_in_the_middle_of_a_reply_loses_nothing_of_it() {
    let stage = Stage::new(Script::new().turn(text(lines(200)).rate(1_000, 4)), Person::Known);
    let mut terminal = stage.start(&["Count to 200."], WIDE);
    terminal.wait_for("line 20");
    terminal.resize(NARROW);
    terminal.wait_for("line 60");
    terminal.resize(USUAL);
    terminal.wait_rows("the end of the reply", |rows| rows.iter().any(|row| row.trim_end().ends_with("line 200")));
    let all = terminal.scrollback_text();
    for number in 1..=200 {
        let line = format!("line {number}");
        assert_eq!(all.lines().filter(|row| row.trim().trim_start_matches("● ") == line).count(), 1, "{line}\n{all}");
    }
    stage.finish();
}

#[test]
fn a_closed_window_ends_the_program_and_the_session_can_be_resumed() {
    let stage = Stage::new(Script::new().turn(text("Hello.")), Person::Known);
    let mut terminal = stage.start(&["Hi"], USUAL);
    terminal.wait_for("Hello.");
    terminal.close();
    assert_eq!(terminal.wait_exit(), Exit::Code(143));
    assert_eq!(stage.left_running(), Vec::<String>::new());
    let again = stage.start(&["--continue"], USUAL);
    again.wait_for("Hello.");
    stage.finish();
}

#[test]
fn a_terminal_that_answers_nothing_is_good_enough() {
    let stage = Stage::new(Script::new().turn(text("Hello.")), Person::Known);
    let mut terminal = Terminal::start(&stage.fore(&[]), USUAL, Habits::SILENT);
    terminal.keys("Hi");
    terminal.key(Key::Enter);
    terminal.wait_for("Hello.");
    stage.finish();
}

#[test]
fn l4_without_colours_and_without_utf8_everything_is_plain_text() {
    let stage = Stage::new(Script::new().turn(text("Hello.")), Person::Known);
    let stage = stage.variable("NO_COLOR", Some("1")).variable("LC_ALL", Some("C"));
    let terminal = stage.start(&["Hi"], USUAL);
    let screen = terminal.wait_for("Hello.");
    assert!(terminal.scrollback_text().is_ascii(), "{}", terminal.scrollback_text());
    assert!(!screen.styled().contains('#'), "{}", screen.styled());
    stage.finish();
}

#[test]
fn a_dumb_terminal_gets_plain_lines_and_no_escape_sequences() {
    let stage = Stage::new(Script::new().turn(text("Hello.")), Person::Known).variable("TERM", Some("dumb"));
    let terminal = Terminal::start(&stage.fore(&["Hi"]), USUAL, Habits::SILENT);
    let screen = terminal.wait_for("Hello.");
    assert!(screen.modes().are_at_rest());
    assert_eq!(screen.styled(), screen.text());
    stage.finish();
}

#[test]
fn a_paste_of_many_lines_is_one_prompt_and_sends_nothing_by_itself() {
    let stage = Stage::new(Script::new().turn(text("Hello.").expect_user("first\nsecond")), Person::Known);
    let mut terminal = stage.start(&[], USUAL);
    terminal.wait_until("a program that asked for marks", |screen| screen.modes().bracketed_paste);
    terminal.paste("first\nsecond\n");
    terminal.wait_for("second");
    assert_eq!(stage.server.requests().len(), 0);
    terminal.key(Key::Enter);
    terminal.wait_for("Hello.");
    stage.finish();
}
