//! What the person wrote about a plan and did not send: kept, brought back, forgotten when it is decided.

use super::*;
use crate::{app::plans::TYPED_KEPT, session::Past};
use fore_plan::{approval::Comment, plan::check::NoteCode, plan::check::Severity};
use fore_store::draft::{Anchor, Meant, Remark, State as Written};

impl Desk {
    /// What is to be kept now, in short words.
    fn kept(&mut self) -> Vec<String> {
        let acts = self.app.take_acts();
        acts.into_iter()
            .filter_map(|act| if let Act::Keep { session, draft } = act { Some((session, draft)) } else { None })
            .map(|(session, draft)| {
                let words = draft.map_or("nothing".to_owned(), |draft| {
                    let remarks = draft.remarks.iter().map(|remark| remark.comment.remark.clone());
                    let all: Vec<String> = remarks.chain([draft.note]).chain(draft.edited).collect();
                    all.join("|")
                });
                format!("{}: {words}", last(&session))
            })
            .collect()
    }
}

fn draft(plan: &str) -> Draft {
    let comment =
        Comment { first_line: 3, last_line: 3, quote: "1. Read users once.".into(), remark: "Which users?".into() };
    Draft {
        plan: Hash::of(plan.as_bytes()),
        remarks: vec![Remark { comment, state: Written::Saved, anchor: Anchor::Same }],
        note: String::new(),
        meant: Meant::Note,
        edited: Some("# Mine\n".into()),
    }
}

/// A session that goes on, with words that were kept.
fn resumed(draft: Result<Option<Draft>, String>) -> Desk {
    let mut desk = Desk::empty();
    desk.app.beginning();
    desk.app.begun(Past { events: Vec::new(), notices: Vec::new(), draft });
    desk.event(started(Mode::Plan)).event(Event::TurnStarted);
    desk.app.take_acts();
    desk
}

#[test]
fn a_comment_is_kept_when_it_is_finished_changed_or_removed_and_not_with_every_key() {
    let mut desk = Desk::working();
    desk.event(approval("p1", PLAN));
    assert_eq!(desk.keys("j j c 'Why?'").kept(), [""; 0]);
    assert_eq!(desk.keys("enter").kept(), ["1: Why?|"]);
    assert_eq!(desk.keys("j k / 'login' esc").kept(), [""; 0]);
    assert_eq!(desk.keys("c '!' enter").kept(), ["1: Why?!|"]);
    assert_eq!(desk.keys("x").kept(), ["1: "]);
    assert_eq!(desk.keys("u").kept(), ["1: Why?!|"]);
    desk.keys("e").told(Told::Edited { purpose: EditFor::Dialog, text: Ok("# Mine\n".into()) });
    assert_eq!(desk.kept(), ["1: Why?!||# Mine\n"]);
}

#[test]
fn what_is_being_typed_is_kept_within_a_second_and_when_the_person_leaves() {
    let mut desk = Desk::working();
    desk.event(approval("p1", PLAN)).keys("tab enter 'Smal'");
    assert_eq!(desk.kept(), [""; 0]);
    assert!(desk.app.is_moving());
    assert_eq!(desk.wait(TYPED_KEPT).kept(), ["1: Smal"]);
    assert_eq!(desk.wait(TYPED_KEPT).kept(), [""; 0], "nothing new was typed");
    desk.app.paste("ler", desk.now);
    desk.app.keep_words();
    assert_eq!(desk.kept(), ["1: Smaller"]);
    desk.keys("'!'").app.beginning();
    assert_eq!(desk.kept(), ["1: Smaller!"], "another session begins, and this one keeps its words");
}

#[test]
fn a_decision_takes_the_words_away_and_an_answer_that_does_not_count_leaves_them() {
    let mut desk = Desk::working();
    desk.event(approval("p1", PLAN)).keys("c 'Why?' enter").app.take_acts();
    desk.keys("tab enter enter").app.take_acts();
    desk.event(Event::Decided(Decided::NotCounted { why: "the file has changed".into() }));
    assert_eq!(desk.kept(), [""; 0]);
    desk.event(Event::Decided(Decided::KeepPlanning { reason: String::new() }));
    assert_eq!(desk.kept(), ["1: nothing"]);
    desk.event(approval("p2", PLAN));
    assert!(!desk.screen(80, 40).contains("Why?"));
}

