//! How it looks: empty, full, marked, without the focus, on narrow and poor terminals.

use super::*;
use crate::theme::TextRole;

fn view(test: &mut TestComposer, width: u16, height: u16, look: ComposerFocus) -> View {
    test.composer.view(Space { width, height, theme: PLAIN }, look)
}

#[test]
fn an_empty_composer_says_what_can_be_done() {
    let mut test = TestComposer::new();
    insta::assert_snapshot!(test.screen(80, 24), @"
    ────────────────────────────────────────────────────────────────────────────────
    ❯ ‸Ask or describe a task   / commands   @ files   ! your own command
    ────────────────────────────────────────────────────────────────────────────────
    ");
    insta::assert_snapshot!(test.screen(40, 24), @"
    ────────────────────────────────────────
    ❯ ‸Ask, or / commands, @ files, ! shell
    ────────────────────────────────────────
    ");
    insta::assert_snapshot!(test.screen(20, 24), @"
    ────────────────────
    ❯ ‸Ask, / @ !
    ────────────────────
    ");
}

#[test]
fn long_lines_wrap_and_the_text_takes_at_most_a_third() {
    let mut test = TestComposer::new();
    test.keys("Why is login slow after the last release, and what did we change there?");
    insta::assert_snapshot!(test.screen(40, 24), @"
    ────────────────────────────────────────
    ❯ Why is login slow after the last
      release, and what did we change there
      ?‸
    ────────────────────────────────────────
    ");
    test.keys("<ctrl+j>1<ctrl+j>2<ctrl+j>3<ctrl+j>4<ctrl+j>5<ctrl+j>6<ctrl+j>7");
    insta::assert_snapshot!(test.screen(40, 12), @"
    ────────────────────────────────────────
    ↑ 4
      5
      6
      7‸
    ───────────────────────── line 8 of 8 ──
    ");
    test.keys("<up><up><up><up><up><up><up>");
    insta::assert_snapshot!(test.screen(40, 12), @"
    ────────────────────────────────────────
    ↑ ?‸
      1
      2
    ↓ 3
    ───────────────────────── line 1 of 8 ──
    ");
}

#[test]
fn the_persons_own_command_is_marked_as_such() {
    let mut test = TestComposer::new();
    test.keys("!cargo test");
    insta::assert_snapshot!(test.screen(80, 24), @r"
    ── Your own command: runs even in plan mode ────────────────────────────────────
    ❯ !cargo test‸
    ────────────────────────────────────────────────────────────────────────────────
    ");
    insta::assert_snapshot!(test.screen(40, 24), @r"
    ── Your own command ────────────────────
    ❯ !cargo test‸
    ────────────────────────────────────────
    ");
    let theme = Theme { colours: Colours::Sixteen, ..PLAIN };
    let view = test.composer.view(Space { width: 40, height: 24, theme }, ComposerFocus::Focused);
    let styles: Vec<_> = view.lines.iter().flat_map(|line| line.spans.iter().map(|span| span.style)).collect();
    assert!(styles.iter().all(|style| *style == theme.style(TextRole::Warning)), "{styles:?}");
}

#[test]
fn without_the_focus_it_is_faint_and_has_no_cursor() {
    let mut test = TestComposer::new();
    test.keys("/pl");
    let view = view(&mut test, 40, 24, ComposerFocus::Unfocused);
    insta::assert_snapshot!(picture(&view), @"
    ────────────────────────────────────────
    ❯ /pl
    ────────────────────────────────────────
    ");
    assert_eq!(view.cursor, None);
    let text = view.lines.get(1).expect("the text");
    assert!(text.spans.iter().all(|span| span.style == PLAIN.style(TextRole::Faint)), "{text:?}");
}

#[test]
fn a_terminal_without_utf_8_gets_ascii_alone() {
    let theme = Theme { signs: Signs::Ascii, ..PLAIN };
    let mut test = TestComposer::new();
    test.keys("/plan ");
    let view = test.composer.view(Space { width: 40, height: 24, theme }, ComposerFocus::Focused);
    insta::assert_snapshot!(picture(&view).replace('‸', "|"), @"
    ----------------------------------------
    > /plan |
    ----------------------------------------
        /plan [task]       plan first: no...
        /plan open         open the plan...
        /plan diff         what changed s...
        /plan export PATH  save a copy of...
        /plan off          leave plan mod...
    ");
    assert!(view.lines.iter().all(|line| line.to_string().is_ascii()));
}

#[test]
fn the_cursor_stands_right_after_wide_and_composed_letters() {
    let page = [
        ("日本", 6),
        ("e\u{301}x", 4),
        ("👩\u{200d}👩\u{200d}👧x", 5),
        ("🇩🇪", 4),
        ("❤\u{fe0f}x", 5),
        ("a👩\u{200d}👩\u{200d}👧<left>", 3),
    ];
    for (keys, column) in page {
        let mut test = TestComposer::new();
        test.keys(keys);
        let view = view(&mut test, 40, 24, ComposerFocus::Focused);
        assert_eq!(view.cursor, Some(crate::view::Cursor { column, row: 1 }), "{keys}");
    }
}

#[test]
fn a_text_that_ends_in_a_mark_without_a_column_is_seen_whole() {
    let mut test = TestComposer::new();
    test.keys("love ❤\u{fe0f}<ctrl+j>e\u{301}");
    insta::assert_snapshot!(test.screen(20, 9), @"
    ────────────────────
    ❯ love ❤️
      é‸
    ────────────────────
    ");
    insta::assert_snapshot!(test.screen(20, 4), @"
    ────────────────────
    ↑ é‸
    ───── line 2 of 2 ──
    ");
}

#[test]
fn a_tab_is_drawn_as_spaces_and_sent_as_a_tab() {
    let mut test = TestComposer::new();
    test.composer.paste("a\tb");
    insta::assert_snapshot!(test.screen(40, 24), @"
    ────────────────────────────────────────
    ❯ a   b‸
    ────────────────────────────────────────
    ");
    assert_eq!(test.text(), "a\tb");
}

#[test]
fn files_pastes_and_commands_are_coloured() {
    let theme = Theme { colours: Colours::Sixteen, ..PLAIN };
    let mut test = TestComposer::new();
    test.keys("/plan @src/main.rs ");
    test.composer.paste(&"x\n".repeat(20));
    let view = test.composer.view(Space { width: 60, height: 24, theme }, ComposerFocus::Focused);
    let spans: Vec<(String, ratatui::style::Style)> =
        view.lines[1].spans.iter().map(|span| (span.content.to_string(), span.style)).collect();
    assert_eq!(
        spans,
        [
            ("❯ ".into(), theme.style(TextRole::Accent)),
            ("/plan".into(), theme.style(TextRole::Accent)),
            (" ".into(), theme.style(TextRole::Plain)),
            ("@src/main.rs".into(), theme.style(TextRole::Accent)),
            (" ".into(), theme.style(TextRole::Plain)),
            ("[pasted 20 lines]".into(), theme.style(TextRole::Code)),
        ]
    );
}

#[test]
fn very_small_terminals_get_what_fits() {
    let mut test = TestComposer::new();
    test.keys("hello world");
    insta::assert_snapshot!(test.screen(6, 9), @"
    ──────
    hello
    world‸
    ──────
    ");
    insta::assert_snapshot!(test.screen(20, 1), @"❯ hello world‸");
    assert_eq!(view(&mut test, 0, 10, ComposerFocus::Focused), View::default());
    assert_eq!(view(&mut test, 10, 0, ComposerFocus::Focused), View::default());
}
