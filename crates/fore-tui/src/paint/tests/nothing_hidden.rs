//! Nothing of a text is hidden by the way it is drawn.

use super::*;
use proptest::prelude::*;

const THEMES: [Theme; 2] = [
    Theme { colours: Colours::Full, background: Background::Dark, signs: Signs::Unicode },
    Theme { colours: Colours::Nothing, background: Background::Dark, signs: Signs::Ascii },
];

fn drawn(source: &str, width: u16, theme: &Theme) -> String {
    let lines = markdown(source, width, theme).lines;
    fits(&lines, width);
    text(&lines)
}

fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).collect()
}

#[test]
fn what_markdown_would_leave_out_is_shown() {
    let page = [
        (
            "see [the docs](https://a.example \"and delete the backups\")",
            "see the docs (https://a.example \"and delete the backups\")",
        ),
        ("see [a.md](a.md \"title\") and [b.md](b.md)", "see a.md (\"title\") and b.md"),
        ("an ![image](x.png \"title\")", "an image: image (x.png \"title\")"),
        (
            "<https://a.example> and <!-- rm -r / --> and <b onclick=\"x\">",
            "https://a.example and <!-- rm -r / --> and <b onclick=\"x\">",
        ),
        ("a &lt; b &amp;&amp; c", "a < b && c"),
        ("- - - - - - - - - one\n  - [x]: /evil \"rm the rest\"", ""),
        ("```rust and then delete everything\ncode\n```", "rust and then delete everything\n  code"),
        ("```averyveryverylonglanguagename\ncode\n```", "averyveryverylonglanguagename\n  code"),
        ("```rust\ncode\n```", "  code"),
        (
            "| a | b |\n|---|---|\n| 1 | 2 | rm -r / | and more |",
            "a  b\n─  ──────────────────────\n1  2 | rm -r / | and more",
        ),
        ("[x]: /evil \"rm\"\n\ntext [x]", "[x]: /evil \"rm\"\n\ntext [x]"),
        (
            "<details>\n<summary>ok</summary>\n\nhidden\n\n</details>",
            "<details>\n<summary>ok</summary>\n\nhidden\n\n</details>",
        ),
        ("1. ```\n   code\n   ```", "1.   code"),
        ("text\n[x]: /evil", "text\n[x]: /evil"),
        ("a[^1]\n\n[^1]: note", "a[^1]\n\n[^1]: note"),
    ];
    for (source, expected) in page {
        let shown = drawn(source, 80, &THEMES[0]);
        assert!(letters(&shown).contains(&letters(expected)), "{source}\n{shown}");
        if !expected.is_empty() {
            assert_eq!(shown, expected, "{source}");
        } else {
            assert!(shown.contains("evil") && shown.contains("rm the rest"), "{source}\n{shown}");
        }
    }
}

#[test]
fn what_is_crossed_out_is_marked_where_no_line_is_drawn() {
    assert_eq!(drawn("do ~~not~~ delete", 80, &THEMES[0]), "do not delete");
    assert_eq!(drawn("do ~~not~~ delete", 80, &THEMES[1]), "do ~~not~~ delete");
}

#[test]
fn the_header_of_a_table_that_is_too_wide_is_shown_even_without_rows() {
    let header: Vec<String> = (0..30).map(|number| format!("name{number}")).collect();
    let rule = "---|".repeat(30);
    let empty = " |".repeat(30);
    for source in [format!("|{}|\n|{rule}", header.join("|")), format!("|{}|\n|{rule}\n|{empty}", header.join("|"))] {
        let shown = drawn(&source, 40, &THEMES[0]);
        assert!(header.iter().all(|name| shown.contains(name.as_str())), "{shown}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_letter_of_any_text_is_drawn(
        lines in proptest::collection::vec(
            "( {0,5}|\t)(> |- |\\* |[+] |# |## |~~~|```|\\||<|\\[|!\\[|    |){0,3}(w|w|w|[|*_`\\[\\]()<>\"'!&;:/#~ \\\\-]){0,16}",
            0..14,
        ),
        width in 12u16..100,
        theme in 0..2usize,
    ) {
        let lines = named(&lines);
        let source = lines.join("\n");
        let shown = letters(&drawn(&source, width, &THEMES[theme]));
        let mut stream = MarkdownStream::default();
        source.as_bytes().chunks(7).for_each(|piece| stream.push(&String::from_utf8_lossy(piece)));
        let streamed = letters(&text(&stream.finish(width, &THEMES[theme])));
        for line in lines.iter().filter(|line| !line.contains("```") && !line.contains("~~~")) {
            for word in line.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
                prop_assert!(shown.contains(word), "{word} of {line:?} in {source:?}: {shown}");
                prop_assert!(streamed.contains(word), "{word} of {line:?} in {source:?} as a stream: {streamed}");
            }
        }
    }
}

/// Every `w` becomes a word that there is only once, and that no column breaks.
fn named(lines: &[String]) -> Vec<String> {
    let mut count = 0u8;
    let letter = |number: u8| char::from(b'a' + number % 16);
    let mut name = || {
        count = count.wrapping_add(1);
        format!("Q{}{}Z", letter(count / 16), letter(count))
    };
    lines.iter().map(|line| line.chars().map(|sign| if sign == 'w' { name() } else { sign.into() }).collect()).collect()
}

#[test]
fn a_table_whose_second_column_has_no_name_is_a_list_of_terms() {
    let table = "| Commands | |\n|---|---|\n| /plan | nothing changes until you approve |\n| /plan export PATH | save a copy |\n| /help | |\n";
    let pages = [56, 50, 30].map(|width| page(table, width, &PLAIN));
    insta::assert_snapshot!(pages.join("\n=====\n"), @"
    Commands
    -----------------  ---------------------------------
    /plan              nothing changes until you approve
    /plan export PATH  save a copy
    /help
    =====
    Commands
    -----------------  -------------------------------
    /plan              nothing changes until you
                       approve
    /plan export PATH  save a copy
    /help
    =====
    Commands
    ------------------------------
    /plan
      nothing changes until you
      approve
    /plan export PATH
      save a copy
    /help
    ");
}
