//! Text that streams ends as the same lines as the whole text, and never makes the unfinished part grow.

use super::{DOCUMENT, PLAIN, UNICODE, fits, text};
use crate::paint::{MAX_LIVE_LINES, MarkdownStream, markdown};

/// Streams a text in pieces of `size` bytes, cut where letters end.
fn streamed(source: &str, size: usize, width: u16) -> String {
    let mut stream = MarkdownStream::default();
    let mut lines = Vec::new();
    let mut rest = source;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(size));
        stream.push(piece);
        lines.extend(stream.take_finished(width, &PLAIN));
        fits(&stream.live(width, &PLAIN), width);
        rest = after;
    }
    lines.extend(stream.finish(width, &PLAIN));
    text(&lines)
}

fn whole(source: &str, width: u16) -> String {
    text(&markdown(source, width, &PLAIN).lines)
}

#[test]
fn a_streamed_text_ends_as_the_whole_text() {
    let pages = [
        DOCUMENT,
        "",
        "\n\n",
        "one\ntwo\r\nthree",
        "- a\n\n- b\n\n  c\n- d\n\ntext",
        "1. a\n   ```\n   x\n\n   y\n   ```\n2. b\n",
        "```\nnever closed",
        "~~~~ md\n```\ninside\n```\n~~~~\nafter",
        "> a\nlazy\n\n> - b\n>   c\n> - d\n",
        "| a | b |\n|---|\nnot a table\n",
        "Title\n===\nText\n---\n- \n-\n* * *\n",
        "- a\n      code?\n\n\n\n        code\n",
        "para\n# heading\npara\n> quote\n- item\n```x\n```",
        "*open **emphasis\n\nand `code` [link\n",
    ];
    for source in pages {
        for width in [9, 40, 80] {
            assert_eq!(streamed(source, 1, width), whole(source, width), "{source:?} at {width}");
            assert_eq!(streamed(source, 7, width), whole(source, width), "{source:?} at {width}");
        }
    }
}

#[test]
fn texts_of_any_shape_stream_like_the_whole_and_fit() {
    let words = [
        "a",
        "word",
        " ",
        "  ",
        "    ",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "2) ",
        "> ",
        "# ",
        "```",
        "~~~",
        "`",
        "*",
        "**",
        "_",
        "|",
        "|---|---|",
        "---",
        "===",
        "[x](y)",
        "<b>",
        "&amp;",
        "\\",
        "漢字",
        "👨\u{200d}👩",
        "\t",
        "\r\n",
        "[ ] ",
        "\u{1b}[2J",
        "longwordlongwordlongword",
    ];
    // A fixed sequence of numbers that look random.
    let mut seed = 7_u64;
    let mut next = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap_or(0) % most
    };
    for _ in 0..400 {
        let source: String = (0..next(60)).map(|_| words[next(words.len())]).collect();
        let width = u16::try_from(next(30) + 1).unwrap_or(1);
        let rendered = markdown(&source, width, &PLAIN);
        fits(&rendered.lines, width);
        assert!(!text(&rendered.lines).contains('\u{1b}'));
        assert_eq!(streamed(&source, next(9) + 1, width), text(&rendered.lines), "{source:?} at {width}");
        let last = u32::try_from(source.split('\n').count()).unwrap_or(0);
        for range in &rendered.sources {
            let is_inside = *range.start() >= 1 && range.start() <= range.end() && *range.end() <= last;
            assert!(is_inside, "{range:?} of {source:?}");
        }
        assert!(rendered.sources.is_sorted_by_key(|range| *range.start()), "{source:?}");
    }
}

/// How many lines are unfinished at most while a text streams by lines.
fn longest_tail(source: &str) -> usize {
    let mut stream = MarkdownStream::default();
    let mut longest = 0;
    for line in source.split_inclusive('\n') {
        stream.push(line);
        stream.take_finished(40, &UNICODE);
        longest = longest.max(stream.live(40, &UNICODE).len());
    }
    longest
}

#[test]
fn long_blocks_are_given_line_by_line_or_item_by_item() {
    let code = format!("```rust\n{}```\n", "let x = 1;\n".repeat(500));
    assert_eq!(longest_tail(&code), 0);
    let list: String = (0..500).map(|number| format!("- item {number}\n")).collect();
    assert_eq!(longest_tail(&list), 1);
    let nested = format!("1. Create the file:\n   ```\n{}   ```\n", "   line\n".repeat(500));
    assert_eq!(longest_tail(&nested), 1, "the words before the code");
    let table = format!("| a | b |\n|---|---|\n{}", "| 1 | 2 |\n".repeat(500));
    assert_eq!(longest_tail(&table), MAX_LIVE_LINES);
    let quote = "> line\n>\n".repeat(500);
    assert_eq!(longest_tail(&quote), 2, "a line, and the empty one before it");
}

#[test]
fn a_sign_that_may_become_anything_is_not_drawn_yet() {
    let mut stream = MarkdownStream::default();
    stream.push("Some text\n-");
    assert_eq!(text(&stream.live(40, &PLAIN)), "Some text");
    stream.push(" item");
    assert_eq!(text(&stream.live(40, &PLAIN)), "Some text\n- item");
}
