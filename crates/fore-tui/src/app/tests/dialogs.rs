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
            let mut desk = Desk::working();
            desk.keys(keys).wait(time);
            desk.event(event);
            assert_eq!(desk.focus(), focus, "{case}");
        }
    }
}

#[test]
fn d2_whoever_begins_to_type_as_a_question_comes_up_answers_nothing() {
    let mut desk = Desk::working();
    desk.sudden(asked("q1", "git push"));
    assert_eq!(desk.keys("'the_total'").acts(), [""; 0]);
    assert_eq!(desk.wait(A_WHILE).focus(), ELSEWHERE, "it waits for Tab from now on");
    assert_eq!(desk.app.composer.text(), "the total");
    // A plan, whose keys would open an editor and begin a comment.
    let mut desk = Desk::working();
    desk.sudden(approval("p1", PLAN));
    assert_eq!(desk.keys("'edit' enter").acts(), ["send prompt edit queue"]);
    assert_eq!(desk.focus(), ELSEWHERE);
    // What looks like an answer is neither an answer nor a prompt.
    let mut desk = Desk::working();
    desk.sudden(asked("q1", "git push"));
    assert_eq!(desk.keys("1 enter").acts(), [""; 0]);
    assert!(desk.status().ends_with("a question waits: tab goes to it"), "{}", desk.status());
    assert_eq!((desk.focus(), desk.app.composer.text().as_str()), (ELSEWHERE, "1"));
}

#[test]
fn whoever_answers_goes_on_with_the_next_question() {
    let mut desk = Desk::working();
    desk.event(asked("q1", "git push"));
    assert_eq!(desk.keys("1 enter").acts(), ["send reply q1 yes"]);
    desk.sudden(asked("q2", "git pull"));
    assert_eq!(desk.focus(), HERE);
    // But not after a message of theirs, nor after a while.
    assert_eq!(desk.keys("1 enter").acts(), ["send reply q2 yes"]);
    desk.keys("'so' enter").wait(A_WHILE).sudden(asked("q3", "ls"));
    assert_eq!(desk.focus(), Some(Focus::Soon));
    assert_eq!(desk.wait(asking::SETTLES).focus(), HERE);
}

#[test]
fn d2_keys_of_somebody_who_writes_answer_nothing_until_tab() {
    let mut desk = Desk::working();
    desk.keys("'why'").event(asked("q1", "git push"));
    assert_eq!(desk.keys("1 enter").acts(), ["send prompt why1 queue"], "the prompt goes on, and the 1 is part of it");
    assert_eq!(desk.focus(), ELSEWHERE);
    assert_eq!(desk.keys("1 y").acts(), [""; 0]);
    assert_eq!(desk.keys("tab enter").acts(), [""; 0], "no choice was gone to");
    assert_eq!(desk.focus(), HERE);
    assert_eq!(desk.app.composer.text(), "1y");
    assert_eq!(desk.keys("1 enter").acts(), ["send reply q1 yes"]);
    assert_eq!((desk.focus(), desk.app.composer.text().as_str()), (None, "1y"));
}

#[test]
fn d2_tab_and_its_other_key_lead_to_the_question_and_back() {
    let mut desk = Desk::working();
    desk.event(asked("q1", "git push"));
    assert_eq!(desk.keys("ctrl+t").focus(), ELSEWHERE);
    assert_eq!(desk.keys("'no'").app.composer.text(), "no");
    assert_eq!(desk.keys("ctrl+t").focus(), HERE);
    assert_eq!(desk.keys("tab").focus(), HERE, "inside the question Tab moves among its parts");
}

