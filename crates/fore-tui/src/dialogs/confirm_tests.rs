//! Small questions: keys in, the safe answer or the chosen one out.

use super::*;
use crate::dialogs::test_support::{any_keys, any_spaces, live, press, shown};
use proptest::prelude::*;

#[test]
fn the_question_of_trust_says_what_trusting_opens_and_begins_on_not_now() {
    let dialog = || ConfirmDialog::trust("/projects/shop");
    insta::assert_snapshot!(shown(&mut dialog(), 80, 20), @r"
    ── Do you trust the files in this folder? ──────────────────────────────────────
    /projects/shop

    Trusting this folder enables modes that ask less often. Its settings and agents
    can then grant permissions and run commands as you. Only trust code whose author
    you know.

      1. Trust this folder
         it is remembered; `/trust` or `fore trust` change it
    ❯ 2. Not now
         You'll be asked before each change; this folder's own settings are ignored
    Enter confirms • Esc not now
    ");
    insta::assert_snapshot!(shown(&mut dialog(), 40, 10), @r"
    ── Do you trust the files in this folde…
    /projects/shop

    Trusting this folder enables modes that
    ask less often. Its settings and agents
    can then grant permissions and run
    ↓ 2 more lines • PgUp PgDn
      1. Trust this folder
    ❯ 2. Not now
    Enter confirms • Esc not now
    ");
    let picked = |value: &str| DialogStep::Picked(value.into());
    let page = [
        ("enter", picked(NOT_NOW)),
        ("esc", picked(NOT_NOW)),
        ("1 esc", picked(NOT_NOW)),
        ("y t space", DialogStep::Stay),
        ("1 enter", picked(TRUST)),
        ("up enter", picked(TRUST)),
    ];
    for (keys, step) in page {
        assert_eq!(press(&mut dialog(), keys), step, "{keys}");
    }
}

#[test]
fn what_is_vouched_for_is_shown_line_by_line_and_has_to_be_seen_to_its_end() {
    let entry: String = (1..=30).map(|number| format!("  \"VARIABLE_{number}\": \"x\",\n")).collect();
    let mut dialog = ConfirmDialog::vouch(None, "tickets", &format!("{entry}  \"LD_PRELOAD\": \"./evil.so\"\n"));
    let first = shown(&mut dialog, 80, 20);
    assert!(first.contains("\n  \"VARIABLE_1\": \"x\",\n") && !first.contains("LD_PRELOAD"), "{first}");
    let mut pages = 0;
    while press(&mut dialog, "1 enter") == DialogStep::Stay {
        pages += 1;
        assert!(pages < 10, "{}", shown(&mut dialog, 80, 20));
        let page = shown(&mut dialog, 80, 20);
        assert!(page.contains("Enter shows the rest first") || page.contains("LD_PRELOAD"), "{page}");
    }
    assert!(pages > 1 && shown(&mut dialog, 80, 20).contains("./evil.so"), "{pages} pages");
    assert_eq!(press(&mut dialog, "1 enter"), DialogStep::Picked(TRUST.into()));
    let mut unread = ConfirmDialog::vouch(Some("log"), "git", &entry);
    assert_eq!(press(&mut unread, "esc"), DialogStep::Picked(NOT_NOW.into()), "a no needs no reading");
}

#[test]
fn leaving_with_work_running_begins_on_staying() {
    let mut dialog = ConfirmDialog::leave("2 agents and `cargo test` are at work.");
    insta::assert_snapshot!(shown(&mut dialog, 80, 20), @r"
    ── Leave while something runs? ─────────────────────────────────────────────────
    2 agents and `cargo test` are at work.

      1. Stop it and leave
         the session is kept; `fore --resume` opens it again
    ❯ 2. Stay
    Enter confirms • Esc stay
    ");
    assert_eq!(press(&mut dialog, "enter"), DialogStep::Picked(STAY.into()));
    assert_eq!(press(&mut dialog, "1 enter"), DialogStep::Picked(LEAVE.into()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_keys_draw_inside_the_space(keys in any_keys(), spaces in any_spaces()) {
        live(&mut ConfirmDialog::trust("/home/ada/\u{1b}[2J漢字/shop"), &keys, &spaces);
    }
}
