//! Sessions that begin, follow each other, end, or cannot begin; and the first meeting.

use super::*;
use crate::options::FolderTrust;
use crate::session::Past;

fn options(start: Start) -> Options {
    Options { start, ..Options::fresh(Mode::Plan, THEME, "/projects/shop".into()) }
}

fn first_run(folder: FolderTrust) -> FirstRunFacts {
    FirstRunFacts { folder, missing: Vec::new() }
}

fn models() -> Vec<ModelRow> {
    let row = |name: &str| ModelRow { name: name.into(), why: "a key is set".into() };
    vec![row("anthropic/claude-opus-5"), row("scout")]
}

#[test]
fn nothing_of_a_session_is_left_when_another_one_begins() {
    let mut desk = Desk::working();
    desk.event(mode_changed(Mode::At(Level::Default), Mode::Plan));
    desk.event(call("call-1", "make"))
        .event(text("half a sen"))
        .event(Event::PromptQueued { text: "and".into(), waiting: 1 });
    desk.event(asked("q0", "ls")).keys("2 enter").event(closed("q0"));
    desk.event(Event::Allowed { what: "the exact command ls".into() });
    desk.keys("'/plan_open' enter").event(asked("q1", "git push")).event(approval("p1", PLAN));
    assert_eq!(desk.acts(), ["send reply q0 yes-for-session", "send show-plan"]);
    assert_eq!(desk.app.facts.granted, ["the exact command ls"]);
    desk.app.beginning();
    assert_eq!((desk.focus(), &desk.app.awaited, &desk.app.facts.granted), (None, &vec![], &vec![]));
    assert!(desk.status().starts_with("starting"), "{}", desk.status());
    assert!(!desk.screen(80, 24).contains("make"), "what ran there does not run here: {}", desk.screen(80, 24));
    let printed = desk.printed();
    assert!(printed.contains("half a sen") && printed.contains("interrupted"), "{printed}");
    assert!(printed.contains("1 prompt that waited was not heard; Up brings it back."), "{printed}");
    // An answer that was on its way is not taken for one of ours, and a decision brings no old plan back.
    desk.event(started(Mode::Plan)).event(Event::Decided(Decided::NotCounted { why: "stale".into() }));
    assert_eq!(desk.focus(), None);
    desk.event(Event::Plan {
        path: Some("/p.md".into()),
        text: Some("# P".into()),
        hash: None,
        changed: String::new(),
    });
    assert_eq!(desk.acts(), [""; 0], "nothing is opened");
    assert!(desk.printed().contains("Current Plan"));
}

#[test]
fn what_a_resumed_session_did_not_bring_to_an_end_is_not_going_on() {
    let mut desk = Desk::empty();
    desk.app.beginning();
    let past = vec![Event::PromptTaken { text: "fix it".into() }, Event::TurnStarted, call("call-1", "make all")];
    desk.app.begun(Past { events: past, notices: vec!["a notice".into()], draft: Ok(None) });
    desk.event(started(Mode::Plan));
    assert!(!desk.screen(80, 24).contains("make all"), "{}", desk.screen(80, 24));
    let printed = desk.printed();
    assert!(printed.contains("> fix it") || printed.contains("❯ fix it"), "{printed}");
    assert!(printed.contains("interrupted") && printed.contains("a notice"), "{printed}");
}

#[test]
fn a_session_that_is_over_takes_its_questions_along() {
    for how in ["the last event", "the line"] {
        let mut desk = Desk::working();
        desk.event(call("call-1", "make")).event(asked("q1", "git push")).keys("1");
        match how {
            "the line" => desk.app.over(),
            _ => drop(desk.event(Event::Closed)),
        }
        assert_eq!(desk.focus(), None, "{how}");
        assert!(desk.status().starts_with("session over"), "{how}");
        assert_eq!(desk.keys("enter").acts(), [""; 0], "{how}");
        assert!(!desk.screen(80, 24).contains("make"), "{how}");
    }
}

#[test]
fn a_session_that_cannot_begin_says_why_and_what_can_be_done() {
    let mut desk = Desk::empty();
    desk.app.begin(&options(Start::With(Begin::Fresh { mode: Mode::Plan })));
    assert_eq!(desk.acts(), ["begin fresh plan"]);
    desk.app.beginning();
    desk.told(Told::NotBegun("the settings cannot be read: line 3".into()));
    assert_eq!(
        desk.printed(),
        "✘ the settings cannot be read: line 3\n\n• There is no session: /clear begins a new one, /resume lists earlier ones,\n  \
         /quit leaves."
    );
    assert!(!desk.app.is_moving(), "nothing turns for nothing");
    assert_eq!(desk.keys("'/clear' enter").acts(), ["begin fresh plan"]);
    assert_eq!(desk.keys("'/quit' enter").acts(), ["leave"]);
}

