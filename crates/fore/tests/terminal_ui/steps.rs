//! What tests of the terminal do again and again: wait for the first prompt, leave, look at what a model was told.
#![allow(clippy::unwrap_used, reason = "a test may stop where it is wrong")]

use crate::stage::Stage;
use fore_testkit::{
    ToldPart,
    terminal::{Exit, Screen, Terminal, TerminalKey},
};

/// What a question says that is about to take the keys, and one that waits for Tab.
pub(crate) const SOON: &str = "Soon keys answer here";
const ELSEWHERE: &str = "Tab to answer";

/// Waits until there is a session and something can be typed.
#[track_caller]
pub(crate) fn wait_ready(terminal: &Terminal) {
    terminal.wait_rows("a session", |rows| status(rows).contains(['▣', '▢']));
}

/// The last row that is not empty.
pub(crate) fn status(rows: &[String]) -> String {
    rows.iter().rev().find(|row| !row.is_empty()).cloned().unwrap_or_default()
}

/// Waits until the status line begins so.
#[track_caller]
pub(crate) fn wait_status(terminal: &Terminal, begin: &str) {
    terminal.wait_rows(&format!("the status line {begin:?}"), |rows| status(rows).starts_with(begin));
}

/// Waits until the first line in the composer is this; the conversation above shows prompts in the same way.
#[track_caller]
pub(crate) fn wait_draft(terminal: &Terminal, draft: &str) {
    let row = format!("❯ {draft}");
    terminal.wait_rows(&format!("{draft:?} as the draft"), |rows| {
        rows.windows(2).any(|pair| pair[0].starts_with("──") && pair[1] == row)
    });
}

/// Waits until nothing is written.
#[track_caller]
pub(crate) fn wait_invited(terminal: &Terminal) {
    terminal.wait_for("❯ Ask");
}

/// Waits until a question with these words has taken the keys, which nobody uses meanwhile.
#[track_caller]
pub(crate) fn wait_question(terminal: &Terminal, words: &str) -> Screen {
    terminal.wait_rows(&format!("a question with {words:?} that has the keys"), |rows| {
        let has = |part: &str| rows.iter().any(|row| row.contains(part));
        has(words) && !has(SOON) && !has(ELSEWHERE)
    })
}

/// Gives the keys to the question that comes up, where it does not take them by itself.
pub(crate) fn focus(terminal: &mut Terminal) {
    let keys = [ELSEWHERE, "Esc leave", "Esc no", "? keys"];
    let shown =
        terminal.wait_rows("a question", |rows| rows.iter().any(|row| keys.iter().any(|key| row.contains(key))));
    if shown.contains(ELSEWHERE) {
        terminal.key(TerminalKey::Tab);
        terminal.wait_gone(ELSEWHERE);
    } else if shown.contains("? keys") {
        turn_to_plan(terminal);
    }
}

/// Moves in a plan that has come up: letters are its keys only from then on.
pub(crate) fn turn_to_plan(terminal: &mut Terminal) {
    terminal.key(TerminalKey::Down);
    terminal.key(TerminalKey::Up);
}

/// Waits until a reply is there and its turn has ended.
#[track_caller]
pub(crate) fn wait_reply(terminal: &Terminal, reply: &str) {
    terminal.wait_for(reply);
    terminal.wait_rows("the end of the turn", |rows| {
        let status = status(rows);
        status.contains(['▣', '▢']) && !status.contains("stops")
    });
}

/// Ctrl+C twice, and the terminal is as it was.
#[track_caller]
pub(crate) fn leave(terminal: &mut Terminal) {
    terminal.key(TerminalKey::Ctrl('c'));
    terminal.wait_for("ctrl+c");
    terminal.key(TerminalKey::Ctrl('c'));
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    assert_at_rest(terminal);
}

/// Nothing that the program switched on is left on.
#[track_caller]
pub(crate) fn assert_at_rest(terminal: &Terminal) {
    assert!(terminal.screen().modes.are_at_rest(), "{:?}", terminal.screen().modes);
    assert!(terminal.is_cooked(), "raw mode is left on");
}

/// Words of the person's side in the request with this number, all together.
pub(crate) fn words_of(stage: &Stage, request: usize) -> String {
    let requests = stage.server.requests();
    let told = requests.get(request).map(|request| request.told.clone()).unwrap_or_default();
    let words = told.into_iter().filter_map(|told| match told {
        ToldPart::Words(words) => Some(words),
        _ => None,
    });
    words.collect::<Vec<_>>().join("\n---\n")
}
