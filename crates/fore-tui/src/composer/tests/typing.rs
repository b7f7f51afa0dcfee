//! Writing, moving, cutting, sending.

use super::*;

#[test]
fn keys_write_move_and_cut_as_in_a_shell() {
    let page = [
        ("hello", "hello"),
        ("helo<left>l", "hello"),
        ("one two<ctrl+w>three", "one three"),
        ("one two<alt+backspace>", "one "),
        ("one two<ctrl+backspace>", "one "),
        ("one two<ctrl+a>zero <ctrl+e>!", "zero one two!"),
        ("one two<home><delete>O", "One two"),
        ("one two<ctrl+u>", ""),
        ("one two<alt+b><ctrl+k>", "one "),
        ("one two<ctrl+w><ctrl+a><ctrl+y> ", "two one "),
        ("one two<ctrl+left><ctrl+left>a <ctrl+right>b ", "a one b two"),
        ("ab<ctrl+b><ctrl+h>", "b"),
        ("ab<ctrl+a><ctrl+f>-", "a-b"),
        ("ab<ctrl+a><ctrl+d>", "b"),
        ("one two<shift+left><shift+left><shift+left>2", "one 2"),
        ("one<ctrl+_>", ""),
        ("one<ctrl+_><alt+_>", "one"),
        ("AltGr<ctrl+alt+@>", "AltGr@"),
        ("one<ctrl+j>two<alt+enter>three<shift+enter>four", "one\ntwo\nthree\nfour"),
        ("one<ctrl+j>two<up><end>!", "one!\ntwo"),
        ("one\\<enter>two", "one\ntwo"),
        ("a\\b<left><enter>", "a\nb"),
        ("e\u{301}x<left><backspace>", "x"),
        ("👩\u{200d}👩\u{200d}👧x<left><backspace>", "x"),
        ("👩\u{200d}👩\u{200d}👧x<left><left>y", "y👩\u{200d}👩\u{200d}👧x"),
    ];
    for (keys, expected) in page {
        let mut desk = Desk::new();
        desk.keys(keys);
        assert_eq!(desk.text(), expected, "{keys}");
    }
}

#[test]
fn enter_sends_and_empties_and_never_sends_nothing() {
    let mut desk = Desk::new();
    assert_eq!(desk.keys("<enter>"), Typed::Nothing);
    assert_eq!(desk.keys(" <ctrl+j> <enter>"), Typed::Nothing);
    desk.composer.clear();
    assert_eq!(desk.keys("Why is login slow?<enter>"), prompt("Why is login slow?"));
    assert_eq!((desk.text(), desk.composer.is_empty()), (String::new(), true));
    assert_eq!(desk.keys("<enter>"), Typed::Nothing);
}

#[test]
fn what_is_sent_now_goes_into_the_work_that_runs() {
    let mut desk = Desk::new();
    let steer = Submission::Prompt { text: "use the old name".into(), when: When::Steer };
    assert_eq!(desk.keys("use the old name<ctrl+s>"), Typed::Submit(steer));
}

#[test]
fn slash_and_bang_are_commands_only_at_the_very_beginning() {
    let slash = |name: &str, words: &str| Typed::Submit(Submission::Slash { name: name.into(), words: words.into() });
    let page = [
        ("/plan make login fast<enter>", slash("plan", "make login fast")),
        ("/plan open<enter>", slash("plan", "open")),
        ("/usr/bin is odd<enter>", prompt("/usr/bin is odd")),
        (" /plan is a command<enter>", prompt("/plan is a command")),
        ("\\/plan is a command<enter>", prompt("/plan is a command")),
        ("!cargo test<enter>", Typed::Submit(Submission::Own { line: "cargo test".into() })),
        ("so!<enter>", prompt("so!")),
    ];
    for (keys, expected) in page {
        assert_eq!(Desk::new().keys(keys), expected, "{keys}");
    }
}

#[test]
fn keys_with_a_meaning_of_their_own_go_to_the_program() {
    let page = [
        ("<esc>", Typed::Act(Action::Interrupt)),
        ("<ctrl+c>", Typed::Act(Action::Leave)),
        ("<ctrl+d>", Typed::Act(Action::EndOfInput)),
        ("<shift+tab>", Typed::Act(Action::CycleMode)),
        ("<alt+m>", Typed::Act(Action::CycleMode)),
        ("<tab>", Typed::Act(Action::FocusDialog)),
        ("<ctrl+g>", Typed::Act(Action::OpenEditor)),
        ("<ctrl+o>", Typed::Act(Action::ToggleDetails)),
        ("<ctrl+l>", Typed::Act(Action::Redraw)),
        ("<ctrl+z>", Typed::Act(Action::Suspend)),
        ("<ctrl+q>", Typed::Nothing),
        ("<ctrl+_>", Typed::Nothing),
    ];
    for (keys, expected) in page {
        assert_eq!(Desk::new().keys(keys), expected, "{keys}");
    }
}

#[test]
fn end_of_input_counts_only_when_nothing_is_written() {
    let mut desk = Desk::new();
    assert_eq!(desk.keys("ab<home><ctrl+d>"), Typed::Changed);
    assert_eq!(desk.keys("<ctrl+d>"), Typed::Changed);
    assert_eq!(desk.keys("<ctrl+d>"), Typed::Act(Action::EndOfInput));
}

#[test]
fn a_key_that_is_let_go_writes_nothing() {
    let mut desk = Desk::new();
    let release = KeyEvent::new_with_kind(KeyCode::Char('a'), KeyModifiers::NONE, KeyEventKind::Release);
    assert_eq!(desk.composer.key(release, &desk.keymap), Typed::Nothing);
    assert_eq!(desk.text(), "");
}

#[test]
fn control_characters_are_never_typed() {
    let mut desk = Desk::new();
    for letter in ['\u{1b}', '\u{1}', '\u{9b}', '\u{7f}'] {
        desk.composer.key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE), &desk.keymap);
    }
    assert_eq!(desk.text(), "");
}

#[test]
fn a_text_from_the_editor_replaces_what_was_there_and_is_not_sent() {
    let mut desk = Desk::new();
    desk.keys("draft");
    assert_eq!(desk.composer.set("one\r\ntwo"), Typed::Changed);
    assert_eq!(desk.keys("!<enter>"), prompt("one\ntwo!"));
}
