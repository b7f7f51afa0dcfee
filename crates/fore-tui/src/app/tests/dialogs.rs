//! Who gets the keys when a question comes up, and what becomes of a question that goes away.

use super::*;

const HERE: Option<Focus> = Some(Focus::Here);
const ELSEWHERE: Option<Focus> = Some(Focus::Elsewhere);

#[test]
fn d2_a_question_gets_the_keys_only_if_nobody_is_writing() {
    let page = [
        ("nothing was typed", "", A_WHILE, HERE),
        ("something was typed and is still there", "'fix_it'", A_WHILE, ELSEWHERE),
        ("a letter was typed and taken back just now", "x backspace", A_MOMENT, ELSEWHERE),
        ("a letter was typed and taken back a while ago", "x backspace", A_WHILE, HERE),
        ("a prompt was sent just now", "'fix_it' enter", A_MOMENT, ELSEWHERE),
        ("a prompt was sent a while ago", "'fix_it' enter", A_WHILE, HERE),
        ("the person reads on the whole screen", "ctrl+o", A_WHILE, ELSEWHERE),
        ("the person has just read on the whole screen", "ctrl+o q", A_MOMENT, ELSEWHERE),
    ];
    for (case, keys, time, focus) in page {
        for event in [
            asked("q1", "git push"),
            form("q1"),
            Event::EnterPlanAsked { question: question("q1") },
            approval("p1", PLAN),
        ] {
            let mut test = TestApp::working();
            test.keys(keys).wait(time);
            test.event(event);
            assert_eq!(test.focus(), focus, "{case}");
        }
    }
}

#[test]
fn d2_whoever_begins_to_type_as_a_question_comes_up_answers_nothing() {
    let mut test = TestApp::working();
    test.sudden(asked("q1", "git push"));
    assert_eq!(test.keys("'the_total'").acts(), [""; 0]);
    assert_eq!(test.wait(A_WHILE).focus(), ELSEWHERE, "it waits for Tab from now on");
    assert_eq!(test.app.composer.text(), "the total");
    // A plan, whose keys would open an editor and begin a comment.
    let mut test = TestApp::working();
    test.sudden(approval("p1", PLAN));
    assert_eq!(test.keys("'edit' enter").acts(), [""; 0], "it is asked what the message is for");
    // What looks like an answer is neither an answer nor a prompt.
    let mut test = TestApp::working();
    test.sudden(asked("q1", "git push"));
    assert_eq!(test.keys("1 enter").acts(), [""; 0]);
    assert!(test.status().ends_with("a question waits: tab goes to it"), "{}", test.status());
    assert_eq!((test.focus(), test.app.composer.text().as_str()), (ELSEWHERE, "1"));
}

#[test]
fn whoever_answers_goes_on_with_the_next_question() {
    let mut test = TestApp::working();
    test.event(asked("q1", "git push"));
    assert_eq!(test.keys("1 enter").acts(), ["send reply q1 yes"]);
    test.sudden(asked("q2", "git pull"));
    assert_eq!(test.focus(), HERE);
    // But not after a message of theirs, nor after a while.
    assert_eq!(test.keys("1 enter").acts(), ["send reply q2 yes"]);
    test.keys("'so' enter").wait(A_WHILE).sudden(asked("q3", "ls"));
    assert_eq!(test.focus(), Some(Focus::Soon));
    assert_eq!(test.wait(dialog_queue::SETTLES).focus(), HERE);
}

#[test]
fn d2_keys_of_somebody_who_writes_answer_nothing_until_tab() {
    let mut test = TestApp::working();
    test.keys("'why'").event(asked("q1", "git push"));
    assert_eq!(test.keys("1 enter").acts(), ["send prompt why1 queue"], "the prompt goes on, and the 1 is part of it");
    assert_eq!(test.focus(), ELSEWHERE);
    assert_eq!(test.keys("1 y").acts(), [""; 0]);
    assert_eq!(test.keys("tab enter").acts(), [""; 0], "no choice was gone to");
    assert_eq!(test.focus(), HERE);
    assert_eq!(test.app.composer.text(), "1y");
    assert_eq!(test.keys("1 enter").acts(), ["send reply q1 yes"]);
    assert_eq!((test.focus(), test.app.composer.text().as_str()), (None, "1y"));
}

