//! Text that is allowed to hold something of ours: our own colours, or the escapes of JSON.

use crate::{
    hidden::{hidden, is_typographic_blank},
    scan::{TextKind, shown, write_mark},
};
use std::borrow::Cow;

const ESCAPE: char = '\u{1b}';

/// The last step before a screen, for lines with our own colours in them: bold, dim, italic, underlined, six colours
/// and the way back pass, everything else that steers or hides becomes a mark. Concealed, black and blinking letters are
/// none of ours.
pub fn styled(text: &str) -> Cow<'_, str> {
    if !text.contains(ESCAPE) {
        return shown(text, TextKind::Prose);
    }
    let mut parts = text.split(ESCAPE);
    let mut out = shown(parts.next().unwrap_or_default(), TextKind::Prose).into_owned();
    for part in parts {
        match style(part) {
            Some((style, rest)) => {
                out.extend([ESCAPE, '[']);
                out.push_str(style);
                out.push('m');
                out.push_str(&shown(rest, TextKind::Prose));
            }
            None => {
                write_mark(ESCAPE, &mut out);
                out.push_str(&shown(part, TextKind::Prose));
            }
        }
    }
    Cow::Owned(out)
}

/// One of our own styles at the start of what followed an escape character, and the text behind it.
fn style(part: &str) -> Option<(&str, &str)> {
    let (style, rest) = part.strip_prefix('[')?.split_once('m')?;
    matches!(style, "" | "0" | "1" | "2" | "3" | "4" | "31" | "32" | "33" | "34" | "35" | "36").then_some((style, rest))
}

/// JSON as it is, with hidden characters as escapes (`\u202e`): it means the same and cannot steer a terminal.
///
/// The text must be JSON already: there, such characters stand in strings only.
pub fn json(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut units = [0; 2];
    for letter in text.chars() {
        if letter == '\n' || hidden(letter).is_none() || is_typographic_blank(letter) {
            out.push(letter);
            continue;
        }
        for unit in letter.encode_utf16(&mut units) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    Cow::Owned(out)
}
