//! Windows as people have them: resized in the middle of a reply, tiny, slow, closed; and how the program ends in them.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::{
    stage::{NARROW, Person, Stage, USUAL, WIDE},
    steps::{assert_at_rest, leave, status, wait_draft, wait_question, wait_ready, wait_reply},
};
use fore_testkit::{
    ModelScript,
    terminal::{Exit, Habits, Terminal, TerminalKey, TerminalSize},
    text,
};
use serde_json::json;

const TINY: TerminalSize = TerminalSize { columns: 20, rows: 5 };

fn known(script: ModelScript) -> Stage {
    Stage::new(script, Person::Known)
}

/// Many numbered lines.
fn lines(count: usize) -> String {
    (1..=count).map(|number| format!("line {number}\n\n")).collect()
}

/// Waits until this line or a later one is shown: not every line of a reply is on the screen at some time.
#[track_caller]
fn wait_line(terminal: &Terminal, least: usize) {
    let number = |row: &String| row.trim().trim_start_matches("● ").strip_prefix("line ")?.parse::<usize>().ok();
    terminal.wait_rows(&format!("line {least} or more"), |rows| rows.iter().filter_map(number).any(|is| is >= least));
}

/// All lines are there; what is above the window may be there twice, for a terminal may fold it anew by itself.
#[track_caller]
fn assert_nothing_lost(terminal: &Terminal, count: usize) {
    let all = terminal.scrollback_text();
    let rows: Vec<&str> = all.lines().map(|row| row.trim().trim_start_matches("● ")).collect();
    let lost: Vec<usize> = (1..=count).filter(|number| !rows.contains(&&*format!("line {number}"))).collect();
    assert_eq!(lost, Vec::<usize>::new(), "{all}");
}

/// There is one composer with one line of status below it, and the cursor is in it.
#[track_caller]
fn assert_one_live_area(terminal: &Terminal) {
    let screen = terminal.screen();
    let rows = screen.rows();
    let count = |part: &str| rows.iter().filter(|row| row.contains(part)).count();
    assert_eq!(
        [
            count("❯ Ask"),
            rows.iter().filter(|row| row.ends_with(['▣', '▢']) || row.contains("▣  ") || row.contains("▢  ")).count()
        ],
        [1, 1],
        "{}",
        screen.text()
    );
    assert_eq!(screen.row_of("❯ Ask"), Some(screen.cursor.row.into()), "{}", screen.text());
    assert_eq!(screen.cursor.column, 2);
}

/// Waits until the live area was drawn for the width of the window. Only its last row shows that: it has something at its end.
#[track_caller]
fn wait_width(terminal: &Terminal, size: TerminalSize) {
    terminal.wait_until("the other width", |screen| {
        let status = status(&screen.rows());
        let is_whole = status.ends_with(['▣', '▢']) || status.ends_with("scripted-1");
        is_whole && status.chars().count() == usize::from(size.columns)
    });
}

#[test]
fn a_resize_in_the_middle_of_a_reply_loses_nothing_of_it() {
    let stage = known(ModelScript::new().turn(text(lines(200)).rate(500, 4)));
    let mut terminal = stage.start(&["Count to 200."], WIDE);
    wait_line(&terminal, 20);
    terminal.resize(NARROW);
    wait_line(&terminal, 80);
    terminal.resize(USUAL);
    wait_line(&terminal, 120);
    terminal.resize(WIDE);
    wait_reply(&terminal, "line 200");
    wait_width(&terminal, WIDE);
    assert_nothing_lost(&terminal, 200);
    assert_one_live_area(&terminal);
    terminal.keys("and now");
    wait_draft(&terminal, "and now");
    stage.finish();
}

#[test]
fn a_window_that_gets_narrow_and_wide_again_has_one_live_area_and_lost_nothing() {
    let stage = known(ModelScript::new().turn(text(lines(30))));
    let mut terminal = stage.start(&["Count to 30."], WIDE);
    wait_reply(&terminal, "line 30");
    for size in [NARROW, USUAL, NARROW, WIDE] {
        terminal.resize(size);
        wait_width(&terminal, size);
        assert_one_live_area(&terminal);
    }
    assert_nothing_lost(&terminal, 30);
    leave(&mut terminal);
    stage.finish();
}