#[test]
fn d2_tab_and_its_other_key_lead_to_the_question_and_back() {
    let mut test = TestApp::working();
    test.event(asked("q1", "git push"));
    assert_eq!(test.keys("ctrl+t").focus(), ELSEWHERE);
    assert_eq!(test.keys("'no'").app.composer.text(), "no");
    assert_eq!(test.keys("ctrl+t").focus(), HERE);
    assert_eq!(test.keys("tab").focus(), HERE, "inside the question Tab moves among its parts");
}

#[test]
fn d3_a_choice_is_gone_to_anew_after_the_keys_were_elsewhere() {
    let page = [asked("q1", "git push"), Event::EnterPlanAsked { question: question("q1") }, approval("p1", PLAN)];
    for event in page {
        let mut test = TestApp::working();
        test.event(event).keys("tab 1 ctrl+t 'wait' ctrl+t");
        assert_eq!((test.focus(), test.keys("enter").acts()), (HERE, vec![]));
        assert_eq!(test.app.composer.text(), "wait");
    }
    let mut test = TestApp::working();
    test.event(approval("p1", PLAN));
    assert_eq!(test.keys("tab 1 enter").acts(), ["send approval p1 startEditing"]);
    test.event(Event::Decided(ApprovalOutcome::NotCounted { why: "the file has changed".into() }));
    assert_eq!(test.keys("tab enter enter").acts(), [""; 0]);
    let mut test = TestApp::new();
    assert_eq!(test.keys("'/trust' enter up ctrl+t ctrl+t enter").acts(), [""; 0]);
}

#[test]
fn questions_wait_for_each_other_and_the_line_says_how_many() {
    let mut test = TestApp::working();
    test.event(asked("q1", "git push")).event(asked("q2", "git tag v1")).event(form("q3"));
    assert!(test.screen(80, 24).contains("git push"));
    assert!(test.status().ends_with("2 more questions wait"), "{}", test.status());
    assert_eq!(test.keys("1 enter enter").acts(), ["send reply q1 yes"], "the second Enter chooses nothing");
    assert!(test.screen(80, 24).contains("git tag v1"));
    assert_eq!((test.focus(), test.keys("esc").acts()), (HERE, vec!["send reply q2 no".to_owned()]));
    assert!(test.screen(80, 24).contains("Which database?"));
    assert_eq!(test.keys("2 enter").acts(), ["send fill-form q3 PostgreSQL"]);
}

#[test]
fn a_question_that_closes_under_the_fingers_leaves_its_keys_to_nobody() {
    let mut test = TestApp::working();
    test.event(asked("q1", "ls")).event(asked("q2", "rm -r target")).keys("1");
    test.event(closed("q1"));
    assert_eq!(test.focus(), ELSEWHERE);
    assert_eq!(test.keys("enter").acts(), [""; 0]);
    assert_eq!(test.focus(), ELSEWHERE, "it waits for Tab");
    // The same when the second one comes right after the first has gone.
    let mut test = TestApp::working();
    test.event(asked("q1", "ls")).keys("down").event(closed("q1")).event(asked("q2", "rm -r target"));
    assert_eq!((test.focus(), test.keys("down enter").acts()), (ELSEWHERE, vec![]));
}

#[test]
fn a_question_that_waited_behind_another_one_can_close_too() {
    let mut test = TestApp::working();
    test.event(asked("q1", "ls")).event(asked("q2", "rm -r target")).keys("1").event(closed("q2"));
    assert_eq!((test.focus(), test.app.dialogs.behind()), (HERE, 0));
    assert_eq!(test.keys("enter").acts(), ["send reply q1 yes"]);
}

