//! How it looks where colours and letters are few: NO_COLOR, sixteen colours, a light background, no UTF-8.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::{
    stage::{Person, Stage, USUAL, WIDE},
    steps::{wait_question, wait_reply},
};
use fore_testkit::{ModelScript, call, terminal::Screen, text};
use serde_json::json;
use std::collections::BTreeSet;

const REPLY: &str = "# Head\n\nSome *words* with `code`:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```rust\nfn main() {}\n```\n";

/// A reply with everything in it, and a question about an edit.
fn script() -> ModelScript {
    let edit = json!({"file_path": "src/login.rs", "old_string": "users()", "new_string": "by_name(name)"});
    ModelScript::new()
        .turn(call("Read", json!({"file_path": "src/login.rs"})))
        .turn(text(REPLY).call("Edit", edit))
        .allow_unused_turns()
}

/// The screen with the question on it.
fn shown(stage: &Stage) -> (Screen, String) {
    let terminal = stage.start(&["Use by_name."], WIDE);
    wait_question(&terminal, "1. Yes");
    (terminal.screen(), terminal.scrollback_text())
}

/// The colours that are used, by name.
fn colours(screen: &Screen) -> BTreeSet<String> {
    let styled = screen.styled();
    let looks = styled.split('[').skip(1).filter_map(|piece| piece.split_once(']')).map(|(look, _)| look);
    let words = looks.flat_map(str::split_whitespace);
    let attributes = ["bold", "dim", "italic", "underline", "reverse", "on", "/"];
    let is_colour = |word: &str| {
        word.starts_with('#')
            || ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
                .iter()
                .any(|name| word.ends_with(name))
    };
    words.filter(|word| !attributes.contains(word) && is_colour(word)).map(str::to_owned).collect()
}

#[test]
fn with_no_color_there_is_no_colour_at_all() {
    let stage = Stage::new(script(), Person::Known).variable("NO_COLOR", Some("1"));
    let (screen, _) = shown(&stage);
    assert_eq!(colours(&screen), BTreeSet::new());
    stage.finish();
}

#[test]
fn without_utf8_only_ascii_is_written() {
    let stage = Stage::new(script(), Person::Known).variable("LC_ALL", Some("C"));
    let (_, all) = shown(&stage);
    assert!(all.is_ascii(), "{all}");
    stage.finish();
}

#[test]
fn a_terminal_with_sixteen_colours_gets_no_others() {
    let stage = Stage::new(script(), Person::Known).variable("COLORTERM", None);
    let (screen, _) = shown(&stage);
    let used = colours(&screen);
    assert!(!used.is_empty() && used.iter().all(|name| !name.starts_with('#')), "{used:?}");
    stage.finish();
}

#[test]
fn on_a_light_background_other_colours_are_used() {
    let on = |variable: Option<&str>| {
        let stage = Stage::new(script(), Person::Known).variable("COLORFGBG", variable);
        let (screen, _) = shown(&stage);
        stage.finish();
        colours(&screen)
    };
    let (dark, light) = (on(Some("15;0")), on(Some("0;15")));
    let is_own = |name: &String| name.starts_with('#');
    assert!(!dark.is_empty() && dark.iter().all(is_own) && !light.is_empty() && light.iter().all(is_own));
    // Where nothing is known of the background the terminal's own colours are safe.
    let unknown = on(None);
    assert!(!unknown.is_empty() && !unknown.iter().any(is_own), "{unknown:?}");
    let same: Vec<_> = dark.intersection(&light).collect();
    assert_eq!(same, Vec::<&String>::new());
}

#[test]
fn what_a_model_says_cannot_draw_on_the_screen() {
    let said = "before\x1b[2J\x1b[31mred\x1b]0;title\x07\r\x08after";
    let stage = Stage::new(ModelScript::new().turn(text(said)), Person::Known);
    let terminal = stage.start(&["Hi"], USUAL);
    wait_reply(&terminal, "after");
    let screen = terminal.screen();
    assert!(screen.contains("Forethought") && screen.contains("before"), "{}", screen.text());
    assert_eq!(screen.title, "shop – fore");
    assert_eq!(screen.bells, 0);
    stage.finish();
}
