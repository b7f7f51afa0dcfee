//! Earlier prompts: walked at the edges, searched, never in the way of what is being written.

use super::*;

#[test]
fn up_and_down_walk_earlier_prompts_and_keep_the_draft() {
    let mut test = TestComposer::with_history(&["first", "second"]);
    test.keys("draft");
    let seen: Vec<String> = ["<up>", "<up>", "<up>", "<down>", "<down>", "<down>"]
        .iter()
        .map(|key| {
            test.keys(key);
            test.text()
        })
        .collect();
    assert_eq!(seen, ["second", "first", "first", "second", "draft", "draft"]);
}

#[test]
fn arrows_move_inside_several_lines_before_they_leave_them() {
    let mut test = TestComposer::with_history(&["old one\nold two"]);
    test.keys("a<ctrl+j>b");
    test.keys("<up>");
    assert_eq!(test.text(), "a\nb");
    test.keys("<up>");
    assert_eq!(test.text(), "old one\nold two");
    test.keys("<up>!");
    assert_eq!(test.text(), "old one!\nold two");
    test.keys("<down><down>");
    assert_eq!(test.text(), "a\nb");
}

#[test]
fn arrows_move_inside_a_line_that_is_wrapped() {
    let mut test = TestComposer::with_history(&["old"]);
    test.screen(20, 24);
    test.keys("a line that is wrapped for sure<up>X");
    assert_eq!(test.text(), "a line that isX wrapped for sure");
    test.keys("<up>");
    assert_eq!(test.text(), "old");
}

#[test]
fn other_keys_walk_at_once() {
    let mut test = TestComposer::with_history(&["old"]);
    test.keys("a<ctrl+j>b<ctrl+p>");
    assert_eq!(test.text(), "old");
    test.keys("<ctrl+n>");
    assert_eq!(test.text(), "a\nb");
}

#[test]
fn a_changed_prompt_is_kept_while_walking_and_the_history_is_not_changed() {
    let mut test = TestComposer::with_history(&["first", "second"]);
    test.keys("<up>!<up><down>");
    assert_eq!(test.text(), "second!");
    assert_eq!(test.keys("<enter>"), prompt("second!"));
    test.keys("<up><up>");
    assert_eq!(test.text(), "second");
}

#[test]
fn what_was_sent_is_remembered_once_with_its_long_pastes() {
    let mut test = TestComposer::with_history(&["one", "two", "one", " "]);
    let long = "word\n".repeat(40);
    test.composer.paste(&long);
    test.keys("<enter>two<enter>");
    let seen: Vec<String> = (0..4)
        .map(|_| {
            test.keys("<ctrl+p>");
            test.text()
        })
        .collect();
    assert_eq!(seen, ["two", &long, "one", "one"]);
}

#[test]
fn an_unsent_long_paste_survives_the_walk() {
    let mut test = TestComposer::with_history(&["old"]);
    let long = "word\n".repeat(40);
    test.composer.paste(&long);
    test.keys("<up>");
    assert_eq!(test.text(), "old");
    test.keys("<down>");
    assert_eq!(test.text(), long);
}

#[test]
fn emptying_keeps_what_was_written_for_later() {
    let mut test = TestComposer::new();
    test.keys("half a thought");
    test.composer.clear();
    assert!(test.composer.is_empty());
    test.keys("<up>");
    assert_eq!(test.text(), "half a thought");
}

#[test]
fn a_command_from_the_history_opens_no_popup_that_would_catch_the_keys() {
    let mut test = TestComposer::with_history(&["first", "/pl"]);
    test.keys("<up><up>");
    assert_eq!(test.text(), "first");
}

#[test]
fn searching_finds_the_newest_fitting_prompt_and_goes_back_from_there() {
    let mut test = TestComposer::with_history(&["fix Login", "write tests", "fix logout", "fix the parser"]);
    test.keys("draft<ctrl+r>log");
    assert_eq!(test.text(), "fix logout");
    insta::assert_snapshot!(test.screen(40, 12), @"
    ────────────────────────────────────────
    ❯ fix logout
    ────────────────────────────────────────
      earlier prompt with: log‸
    ");
    test.keys("<ctrl+r>");
    assert_eq!(test.text(), "fix Login");
    test.keys("<ctrl+r>");
    insta::assert_snapshot!(test.screen(40, 12), @"
    ────────────────────────────────────────
    ❯ fix Login
    ────────────────────────────────────────
      no earlier prompt has: log‸
    ");
    test.keys("<ctrl+n>");
    assert_eq!(test.text(), "fix logout");
}

#[test]
fn a_search_is_taken_given_up_or_gone_on_from() {
    let page = [
        ("<ctrl+r>log<enter>", "fix logout"),
        ("<ctrl+r>log<tab>!", "fix logout!"),
        ("<ctrl+r>log<left>!", "fix logou!t"),
        ("<ctrl+r>log<esc>", "draft"),
        ("<ctrl+r>log<ctrl+c>", "draft"),
        ("<ctrl+r>lox<backspace>g", "fix logout"),
        ("<ctrl+r>l<backspace>", "draft"),
        ("<ctrl+r>zzz<enter>", "draft"),
    ];
    for (keys, expected) in page {
        let mut test = TestComposer::with_history(&["fix Login", "fix logout"]);
        test.keys("draft");
        assert_eq!(test.keys(keys), ComposerStep::Changed, "{keys}");
        assert_eq!(test.text(), expected, "{keys}");
    }
}

#[test]
fn the_mode_can_be_switched_while_searching() {
    let mut test = TestComposer::with_history(&["fix Login"]);
    assert_eq!(test.keys("<ctrl+r>log<shift+tab>"), ComposerStep::Act(KeyAction::CycleMode));
    assert_eq!(test.keys("<ctrl+r>"), ComposerStep::Changed);
}

#[test]
fn the_history_is_bounded() {
    let history = (0..5_000).map(|number| format!("prompt {number}")).collect();
    let recall = recall::Recall::new(history);
    assert_eq!((recall.len(), recall.entry(0)), (1_000, Some("prompt 4000")));
    let large = (0..20).map(|number| format!("{number}{}", "x".repeat(1_000_000))).collect();
    assert_eq!(recall::Recall::new(large).len(), 8);
}
