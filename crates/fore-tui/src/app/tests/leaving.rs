//! Esc, Ctrl+C and the ways out.

use super::*;

#[test]
fn esc_stops_what_runs_and_twice_takes_the_last_prompt_back() {
    let mut test = TestApp::working();
    assert_eq!(test.keys("esc").acts(), ["send take-back", "send interrupt"]);
    test.event(Event::TurnEnded { outcome: TurnOutcome::Interrupted });
    assert_eq!(test.keys("esc").acts(), [""; 0]);
    assert!(test.status().ends_with("esc again to edit your last prompt"));
    assert_eq!(test.keys("esc").acts(), ["send rewind"]);
    test.event(Event::Rewound { text: "fix login".into() });
    assert_eq!(test.app.composer.text(), "fix login");
    assert_eq!(test.keys("esc esc").acts(), [""; 0]);
    assert_eq!(test.app.composer.text(), "", "with a draft it is the draft that goes");
}

#[test]
fn two_presses_are_twice_only_if_nothing_comes_between() {
    let page = [
        ("esc esc", A_MOMENT, vec!["send rewind"]),
        ("esc x backspace esc", A_MOMENT, vec![]),
        ("esc ctrl+c esc", A_MOMENT, vec![]),
        ("ctrl+c ctrl+c", A_MOMENT, vec!["leave"]),
        ("ctrl+c x backspace ctrl+c", A_MOMENT, vec![]),
    ];
    for (keys, _, acts) in page {
        assert_eq!(TestApp::new().keys(keys).acts(), acts, "{keys}");
    }
    let mut test = TestApp::new();
    assert_eq!(test.keys("ctrl+c").wait(A_WHILE).keys("ctrl+c").acts(), [""; 0], "too long ago");
}

#[test]
fn esc_takes_nothing_back_where_there_is_no_session_yet_or_no_more() {
    assert_eq!(TestApp::empty().keys("esc esc esc").acts(), [""; 0]);
    let mut test = TestApp::new();
    test.app.over();
    assert_eq!(test.keys("esc esc").acts(), [""; 0]);
}

#[test]
fn ctrl_c_stops_what_runs_empties_the_line_and_leaves_when_pressed_twice() {
    let mut test = TestApp::working();
    assert_eq!(test.keys("ctrl+c").acts(), ["send take-back", "send interrupt"]);
    assert!(test.status().ends_with("ctrl+c again to leave"));
    assert_eq!(test.keys("ctrl+c").acts(), ["leave"]);
    let mut test = TestApp::new();
    assert_eq!(test.keys("'fix' ctrl+c").acts(), [""; 0]);
    assert_eq!(test.app.composer.text(), "");
    assert_eq!(test.keys("up").app.composer.text(), "fix", "what was written is not lost");
    let mut test = TestApp::working();
    test.event(asked("q1", "git push"));
    assert_eq!(
        test.keys("ctrl+c 1 ctrl+c").acts(),
        ["send take-back", "send interrupt", "send take-back", "send interrupt"],
        "a key came between"
    );
    assert_eq!(test.keys("ctrl+c").acts(), ["leave"], "a question keeps nobody");
    let mut test = TestApp::new();
    assert_eq!(test.keys("ctrl+o ctrl+c").acts(), [""; 0], "first out of the whole screen");
    assert!(!test.app.is_reading());
}

#[test]
fn leaving_while_something_runs_is_asked_first() {
    for keys in ["'/quit' enter", "'/exit' enter", "ctrl+d"] {
        assert_eq!(TestApp::new().keys(keys).acts(), ["leave"], "{keys}");
        assert_eq!(TestApp::empty().keys(keys).acts(), ["leave"], "{keys}: nothing has begun");
        let mut test = TestApp::working();
        assert_eq!(test.keys(keys).acts(), [""; 0], "{keys}");
        assert!(test.screen(80, 24).contains("Leave while something runs?"));
        assert_eq!(test.keys("enter").acts(), [""; 0], "{keys}: the safe answer comes first");
        assert_eq!(test.keys(keys).keys("up enter").acts(), ["leave"], "{keys}");
        assert_eq!(test.keys("'/quit' enter '/quit' enter").acts(), [""; 0], "typed twice, it stays");
    }
}

#[test]
fn going_elsewhere_while_something_runs_is_asked_first() {
    let page = [("'/fork' enter", "begin fork 1 None"), ("'/resume_2' enter", "begin resume 2 None")];
    for (keys, act) in page {
        for (how, expected) in [("enter", vec![]), ("esc", vec![]), ("up enter", vec![act])] {
            let mut test = TestApp::working();
            test.keys(keys);
            test.acts();
            if keys.contains("resume") {
                test.told(HostReply::Session(Ok("0198c0de-0000-7000-8000-000000000002".parse().unwrap())));
            }
            assert!(test.screen(80, 24).contains("Go to another session while something runs?"), "{keys}");
            assert_eq!(test.keys(how).acts(), expected, "{keys} {how}");
        }
    }
    let mut test = TestApp::working();
    test.told(HostReply::Sessions(Ok(rows())));
    assert_eq!(test.keys("enter").acts(), [""; 0]);
    assert_eq!(test.keys("up enter").acts(), ["begin resume 2 None"]);
}

#[test]
fn what_waits_for_the_end_of_the_turn_says_so() {
    let mut test = TestApp::working();
    test.printed();
    assert_eq!(test.keys("'/clear' enter").acts(), ["send clear"]);
    assert_eq!(test.printed(), "• This is done when the running turn has ended; Esc ends it now.");
    assert_eq!(test.keys("'/compact_the_errors' enter").acts(), ["send compact the errors"]);
    assert_eq!(test.printed(), "• This is done when the running turn has ended; Esc ends it now.");
    test.event(ended());
    assert_eq!((test.keys("'/clear' enter").acts(), test.printed().as_str()), (vec!["send clear".into()], ""));
}

#[test]
fn a_command_of_ones_own_can_be_stopped_too() {
    let own = || {
        let (call, tool, line) = (CallId("call-1".into()), "!".into(), "sleep 1000".into());
        Event::ToolStarted { agent: None, call, tool, line, cage: None }
    };
    for key in ["esc", "ctrl+c"] {
        let mut test = TestApp::new();
        assert!(!test.app.is_moving());
        test.event(own());
        assert!(test.app.is_moving(), "its spinner turns");
        assert_eq!(test.keys(key).acts(), ["send take-back", "send interrupt"], "{key}");
    }
    let mut test = TestApp::new();
    test.event(own());
    assert_eq!(test.keys("'/quit' enter").acts(), [""; 0]);
    assert!(test.screen(80, 24).contains("A command of yours is running."));
    assert_eq!(test.keys("up enter").acts(), ["leave"]);
}