#[test]
fn d7_an_answer_that_does_not_count_brings_the_plan_back_with_what_was_written() {
    let mut test = TestApp::working();
    test.event(approval("p1", PLAN)).keys("down n 'mind_the_tests' enter tab 1");
    let answers = test.keys("enter").acts();
    assert_eq!(answers, ["send approval p1 startEditing mind the tests"]);
    assert_eq!(test.focus(), None);
    test.event(Event::Decided(ApprovalOutcome::NotCounted { why: "the file has changed".into() }));
    assert_eq!(test.focus(), ELSEWHERE, "it comes back by itself, so it takes no keys");
    assert_eq!(test.keys("enter").acts(), [""; 0]);
    test.event(approval("p2", "# Other\n"));
    assert!(test.screen(80, 24).contains("What you wrote is still here"), "{}", test.screen(80, 24));
    assert_eq!(test.keys("enter enter").acts(), [""; 0], "the choice is made anew");
    test.event(Event::Decided(ApprovalOutcome::Discarded));
    assert_eq!(test.focus(), None);
}

#[test]
fn d7_a_plan_that_is_asked_again_does_not_hand_its_keys_to_the_next_question() {
    let mut test = TestApp::working();
    test.event(approval("p1", PLAN)).event(asked("q1", "rm -r target")).keys("down");
    test.event(approval("p2", "# Other\n"));
    assert!(test.screen(80, 24).contains("rm -r target"));
    assert_eq!(test.focus(), ELSEWHERE);
    assert_eq!(test.keys("down enter").acts(), [""; 0]);
}

#[test]
fn what_the_person_asks_for_stands_before_what_they_have_not_turned_to() {
    let mut test = TestApp::working();
    test.keys("'x'").event(asked("q1", "git push"));
    test.keys("backspace '/mode' enter");
    assert!(test.screen(80, 24).contains("Switch the mode"), "{}", test.screen(80, 24));
    assert_eq!((test.focus(), test.keys("esc").focus()), (HERE, ELSEWHERE), "the question behind it waits for Tab");
    assert_eq!(test.acts(), [""; 0]);
}

#[test]
fn a_list_that_comes_late_does_not_take_the_keys_of_a_prompt() {
    let mut test = TestApp::new();
    test.keys("'/resume' enter 'fix'");
    test.acts();
    test.told(HostReply::Sessions(Ok(rows())));
    assert_eq!(test.focus(), ELSEWHERE);
    assert_eq!(test.keys("enter").acts(), ["send prompt fix queue"]);
    assert_eq!(test.keys("tab enter").acts(), ["begin resume 2 None"]);
    // Whoever waits for it has it at once, and only once.
    let mut test = TestApp::new();
    test.keys("'/resume' enter '/resume' enter");
    test.told(HostReply::Sessions(Ok(rows()))).told(HostReply::Sessions(Ok(rows())));
    assert_eq!((test.focus(), test.app.dialogs.behind()), (HERE, 0));
}

#[test]
fn a_question_behind_the_whole_screen_is_told_of_and_gets_no_key() {
    let mut test = TestApp::working();
    test.keys("ctrl+o").wait(A_WHILE).event(asked("q1", "git push"));
    let view = test.app.full_screen(60, 10).expect("it is open");
    assert_eq!(text_of(&view).lines().next(), Some("A question is waiting: q closes this, Tab answers"));
    assert_eq!(test.keys("1 enter y enter q enter").acts(), [""; 0]);
    assert_eq!(test.focus(), ELSEWHERE);
    assert_eq!(test.keys("tab 1 enter").acts(), ["send reply q1 yes"]);
}

#[test]
fn a_question_can_be_read_on_the_whole_screen_and_keeps_its_keys() {
    let mut test = TestApp::working();
    test.event(asked("q1", "git push")).keys("v");
    assert!(text_of(&test.app.full_screen(60, 10).expect("it is open")).contains("git push"));
    assert_eq!(test.keys("1 enter q").acts(), [""; 0]);
    assert_eq!((test.focus(), test.keys("1 enter").acts()), (HERE, vec!["send reply q1 yes".to_owned()]));
}

#[test]
fn a_long_message_leaves_room_for_the_question() {
    let mut test = TestApp::working();
    for _ in 0..30 {
        test.keys("x ctrl+j");
    }
    test.event(asked("q1", "git push"));
    let screen = test.screen(60, 16);
    assert!(screen.contains("1. Yes") && screen.contains("3. No") && screen.contains("Tab to answer"), "{screen}");
}

