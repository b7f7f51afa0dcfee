//! Esc and Shift+Tab act whatever other processes hold.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::{
    hands::{wait_ready, wait_status},
    stage::{Person, Stage, WIDE},
};
use fore_testkit::{Script, terminal::Key, text};
use std::{
    fs::File,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// The keys are made to act within a second; a busy machine gets more.
const AT_ONCE: Duration = Duration::from_secs(3);

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
    let stage = Stage::new(Script::new().turn(text("Once upon a time there was more").stall(4)), Person::Known);
    let mut terminal = stage.start(&[], WIDE);
    wait_ready(&terminal);
    let files = files(&stage.fore_home()).into_iter().filter_map(|path| File::open(path).ok());
    let held: Vec<File> = files.filter(|file| file.try_lock().is_ok()).collect();
    assert!(!held.is_empty(), "nothing was there to hold");
    let started = Instant::now();
    terminal.key(Key::ShiftTab);
    wait_status(&terminal, "⏵⏵ accept edits on");
    terminal.key(Key::ShiftTab);
    wait_status(&terminal, "⏸ plan mode on");
    assert!(started.elapsed() < 2 * AT_ONCE, "{:?}", started.elapsed());
    terminal.keys("Tell me\n");
    terminal.wait_for("Once upon a time");
    let started = Instant::now();
    terminal.key(Key::Esc);
    assert!(stage.server.wait_closed_blocking(0));
    assert!(started.elapsed() < AT_ONCE, "{:?}", started.elapsed());
    drop(held);
    stage.finish();
}