#[test]
fn fore_resume_begins_with_a_choice_and_esc_leaves() {
    let mut desk = Desk::empty();
    desk.app.begin(&options(Start::Pick { mode: Some(Mode::Plan) }));
    assert_eq!(desk.acts(), ["fetch(sessions)"]);
    desk.told(Told::Sessions(Ok(rows())));
    assert_eq!(desk.keys("down enter").acts(), ["begin resume 2 Some(Plan)"]);
    let mut desk = Desk::empty();
    desk.app.begin(&options(Start::Pick { mode: None }));
    desk.acts();
    desk.told(Told::Sessions(Ok(rows())));
    assert_eq!(desk.keys("esc").acts(), ["leave"]);
    for rows in [Ok(vec![]), Err("cannot be read".to_owned())] {
        let mut desk = Desk::empty();
        desk.app.begin(&options(Start::Pick { mode: None }));
        desk.acts();
        desk.told(Told::Sessions(rows));
        assert_eq!(desk.keys("'/clear' enter").acts(), ["begin fresh default"], "there is a way on");
    }
}

#[test]
fn closing_the_list_while_a_session_begins_does_not_leave() {
    let mut desk = Desk::empty();
    desk.app.begin(&options(Start::With(Begin::Fresh { mode: Mode::Plan })));
    desk.acts();
    desk.app.beginning();
    desk.told(Told::Sessions(Ok(rows())));
    assert_eq!(desk.keys("esc").acts(), [""; 0]);
}

#[test]
fn a_session_that_is_named_is_resumed_unless_it_is_this_one() {
    let id = |word: &str| Ok(format!("0198c0de-0000-7000-8000-00000000000{word}").parse().unwrap());
    let page = [
        (id("3"), vec!["begin resume 3 None"], ""),
        (id("1"), vec![], "• This is that session already."),
        (
            Err("there is no session `ffff`; near it: fffe".into()),
            vec![],
            "✘ there is no session `ffff`; near it: fffe",
        ),
    ];
    for (found, acts, said) in page {
        let mut desk = Desk::new();
        desk.printed();
        desk.told(Told::Session(found.clone()));
        assert_eq!(desk.acts(), acts, "{found:?}");
        assert!(desk.printed().starts_with(said), "{found:?}");
    }
}

#[test]
fn the_first_meeting_chooses_a_model_and_settles_trust() {
    let mut desk = Desk::empty();
    let first_run = first_run(FolderTrust::NotTrusted);
    desk.app.begin(&Options {
        first_run: Some(first_run.clone()),
        ..options(Start::With(Begin::Fresh { mode: Mode::Plan }))
    });
    assert_eq!(desk.acts().first().map(String::as_str), Some("begin fresh plan"));
    desk.app.beginning();
    desk.event(started(Mode::Plan));
    assert!(desk.app.is_meeting());
    desk.told(Told::Models { why: ModelsFor::FirstRun(first_run), rows: models() });
    assert_eq!(desk.focus(), Some(Focus::Here));
    // The session may end and another one begin meanwhile: the meeting goes on.
    desk.app.beginning();
    assert_eq!(desk.focus(), Some(Focus::Here));
    desk.keys("esc esc esc esc");
    assert!(!desk.app.is_meeting());
    assert!(!desk.acts().iter().any(|act| act.contains("trust")), "nobody said yes");
}

#[test]
fn trust_is_given_by_hand_and_asked_for_once() {
    let mut desk = Desk::new();
    assert_eq!(desk.keys("'/trust' enter enter").acts(), [""; 0], "not now comes first");
    assert_eq!(desk.keys("'/trust' enter up enter").acts(), ["trust(true)", "send trust true"]);
    desk.printed();
    assert_eq!(desk.keys("'/trust' enter").acts(), [""; 0]);
    assert!(desk.printed().contains("trusted already"));
}

#[test]
fn what_the_program_answers_is_told() {
    let page: Vec<(Told, &str)> = vec![
        (Told::Done(String::new()), ""),
        (Told::Done("It is trusted.".into()), "• It is trusted."),
        (Told::Failed("It is not.\u{1b}[2J".into()), "✘ It is not.\\u{1b}[2J"),
        (Told::Exported(Ok("/tmp/a\nb.md".into())), "• Saved as /tmp/a\n  b.md"),
        (Told::Exported(Err("it is there already".into())), "✘ it is there already"),
        (Told::Models { why: ModelsFor::Choosing, rows: vec![] }, "• No other model was found on this machine."),
        (Told::Sessions(Ok(vec![])), "• There is no other session of this folder yet."),
        (Told::Sessions(Err("no".into())), "✘ no"),
        (Told::Edited { purpose: EditFor::Composer, text: Err("no editor".into()) }, "✘ no editor"),
    ];
    for (told, expected) in page {
        let mut desk = Desk::new();
        desk.printed();
        desk.told(told.clone());
        assert_eq!((desk.printed().as_str(), desk.acts()), (expected, vec![]), "{told:?}");
    }
    let mut desk = Desk::new();
    desk.keys("'fix' ctrl+g");
    assert_eq!(desk.acts(), ["edit prompt \"fix\" for Composer"]);
    desk.told(Told::Edited { purpose: EditFor::Composer, text: Ok("fix it\nall\n".into()) });
    assert_eq!(desk.app.composer.text(), "fix it\nall");
    desk.told(Told::Models { why: ModelsFor::Choosing, rows: models() });
    assert_eq!(desk.focus(), Some(Focus::Elsewhere), "somebody writes");
    assert_eq!(desk.keys("tab down enter").acts(), ["send model scout"]);
}
