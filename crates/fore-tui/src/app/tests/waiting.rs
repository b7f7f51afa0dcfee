//! Prompts that wait behind a turn: they can be taken back, changed and sent again, and stopping the turn begins none.

use super::*;

fn queued(desk: &mut Desk, texts: &[&str]) {
    for (index, text) in texts.iter().enumerate() {
        desk.event(Event::PromptQueued { text: (*text).into(), waiting: index + 1 });
    }
}

fn returned(texts: &[&str]) -> Event {
    Event::PromptsReturned { texts: texts.iter().map(|text| (*text).to_owned()).collect() }
}

/// What goes into the history that is kept.
fn remembered(desk: &mut Desk) -> Vec<String> {
    let acts = desk.app.take_acts().into_iter();
    acts.filter_map(|act| if let Act::Remember(text) = act { Some(text) } else { None }).collect()
}

#[test]
fn up_takes_what_waits_back_to_be_changed() {
    let mut desk = Desk::working();
    queued(&mut desk, &["add a cart", "and a test"]);
    assert!(desk.screen(80, 24).contains("waits: and a test"));
    assert_eq!(desk.keys("up").acts(), ["send take-back"]);
    desk.event(returned(&["add a cart", "and a test"]));
    assert_eq!(desk.app.composer.text(), "add a cart\n\nand a test");
    assert!(!desk.screen(80, 24).contains("waits:"), "nothing waits any more: {}", desk.screen(80, 24));
    // Nothing waits, so Up moves in the text and walks the history as ever.
    assert_eq!(desk.keys("up up up").acts(), [""; 0]);
    assert_eq!(desk.app.composer.text(), "an earlier prompt");
}

#[test]
fn up_leaves_what_waits_alone_while_something_is_written_or_looked_for() {
    let mut desk = Desk::working();
    queued(&mut desk, &["add a cart"]);
    assert_eq!(desk.keys("'a' up").acts(), [""; 0]);
    let mut desk = Desk::working();
    queued(&mut desk, &["add a cart"]);
    assert_eq!(desk.keys("ctrl+r up").acts(), [""; 0]);
}

#[test]
fn stopping_a_turn_gives_back_what_waits_and_keeps_what_is_being_written() {
    for key in ["esc", "ctrl+c"] {
        let mut desk = Desk::working();
        queued(&mut desk, &["add a cart", "/usr is odd"]);
        assert_eq!(desk.keys("'but'").keys(key).acts(), ["send take-back", "send interrupt"], "{key}");
        desk.event(returned(&["add a cart", "/usr is odd"]));
        desk.event(Event::TurnEnded { outcome: TurnOutcome::Interrupted });
        assert_eq!(desk.app.composer.text(), "add a cart\n\n/usr is odd\n\nbut", "{key}");
    }
    // Nothing waited: the draft is as it was.
    let mut desk = Desk::working();
    desk.keys("'but' esc").event(returned(&[]));
    assert_eq!(desk.app.composer.text(), "but");
}

#[test]
fn words_that_look_like_a_command_come_back_as_words() {
    let mut desk = Desk::working();
    queued(&mut desk, &["/clear is what I type"]);
    desk.event(returned(&["/clear is what I type"]));
    assert_eq!(desk.keys("enter").acts(), ["send prompt /clear is what I type queue"]);
}

#[test]
fn what_was_sent_once_is_in_the_history_once() {
    let mut desk = Desk::working();
    desk.keys("'add_a_cart' enter");
    assert_eq!(remembered(&mut desk), ["add a cart"]);
    queued(&mut desk, &["add a cart"]);
    desk.keys("up").event(returned(&["add a cart"])).keys("enter");
    assert_eq!(remembered(&mut desk), [""; 0]);
    desk.event(returned(&["add a cart"])).keys("'s' enter");
    assert_eq!(remembered(&mut desk), ["add a carts"], "changed, it is a new one");
    desk.keys("'add_a_cart' enter");
    assert_eq!(remembered(&mut desk), ["add a cart"], "and typed anew it is the newest");
}

#[test]
fn a_history_that_is_summarised_moves_on_the_screen_and_can_be_stopped() {
    let mut desk = Desk::new();
    desk.printed();
    assert_eq!(desk.keys("'/compact' enter").acts(), ["send compact"]);
    desk.event(Event::SummaryStarted);
    let screen = desk.screen(60, 24);
    assert!(screen.contains("summarising the history"), "{screen}");
    assert!(desk.app.is_moving() && desk.status().contains("esc stops"), "{}", desk.status());
    assert_eq!(desk.keys("esc").acts(), ["send take-back", "send interrupt"]);
    desk.event(Event::SummaryEnded);
    assert!(!desk.screen(60, 24).contains("summarising"));
    assert!(!desk.status().contains("stops"), "{}", desk.status());
}

#[test]
fn more_than_a_message_holds_comes_back_from_the_history() {
    let mut desk = Desk::working();
    let long = "x".repeat(700_000);
    desk.event(returned(&[&long, "add a cart"]));
    desk.event(returned(&[&long, &long, "add a cart"]));
    desk.app.composer.clear();
    desk.keys("up");
    assert!(!desk.app.composer.is_empty());
}
