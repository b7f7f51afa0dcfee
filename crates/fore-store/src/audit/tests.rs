//! The log bounds its lines, puts full files aside and survives what others left behind.

use super::*;
use crate::entry::SessionId;
use fore_plan::{
    Actor, Level, Mode, ModeChanger, ModeEvent, ModeReason, Refusal, RefusalCode,
    gate::{Action, Verdict},
};

fn home() -> (tempfile::TempDir, Home) {
    let temporary = tempfile::tempdir().unwrap();
    let home = Home::open(&temporary.path().join("home")).unwrap();
    (temporary, home)
}

fn lines(home: &Home, name: &str) -> Vec<AuditLine> {
    let text = std::fs::read_to_string(home.path().join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn event(why: &str) -> AuditLine {
    let (from, to) = (Mode::At(Level::Default), Mode::Plan);
    AuditLine::mode(
        SessionId::fresh(),
        ModeEvent { from, to, by: ModeChanger::Actor(Actor::Person), why: ModeReason::Other(why.into()) },
    )
}

#[test]
fn g7_a_blocked_call_is_in_the_log_with_code_rule_and_reason() {
    let (_temporary, home) = home();
    let session = SessionId::fresh();
    let about = AuditSubject::new(&Action::Read { path: "/etc/shadow".into(), asked: "shadow".into() });
    let refusal = Refusal {
        code: RefusalCode::RuleDeny,
        mode: Mode::Plan,
        rule: "deny Read(/etc/**)".into(),
        reason: "a rule forbids it".into(),
        way_out: "Ask the person.".into(),
    };
    let line = AuditLine::now(session, Mode::Plan, Audited::Gate(Ruling::of(about, &Verdict::Block(refusal))));
    AuditLog::open(&home).unwrap().append(line.clone()).unwrap();
    assert_eq!(lines(&home, NAME), [line]);
    let text = std::fs::read_to_string(home.path().join(NAME)).unwrap();
    let (_, after_session) = text.split_once("\"mode\"").unwrap();
    assert_eq!(
        after_session,
        ":\"plan\",\"event\":\"gate\",\"action\":\"read\",\
         \"subject\":\"{\\\"action\\\":\\\"read\\\",\\\"path\\\":\\\"/etc/shadow\\\",\\\"asked\\\":\\\"shadow\\\"}\",\
         \"verdict\":\"blocked\",\"by\":\"rule\",\"code\":\"rule.deny\",\"rule\":\"deny Read(/etc/**)\",\
         \"reason\":\"a rule forbids it\"}\n"
    );
}

#[test]
fn long_texts_are_cut_with_a_mark() {
    let (_temporary, home) = home();
    AuditLog::open(&home).unwrap().append(event(&"é".repeat(5000))).unwrap();
    let Audited::Mode(event) = &lines(&home, NAME)[0].what else { panic!("no mode line") };
    assert_eq!(event.why, format!("{}…", "é".repeat(256)));
}

#[test]
fn a_full_file_is_put_aside_and_only_so_many_are_kept() {
    let (_temporary, home) = home();
    let mut log = AuditLog::open_with(&home, 600).unwrap();
    let mut other = AuditLog::open_with(&home, 600).unwrap();
    for number in 0..40 {
        let log = if number % 3 == 0 { &mut other } else { &mut log };
        log.append(event(&number.to_string())).unwrap();
    }
    let why = |line: &AuditLine| {
        let Audited::Mode(event) = &line.what else { panic!("no mode line: {line:?}") };
        event.why.parse::<u32>().unwrap()
    };
    let names: Vec<String> = (1..MAX_FILES).rev().map(aside_name).chain([NAME.to_owned()]).collect();
    let kept: Vec<u32> = names.iter().flat_map(|name| lines(&home, name)).map(|line| why(&line)).collect();
    let first = kept[0];
    assert!(first > 0, "the oldest are dropped");
    assert_eq!(kept, (first..40).collect::<Vec<u32>>(), "the rest is there in order");
    assert!(!home.path().join(aside_name(MAX_FILES)).exists());
}

#[test]
fn half_a_line_that_somebody_left_does_not_swallow_the_next() {
    let (_temporary, home) = home();
    std::fs::write(home.path().join(NAME), "{\"at\":12").unwrap();
    let line = event("whole");
    AuditLog::open(&home).unwrap().append(line.clone()).unwrap();
    let text = std::fs::read_to_string(home.path().join(NAME)).unwrap();
    let last: AuditLine = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last, line);
}

#[test]
fn a_log_that_is_a_link_is_refused() {
    let (temporary, home) = home();
    std::os::unix::fs::symlink(temporary.path().join("elsewhere"), home.path().join(NAME)).unwrap();
    assert!(AuditLog::open(&home).unwrap_err().to_string().contains("is a symbolic link"));
    assert!(!temporary.path().join("elsewhere").exists());
}

#[test]
fn a_lock_that_another_process_holds_delays_no_line() {
    let (_temporary, home) = home();
    let mut log = AuditLog::open_with(&home, 600).unwrap();
    let held = std::fs::File::create(home.path().join(LOCK_NAME)).unwrap();
    held.lock().unwrap();
    let of_the_log = std::fs::File::open(home.path().join(NAME)).unwrap();
    of_the_log.lock().unwrap();
    let started = std::time::Instant::now();
    (0..20).for_each(|number| log.append(event(&number.to_string())).unwrap());
    assert!(started.elapsed().as_millis() < 2000, "{:?}", started.elapsed());
    // Held back, the file grows to twice its size and is then put aside all the same.
    assert!(home.path().join(aside_name(1)).exists());
    assert!(std::fs::metadata(home.path().join(NAME)).unwrap().len() < 1500);
}

#[test]
fn a_pipe_in_the_place_of_the_log_is_refused_at_once() {
    let (_temporary, home) = home();
    rustix::fs::mkfifoat(rustix::fs::CWD, home.path().join(NAME), rustix::fs::Mode::from(0o600)).unwrap();
    assert!(AuditLog::open(&home).unwrap_err().to_string().contains("a pipe, socket or device"));
}
