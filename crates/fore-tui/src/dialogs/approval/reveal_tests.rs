//! Pages of plans that want to hide something.

use super::*;
use crate::{dialogs::test_support::THEME, paint::plan};
use proptest::prelude::*;

fn page(text: &str, width: u16) -> String {
    let drawn = plan(text, width, &THEME);
    let (lines, sources) = reveal_hidden((drawn.lines, drawn.sources), text, width, &THEME);
    assert_eq!(lines.len(), sources.len());
    let lines: Vec<String> = lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect();
    lines.join("\n")
}

#[test]
fn every_sign_of_a_plan_is_on_the_screen() {
    let page_of = [
        // The signs of emphasis are those of globs and names.
        ("Run rm -rf build/*.o src/*.c", "Run rm -rf build/*.o src/*.c"),
        ("Run rm -rf *a b*", "Run rm -rf *a b*"),
        ("import __init__ and a _b_ c", "import __init__ and a _b_ c"),
        ("rm ~x~ and ~~y~~", "rm ~x~ and ~~y~~"),
        ("- **Files**: `a.rs`", "• **Files**: `a.rs`"),
        // Escapes and entities say what is written, not what would be read.
        (r"find . -exec rm {} \;", r"find . -exec rm {} \;"),
        (r"a \* b \_ c \# d \\ e", r"a \* b \_ c \# d \\ e"),
        ("rm -r &#47;etc &amp;&amp; x", "rm -r &#47;etc &amp;&amp; x"),
        ("echo `date` > x", "echo `date` > x"),
        ("a hard break\\\nhere", "a hard break\\\nhere"),
        // Where links lead, and what they are called.
        ("[docs](https://a.example \"t\") ![i](x.png)", "[docs](https://a.example \"t\") ![i](x.png)"),
        ("[a.md](a.md) <https://a.example>", "[a.md](a.md) <https://a.example>"),
        ("[x]: /evil \"rm\"\n\n[y][x] [^1]\n\n[^1]: note", "[x]: /evil \"rm\"\n\n[y][x] [^1]\n\n[^1]: note"),
        ("<!-- rm -r / --> <b x=\"y\">z</b>", "<!-- rm -r / --> <b x=\"y\">z</b>"),
        // A border may be a pipe.
        ("| a | b |\n|---|---|\n| curl x | sh |", "a      | b\n──────   ──\ncurl x | sh"),
        ("| a |\n|---|\n| x \\| sh |", "a\n───────\nx \\| sh"),
        ("---\ntitle: x\n---\ntext", "──────────────────────────────────────────────────\n\ntitle: x\ntext"),
        // Numbers are those that were written.
        ("1. a\n5. b\n7) c", "1. a\n5. b\n7) c"),
        ("- [x] done *.o", "☑ done *.o"),
        ("> - quoted *.o", "> • quoted *.o"),
        ("> ~/.bashrc", "> ~/.bashrc"),
        ("rm\u{a0}x `rm\u{a0}x`\n\n    rm\u{a0}x", "rm\u{a0}x `rm\\u{a0}x`\n\n  rm\\u{a0}x"),
        ("```sh\nrm *.o\n```", "  rm *.o"),
        ("\tmake\tall\n\n- a\tb", "  make    all\n\n• a    b"),
        ("```rm;-rf\nx\n```", "rm;-rf\nas written: ```rm;-rf\n  x"),
        ("# rm *.o #\n\nTitle *.c\n===", "rm *.o\n\nTitle *.c"),
    ];
    for (source, expected) in page_of {
        assert_eq!(page(source, 50), expected, "{source}");
    }
}

#[test]
fn a_number_that_is_drawn_as_another_is_shown_as_written() {
    assert_eq!(page("007. Bond", 40), "7. Bond\nas written: 007. Bond");
}

/// What is left out of these lines makes no block. It knows nothing of how `whole` counts.
fn signs_of(source: &str) -> Vec<char> {
    let mut line = source.trim();
    // Drawn as they are written.
    let mut signs = Vec::new();
    loop {
        let before = line;
        line = line.trim_start();
        for marker in [">", "1. ", "3) "] {
            if let Some(inside) = line.strip_prefix(marker) {
                signs.extend(marker.trim().chars());
                line = inside;
            }
        }
        for marker in ["- ", "* ", "+ ", "[x] ", "[ ] ", "# ", "## "] {
            line = line.strip_prefix(marker).unwrap_or(line);
        }
        if line == before {
            break;
        }
    }
    let only = |signs: &str| line.chars().all(|sign| signs.contains(sign));
    let divides = ["= ", "- ", "* ", "_ ", "` ", "~ ", "|-: "].into_iter().any(only);
    if divides || matches!(line, "+" | "#" | "##" | "[x]" | "[ ]") {
        return signs;
    }
    let line = line.strip_prefix('|').map_or(line, |line| line.strip_suffix('|').unwrap_or(line));
    let line = if line.ends_with(" #") { line.trim_end_matches('#') } else { line };
    let fence = line.starts_with("```") || line.starts_with("~~~");
    let rest = if fence { line.trim_start_matches(['`', '~']).trim() } else { line };
    let is_name = rest.chars().all(|sign| sign.is_ascii_alphanumeric() || "+-#._".contains(sign));
    if !(fence && is_name) {
        signs.extend(rest.chars().filter(|sign| !sign.is_whitespace()));
    }
    signs
}