#[test]
fn d3_a_choice_is_gone_to_anew_after_the_keys_were_elsewhere() {
    let page = [asked("q1", "git push"), Event::EnterPlanAsked { question: question("q1") }, approval("p1", PLAN)];
    for event in page {
        let mut desk = Desk::working();
        desk.event(event).keys("tab 1 ctrl+t 'wait' ctrl+t");
        assert_eq!((desk.focus(), desk.keys("enter").acts()), (HERE, vec![]));
        assert_eq!(desk.app.composer.text(), "wait");
    }
    let mut desk = Desk::working();
    desk.event(approval("p1", PLAN));
    assert_eq!(desk.keys("tab 1 enter").acts(), ["send approval p1 startEditing"]);
    desk.event(Event::Decided(Decided::NotCounted { why: "the file has changed".into() }));
    assert_eq!(desk.keys("tab enter enter").acts(), [""; 0]);
    let mut desk = Desk::new();
    assert_eq!(desk.keys("'/trust' enter up ctrl+t ctrl+t enter").acts(), [""; 0]);
}

#[test]
fn questions_wait_for_each_other_and_the_line_says_how_many() {
    let mut desk = Desk::working();
    desk.event(asked("q1", "git push")).event(asked("q2", "git tag v1")).event(form("q3"));
    assert!(desk.screen(80, 24).contains("git push"));
    assert!(desk.status().ends_with("2 more questions wait"), "{}", desk.status());
    assert_eq!(desk.keys("1 enter enter").acts(), ["send reply q1 yes"], "the second Enter chooses nothing");
    assert!(desk.screen(80, 24).contains("git tag v1"));
    assert_eq!((desk.focus(), desk.keys("esc").acts()), (HERE, vec!["send reply q2 no".to_owned()]));
    assert!(desk.screen(80, 24).contains("Which database?"));
    assert_eq!(desk.keys("2 enter").acts(), ["send fill-form q3 PostgreSQL"]);
}

#[test]
fn a_question_that_closes_under_the_fingers_leaves_its_keys_to_nobody() {
    let mut desk = Desk::working();
    desk.event(asked("q1", "ls")).event(asked("q2", "rm -r target")).keys("1");
    desk.event(closed("q1"));
    assert_eq!(desk.focus(), ELSEWHERE);
    assert_eq!(desk.keys("enter").acts(), [""; 0]);
    assert_eq!(desk.focus(), ELSEWHERE, "it waits for Tab");
    // The same when the second one comes right after the first has gone.
    let mut desk = Desk::working();
    desk.event(asked("q1", "ls")).keys("down").event(closed("q1")).event(asked("q2", "rm -r target"));
    assert_eq!((desk.focus(), desk.keys("down enter").acts()), (ELSEWHERE, vec![]));
}

#[test]
fn a_question_that_waited_behind_another_one_can_close_too() {
    let mut desk = Desk::working();
    desk.event(asked("q1", "ls")).event(asked("q2", "rm -r target")).keys("1").event(closed("q2"));
    assert_eq!((desk.focus(), desk.app.asking.behind()), (HERE, 0));
    assert_eq!(desk.keys("enter").acts(), ["send reply q1 yes"]);
}

#[test]
fn d7_an_answer_that_does_not_count_brings_the_plan_back_with_what_was_written() {
    let mut desk = Desk::working();
    desk.event(approval("p1", PLAN)).keys("n 'mind_the_tests' enter tab 1");
    let answers = desk.keys("enter").acts();
    assert_eq!(answers, ["send approval p1 startEditing mind the tests"]);
    assert_eq!(desk.focus(), None);
    desk.event(Event::Decided(Decided::NotCounted { why: "the file has changed".into() }));
    assert_eq!(desk.focus(), ELSEWHERE, "it comes back by itself, so it takes no keys");
    assert_eq!(desk.keys("enter").acts(), [""; 0]);
    desk.event(approval("p2", "# Other\n"));
    assert!(desk.screen(80, 24).contains("What you wrote is still here"), "{}", desk.screen(80, 24));
    assert_eq!(desk.keys("enter enter").acts(), [""; 0], "the choice is made anew");
    desk.event(Event::Decided(Decided::Discarded));
    assert_eq!(desk.focus(), None);
}

