//! The real terminal: raw mode, the live area beneath the scrollback, the full screen, resizing. It decides nothing.

mod clipboard;
mod escape;
mod full_screen;
mod inline;
mod keyboard;
mod notify;

pub(crate) use clipboard::copy;
pub(crate) use escape::in_ascii;
pub(crate) use full_screen::FullScreen;
pub(crate) use inline::InlineScreen;
pub(crate) use keyboard::Keyboard;
pub use notify::NotifySign;
pub(crate) use notify::{give_title_back, keep_title, notify, write_title};

use crate::theme::Signs;
use crossterm::{
    cursor::Show,
    event::{
        DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange, KeyboardEnhancementFlags,
        PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
    },
    queue,
    terminal::{EnableLineWrap, disable_raw_mode, enable_raw_mode},
};
use ratatui::{style::Style, text::Line};
use rustix::termios::LocalModes;
use std::io::{self, Write};

/// Columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScreenSize {
    pub columns: u16,
    pub rows: u16,
}

impl ScreenSize {
    /// What the terminal says, or the usual size where it says nothing.
    pub(crate) fn now() -> ScreenSize {
        match crossterm::terminal::size() {
            Ok((columns, rows)) if columns > 0 && rows > 0 => ScreenSize { columns, rows },
            Ok(_) | Err(_) => ScreenSize { columns: 80, rows: 24 },
        }
    }
}

/// The terminal is ours: keys come one by one. Dropping it gives the terminal back, whatever happened.
#[derive(Debug)]
pub(crate) struct RawMode {
    is_on: bool,
}

impl RawMode {
    pub(crate) fn take() -> io::Result<RawMode> {
        let mut raw = RawMode { is_on: false };
        raw.resume()?;
        Ok(raw)
    }

    /// Whether nobody has taken the terminal from us: a shell does when it stops a program that did not give it back.
    pub(crate) fn holds(&self) -> bool {
        let modes = rustix::termios::tcgetattr(rustix::stdio::stdout());
        self.is_on && modes.is_ok_and(|modes| !modes.local_modes.contains(LocalModes::ICANON))
    }

    /// Takes the terminal again after [`RawMode::pause`].
    pub(crate) fn resume(&mut self) -> io::Result<()> {
        if !self.is_on {
            enable_raw_mode()?;
            self.is_on = true;
            let mut out = io::stdout();
            // Terminals that know no such keys ignore the request.
            let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
            queue!(out, EnableBracketedPaste, EnableFocusChange, PushKeyboardEnhancementFlags(flags))?;
            out.flush()?;
        }
        Ok(())
    }

    /// Gives the terminal back for a while: to an editor, to the shell.
    pub(crate) fn pause(&mut self) -> io::Result<()> {
        if self.is_on {
            self.is_on = false;
            let mut out = io::stdout();
            queue!(out, PopKeyboardEnhancementFlags, DisableFocusChange, DisableBracketedPaste, EnableLineWrap, Show)?;
            out.flush()?;
            disable_raw_mode()?;
        }
        Ok(())
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        let _ = self.pause();
    }
}

/// Writes one row: its text in its styles, then nothing up to the end of the row.
fn write_row(out: &mut Vec<u8>, line: &Line<'_>, columns: u16, letters: Signs) -> io::Result<()> {
    let mut now = Style::new();
    let mut room = usize::from(columns);
    for span in &line.spans {
        let text = escape::visible(&span.content);
        let text = escape::fitting(&text, room);
        room -= unicode_width::UnicodeWidthStr::width(text).min(room);
        let style = line.style.patch(span.style);
        if style != now {
            escape::write_style(out, style)?;
            now = style;
        }
        match letters {
            Signs::Unicode => out.extend_from_slice(text.as_bytes()),
            Signs::Ascii => out.extend_from_slice(escape::in_ascii(text).as_bytes()),
        }
    }
    if now != Style::new() {
        escape::write_style(out, Style::new())?;
    }
    if room > 0 {
        // In the last column the cursor waits on the last letter, which this would erase.
        out.extend_from_slice(b"\x1b[K");
    }
    Ok(())
}
