//! Sessions that begin, follow each other, end, or cannot begin; and the first meeting.

use super::*;
use crate::options::FolderTrust;
use crate::session_link::SessionPast;

fn options(start: InitialSession) -> Options {
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
    let mut test = TestApp::working();
    test.event(mode_changed(Mode::At(Level::Default), Mode::Plan));
    test.event(call("call-1", "make"))
        .event(text("half a sen"))
        .event(Event::PromptQueued { text: "and".into(), waiting: 1 });
    test.event(asked("q0", "ls")).keys("2 enter").event(closed("q0"));
    test.event(Event::Allowed { what: "the exact command ls".into() });
    test.keys("'/plan_open' enter").event(asked("q1", "git push")).event(approval("p1", PLAN));
    assert_eq!(test.acts(), ["send reply q0 yes-for-session", "send show-plan"]);
    assert_eq!(test.app.facts.granted, ["the exact command ls"]);
    test.beginning();
    assert_eq!((test.focus(), &test.app.plan_follow_ups, &test.app.facts.granted), (None, &vec![], &vec![]));
    assert!(test.status().starts_with("starting"), "{}", test.status());
    assert!(!test.screen(80, 24).contains("make"), "what ran there does not run here: {}", test.screen(80, 24));
    let printed = test.printed();
    assert!(printed.contains("half a sen") && printed.contains("interrupted"), "{printed}");
    assert!(printed.contains("1 queued message was not sent; Up brings it back."), "{printed}");
    // An answer that was on its way is not taken for one of ours, and a decision brings no old plan back.
    test.event(started(Mode::Plan)).event(Event::Decided(ApprovalOutcome::NotCounted { why: "stale".into() }));
    assert_eq!(test.focus(), None);
    test.event(Event::Plan {
        path: Some("/p.md".into()),
        text: Some("# P".into()),
        hash: None,
        changed: String::new(),
        unreadable: None,
    });
    assert_eq!(test.acts(), [""; 0], "nothing is opened");
    assert!(test.printed().contains("Current Plan"));
}

#[test]
fn what_a_resumed_session_did_not_bring_to_an_end_is_not_going_on() {
    let mut test = TestApp::empty();
    test.beginning();
    let past = vec![Event::PromptTaken { text: "fix it".into() }, Event::TurnStarted, call("call-1", "make all")];
    test.app.begun(SessionPast { events: past, notices: vec!["a notice".into()], draft: Ok(None) });
    test.event(started(Mode::Plan));
    assert!(!test.screen(80, 24).contains("make all"), "{}", test.screen(80, 24));
    let printed = test.printed();
    assert!(printed.contains("> fix it") || printed.contains("❯ fix it"), "{printed}");
    assert!(printed.contains("interrupted") && printed.contains("a notice"), "{printed}");
}

#[test]
fn a_session_that_is_over_takes_its_questions_along() {
    for how in ["the last event", "the line"] {
        let mut test = TestApp::working();
        test.event(call("call-1", "make")).event(asked("q1", "git push")).keys("1");
        match how {
            "the line" => test.app.over(),
            _ => drop(test.event(Event::Closed)),
        }
        assert_eq!(test.focus(), None, "{how}");
        assert!(test.status().starts_with("session over"), "{how}");
        assert_eq!(test.keys("enter").acts(), [""; 0], "{how}");
        assert!(!test.screen(80, 24).contains("make"), "{how}");
    }
}

#[test]
fn a_session_that_cannot_begin_says_why_and_what_can_be_done() {
    let mut test = TestApp::empty();
    test.app.begin(&options(InitialSession::With(Begin::Fresh { mode: Mode::Plan })));
    assert_eq!(test.acts(), ["begin fresh plan"]);
    test.beginning();
    test.told(HostReply::NotBegun("the settings cannot be read: line 3".into()));
    assert_eq!(
        test.printed(),
        "✘ the settings cannot be read: line 3\n\n• There is no session: /clear begins a new one, /resume lists earlier ones,\n  \
         /quit leaves."
    );
    assert!(!test.app.is_moving(), "nothing turns for nothing");
    assert_eq!(test.keys("'/clear' enter").acts(), ["begin fresh plan"]);
    assert_eq!(test.keys("'/quit' enter").acts(), ["leave"]);
}

#[test]
fn fore_resume_begins_with_a_choice_and_esc_leaves() {
    let mut test = TestApp::empty();
    test.app.begin(&options(InitialSession::Pick { mode: Some(Mode::Plan) }));
    assert_eq!(test.acts(), ["fetch(sessions)"]);
    test.told(HostReply::Sessions(Ok(rows())));
    assert_eq!(test.keys("down enter").acts(), ["begin resume 2 Some(Plan)"]);
    let mut test = TestApp::empty();
    test.app.begin(&options(InitialSession::Pick { mode: None }));
    test.acts();
    test.told(HostReply::Sessions(Ok(rows())));
    assert_eq!(test.keys("esc").acts(), ["leave"]);
    for rows in [Ok(vec![]), Err("cannot be read".to_owned())] {
        let mut test = TestApp::empty();
        test.app.begin(&options(InitialSession::Pick { mode: None }));
        test.acts();
        test.told(HostReply::Sessions(rows));
        assert_eq!(test.keys("'/clear' enter").acts(), ["begin fresh default"], "there is a way on");
    }
}

#[test]
fn closing_the_list_while_a_session_begins_does_not_leave() {
    let mut test = TestApp::empty();
    test.app.begin(&options(InitialSession::With(Begin::Fresh { mode: Mode::Plan })));
    test.acts();
    test.beginning();
    test.told(HostReply::Sessions(Ok(rows())));
    assert_eq!(test.keys("esc").acts(), [""; 0]);
}

