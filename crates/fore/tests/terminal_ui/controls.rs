//! Esc and Shift+Tab act whatever other processes hold.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]
#![allow(clippy::disallowed_methods, reason = "prepares the project of the program under test")]

use crate::{
    stage::{Person, Stage, WIDE},
    steps::{leave, wait_ready, wait_reply, wait_status},
};
use fore_testkit::{ModelScript, call, kernel::make_this_thread_bare, terminal::TerminalKey, text};
use std::{
    fs::File,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// The keys are made to act within a second; a busy machine gets more.
const AT_ONCE: Duration = Duration::from_secs(10);

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let below = |entry: std::fs::DirEntry| match entry.path() {
        path if path.is_dir() => files(&path),
        path => vec![path],
    };
    entries.flat_map(below).collect()
}

#[test]
fn with_every_lock_held_shift_tab_and_esc_act_at_once() {
    let stage = Stage::new(ModelScript::new().turn(text("Once upon a time there was more").stall(4)), Person::Known);
    let mut terminal = stage.start(&[], WIDE);
    wait_ready(&terminal);
    let files = files(&stage.fore_home()).into_iter().filter_map(|path| File::open(path).ok());
    let held: Vec<File> = files.filter(|file| file.try_lock().is_ok()).collect();
    assert!(!held.is_empty(), "nothing was there to hold");
    let started = Instant::now();
    terminal.key(TerminalKey::ShiftTab);
    wait_status(&terminal, "⏵⏵ accept edits on");
    terminal.key(TerminalKey::ShiftTab);
    wait_status(&terminal, "⏸ plan mode on");
    assert!(started.elapsed() < 2 * AT_ONCE, "{:?}", started.elapsed());
    terminal.keys("Tell me\n");
    terminal.wait_for("Once upon a time");
    let started = Instant::now();
    terminal.key(TerminalKey::Esc);
    assert!(stage.server.wait_closed_blocking(0));
    assert!(started.elapsed() < AT_ONCE, "{:?}", started.elapsed());
    drop(held);
    stage.finish();
}

#[test]
fn a_server_that_is_dead_or_silent_delays_no_start_and_no_answer() {
    let stage = Stage::new(ModelScript::new().turn(text("Here I am.")), Person::Known);
    stage.command("silent-server", "cat > /dev/null");
    let mut settings: serde_json::Value = serde_json::from_str(&stage.read(".forethought/settings.json")).unwrap();
    let silent = serde_json::json!({"command": "silent-server", "startTimeout": 600_000});
    settings["mcp"] = serde_json::json!({"servers": {"silent": silent, "dead": {"command": "no-such-server"}}});
    stage.write(".forethought/settings.json", &settings.to_string());
    let mut terminal = stage.start(&[], WIDE);
    wait_ready(&terminal);
    terminal.keys("Are you there?\n");
    // Ten minutes before the silent one is given up.
    wait_reply(&terminal, "Here I am.");
    terminal.keys("/mcp dead\n");
    terminal.wait_for("failed:");
    leave(&mut terminal);
    stage.finish();
}

#[test]
fn the_status_line_says_that_reads_run_without_a_sandbox_where_the_person_allowed_it() {
    let on_a_bare_machine = || {
        make_this_thread_bare().unwrap();
        let script =
            ModelScript::new().turn(call("Bash", serde_json::json!({"command": "ls"}))).turn(text("That is all."));
        let stage = Stage::new(script, Person::Known);
        let terminal = stage.start(&["--mode", "plan"], WIDE);
        wait_status(&terminal, "⏸ plan mode on");
        let before = terminal.screen().text();
        assert!(!before.contains("no sandbox"), "{before}");
        drop(terminal);
        let mut settings: serde_json::Value = serde_json::from_str(&stage.read(".forethought/settings.json")).unwrap();
        settings["plan"] = serde_json::json!({"withoutSandbox": "reads"});
        stage.write(".forethought/settings.json", &settings.to_string());
        let mut terminal = stage.start(&["--mode", "plan"], WIDE);
        terminal.wait_for("⚠ no sandbox");
        terminal.keys("Look\n");
        terminal.wait_for("That is all.");
        terminal.wait_for("⚠ no sandbox");
        stage.finish();
    };
    std::thread::spawn(on_a_bare_machine).join().unwrap();
}

#[test]
fn an_ignore_file_that_reads_the_terminal_takes_no_key() {
    for name in [".gitignore", ".ignore"] {
        let stage =
            Stage::new(ModelScript::new().turn(text("Once upon a time there was more").stall(4)), Person::Known);
        let path = stage.project().join(name);
        let _ = std::fs::remove_file(&path);
        std::os::unix::fs::symlink("/dev/tty", &path).unwrap();
        let mut terminal = stage.start(&["--mode", "plan"], WIDE);
        wait_status(&terminal, "⏸ plan mode on");
        // The list of files is walked for.
        terminal.keys("see @src");
        terminal.wait_for("src/login.rs");
        terminal.keys(" now\n");
        terminal.wait_for("Once upon a time");
        let started = Instant::now();
        terminal.key(TerminalKey::Esc);
        assert!(stage.server.wait_closed_blocking(0));
        assert!(started.elapsed() < AT_ONCE, "{:?}", started.elapsed());
        stage.finish();
    }
}
