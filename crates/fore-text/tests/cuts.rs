//! Where texts are cut, and what holds for every cut.

use fore_text::cut::{self, TextEnds};
use proptest::prelude::*;

#[test]
fn what_fits_stays_as_it_is() {
    for text in ["", "a", "äöü", "日本語", "one\ntwo\n"] {
        let room = text.len();
        let all =
            [cut::chars(text, room), cut::bytes(text, room), cut::last_bytes(text, room), cut::columns(text, room)];
        assert_eq!(all, [text; 4]);
        assert_eq!([cut::whole_lines(text, room), cut::last_lines(text, room)], [text; 2]);
        assert_eq!([cut::ellipsis(text, room), cut::fit(text, room, "…"), cut::fit_end(text, room, "…")], [text; 3]);
        assert_eq!(cut::ends(text, room), None);
    }
}

#[test]
fn longer_text_loses_its_end() {
    assert_eq!(cut::chars("äöüß€", 3), "äöü");
    assert_eq!(cut::ellipsis("äöüß€", 3), "äöü…");
    assert_eq!(cut::ellipsis("abc", 0), "…");
    assert_eq!(cut::bytes("aä", 2), "a");
    assert_eq!(cut::bytes("a日", 0), "");
}

#[test]
fn or_its_start() {
    assert_eq!(cut::last_bytes("äa", 2), "a");
    assert_eq!(cut::last_bytes("abc", 0), "");
    assert_eq!(cut::fit_end("/home/日本", 3, ""), "本");
    assert_eq!(cut::fit_end("/home/ada/shop", 6, "…"), "…/shop");
}

#[test]
fn or_its_middle() {
    assert_eq!(cut::ends("123456", 4), Some(TextEnds { start: "12", left_out: 2, end: "56" }));
    assert_eq!(cut::ends("äöü", 2), Some(TextEnds { start: "", left_out: 6, end: "" }));
}

#[test]
fn lines_stay_whole_where_one_fits() {
    let text = "one\ntwo\nthree\n";
    for (room, first, last) in [(14, text, text), (13, "one\ntwo\n", "two\nthree\n"), (7, "one\n", "three\n")] {
        assert_eq!((cut::whole_lines(text, room), cut::last_lines(text, room)), (first, last), "{room}");
    }
    assert_eq!((cut::whole_lines("äöü", 3), cut::last_lines("äöü", 3)), ("ä", "ü"));
}

#[test]
fn words_stand_on_one_line() {
    assert_eq!(cut::one_line(" a\n\t b\u{3000}c "), "a b c");
}

#[test]
fn columns_count_what_a_terminal_shows() {
    assert_eq!(cut::columns("日本語", 5), "日本");
    assert_eq!(cut::columns("e\u{301}e\u{301}", 1), "e\u{301}");
    assert_eq!(cut::fit("a long title", 8, "…"), "a long…");
    assert_eq!(cut::fit("a long title", 8, "..."), "a lon...");
    assert_eq!(cut::fit("abc", 2, "..."), "");
}

proptest! {
    #[test]
    fn no_cut_is_longer_than_asked_or_invents_a_letter(text in "\\PC*|(.|\n){0,40}", max in 0..40usize) {
        prop_assert!(cut::chars(&text, max).chars().count() <= max);
        for (start, end) in [
            (cut::bytes(&text, max), cut::last_bytes(&text, max)),
            (cut::whole_lines(&text, max), cut::last_lines(&text, max)),
        ] {
            prop_assert!(start.len() <= max && end.len() <= max);
            prop_assert!(text.starts_with(start) && text.ends_with(end));
        }
        let (start, end) = (cut::columns(&text, max), cut::fit_end(&text, max, ""));
        prop_assert!(text.starts_with(start) && text.ends_with(&*end));
        if let Some(ends) = cut::ends(&text, max) {
            prop_assert!(ends.start.len() + ends.end.len() <= max);
            prop_assert_eq!(ends.start.len() + ends.left_out + ends.end.len(), text.len());
        }
    }

    #[test]
    fn what_was_cut_to_columns_fits_into_them(text in "[ -~äöü日本語👩🇩]{0,30}", max in 0..40usize) {
        for shown in [cut::fit(&text, max, "…"), cut::fit_end(&text, max, "..."), cut::columns(&text, max).into()] {
            prop_assert!(cut::width(&shown) <= max, "{:?}", shown);
        }
    }
}
