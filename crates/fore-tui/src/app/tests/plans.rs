//! What the person wrote about a plan and did not send: kept, brought back, forgotten when it is decided.

use super::*;
use crate::{app::plan_review::TYPED_KEPT, session_link::SessionPast};
use fore_plan::{
    approval::Comment,
    plan::{NoteCode, Severity},
};
use fore_store::unsent_review::{Anchor, CommentState as Written, NotePurpose, UnsentComment};

impl TestApp {
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

fn draft(plan: &str) -> UnsentReview {
    let comment =
        Comment { first_line: 3, last_line: 3, quote: "1. Read users once.".into(), remark: "Which users?".into() };
    UnsentReview {
        plan: Hash::of(plan.as_bytes()),
        remarks: vec![UnsentComment { comment, state: Written::Saved, anchor: Anchor::Same }],
        note: String::new(),
        meant: NotePurpose::Note,
        edited: Some("# Mine\n".into()),
        grants: Default::default(),
    }
}

/// A session that goes on, with words that were kept.
fn resumed(draft: Result<Option<UnsentReview>, String>) -> TestApp {
    let mut test = TestApp::empty();
    test.beginning();
    test.app.begun(SessionPast { events: Vec::new(), notices: Vec::new(), draft });
    test.event(started(Mode::Plan)).event(Event::TurnStarted);
    test.app.take_acts();
    test
}

#[test]
fn a_comment_is_kept_when_it_is_finished_changed_or_removed_and_not_with_every_key() {
    let mut test = TestApp::working();
    test.event(approval("p1", PLAN));
    assert_eq!(test.keys("down j c 'Why?'").kept(), [""; 0]);
    assert_eq!(test.keys("enter").kept(), ["1: Why?|"]);
    assert_eq!(test.keys("j k / 'login' esc").kept(), [""; 0]);
    assert_eq!(test.keys("c '!' enter").kept(), ["1: Why?!|"]);
    assert_eq!(test.keys("x").kept(), ["1: "]);
    assert_eq!(test.keys("u").kept(), ["1: Why?!|"]);
    test.keys("e").told(HostReply::Edited { purpose: EditFor::Dialog, text: Ok("# Mine\n".into()) });
    assert_eq!(test.kept(), ["1: Why?!||# Mine\n"]);
}

#[test]
fn what_is_being_typed_is_kept_within_a_second_and_when_the_person_leaves() {
    let mut test = TestApp::working();
    test.event(approval("p1", PLAN)).keys("tab enter 'Smal'");
    assert_eq!(test.kept(), [""; 0]);
    assert!(test.app.is_moving());
    assert_eq!(test.wait(TYPED_KEPT).kept(), ["1: Smal"]);
    assert_eq!(test.wait(TYPED_KEPT).kept(), [""; 0], "nothing new was typed");
    test.app.paste("ler", test.now);
    test.app.save_review();
    assert_eq!(test.kept(), ["1: Smaller"]);
    test.keys("'!'").beginning();
    assert_eq!(test.kept(), ["1: Smaller!"], "another session begins, and this one keeps its words");
}

#[test]
fn a_decision_takes_the_words_away_and_an_answer_that_does_not_count_leaves_them() {
    let mut test = TestApp::working();
    test.event(approval("p1", PLAN)).keys("c 'Why?' enter").app.take_acts();
    test.keys("tab enter enter").app.take_acts();
    test.event(Event::Decided(ApprovalOutcome::NotCounted { why: "the file has changed".into() }));
    assert_eq!(test.kept(), [""; 0]);
    test.event(Event::Decided(ApprovalOutcome::KeepPlanning { reason: String::new(), comments: Vec::new() }));
    assert_eq!(test.kept(), ["1: nothing"]);
    test.event(approval("p2", PLAN));
    assert!(!test.screen(80, 40).contains("Why?"));
}

#[test]
fn d3_a_resumed_plan_has_the_words_that_were_not_sent_and_none_of_them_answers() {
    let mut test = resumed(Ok(Some(draft(PLAN))));
    test.event(approval("p1", PLAN));
    let acts = test.acts();
    assert_eq!(acts, ["send read-contract # Mine\n", "fetch(notes(\"# mine\\n\"))"], "an edited text is checked again");
    let screen = test.screen(80, 40);
    assert!(screen.contains("Here again, not sent yet: 1 comment, and an edit of the plan."), "{screen}");
    assert_eq!(test.keys("enter").acts(), [""; 0]);
    test.event(Event::Decided(ApprovalOutcome::Discarded)).event(approval("p2", PLAN));
    assert!(!test.screen(80, 40).contains("Here again"), "only once");
}

#[test]
fn words_about_another_text_say_so_and_an_edit_of_it_is_shown_but_not_applied() {
    let mut test = resumed(Ok(Some(draft("# Older\n"))));
    test.event(approval("p1", PLAN));
    let screen = test.screen(100, 40);
    assert!(screen.contains("line 3 (on an older text, \"1. Read users once.\"): Which users?"), "{screen}");
    let printed = test.printed();
    assert!(printed.contains("your edit is not in it") && printed.contains("# Mine"), "{printed}");
    assert_eq!(test.acts(), [""; 0]);
}

#[test]
fn words_about_a_plan_that_is_decided_already_are_forgotten() {
    let mut test = resumed(Ok(Some(draft(PLAN))));
    test.event(Event::PromptTaken { text: "go on".into() });
    assert_eq!(test.kept(), ["1: nothing"]);
    test.event(approval("p1", PLAN)).event(Event::PromptTaken { text: "go on".into() });
    assert_eq!((test.kept(), test.screen(80, 40).contains("Which users?")), (vec![], false));
}

#[test]
fn what_cannot_be_kept_or_read_is_said_once() {
    let mut test = resumed(Err("`d.json` is damaged".into()));
    assert!(test.printed().contains("Your unsent comments on the plan cannot be shown: `d.json` is damaged"));
    test.told(HostReply::NotKept("the disk is full".into()));
    assert!(test.printed().contains("Your comments on the plan cannot be saved: the disk is full"));
    test.told(HostReply::NotKept("the disk is full".into()));
    assert_eq!(test.printed(), "");
}

#[test]
fn d3_ctrl_c_leaves_a_plan_that_waits_without_taking_it_back() {
    let mut test = TestApp::working();
    test.event(approval("p1", PLAN));
    assert_eq!(test.keys("ctrl+c").acts(), [""; 0]);
    assert!(test.status().ends_with("ctrl+c again to leave; the plan waits for you"), "{}", test.status());
    assert_eq!(test.keys("ctrl+c").acts(), ["leave"]);
    // Nor does Esc in the composer, which stops what runs at other times.
    let mut test = TestApp::working();
    test.event(approval("p1", PLAN));
    assert_eq!(test.keys("ctrl+t esc esc").acts(), [""; 0]);
    assert!(test.status().ends_with("the plan waits: tab goes to it"));
    let (call, tool, line) = (CallId("call-9".into()), "!".into(), "sleep 9".into());
    test.event(Event::ToolStarted { agent: None, call, tool, line, cage: None });
    assert_eq!(test.keys("esc").acts(), [""; 0]);
    assert!(test.status().ends_with("answer the plan (tab), then esc stops it"), "{}", test.status());
    assert_eq!(test.keys("'why' esc esc").acts(), [""; 0]);
    assert_eq!(test.app.composer.text(), "");
}

#[test]
fn m5_the_notes_on_an_edited_plan_reach_its_dialog() {
    let mut test = TestApp::working();
    test.event(approval("p1", PLAN)).keys("e").app.take_acts();
    test.told(HostReply::Edited { purpose: EditFor::Dialog, text: Ok("# Mine\n\nDo it.\n".into()) });
    assert_eq!(test.acts(), ["send read-contract # Mine\n\nDo it.\n", "fetch(notes(\"# mine\\n\\ndo it.\\n\"))"]);
    let sentence = "It is too short.".to_owned();
    let notes =
        vec![CheckNote { severity: Severity::Warning, code: NoteCode::NoVerification, line: Some(3), sentence }];
    test.told(HostReply::Notes { plan: Hash::of("# Mine\n\nDo it.\n".as_bytes()), notes });
    assert!(test.screen(80, 40).contains("│⚠ note: It is too short."), "{}", test.screen(80, 40));
}
