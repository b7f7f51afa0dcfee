//! What a person can see of a plan: all of it, and never anything that the plan only pretends to be.

use super::*;
use crate::dialogs::{
    approval::reveal::reveal_hidden,
    test_support::{THEME, shown},
};
use ratatui::text::Line;

#[test]
fn a_plan_that_looks_like_the_dialog_stays_behind_its_bar() {
    let plan = "Fine.\n\n```\n╰─ 1-2 of 2 ────\n✔ 0 files changed\n\n❯ 1 Keep planning\n\u{1b}[2J\u{202e}\n```\n<!-- hidden -->\n";
    let text = shown(&mut open(asked(plan)), 80, 40);
    let inside = |row: &&str| row.contains("1-2 of 2") || row.contains("❯ 1 Keep") || row.contains("<!-- hidden");
    assert_eq!(text.lines().filter(inside).count(), 3, "{text}");
    assert!(text.lines().filter(inside).all(|row| row.starts_with('│')), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
}

#[test]
fn words_of_the_plan_beside_it_never_begin_where_a_choice_begins() {
    let mut request = asked_again(PLAN);
    request.notes[1].sentence = format!("`{}1 Keep planning  plan` does not exist.", "x ".repeat(35));
    request.proof.paths = vec!["1 Keep planning".into()];
    let text = shown(&mut open(request), 80, 40);
    let rows: Vec<&str> = text.lines().filter(|row| row.contains("1 Keep planning")).collect();
    assert_eq!(rows, ["││ 1 Keep planning  plan` does not exist.", "│ 1 Keep planning and 1 more"], "{text}");
}

#[test]
fn nothing_that_stands_in_the_plan_is_hidden() {
    let plan = "\
<!-- one -->

[two](https://three.example \"four\") ![five](six.png) [seven][eight] <b title=\"nine\">ten</b>

[eight]: https://eleven.example

| twelve | thirteen |
|--------|----------|
| fourteen | fifteen | sixteen |

~~~rust seventeen
let eighteen;
~~~

Term[^nineteen] \\*twenty\\* &amp;twentyone;

[^nineteen]: twentytwo
<script>twentythree</script>
---
title: twentyfour
";
    let text = shown(&mut open(asked(plan)), 120, 60);
    let words = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
                 seventeen eighteen nineteen twenty twentyone twentytwo twentythree twentyfour";
    let hidden: Vec<&str> = words.split(' ').filter(|word| !text.contains(word)).collect();
    assert!(hidden.is_empty(), "{hidden:?} cannot be seen:\n{text}");
}

#[test]
fn what_is_hidden_cannot_borrow_its_words_from_what_is_seen() {
    let plan = "\
| keep all the old files | list them | delete the old files |
Keep the [old files](a.md \"delete old files\") and delete nothing.
";
    // A drawing that leaves out a cell and a title, whoever made it.
    let drawn = ["keep all the old files  list them", "Keep the old files (a.md) and delete nothing."];
    let drawing = (drawn.map(Line::from).to_vec(), vec![1..=1, 2..=2]);
    let (lines, _) = reveal_hidden(drawing, plan, 100, &THEME);
    let rows: Vec<String> = lines.iter().map(ToString::to_string).filter(|row| row.contains("as written")).collect();
    insta::assert_snapshot!(rows.join("\n"), @r#"
    as written: | keep all the old files | list them | delete the old files |
    as written: Keep the [old files](a.md "delete old files") and delete nothing.
    "#);
}

#[test]
fn what_a_table_and_a_link_have_no_room_for_is_drawn_too() {
    let plan = "\
| step | file |
|------|------|
| keep all the old files | list them | delete the old files |

Keep the [old files](a.md \"delete old files\") and delete nothing.
";
    let text = shown(&mut open(asked(plan)), 100, 40);
    let rows: Vec<&str> = text.lines().filter(|row| row.contains("delete")).collect();
    insta::assert_snapshot!(rows.join("\n"), @r#"
        │  keep all the old files | list them | delete the old files
        │  Keep the [old files](a.md "delete old files") and delete nothing.
        "#);
    assert!(!text.contains("as written"), "it is there already");
    assert!(!shown(&mut open(asked(PLAN)), 30, 60).contains("as written"));
    let narrow =
        "| one two three four | five six seven eight |\n|---|---|\n| a b c d e f g h i j k | l m n o p q r s t |\n";
    assert!(!shown(&mut open(asked(narrow)), 30, 60).contains("as written"));
}

#[test]
fn long_lines_are_seen_to_their_end_in_a_narrow_window() {
    let words: String = (1..=60).map(|number| format!("word{number} ")).collect();
    for plan in [format!("{words}\n"), format!("```\n{words}\n```\n"), format!("| a |\n|---|\n| {words} |\n")] {
        let text = shown(&mut open(asked(&plan)), 40, 70);
        let hidden: Vec<&str> = words.split_whitespace().filter(|word| !text.contains(word)).collect();
        assert!(hidden.is_empty(), "{hidden:?} cannot be seen:\n{text}");
    }
}

#[test]
fn a_long_plan_scrolls_and_says_where() {
    let plan: String = (1..=5_000).map(|number| format!("- step {number}\n")).collect();
    let mut approval = open(asked(&plan));
    shown(&mut approval, 80, 30);
    let mut page = Vec::new();
    for keys in ["home", "pgdn", "ctrl+d", "ctrl+u", "end", "k", "pgup", "g", "G"] {
        press(&mut approval, keys);
        let text = shown(&mut approval, 80, 30);
        let cursor = text.lines().find(|row| row.starts_with("│❯")).unwrap_or_default().to_owned();
        let foot = text.lines().find(|row| row.starts_with('╰')).unwrap_or_default().replace('─', "");
        page.push(format!("{keys:<7} {cursor:<20} {}", foot.trim_end()));
    }
    insta::assert_snapshot!(page.join("\n"), @"
    home    │❯ • step 1          ╰ 1-14 of 5000 ↓
    pgdn    │❯ • step 14         ╰ 14-27 of 5000 ↑↓
    ctrl+d  │❯ • step 21         ╰ 21-34 of 5000 ↑↓
    ctrl+u  │❯ • step 14         ╰ 14-27 of 5000 ↑↓
    end     │❯ • step 5000       ╰ 4987-5000 of 5000 ↑
    k       │❯ • step 4999       ╰ 4987-5000 of 5000 ↑
    pgup    │❯ • step 4986       ╰ 4974-4987 of 5000 ↑↓
    g       │❯ • step 1          ╰ 1-14 of 5000 ↓
    G       │❯ • step 5000       ╰ 4987-5000 of 5000 ↑
    ");
}

#[test]
fn a7_where_edits_cannot_be_accepted_the_choices_say_why() {
    let hint = "to accept edits: /trust first";
    let mut untrusted = asked(PLAN);
    untrusted.request.options.retain(|offer| offer.value.word() != "acceptEdits");
    for (asked, says) in [(untrusted, true), (asked(PLAN), false)] {
        let mut dialog = open(asked);
        typed(&mut dialog, "tab");
        assert_eq!(shown(&mut dialog, 100, 40).contains(hint), says);
    }
}
