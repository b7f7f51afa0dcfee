//! The emulator: bytes of the program become a screen, and its questions get answers. It writes nothing itself.

use super::{
    TerminalSize,
    habits::{BackgroundReply, Habits, KeyEncoding, Queries},
    key::KeyModes,
    screen::{Screen, ScreenModes},
};
use std::{collections::BTreeSet, num::NonZeroU16};
use vt100::{Callbacks, MouseProtocolMode, Parser};

/// Rows that are kept after they have scrolled off the top.
const MAX_SCROLLBACK_ROWS: usize = 50_000;
/// The private mode of synchronized output: between its marks nothing is shown.
const SYNCHRONIZED: u16 = 2026;
/// The private mode of reports about the focus.
const FOCUS: u16 = 1004;
/// The private mode in which the wheel sends arrow keys on the other screen.
const ALTERNATE_SCROLL: u16 = 1007;
/// Flags of the keyboard protocol that one screen keeps.
const MAX_KEYBOARD_FLAGS: usize = 32;
/// Bytes of answers that wait to be sent.
const MAX_ANSWER_BYTES: usize = 4096;

pub(super) struct Emulator {
    parser: Parser<ProgramRequests>,
}

/// What the program asked and set beside drawing.
struct ProgramRequests {
    habits: Habits,
    answers: Vec<u8>,
    private: BTreeSet<u16>,
    /// Private modes that were on when the program asked to keep them.
    kept: BTreeSet<u16>,
    frames: u64,
    /// The flags of the keyboard protocol, for the usual screen and for the other one.
    keyboard: [Vec<u16>; 2],
    bells: u64,
    title: String,
}

impl std::fmt::Debug for Emulator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Emulator").field("frames", &self.frames()).finish_non_exhaustive()
    }
}

impl Emulator {
    pub(super) fn new(size: TerminalSize, habits: Habits) -> Emulator {
        let asked = ProgramRequests {
            habits,
            answers: Vec::new(),
            private: BTreeSet::new(),
            kept: BTreeSet::new(),
            frames: 0,
            keyboard: [Vec::new(), Vec::new()],
            bells: 0,
            title: String::new(),
        };
        let parser = Parser::new_with_callbacks(some(size.rows), some(size.columns), MAX_SCROLLBACK_ROWS, asked);
        Emulator { parser }
    }

    /// Takes what the program wrote; what a terminal answers to it.
    pub(super) fn process(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.parser.process(bytes);
        std::mem::take(&mut self.parser.callbacks_mut().answers)
    }

    pub(super) fn resize(&mut self, size: TerminalSize) {
        self.parser.set_size(some(size.rows), some(size.columns));
    }

    /// Whether the program is between the marks of a picture.
    pub(super) fn is_drawing(&self) -> bool {
        self.parser.callbacks().private.contains(&SYNCHRONIZED)
    }

    pub(super) fn frames(&self) -> u64 {
        self.parser.callbacks().frames
    }

    pub(super) fn key_modes(&self) -> KeyModes {
        let screen = self.parser.screen();
        let disambiguate = self.keyboard_flags() & 1 != 0;
        KeyModes { application_cursor: screen.application_cursor(), disambiguate }
    }

    fn keyboard_flags(&self) -> u16 {
        let asked = self.parser.callbacks();
        let alternate = self.parser.screen().alternate_screen();
        asked.keyboard.get(usize::from(alternate)).and_then(|flags| flags.last()).copied().unwrap_or_default()
    }

    pub(super) fn modes(&self) -> ScreenModes {
        let (screen, asked) = (self.parser.screen(), self.parser.callbacks());
        ScreenModes {
            alternate: screen.alternate_screen(),
            bracketed_paste: screen.bracketed_paste(),
            mouse: screen.mouse_protocol_mode() != MouseProtocolMode::None,
            focus: asked.private.contains(&FOCUS),
            hidden_cursor: screen.hide_cursor(),
            application_cursor: screen.application_cursor(),
            alternate_scroll: asked.private.contains(&ALTERNATE_SCROLL),
            drawing: self.is_drawing(),
            keyboard_flags: self.keyboard_flags(),
        }
    }

    pub(super) fn screen(&self) -> Screen {
        let asked = self.parser.callbacks();
        Screen::new(self.parser.screen(), self.modes(), asked.title.clone(), asked.bells)
    }

    /// The rows of the screen, without blanks at their ends.
    pub(super) fn rows(&self) -> Vec<String> {
        let screen = self.parser.screen();
        screen.rows(0, screen.size().1.get()).map(|row| row.trim_end().to_owned()).collect()
    }

