//! Pasted text: put in, never sent, whole in the end.

use super::*;

fn lines(count: usize) -> String {
    (1..=count).map(|number| format!("line {number}\n")).collect()
}

#[test]
fn pasted_text_is_put_in_and_never_sent() {
    let mut test = TestComposer::new();
    test.keys("look: ");
    assert_eq!(test.composer.paste("a\r\nb\rc\n"), ComposerStep::Changed);
    assert_eq!(test.text(), "look: a\nb\nc\n");
    assert_eq!(test.keys("<enter>"), prompt("look: a\nb\nc"));
}

#[test]
fn what_a_terminal_would_obey_is_shown_instead() {
    let mut test = TestComposer::new();
    test.composer.paste("\u{1b}[31mred\u{1b}]52;c;eA==\u{7}\u{1}");
    assert_eq!(test.text(), r"\u{1b}[31mred\u{1b}]52;c;eA==\u{7}\u{1}");
}

#[test]
fn a_long_paste_shows_as_one_word_and_is_sent_whole() {
    let mut test = TestComposer::new();
    test.keys("see ");
    test.composer.paste(&lines(120));
    test.keys(" please");
    insta::assert_snapshot!(test.screen(60, 24), @"
    ────────────────────────────────────────────────────────────
    ❯ see [pasted 120 lines] please‸
    ────────────────────────────────────────────────────────────
    ");
    assert_eq!(test.keys("<enter>"), prompt(&format!("see {} please", lines(120))));
}

#[test]
fn many_letters_in_one_line_are_long_too() {
    let mut test = TestComposer::new();
    test.composer.paste(&"x".repeat(1_000));
    assert_eq!(test.screen(400, 24).matches('x').count(), 1_000);
    test.composer.paste(&"y".repeat(1_001));
    assert!(test.screen(400, 24).contains("[pasted 1001 letters]"));
}

#[test]
fn the_word_for_a_long_paste_is_one_piece() {
    let page = [
        ("<backspace>", ""),
        ("<left><delete>", ""),
        ("<left>x", "xPASTE"),
        ("<home><right>x", "PASTEx"),
        ("ab<left><left><ctrl+w>", "ab"),
        ("<ctrl+w><ctrl+_>", "PASTE"),
        ("<ctrl+u><ctrl+y><ctrl+y>", "PASTEPASTE"),
        (" b<home>a <end><ctrl+k>", "a PASTE b"),
    ];
    for (keys, expected) in page {
        let mut test = TestComposer::new();
        let long = lines(50);
        test.composer.paste(&long);
        test.keys(keys);
        assert_eq!(test.text().replace(&long, "PASTE"), expected, "{keys}");
    }
}

#[test]
fn two_long_pastes_stay_apart() {
    let mut test = TestComposer::new();
    let (one, two) = (lines(30), lines(30).to_uppercase());
    test.composer.paste(&one);
    test.keys(" ");
    test.composer.paste(&two);
    insta::assert_snapshot!(test.screen(60, 24), @"
    ────────────────────────────────────────────────────────────
    ❯ [pasted 30 lines] [pasted 30 lines, #2]‸
    ────────────────────────────────────────────────────────────
    ");
    assert_eq!(test.text(), format!("{one} {two}"));
}

#[test]
fn words_that_only_look_like_a_paste_stay_words() {
    let mut test = TestComposer::new();
    let long = lines(30);
    test.composer.paste(&long);
    test.keys(" [pasted 30 lines]");
    assert_eq!(test.text(), format!("{long} [pasted 30 lines]"));
}

#[test]
fn a_long_paste_never_becomes_a_command() {
    let mut test = TestComposer::new();
    let long = format!("!rm -rf build\n{}", lines(30));
    test.composer.paste(&long);
    assert_eq!(test.keys("<enter>"), prompt(long.trim_end()));
}

#[test]
fn a_paste_cut_from_a_sent_prompt_does_not_come_back_empty() {
    let mut test = TestComposer::new();
    test.composer.paste(&lines(30));
    test.keys("<ctrl+u>hello<enter>");
    assert_eq!((test.keys("<ctrl+y>"), test.text()), (ComposerStep::Changed, String::new()));
}

#[test]
fn a_text_that_is_far_too_long_is_refused_in_words_and_nothing_is_lost() {
    let mut test = TestComposer::new();
    test.keys("kept");
    let ComposerStep::Refused(words) = test.composer.paste(&"x".repeat(2_000_000)) else { panic!("taken") };
    insta::assert_snapshot!(words, @"Not taken: a prompt has at most 1024 kB. Name the file with @ instead.");
    let half = "y".repeat(600_000);
    assert_eq!(test.composer.paste(&half), ComposerStep::Changed);
    assert!(matches!(test.composer.paste(&"z".repeat(600_000)), ComposerStep::Refused(_)));
    test.keys("<backspace><ctrl+_>");
    assert_eq!(test.text(), format!("kept{half}"));
    assert!(matches!(test.composer.set(&"x".repeat(2_000_000)), ComposerStep::Refused(_)));
    assert_eq!(test.text().len(), 600_004);
}

#[test]
fn cutting_and_putting_back_cannot_go_round_the_bound() {
    let mut test = TestComposer::new();
    test.composer.paste(&"y".repeat(600_000));
    test.keys("<ctrl+u><ctrl+y>");
    assert!(matches!(test.keys("<ctrl+y>"), ComposerStep::Refused(_)));
    assert_eq!(test.text().len(), 600_000);
}

#[test]
fn many_short_pastes_become_chips_when_the_text_is_full() {
    let mut test = TestComposer::new();
    let short = "z".repeat(900);
    for _ in 0..30 {
        assert_eq!(test.composer.paste(&short), ComposerStep::Changed);
    }
    assert_eq!(test.text(), short.repeat(30));
    assert!(test.composer.draft.shown().len() < 22_000);
}

#[test]
fn a_text_from_the_editor_that_is_too_long_to_show_is_whole_all_the_same() {
    let mut test = TestComposer::new();
    let text = lines(10_000);
    assert_eq!(test.composer.set(&text), ComposerStep::Changed);
    insta::assert_snapshot!(test.screen(40, 12), @"
    ────────────────────────────────────────
    ❯ [text of 10000 lines]‸
    ────────────────────────────────────────
    ");
    assert_eq!(test.text(), text);
}
