//! Lists to choose from: keys in, rows and the choice out.

use super::*;
use crate::dialogs::test_support::{any_keys, any_spaces, live, press, shown};
use crate::options::FolderTrust;
use proptest::prelude::*;

fn sessions() -> PickerDialog {
    let row = |id: &str, about: &str, age: &str, awaits_approval| SessionRow {
        id: id.parse().unwrap(),
        about: about.into(),
        age: age.into(),
        mode: "plan".into(),
        awaits_approval,
    };
    PickerDialog::sessions(&[
        row("01890a5d-ac96-774b-bcce-b302099a8057", "Why is login slow? Plan a fix", "2 minutes ago", true),
        row("01890a5d-ac96-774b-bcce-b302099a8058", "Rename the orders table", "yesterday", false),
        row("01890a5d-ac96-774b-bcce-b302099a8059", "", "3 days ago", false),
    ])
}

#[test]
fn sessions_are_listed_with_what_waits_in_them() {
    insta::assert_snapshot!(shown(&mut sessions(), 80, 20), @r"
    ── Resume a session ────────────────────────────────────────────────────────────
    ❯ ▁type to filter
    ❯   Why is login slow? Plan a fix  a plan awaits approval  2 minutes ago, plan
        Rename the orders table        yesterday, plan
        (no prompt yet)                3 days ago, plan
    Enter picks • Esc closes • arrows move
    ");
    insta::assert_snapshot!(shown(&mut sessions(), 40, 8), @r"
    ── Resume a session ────────────────────
    ❯ ▁type to filter
    ❯   Why is login slow…  a plan awaits a…
        Rename the orders…  yesterday, plan
        (no prompt yet)     3 days ago, plan
    Enter picks • Esc closes • arrows move
    ");
}

#[test]
fn what_is_typed_narrows_the_list_and_enter_picks() {
    let mut picker = sessions();
    assert_eq!(press(&mut picker, "'ord'"), DialogStep::Stay);
    insta::assert_snapshot!(shown(&mut picker, 80, 20), @r"
    ── Resume a session ────────────────────────────────────────────────────────────
    ❯ ord▁
    ❯   Rename the orders table  yesterday, plan
        (no prompt yet)          3 days ago, plan
    Enter picks • Esc closes • arrows move
    ");
    assert_eq!(press(&mut picker, "enter"), DialogStep::Picked("01890a5d-ac96-774b-bcce-b302099a8058".into()));
    assert_eq!(press(&mut picker, "'xyz'"), DialogStep::Stay);
    insta::assert_snapshot!(shown(&mut picker, 80, 20), @r"
    ── Resume a session ────────────────────────────────────────────────────────────
    ❯ ordxyz▁
    no match
    Enter picks • Esc closes • arrows move
    ");
    assert_eq!(press(&mut picker, "enter"), DialogStep::Stay);
    assert_eq!(press(&mut picker, "esc"), DialogStep::Close);
}

#[test]
fn models_and_modes_begin_at_the_one_in_use() {
    let model = |name: &str, why: &str| ModelRow { name: name.into(), why: why.into() };
    let rows = [model("local/small", "found on 127.0.0.1:11434"), model("scout", "built in, needs no key")];
    let mut models = PickerDialog::models(&rows, "scout");
    insta::assert_snapshot!(shown(&mut models, 80, 20), @r"
    ── Choose a model ──────────────────────────────────────────────────────────────
    ❯ ▁type to filter
        local/small  found on 127.0.0.1:11434
    ❯ ✔ scout        built in, needs no key
    Enter picks • Esc closes • arrows move
    ");
    assert_eq!(press(&mut models, "enter"), DialogStep::Picked("scout".into()));
    assert_eq!(press(&mut models, "up enter"), DialogStep::Picked("local/small".into()));

    let all = [Mode::At(Level::Default), Mode::At(Level::AcceptEdits), Mode::Plan];
    let mut modes = PickerDialog::modes(&all, Mode::At(Level::Default), FolderTrust::Trusted);
    insta::assert_snapshot!(shown(&mut modes, 60, 20), @r"
    ── Switch the mode ─────────────────────────────────────────
    ❯ ▁type to filter
    ❯ ✔ default      asks before each change
        acceptEdits  file edits pass, the rest asks
        plan         reads and plans; nothing changes until you…
    Enter picks • Esc closes • arrows move
    ");
    assert_eq!(press(&mut modes, "end enter"), DialogStep::Picked("plan".into()));
}

#[test]
fn a_long_list_scrolls_with_the_selection_and_says_what_it_leaves_out() {
    let row = |number: usize| PickRow { id: number.to_string(), label: format!("row {number}"), ..PickRow::default() };
    let mut picker = PickerDialog::new("Rows", (0..MAX_ROWS + 7).map(row).collect());
    press(&mut picker, "pgdn pgdn down");
    insta::assert_snapshot!(shown(&mut picker, 40, 8), @r"
    ── Rows ────────────────────────────────
    ❯ ▁type to filter
        row 1
        row 2
    ❯   row 3
        row 4
    4 of 2000; 7 more are not listed
    Enter picks • Esc closes • arrows move
    ");
    press(&mut picker, "pgdn");
    insta::assert_snapshot!(shown(&mut picker, 40, 8), @r"
    ── Rows ────────────────────────────────
    ❯ ▁type to filter
        row 5
        row 6
    ❯   row 7
        row 8
    8 of 2000; 7 more are not listed
    Enter picks • Esc closes • arrows move
    ");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_rows_are_drawn_inside_the_space(text in any::<String>(), keys in any_keys(), spaces in any_spaces()) {
        let row = PickRow { id: text.clone(), label: text.clone(), detail: text.clone(), is_current: true, notice: text };
        live(&mut PickerDialog::new("漢字\u{7}", vec![row; 30]), &keys, &spaces);
    }
}
