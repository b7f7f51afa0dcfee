//! Earlier prompts: walked at the edges, searched, never in the way of what is being written.

use super::*;

#[test]
fn up_and_down_walk_earlier_prompts_and_keep_the_draft() {
    let mut desk = Desk::with_history(&["first", "second"]);
    desk.keys("draft");
    let seen: Vec<String> = ["<up>", "<up>", "<up>", "<down>", "<down>", "<down>"]
        .iter()
        .map(|key| {
            desk.keys(key);
            desk.text()
        })
        .collect();
    assert_eq!(seen, ["second", "first", "first", "second", "draft", "draft"]);
}

#[test]
fn arrows_move_inside_several_lines_before_they_leave_them() {
    let mut desk = Desk::with_history(&["old one\nold two"]);
    desk.keys("a<ctrl+j>b");
    desk.keys("<up>");
    assert_eq!(desk.text(), "a\nb");
    desk.keys("<up>");
    assert_eq!(desk.text(), "old one\nold two");
    desk.keys("<up>!");
    assert_eq!(desk.text(), "old one!\nold two");
    desk.keys("<down><down>");
    assert_eq!(desk.text(), "a\nb");
}

#[test]
fn arrows_move_inside_a_line_that_is_wrapped() {
    let mut desk = Desk::with_history(&["old"]);
    desk.screen(20, 24);
    desk.keys("a line that is wrapped for sure<up>X");
    assert_eq!(desk.text(), "a line that isX wrapped for sure");
    desk.keys("<up>");
    assert_eq!(desk.text(), "old");
}

#[test]
fn other_keys_walk_at_once() {
    let mut desk = Desk::with_history(&["old"]);
    desk.keys("a<ctrl+j>b<ctrl+p>");
    assert_eq!(desk.text(), "old");
    desk.keys("<ctrl+n>");
    assert_eq!(desk.text(), "a\nb");
}

#[test]
fn a_changed_prompt_is_kept_while_walking_and_the_history_is_not_changed() {
    let mut desk = Desk::with_history(&["first", "second"]);
    desk.keys("<up>!<up><down>");
    assert_eq!(desk.text(), "second!");
    assert_eq!(desk.keys("<enter>"), prompt("second!"));
    desk.keys("<up><up>");
    assert_eq!(desk.text(), "second");
}

#[test]
fn what_was_sent_is_remembered_once_with_its_long_pastes() {
    let mut desk = Desk::with_history(&["one", "two", "one", " "]);
    let long = "word\n".repeat(40);
    desk.composer.paste(&long);
    desk.keys("<enter>two<enter>");
    let seen: Vec<String> = (0..4)
        .map(|_| {
            desk.keys("<ctrl+p>");
            desk.text()
        })
        .collect();
    assert_eq!(seen, ["two", &long, "one", "one"]);
}

#[test]
fn an_unsent_long_paste_survives_the_walk() {
    let mut desk = Desk::with_history(&["old"]);
    let long = "word\n".repeat(40);
    desk.composer.paste(&long);
    desk.keys("<up>");
    assert_eq!(desk.text(), "old");
    desk.keys("<down>");
    assert_eq!(desk.text(), long);
}

#[test]
fn emptying_keeps_what_was_written_for_later() {
    let mut desk = Desk::new();
    desk.keys("half a thought");
    desk.composer.clear();
    assert!(desk.composer.is_empty());
    desk.keys("<up>");
    assert_eq!(desk.text(), "half a thought");
}

#[test]
fn a_command_from_the_history_opens_no_popup_that_would_catch_the_keys() {
    let mut desk = Desk::with_history(&["first", "/pl"]);
    desk.keys("<up><up>");
    assert_eq!(desk.text(), "first");
}

#[test]
fn searching_finds_the_newest_fitting_prompt_and_goes_back_from_there() {
    let mut desk = Desk::with_history(&["fix Login", "write tests", "fix logout", "fix the parser"]);
    desk.keys("draft<ctrl+r>log");
    assert_eq!(desk.text(), "fix logout");
    insta::assert_snapshot!(desk.screen(40, 12), @"
    ────────────────────────────────────────
    ❯ fix logout
    ────────────────────────────────────────
      earlier prompt with: log‸
    ");
    desk.keys("<ctrl+r>");
    assert_eq!(desk.text(), "fix Login");
    desk.keys("<ctrl+r>");
    insta::assert_snapshot!(desk.screen(40, 12), @"
    ────────────────────────────────────────
    ❯ fix Login
    ────────────────────────────────────────
      no earlier prompt has: log‸
    ");
    desk.keys("<ctrl+n>");
    assert_eq!(desk.text(), "fix logout");
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
        let mut desk = Desk::with_history(&["fix Login", "fix logout"]);
        desk.keys("draft");
        assert_eq!(desk.keys(keys), Typed::Changed, "{keys}");
        assert_eq!(desk.text(), expected, "{keys}");
    }
}

#[test]
fn the_mode_can_be_switched_while_searching() {
    let mut desk = Desk::with_history(&["fix Login"]);
    assert_eq!(desk.keys("<ctrl+r>log<shift+tab>"), Typed::Act(Action::CycleMode));
    assert_eq!(desk.keys("<ctrl+r>"), Typed::Changed);
}

#[test]
fn the_history_is_bounded() {
    let history = (0..5_000).map(|number| format!("prompt {number}")).collect();
    let recall = recall::Recall::new(history);
    assert_eq!((recall.len(), recall.entry(0)), (1_000, Some("prompt 4000")));
    let large = (0..20).map(|number| format!("{number}{}", "x".repeat(1_000_000))).collect();
    assert_eq!(recall::Recall::new(large).len(), 8);
}
