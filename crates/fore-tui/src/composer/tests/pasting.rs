//! Pasted text: put in, never sent, whole in the end.

use super::*;

fn lines(count: usize) -> String {
    (1..=count).map(|number| format!("line {number}\n")).collect()
}

#[test]
fn pasted_text_is_put_in_and_never_sent() {
    let mut desk = Desk::new();
    desk.keys("look: ");
    assert_eq!(desk.composer.paste("a\r\nb\rc\n"), Typed::Changed);
    assert_eq!(desk.text(), "look: a\nb\nc\n");
    assert_eq!(desk.keys("<enter>"), prompt("look: a\nb\nc"));
}

#[test]
fn what_a_terminal_would_obey_is_shown_instead() {
    let mut desk = Desk::new();
    desk.composer.paste("\u{1b}[31mred\u{1b}]52;c;eA==\u{7}\u{1}");
    assert_eq!(desk.text(), r"\u{1b}[31mred\u{1b}]52;c;eA==\u{7}\u{1}");
}

#[test]
fn a_long_paste_shows_as_one_word_and_is_sent_whole() {
    let mut desk = Desk::new();
    desk.keys("see ");
    desk.composer.paste(&lines(120));
    desk.keys(" please");
    insta::assert_snapshot!(desk.screen(60, 24), @"
    ────────────────────────────────────────────────────────────
    ❯ see [pasted 120 lines] please‸
    ────────────────────────────────────────────────────────────
    ");
    assert_eq!(desk.keys("<enter>"), prompt(&format!("see {} please", lines(120))));
}

#[test]
fn many_letters_in_one_line_are_long_too() {
    let mut desk = Desk::new();
    desk.composer.paste(&"x".repeat(1_000));
    assert_eq!(desk.screen(400, 24).matches('x').count(), 1_000);
    desk.composer.paste(&"y".repeat(1_001));
    assert!(desk.screen(400, 24).contains("[pasted 1001 letters]"));
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
        let mut desk = Desk::new();
        let long = lines(50);
        desk.composer.paste(&long);
        desk.keys(keys);
        assert_eq!(desk.text().replace(&long, "PASTE"), expected, "{keys}");
    }
}

#[test]
fn two_long_pastes_stay_apart() {
    let mut desk = Desk::new();
    let (one, two) = (lines(30), lines(30).to_uppercase());
    desk.composer.paste(&one);
    desk.keys(" ");
    desk.composer.paste(&two);
    insta::assert_snapshot!(desk.screen(60, 24), @"
    ────────────────────────────────────────────────────────────
    ❯ [pasted 30 lines] [pasted 30 lines, #2]‸
    ────────────────────────────────────────────────────────────
    ");
    assert_eq!(desk.text(), format!("{one} {two}"));
}

#[test]
fn words_that_only_look_like_a_paste_stay_words() {
    let mut desk = Desk::new();
    let long = lines(30);
    desk.composer.paste(&long);
    desk.keys(" [pasted 30 lines]");
    assert_eq!(desk.text(), format!("{long} [pasted 30 lines]"));
}

#[test]
fn a_long_paste_never_becomes_a_command() {
    let mut desk = Desk::new();
    let long = format!("!rm -rf build\n{}", lines(30));
    desk.composer.paste(&long);
    assert_eq!(desk.keys("<enter>"), prompt(long.trim_end()));
}

#[test]
fn a_paste_cut_from_a_sent_prompt_does_not_come_back_empty() {
    let mut desk = Desk::new();
    desk.composer.paste(&lines(30));
    desk.keys("<ctrl+u>hello<enter>");
    assert_eq!((desk.keys("<ctrl+y>"), desk.text()), (Typed::Changed, String::new()));
}

#[test]
fn a_text_that_is_far_too_long_is_refused_in_words_and_nothing_is_lost() {
    let mut desk = Desk::new();
    desk.keys("kept");
    let Typed::Refused(words) = desk.composer.paste(&"x".repeat(2_000_000)) else { panic!("taken") };
    insta::assert_snapshot!(words, @"Not taken: a prompt has at most 1024 kB. Name the file with @ instead.");
    let half = "y".repeat(600_000);
    assert_eq!(desk.composer.paste(&half), Typed::Changed);
    assert!(matches!(desk.composer.paste(&"z".repeat(600_000)), Typed::Refused(_)));
    desk.keys("<backspace><ctrl+_>");
    assert_eq!(desk.text(), format!("kept{half}"));
    assert!(matches!(desk.composer.set(&"x".repeat(2_000_000)), Typed::Refused(_)));
    assert_eq!(desk.text().len(), 600_004);
}

#[test]
fn cutting_and_putting_back_cannot_go_round_the_bound() {
    let mut desk = Desk::new();
    desk.composer.paste(&"y".repeat(600_000));
    desk.keys("<ctrl+u><ctrl+y>");
    assert!(matches!(desk.keys("<ctrl+y>"), Typed::Refused(_)));
    assert_eq!(desk.text().len(), 600_000);
}

#[test]
fn many_short_pastes_become_chips_when_the_text_is_full() {
    let mut desk = Desk::new();
    let short = "z".repeat(900);
    for _ in 0..30 {
        assert_eq!(desk.composer.paste(&short), Typed::Changed);
    }
    assert_eq!(desk.text(), short.repeat(30));
    assert!(desk.composer.draft.shown().len() < 22_000);
}

#[test]
fn a_text_from_the_editor_that_is_too_long_to_show_is_whole_all_the_same() {
    let mut desk = Desk::new();
    let text = lines(10_000);
    assert_eq!(desk.composer.set(&text), Typed::Changed);
    insta::assert_snapshot!(desk.screen(40, 12), @"
    ────────────────────────────────────────
    ❯ [text of 10000 lines]‸
    ────────────────────────────────────────
    ");
    assert_eq!(desk.text(), text);
}
