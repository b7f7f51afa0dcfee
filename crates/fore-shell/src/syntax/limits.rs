//! Bounds and forbidden characters, checked before anything is parsed. Beyond a bound the whole text is unknown.

use super::doubt::Doubt;

/// Longest text in bytes.
pub(crate) const MOST_BYTES: usize = 8 * 1024;
/// Most simple commands in a text, inner texts included.
pub(crate) const MOST_COMMANDS: usize = 64;
/// Most arguments of one command after expansion.
pub(crate) const MOST_WORDS: usize = 1024;
/// Most results of brace expansion in one word.
pub(crate) const MOST_BRACES: usize = 256;
/// Most combinations of values for which one command is judged.
pub(crate) const MOST_COMBINATIONS: usize = 64;

/// Refuses texts that are too long or hold characters that people and parsers see differently.
pub(crate) fn check(text: &str) -> Result<(), Doubt> {
    if text.len() > MOST_BYTES {
        return Err(Doubt::limit(format!("the text is longer than {MOST_BYTES} bytes")));
    }
    // Plain printable ASCII is the rule; only the rest needs a closer look.
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return Ok(());
    }
    for (at, character) in text.char_indices() {
        if let Some(what) = forbidden(character) {
            let doubt = Doubt::limit(format!(
                "{what} (U+{:04X}) makes the text look different from what it is",
                character as u32
            ));
            return Err(doubt.at(at, at + character.len_utf8()));
        }
    }
    Ok(())
}

fn forbidden(character: char) -> Option<&'static str> {
    match character {
        '\n' | '\t' => None,
        '\0' => Some("a NUL character"),
        '\r' => Some("a carriage return"),
        _ if character.is_control() => Some("a control character"),
        '\u{2028}' | '\u{2029}' => Some("a Unicode line separator"),
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{061C}' => Some("a text direction mark"),
        '\u{200B}'..='\u{200F}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206A}'..='\u{206F}'
        | '\u{FEFF}'
        | '\u{00AD}'
        | '\u{034F}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{180B}'..='\u{180E}'
        | '\u{3164}'
        | '\u{FFA0}'
        | '\u{FFF9}'..='\u{FFFB}'
        | '\u{E0000}'..='\u{E0FFF}' => Some("an invisible character"),
        // Blanks in some locales only: bash and a reader may split the words differently.
        '\u{00A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' => Some("a space that is no space"),
        _ => None,
    }
}
