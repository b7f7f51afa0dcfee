//! Whatever is typed and pasted: nothing panics, nothing is wider or higher than asked, nothing steers the terminal.

use super::*;
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr as _;

#[derive(Clone, Debug)]
enum Doing {
    Key(KeyEvent),
    Paste(String),
    Set(String),
    Draw(u16, u16),
    Clear,
    Refresh,
}

fn code() -> impl Strategy<Value = KeyCode> {
    prop_oneof![
        8 => prop::sample::select("ab /@!\\\"'.xplanµ日é\u{301}\u{200d}👩🇩🇪\u{1}\u{1b}\t".chars().collect::<Vec<_>>())
            .prop_map(KeyCode::Char),
        1 => any::<char>().prop_map(KeyCode::Char),
        6 => prop::sample::select(vec![
            KeyCode::Enter, KeyCode::Esc, KeyCode::Tab, KeyCode::BackTab, KeyCode::Backspace, KeyCode::Delete,
            KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right, KeyCode::Home, KeyCode::End,
            KeyCode::PageUp, KeyCode::PageDown, KeyCode::Insert, KeyCode::F(3), KeyCode::Null,
        ]),
        3 => prop::sample::select("abdefhjknpruwxyz_".chars().collect::<Vec<_>>()).prop_map(KeyCode::Char),
    ]
}

fn key() -> impl Strategy<Value = KeyEvent> {
    (code(), prop_oneof![5 => Just(0_u8), 2 => Just(2), 2 => Just(4), 1 => Just(1), 1 => 0..8_u8])
        .prop_map(|(code, held)| KeyEvent::new(code, KeyModifiers::from_bits_truncate(held)))
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,40}",
        ".{0,80}",
        Just("x\r\ny\u{1b}[31m\u{1}\t日\n".repeat(30)),
        Just("e\u{301}👩\u{200d}👧".repeat(200)),
    ]
}

fn doing() -> impl Strategy<Value = Doing> {
    prop_oneof![
        20 => key().prop_map(Doing::Key),
        2 => text().prop_map(Doing::Paste),
        1 => text().prop_map(Doing::Set),
        4 => (0..90_u16, 0..30_u16).prop_map(|(width, height)| Doing::Draw(width, height)),
        1 => Just(Doing::Clear),
        1 => Just(Doing::Refresh),
    ]
}

fn check(view: &View, width: u16, height: u16) -> Result<(), TestCaseError> {
    prop_assert!(view.lines.len() <= usize::from(height), "{} lines in {height}", view.lines.len());
    for line in &view.lines {
        let text = line.to_string();
        prop_assert!(text.width() <= usize::from(width), "{text:?} in {width}");
        prop_assert!(!text.contains(char::is_control), "{text:?}");
    }
    if let Some(cursor) = view.cursor {
        prop_assert!(cursor.column < width && usize::from(cursor.row) < view.lines.len(), "{cursor:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics_and_nothing_is_wider_or_higher_than_asked(
        doings in prop::collection::vec(doing(), 1..60),
        unfocused in any::<bool>(),
    ) {
        let mut test = TestComposer::with_history(&["one", "two\nlines of it", "/plan", "日本\nthree"]);
        let look = if unfocused { ComposerFocus::Unfocused } else { ComposerFocus::Focused };
        for doing in doings {
            let (width, height) = match doing {
                Doing::Key(key) => {
                    let typed = test.composer.key(key, &test.keymap);
                    if let ComposerStep::Submit(submission) = typed {
                        prop_assert!(!submission.typed().trim().is_empty());
                        prop_assert!(test.composer.is_empty());
                    }
                    (40, 12)
                }
                Doing::Paste(text) => {
                    test.composer.paste(&text);
                    (80, 24)
                }
                Doing::Set(text) => {
                    test.composer.set(&text);
                    (7, 5)
                }
                Doing::Draw(width, height) => (width, height),
                Doing::Clear => {
                    test.composer.clear();
                    (10, 3)
                }
                Doing::Refresh => {
                    test.composer.refresh();
                    (3, 40)
                }
            };
            let view = test.composer.view(Space { width, height, theme: PLAIN }, look);
            check(&view, width, height)?;
            prop_assert!(!test.text().contains(|letter: char| letter.is_control() && letter != '\n' && letter != '\t'));
        }
    }
}