#[test]
fn d7_a_plan_that_is_asked_again_does_not_hand_its_keys_to_the_next_question() {
    let mut desk = Desk::working();
    desk.event(approval("p1", PLAN)).event(asked("q1", "rm -r target")).keys("down");
    desk.event(approval("p2", "# Other\n"));
    assert!(desk.screen(80, 24).contains("rm -r target"));
    assert_eq!(desk.focus(), ELSEWHERE);
    assert_eq!(desk.keys("down enter").acts(), [""; 0]);
}

#[test]
fn what_the_person_asks_for_stands_before_what_they_have_not_turned_to() {
    let mut desk = Desk::working();
    desk.keys("'x'").event(asked("q1", "git push"));
    desk.keys("backspace '/mode' enter");
    assert!(desk.screen(80, 24).contains("Switch the mode"), "{}", desk.screen(80, 24));
    assert_eq!((desk.focus(), desk.keys("esc").focus()), (HERE, ELSEWHERE), "the question behind it waits for Tab");
    assert_eq!(desk.acts(), [""; 0]);
}

#[test]
fn a_list_that_comes_late_does_not_take_the_keys_of_a_prompt() {
    let mut desk = Desk::new();
    desk.keys("'/resume' enter 'fix'");
    desk.acts();
    desk.told(Told::Sessions(Ok(rows())));
    assert_eq!(desk.focus(), ELSEWHERE);
    assert_eq!(desk.keys("enter").acts(), ["send prompt fix queue"]);
    assert_eq!(desk.keys("tab enter").acts(), ["begin resume 2 None"]);
    // Whoever waits for it has it at once, and only once.
    let mut desk = Desk::new();
    desk.keys("'/resume' enter '/resume' enter");
    desk.told(Told::Sessions(Ok(rows()))).told(Told::Sessions(Ok(rows())));
    assert_eq!((desk.focus(), desk.app.asking.behind()), (HERE, 0));
}

#[test]
fn a_question_behind_the_whole_screen_is_told_of_and_gets_no_key() {
    let mut desk = Desk::working();
    desk.keys("ctrl+o").wait(A_WHILE).event(asked("q1", "git push"));
    let view = desk.app.whole(60, 10).expect("it is open");
    assert_eq!(text_of(&view).lines().next(), Some("A question waits for you: q closes this, Tab answers"));
    assert_eq!(desk.keys("1 enter y enter q enter").acts(), [""; 0]);
    assert_eq!(desk.focus(), ELSEWHERE);
    assert_eq!(desk.keys("tab 1 enter").acts(), ["send reply q1 yes"]);
}

#[test]
fn a_question_can_be_read_on_the_whole_screen_and_keeps_its_keys() {
    let mut desk = Desk::working();
    desk.event(asked("q1", "git push")).keys("v");
    assert!(text_of(&desk.app.whole(60, 10).expect("it is open")).contains("git push"));
    assert_eq!(desk.keys("1 enter q").acts(), [""; 0]);
    assert_eq!((desk.focus(), desk.keys("1 enter").acts()), (HERE, vec!["send reply q1 yes".to_owned()]));
}

#[test]
fn a_long_message_leaves_room_for_the_question() {
    let mut desk = Desk::working();
    for _ in 0..30 {
        desk.keys("x ctrl+j");
    }
    desk.event(asked("q1", "git push"));
    let screen = desk.screen(60, 16);
    assert!(screen.contains("1. Yes") && screen.contains("3. No") && screen.contains("Tab to answer"), "{screen}");
}