#[test]
fn d3_a_resumed_plan_has_the_words_that_were_not_sent_and_none_of_them_answers() {
    let mut desk = resumed(Ok(Some(draft(PLAN))));
    desk.event(approval("p1", PLAN));
    let acts = desk.acts();
    assert_eq!(acts, ["fetch(notes(\"# mine\\n\"))"], "an edited text is checked again");
    let screen = desk.screen(80, 40);
    assert!(screen.contains("Here again, not sent yet: 1 comment, and an edit of the plan."), "{screen}");
    assert_eq!(desk.keys("enter").acts(), [""; 0]);
    desk.event(Event::Decided(Decided::Discarded)).event(approval("p2", PLAN));
    assert!(!desk.screen(80, 40).contains("Here again"), "only once");
}

#[test]
fn words_about_another_text_say_so_and_an_edit_of_it_is_shown_but_not_applied() {
    let mut desk = resumed(Ok(Some(draft("# Older\n"))));
    desk.event(approval("p1", PLAN));
    let screen = desk.screen(100, 40);
    assert!(screen.contains("line 3 (on an older text, \"1. Read users once.\"): Which users?"), "{screen}");
    let printed = desk.printed();
    assert!(printed.contains("your edit is not in it") && printed.contains("# Mine"), "{printed}");
    assert_eq!(desk.acts(), [""; 0]);
}

#[test]
fn words_about_a_plan_that_is_decided_already_are_forgotten() {
    let mut desk = resumed(Ok(Some(draft(PLAN))));
    desk.event(Event::PromptTaken { text: "go on".into() });
    assert_eq!(desk.kept(), ["1: nothing"]);
    desk.event(approval("p1", PLAN)).event(Event::PromptTaken { text: "go on".into() });
    assert_eq!((desk.kept(), desk.screen(80, 40).contains("Which users?")), (vec![], false));
}

#[test]
fn what_cannot_be_kept_or_read_is_said_once() {
    let mut desk = resumed(Err("`d.json` is damaged".into()));
    assert!(desk.printed().contains("What you had written about the plan cannot be shown: `d.json` is damaged"));
    desk.told(Told::NotKept("the disk is full".into()));
    assert!(desk.printed().contains("What you write about the plan is not kept on disk: the disk is full"));
    desk.told(Told::NotKept("the disk is full".into()));
    assert_eq!(desk.printed(), "");
}

#[test]
fn d3_ctrl_c_leaves_a_plan_that_waits_without_taking_it_back() {
    let mut desk = Desk::working();
    desk.event(approval("p1", PLAN));
    assert_eq!(desk.keys("ctrl+c").acts(), [""; 0]);
    assert!(desk.status().ends_with("ctrl+c again to leave; the plan waits for you"), "{}", desk.status());
    assert_eq!(desk.keys("ctrl+c").acts(), ["leave"]);
    // Nor does Esc in the composer, which stops what runs at other times.
    let mut desk = Desk::working();
    desk.event(approval("p1", PLAN));
    assert_eq!(desk.keys("ctrl+t esc esc").acts(), [""; 0]);
    assert!(desk.status().ends_with("the plan waits: tab goes to it"));
    let (call, tool, line) = (CallId("call-9".into()), "!".into(), "sleep 9".into());
    desk.event(Event::ToolStarted { agent: None, call, tool, line, cage: None });
    assert_eq!(desk.keys("esc").acts(), [""; 0]);
    assert!(desk.status().ends_with("answer the plan (tab), then esc stops it"), "{}", desk.status());
    assert_eq!(desk.keys("'why' esc esc").acts(), [""; 0]);
    assert_eq!(desk.app.composer.text(), "");
}

#[test]
fn m5_the_notes_on_an_edited_plan_reach_its_dialog() {
    let mut desk = Desk::working();
    desk.event(approval("p1", PLAN)).keys("e").app.take_acts();
    desk.told(Told::Edited { purpose: EditFor::Dialog, text: Ok("# Mine\n\nDo it.\n".into()) });
    assert_eq!(desk.acts(), ["fetch(notes(\"# mine\\n\\ndo it.\\n\"))"]);
    let sentence = "It is too short.".to_owned();
    let notes = vec![Note { severity: Severity::Warning, code: NoteCode::NoVerification, line: Some(3), sentence }];
    desk.told(Told::Notes { plan: Hash::of("# Mine\n\nDo it.\n".as_bytes()), notes });
    assert!(desk.screen(80, 40).contains("│⚠ note: It is too short."), "{}", desk.screen(80, 40));
}
