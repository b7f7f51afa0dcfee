//! Keys of the composer in the real program: what is typed, recalled, pasted, edited elsewhere, taken back.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::{
    stage::{Person, Stage, USUAL, WIDE},
    steps::{assert_at_rest, leave, wait_draft, wait_invited, wait_ready, wait_reply, wait_status, words_of},
};
use fore_testkit::{
    ModelScript, ToldPart,
    terminal::{Exit, Terminal, TerminalKey},
    text,
};

fn known(script: ModelScript) -> Stage {
    Stage::new(script, Person::Known)
}

fn ready(stage: &Stage, arguments: &[&str]) -> Terminal {
    let terminal = stage.start(arguments, USUAL);
    wait_ready(&terminal);
    terminal
}

#[test]
fn several_lines_are_written_before_one_enter_sends_them_all() {
    let stage = known(ModelScript::new().turn(text("Read.").expect_user("first\nsecond\nthird\nfourth\nfifth")));
    let mut terminal = ready(&stage, &[]);
    terminal.keys("first");
    terminal.key(TerminalKey::ShiftEnter);
    terminal.keys("second");
    terminal.key(TerminalKey::AltEnter);
    terminal.keys("third");
    terminal.key(TerminalKey::Ctrl('j'));
    terminal.keys("fourth\\");
    terminal.key(TerminalKey::Enter);
    terminal.keys("fifth");
    terminal.wait_for("fifth");
    assert_eq!(stage.server.requests().len(), 0);
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("Read.");
    leave(&mut terminal);
    stage.finish();
}

#[test]
fn earlier_prompts_come_back_by_arrows_and_by_search_also_after_a_restart() {
    let script = ModelScript::new()
        .turn(text("One."))
        .turn(text("Two."))
        .turn(text("Three.").expect_user("alpha is the first"))
        .turn(text("Four.").expect_user("beta is the second"));
    let stage = known(script);
    let mut terminal = ready(&stage, &[]);
    terminal.keys("alpha is the first\n");
    terminal.wait_for("One.");
    terminal.keys("beta is the second\n");
    terminal.wait_for("Two.");
    terminal.keys("not sent yet");
    terminal.key(TerminalKey::Up);
    wait_draft(&terminal, "beta is the second");
    terminal.key(TerminalKey::Up);
    wait_draft(&terminal, "alpha is the first");
    terminal.key(TerminalKey::Down);
    wait_draft(&terminal, "beta is the second");
    terminal.key(TerminalKey::Down);
    wait_draft(&terminal, "not sent yet");
    terminal.key(TerminalKey::Ctrl('u'));
    terminal.key(TerminalKey::Ctrl('r'));
    terminal.keys("alp");
    wait_draft(&terminal, "alpha is the first");
    // The first Enter takes what was found, the second sends it.
    terminal.key(TerminalKey::Enter);
    assert_eq!(stage.server.requests().len(), 2);
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("Three.");
    leave(&mut terminal);
    let mut again = ready(&stage, &[]);
    again.key(TerminalKey::Up);
    wait_draft(&again, "alpha is the first");
    again.key(TerminalKey::Up);
    wait_draft(&again, "beta is the second");
    again.key(TerminalKey::Enter);
    again.wait_for("Four.");
    stage.finish();
}

#[test]
fn a_paste_of_many_lines_is_one_prompt_and_sends_nothing_by_itself() {
    let stage = known(ModelScript::new().turn(text("Hello.").expect_user("first\nsecond")));
    let mut terminal = ready(&stage, &[]);
    terminal.paste("first\nsecond\n");
    terminal.wait_for("second");
    assert_eq!(stage.server.requests().len(), 0);
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("Hello.");
    stage.finish();
}

#[test]
fn a_paste_that_the_terminal_does_not_mark_sends_nothing_by_itself() {
    // More than the program reads at once.
    let line = "abcdefghi ".repeat(50);
    let pasted = format!("first\r{line}\r{line}\r{line}\rlast\r");
    let expected = pasted.trim_end().replace('\r', "\n");
    let stage = known(ModelScript::new().turn(text("Hello.").expect_user(expected)));
    let mut terminal = ready(&stage, &[]);
    terminal.send(pasted.as_bytes());
    terminal.wait_for("5 lines]");
    assert_eq!(stage.server.requests().len(), 0);
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("Hello.");
    stage.finish();
}

#[test]
fn a_line_that_comes_at_once_with_its_enter_is_sent() {
    let stage =
        known(ModelScript::new().turn(text("Hello.").expect_user("Hi there")).turn(text("Again.").expect_user("é")));
    let mut terminal = ready(&stage, &[]);
    terminal.send(b"Hi there\r");
    wait_reply(&terminal, "Hello.");
    terminal.send("x\x7fé\r".as_bytes());
    wait_reply(&terminal, "Again.");
    leave(&mut terminal);
    stage.finish();
}

