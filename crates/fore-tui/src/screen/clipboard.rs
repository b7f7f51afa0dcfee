//! Gives a text to the clipboard of the terminal (OSC 52), which works through ssh, too. Nothing is ever read from it.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use std::io::{self, Write};

/// Longer texts are dropped by terminals, some in the middle.
const MAX_BYTES: usize = 74_994;

/// Writes the text as a sequence that has no letter of it as it stands; false where it is too long.
pub(crate) fn copy(out: &mut impl Write, text: &str) -> io::Result<bool> {
    if text.len() > MAX_BYTES {
        return Ok(false);
    }
    write!(out, "\x1b]52;c;{}\x1b\\", STANDARD.encode(text))?;
    out.flush()?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_given_whole_or_not_at_all_and_steers_nothing() {
        let mut out = Vec::new();
        assert!(copy(&mut out, "a\u{1b}[2J\u{7}ü").unwrap());
        assert_eq!(out, b"\x1b]52;c;YRtbMkoHw7w=\x1b\\");
        let mut out = Vec::new();
        assert!(!copy(&mut out, &"x".repeat(MAX_BYTES + 1)).unwrap());
        assert_eq!(out, b"");
    }
}
