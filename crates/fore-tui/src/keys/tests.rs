//! Pages of keys: what they mean, what settings may say, what help shows.

use super::chord::OptionKey;
use super::*;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::collections::BTreeMap;

const NONE: KeyModifiers = KeyModifiers::NONE;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const ALT: KeyModifiers = KeyModifiers::ALT;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;

fn settings(rows: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
    rows.iter().map(|(name, keys)| ((*name).into(), keys.iter().map(|key| (*key).into()).collect())).collect()
}

fn problems(rows: &[(&str, &[&str])]) -> String {
    Keymap::with(&settings(rows)).expect_err("refused").join("\n")
}

#[test]
fn keys_mean_the_same_however_a_terminal_reports_them() {
    let page = [
        (KeyCode::Enter, NONE, Some(KeyAction::Submit)),
        (KeyCode::Enter, ALT, Some(KeyAction::NewLine)),
        (KeyCode::Enter, SHIFT, Some(KeyAction::NewLine)),
        (KeyCode::Char('j'), CTRL, Some(KeyAction::NewLine)),
        (KeyCode::BackTab, NONE, Some(KeyAction::CycleMode)),
        (KeyCode::BackTab, SHIFT, Some(KeyAction::CycleMode)),
        (KeyCode::Tab, SHIFT, Some(KeyAction::CycleMode)),
        (KeyCode::Tab, NONE, Some(KeyAction::FocusDialog)),
        (KeyCode::Char('m'), ALT, Some(KeyAction::CycleMode)),
        (KeyCode::Char('M'), ALT | SHIFT, Some(KeyAction::CycleMode)),
        (KeyCode::Char('c'), CTRL, Some(KeyAction::Leave)),
        (KeyCode::Char('C'), CTRL | SHIFT, Some(KeyAction::Leave)),
        (KeyCode::Char('d'), CTRL, Some(KeyAction::EndOfInput)),
        (KeyCode::Esc, NONE, Some(KeyAction::Interrupt)),
        (KeyCode::Char('7'), CTRL, Some(KeyAction::Undo)),
        (KeyCode::Char('_'), CTRL | SHIFT, Some(KeyAction::Undo)),
        (KeyCode::Char('s'), CTRL, Some(KeyAction::SteerNow)),
        (KeyCode::Char('m'), NONE, None),
        (KeyCode::Char('C'), SHIFT, None),
        (KeyCode::Char('7'), NONE, None),
        (KeyCode::Char('µ'), NONE, None),
        (KeyCode::F(5), NONE, None),
        (KeyCode::Enter, KeyModifiers::SUPER, None),
        (KeyCode::Char('c'), CTRL | KeyModifiers::META, None),
    ];
    let keymap = Keymap::default().on(OptionKey::IsAlt);
    for (code, held, expected) in page {
        assert_eq!(keymap.action(&KeyEvent::new(code, held)), expected, "{code:?} {held:?}");
    }
}

#[test]
fn option_m_of_a_mac_cycles_the_mode_and_other_letters_stay_letters() {
    let keymap = Keymap::default().on(OptionKey::WritesLetters);
    let typed = |letter| keymap.action(&KeyEvent::new(KeyCode::Char(letter), NONE));
    assert_eq!([typed('µ'), typed('ß'), typed('m')], [Some(KeyAction::CycleMode), None, None]);
}

#[test]
fn a_key_counts_when_pressed_and_repeated_never_when_let_go() {
    let kinds = [KeyEventKind::Press, KeyEventKind::Repeat, KeyEventKind::Release];
    let found = kinds.map(|kind| Keymap::default().action(&KeyEvent::new_with_kind(KeyCode::Esc, NONE, kind)));
    assert_eq!(found, [Some(KeyAction::Interrupt), Some(KeyAction::Interrupt), None]);
}

#[test]
fn settings_replace_the_keys_of_one_action_and_leave_the_others() {
    let keymap = Keymap::with(&settings(&[("cycleMode", &["F2", "Control + b"]), ("redo", &[])])).expect("readable");
    assert_eq!(keymap.keys_of(KeyAction::CycleMode), ["F2", "Ctrl+B"]);
    assert_eq!(keymap.keys_of(KeyAction::Redo), [""; 0]);
    assert_eq!(keymap.keys_of(KeyAction::Submit), ["Enter"]);
    assert_eq!(keymap.action(&KeyEvent::new(KeyCode::F(2), NONE)), Some(KeyAction::CycleMode));
    assert_eq!(keymap.action(&KeyEvent::new(KeyCode::BackTab, SHIFT)), None);
}

#[test]
fn what_settings_may_not_say_is_refused_in_words() {
    insta::assert_snapshot!(problems(&[("fly", &["f2"])]), @"`fly` is not an action; there are submit, steerNow, newLine, interrupt, leave, endOfInput, cycleMode, focusDialog, openEditor, toggleDetails, historyBack, historyForward, historySearch, undo, redo, redraw, suspend");
    insta::assert_snapshot!(problems(&[("redraw", &["hyper+x", "ctrl+", "f99", "a", "ctrl+i"])]), @"
    redraw: `hyper+x` is not a key; a key is written like ctrl+g, alt+m, shift+tab or f5
    redraw: `ctrl+` is not a key; a key is written like ctrl+g, alt+m, shift+tab or f5
    redraw: `f99` is not a key; a key is written like ctrl+g, alt+m, shift+tab or f5
    redraw: `a` is needed for writing; put ctrl+ or alt+ before it
    redraw: `ctrl+i` can't be told apart from Tab in a terminal; choose another key
    ");
    insta::assert_snapshot!(problems(&[("cycleMode", &["ctrl+g"])]), @"Ctrl+G can't mean cycleMode and openEditor");
    insta::assert_snapshot!(problems(&[("interrupt", &[]), ("leave", &[]), ("submit", &[])]), @"
    interrupt needs a key: without one nobody could stop the agent
    leave needs a key: without one nobody could leave
    submit needs a key: without one nobody could send anything
    ");
    insta::assert_snapshot!(problems(&[("interrupt", &["nothing"])]), @"interrupt: `nothing` is not a key; a key is written like ctrl+g, alt+m, shift+tab or f5");
    insta::assert_snapshot!(problems(&[("undo", &["f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9"])]), @"undo has 9 keys; 8 is the most");
}

#[test]
fn help_has_every_action_with_its_keys() {
    let keymap = Keymap::default();
    let rows: Vec<String> = KeyAction::ALL
        .iter()
        .map(|action| format!("{:<24} {}", keymap.keys_of(*action).join(", "), action.about()))
        .collect();
    insta::assert_snapshot!(rows.join("\n"), @r"
    Enter                    send; it waits while the agent works
    Ctrl+S, Alt+S            send now, into the running turn
    Ctrl+J, Alt+Enter, Shift+Enter a new line (also \ before Enter)
    Esc                      stop the current action; twice: edit the last prompt
    Ctrl+C                   stop the current action, else clear the line; twice: leave
    Ctrl+D                   leave, when nothing is written
    Shift+Tab, Alt+M         the next mode
    Tab, Ctrl+T              go to the question that waits, and back
    Ctrl+G                   write in your editor
    Ctrl+O                   everything in full, on the whole screen
    Up, Ctrl+P               the prompt before; takes back queued messages
    Down, Ctrl+N             the prompt after
    Ctrl+R                   search earlier prompts
    Ctrl+_                   take back the last change of the text
    Alt+_                    redo it
    Ctrl+L                   draw the screen again
    Ctrl+Z                   back to the shell; fg returns
    ");
}