#[test]
fn a_long_paste_is_one_word_in_the_draft_and_whole_in_the_prompt() {
    let log: String = (1..=40).map(|number| format!("line {number} of the log\n")).collect();
    let stage = known(ModelScript::new().turn(text("I see.").expect_user(format!("Why?\n{}", log.trim_end()))));
    let mut terminal = ready(&stage, &[]);
    terminal.keys("Why?");
    terminal.key(TerminalKey::ShiftEnter);
    terminal.paste(&log);
    let screen = terminal.wait_for("40 lines]");
    assert!(!screen.contains("line 7 of the log"), "{}", screen.text());
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("I see.");
    stage.finish();
}

#[test]
fn m10_a_command_of_the_persons_own_runs_also_while_planning_and_says_whose_it_is() {
    let stage = known(ModelScript::new().turn(text("Noted.").expect_user("What did I do?")));
    let mut terminal = ready(&stage, &["--mode", "plan"]);
    wait_status(&terminal, "⏸ plan mode on");
    terminal.keys("!echo mine > notes.txt; echo written");
    terminal.wait_for("Your own command: runs even in plan mode");
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("└ your own command · ok, 1 line");
    assert_eq!(stage.read("shop/notes.txt"), "mine\n");
    wait_status(&terminal, "⏸ plan mode on");
    terminal.wait_for("! echo mine > notes.txt; echo written");
    terminal.keys("What did I do?\n");
    terminal.wait_for("Noted.");
    let words = words_of(&stage, 0);
    assert!(words.contains("echo mine > notes.txt"), "{words}");
    stage.finish();
}

#[test]
fn a5_esc_interrupts_a_reply_and_the_next_prompt_goes_on() {
    let script = ModelScript::new().turn(text("Once upon a time there was more").stall(4)).turn(text("As you say."));
    let stage = known(script);
    let mut terminal = ready(&stage, &[]);
    terminal.keys("Tell me a story.\n");
    let screen = terminal.wait_for("Once upon");
    assert!(screen.contains("esc stops"), "{}", screen.text());
    terminal.key(TerminalKey::Esc);
    assert!(stage.server.wait_closed_blocking(0));
    terminal.wait_for("nterrupted");
    terminal.keys("Something else.\n");
    terminal.wait_for("As you say.");
    stage.finish();
}

#[test]
fn esc_twice_brings_the_last_prompt_back_and_the_model_never_hears_of_it_again() {
    let script = ModelScript::new()
        .turn(text("Hello."))
        .turn(text("All gone."))
        .turn(text("Kept.").expect_user("Remove the dead code."));
    let stage = known(script);
    let mut terminal = ready(&stage, &[]);
    terminal.keys("Hi.\n");
    wait_reply(&terminal, "Hello.");
    terminal.keys("Remove the code.\n");
    wait_reply(&terminal, "All gone.");
    terminal.key(TerminalKey::Esc);
    terminal.wait_for("esc again to edit your last prompt");
    terminal.key(TerminalKey::Esc);
    wait_draft(&terminal, "Remove the code.");
    "code.".chars().for_each(|_| terminal.key(TerminalKey::Left));
    terminal.keys("dead ");
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("Kept.");
    let requests = stage.server.requests();
    let told = |part: &str| {
        requests[2]
            .told
            .iter()
            .any(|told| matches!(told, ToldPart::Words(text) | ToldPart::Said(text) if text.contains(part)))
    };
    assert_eq!([told("Hi."), told("Hello."), told("Remove the code."), told("All gone.")], [true, true, false, false]);
    stage.finish();
}

#[test]
fn ctrl_c_leaves_when_it_is_pressed_twice_and_only_then() {
    let stage = known(ModelScript::new());
    let mut terminal = ready(&stage, &[]);
    terminal.keys("a draft");
    terminal.key(TerminalKey::Ctrl('c'));
    terminal.wait_for("ctrl+c again to leave");
    terminal.wait_gone("a draft");
    terminal.keys("x");
    terminal.wait_gone("ctrl+c again to leave");
    terminal.key(TerminalKey::Backspace);
    leave(&mut terminal);
    stage.finish();
}

#[test]
fn ctrl_d_leaves_only_when_nothing_is_written() {
    let stage = known(ModelScript::new());
    let mut terminal = ready(&stage, &[]);
    terminal.keys("ab");
    terminal.key(TerminalKey::Left);
    terminal.key(TerminalKey::Ctrl('d'));
    wait_draft(&terminal, "a");
    terminal.key(TerminalKey::Backspace);
    wait_invited(&terminal);
    terminal.key(TerminalKey::Ctrl('d'));
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert_at_rest(&terminal);
    stage.finish();
}

