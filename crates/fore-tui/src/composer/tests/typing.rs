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
        let mut test = TestComposer::new();
        test.keys(keys);
        assert_eq!(test.text(), expected, "{keys}");
    }
}

#[test]
fn enter_sends_and_empties_and_never_sends_nothing() {
    let mut test = TestComposer::new();
    assert_eq!(test.keys("<enter>"), ComposerStep::Nothing);
    assert_eq!(test.keys(" <ctrl+j> <enter>"), ComposerStep::Nothing);
    test.composer.clear();
    assert_eq!(test.keys("Why is login slow?<enter>"), prompt("Why is login slow?"));
    assert_eq!((test.text(), test.composer.is_empty()), (String::new(), true));
    assert_eq!(test.keys("<enter>"), ComposerStep::Nothing);
}

#[test]
fn what_is_sent_now_goes_into_the_work_that_runs() {
    let mut test = TestComposer::new();
    let steer = Submission::Prompt { text: "use the old name".into(), when: PromptTiming::Steer };
    assert_eq!(test.keys("use the old name<ctrl+s>"), ComposerStep::Submit(steer));
}

#[test]
fn slash_and_bang_are_commands_only_at_the_very_beginning() {
    let slash =
        |name: &str, words: &str| ComposerStep::Submit(Submission::Slash { name: name.into(), words: words.into() });
    let page = [
        ("/plan make login fast<enter>", slash("plan", "make login fast")),
        ("/plan open<enter>", slash("plan", "open")),
        ("/usr/bin is odd<enter>", prompt("/usr/bin is odd")),
        (" /plan is a command<enter>", prompt("/plan is a command")),
        ("\\/plan is a command<enter>", prompt("/plan is a command")),
        ("!cargo test<enter>", ComposerStep::Submit(Submission::Own { line: "cargo test".into() })),
        ("so!<enter>", prompt("so!")),
    ];
    for (keys, expected) in page {
        assert_eq!(TestComposer::new().keys(keys), expected, "{keys}");
    }
}

#[test]
fn keys_with_a_meaning_of_their_own_go_to_the_program() {
    let page = [
        ("<esc>", ComposerStep::Act(KeyAction::Interrupt)),
        ("<ctrl+c>", ComposerStep::Act(KeyAction::Leave)),
        ("<ctrl+d>", ComposerStep::Act(KeyAction::EndOfInput)),
        ("<shift+tab>", ComposerStep::Act(KeyAction::CycleMode)),
        ("<alt+m>", ComposerStep::Act(KeyAction::CycleMode)),
        ("<tab>", ComposerStep::Act(KeyAction::FocusDialog)),
        ("<ctrl+g>", ComposerStep::Act(KeyAction::OpenEditor)),
        ("<ctrl+o>", ComposerStep::Act(KeyAction::ToggleDetails)),
        ("<ctrl+l>", ComposerStep::Act(KeyAction::Redraw)),
        ("<ctrl+z>", ComposerStep::Act(KeyAction::Suspend)),
        ("<ctrl+q>", ComposerStep::Nothing),
        ("<ctrl+_>", ComposerStep::Nothing),
    ];
    for (keys, expected) in page {
        assert_eq!(TestComposer::new().keys(keys), expected, "{keys}");
    }
}

#[test]
fn end_of_input_counts_only_when_nothing_is_written() {
    let mut test = TestComposer::new();
    assert_eq!(test.keys("ab<home><ctrl+d>"), ComposerStep::Changed);
    assert_eq!(test.keys("<ctrl+d>"), ComposerStep::Changed);
    assert_eq!(test.keys("<ctrl+d>"), ComposerStep::Act(KeyAction::EndOfInput));
}

#[test]
fn a_key_that_is_let_go_writes_nothing() {
    let mut test = TestComposer::new();
    let release = KeyEvent::new_with_kind(KeyCode::Char('a'), KeyModifiers::NONE, KeyEventKind::Release);
    assert_eq!(test.composer.key(release, &test.keymap), ComposerStep::Nothing);
    assert_eq!(test.text(), "");
}

#[test]
fn control_characters_are_never_typed() {
    let mut test = TestComposer::new();
    for letter in ['\u{1b}', '\u{1}', '\u{9b}', '\u{7f}'] {
        test.composer.key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE), &test.keymap);
    }
    assert_eq!(test.text(), "");
}

#[test]
fn a_text_from_the_editor_replaces_what_was_there_and_is_not_sent() {
    let mut test = TestComposer::new();
    test.keys("draft");
    assert_eq!(test.composer.set("one\r\ntwo"), ComposerStep::Changed);
    assert_eq!(test.keys("!<enter>"), prompt("one\ntwo!"));
}