#[test]
fn d3_what_has_no_room_to_be_read_cannot_be_answered() {
    let mut desk = Desk::working();
    desk.event(asked("q1", "git push"));
    for (height, acts) in [(4, vec![]), (6, vec![]), (7, vec!["send reply q1 yes"])] {
        desk.screen(80, height);
        desk.app.key(key("1"), desk.now);
        let status = desk.screen(80, height).lines().last().unwrap_or_default().to_owned();
        assert_eq!(status.ends_with("make this window higher to answer"), acts.is_empty(), "{height}: {status}");
        desk.app.key(key("enter"), desk.now);
        assert_eq!(desk.acts(), acts, "{height}");
    }
    // Nor can what was not drawn yet.
    let mut desk = Desk::working();
    for name in ["q1", "q2"] {
        desk.app.event(&asked(name, "ls"), desk.now);
    }
    desk.app.tick(desk.now + asking::SETTLES);
    assert_eq!(desk.focus(), HERE);
    for name in ["1", "enter"] {
        desk.app.key(key(name), desk.now);
    }
    assert_eq!(desk.acts(), [""; 0]);
}

#[test]
fn pasted_text_answers_nothing() {
    let mut desk = Desk::working();
    desk.event(asked("q1", "git push"));
    desk.app.paste("1\n", desk.now);
    assert_eq!((desk.acts(), desk.app.composer.text().as_str()), (vec![], ""));
    assert_eq!(desk.keys("enter").acts(), [""; 0]);
}

#[test]
fn the_editor_gives_its_text_back_to_the_plan_that_asked_for_it() {
    let mut desk = Desk::working();
    desk.event(approval("p1", "# Plan\n")).keys("e");
    assert_eq!(desk.acts(), ["edit faster-login.md \"# Plan\\n\" for Dialog"]);
    // While the editor was open, more came.
    desk.told(Told::Edited { purpose: EditFor::Dialog, text: Ok("# Mine\n".into()) }).event(asked("q1", "ls"));
    assert!(desk.screen(80, 24).contains("Edited by you"), "{}", desk.screen(80, 24));
    assert_eq!(desk.focus(), HERE);
    desk.told(Told::Edited { purpose: EditFor::Dialog, text: Err("no editor\u{1b}[2J".into()) });
    assert!(desk.screen(80, 24).contains("Not edited: no editor"));
}

#[test]
fn the_key_for_the_editor_edits_the_plan_among_its_choices_and_the_prompt_elsewhere() {
    let plan = "edit faster-login.md \"# Plan\\n\" for Dialog";
    let mut desk = Desk::working();
    desk.event(approval("p1", "# Plan\n"));
    assert_eq!(desk.keys("ctrl+g").acts(), [plan]);
    assert_eq!(desk.keys("tab ctrl+g").acts(), [plan]);
    assert_eq!(desk.keys("c ctrl+g esc").acts(), [""; 0], "a field is open");
    assert_eq!(desk.keys("ctrl+t ctrl+g").acts(), ["edit prompt \"\" for Composer"]);
    let settings = [("openEditor".to_owned(), vec!["ctrl+x".to_owned()])].into();
    let mut desk = Desk::working();
    desk.app.keymap = crate::keys::Keymap::with(&settings).unwrap();
    desk.event(approval("p1", "# Plan\n"));
    assert_eq!(desk.keys("ctrl+g").acts(), [""; 0]);
    assert_eq!(desk.keys("ctrl+x").acts(), [plan]);
}

#[test]
fn d2_a_message_that_is_begun_while_a_question_has_the_keys_goes_to_the_composer_and_answers_nothing() {
    for message in ["yes_please", "maybe", "1._do_it_in_every_way", "no_way", "why", "2_of_them_only", "/status_y"] {
        for event in [asked("q1", "git push"), Event::EnterPlanAsked { question: question("q1") }, form("q1")] {
            let mut desk = Desk::working();
            desk.event(event);
            assert_eq!(desk.focus(), HERE);
            desk.keys(&format!("'{message}'"));
            assert_eq!(desk.focus(), ELSEWHERE, "{message}");
            assert_eq!(desk.app.composer.text(), message.replace('_', " "));
            let acts = desk.keys("enter").acts();
            assert!(
                acts.iter().all(|act| ["reply", "confirm", "fill"].iter().all(|word| !act.contains(word))),
                "{message}: {acts:?}"
            );
        }
    }
}
