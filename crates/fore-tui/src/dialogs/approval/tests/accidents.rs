//! What must not happen by accident, and what each answer takes.

use super::*;
use crate::dialogs::test_support::{any_keys, any_spaces, assert_inside, key, live};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use proptest::prelude::*;

#[test]
fn d3_each_choice_is_answered_by_going_to_it_and_pressing_enter() {
    let page = [
        ("tab 1 enter", "startEditing"),
        ("1 tab enter", "startEditing"),
        ("tab 2 enter", "acceptEdits"),
        ("tab 3 enter", "clearContextAndStart"),
        ("tab up enter", "clearContextAndStart"),
        ("tab enter enter", "keepPlanning"),
        ("tab 4 enter enter", "keepPlanning"),
        ("tab down enter", "saveAndStop"),
        ("tab 5 enter", "saveAndStop"),
        ("tab 6 enter", "leavePlanMode"),
        ("tab 7 enter down enter", "discard"),
        ("end down enter enter", "keepPlanning"),
        ("backtab up up up enter", "startEditing"),
        ("esc", "keepPlanning"),
        ("tab 1 esc", "keepPlanning"),
    ];
    for (keys, selected) in page {
        assert_eq!(typed(&mut open(asked(PLAN)), keys), sent(answer(selected)), "{keys}");
    }
}

#[test]
fn neither_enter_nor_digits_nor_letters_answer_before_the_choices_are_entered() {
    let page = [
        "enter",
        "enter enter enter",
        "1",
        "1 enter",
        "1 2 3 enter",
        "y enter",
        "down down down enter",
        "1 j enter",
        "tab 1 tab enter",
        "tab 1 d enter",
        "tab 1 alt+enter ctrl+enter shift+enter",
        "alt+1 ctrl+1 tab enter",
        "tab 9 enter",
        "y a s q w z t h i l o p m A Y 0 = - + ; space backspace delete left right",
    ];
    for keys in page {
        let mut approval = open(asked(PLAN));
        assert_eq!(typed(&mut approval, keys), DialogStep::Stay, "{keys}");
    }
}

#[test]
fn enter_in_the_plan_text_says_where_it_answers() {
    let mut approval = open(asked(PLAN));
    typed(&mut approval, "enter");
    assert_eq!(last_row(&mut approval), "Enter answers only among the choices: Tab goes there.");
    typed(&mut approval, "2");
    assert_eq!(last_row(&mut approval), "2 is marked. Tab, then Enter, to answer with it.");
}

#[test]
fn the_choices_are_entered_at_the_careful_one() {
    let mut approval = open(asked(PLAN));
    typed(&mut approval, "tab");
    let text = crate::dialogs::test_support::shown(&mut approval, 100, 40);
    let selected: Vec<&str> = text.lines().filter(|row| row.starts_with('❯')).collect();
    assert_eq!(selected, ["❯ 4 Keep planning                                   ⏸ plan"]);
}

#[test]
fn pasted_text_never_chooses() {
    let mut approval = open(asked(PLAN));
    for keys in ["", "tab", "tab tab 1", "tab"] {
        typed(&mut approval, keys);
        approval.paste("1\n\t1\ny\n");
    }
    assert_eq!(typed(&mut approval, "esc"), sent(answer("keepPlanning")));
}

#[test]
fn a_key_that_is_held_down_or_let_go_does_not_answer() {
    let mut approval = open(asked(PLAN));
    typed(&mut approval, "tab 1");
    for kind in [KeyEventKind::Repeat, KeyEventKind::Release] {
        for code in [KeyCode::Enter, KeyCode::Esc] {
            let key = KeyEvent { kind, ..KeyEvent::new(code, KeyModifiers::NONE) };
            assert_eq!(approval.key(key), DialogStep::Stay, "{key:?}");
        }
    }
    assert_eq!(typed(&mut approval, "enter"), sent(answer("startEditing")));
}

#[test]
fn what_was_not_on_the_screen_cannot_be_chosen() {
    let mut unseen = ApprovalDialog::new(asked(PLAN));
    assert_eq!(press(&mut unseen, "tab 1 enter"), DialogStep::Stay);

    let mut small = open(asked(PLAN));
    small.view(space(100, 3), Focus::Here);
    assert_eq!(press(&mut small, "tab 1 enter"), DialogStep::Stay);
    assert_eq!(press(&mut small, "esc"), sent(answer("keepPlanning")));
}

#[test]
fn a_plan_whose_end_is_not_drawn_cannot_be_approved() {
    let plan = "\n".repeat(20_000) + "The end.\n";
    let mut approval = open(asked(&plan));
    assert_eq!(typed(&mut approval, "tab 1 enter"), DialogStep::Stay);
    let words = "The end of this plan was not shown to you: edit it, or keep planning.";
    assert_eq!(last_row(&mut approval), words);
    assert_eq!(typed(&mut approval, "5 enter"), sent(answer("saveAndStop")));
}

#[test]
fn throwing_the_plan_away_is_asked_once_more() {
    let mut approval = open(asked(PLAN));
    assert_eq!(typed(&mut approval, "tab 7 enter"), DialogStep::Stay);
    assert_eq!(typed(&mut approval, "enter"), DialogStep::Stay, "the answer that stands first goes back");
    assert_eq!(typed(&mut approval, "enter"), DialogStep::Stay);
    assert_eq!(typed(&mut approval, "tab enter esc"), DialogStep::Stay);
    assert_eq!(typed(&mut approval, "tab enter 2 enter"), sent(answer("discard")));
}

#[test]
fn without_choices_only_keep_planning_is_left() {
    let mut request = asked(PLAN);
    request.request.options.clear();
    let mut approval = open(request);
    assert_eq!(typed(&mut approval, "tab enter down enter 1 enter up"), DialogStep::Stay);
    assert_eq!(typed(&mut approval, "esc"), sent(answer("keepPlanning")));
}

/// Whether a key could have moved to a choice.
fn moves_to_a_choice(key: &KeyEvent) -> bool {
    matches!(key.code, KeyCode::Tab | KeyCode::BackTab | KeyCode::Down)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn only_a_move_to_a_choice_and_enter_lead_out_of_planning(keys in any_keys(), spaces in any_spaces()) {
        let mut approval = ApprovalDialog::new(asked_again(PLAN));
        let steps = live(&mut approval, &keys, &spaces);
        for (number, step) in steps.iter().enumerate() {
            if let DialogStep::Send(Command::Approval(response)) = step
                && response.selected != "keepPlanning".into()
            {
                let before = &keys[..number];
                prop_assert_eq!(keys[number], key("enter"));
                prop_assert!(before.iter().any(moves_to_a_choice), "{:?} led to {:?}", before, response);
            }
        }
    }

    #[test]
    fn no_keys_and_no_plan_draw_outside_of_the_space(
        plan in "([-#>|`*1. ]{0,3}[a-z漢é\u{202e}\u{1b}\t\u{301} ]{0,60}\n){0,30}",
        keys in any_keys(),
        spaces in any_spaces(),
    ) {
        let mut approval = ApprovalDialog::new(asked_again(&plan));
        for (number, key) in keys.iter().enumerate() {
            let space = spaces[number % spaces.len()];
            assert_inside(&approval.view(space, Focus::Here), space);
            if let DialogStep::Edit { text, .. } = approval.key(*key) {
                approval.edited(Ok(text + "one more line\n"));
            }
            approval.paste("1\n漢字 \u{1b}[31m\n");
        }
    }
}