#[test]
fn a_session_that_is_named_is_resumed_unless_it_is_this_one() {
    let id = |word: &str| Ok(format!("0198c0de-0000-7000-8000-00000000000{word}").parse().unwrap());
    let page = [
        (id("3"), vec!["begin resume 3 None"], ""),
        (id("1"), vec![], "• You are in that session already."),
        (
            Err("there is no session `ffff`; near it: fffe".into()),
            vec![],
            "✘ there is no session `ffff`; near it: fffe",
        ),
    ];
    for (found, acts, said) in page {
        let mut test = TestApp::new();
        test.printed();
        test.told(HostReply::Session(found.clone()));
        assert_eq!(test.acts(), acts, "{found:?}");
        assert!(test.printed().starts_with(said), "{found:?}");
    }
}

#[test]
fn the_first_meeting_chooses_a_model_and_settles_trust() {
    let mut test = TestApp::empty();
    let first_run = first_run(FolderTrust::NotTrusted);
    test.app.begin(&Options {
        first_run: Some(first_run.clone()),
        ..options(InitialSession::With(Begin::Fresh { mode: Mode::Plan }))
    });
    assert_eq!(test.acts().first().map(String::as_str), Some("begin fresh plan"));
    test.beginning();
    test.event(started(Mode::Plan));
    assert!(test.app.is_meeting());
    test.told(HostReply::Models { why: ModelsFor::FirstRun(first_run), rows: models() });
    assert_eq!(test.focus(), Some(Focus::Here));
    // The session may end and another one begin meanwhile: the meeting goes on.
    test.beginning();
    assert_eq!(test.focus(), Some(Focus::Here));
    test.keys("esc esc esc esc");
    assert!(!test.app.is_meeting());
    assert!(!test.acts().iter().any(|act| act.contains("trust")), "nobody said yes");
}

#[test]
fn trust_is_given_by_hand_and_asked_for_once() {
    let mut test = TestApp::new();
    assert_eq!(test.keys("'/trust' enter enter").acts(), [""; 0], "not now comes first");
    assert_eq!(test.keys("'/trust' enter up enter").acts(), ["send trust true", "trust(true)"]);
    test.printed();
    assert_eq!(test.keys("'/trust' enter").acts(), [""; 0]);
    assert!(test.printed().contains("trusted already"));
}

#[test]
fn what_the_program_answers_is_told() {
    let page: Vec<(HostReply, &str)> = vec![
        (HostReply::Done(String::new()), ""),
        (HostReply::Done("It is trusted.".into()), "• It is trusted."),
        (HostReply::Failed("It is not.\u{1b}[2J".into()), "✘ It is not.\\u{1b}[2J"),
        (HostReply::Exported(Ok("/tmp/a\nb.md".into())), "• Saved as /tmp/a\n  b.md"),
        (HostReply::Exported(Err("it is there already".into())), "✘ it is there already"),
        (HostReply::Models { why: ModelsFor::Choosing, rows: vec![] }, "• No other model was found on this machine."),
        (HostReply::Sessions(Ok(vec![])), "• There is no other session of this folder yet."),
        (HostReply::Sessions(Err("no".into())), "✘ no"),
        (HostReply::Edited { purpose: EditFor::Composer, text: Err("no editor".into()) }, "✘ no editor"),
    ];
    for (told, expected) in page {
        let mut test = TestApp::new();
        test.printed();
        test.told(told.clone());
        assert_eq!((test.printed().as_str(), test.acts()), (expected, vec![]), "{told:?}");
    }
    let mut test = TestApp::new();
    test.keys("'fix' ctrl+g");
    assert_eq!(test.acts(), ["edit prompt \"fix\" for Composer"]);
    test.told(HostReply::Edited { purpose: EditFor::Composer, text: Ok("fix it\nall\n".into()) });
    assert_eq!(test.app.composer.text(), "fix it\nall");
    test.told(HostReply::Models { why: ModelsFor::Choosing, rows: models() });
    assert_eq!(test.focus(), Some(Focus::Elsewhere), "somebody writes");
    assert_eq!(test.keys("tab down enter").acts(), ["send model scout"]);
}

#[test]
fn a_prompt_whose_session_does_not_begin_is_not_lost_in_silence() {
    let mut test = TestApp::empty();
    test.beginning().keys("'fix_it' enter");
    assert_eq!(test.acts(), ["send prompt fix it queue"]);
    test.told(HostReply::NotBegun("no model".into()));
    let printed = test.printed();
    assert!(printed.contains("no model") && printed.contains("was not sent; Up brings it back."), "{printed}");
    // Another one is wanted before the first could begin.
    test.beginning().keys("'fix_it' enter").beginning();
    assert!(test.printed().contains("was not sent; Up brings it back."));
    test.told(HostReply::NotBegun("no model".into()));
    assert!(!test.printed().contains("was not sent"), "it was said before");
}

#[test]
fn without_a_session_nothing_is_sent_and_that_is_said() {
    let mut test = TestApp::new();
    test.app.over();
    test.printed();
    test.keys("'again' enter");
    assert_eq!(test.acts(), [""; 0]);
    assert!(test.printed().contains("There is no session: /clear begins a new one"));
}

#[test]
fn commands_that_a_session_does_not_take_are_bounded() {
    let mut test = TestApp::new();
    (0..300).for_each(|_| test.app.send(Command::CycleMode));
    assert_eq!(test.sent().len(), 256);
    assert!(test.printed().contains("The session is busy; this was not sent."));
}
