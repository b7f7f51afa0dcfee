//! The status line: always the mode that holds, never wider than the screen.

use super::*;
use unicode_width::UnicodeWidthStr;

fn keys() -> StatusKeys {
    StatusKeys { cycle: Some("shift+tab".into()), stop: None }
}

#[test]
fn l1_the_mode_shown_is_the_one_that_the_session_told_last() {
    let mut test = TestApp::empty();
    assert!(test.status().starts_with("starting"));
    test.event(started(Mode::Plan));
    assert!(test.status().contains("plan mode on"));
    assert_eq!(test.keys("shift+backtab '/mode_auto' enter").acts().last().map(String::as_str), Some("send mode auto"));
    assert!(test.status().contains("plan mode on"), "a wish is no change");
    test.event(mode_changed(Mode::Plan, Mode::At(Level::Auto)));
    assert!(test.status().contains("auto mode on"));
    test.event(Event::Decided(ApprovalOutcome::Left { level: Level::Default }));
    assert!(test.status().contains("auto mode on"), "only a change of mode changes it");
}

#[test]
fn l1_the_mode_is_in_the_status_line_at_every_width() {
    let long = "a hint that is far too long for any of these lines to hold all of its many words \u{1b}[2J";
    for mode in Mode::ALL {
        for width in 20..=200 {
            for hint in [None, Some("ctrl+c again to leave"), Some(long)] {
                let mut test = TestApp::empty();
                test.event(started(mode));
                let (tokens, window) = (90, Some(100));
                test.app.facts.context = ContextUse { tokens, window, estimated: false };
                for theme in [THEME, Theme { signs: crate::theme::Signs::Ascii, ..THEME }] {
                    let line = status_line(&test.app.facts, &keys(), hint, width, &theme).to_string();
                    assert!(line.width() <= usize::from(width), "{width}: {line}");
                    let words = crate::theme::mode_words(mode);
                    assert!(line.contains(words) || line.contains(mode.name()), "{width}: {line}");
                    assert!(!line.contains('\u{1b}'), "{line:?}");
                    if hint.is_none() && width >= 110 {
                        assert!(line.contains("context 90 %") && line.contains("claude-opus-5"), "{line}");
                    }
                }
            }
        }
    }
    for width in 0..20 {
        let line = status_line(&SessionFacts::default(), &keys(), Some("x"), width, &THEME).to_string();
        assert!(line.width() <= usize::from(width), "{width}: {line}");
    }
}

#[test]
fn l1_the_key_for_the_next_mode_is_not_named_where_it_means_something_else() {
    let mut test = TestApp::working();
    assert!(test.status().contains("(shift+tab to cycle)"), "{}", test.status());
    test.event(approval("p1", "# Plan\n"));
    assert!(!test.status().contains("to cycle"), "{}", test.status());
    assert!(test.keys("ctrl+t").status().contains("(shift+tab to cycle)"));
}

#[test]
fn a_model_with_a_hostile_name_steers_nothing() {
    let mut test = TestApp::new();
    let model = fore_model::ModelName::new("x", "evil\u{1b}]0;t\u{7}\u{202e}\n⏸ plan mode on");
    test.event(Event::ModelChanged { model, duty: None });
    let screen = test.screen(120, 24);
    assert_eq!(screen.lines().count(), 4, "{screen}");
    assert!(!screen.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{screen:?}");
}

#[test]
fn less_than_one_percent_is_not_nothing_and_not_one() {
    let shown = |tokens, window| share(&ContextUse { tokens, window, estimated: false }).map(|share| share.to_string());
    let page = [
        (0, Some(1_000_000), None),
        (120, Some(1_000_000), Some("<1 %")),
        (9_999, Some(1_000_000), Some("<1 %")),
        (10_000, Some(1_000_000), Some("1 %")),
        (124_000, Some(200_000), Some("62 %")),
        (u64::MAX, Some(1), Some("999 %")),
        (120, None, None),
        (120, Some(0), None),
    ];
    for (tokens, window, expected) in page {
        assert_eq!(shown(tokens, window).as_deref(), expected, "{tokens} of {window:?}");
    }
    let mut test = TestApp::empty();
    let Event::Started(resumed) = started(Mode::Plan) else { return };
    let context = ContextUse { tokens: 120, window: Some(1_000_000), estimated: true };
    test.event(Event::Started(SessionStarted { context, ..resumed }));
    assert!(test.status().contains("context <1 %"), "known before the first answer: {}", test.status());
}
