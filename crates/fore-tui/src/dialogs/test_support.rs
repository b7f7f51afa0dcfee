//! For tests of dialogs: keys by name, and what a person would see.

use super::{Dialog, DialogStep, Focus};
use crate::{
    theme::{Background, Colours, Signs, Theme},
    view::{Space, View},
};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;

pub(crate) const THEME: Theme =
    Theme { colours: Colours::Sixteen, background: Background::Dark, signs: Signs::Unicode };

pub(crate) fn space(width: u16, height: u16) -> Space {
    Space { width, height, theme: THEME }
}

/// `enter`, `ctrl+j`, `x`, `"` …
pub(crate) fn key(name: &str) -> KeyEvent {
    let (modifiers, name) = match name.rsplit_once('+') {
        Some(("ctrl", name)) => (KeyModifiers::CONTROL, name),
        Some(("alt", name)) => (KeyModifiers::ALT, name),
        Some(("shift", name)) => (KeyModifiers::SHIFT, name),
        _ => (KeyModifiers::NONE, name),
    };
    let code = match name {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "backtab" => KeyCode::BackTab,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "pgup" => KeyCode::PageUp,
        "pgdn" => KeyCode::PageDown,
        "backspace" => KeyCode::Backspace,
        "delete" => KeyCode::Delete,
        "space" => KeyCode::Char(' '),
        letter if letter.chars().count() == 1 => KeyCode::Char(letter.chars().next().unwrap()),
        unknown => panic!("no key is called {unknown}"),
    };
    KeyEvent::new(code, modifiers)
}

/// Presses keys one after the other, up to the first that leads anywhere. A word in single quotes is typed.
pub(crate) fn press(dialog: &mut dyn Dialog, keys: &str) -> DialogStep {
    for word in keys.split_whitespace() {
        let typed = word.strip_prefix('\'').and_then(|word| word.strip_suffix('\''));
        let names: Vec<String> = match typed {
            Some(typed) => typed.chars().map(String::from).collect(),
            None => vec![word.to_owned()],
        };
        for name in names {
            match dialog.key(key(&name)) {
                DialogStep::Stay => {}
                step => return step,
            }
        }
    }
    DialogStep::Stay
}

/// The rows as text, the cursor as `▁`.
pub(crate) fn text_of(view: &View) -> String {
    let rows = view.lines.iter().enumerate().map(|(number, line)| {
        let mut row: Vec<char> = line.spans.iter().flat_map(|span| span.content.chars()).collect();
        if let Some(cursor) = view.cursor
            && usize::from(cursor.row) == number
        {
            let column = usize::from(cursor.column).min(row.len());
            row.insert(column, '▁');
        }
        row.into_iter().collect::<String>().trim_end().to_owned()
    });
    rows.collect::<Vec<_>>().join("\n")
}

pub(crate) fn shown(dialog: &mut dyn Dialog, width: u16, height: u16) -> String {
    text_of(&dialog.view(space(width, height), Focus::Here))
}

/// Nothing is drawn outside of the space, with every look.
pub(crate) fn assert_inside(view: &View, space: Space) {
    assert!(view.lines.len() <= usize::from(space.height), "{} rows of {}", view.lines.len(), space.height);
    for line in &view.lines {
        assert!(line.width() <= usize::from(space.width), "{} columns of {}: {line}", line.width(), space.width);
        let controls = line.spans.iter().any(|span| span.content.chars().any(char::is_control));
        assert!(!controls, "a control character would be written: {line:?}");
    }
    if let Some(cursor) = view.cursor {
        assert!(cursor.column < space.width && usize::from(cursor.row) < view.lines.len(), "{cursor:?} of {space:?}");
    }
}

/// Presses any keys in any small or large space, and looks at what is drawn each time. Gives what the keys led to.
pub(crate) fn live(dialog: &mut dyn Dialog, keys: &[KeyEvent], spaces: &[Space]) -> Vec<DialogStep> {
    let mut steps = Vec::new();
    for (number, key) in keys.iter().enumerate() {
        let space = spaces[number % spaces.len()];
        let focus = if number % 7 == 6 { Focus::Elsewhere } else { Focus::Here };
        assert_inside(&dialog.view(space, focus), space);
        if number % 11 == 10 {
            dialog.paste("1\n2\r\ty\u{1b}[31m漢字 and more words\n");
        }
        steps.push(dialog.key(*key));
    }
    steps
}

pub(crate) fn any_spaces() -> impl Strategy<Value = Vec<Space>> {
    let space = (1u16..130, 1u16..40, any::<bool>(), any::<bool>()).prop_map(|(width, height, ascii, colourless)| {
        let signs = if ascii { Signs::Ascii } else { Signs::Unicode };
        let colours = if colourless { Colours::Nothing } else { Colours::Full };
        Space { width, height, theme: Theme { signs, colours, ..THEME } }
    });
    proptest::collection::vec(space, 1..5)
}

pub(crate) fn any_keys() -> impl Strategy<Value = Vec<KeyEvent>> {
    let named = proptest::sample::select(
        "enter enter esc tab backtab up down down left right home end pgup pgdn backspace delete space 1 2 3 4 5 9 y n \
         q j k g G / o a é 漢 \u{301} ctrl+j ctrl+u ctrl+y ctrl+w ctrl+k ctrl+c ctrl+d ctrl+z alt+enter shift+enter \
         shift+down ctrl+enter alt+b alt+v ctrl+v ctrl+x ctrl+a"
            .split_whitespace()
            .collect::<Vec<_>>(),
    );
    proptest::collection::vec(named.prop_map(key), 1..60)
}
