//! Taking prompts back: the file keeps everything, the model's view goes back, and every reader agrees where to.

use super::support::{Ground, human};
use fore_plan::{
    Actor, Change, ModeTarget,
    reminder::{Notice, ToldMode},
    transition,
};
use fore_store::{
    Session,
    entry::{Cut, Speaker, StoredMessage},
    fold::FoldUntil,
    session::{fork, random_slugs, resume},
};

fn reminder(text: &str) -> StoredMessage {
    super::support::reminder(Speaker::Program, text)
}

/// A prompt as a session hears it: counted, reminded, said, answered.
fn turn(session: &mut Session, text: &str) {
    let _ = session.record(Change::HumanTurn).unwrap();
    let notices = session.state().notices_due(true);
    if !notices.is_empty() {
        let _ = session.record(Change::Told { notices }).unwrap();
        session.append_message(reminder("a reminder")).unwrap();
    }
    session.append_message(human(text)).unwrap();
    session.append_message(StoredMessage::text(Speaker::Model, &format!("answer to {text}")).unwrap()).unwrap();
}

fn go(session: &mut Session, target: ModeTarget) {
    let change = transition(session.state(), target, Actor::Person, fore_plan::ModeReason::Chosen).unwrap().unwrap();
    let _ = session.record(change).unwrap();
}

/// What is still seen, in short.
fn seen(conversation: &[StoredMessage]) -> Vec<String> {
    let text = |message: &StoredMessage| {
        let blocks: serde_json::Value = serde_json::from_str(message.content.get()).unwrap();
        blocks[0]["text"].as_str().unwrap_or_default().to_owned()
    };
    conversation.iter().map(text).collect()
}

#[test]
fn each_rewind_takes_one_prompt_back_until_the_last_cut() {
    let ground = Ground::new();
    let mut session = ground.session();
    turn(&mut session, "old");
    session.cut_context(Cut::Cleared).unwrap();
    turn(&mut session, "one");
    turn(&mut session, "two");
    let taken = session.rewind().unwrap().unwrap();
    assert_eq!(seen(&taken), ["two", "answer to two"]);
    assert!(taken[0].is_prompt());
    assert_eq!(seen(session.conversation()), ["one", "answer to one"]);
    assert!(session.may_rewind());
    assert_eq!(seen(&session.rewind().unwrap().unwrap()), ["one", "answer to one"]);
    assert!(!session.may_rewind());
    assert_eq!(session.rewind().unwrap(), None);
    assert!(session.conversation().is_empty());
}

#[test]
fn k1_a_rewind_holds_after_a_restart_and_in_a_copy_and_the_file_keeps_what_was_said() {
    let ground = Ground::new();
    let mut session = ground.session();
    for text in ["one", "two", "three"] {
        turn(&mut session, text);
    }
    session.rewind().unwrap().unwrap();
    turn(&mut session, "four");
    let (id, path, state) = (session.id(), session.path().to_owned(), session.state().clone());
    let expected = ["one", "answer to one", "two", "answer to two", "four", "answer to four"];
    assert_eq!(seen(session.conversation()), expected);
    drop(session);
    let (session, resumed) = resume(&ground.places, id).unwrap();
    assert!(resumed.report.is_clean());
    assert_eq!((seen(session.conversation()), session.state()), (expected.map(str::to_owned).to_vec(), &state));
    let (mut copy, _) = fork(&ground.places, id, FoldUntil::End, random_slugs()).unwrap();
    assert_eq!(seen(copy.conversation()), expected);
    copy.rewind().unwrap().unwrap();
    copy.rewind().unwrap().unwrap();
    assert_eq!(seen(copy.conversation()), ["one", "answer to one"]);
    let copy_id = copy.id();
    drop(copy);
    assert_eq!(seen(resume(&ground.places, copy_id).unwrap().0.conversation()), ["one", "answer to one"]);
    assert!(std::fs::read_to_string(path).unwrap().contains("answer to three"), "nothing is removed from the file");
}

#[test]
fn e1_what_the_model_no_longer_heard_is_due_again() {
    let ground = Ground::new();
    let mut session = ground.session();
    turn(&mut session, "one");
    go(&mut session, ModeTarget::Plan);
    turn(&mut session, "two");
    assert_eq!(session.state().notices_due(false), []);
    session.rewind().unwrap().unwrap();
    assert_eq!(session.state().notices_due(false), [Notice::PlanFull], "still planning, and nobody told the model");
    turn(&mut session, "two again");
    go(&mut session, ModeTarget::Beneath);
    turn(&mut session, "three");
    assert_eq!(session.state().counters().told(), ToldMode::Working);
    session.rewind().unwrap().unwrap();
    assert_eq!(session.state().notices_due(false), [Notice::Exit], "the model believes that it plans");
    session.rewind().unwrap().unwrap();
    assert_eq!(session.state().notices_due(false), [], "the model never heard of planning");
}

#[test]
fn a_rewind_whose_first_message_is_damaged_still_hides_the_rest() {
    let ground = Ground::new();
    let mut session = ground.session();
    turn(&mut session, "one");
    turn(&mut session, "two");
    session.rewind().unwrap().unwrap();
    let (id, path) = (session.id(), session.path().to_owned());
    drop(session);
    let whole = std::fs::read_to_string(&path).unwrap();
    let damaged = whole.replacen("\"text\":\"two\"", "\"text\":\"two", 1);
    assert_ne!(whole, damaged);
    std::fs::write(&path, damaged).unwrap();
    let folded = Session::read(&ground.places.home, id).unwrap();
    assert_eq!((folded.report.broken, seen(&folded.conversation)), (1, vec!["one".into(), "answer to one".into()]));
}

#[test]
fn only_a_session_with_a_rewind_needs_a_program_that_knows_them() {
    let ground = Ground::new();
    let mut session = ground.session();
    turn(&mut session, "one");
    let newest = |session: &Session| {
        let text = std::fs::read_to_string(session.path()).unwrap();
        text.lines().filter(|line| !line.starts_with("{\"v\":1,")).count()
    };
    assert_eq!(newest(&session), 0);
    session.rewind().unwrap().unwrap();
    assert_eq!(newest(&session), 1);
    let line = std::fs::read_to_string(session.path()).unwrap().lines().last().unwrap().to_owned();
    assert!(line.starts_with("{\"v\":2,") && line.contains("\"kind\":\"rewind\""), "{line}");
}
