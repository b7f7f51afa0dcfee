//! Pages of keys: what stands in the composer, what is sent, what is seen.

mod any_key;
mod appearance;
mod completing;
mod pasting;
mod recalling;
mod typing;

use super::*;
use crate::theme::{Background, Colours, Signs, Theme};
use crate::view::{Space, View};
use crossterm::event::KeyModifiers;

const PLAIN: Theme = Theme { colours: Colours::Nothing, background: Background::Dark, signs: Signs::Unicode };

/// A composer and the person in front of it.
struct TestComposer {
    composer: Composer,
    keymap: Keymap,
}

impl TestComposer {
    fn new() -> TestComposer {
        TestComposer::with_history(&[])
    }

    fn with_history(history: &[&str]) -> TestComposer {
        let history = history.iter().map(|text| (*text).into()).collect();
        TestComposer {
            composer: Composer::new(history, FileSource::new("/projects/nowhere")),
            keymap: Keymap::default(),
        }
    }

    /// Letters as they are, other keys in angle brackets: `fix it<ctrl+j>now<enter>`. Gives what the last one led to.
    fn keys(&mut self, keys: &str) -> ComposerStep {
        let mut last = ComposerStep::Nothing;
        for key in read_keys(keys) {
            last = self.composer.key(key, &self.keymap);
        }
        last
    }

    fn text(&self) -> String {
        self.composer.text()
    }

    /// What is seen, with `‸` where the cursor is.
    fn screen(&mut self, width: u16, height: u16) -> String {
        picture(&self.composer.view(Space { width, height, theme: PLAIN }, ComposerFocus::Focused))
    }
}

fn picture(view: &View) -> String {
    let mut rows: Vec<String> = view.lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect();
    if let Some(cursor) = view.cursor
        && let Some(row) = rows.get_mut(usize::from(cursor.row))
    {
        let column = usize::from(cursor.column);
        let mut wide = 0;
        let mut at = row.len();
        for (start, letter) in unicode_segmentation::UnicodeSegmentation::grapheme_indices(row.as_str(), true) {
            if wide >= column {
                at = start;
                break;
            }
            wide += unicode_width::UnicodeWidthStr::width(letter);
        }
        row.insert_str(at, &format!("{}‸", " ".repeat(column.saturating_sub(wide))));
    }
    rows.join("\n")
}

fn read_keys(keys: &str) -> Vec<KeyEvent> {
    let mut events = Vec::new();
    let mut rest = keys;
    while let Some(first) = rest.chars().next() {
        if let Some((name, after)) = rest.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
            events.push(named_key(name));
            rest = after;
        } else {
            events.push(KeyEvent::new(KeyCode::Char(first), KeyModifiers::NONE));
            rest = &rest[first.len_utf8()..];
        }
    }
    events
}

fn named_key(name: &str) -> KeyEvent {
    let mut held = KeyModifiers::NONE;
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('+') {
        held |= match before {
            "ctrl" => KeyModifiers::CONTROL,
            "alt" => KeyModifiers::ALT,
            "shift" => KeyModifiers::SHIFT,
            other => panic!("no modifier: {other}"),
        };
        rest = after;
    }
    let code = match rest {
        "enter" => KeyCode::Enter,
        "esc" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "backspace" => KeyCode::Backspace,
        "delete" => KeyCode::Delete,
        "up" => KeyCode::Up,
        "down" => KeyCode::Down,
        "left" => KeyCode::Left,
        "right" => KeyCode::Right,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        letter => KeyCode::Char(letter.chars().next().expect("a key")),
    };
    KeyEvent::new(code, held)
}

fn prompt(text: &str) -> ComposerStep {
    ComposerStep::Submit(Submission::Prompt { text: text.into(), when: PromptTiming::Queue })
}
