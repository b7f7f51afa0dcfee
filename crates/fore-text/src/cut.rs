//! Cuts text that is too long, never inside a character: by characters, by bytes or by columns of a terminal.
//!
//! | function | at most | keeps |
//! |---|---|---|
//! | [`chars`] | characters | the start |
//! | [`ellipsis`] | characters and a `…` | the start |
//! | [`bytes`] (and the rest: [`split_bytes`]), [`last_bytes`] | bytes | the start, the end |
//! | [`whole_lines`], [`last_lines`] | bytes | the first lines, the last lines |
//! | [`ends`] | bytes | start and end |
//! | [`columns`], `last_columns` | columns | the start, the end |
//! | [`fit`], [`fit_end`] | columns, with a sign for what is left out | the start, the end |

use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// The first characters.
pub fn chars(text: &str, max: usize) -> &str {
    match text.char_indices().nth(max) {
        Some((end, _)) => text.get(..end).unwrap_or_default(),
        None => text,
    }
}

/// The first characters, and a `…` for the rest.
pub fn ellipsis(text: &str, max: usize) -> Cow<'_, str> {
    let kept = chars(text, max);
    if kept.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(format!("{kept}…")) }
}

/// The start in whole characters.
pub fn bytes(text: &str, max: usize) -> &str {
    split_bytes(text, max).0
}

/// [`bytes`], and what is left.
pub fn split_bytes(text: &str, max: usize) -> (&str, &str) {
    text.split_at(text.floor_char_boundary(max))
}

/// The end in whole characters.
pub fn last_bytes(text: &str, max: usize) -> &str {
    text.get(text.ceil_char_boundary(text.len().saturating_sub(max))..).unwrap_or_default()
}

/// The start in whole lines; where not even one fits, in whole characters.
pub fn whole_lines(text: &str, max: usize) -> &str {
    let kept = bytes(text, max);
    match kept.rfind('\n') {
        Some(at) if kept.len() < text.len() => kept.get(..=at).unwrap_or_default(),
        _ => kept,
    }
}

/// The end in whole lines; where not even one fits, in whole characters.
pub fn last_lines(text: &str, max: usize) -> &str {
    let kept = last_bytes(text, max);
    match kept.split_once('\n') {
        Some((_, lines)) if kept.len() < text.len() => lines,
        _ => kept,
    }
}

/// A text of which the middle is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextEnds<'a> {
    /// How it begins.
    pub start: &'a str,
    /// Bytes between the two.
    pub left_out: usize,
    /// How it ends.
    pub end: &'a str,
}

/// Start and end, half of the bytes each; none where all of it fits.
pub fn ends(text: &str, max: usize) -> Option<TextEnds<'_>> {
    let (start, end) = (bytes(text, max / 2), last_bytes(text, max / 2));
    (text.len() > max).then(|| TextEnds { start, left_out: text.len() - start.len() - end.len(), end })
}

/// The words with one blank between them: one line of a text whose line ends do not matter.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Columns that a text takes in a terminal.
pub fn width(text: &str) -> usize {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) { text.len() } else { text.width() }
}

/// The longest start that takes at most so many columns.
pub fn columns(text: &str, max: usize) -> &str {
    let mut room = max;
    let end = text.grapheme_indices(true).find(|(_, sign)| !takes(&mut room, sign));
    text.get(..end.map_or(text.len(), |(at, _)| at)).unwrap_or_default()
}

/// The longest end that takes at most so many columns.
pub(crate) fn last_columns(text: &str, max: usize) -> &str {
    let mut room = max;
    let before = text.grapheme_indices(true).rev().find(|(_, sign)| !takes(&mut room, sign));
    text.get(before.map_or(0, |(at, sign)| at + sign.len())..).unwrap_or_default()
}

/// Whether there is room for the sign, which it then takes.
fn takes(room: &mut usize, sign: &str) -> bool {
    let left = room.checked_sub(width(sign));
    *room = left.unwrap_or(0);
    left.is_some()
}

/// The text, or its start and a sign, in at most so many columns.
pub fn fit<'a>(text: &'a str, max: usize, sign: &str) -> Cow<'a, str> {
    if width(text) <= max {
        return Cow::Borrowed(text);
    }
    let kept = columns(text, max.saturating_sub(width(sign))).trim_end();
    Cow::Owned(format!("{kept}{}", fitting(sign, max)))
}

/// The text, or a sign and its end, in at most so many columns: for paths, whose end says most.
pub fn fit_end<'a>(text: &'a str, max: usize, sign: &str) -> Cow<'a, str> {
    if width(text) <= max {
        return Cow::Borrowed(text);
    }
    let kept = last_columns(text, max.saturating_sub(width(sign)));
    Cow::Owned(format!("{}{kept}", fitting(sign, max)))
}

fn fitting(sign: &str, max: usize) -> &str {
    if width(sign) <= max { sign } else { "" }
}
