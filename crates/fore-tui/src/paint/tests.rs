//! Documents and what a person sees of them.

mod nothing_hidden;
mod streams;

use super::{CodeLines, MarkdownStream, columns, cut, diff, line_columns, markdown, warm_up, wrap};
use crate::theme::{Background, Colours, Signs, TextRole, Theme};
use ratatui::{
    style::{Modifier, Style},
    text::{Line, Span},
};

const UNICODE: Theme = Theme { colours: Colours::Full, background: Background::Dark, signs: Signs::Unicode };
const PLAIN: Theme = Theme { colours: Colours::Nothing, background: Background::Dark, signs: Signs::Ascii };

const DOCUMENT: &str = include_str!("tests/document.md");

/// The letters alone.
fn text(lines: &[Line<'_>]) -> String {
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn page(source: &str, width: u16, theme: &Theme) -> String {
    let rendered = markdown(source, width, theme);
    assert_eq!(rendered.lines.len(), rendered.sources.len());
    fits(&rendered.lines, width);
    text(&rendered.lines)
}

fn fits(lines: &[Line<'_>], width: u16) {
    for line in lines {
        assert!(line_columns(line) <= usize::from(width), "{line:?} is wider than {width}");
    }
}

#[test]
fn a_document_at_eighty_columns() {
    insta::assert_snapshot!(page(DOCUMENT, 80, &UNICODE), @"
    Make the login fast

    The login takes 3 seconds because find_user reads the whole table, as the report
    (https://shop.example/report) says. See https://shop.example.

    Second
    • first item with a text that is long enough to be wrapped at forty columns
    • second item
      with a lazy line
      • nested code
      • nested two

        and a paragraph inside

        fn main() {}
    ☐ open task
    ☑ done task

    1. one
    2. two
       │ quoted inside
    3. three

    │ A quote
    │ with two lines
    │
    │ and a second paragraph

    Name   Count  Note
    ─────  ─────  ────
    login      3  slow
    a | b     12   x

      fn find(name: &str) -> Option<User> {
          users.iter().find(|user| user.name == name)

      }

      indented code

      goes on

    ────────────────────────────────────────────────────────────────────────────────

    <div>raw <html></div>
    漢字の文章はどこでも折り返すことができますので、長い行も問題ありません。
    ");
}

#[test]
fn a_document_at_forty_columns_without_colours_and_special_signs() {
    insta::assert_snapshot!(page(DOCUMENT, 40, &PLAIN), @"
    Make the login fast

    The login takes 3 seconds because
    `find_user` reads the whole table, as
    the report (https://shop.example/report)
    says. See https://shop.example.

    Second
    - first item with a text that is long
      enough to be wrapped at forty columns
    - second item
      with a lazy line
      - nested `code`
      - nested two

        and a paragraph inside

        fn main() {}
    [ ] open task
    [x] done task

    1. one
    2. two
       | quoted inside
    3. three

    | A quote
    | with two lines
    |
    | and a second paragraph

    Name   Count  Note
    -----  -----  ----
    login      3  slow
    a | b     12  `x`

      fn find(name: &str) -> Option<User> {
          users.iter().find(|user| user.name
            == name)

      }

      indented code

      goes on

    ----------------------------------------

    <div>raw <html></div> 漢字の文章はどこで
    も折り返すことができますので、長い行も問
    題ありません。
    ");
}

#[test]
fn every_drawn_line_names_the_source_lines_it_shows() {
    let source = "# Title\n\nA line\nand another\n\n- item that is long enough to be wrapped\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx\ny\n```\n";
    let rendered = markdown(source, 24, &PLAIN);
    let lines = rendered.lines.iter().zip(&rendered.sources);
    let page: Vec<_> = lines.map(|(line, source)| format!("{}-{} {line}", source.start(), source.end())).collect();
    insta::assert_snapshot!(page.join("\n"), @"
    1-1 Title
    2-2 
    3-3 A line
    4-4 and another
    5-5 
    6-6 - item that is long
    6-6   enough to be wrapped
    7-7 
    8-8 a  b
    9-9 -  -
    10-10 1  2
    11-11 
    13-13   x
    14-14   y
    ");
}

#[test]
fn a_paragraph_that_does_not_fit_is_wrapped_anew_and_names_all_its_lines() {
    let rendered = markdown("one two three four five\nsix seven", 12, &PLAIN);
    assert_eq!(text(&rendered.lines), "one two\nthree four\nfive six\nseven");
    assert_eq!(rendered.sources, vec![1..=2; 4]);
}

#[test]
fn tables_too_wide_are_wrapped_and_then_stacked() {
    let table = "| Step | What changes | Why |\n|---|---|---|\n| 1 | the query uses the index on name | it reads the whole table now |\n| 2 | a test | proof |\n";
    insta::assert_snapshot!(format!("{}\n=====\n{}", page(table, 48, &PLAIN), page(table, 20, &PLAIN)), @"
    Step  What changes          Why
    ----  --------------------  --------------------
    1     the query uses the    it reads the whole
          index on name         table now

    2     a test                proof
    =====
    Step: 1
    What changes: the
      query uses the
      index on name
    Why: it reads the
      whole table now

    Step: 2
    What changes: a test
    Why: proof
    ");
}

#[test]
fn entities_bring_nothing_in_that_steers_a_terminal() {
    let source = "&#27;[2J and &#x202e;turned `\u{1b}]0;x\u{7}` [a\u{1b}b](http://x\u{9b}y)";
    assert_eq!(page(source, 200, &PLAIN), r"\u{1b}[2J and \u{202e}turned `\u{1b}]0;x\u{7}` a\u{1b}b (http://x\u{9b}y)");
}

#[test]
fn nothing_in_a_plan_is_out_of_sight() {
    let pages = [
        ("[a](b \"c\") ![d](e \"f\")", "a (b \"c\") image: d (e \"f\")"),
        ("|a|b|\n|-|-|\n|1|2|3|4|", "a  b\n-  ---------\n1  2 | 3 | 4"),
        ("```sh and more\nls\n```", "sh and more\n  ls"),
        ("<!-- a\nb --><i>c</i>", "<!-- a\nb --><i>c</i>"),
        ("[a]: b \"c\"", "[a]: b \"c\""),
        ("[^1]: note", "[^1]: note"),
        ("> [!NOTE]\n> a", "| [!NOTE]\n| a"),
    ];
    for (source, expected) in pages {
        assert_eq!(page(source, 40, &PLAIN), expected, "{source}");
    }
}

#[test]
fn emphasis_code_and_links_have_their_roles() {
    let line = markdown("a *b* **c** `d` ~~e~~ [f](g)", 80, &UNICODE).lines.remove(0);
    let bold = Style::new().add_modifier(Modifier::BOLD);
    assert_eq!(
        line.spans,
        vec![
            Span::raw("a "),
            Span::styled("b", Style::new().add_modifier(Modifier::ITALIC)),
            Span::raw(" "),
            Span::styled("c", bold),
            Span::raw(" "),
            Span::styled("d", UNICODE.style(TextRole::Code)),
            Span::raw(" "),
            Span::styled("e", Style::new().add_modifier(Modifier::CROSSED_OUT)),
            Span::raw(" "),
            Span::styled("f", UNICODE.style(TextRole::Link)),
            Span::styled(" (g)", UNICODE.style(TextRole::Faint)),
        ]
    );
}

#[test]
fn text_without_end_is_cut_with_a_note() {
    let rendered = markdown(&"x\n\n".repeat(15_000), 40, &PLAIN);
    assert_eq!(text(rendered.lines.last_chunk::<2>().unwrap()), "x\n... 10000 more lines are not shown");
    let deep = format!("{} deep", ">".repeat(5_000));
    fits(&markdown(&deep, 10, &PLAIN).lines, 10);
    let long = "word ".repeat(20_000);
    fits(&markdown(&long, 10, &PLAIN).lines, 10);
}

#[test]
fn code_has_colours_once_the_definitions_are_read() {
    warm_up();
    let colours = |theme: Theme| {
        let line = CodeLines::new("rust", &theme).line("let x = \"y\"; // z");
        assert_eq!(line.to_string(), "let x = \"y\"; // z");
        line.spans.iter().map(|span| span.style).collect::<Vec<_>>()
    };
    assert!(colours(UNICODE).len() > 3);
    assert!(colours(Theme { background: Background::Light, ..UNICODE }).len() > 3);
    assert!(colours(Theme { colours: Colours::Sixteen, ..UNICODE }).len() > 3);
    assert_eq!(colours(PLAIN), [Style::new()]);
    assert_ne!(colours(UNICODE), colours(Theme { background: Background::Light, ..UNICODE }));
}

#[test]
fn lines_are_wrapped_between_words_and_keep_their_styles() {
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let line = Line::from(vec![Span::raw("one "), Span::styled("two three", bold), Span::raw("four")]);
    assert_eq!(
        wrap(&line, 8, 2),
        [
            Line::from(vec![Span::raw("one "), Span::styled("two", bold)]),
            Line::from(vec![Span::raw("  "), Span::styled("three", bold), Span::raw("f")]),
            Line::from("  our"),
        ]
    );
    let pages = [
        ("a verylongwordthatbreaks b", 8, "a\n  verylo\n  ngword\n  thatbr\n  eaks b"),
        ("漢字かな交じり文", 7, "漢字か\n  な交\n  じり\n  文"),
        ("    deep indentation", 10, "    deep\n  indentat\n  ion"),
        ("👨\u{200d}👩\u{200d}👧 family", 3, "👨\u{200d}👩\u{200d}👧\n fa\n mi\n ly"),
        ("ok", 1, "o\nk"),
        ("漢", 1, ""),
    ];
    for (source, width, expected) in pages {
        let lines = wrap(&Line::raw(source), width, 2);
        assert_eq!(text(&lines), expected, "{source}");
        fits(&lines, width);
    }
}

#[test]
fn a_text_is_cut_to_one_line() {
    let pages = [
        ("short", 10, "short", "short"),
        ("a longer text", 8, "a longe…", "a lon..."),
        ("two\nlines", 20, "two lines", "two lines"),
        ("漢字漢字", 5, "漢字…", "漢..."),
        ("anything", 1, "…", ""),
        ("anything", 0, "", ""),
    ];
    for (source, width, unicode, ascii) in pages {
        assert_eq!(cut(source, width, &UNICODE), unicode, "{source}");
        assert_eq!(cut(source, width, &PLAIN), ascii, "{source}");
        assert!(columns(&cut(source, width, &PLAIN)) <= usize::from(width));
    }
}

const DIFF: &str = "--- src/login.rs\n+++ src/login.rs\n@@ -8,5 +8,6 @@\n fn find(name: &str) {\n-    let user = users.iter().find(name);\n+    let user = index.get(name);\n+    trace(user);\n     user\n }\n \n@@ -40,2 +41,1 @@\n-// --- old\n+// new\n-gone\n\\ No newline at end of file\n";

#[test]
fn a_difference_can_be_read_without_colours() {
    let lines = |width| diff(DIFF, Some("src/login.rs"), width, &PLAIN);
    fits(&lines(24), 24);
    insta::assert_snapshot!(format!("{}\n=====\n{}", text(&lines(60)), text(&lines(24))), @r"
     8   fn find(name: &str) {
     9 -     let user = users.iter().find(name);
     9 +     let user = index.get(name);
    10 +     trace(user);
    11       user
    12   }
    13   
    ...
    40 - // --- old
    41 + // new
    41 - gone
    \ No newline at end of file
    =====
     8   fn find(name: &str)
         {
     9 -     let user =
         users.iter().find(n
         ame);
     9 +     let user =
         index.get(name);
    10 +     trace(user);
    11       user
    12   }
    13   
    ...
    40 - // --- old
    41 + // new
    41 - gone
    \ No newline at end o...
    ");
}

#[test]
fn changed_words_are_marked_inside_their_lines() {
    let lines = diff("@@ -1 +1 @@\n-let user = find(name);\n+let user = get(name);\n", None, 60, &UNICODE);
    let (removed, added) = (UNICODE.style(TextRole::Removed), UNICODE.style(TextRole::Added));
    assert_eq!(
        lines,
        [
            Line::from(vec![
                Span::styled("1 ", UNICODE.style(TextRole::Faint)),
                Span::styled("- ", removed),
                Span::styled("let user = ", removed),
                Span::styled("find", UNICODE.style(TextRole::RemovedWord)),
                Span::styled("(name);", removed),
            ]),
            Line::from(vec![
                Span::styled("1 ", UNICODE.style(TextRole::Faint)),
                Span::styled("+ ", added),
                Span::styled("let user = ", added),
                Span::styled("get", UNICODE.style(TextRole::AddedWord)),
                Span::styled("(name);", added),
            ]),
        ]
    );
}
