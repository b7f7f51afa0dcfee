//! Bounds and forbidden characters, checked before anything is parsed. Beyond a bound the whole text is unknown.

use super::doubt::Doubt;
use fore_text::{Hidden, TextKind};

/// Longest text in bytes.
pub(crate) const MAX_BYTES: usize = 8 * 1024;
/// Most simple commands in a text, inner texts included.
pub(crate) const MAX_COMMANDS: usize = 64;
/// Most arguments of one command after expansion.
pub(crate) const MAX_WORDS: usize = 1024;
/// Most results of brace expansion in one word.
pub(crate) const MAX_BRACES: usize = 256;
/// Most combinations of values for which one command is judged.
pub(crate) const MAX_COMBINATIONS: usize = 64;

/// Refuses texts that are too long or hold characters that people and parsers see differently.
pub(crate) fn check(text: &str) -> Result<(), Doubt> {
    if text.len() > MAX_BYTES {
        return Err(Doubt::limit(format!("the text is longer than {MAX_BYTES} bytes")));
    }
    let Some((at, character)) = fore_text::first_mark(text, TextKind::Exact) else { return Ok(()) };
    let what = what_it_is(character);
    let doubt =
        Doubt::limit(format!("{what} (U+{:04X}) makes the text look different from what it is", character as u32));
    Err(doubt.at(at, at + character.len_utf8()))
}

fn what_it_is(character: char) -> &'static str {
    match (character, fore_text::hidden(character)) {
        ('\0', _) => "a NUL character",
        ('\r', _) => "a carriage return",
        (_, Some(Hidden::Control)) => "a control character",
        (_, Some(Hidden::LineEnd)) => "a Unicode line separator",
        (_, Some(Hidden::Direction)) => "a text direction mark",
        (_, Some(Hidden::Invisible)) => "an invisible character",
        // Blanks in some locales only: bash and a reader may split the words differently.
        (_, Some(Hidden::Blank)) => "an unusual space",
        (_, Some(Hidden::Private)) => "a private character",
        (_, None) => "a tower of marks",
    }
}
