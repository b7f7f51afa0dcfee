//! Much that is said at once, and what the person stops of it.

use super::*;

const LINE: &str = "A line of a long answer.\n\n";

fn much() -> String {
    LINE.repeat(20_000)
}

const INTERRUPTED: &str = "! Interrupted. What should I do instead?";

fn interrupted() -> Event {
    Event::TurnEnded { outcome: TurnOutcome::Interrupted }
}

/// What a block of words looks like where everything is shown, and where it stands in the conversation.
fn last_said(story: &Story) -> (String, String) {
    let said = story.blocks().rev().find(|block| matches!(block, StoryBlock::Said { .. })).unwrap();
    let StoryBlock::Said { text: whole, .. } = said else { unreachable!() };
    (whole.clone(), text(&said.lines(BlockFold::Folded, 40, &PLAIN), 40))
}

#[test]
fn however_much_is_said_at_once_each_step_prints_a_few_lines() {
    for event in [words(&much()), said(&much())] {
        let mut story = told(&[Event::TurnStarted, event]);
        assert!(story.has_unprinted());
        let mut steps = Vec::new();
        while story.has_unprinted() {
            steps.push(story.take_next(40, &PLAIN).len());
        }
        assert!(steps.iter().all(|lines| *lines < 200) && steps.iter().sum::<usize>() > 39_000, "{steps:?}");
    }
}

#[test]
fn a_screen_is_behind_until_most_of_what_was_said_is_printed() {
    let mut story = told(&[Event::TurnStarted, words(&much())]);
    assert!(story.is_behind());
    story.take_printed(40, &PLAIN);
    assert!(!story.is_behind() && !story.has_unprinted());
}

#[test]
fn what_is_said_after_the_turn_was_stopped_is_kept_and_not_printed() {
    let mut story = told(&[Event::TurnStarted, words("One.\n\n")]);
    assert_eq!(text(&story.take_printed(40, &PLAIN), 40), "* One.");
    story.sent(&Command::Interrupt);
    story.event(&words(&much()));
    assert!(!story.is_behind() && !story.has_unprinted());
    // The session kept one piece more than it streamed.
    let kept = format!("One.\n\n{}The end.", much());
    story.event(&said(&kept));
    story.event(&interrupted());
    let printed = text(&story.take_printed(40, &PLAIN), 40);
    assert_eq!(printed, format!("  ... 40001 more lines (ctrl+o)\n\n{INTERRUPTED}"));
    assert_eq!(last_said(&story), (kept, "* One.\n  ... 40001 more lines (ctrl+o)".to_owned()));
    let again = text(&story.tail(Tail { rows: 5, counted_at: 40 }, 40, &PLAIN), 40);
    assert_eq!(again, format!("* One.\n{printed}"));
}

#[test]
fn a_few_last_words_of_a_turn_that_was_stopped_are_printed() {
    let mut story = told(&[Event::TurnStarted, words("One.\n\nTwo")]);
    story.sent(&Command::Interrupt);
    story.event(&words(", three."));
    story.event(&said("One.\n\nTwo, three."));
    story.event(&interrupted());
    let printed = text(&story.take_printed(40, &PLAIN), 40);
    assert_eq!(printed, format!("* One.\n\n  Two, three.\n\n{INTERRUPTED}"));
}

#[test]
fn what_waits_to_be_printed_when_a_turn_ends_as_interrupted_is_left_out_too() {
    let mut story = told(&[Event::TurnStarted, words(&much())]);
    let first = story.take_next(40, &PLAIN).len();
    story.event(&said(&much()));
    story.event(&interrupted());
    let rest = text(&story.take_printed(40, &PLAIN), 40);
    assert!(first > 10 && rest.lines().count() < 10 && rest.contains("more lines (ctrl+o)"), "{first}: {rest}");
    let (kept, folded) = last_said(&story);
    assert!(kept == much() && folded.ends_with("more lines (ctrl+o)"), "{folded}");
}

#[test]
fn the_next_turn_is_printed_again() {
    let mut story = told(&[Event::TurnStarted, words("One.")]);
    story.sent(&Command::Interrupt);
    [interrupted(), taken("Go on."), Event::TurnStarted, words("Two.\n\n")].iter().for_each(|event| story.event(event));
    assert!(text(&story.take_printed(40, &PLAIN), 40).ends_with("> Go on.\n\n* Two."));
}

#[test]
fn what_is_not_printed_yet_is_no_part_of_the_tail() {
    let mut story = told(&[taken("Tell me."), Event::TurnStarted, words(&much())]);
    let tail = Tail { rows: 100_000, counted_at: 40 };
    assert_eq!(story.tail(tail, 40, &PLAIN), []);
    let mut printed = story.take_next(40, &PLAIN);
    printed.extend(story.take_next(40, &PLAIN));
    assert_eq!(story.tail(tail, 40, &PLAIN), printed);
    story.event(&said(&much()));
    printed.extend(story.take_next(40, &PLAIN));
    assert_eq!(story.tail(tail, 40, &PLAIN), printed);
}
