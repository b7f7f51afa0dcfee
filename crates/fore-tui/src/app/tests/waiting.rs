//! Prompts that wait behind a turn: they can be taken back, changed and sent again, and stopping the turn begins none.

use super::*;

fn queued(test: &mut TestApp, texts: &[&str]) {
    for (index, text) in texts.iter().enumerate() {
        test.event(Event::PromptQueued { text: (*text).into(), waiting: index + 1 });
    }
}

fn returned(texts: &[&str]) -> Event {
    Event::PromptsReturned { texts: texts.iter().map(|text| (*text).to_owned()).collect() }
}

/// What goes into the history that is kept.
fn remembered(test: &mut TestApp) -> Vec<String> {
    let acts = test.app.take_acts().into_iter();
    acts.filter_map(|act| if let Act::Remember(text) = act { Some(text) } else { None }).collect()
}

#[test]
fn up_takes_what_waits_back_to_be_changed() {
    let mut test = TestApp::working();
    queued(&mut test, &["add a cart", "and a test"]);
    assert!(test.screen(80, 24).contains("queued: and a test"));
    assert_eq!(test.keys("up").acts(), ["send take-back"]);
    test.event(returned(&["add a cart", "and a test"]));
    assert_eq!(test.app.composer.text(), "add a cart\n\nand a test");
    assert!(!test.screen(80, 24).contains("waits:"), "nothing waits any more: {}", test.screen(80, 24));
    // Nothing waits, so Up moves in the text and walks the history as ever.
    assert_eq!(test.keys("up up up").acts(), [""; 0]);
    assert_eq!(test.app.composer.text(), "an earlier prompt");
}

#[test]
fn up_leaves_what_waits_alone_while_something_is_written_or_looked_for() {
    let mut test = TestApp::working();
    queued(&mut test, &["add a cart"]);
    assert_eq!(test.keys("'a' up").acts(), [""; 0]);
    let mut test = TestApp::working();
    queued(&mut test, &["add a cart"]);
    assert_eq!(test.keys("ctrl+r up").acts(), [""; 0]);
}

#[test]
fn stopping_a_turn_gives_back_what_waits_and_keeps_what_is_being_written() {
    for key in ["esc", "ctrl+c"] {
        let mut test = TestApp::working();
        queued(&mut test, &["add a cart", "/usr is odd"]);
        assert_eq!(test.keys("'but'").keys(key).acts(), ["send take-back", "send interrupt"], "{key}");
        test.event(returned(&["add a cart", "/usr is odd"]));
        test.event(Event::TurnEnded { outcome: TurnOutcome::Interrupted });
        assert_eq!(test.app.composer.text(), "add a cart\n\n/usr is odd\n\nbut", "{key}");
    }
    // Nothing waited: the draft is as it was.
    let mut test = TestApp::working();
    test.keys("'but' esc").event(returned(&[]));
    assert_eq!(test.app.composer.text(), "but");
}

#[test]
fn words_that_look_like_a_command_come_back_as_words() {
    let mut test = TestApp::working();
    queued(&mut test, &["/clear is what I type"]);
    test.event(returned(&["/clear is what I type"]));
    assert_eq!(test.keys("enter").acts(), ["send prompt /clear is what I type queue"]);
}

#[test]
fn what_was_sent_once_is_in_the_history_once() {
    let mut test = TestApp::working();
    test.keys("'add_a_cart' enter");
    assert_eq!(remembered(&mut test), ["add a cart"]);
    queued(&mut test, &["add a cart"]);
    test.keys("up").event(returned(&["add a cart"])).keys("enter");
    assert_eq!(remembered(&mut test), [""; 0]);
    test.event(returned(&["add a cart"])).keys("'s' enter");
    assert_eq!(remembered(&mut test), ["add a carts"], "changed, it is a new one");
    test.keys("'add_a_cart' enter");
    assert_eq!(remembered(&mut test), ["add a cart"], "and typed anew it is the newest");
}

#[test]
fn a_history_that_is_summarised_moves_on_the_screen_and_can_be_stopped() {
    let mut test = TestApp::new();
    test.printed();
    assert_eq!(test.keys("'/compact' enter").acts(), ["send compact"]);
    test.event(Event::SummaryStarted);
    let screen = test.screen(60, 24);
    assert!(screen.contains("summarising the conversation"), "{screen}");
    assert!(test.app.is_moving() && test.status().contains("esc stops"), "{}", test.status());
    assert_eq!(test.keys("esc").acts(), ["send take-back", "send interrupt"]);
    test.event(Event::SummaryEnded);
    assert!(!test.screen(60, 24).contains("summarising"));
    assert!(!test.status().contains("stops"), "{}", test.status());
}

#[test]
fn more_than_a_message_holds_comes_back_from_the_history() {
    let mut test = TestApp::working();
    let long = "x".repeat(700_000);
    test.event(returned(&[&long, "add a cart"]));
    test.event(returned(&[&long, &long, "add a cart"]));
    test.app.composer.clear();
    test.keys("up");
    assert!(!test.app.composer.is_empty());
}
