//! Who is called: whoever looks at another window, or pressed no key for a while where the terminal does not say.

use super::*;
use crate::app::NotifyReason;

const LONG: Duration = Duration::from_secs(31);

/// Whether somebody is called for what just happened.
fn calls(test: &mut TestApp) -> Vec<NotifyReason> {
    let called = |act: Act| if let Act::Notify(why) = act { Some(why) } else { None };
    test.app.take_acts().into_iter().filter_map(called).collect()
}

fn form() -> Event {
    Event::FormAsked { question: QuestionId("q".into()), form: Form { questions: Vec::new(), is_offer: false } }
}

#[test]
fn a_window_that_says_where_it_is_decides() {
    for (is_in_front, expected) in [(true, vec![]), (false, vec![NotifyReason::Question])] {
        let mut test = TestApp::working();
        let now = test.now;
        test.app.focused(is_in_front, now);
        test.wait(LONG).sudden(form());
        assert_eq!(calls(&mut test), expected, "in front: {is_in_front}");
    }
}

#[test]
fn where_the_window_says_nothing_only_somebody_who_pressed_no_key_for_a_while_is_called() {
    let mut test = TestApp::working();
    test.sudden(form());
    assert_eq!(calls(&mut test), [], "they are here");
    let mut test = TestApp::working();
    test.wait(LONG).sudden(form());
    assert_eq!(calls(&mut test), [NotifyReason::Question]);
    let mut test = TestApp::working();
    test.wait(LONG).keys("'a'").sudden(form());
    assert_eq!(calls(&mut test), [], "a key was pressed");
}

#[test]
fn the_end_of_a_turn_calls_only_after_a_long_one() {
    let ended = || Event::TurnEnded { outcome: TurnOutcome::Done };
    for (took, expected) in [(9, vec![]), (10, vec![NotifyReason::TurnEnded])] {
        let mut test = TestApp::new();
        let now = test.now;
        test.app.focused(false, now);
        test.sudden(Event::TurnStarted).wait(Duration::from_secs(took)).sudden(ended());
        assert_eq!(calls(&mut test), expected, "after {took} s");
        test.sudden(ended());
        assert_eq!(calls(&mut test), [], "it ends once");
    }
}
