//! Esc, Ctrl+C and the ways out.

use super::*;

#[test]
fn esc_stops_what_runs_and_twice_takes_the_last_prompt_back() {
    let mut desk = Desk::working();
    assert_eq!(desk.keys("esc").acts(), ["send take-back", "send interrupt"]);
    desk.event(Event::TurnEnded { outcome: TurnOutcome::Interrupted });
    assert_eq!(desk.keys("esc").acts(), [""; 0]);
    assert!(desk.status().ends_with("esc again to edit your last prompt"));
    assert_eq!(desk.keys("esc").acts(), ["send rewind"]);
    desk.event(Event::Rewound { text: "fix login".into() });
    assert_eq!(desk.app.composer.text(), "fix login");
    assert_eq!(desk.keys("esc esc").acts(), [""; 0]);
    assert_eq!(desk.app.composer.text(), "", "with a draft it is the draft that goes");
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
        assert_eq!(Desk::new().keys(keys).acts(), acts, "{keys}");
    }
    let mut desk = Desk::new();
    assert_eq!(desk.keys("ctrl+c").wait(A_WHILE).keys("ctrl+c").acts(), [""; 0], "too long ago");
}

#[test]
fn esc_takes_nothing_back_where_there_is_no_session_yet_or_no_more() {
    assert_eq!(Desk::empty().keys("esc esc esc").acts(), [""; 0]);
    let mut desk = Desk::new();
    desk.app.over();
    assert_eq!(desk.keys("esc esc").acts(), [""; 0]);
}

#[test]
fn ctrl_c_stops_what_runs_empties_the_line_and_leaves_when_pressed_twice() {
    let mut desk = Desk::working();
    assert_eq!(desk.keys("ctrl+c").acts(), ["send take-back", "send interrupt"]);
    assert!(desk.status().ends_with("ctrl+c again to leave"));
    assert_eq!(desk.keys("ctrl+c").acts(), ["leave"]);
    let mut desk = Desk::new();
    assert_eq!(desk.keys("'fix' ctrl+c").acts(), [""; 0]);
    assert_eq!(desk.app.composer.text(), "");
    assert_eq!(desk.keys("up").app.composer.text(), "fix", "what was written is not lost");
    let mut desk = Desk::working();
    desk.event(asked("q1", "git push"));
    assert_eq!(
        desk.keys("ctrl+c 1 ctrl+c").acts(),
        ["send take-back", "send interrupt", "send take-back", "send interrupt"],
        "a key came between"
    );
    assert_eq!(desk.keys("ctrl+c").acts(), ["leave"], "a question keeps nobody");
    let mut desk = Desk::new();
    assert_eq!(desk.keys("ctrl+o ctrl+c").acts(), [""; 0], "first out of the whole screen");
    assert!(!desk.app.is_reading());
}

#[test]
fn leaving_while_something_runs_is_asked_first() {
    for keys in ["'/quit' enter", "'/exit' enter", "ctrl+d"] {
        assert_eq!(Desk::new().keys(keys).acts(), ["leave"], "{keys}");
        assert_eq!(Desk::empty().keys(keys).acts(), ["leave"], "{keys}: nothing has begun");
        let mut desk = Desk::working();
        assert_eq!(desk.keys(keys).acts(), [""; 0], "{keys}");
        assert!(desk.screen(80, 24).contains("Leave while something runs?"));
        assert_eq!(desk.keys("enter").acts(), [""; 0], "{keys}: the safe answer comes first");
        assert_eq!(desk.keys(keys).keys("up enter").acts(), ["leave"], "{keys}");
        assert_eq!(desk.keys("'/quit' enter '/quit' enter").acts(), [""; 0], "typed twice, it stays");
    }
}

#[test]
fn going_elsewhere_while_something_runs_is_asked_first() {
    let page = [("'/fork' enter", "begin fork 1 None"), ("'/resume_2' enter", "begin resume 2 None")];
    for (keys, act) in page {
        for (how, expected) in [("enter", vec![]), ("esc", vec![]), ("up enter", vec![act])] {
            let mut desk = Desk::working();
            desk.keys(keys);
            desk.acts();
            if keys.contains("resume") {
                desk.told(Told::Session(Ok("0198c0de-0000-7000-8000-000000000002".parse().unwrap())));
            }
            assert!(desk.screen(80, 24).contains("Go to another session while something runs?"), "{keys}");
            assert_eq!(desk.keys(how).acts(), expected, "{keys} {how}");
        }
    }
    let mut desk = Desk::working();
    desk.told(Told::Sessions(Ok(rows())));
    assert_eq!(desk.keys("enter").acts(), [""; 0]);
    assert_eq!(desk.keys("up enter").acts(), ["begin resume 2 None"]);
}

#[test]
fn what_waits_for_the_end_of_the_turn_says_so() {
    let mut desk = Desk::working();
    desk.printed();
    assert_eq!(desk.keys("'/clear' enter").acts(), ["send clear"]);
    assert_eq!(desk.printed(), "• This is done when the running turn has ended; Esc ends it now.");
    assert_eq!(desk.keys("'/compact_the_errors' enter").acts(), ["send compact the errors"]);
    assert_eq!(desk.printed(), "• This is done when the running turn has ended; Esc ends it now.");
    desk.event(ended());
    assert_eq!((desk.keys("'/clear' enter").acts(), desk.printed().as_str()), (vec!["send clear".into()], ""));
}

#[test]
fn a_command_of_ones_own_can_be_stopped_too() {
    let own = || {
        let (call, tool, line) = (CallId("call-1".into()), "!".into(), "sleep 1000".into());
        Event::ToolStarted { agent: None, call, tool, line, cage: None }
    };
    for key in ["esc", "ctrl+c"] {
        let mut desk = Desk::new();
        assert!(!desk.app.is_moving());
        desk.event(own());
        assert!(desk.app.is_moving(), "its spinner turns");
        assert_eq!(desk.keys(key).acts(), ["send take-back", "send interrupt"], "{key}");
    }
    let mut desk = Desk::new();
    desk.event(own());
    assert_eq!(desk.keys("'/quit' enter").acts(), [""; 0]);
    assert!(desk.screen(80, 24).contains("A command of yours is running."));
    assert_eq!(desk.keys("up enter").acts(), ["leave"]);
}