#[test]
fn ctrl_g_opens_the_persons_editor_on_the_draft_and_brings_it_back() {
    let script = ModelScript::new().turn(text("Understood.").expect_user("draft, and more\nfrom the editor"));
    let stage = known(script).variable("EDITOR", Some("my-editor"));
    stage.command("my-editor", "printf ', and more\\nfrom the editor\\n' >> \"$1\"\necho in the editor");
    let mut terminal = ready(&stage, &[]);
    terminal.keys("draft");
    terminal.key(TerminalKey::Ctrl('g'));
    terminal.wait_for("from the editor");
    wait_draft(&terminal, "draft, and more");
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("Understood.");
    leave(&mut terminal);
    stage.finish();
}

#[test]
fn an_editor_that_fails_changes_nothing() {
    let stage = known(ModelScript::new()).variable("EDITOR", Some("my-editor"));
    stage.command("my-editor", "echo spoiled > \"$1\"\nexit 3");
    let mut terminal = ready(&stage, &[]);
    terminal.keys("draft");
    terminal.key(TerminalKey::Ctrl('g'));
    terminal.wait_for("nothing was changed");
    wait_draft(&terminal, "draft");
    stage.finish();
}

/// The program as a job of a shell, which says when it was stopped, waits for a line, and lets it go on.
fn as_a_job(stage: &Stage) -> Terminal {
    let mut program = stage.fore(&[]);
    let shell = "set -m; \"$0\"; code=$?; stty sane; echo \"stopped with $code\"; read answer; fg > /dev/null; echo \"ended with $?\"";
    program.arguments = vec!["-c".to_owned(), shell.to_owned(), program.path.display().to_string()];
    program.path = "/bin/bash".into();
    let terminal = Terminal::start(&program, WIDE, fore_testkit::terminal::Habits::MODERN);
    wait_ready(&terminal);
    terminal
}

/// What the shell lets go on is as it was, works, and leaves nothing behind. A live area that could not be taken away before
/// the stop stands above it.
fn goes_on(stage: Stage, mut terminal: Terminal, left_above: usize) {
    terminal.keys("go on\n");
    let is_draft = |row: &&String| *row == "❯ kept";
    terminal.wait_rows("the draft", |rows| rows.iter().filter(is_draft).count() == left_above + 1);
    terminal.key(TerminalKey::Enter);
    // Leaving while the turn goes on would be asked about.
    wait_reply(&terminal, "Hello.");
    terminal.key(TerminalKey::Ctrl('d'));
    terminal.wait_for("ended with 0");
    assert_at_rest(&terminal);
    stage.finish();
}

#[test]
fn ctrl_z_gives_the_terminal_to_the_shell_and_fg_brings_the_screen_back() {
    let stage = known(ModelScript::new().turn(text("Hello.")));
    let mut terminal = as_a_job(&stage);
    terminal.keys("kept");
    terminal.key(TerminalKey::Ctrl('z'));
    terminal.wait_for("stopped with 148");
    assert_at_rest(&terminal);
    assert!(!terminal.screen().contains("to cycle)"), "{}", terminal.screen().text());
    goes_on(stage, terminal, 0);
}

#[test]
fn a_signal_to_stop_gives_the_terminal_to_the_shell_and_fg_brings_the_screen_back() {
    let stage = known(ModelScript::new().turn(text("Hello.")));
    let mut terminal = as_a_job(&stage);
    terminal.keys("kept");
    wait_draft(&terminal, "kept");
    terminal.signal_children(libc::SIGTSTP);
    terminal.wait_for("stopped with 148");
    assert_at_rest(&terminal);
    assert!(!terminal.screen().contains("to cycle)"), "{}", terminal.screen().text());
    goes_on(stage, terminal, 0);
}

#[test]
fn a_stop_that_nobody_is_asked_about_is_followed_by_a_whole_screen_too() {
    let stage = known(ModelScript::new().turn(text("Hello.")));
    let mut terminal = as_a_job(&stage);
    terminal.keys("kept");
    wait_draft(&terminal, "kept");
    terminal.signal_children(libc::SIGSTOP);
    terminal.wait_for("stopped with 147");
    assert!(terminal.is_cooked());
    goes_on(stage, terminal, 1);
}

#[test]
fn a_program_that_was_stopped_without_a_shell_has_one_live_area_when_it_goes_on() {
    let stage = known(ModelScript::new().turn(text("Hello.")));
    let mut terminal = ready(&stage, &[]);
    terminal.keys("kept");
    wait_draft(&terminal, "kept");
    let (before, frames) = (terminal.screen(), terminal.frames());
    terminal.signal(libc::SIGSTOP);
    terminal.signal(libc::SIGCONT);
    // One to take the area away, one to draw it anew.
    terminal.wait_frame(frames + 1);
    wait_draft(&terminal, "kept");
    assert_eq!(terminal.screen().text(), before.text());
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("Hello.");
    leave(&mut terminal);
    stage.finish();
}
