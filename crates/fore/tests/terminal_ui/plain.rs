//! The terminal without a live area: a whole planning story in lines, for screen readers and dumb terminals.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::{
    headless,
    stage::{Person, Stage, WIDE},
};
use fore_testkit::{
    ModelScript,
    terminal::{Exit, Habits, Terminal, TerminalKey, TerminalSize},
    text,
};

const STORY: &str = "keep_planning_with_reason_and_comments";
/// Large enough for the whole story in one piece, with no line folded.
const HIGH: TerminalSize = TerminalSize { columns: 240, rows: 200 };

/// Writes a line as the terminal's own editing does: the program gets it whole.
fn line(terminal: &mut Terminal, text: &str) {
    terminal.send(format!("{text}\r").as_bytes());
    terminal.wait_read();
}

/// The answer is asked for: the last row is the prompt sign of this mode.
#[track_caller]
fn wait_asked(terminal: &Terminal, after: &str, mode: &str) {
    terminal.wait_rows(&format!("{mode}> after {after:?}"), |rows| {
        let last = rows.iter().rposition(|row| !row.is_empty());
        let said = rows.iter().rposition(|row| row.contains(after));
        last.is_some_and(|last| rows[last] == format!("{mode}>") && said.is_some_and(|said| said < last))
    });
}

fn play(stage: &Stage, arguments: &[&str]) -> Terminal {
    let mut terminal = Terminal::start(&stage.fore(arguments), HIGH, Habits::SILENT);
    wait_asked(&terminal, "mode", "plan");
    line(&mut terminal, "Plan a fix.");
    wait_asked(&terminal, "/edit opens your editor", "plan");
    line(&mut terminal, "/comment 7 by name is slow too");
    wait_asked(&terminal, "Kept: 1 comment", "plan");
    line(&mut terminal, "/answer 5 Why not an index? \"quoted\" <b>&");
    wait_asked(&terminal, "revision 2", "plan");
    wait_asked(&terminal, "/edit opens your editor", "plan");
    line(&mut terminal, "/answer 2");
    wait_asked(&terminal, "Working.", "default");
    terminal
}

#[test]
fn a_planning_story_in_lines_leaves_the_same_transcript() {
    let told_headless = {
        let stage = Stage::of(STORY);
        headless::play(&stage, STORY);
        stage.transcript()
    };
    let stage = Stage::of(STORY).variable("LC_ALL", Some("C"));
    let mut terminal = play(&stage, &["--plain", "--mode", "plan"]);
    let screen = terminal.screen();
    assert_eq!(screen.styled(), screen.text());
    insta::assert_snapshot!(
        "plain_story",
        stage.stable_text(&screen.text()).replace(env!("CARGO_PKG_VERSION"), "0.0.0")
    );
    line(&mut terminal, "/quit");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert!(terminal.scrollback_text().is_ascii());
    let (found, expected) = (stage.transcript(), told_headless);
    assert_eq!(found.lines().collect::<Vec<_>>(), expected.lines().collect::<Vec<_>>());
    stage.finish();
}

#[test]
fn a_dumb_terminal_gets_plain_lines_and_no_escape_sequences() {
    let stage = Stage::new(ModelScript::new().turn(text("Hello.")), Person::Known).variable("TERM", Some("dumb"));
    let mut terminal = Terminal::start(&stage.fore(&["Hi"]), WIDE, Habits::SILENT);
    wait_asked(&terminal, "Hello.", "default");
    let screen = terminal.screen();
    assert!(screen.modes.are_at_rest() && terminal.is_cooked());
    assert_eq!(screen.styled(), screen.text());
    // The end of input, as the terminal sends it.
    terminal.key(TerminalKey::Ctrl('d'));
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    stage.finish();
}