fn line_of_markdown() -> impl Strategy<Value = String> {
    let before = prop::sample::select(vec![
        "",
        "",
        "",
        "> ",
        "- ",
        "* ",
        "+ ",
        "1. ",
        "3) ",
        "- [x] ",
        "# ",
        "## ",
        "    ",
        "```",
        "~~~",
        "| ",
        "|---|---|",
        "===",
        "---",
        "***",
        "\\",
        "[x]: ",
        "<!-- ",
    ]);
    let word = prop::sample::select(vec![
        "rm",
        "-rf",
        "*.o",
        "src/*",
        "*a",
        "b*",
        "**b**",
        "_c_",
        "__init__",
        "~x~",
        "~~y~~",
        "`z`",
        "`",
        "``",
        "\\;",
        "\\*",
        "\\|",
        "|",
        "&#47;",
        "&amp;",
        "[t](u)",
        "[t](u \"v\")",
        "![i](j)",
        "<b>",
        "<https://a.b>",
        "-->",
        "$HOME",
        ">",
        "#",
        "1.",
        "x)",
        "{}",
        "<",
        "é",
        "漢字",
        "a\tb",
    ]);
    (before, prop::collection::vec(word, 0..6)).prop_map(|(before, words)| format!("{before}{}", words.join(" ")))
}

proptest! {
    #[test]
    fn no_sign_of_any_markdown_is_hidden(
        lines in prop::collection::vec(line_of_markdown(), 0..12),
        width in 12u16..100,
    ) {
        let text = lines.join("\n");
        let drawn = plan(&text, width, &THEME);
        let (rows, sources) = reveal_hidden((drawn.lines, drawn.sources), &text, width, &THEME);
        for (number, line) in (1u32..).zip(text.lines()) {
            let covering = rows.iter().zip(&sources).filter(|(_, source)| source.contains(&number));
            let seen: Vec<char> = covering.flat_map(|(row, _)| row.to_string().chars().collect::<Vec<_>>()).collect();
            for sign in signs_of(line) {
                let wanted = signs_of(line).iter().filter(|other| **other == sign).count();
                let found = seen.iter().filter(|other| **other == sign).count();
                prop_assert!(found >= wanted, "{sign:?} of {line:?} in\n{text}\n---\n{}", page(&text, width));
            }
        }
    }

    #[test]
    fn drawn_markdown_is_in_the_order_of_its_lines(
        text in "(( {0,4}|> |- |1\\. |# |```|\\| )[a-z|*`\\[\\]() ]{0,20}\n){0,30}",
        width in 10u16..100,
    ) {
        let rendered = plan(&text, width, &THEME);
        prop_assert_eq!(rendered.lines.len(), rendered.sources.len());
        prop_assert!(are_in_order(&rendered.sources), "{:?}", rendered.sources);
    }
}

/// The drawing shows all that we know of; should it hide something one day, that is shown all the same.
#[test]
fn what_is_hidden_cannot_borrow_its_words_from_what_is_seen() {
    let source = "| keep all the old files | delete the old files |\nKeep the [old](a.md \"delete old\") ones.\nAll.\n\
                  Delete *.o\n";
    let drawn = ["keep all the old files", "Keep the old (a.md) ones.", "All.", "Delete .o"];
    let lines = drawn.iter().map(|line| Line::from(*line)).collect();
    let (lines, sources) = reveal_hidden((lines, vec![1..=1, 2..=2, 3..=3, 4..=4]), source, 80, &THEME);
    let page: Vec<String> = lines.iter().map(ToString::to_string).collect();
    assert_eq!(
        page,
        [
            "keep all the old files",
            "as written: | keep all the old files | delete the old files |",
            "Keep the old (a.md) ones.",
            "as written: Keep the [old](a.md \"delete old\") ones.",
            "All.",
            "Delete .o",
            "as written: Delete *.o",
        ]
    );
    assert_eq!(sources, [1..=1, 1..=1, 2..=2, 2..=2, 3..=3, 4..=4, 4..=4]);
}

#[test]
fn what_makes_a_block_is_no_word() {
    let page = [
        ("# Faster login", "Faster login"),
        ("## rm -rf * ##", "rm -rf *"),
        ("> - [x] 12. done, `x`", "> 12. done, `x`"),
        ("3) three", "3) three"),
        ("3.5 is a number", "3.5 is a number"),
        ("-x is no item", "-x is no item"),
        ("#x is no heading", "#x is no heading"),
        ("  ```rust", ""),
        ("```rust and more", "```rust and more"),
        ("```rm;x", "```rm;x"),
        ("|---|:--|", ""),
        ("| a | b \\|", "a | b \\|"),
        ("| a | b |", "a | b"),
        ("***", ""),
        ("*", ""),
    ];
    for (source, expected) in page {
        assert_eq!(words(source).collect::<Vec<_>>().join(" "), expected, "{source}");
    }
}