#[test]
fn d3_what_has_no_room_to_be_read_cannot_be_answered() {
    let mut test = TestApp::working();
    test.event(asked("q1", "git push"));
    for (height, acts) in [(4, vec![]), (6, vec![]), (7, vec!["send reply q1 yes"])] {
        test.screen(80, height);
        test.app.key(key("1"), test.now);
        let status = test.screen(80, height).lines().last().unwrap_or_default().to_owned();
        assert_eq!(status.ends_with("make this window higher to answer"), acts.is_empty(), "{height}: {status}");
        test.app.key(key("enter"), test.now);
        assert_eq!(test.acts(), acts, "{height}");
    }
    // Nor can what was not drawn yet.
    let mut test = TestApp::working();
    for name in ["q1", "q2"] {
        test.app.event(&asked(name, "ls"), test.now);
    }
    test.app.tick(test.now + dialog_queue::SETTLES);
    assert_eq!(test.focus(), HERE);
    for name in ["1", "enter"] {
        test.app.key(key(name), test.now);
    }
    assert_eq!(test.acts(), [""; 0]);
}

#[test]
fn pasted_text_answers_nothing() {
    let mut test = TestApp::working();
    test.event(asked("q1", "git push"));
    test.app.paste("1\n", test.now);
    assert_eq!((test.acts(), test.app.composer.text().as_str()), (vec![], ""));
    assert_eq!(test.keys("enter").acts(), [""; 0]);
}

#[test]
fn the_editor_gives_its_text_back_to_the_plan_that_asked_for_it() {
    let mut test = TestApp::working();
    test.event(approval("p1", "# Plan\n")).keys("down e");
    assert_eq!(test.acts(), ["edit faster-login.md \"# Plan\\n\" for Dialog"]);
    // While the editor was open, more came.
    test.told(HostReply::Edited { purpose: EditFor::Dialog, text: Ok("# Mine\n".into()) }).event(asked("q1", "ls"));
    assert!(test.screen(80, 24).contains("Edited by you"), "{}", test.screen(80, 24));
    assert_eq!(test.focus(), HERE);
    test.told(HostReply::Edited { purpose: EditFor::Dialog, text: Err("no editor\u{1b}[2J".into()) });
    assert!(test.screen(80, 24).contains("Not edited: no editor"));
}

#[test]
fn the_key_for_the_editor_edits_the_plan_among_its_choices_and_the_prompt_elsewhere() {
    let plan = "edit faster-login.md \"# Plan\\n\" for Dialog";
    let mut test = TestApp::working();
    test.event(approval("p1", "# Plan\n"));
    assert_eq!(test.keys("ctrl+g").acts(), [plan]);
    assert_eq!(test.keys("tab ctrl+g").acts(), [plan]);
    assert_eq!(test.keys("c ctrl+g esc").acts(), [""; 0], "a field is open");
    assert_eq!(test.keys("ctrl+t ctrl+g").acts(), ["edit prompt \"\" for Composer"]);
    let settings = [("openEditor".to_owned(), vec!["ctrl+x".to_owned()])].into();
    let mut test = TestApp::working();
    test.app.keymap = crate::keys::Keymap::with(&settings).unwrap();
    test.event(approval("p1", "# Plan\n"));
    assert_eq!(test.keys("ctrl+g").acts(), [""; 0]);
    assert_eq!(test.keys("ctrl+x").acts(), [plan]);
}

#[test]
fn d2_a_message_that_is_begun_while_a_question_has_the_keys_goes_to_the_composer_and_answers_nothing() {
    for message in ["yes_please", "maybe", "1._do_it_in_every_way", "no_way", "why", "2_of_them_only", "/status_y"] {
        for event in [asked("q1", "git push"), Event::EnterPlanAsked { question: question("q1") }, form("q1")] {
            let mut test = TestApp::working();
            test.event(event);
            assert_eq!(test.focus(), HERE);
            test.keys(&format!("'{message}'"));
            assert_eq!(test.focus(), ELSEWHERE, "{message}");
            assert_eq!(test.app.composer.text(), message.replace('_', " "));
            let acts = test.keys("enter").acts();
            assert!(
                acts.iter().all(|act| ["reply", "confirm", "fill"].iter().all(|word| !act.contains(word))),
                "{message}: {acts:?}"
            );
        }
    }
}
