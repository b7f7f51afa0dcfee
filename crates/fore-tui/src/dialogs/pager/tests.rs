//! The full-screen viewer: keys in, rows out, and how little it lays out for them.

use super::*;
use crate::{
    dialogs::test_support::{any_keys, any_spaces, assert_inside, live, press, shown, space},
    theme::Theme,
};
use fore_agent::ShownBody;
use proptest::prelude::*;
use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

fn text(lines: usize) -> Pager {
    let text = (1..=lines).map(|number| format!("line {number} of the text\n")).collect();
    Pager::document(PagerDocument {
        title: "The text".into(),
        body: ShownBody::Text { text },
        ..PagerDocument::default()
    })
}

/// Calls with bodies of so many rows; counts how often one is laid out.
struct Calls {
    bodies: Vec<usize>,
    laid_out: Arc<AtomicUsize>,
}

impl Pages for Calls {
    fn count(&self) -> usize {
        self.bodies.len()
    }

    fn lines(&self, item: usize, fold: ItemFold, _width: u16, _theme: &Theme) -> Vec<Line<'static>> {
        self.laid_out.fetch_add(1, Ordering::Relaxed);
        let body = self.text(item).lines().skip(1).map(|line| Line::from(line.to_owned())).collect::<Vec<_>>();
        let mut lines = vec![Line::from(format!("call {item}"))];
        match fold {
            ItemFold::Open => lines.extend(body),
            ItemFold::Closed => {}
        }
        lines
    }

    fn opens(&self, item: usize) -> bool {
        self.bodies.get(item).is_some_and(|rows| *rows > 0)
    }

    fn has_folds(&self) -> bool {
        true
    }

    fn text(&self, item: usize) -> Cow<'_, str> {
        let rows = self.bodies.get(item).copied().unwrap_or(0);
        let body: String = (0..rows).map(|row| format!("\n  output {item}.{row}")).collect();
        Cow::Owned(format!("call {item}{body}"))
    }
}

fn calls(bodies: Vec<usize>) -> (Pager, Arc<AtomicUsize>) {
    let laid_out = Arc::new(AtomicUsize::new(0));
    (Pager::new("The conversation", Box::new(Calls { bodies, laid_out: Arc::clone(&laid_out) })), laid_out)
}

/// The rows between the title and the foot, in one line.
fn rows(pager: &mut Pager, height: u16) -> String {
    let shown = shown(pager, 40, height);
    let rows: Vec<&str> = shown.lines().skip(1).collect();
    rows[..rows.len() - 1].iter().map(|row| row.trim()).collect::<Vec<_>>().join(" | ")
}

