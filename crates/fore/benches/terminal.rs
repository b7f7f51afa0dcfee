//! The real program in a real terminal: how long it takes until something can be typed, until a key is on the screen while
//! a fast model speaks after a long conversation, and until a long plan has scrolled; and how much memory the page of such a plan takes.
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
use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

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
const PAGE_TARGET_KB: u64 = 5 * 1024;

fn main() {
    println!("{:<58} {:>8} {:>8} {:>8}", "", "p50", "p95", "max");
    let mut all_met = verdict("first frame with a place to type", starts(), START_TARGET_MS);
    let name = format!("a key at {TOKENS_A_SECOND} tokens/s after {HISTORY_LINES} lines");
    all_met &= verdict(&name, keys(), KEY_TARGET_MS);
    let name = format!("a step through a plan of {PLAN_LINES} lines");
    all_met &= verdict(&name, steps(), SCROLL_TARGET_MS);
    let page = page_kilobytes();
    println!("the page of such a plan in a browser: {page} kB (at most {PAGE_TARGET_KB})");
    all_met &= page <= PAGE_TARGET_KB;
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

fn long_plan() -> ModelScript {
    let plan: String = (0..PLAN_LINES).map(|number| format!("- Step {number} changes `src/cart.rs`.\n")).collect();
    let plan = format!("# A long plan\n\n{plan}");
    ModelScript::new()
        .turn(call("Write", json!({"file_path": "{{plan}}", "content": plan})).call("ExitPlanMode", json!({})))
        .allow_unused_turns()
}

fn steps() -> Vec<Duration> {
    let stage = Stage::new(long_plan(), Person::Known);
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

/// Kilobytes that the page of a long plan adds, with everything on it read and a tab that listens.
fn page_kilobytes() -> u64 {
    let stage = Stage::new(long_plan(), Person::Known).variable("BROWSER", Some("/bin/true"));
    let mut terminal = stage.start(&["--mode", "plan", "Plan everything."], WIDE);
    terminal.wait_for("Esc keeps planning");
    // The plan has the keys from here on.
    terminal.key(TerminalKey::Down);
    terminal.key(TerminalKey::Up);
    let before = resident_kilobytes(terminal.id());
    terminal.keys("b");
    let is_address = |row: &String| row.trim().strip_prefix("http://127.0.0.1:").is_some_and(|rest| rest.len() > 66);
    let rows = terminal.wait_rows("an address", |rows| rows.iter().any(is_address)).rows();
    let row = rows.iter().rev().find(|row| is_address(row)).expect("it was waited for").trim().to_owned();
    let (address, token) = row.strip_prefix("http://").and_then(|row| row.split_once("/#")).expect("an address");
    let ask = |path: &str| {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nx-fore-token: {token}\r\nConnection: close\r\n\r\n")
            .unwrap();
        stream
    };
    let listens = ask("/api/events");
    for path in ["/page.js", "/page.css", "/api/page", "/api/source", "/api/draft", "/api/contract", "/api/notes"] {
        let mut answer = String::new();
        ask(path).read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
    }
    let after = resident_kilobytes(terminal.id());
    drop(listens);
    after.saturating_sub(before)
}

fn resident_kilobytes(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("Linux says so");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
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
