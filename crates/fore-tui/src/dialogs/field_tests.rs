//! The text field: keys and pastes in, text and rows out.

use super::*;
use crate::dialogs::test_support::{THEME, any_keys, assert_inside, key, space, text_of};
use proptest::prelude::*;

fn typed(rows: FieldRows, keys: &str) -> TextField {
    let mut field = TextField::new(rows, "");
    for name in keys.split_whitespace() {
        assert_eq!(field.key(key(name)), FieldStep::Stay, "{name}");
    }
    field
}

#[test]
fn enter_finishes_and_three_keys_begin_a_new_line() {
    for new_line in ["ctrl+j", "alt+enter", "shift+enter"] {
        let mut field = typed(FieldRows::Several, &format!("a {new_line} b"));
        assert_eq!(field.key(key("enter")), FieldStep::Done("a\nb".into()));
        let mut field = typed(FieldRows::One, &format!("a {new_line} b"));
        assert_eq!(field.key(key("enter")), FieldStep::Done("ab".into()));
    }
    assert_eq!(typed(FieldRows::One, "a").key(key("esc")), FieldStep::Leave);
}

#[test]
fn pasted_text_finishes_nothing_and_brings_no_control_characters() {
    let mut field = TextField::new(FieldRows::Several, "so: ");
    field.paste("one\r\ntwo\tthree\u{1b}[31m\u{7}");
    assert_eq!(field.text(), "so: one\ntwo    three[31m");
    let mut field = TextField::new(FieldRows::One, "");
    field.paste("one\ntwo");
    assert_eq!(field.text(), "one two");
}

#[test]
fn a_field_holds_what_it_says_and_no_more() {
    let mut field = TextField::new(FieldRows::Several, &"x".repeat(MAX_CHARS + 5));
    assert_eq!(field.text().len(), MAX_CHARS);
    field.key(key("y"));
    assert_eq!(field.text().len(), MAX_CHARS);
}

#[test]
fn words_move_on_as_a_whole_and_the_cursor_with_them() {
    let field = TextField::new(FieldRows::Several, "keep the old\nsession table, please");
    insta::assert_snapshot!(text_of(&field.view(16, 9, &THEME)), @r"
    keep the old
    session table,
    please▁
    ");
    insta::assert_snapshot!(text_of(&field.view(16, 2, &THEME)), @r"
    session table,
    please▁
    ");
    let empty = TextField::new(FieldRows::One, "").with_hint("what should be different?");
    insta::assert_snapshot!(text_of(&empty.view(16, 2, &THEME)), @"▁what should be…");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_key_makes_a_field_panic_or_draw_beyond_its_space(keys in any_keys(), width in 1u16..50, rows in 1u16..6) {
        for kind in [FieldRows::One, FieldRows::Several] {
            let mut field = TextField::new(kind, "漢字 words and\u{202e} more\twords");
            for key in &keys {
                field.key(*key);
                assert_inside(&field.view(width, rows, &THEME), space(width, rows));
            }
        }
    }
}
