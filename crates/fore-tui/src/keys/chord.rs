//! One key with what is held down beside it: as it is written in settings, as help shows it, as a terminal reports it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key in the one form in which two reports of it are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Chord {
    code: KeyCode,
    held: KeyModifiers,
}

/// Whether the terminal's Option key writes letters instead of being Alt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionKey {
    WritesLetters,
    IsAlt,
}

impl OptionKey {
    pub(super) fn here() -> OptionKey {
        if cfg!(target_os = "macos") { OptionKey::WritesLetters } else { OptionKey::IsAlt }
    }
}

const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const ALT: KeyModifiers = KeyModifiers::ALT;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;

/// Keys by name. The first name of a key is the one that help shows.
const NAMES: &[(&str, KeyCode)] = &[
    ("Enter", KeyCode::Enter),
    ("Return", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Escape", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("Space", KeyCode::Char(' ')),
    ("Backspace", KeyCode::Backspace),
    ("Delete", KeyCode::Delete),
    ("Insert", KeyCode::Insert),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PageUp", KeyCode::PageUp),
    ("PageDown", KeyCode::PageDown),
];

impl Chord {
    /// As a terminal reports it.
    pub(super) fn reported(key: &KeyEvent, option: OptionKey) -> Chord {
        match (key.code, key.modifiers) {
            // The Option key of a Mac writes this letter for Option+M.
            (KeyCode::Char('µ'), held) if option == OptionKey::WritesLetters && held.is_empty() => {
                Chord { code: KeyCode::Char('m'), held: ALT }
            }
            (code, held) => Chord::new(code, held),
        }
    }

    fn new(code: KeyCode, held: KeyModifiers) -> Chord {
        let held = held & (CTRL | ALT | SHIFT);
        match code {
            KeyCode::BackTab => Chord { code: KeyCode::Tab, held: held | SHIFT },
            // Byte 31, which terminals send for all of these.
            KeyCode::Char('7' | '/' | '-' | '_') if held.contains(CTRL) => {
                Chord { code: KeyCode::Char('_'), held: held - SHIFT }
            }
            // With Ctrl or Alt a letter is a key, whether Caps Lock is on or not.
            KeyCode::Char(letter) if held.intersects(CTRL | ALT) => {
                Chord { code: KeyCode::Char(letter.to_ascii_lowercase()), held: held - SHIFT }
            }
            // Without, the letter itself says whether Shift was held.
            KeyCode::Char(_) => Chord { code, held: held - SHIFT },
            code => Chord { code, held },
        }
    }

    /// As settings have it: `ctrl+g`, `shift+tab`, `f5`.
    pub(super) fn written(text: &str) -> Result<Chord, String> {
        let unreadable = || format!("`{text}` is not a key; a key is written like ctrl+g, alt+m, shift+tab or f5");
        let mut held = KeyModifiers::NONE;
        let mut rest = text.trim();
        while let Some((before, after)) = rest.split_once('+').filter(|(_, after)| !after.is_empty()) {
            held |= match before.trim().to_ascii_lowercase().as_str() {
                "ctrl" | "control" => CTRL,
                "alt" | "option" | "meta" => ALT,
                "shift" => SHIFT,
                _ => return Err(unreadable()),
            };
            rest = after.trim();
        }
        let code = named(rest).ok_or_else(unreadable)?;
        Chord::new(code, held).usable(text)
    }

    /// Refuses what a terminal never tells apart, and what is needed for writing.
    fn usable(self, text: &str) -> Result<Chord, String> {
        let twin = match (self.code, self.held) {
            (KeyCode::Char('i'), CTRL) => "Tab",
            (KeyCode::Char('m'), CTRL) => "Enter",
            (KeyCode::Char('['), CTRL) => "Esc",
            (KeyCode::Char(_), held) if !held.intersects(CTRL | ALT) => {
                return Err(format!("`{text}` is needed for writing; put ctrl+ or alt+ before it"));
            }
            _ => return Ok(self),
        };
        Err(format!("`{text}` can't be told apart from {twin} in a terminal; choose another key"))
    }

    /// As help shows it: `Ctrl+G`, `Shift+Tab`, `F5`.
    pub(super) fn words(&self) -> String {
        let mut words = String::new();
        for (modifier, name) in [(CTRL, "Ctrl+"), (ALT, "Alt+"), (SHIFT, "Shift+")] {
            if self.held.contains(modifier) {
                words.push_str(name);
            }
        }
        match self.code {
            KeyCode::F(number) => words.push_str(&format!("F{number}")),
            code => match NAMES.iter().find(|(_, named)| *named == code) {
                Some((name, _)) => words.push_str(name),
                None => words.extend(code.as_char().into_iter().flat_map(char::to_uppercase)),
            },
        }
        words
    }
}

fn named(name: &str) -> Option<KeyCode> {
    if let Some((_, code)) = NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
        return Some(*code);
    }
    let mut letters = name.chars();
    match (letters.next(), letters.as_str()) {
        (Some(letter), "") if !letter.is_control() => Some(KeyCode::Char(letter)),
        (Some('f' | 'F'), number) => number.parse().ok().filter(|number| (1..=24).contains(number)).map(KeyCode::F),
        _ => None,
    }
}