#[test]
fn a_document_fills_the_screen_exactly() {
    insta::assert_snapshot!(shown(&mut text(100), 80, 6), @r"
    ── The text ────────────────────────────────────────────────────────────────────
    line 1 of the text
    line 2 of the text
    line 3 of the text
    line 4 of the text
    3%  q closes • / searches • PgUp PgDn scroll • g G ends
    ");
    insta::assert_snapshot!(shown(&mut text(2), 40, 6), @r"
    ── The text ────────────────────────────
    line 1 of the text
    line 2 of the text


    all  q closes • / searches
    ");
    for height in 1..9 {
        for lines in [0, 1, 3, 300] {
            assert_eq!(text(lines).view(space(40, height)).lines.len(), usize::from(height));
        }
    }
}

#[test]
fn keys_scroll_and_the_ends_hold() {
    let page = [
        ("", "line 1 of the text | line 2 of the text"),
        ("j", "line 2 of the text | line 3 of the text"),
        ("down down k", "line 2 of the text | line 3 of the text"),
        ("up up", "line 1 of the text | line 2 of the text"),
        ("pgdn pgdn", "line 3 of the text | line 4 of the text"),
        ("G", "line 199 of the text | line 200 of the text"),
        ("end j j j pgdn", "line 199 of the text | line 200 of the text"),
        ("end k", "line 198 of the text | line 199 of the text"),
        ("G g", "line 1 of the text | line 2 of the text"),
        ("G home", "line 1 of the text | line 2 of the text"),
    ];
    for (keys, expected) in page {
        let mut pager = text(200);
        for key in keys.split_whitespace() {
            pager.view(space(40, 4));
            press(&mut pager, key);
        }
        assert_eq!(rows(&mut pager, 4), expected, "{keys}");
    }
    assert_eq!(press(&mut text(3), "q"), DialogStep::Close);
    assert_eq!(press(&mut text(3), "esc"), DialogStep::Close);
}

#[test]
fn a_search_goes_from_hit_to_hit_and_around() {
    let mut pager = text(100);
    pager.view(space(40, 4));
    assert_eq!(press(&mut pager, "/ 'E' backspace 'line' space '9'"), DialogStep::Stay);
    insta::assert_snapshot!(shown(&mut pager, 40, 4), @r"
    ── The text ────────────────────────────
    line 1 of the text
    line 2 of the text
    /line 9▁
    ");
    press(&mut pager, "enter");
    assert_eq!(rows(&mut pager, 4), "line 9 of the text | line 10 of the text");
    press(&mut pager, "n");
    assert_eq!(rows(&mut pager, 4), "line 90 of the text | line 91 of the text");
    press(&mut pager, "n n n n n n n n n");
    assert_eq!(rows(&mut pager, 4), "line 98 of the text | line 99 of the text");
    press(&mut pager, "n");
    assert_eq!(rows(&mut pager, 4), "line 9 of the text | line 10 of the text");
    press(&mut pager, "N");
    assert_eq!(rows(&mut pager, 4), "line 99 of the text | line 100 of the text");
    press(&mut pager, "/ 'Line' enter");
    insta::assert_snapshot!(shown(&mut pager, 40, 4), @r"
    ── The text ────────────────────────────
    line 99 of the text
    line 100 of the text
    end not found  q closes • n N next hit
    ");
}

#[test]
fn hits_are_marked() {
    let mut pager = text(3);
    press(&mut pager, "/ 'NE' backspace backspace 'ne' enter");
    let view = pager.view(space(40, 5));
    let spans: Vec<(String, bool)> = view.lines[1]
        .spans
        .iter()
        .map(|span| (span.content.to_string(), span.style.add_modifier.contains(ratatui::style::Modifier::REVERSED)))
        .collect();
    let expected = [("li", false), ("ne", true), (" 1 of the text", false)];
    assert_eq!(spans, expected.map(|(text, marked)| (text.to_owned(), marked)));
}

#[test]
fn calls_open_and_close_under_the_cursor() {
    let (mut pager, _) = calls(vec![2, 0, 3]);
    insta::assert_snapshot!(shown(&mut pager, 80, 9), @r"
    ── The conversation ────────────────────────────────────────────────────────────
    ❯ call 0
      call 1
      call 2




    all  q closes • Enter opens • o opens all • / searches • PgUp PgDn scroll
    ");
    press(&mut pager, "enter");
    insta::assert_snapshot!(shown(&mut pager, 80, 9), @r"
    ── The conversation ────────────────────────────────────────────────────────────
    ❯ call 0
    │   output 0.0
    │   output 0.1
      call 1
      call 2


    all  q closes • Enter opens • o opens all • / searches • PgUp PgDn scroll
    ");
    press(&mut pager, "j j space");
    assert_eq!(rows(&mut pager, 9), "❯ call 0 | call 1 | call 2 |  |  |  | ");
    press(&mut pager, "o");
    insta::assert_snapshot!(shown(&mut pager, 40, 9), @r"
    ── The conversation ────────────────────
    ❯ call 0
    │   output 0.0
    │   output 0.1
      call 1
      call 2
        output 2.0
        output 2.1
    91%  q closes • Enter opens
    ");
    press(&mut pager, "tab tab");
    insta::assert_snapshot!(shown(&mut pager, 40, 5), @r"
    ── The conversation ────────────────────
        output 0.1
      call 1
    ❯ call 2
    75%  q closes • Enter opens
    ");
}

#[test]
fn a_plan_is_drawn_as_markdown_and_an_edit_as_a_difference() {
    let text = "# Fix the login\n\nThe check runs **twice**.\n\n- `src/login.rs`: once is enough\n".to_owned();
    let mut plan = Pager::document(PagerDocument {
        title: "Plan".into(),
        body: ShownBody::Markdown { text },
        ..PagerDocument::default()
    });
    insta::assert_snapshot!(shown(&mut plan, 60, 8), @r"
    ── Plan ────────────────────────────────────────────────────
    Fix the login

    The check runs twice.

    • src/login.rs: once is enough

    all  q closes • / searches • PgUp PgDn scroll • g G ends
    ");
    let diff = "--- a\n+++ b\n@@ -7,2 +7,2 @@\n fn login() {\n-    check();\n+    check_twice();\n".to_owned();
    let body = ShownBody::Diff { path: "src/login.rs".into(), diff };
    let mut edit = Pager::document(PagerDocument { title: "src/login.rs".into(), body, ..PagerDocument::default() });
    insta::assert_snapshot!(shown(&mut edit, 60, 6), @r"
    ── src/login.rs ────────────────────────────────────────────
    7   fn login() {
    8 -     check();
    8 +     check_twice();

    all  q closes • / searches • PgUp PgDn scroll • g G ends
    ");
}

#[test]
fn a_search_finds_words_as_they_are_read_and_as_they_are_written() {
    let text = format!("# Plan\n\n{}The check\nruns **twice** in `log_in`.\n", "A line.\n\n".repeat(20));
    for wanted in ["'check' space 'runs' space 'twice'", "'log_in'"] {
        let body = ShownBody::Markdown { text: text.clone() };
        let mut pager = Pager::document(PagerDocument { title: "Plan".into(), body, ..PagerDocument::default() });
        pager.view(space(60, 6));
        press(&mut pager, &format!("/ {wanted} enter"));
        assert!(rows(&mut pager, 6).contains("The check | runs twice in log_in."), "{wanted}");
    }
}

#[test]
fn a_long_plan_is_parted_at_headings_and_nothing_is_lost() {
    let section = |number: usize| format!("# Part {number}\n\n```sh\n# no heading\n```\n{}", "word\n\n".repeat(30));
    let text: String = (0..200).map(section).collect();
    let pages = DocumentPages::new(PagerDocument {
        title: String::new(),
        body: ShownBody::Markdown { text: text.clone() },
        ..PagerDocument::default()
    });
    let parts: Vec<String> = (0..pages.count()).map(|item| pages.text(item).into_owned()).collect();
    let words = |text: &str| text.matches("word\n").count();
    assert_eq!(parts.iter().map(|part| words(part)).sum::<usize>(), words(&text));
    assert!(parts.len() == 200 && parts.iter().all(|part| part.starts_with("# Part ")));
}

#[test]
fn what_opens_at_the_bottom_comes_into_sight() {
    let (mut pager, _) = calls(vec![0, 0, 0, 2]);
    pager.view(space(40, 6));
    press(&mut pager, "G enter");
    assert_eq!(rows(&mut pager, 6), "call 2 | ❯ call 3 | │   output 3.0 | │   output 3.1");
}

#[test]
fn a_search_opens_what_has_the_words_inside() {
    let (mut pager, _) = calls(vec![2, 0, 3]);
    pager.view(space(40, 9));
    press(&mut pager, "/ '2.1' enter");
    assert_eq!(rows(&mut pager, 9), "call 0 | call 1 | │ call 2 | │   output 2.0 | ❯   output 2.1 | │   output 2.2 | ");
}

#[test]
fn only_what_is_in_sight_is_laid_out() {
    let (pager, laid_out) = calls(vec![3; 10_000]);
    let mut pager = pager.at_the_end();
    assert_eq!(rows(&mut pager, 4), "call 9998 | ❯ call 9999");
    let begun = laid_out.load(Ordering::Relaxed);
    assert!(begun <= 4, "{begun} items for the first screen");
    for key in "k k pgup g G j".split_whitespace() {
        press(&mut pager, key);
        pager.view(space(40, 4));
    }
    let then = laid_out.load(Ordering::Relaxed);
    assert!(then <= 16, "{then} items for six keys");
}

#[test]
fn another_width_keeps_the_place() {
    let text = (0..40).map(|number| format!("{number} and a few more words to be broken\n")).collect();
    let mut pager = Pager::document(PagerDocument {
        title: "Text".into(),
        body: ShownBody::Text { text },
        ..PagerDocument::default()
    });
    pager.view(space(80, 4));
    for _ in 0..20 {
        press(&mut pager, "j");
    }
    assert!(shown(&mut pager, 80, 4).contains("\n20 and"));
    assert!(shown(&mut pager, 20, 4).contains("\n20 and"));
    assert!(shown(&mut pager, 80, 4).contains("\n20 and"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_document_is_drawn_inside_the_space(words in any::<String>(), keys in any_keys(), spaces in any_spaces()) {
        let text = format!("# One\n\n{words}\n\n```rust\n{words}\n").repeat(20);
        for body in [ShownBody::Text { text: text.clone() }, ShownBody::Markdown { text: text.clone() }, ShownBody::Diff { path: words.clone(), diff: text.clone() }] {
            live(&mut Pager::document(PagerDocument { title: words.clone(), body, ..PagerDocument::default() }), &keys, &spaces);
        }
    }

    #[test]
    fn any_calls_are_drawn_inside_the_space(bodies in proptest::collection::vec(0usize..30, 0..40), keys in any_keys(), spaces in any_spaces()) {
        let (mut pager, _) = calls(bodies);
        live(&mut pager, &keys, &spaces);
        for space in spaces {
            let view = pager.view(space);
            prop_assert_eq!(view.lines.len(), usize::from(space.height));
            assert_inside(&view, space);
        }
    }
}
