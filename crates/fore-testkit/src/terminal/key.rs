//! Keys as bytes, in the way that the program asked for.

/// A key, or a chord.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Char(char),
    /// With the control key: `Ctrl('c')`.
    Ctrl(char),
    /// With the alt key: `Alt('m')`.
    Alt(char),
    Enter,
    ShiftEnter,
    AltEnter,
    Esc,
    Tab,
    ShiftTab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    ShiftUp,
    ShiftDown,
    CtrlLeft,
    CtrlRight,
    Home,
    End,
    CtrlHome,
    CtrlEnd,
    PageUp,
    PageDown,
    /// F1 to F4.
    Function(u8),
}

/// What the program asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KeyModes {
    /// Arrows as applications of old want them.
    pub(super) application_cursor: bool,
    /// Keys that look alike in the old way are told apart.
    pub(super) disambiguate: bool,
}

const SHIFT: u8 = 2;
const ALT: u8 = 3;
const CONTROL: u8 = 5;

impl Key {
    pub(super) fn bytes(self, modes: KeyModes) -> Vec<u8> {
        let text =
            if modes.disambiguate { self.told_apart().unwrap_or_else(|| self.old(modes)) } else { self.old(modes) };
        text.into_bytes()
    }

    fn old(self, modes: KeyModes) -> String {
        let arrow = |letter: char| {
            let lead = if modes.application_cursor { 'O' } else { '[' };
            format!("\x1b{lead}{letter}")
        };
        match self {
            Key::Char(letter) => letter.to_string(),
            Key::Ctrl(letter) => control(letter).to_string(),
            Key::Alt(letter) => format!("\x1b{letter}"),
            // Terminals of old do not tell these two apart.
            Key::Enter | Key::ShiftEnter => "\r".to_owned(),
            Key::AltEnter => "\x1b\r".to_owned(),
            Key::Esc => "\x1b".to_owned(),
            Key::Tab => "\t".to_owned(),
            Key::ShiftTab => "\x1b[Z".to_owned(),
            Key::Backspace => "\x7f".to_owned(),
            Key::Delete => "\x1b[3~".to_owned(),
            Key::Up => arrow('A'),
            Key::Down => arrow('B'),
            Key::Right => arrow('C'),
            Key::Left => arrow('D'),
            Key::ShiftUp => format!("\x1b[1;{SHIFT}A"),
            Key::ShiftDown => format!("\x1b[1;{SHIFT}B"),
            Key::CtrlRight => format!("\x1b[1;{CONTROL}C"),
            Key::CtrlLeft => format!("\x1b[1;{CONTROL}D"),
            Key::Home => arrow('H'),
            Key::End => arrow('F'),
            Key::CtrlHome => format!("\x1b[1;{CONTROL}H"),
            Key::CtrlEnd => format!("\x1b[1;{CONTROL}F"),
            Key::PageUp => "\x1b[5~".to_owned(),
            Key::PageDown => "\x1b[6~".to_owned(),
            Key::Function(number) => {
                let letter = ['P', 'Q', 'R', 'S'].get(usize::from(number.saturating_sub(1))).copied().unwrap_or('S');
                format!("\x1bO{letter}")
            }
        }
    }

    /// The keys that the keyboard protocol sends in another way; the rest are as of old.
    fn told_apart(self) -> Option<String> {
        let key = |code: u32, modifier: u8| Some(format!("\x1b[{code};{modifier}u"));
        match self {
            Key::Esc => Some("\x1b[27u".to_owned()),
            Key::Ctrl(letter) => key(u32::from(letter.to_ascii_lowercase()), CONTROL),
            Key::Alt(letter) => key(u32::from(letter), ALT),
            Key::ShiftEnter => key(13, SHIFT),
            Key::AltEnter => key(13, ALT),
            Key::ShiftTab => key(9, SHIFT),
            _ => None,
        }
    }
}

/// The control character of a letter.
fn control(letter: char) -> char {
    let code = u32::from(letter.to_ascii_uppercase()) & 0x1f;
    char::from_u32(code).unwrap_or(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: Key, old: &str, told_apart: &str) {
        assert_eq!(String::from_utf8(key.bytes(KeyModes::default())).unwrap(), old, "{key:?}");
        let modes = KeyModes { disambiguate: true, ..KeyModes::default() };
        assert_eq!(String::from_utf8(key.bytes(modes)).unwrap(), told_apart, "{key:?}");
    }

    #[test]
    fn keys_are_sent_as_terminals_send_them() {
        check(Key::Char('ä'), "ä", "ä");
        check(Key::Enter, "\r", "\r");
        check(Key::ShiftEnter, "\r", "\x1b[13;2u");
        check(Key::Esc, "\x1b", "\x1b[27u");
        check(Key::Ctrl('c'), "\x03", "\x1b[99;5u");
        check(Key::Alt('m'), "\x1bm", "\x1b[109;3u");
        check(Key::ShiftTab, "\x1b[Z", "\x1b[9;2u");
        check(Key::Up, "\x1b[A", "\x1b[A");
        check(Key::PageDown, "\x1b[6~", "\x1b[6~");
    }

    #[test]
    fn arrows_follow_the_mode_of_applications_of_old() {
        let modes = KeyModes { application_cursor: true, ..KeyModes::default() };
        assert_eq!(Key::Up.bytes(modes), b"\x1bOA");
    }
}
