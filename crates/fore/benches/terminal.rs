//! The real program in a real terminal: how long it takes until something can be typed, until a key is on the screen while
//! a fast model speaks after a long conversation, and until a long plan has scrolled.
//!
//! Times are from the key to the whole picture as an emulator has it, so they contain the emulator too.
#![allow(clippy::disallowed_methods, reason = "a benchmark starts the program and lays out its files")]
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a benchmark that cannot set itself up has failed")]

#[path = "../tests/terminal_ui/stage.rs"]
mod stage;

use fore_testkit::{
    ModelScript, call,
    terminal::{Terminal, TerminalKey},
    text,
};
use serde_json::json;
use stage::{Person, Stage, WIDE};
use std::time::{Duration, Instant};

const STARTS: usize = 20;
const KEYS: usize = 200;
/// What is said before, and how fast the model speaks while keys are pressed.
const HISTORY_LINES: usize = 10_000;
const TOKENS_A_SECOND: u32 = 1_000;
const TOKEN_LETTERS: usize = 4;
const REPLY_SECONDS: usize = 25;
const PLAN_LINES: usize = 5_000;
/// Between two keys, so that they fall anywhere between two pictures.
const PAUSE: Duration = Duration::from_millis(61);
/// Letters that are typed before the line is emptied.
const LINE_LETTERS: usize = 40;

const START_TARGET_MS: f64 = 50.0;
const KEY_TARGET_MS: f64 = 16.0;
const SCROLL_TARGET_MS: f64 = 16.0;

fn main() {
    println!("{:<58} {:>8} {:>8} {:>8}", "", "p50", "p95", "max");
    let mut all_met = verdict("first frame with a place to type", starts(), START_TARGET_MS);
    let name = format!("a key at {TOKENS_A_SECOND} tokens/s after {HISTORY_LINES} lines");
    all_met &= verdict(&name, keys(), KEY_TARGET_MS);
    let name = format!("a step through a plan of {PLAN_LINES} lines");
    all_met &= verdict(&name, steps(), SCROLL_TARGET_MS);
    if !all_met {
        std::process::exit(1);
    }
}

fn starts() -> Vec<Duration> {
    let stage = Stage::new(ModelScript::new(), Person::Known);
    let start = |_| {
        let began = Instant::now();
        let terminal = stage.start(&[], WIDE);
        seen(&terminal, began, "a place to type", |rows| rows.iter().any(|row| row.starts_with('❯')))
    };
    (0..STARTS).map(start).collect()
}

fn keys() -> Vec<Duration> {
    let history: String = (0..HISTORY_LINES).map(|number| format!("Line {number} of the history.\n\n")).collect();
    let long = "some words of a reply\n".repeat(REPLY_SECONDS * TOKENS_A_SECOND as usize * TOKEN_LETTERS / 22);
    let script = ModelScript::new()
        .turn(text(history + "END").rate(1_000_000, 4_000))
        .turn(text(long).rate(TOKENS_A_SECOND, TOKEN_LETTERS))
        .allow_unused_turns();
    let stage = Stage::new(script, Person::Known);
    let mut terminal = stage.start(&["Tell me everything."], WIDE);
    terminal.wait_for("END");
    terminal.keys("Go on.");
    terminal.key(TerminalKey::Enter);
    terminal.wait_for("some words of a reply");
    let mut typed = String::new();
    let mut times = Vec::new();
    for letter in ('a'..='z').cycle().take(KEYS) {
        std::thread::sleep(PAUSE);
        if typed.len() == LINE_LETTERS {
            terminal.key(TerminalKey::Ctrl('u'));
            terminal.wait_gone(&typed);
            typed.clear();
        }
        typed.push(letter);
        let began = Instant::now();
        terminal.send(letter.to_string().as_bytes());
        times.push(seen(&terminal, began, &typed, |rows| rows.iter().any(|row| is_typed(row, &typed))));
    }
    times
}

fn is_typed(row: &str, typed: &str) -> bool {
    row.strip_prefix('❯').is_some_and(|row| row.trim() == typed)
}

fn steps() -> Vec<Duration> {
    let plan: String = (0..PLAN_LINES).map(|number| format!("- Step {number} changes `src/cart.rs`.\n")).collect();
    let plan = format!("# A long plan\n\n{plan}");
    let script = ModelScript::new()
        .turn(call("Write", json!({"file_path": "{{plan}}", "content": plan})).call("ExitPlanMode", json!({})))
        .allow_unused_turns();
    let stage = Stage::new(script, Person::Known);
    let mut terminal = stage.start(&["--mode", "plan", "Plan everything."], WIDE);
    // The plan has the keys.
    terminal.wait_for("Esc keeps planning");
    let mut times = Vec::new();
    for key in [TerminalKey::Down, TerminalKey::PageDown].into_iter().cycle().take(KEYS) {
        std::thread::sleep(PAUSE);
        let before = of_the_plan(&terminal.screen().rows());
        let began = Instant::now();
        terminal.key(key);
        times.push(seen(&terminal, began, "the next lines", |rows| of_the_plan(rows) != before));
    }
    times
}

/// The rows of the plan, without what moves by itself.
fn of_the_plan(rows: &[String]) -> Vec<String> {
    rows.iter().filter(|row| row.starts_with(['│', '╰'])).cloned().collect()
}

/// How long it took until the screen was so.
fn seen(terminal: &Terminal, began: Instant, what: &str, mut ready: impl FnMut(&[String]) -> bool) -> Duration {
    let mut took = Duration::ZERO;
    terminal.wait_rows(what, |rows| {
        let is_ready = ready(rows);
        took = began.elapsed();
        is_ready
    });
    took
}

/// One line of a report: nineteen of twenty are to be within the target.
fn verdict(name: &str, mut times: Vec<Duration>, target: f64) -> bool {
    times.sort();
    let at = |hundredths: usize| {
        let index = (times.len() * hundredths / 100).min(times.len() - 1);
        times.get(index).expect("some times").as_secs_f64() * 1e3
    };
    let (p50, p95, max) = (at(50), at(95), at(100));
    let is_met = p95 <= target;
    let word = if is_met { "within" } else { "MISSES" };
    println!("{name:<58} {p50:>8.1} {p95:>8.1} {max:>8.1} ms (p95 {word} {target} ms)");
    is_met
}