/// The emulator cuts rows that are too long, as xterm does.
#[test]
fn a_terminal_that_cuts_long_rows_loses_none_of_them() {
    for count in [3, 12, 60] {
        let words = "and some more words that make it long, so that it does not fit into one row of a narrow window";
        let said: String = (1..=count).map(|number| format!("line {number}\n\n{words}\n\n")).collect();
        let stage = known(ModelScript::new().turn(text(said))).variable("XTERM_VERSION", Some("XTerm(390)"));
        let mut terminal = stage.start(&["Count."], WIDE);
        wait_reply(&terminal, &format!("line {count}"));
        for size in [USUAL, NARROW, WIDE, NARROW] {
            terminal.resize(size);
            wait_width(&terminal, size);
            assert_nothing_lost(&terminal, count);
        }
        stage.finish();
    }
}

#[test]
fn a_window_that_gets_larger_before_anything_was_said_keeps_what_stood_above() {
    let stage = known(ModelScript::new());
    let mut program = stage.fore(&[]);
    let shell = "echo 'what the shell said'; exec \"$0\"";
    program.arguments = vec!["-c".to_owned(), shell.to_owned(), program.path.display().to_string()];
    program.path = "/bin/sh".into();
    let mut terminal = Terminal::start(&program, USUAL, Habits::MODERN);
    wait_ready(&terminal);
    terminal.resize(WIDE);
    terminal.wait_rows("wider rules", |rows| rows.iter().filter(|row| row.chars().count() == 120).count() >= 2);
    assert_one_live_area(&terminal);
    assert!(terminal.screen().contains("what the shell said"), "{}", terminal.screen().text());
    stage.finish();
}

#[test]
fn a_tiny_window_is_no_reason_to_fail() {
    let plan = format!("# A plan\n\n{}", lines(30));
    let write = json!({"file_path": "{{plan}}", "content": plan});
    let script = ModelScript::new()
        .turn(text(lines(30)).call("Write", write).call("ExitPlanMode", json!({})))
        .turn(text("Still planning."));
    let stage = known(script);
    let mut terminal = stage.start(&["--mode", "plan", "Plan something that is longer than the window"], TINY);
    terminal.wait_for("A plan waits");
    for size in [
        TerminalSize { columns: 1, rows: 1 },
        TerminalSize { columns: 3, rows: 2 },
        TerminalSize { columns: 500, rows: 3 },
        TINY,
    ] {
        terminal.resize(size);
        let frames = terminal.frames();
        terminal.key(TerminalKey::Down);
        terminal.wait_frame(frames);
    }
    terminal.resize(USUAL);
    wait_question(&terminal, "Keep planning");
    terminal.key(TerminalKey::Esc);
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("Still planning.");
    leave(&mut terminal);
    stage.finish();
}

/// Waits until a program has not used the processor for some looks in a row: it cannot go on.
fn wait_stuck(id: u32) {
    let used = || {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map(|(_, fields)| fields.to_owned()).unwrap_or_default();
        fields.split_whitespace().skip(11).take(2).map(str::to_owned).collect::<Vec<_>>()
    };
    let (mut before, mut looks) = (used(), 0);
    while looks < 20 {
        std::thread::park_timeout(std::time::Duration::from_millis(10));
        let now = used();
        looks = if now == before { looks + 1 } else { 0 };
        before = now;
    }
}

#[test]
fn a_window_that_takes_nothing_for_a_while_gets_everything_in_the_end() {
    let stage = known(ModelScript::new().turn(text(format!("{}That was all.", lines(3_000)))));
    let terminal = stage.start(&["Count to 3000."], USUAL);
    let mut has_waited = false;
    terminal.wait_rows("the prompt", |rows| {
        // The prompt may have scrolled away by the first look.
        let has_begun = rows.iter().any(|row| row.contains("Count to 3000.") || row.contains("line "));
        // Nobody reads what the program writes while this runs.
        if has_begun && !std::mem::replace(&mut has_waited, true) {
            wait_stuck(terminal.id());
        }
        has_begun
    });
    wait_reply(&terminal, "That was all.");
    assert_nothing_lost(&terminal, 3_000);
    assert_one_live_area(&terminal);
    stage.finish();
}