    pub(super) fn scrollback_text(&mut self) -> String {
        let screen = self.parser.screen_mut();
        let (height, width) = (usize::from(screen.size().0.get()), screen.size().1.get());
        let mut rows = Vec::new();
        let mut above = screen.scrollback_len();
        while above > 0 {
            screen.set_scrollback(above);
            rows.extend(screen.rows(0, width).take(above.min(height)));
            above = above.saturating_sub(height);
        }
        screen.set_scrollback(0);
        rows.extend(screen.rows(0, width));
        let text = rows.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\n");
        text.trim_end_matches('\n').to_owned()
    }
}

fn some(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN)
}

impl ProgramRequests {
    fn answer(&mut self, text: &str) {
        if self.answers.len() + text.len() <= MAX_ANSWER_BYTES {
            self.answers.extend(text.as_bytes());
        }
    }

    fn keyboard(&mut self, screen: &vt100::Screen, lead: u8, params: &[&[u16]]) {
        let number = |index: usize| params.get(index).and_then(|numbers| numbers.first()).copied();
        if self.habits.keyboard == KeyEncoding::Old {
            return;
        }
        let Some(flags) = self.keyboard.get_mut(usize::from(screen.alternate_screen())) else { return };
        match lead {
            b'?' => {
                let text = format!("\x1b[?{}u", flags.last().copied().unwrap_or_default());
                self.answer(&text);
            }
            b'>' if flags.len() < MAX_KEYBOARD_FLAGS => flags.push(number(0).unwrap_or_default()),
            b'<' => flags.truncate(flags.len().saturating_sub(number(0).unwrap_or(1).max(1).into())),
            b'=' => {
                flags.pop();
                flags.push(number(0).unwrap_or_default());
            }
            _ => {}
        }
    }

    /// Keeps how private modes are, or makes them so again.
    fn keep(&mut self, params: &[&[u16]]) {
        for mode in params.iter().filter_map(|numbers| numbers.first().copied()) {
            if self.private.contains(&mode) {
                self.kept.insert(mode);
            } else {
                self.kept.remove(&mode);
            }
        }
    }

    fn bring_back(&mut self, params: &[&[u16]]) {
        for mode in params.iter().filter_map(|numbers| numbers.first().copied()) {
            let is_set = self.kept.contains(&mode);
            self.private(&[&[mode]], is_set);
        }
    }

    /// A private mode that the emulator has no screen for.
    fn private(&mut self, params: &[&[u16]], is_set: bool) {
        for mode in params.iter().filter_map(|numbers| numbers.first().copied()) {
            if is_set {
                self.private.insert(mode);
            } else if self.private.remove(&mode) && mode == SYNCHRONIZED {
                self.frames += 1;
            }
        }
    }
}

impl Callbacks for ProgramRequests {
    fn audible_bell(&mut self, _: &mut vt100::Screen) {
        self.bells += 1;
    }

    fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
        self.title = String::from_utf8_lossy(title).into_owned();
    }

    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        lead: Option<u8>,
        second: Option<u8>,
        params: &[&[u16]],
        last: char,
    ) {
        let first = params.first().and_then(|numbers| numbers.first()).copied().unwrap_or_default();
        let answers = self.habits.queries == Queries::Answered;
        match (lead, second, last) {
            (Some(b'?'), None, 'h') => self.private(params, true),
            (Some(b'?'), None, 'l') => self.private(params, false),
            (Some(b'?'), None, 's') => self.keep(params),
            (Some(b'?'), None, 'r') => self.bring_back(params),
            (Some(lead), None, 'u') => self.keyboard(screen, lead, params),
            (None, None, 'n') if answers && first == 5 => self.answer("\x1b[0n"),
            (None, None, 'n') if answers && first == 6 => {
                let (row, column) = screen.cursor_position();
                self.answer(&format!("\x1b[{};{}R", row + 1, column + 1));
            }
            (None, None, 'c') if answers => self.answer("\x1b[?62;22c"),
            (Some(b'>'), None, 'c') if answers => self.answer("\x1b[>1;10;0c"),
            // Of the modes that a program may ask for, only synchronized output is known by a terminal of today.
            (Some(b'?'), Some(b'$'), 'p') if answers => {
                let known = first == SYNCHRONIZED && self.habits.keyboard == KeyEncoding::Kitty;
                let state = if known { 2 } else { 0 };
                self.answer(&format!("\x1b[?{first};{state}$y"));
            }
            _ => {}
        }
    }

    fn unhandled_osc(&mut self, _: &mut vt100::Screen, params: &[&[u8]]) {
        let Some((foreground, background)) = BackgroundReply::colours(self.habits.background) else { return };
        match params {
            [b"10", b"?"] => self.answer(&format!("\x1b]10;{foreground}\x1b\\")),
            [b"11", b"?"] => self.answer(&format!("\x1b]11;{background}\x1b\\")),
            _ => {}
        }
    }
}
