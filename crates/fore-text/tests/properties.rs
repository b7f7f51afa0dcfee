//! What holds for every text.

use fore_text::{Hidden, TextKind, TextPiece, hidden, json, marks, notice, output, pieces, shown, styled};
use proptest::prelude::*;
use unicode_width::UnicodeWidthChar as _;

const KINDS: [TextKind; 3] = [TextKind::Prose, TextKind::Exact, TextKind::Line];

/// Text in which strange characters are common.
fn nasty() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        3 => "[ -~]{0,8}",
        1 => any::<String>(),
        2 => prop::sample::select(vec![
            "\u{1b}[8m", "\u{1b}]0;t\u{7}", "\u{1b}", "\r", "\r\n", "\n", "\t", "\u{8}", "\u{7f}", "\u{9b}", "\u{202e}", "\u{2066}", "\u{200b}",
            "\u{200c}", "\u{200d}", "\u{fe0e}", "\u{fe0f}", "\u{feff}", "\u{e0041}", "\u{e0100}", "\u{ad}", "\u{3164}", "\u{2028}", "\u{2800}", "\u{a0}",
            "\u{e000}", "👩", "👧🏽", "⚠", "1", "\u{20e3}", "م", "ی", "\u{64b}", "क", "\u{94d}", "e", "\u{301}", "\u{489}", "漢", "é", "[", "m", "\\",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

/// Whether a character may be in what is shown without its neighbours being looked at.
fn may_show(letter: char, kind: TextKind) -> bool {
    match (letter, hidden(letter)) {
        ('\n' | '\t', _) => kind != TextKind::Line,
        ('\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}', _) => true,
        ('\u{a0}' | '\u{202f}' | '\u{3000}', _) => kind == TextKind::Prose,
        (_, hidden) => hidden.is_none(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn nothing_hidden_is_left_and_twice_is_once(text in nasty()) {
        for kind in KINDS {
            let once = shown(&text, kind).into_owned();
            prop_assert!(once.chars().all(|letter| may_show(letter, kind)), "{once:?}");
            prop_assert_eq!(shown(&once, kind), once.as_str());
            prop_assert_eq!(marks(&once, kind), 0);
        }
    }

    #[test]
    fn a_joiner_that_is_left_stands_between_others(text in nasty()) {
        let once = shown(&text, TextKind::Exact).into_owned();
        let letters: Vec<char> = once.chars().collect();
        for pair in letters.windows(2) {
            prop_assert!(!pair.iter().all(|letter| hidden(*letter).is_some() && !"\n\t\u{fe0f}\u{fe0e}".contains(*letter)), "{once:?}");
        }
        let is_joiner = |letter: Option<&char>| letter.is_some_and(|letter| matches!(letter, '\u{200c}' | '\u{200d}'));
        prop_assert!(!is_joiner(letters.first()) && !is_joiner(letters.last()), "{once:?}");
    }

    #[test]
    fn every_letter_that_shows_is_still_there_in_order(text in nasty()) {
        let seen = |text: &str| text.chars().filter(|letter| hidden(*letter).is_none() && letter.width() != Some(0)).collect::<String>();
        for kind in KINDS {
            let (mut plain, mut all) = (String::new(), String::new());
            for piece in pieces(&text, kind) {
                match piece {
                    TextPiece::Plain(text) => {
                        plain.push_str(text);
                        all.push_str(text);
                    }
                    TextPiece::Mark(mark) => all.push_str(&mark),
                }
            }
            prop_assert_eq!(seen(&plain), seen(&text));
            prop_assert_eq!(all, shown(&text, kind).into_owned());
        }
    }

    #[test]
    fn printable_ascii_is_unchanged(text in "[ -~\n\t]{0,80}", name in "[ -~]{0,80}") {
        prop_assert!(matches!(shown(&text, TextKind::Prose), std::borrow::Cow::Borrowed(same) if same == text));
        prop_assert!(matches!(shown(&text, TextKind::Exact), std::borrow::Cow::Borrowed(same) if same == text));
        prop_assert!(matches!(shown(&name, TextKind::Line), std::borrow::Cow::Borrowed(same) if same == name));
    }

    #[test]
    fn what_is_shown_is_never_narrower_than_its_letters(text in nasty()) {
        let columns = |text: &str| text.chars().filter(|letter| hidden(*letter).is_none()).filter_map(|letter| letter.width()).sum::<usize>();
        prop_assert!(columns(&shown(&text, TextKind::Line)) >= columns(&text));
    }

    #[test]
    fn only_our_own_colours_are_left_for_a_screen(text in nasty()) {
        let text = styled(&text).into_owned();
        for part in text.split('\u{1b}').skip(1) {
            let end = part.find('m').expect("the end of a colour");
            let style = &part[1..end];
            prop_assert!(part.starts_with('[') && ["", "0", "1", "2", "3", "4", "31", "32", "33", "34", "35", "36"].contains(&style), "{text:?}");
        }
        let rest = text.replace('\u{1b}', "");
        prop_assert!(rest.chars().all(|letter| may_show(letter, TextKind::Prose)), "{text:?}");
        prop_assert_eq!(styled(&text), text.as_str());
    }

    #[test]
    fn output_is_fit_for_eyes_too(text in nasty()) {
        let text = output(&text);
        prop_assert_eq!(shown(&text, TextKind::Prose), text.as_str());
        prop_assert!(text.chars().all(|letter| may_show(letter, TextKind::Prose)));
    }

    #[test]
    fn pieces_of_prose_are_shown_as_the_whole(text in nasty(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        prop_assume!(text.len() < 200);
        let mut ends: Vec<usize> = cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
        ends.sort_unstable();
        let (mut stream, mut out, mut start) = (fore_text::ProseStream::default(), String::new(), 0);
        for end in ends.into_iter().chain([text.len()]) {
            out.push_str(&stream.push(&text[start..end]));
            start = end;
        }
        out.push_str(&stream.finish());
        prop_assert_eq!(out, shown(&text, TextKind::Prose));
    }

    #[test]
    fn json_steers_nothing(text in nasty()) {
        let text = json(&text).into_owned();
        let is_left = |letter: char| letter != '\n' && hidden(letter).is_some() && !"\u{a0}\u{202f}\u{3000}".contains(letter);
        prop_assert!(!text.contains(is_left), "{text:?}");
    }
}

#[test]
fn every_character_of_unicode_shows_or_is_marked() {
    for letter in '\0'..=char::MAX {
        let text = letter.to_string();
        for kind in [TextKind::Prose, TextKind::Line] {
            let shown = shown(&text, kind);
            assert!(
                shown.chars().all(|letter| may_show(letter, kind) && !"\u{200c}\u{200d}\u{fe0f}".contains(letter)),
                "{letter:?}"
            );
        }
        assert!(!letter.is_control() || hidden(letter) == Some(Hidden::Control), "{letter:?}");
        assert!(!letter.is_whitespace() || letter == ' ' || hidden(letter).is_some(), "{letter:?}");
    }
}

/// Would take minutes if a character cost as much as the text before it.
#[test]
fn long_texts_take_no_longer_per_character() {
    for part in [
        "\u{1b}",
        "\u{1b}[",
        "\u{1b}]",
        "\u{1b}[1",
        "\r",
        "\u{200d}",
        "👩\u{200d}",
        "\u{301}",
        "\u{202e}x",
        "م\u{200c}",
    ] {
        let text = part.repeat(60_000);
        for kind in KINDS {
            assert!(shown(&text, kind).len() >= text.len() / 4);
            assert!(pieces(&text, kind).len() <= text.len());
        }
        assert!(styled(&text).len() >= text.len() / 4);
        output(&text);
        assert!(notice(marks(&text, TextKind::Line)).is_some());
    }
}