#[test]
fn a_window_closed_in_the_middle_of_a_turn_ends_everything_and_the_session_can_be_resumed() {
    let script = ModelScript::new()
        .turn(text("Once upon a time").call("Bash", json!({"command": "sleep 1000"})))
        .turn(text("Again."))
        .allow_unused_turns();
    let stage = known(script);
    let mut terminal = stage.start(&["Tell me."], USUAL);
    terminal.wait_for("Bash sleep 1000");
    terminal.close();
    assert_eq!(terminal.wait_exit(), Exit::Code(143));
    assert_eq!(stage.left_running(), Vec::<String>::new());
    let mut again = stage.start(&["--continue"], USUAL);
    again.wait_for("Once upon a time");
    wait_ready(&again);
    again.keys("Go on.\n");
    again.wait_for("Again.");
    assert_eq!(stage.sessions().len(), 1);
    stage.finish();
}

#[test]
fn a_signal_to_end_is_followed_with_everything_saved_and_the_terminal_as_it_was() {
    for (signal, code) in [(libc::SIGTERM, 143), (libc::SIGINT, 130), (libc::SIGHUP, 143)] {
        let stage = known(ModelScript::new().turn(text("Once upon a time").stall(6)).turn(text("Again.")));
        let mut terminal = stage.start(&["Tell me."], USUAL);
        terminal.wait_for("Once");
        terminal.signal(signal);
        assert_eq!(terminal.wait_exit(), Exit::Code(code));
        assert_at_rest(&terminal);
        assert!(terminal.screen().contains("Resume with: fore --resume"), "{}", terminal.screen().text());
        assert_eq!(stage.left_running(), Vec::<String>::new());
        let mut again = stage.start(&["--continue"], USUAL);
        wait_ready(&again);
        again.keys("Go on.\n");
        again.wait_for("Again.");
        stage.finish();
    }
}

#[test]
fn the_pager_leaves_no_trace_when_the_program_ends_in_it() {
    let stage = known(ModelScript::new().turn(text("Hello.")));
    let mut terminal = stage.start(&["Hi"], USUAL);
    wait_reply(&terminal, "Hello.");
    terminal.key(TerminalKey::Ctrl('o'));
    let screen = terminal.wait_until("the other screen", |screen| screen.modes.alternate);
    assert!(screen.modes.alternate_scroll && !screen.modes.mouse, "{:?}", screen.modes);
    terminal.signal(libc::SIGTERM);
    assert_eq!(terminal.wait_exit(), Exit::Code(143));
    assert_at_rest(&terminal);
    stage.finish();
}

#[test]
fn a_session_that_cannot_start_says_why_and_leaves_the_terminal_as_it_was() {
    let stage = known(ModelScript::new());
    for (arguments, said) in [
        (&["--resume", "0000"][..], "0000"),
        (&["--continue"][..], "no session"),
        (&["--mode", "bypassPermissions"][..], "bypassPermissions"),
    ] {
        let terminal = stage.start(arguments, USUAL);
        let exit = terminal.wait_exit();
        assert!(matches!(exit, Exit::Code(1 | 2)), "{exit:?}");
        assert!(terminal.screen().contains(said), "{}", terminal.screen().text());
        assert_at_rest(&terminal);
    }
    stage.finish();
}

#[test]
fn a_terminal_that_answers_nothing_is_good_enough() {
    let stage = known(ModelScript::new().turn(text("Hello.")));
    let mut terminal = Terminal::start(&stage.fore(&[]), USUAL, Habits::SILENT);
    wait_ready(&terminal);
    terminal.keys("Hi\n");
    wait_reply(&terminal, "Hello.");
    leave(&mut terminal);
    stage.finish();
}
