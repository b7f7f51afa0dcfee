//! A model that says very much very fast: keys act and are drawn all the same, and nothing untrue is kept or shown.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it is wrong")]

use crate::{
    stage::{Person, Stage, WIDE},
    steps::{leave, status},
};
use fore_testkit::{
    ModelScript,
    terminal::{Exit, Screen, Terminal, TerminalKey},
    text,
};
use serde_json::Value;
use std::time::{Duration, Instant};

/// Bytes that the program may write between a key and the picture with what came of it: a few frames. However slow a machine
/// is, it is the same number; before there was a bound, it was what a model says in seconds (5 MB).
const MAX_WRITTEN: u64 = 400_000;
/// A second, and what a slow machine with other things to do needs beside it.
const SOON: Duration = Duration::from_secs(10);
/// Lines that have to be seen before it counts as a flood.
const LEAST_LINES: usize = 1_000;
const LINES: usize = 90_000;
/// What stands behind words that were stopped.
const STOPPED: &str = "\n[interrupted by the person]";

/// Presses a key and waits until the screen is so.
#[track_caller]
fn press(terminal: &mut Terminal, key: TerminalKey, mut drawn: impl FnMut(&[String]) -> bool) -> Screen {
    let (began, before) = (Instant::now(), terminal.written());
    terminal.key(key);
    let screen = terminal.wait_rows(&format!("what {key:?} does"), |rows| drawn(rows));
    let (took, written) = (began.elapsed(), terminal.written() - before);
    assert!(written <= MAX_WRITTEN && took <= SOON, "{key:?}: {written} bytes, {took:?}");
    screen
}

/// The number of the newest line of the flood in a text.
fn newest(text: &str) -> Option<usize> {
    let digits =
        |part: &str| part.split(|letter: char| !letter.is_ascii_digit()).next().unwrap_or_default().parse().ok();
    text.split("flood ").skip(1).filter_map(digits).max()
}

fn flooded(before: &str, line: impl Fn(usize) -> String, piece_chars: usize) -> (Stage, Terminal) {
    let words = before.to_owned() + &(1..=LINES).map(line).collect::<String>();
    let script = ModelScript::new().turn(text(words).rate(1_000_000, piece_chars)).allow_unused_turns();
    let stage = Stage::new(script, Person::Known);
    let terminal = stage.start(&["Tell me everything."], WIDE);
    terminal.wait_rows("a flood", |rows| newest(&rows.join("\n")).is_some_and(|number| number > LEAST_LINES));
    (stage, terminal)
}

fn is_over(rows: &[String]) -> bool {
    rows.iter().any(|row| row.contains("Interrupted.")) && !status(rows).contains("stops")
}

/// What the transcript has of the answer.
fn kept(stage: &Stage) -> String {
    let session = stage.sessions().pop().unwrap();
    let transcript = stage.read(&format!(".forethought/sessions/{session}.jsonl"));
    let line = transcript.lines().find(|line| line.contains("[interrupted by the person]")).unwrap();
    let texts = strings(serde_json::from_str(line).unwrap());
    texts.into_iter().find_map(|text| text.strip_suffix(STOPPED).map(str::to_owned)).unwrap()
}

fn strings(value: Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(values) => values.into_iter().flat_map(strings).collect(),
        Value::Object(fields) => fields.into_iter().flat_map(|(_, value)| strings(value)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// The mode is switched, then the turn is stopped; what is kept goes on where the screen ends, and a resumed session shows it.
#[track_caller]
fn check(before: &str, line: impl Fn(usize) -> String, piece_chars: usize) {
    let (stage, mut terminal) = flooded(before, line, piece_chars);
    press(&mut terminal, TerminalKey::ShiftTab, |rows| status(rows).contains("accept edits"));
    press(&mut terminal, TerminalKey::Esc, is_over);
    let (shown, kept) = (newest(&terminal.scrollback_text()).unwrap(), kept(&stage));
    let last = newest(&kept).unwrap();
    assert!(shown <= last && last < LINES, "{shown} is the newest line on the screen, {last} in the transcript");
    assert!(shown == last || terminal.screen().contains("more line"), "{}", terminal.screen().text());
    leave(&mut terminal);
    let again = stage.start(&["--continue"], WIDE);
    again
        .wait_rows("the end of what is kept", |rows| newest(&rows.join("\n")).is_some_and(|number| number >= last - 1));
    stage.finish();
}

#[test]
fn keys_act_at_once_while_lines_flood_the_screen() {
    check("", |number| format!("words of a flood {number}\n"), 4_000);
}

#[test]
fn keys_act_at_once_while_paragraphs_come_in_large_pieces() {
    check("", |number| format!("words of a **flood {number}**\n\n"), 200_000);
}

#[test]
fn keys_act_at_once_while_code_floods_the_screen() {
    check("```rust\n", |number| format!("let a = vec![1]; // flood {number}\n"), 4_000);
}

#[test]
fn keys_act_at_once_while_one_line_has_no_end() {
    check("", |number| format!("flood {number} "), 4_000);
}

#[test]
fn ctrl_c_stops_a_flood_and_leaves_at_once() {
    let (stage, mut terminal) = flooded("", |number| format!("words of a flood {number}\n"), 4_000);
    press(&mut terminal, TerminalKey::Ctrl('c'), |rows| status(rows).contains("ctrl+c again"));
    let began = Instant::now();
    terminal.key(TerminalKey::Ctrl('c'));
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert!(began.elapsed() <= SOON, "{:?}", began.elapsed());
    assert!(newest(&kept(&stage)).unwrap() < LINES);
    stage.finish();
}
