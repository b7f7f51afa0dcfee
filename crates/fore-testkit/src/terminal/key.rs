//! Keys as bytes, in the way that the program asked for.

/// A key, or a chord.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say what they are")]
pub enum TerminalKey {
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

impl TerminalKey {
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
            TerminalKey::Char(letter) => letter.to_string(),
            TerminalKey::Ctrl(letter) => control(letter).to_string(),
            TerminalKey::Alt(letter) => format!("\x1b{letter}"),
            // Terminals of old do not tell these two apart.
            TerminalKey::Enter | TerminalKey::ShiftEnter => "\r".to_owned(),
            TerminalKey::AltEnter => "\x1b\r".to_owned(),
            TerminalKey::Esc => "\x1b".to_owned(),
            TerminalKey::Tab => "\t".to_owned(),
            TerminalKey::ShiftTab => "\x1b[Z".to_owned(),
            TerminalKey::Backspace => "\x7f".to_owned(),
            TerminalKey::Delete => "\x1b[3~".to_owned(),
            TerminalKey::Up => arrow('A'),
            TerminalKey::Down => arrow('B'),
            TerminalKey::Right => arrow('C'),
            TerminalKey::Left => arrow('D'),
            TerminalKey::ShiftUp => format!("\x1b[1;{SHIFT}A"),
            TerminalKey::ShiftDown => format!("\x1b[1;{SHIFT}B"),
            TerminalKey::CtrlRight => format!("\x1b[1;{CONTROL}C"),
            TerminalKey::CtrlLeft => format!("\x1b[1;{CONTROL}D"),
            TerminalKey::Home => arrow('H'),
            TerminalKey::End => arrow('F'),
            TerminalKey::CtrlHome => format!("\x1b[1;{CONTROL}H"),
            TerminalKey::CtrlEnd => format!("\x1b[1;{CONTROL}F"),
            TerminalKey::PageUp => "\x1b[5~".to_owned(),
            TerminalKey::PageDown => "\x1b[6~".to_owned(),
            TerminalKey::Function(number) => {
                let letter = ['P', 'Q', 'R', 'S'].get(usize::from(number.saturating_sub(1))).copied().unwrap_or('S');
                format!("\x1bO{letter}")
            }
        }
    }

    /// The keys that the keyboard protocol sends in another way; the rest are as of old.
    fn told_apart(self) -> Option<String> {
        let key = |code: u32, modifier: u8| Some(format!("\x1b[{code};{modifier}u"));
        match self {
            TerminalKey::Esc => Some("\x1b[27u".to_owned()),
            TerminalKey::Ctrl(letter) => key(u32::from(letter.to_ascii_lowercase()), CONTROL),
            TerminalKey::Alt(letter) => key(u32::from(letter), ALT),
            TerminalKey::ShiftEnter => key(13, SHIFT),
            TerminalKey::AltEnter => key(13, ALT),
            TerminalKey::ShiftTab => key(9, SHIFT),
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

    fn check(key: TerminalKey, old: &str, told_apart: &str) {
        assert_eq!(String::from_utf8(key.bytes(KeyModes::default())).unwrap(), old, "{key:?}");
        let modes = KeyModes { disambiguate: true, ..KeyModes::default() };
        assert_eq!(String::from_utf8(key.bytes(modes)).unwrap(), told_apart, "{key:?}");
    }

    #[test]
    fn keys_are_sent_as_terminals_send_them() {
        check(TerminalKey::Char('ä'), "ä", "ä");
        check(TerminalKey::Enter, "\r", "\r");
        check(TerminalKey::ShiftEnter, "\r", "\x1b[13;2u");
        check(TerminalKey::Esc, "\x1b", "\x1b[27u");
        check(TerminalKey::Ctrl('c'), "\x03", "\x1b[99;5u");
        check(TerminalKey::Alt('m'), "\x1bm", "\x1b[109;3u");
        check(TerminalKey::ShiftTab, "\x1b[Z", "\x1b[9;2u");
        check(TerminalKey::Up, "\x1b[A", "\x1b[A");
        check(TerminalKey::PageDown, "\x1b[6~", "\x1b[6~");
    }

    #[test]
    fn arrows_follow_the_mode_of_applications_of_old() {
        let modes = KeyModes { application_cursor: true, ..KeyModes::default() };
        assert_eq!(TerminalKey::Up.bytes(modes), b"\x1bOA");
    }
}
