//! What to make of keys that arrived at once: typed, a line with its Enter, or a paste that its terminal did not mark.
//!
//! The rule: what one read of the terminal brings was in it at once, so no hand typed it. Text with a line break before its end
//! is a paste, and all of it is text, a break at its end too: it sends nothing and answers nothing. Text whose only break is its
//! end may be a line that a script types (`tmux send-keys 'hi' Enter`): the composer sends it. In a dialog it answers nothing,
//! for an answer is a key by itself. A key that is not text (an arrow, Esc, Ctrl with a letter) always stands by itself.

use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// One or more keys that came at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Burst {
    /// Keys as a hand types them.
    Typed,
    /// A line and the Enter that ends it.
    Line,
    /// Several lines.
    Paste,
}

/// What came at once, in order, with the keys that may be one text together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum BurstPart {
    Keys(Vec<KeyEvent>),
    Other(Input),
}

/// Parts what came at once where a text would end.
pub(crate) fn parts(inputs: Vec<Input>) -> Vec<BurstPart> {
    let mut parts: Vec<BurstPart> = Vec::new();
    let mut is_text = false;
    for input in inputs {
        let key = match input {
            Input::Key(key) => key,
            other => {
                parts.push(BurstPart::Other(other));
                is_text = false;
                continue;
            }
        };
        let was_text = std::mem::replace(&mut is_text, letter(&key).is_some());
        match parts.last_mut() {
            Some(BurstPart::Keys(keys)) if was_text && is_text => keys.push(key),
            _ => parts.push(BurstPart::Keys(vec![key])),
        }
    }
    parts
}

/// What keys are that came at once.
pub(crate) fn judge(keys: &[KeyEvent]) -> Burst {
    let is_enter = |key: &KeyEvent| letter(key) == Some('\r');
    match keys.iter().position(is_enter) {
        None => Burst::Typed,
        Some(_) if keys.len() == 1 => Burst::Typed,
        Some(first) if first + 1 == keys.len() => Burst::Line,
        // Enter held down, or pressed twice before anybody looked.
        Some(_) if keys.iter().all(is_enter) => Burst::Line,
        Some(_) => Burst::Paste,
    }
}

/// The text that these keys would write.
pub(crate) fn text(keys: &[KeyEvent]) -> String {
    keys.iter().filter_map(letter).collect()
}

/// What a key writes, as terminals send it in a paste.
pub(crate) fn letter(key: &KeyEvent) -> Option<char> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    match (key.code, key.modifiers) {
        (KeyCode::Enter, KeyModifiers::NONE) => Some('\r'),
        (KeyCode::Tab, KeyModifiers::NONE) => Some('\t'),
        (KeyCode::Char('j'), KeyModifiers::CONTROL) => Some('\n'),
        (KeyCode::Char(letter), KeyModifiers::NONE | KeyModifiers::SHIFT) => Some(letter),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialogs::test_support::key;

    fn keys(names: &str) -> Vec<KeyEvent> {
        names.split_whitespace().map(key).collect()
    }

    #[test]
    fn several_lines_at_once_are_a_paste_and_one_line_is_typed() {
        let page = [
            ("a", Burst::Typed),
            ("enter", Burst::Typed),
            ("a b space c", Burst::Typed),
            ("h i enter", Burst::Line),
            ("/ h e tab enter", Burst::Line),
            ("enter enter", Burst::Line),
            ("a enter b", Burst::Paste),
            ("a enter b enter", Burst::Paste),
            ("a enter enter", Burst::Paste),
            ("enter a", Burst::Paste),
            ("a enter ctrl+j b", Burst::Paste),
            ("a ctrl+j b", Burst::Typed),
        ];
        for (names, burst) in page {
            assert_eq!(judge(&keys(names)), burst, "{names}");
        }
    }

    #[test]
    fn a_key_that_is_not_text_stands_by_itself() {
        let inputs = keys("a enter down b esc enter ctrl+c x").into_iter().map(Input::Key).collect();
        let shown = parts(inputs).into_iter().map(|part| match part {
            BurstPart::Keys(keys) => keys.len(),
            BurstPart::Other(_) => 0,
        });
        assert_eq!(shown.collect::<Vec<_>>(), [2, 1, 1, 1, 1, 1, 1]);
        let inputs = vec![Input::Key(key("a")), Input::Paste("b".into()), Input::Key(key("enter"))];
        let apart = vec![
            BurstPart::Keys(keys("a")),
            BurstPart::Other(Input::Paste("b".into())),
            BurstPart::Keys(keys("enter")),
        ];
        assert_eq!(parts(inputs), apart);
    }

    #[test]
    fn the_text_is_what_a_marked_paste_would_hold() {
        assert_eq!(text(&keys("a tab é enter ctrl+j B enter")), "a\té\r\nB\r");
    }
}