#[test]
fn in_lines_ctrl_c_stops_what_runs_and_twice_leaves() {
    let stage = Stage::new(ModelScript::new().turn(text("Once upon a time").stall(6)), Person::Known);
    let mut terminal = Terminal::start(&stage.fore(&["--plain", "Tell me."]), WIDE, Habits::SILENT);
    assert!(stage.server.wait_requests_blocking(1));
    terminal.send(b"\x03");
    terminal.wait_for("Ctrl+C again leaves");
    assert!(stage.server.wait_closed_blocking(0));
    terminal.send(b"\x03");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert_eq!(stage.left_running(), Vec::<String>::new());
    stage.finish();
}

#[test]
fn in_lines_ctrl_c_leaves_a_plan_that_waits_where_it_is() {
    let stage = Stage::of(STORY);
    let arguments = ["--plain", "--mode", "plan", "Plan a fix."];
    let mut terminal = Terminal::start(&stage.fore(&arguments), HIGH, Habits::SILENT);
    wait_asked(&terminal, "/edit opens your editor", "plan");
    terminal.send(b"\x03");
    wait_asked(&terminal, "The plan waits for your answer. Ctrl+C again leaves; it will be there again.", "plan");
    line(&mut terminal, "/help");
    wait_asked(&terminal, "leave; the session is kept", "plan");
    let help = terminal.screen().text();
    for words in ["/answer N [words]", "/comment LINE words", "/edit", "/show", "/diff"] {
        assert!(help.contains(words), "{words}: {help}");
    }
    assert!(!help.contains("Shift+Tab, Alt+M"), "{help}");
    line(&mut terminal, "/quit");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    let mut terminal = Terminal::start(&stage.fore(&["--plain", "--continue"]), HIGH, Habits::SILENT);
    wait_asked(&terminal, "/edit opens your editor", "plan");
    line(&mut terminal, "/quit");
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    let _ = stage.server.finish();
}

#[test]
fn a_line_that_looks_like_an_answer_is_a_message() {
    let stage = Stage::of(STORY);
    let mut terminal =
        Terminal::start(&stage.fore(&["--plain", "--mode", "plan", "Plan a fix."]), HIGH, Habits::SILENT);
    wait_asked(&terminal, "/edit opens your editor", "plan");
    for said in ["y", "yes", "approve", ""] {
        line(&mut terminal, said);
    }
    // A number alone is how somebody tries to answer: it is no message either.
    line(&mut terminal, "1");
    wait_asked(&terminal, "A plan waits: /answer 1 answers with 1. Nothing was sent.", "plan");
    line(&mut terminal, "/1");
    wait_asked(&terminal, "answered with /answer and a number", "plan");
    assert_eq!(stage.server.requests().len(), 1);
    let _ = stage.server.finish();
}

#[test]
fn in_lines_a_comment_that_was_not_sent_is_there_again_after_a_restart() {
    let stage = Stage::of(STORY);
    let start = |arguments: &[&str]| {
        let terminal = Terminal::start(&stage.fore(arguments), HIGH, Habits::SILENT);
        wait_asked(&terminal, "/edit opens your editor", "plan");
        terminal
    };
    let mut terminal = start(&["--plain", "--mode", "plan", "Plan a fix."]);
    line(&mut terminal, "/comment 7 by name is slow too");
    wait_asked(&terminal, "Kept: 1 comment", "plan");
    // The plan is not taken back by somebody who only wants to leave.
    terminal.send(b"\x03");
    terminal.wait_for("Ctrl+C again leaves; it will be there again.");
    terminal.kill();
    assert_eq!(terminal.wait_exit(), Exit::Signal(9));
    let mut again = start(&["--plain", "--continue"]);
    again.wait_for("Comment on line 7, \"- `src/login.rs`: look the user up by name.\": by name is slow too");
    line(&mut again, "/answer 5");
    assert!(stage.server.wait_requests_blocking(2));
    let told = stage.server.requests().swap_remove(1);
    assert!(format!("{told:?}").contains("by name is slow too"), "{told:?}");
    let _ = stage.server.finish();
}
