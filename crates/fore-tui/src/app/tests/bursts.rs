//! Keys that came at once: a paste that its terminal did not mark sends nothing and answers nothing.

use super::*;
use crate::keys::burst::{self, BurstPart};

impl TestApp {
    /// A text as a terminal sends it that does not mark what is pasted.
    fn burst(&mut self, text: &str) -> &mut TestApp {
        let inputs = text.chars().map(|letter| {
            crossterm::event::Event::Key(match letter {
                '\n' => key("enter"),
                '\t' => key("tab"),
                '\u{1b}' => key("esc"),
                ' ' => key("space"),
                letter => key(&letter.to_string()),
            })
        });
        for part in burst::parts(inputs.collect()) {
            let BurstPart::Keys(keys) = part else { continue };
            self.app.keys(&keys, self.now);
        }
        self.app.view(80, 24);
        self
    }
}

#[test]
fn several_lines_at_once_are_text_in_the_composer_and_one_line_is_sent() {
    let page = [
        ("one line", "hi\n", "send prompt hi queue", ""),
        ("a line without its end", "hi", "", "hi"),
        ("a command and Tab", "/he\t\n", "", ""),
        ("two lines", "one\ntwo", "", "one\ntwo"),
        ("two whole lines", "one\ntwo\n", "", "one\ntwo\n"),
        ("a line that begins with a break", "\none", "", "\none"),
        ("lines with a tab", "a\tb\nc", "", "a\tb\nc"),
        ("Enter held down", "\n\n\n", "", ""),
        ("something that looks like a command", "/quit\nreally\n", "", "/quit\nreally\n"),
    ];
    for (case, text, act, draft) in page {
        let mut test = TestApp::new();
        let acts = test.burst(text).acts();
        assert_eq!((acts.join(", ").as_str(), test.app.composer.text().as_str()), (act, draft), "{case}");
    }
}

#[test]
fn a_line_that_is_sent_takes_the_draft_before_it_along() {
    let mut test = TestApp::new();
    test.keys("'why_'");
    assert_eq!(test.burst("not?\n").acts(), ["send prompt why not? queue"]);
    test.keys("'see_'").burst("one\ntwo\n");
    assert_eq!(test.keys("enter").acts(), ["send prompt see one\ntwo queue"]);
}

#[test]
fn d2_enter_among_other_keys_answers_no_question() {
    for event in
        [asked("q1", "git push"), form("q1"), Event::EnterPlanAsked { question: question("q1") }, approval("p1", PLAN)]
    {
        for text in ["1\n", "y\n", "\n\n", "1\t\n", "1\n1\n", "\t\n", "yes\nno\n"] {
            let mut test = TestApp::working();
            test.event(event.clone());
            assert_eq!(test.focus(), Some(Focus::Here));
            assert_eq!(test.burst(text).acts(), [""; 0], "{text:?}");
            // Words that nobody turned to a plan with are the beginning of a message.
            let is_message = matches!(event, Event::ApprovalAsked(_)) && test.focus() == Some(Focus::Elsewhere);
            assert!(test.focus() == Some(Focus::Here) || is_message, "{text:?}");
        }
    }
    let mut test = TestApp::working();
    test.event(asked("q1", "git push"));
    assert_eq!(test.burst("1").burst("\n").acts(), ["send reply q1 yes"], "a key by itself does");
}

#[test]
fn enter_beside_a_key_that_is_no_text_counts() {
    let mut test = TestApp::new();
    test.keys("'hi'");
    assert_eq!(test.burst("\u{1b}\n").acts(), ["send prompt hi queue"]);
}
