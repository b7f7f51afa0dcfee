//! Makes text from outside fit for eyes: what steers a terminal, hides or turns the line around becomes a visible mark.
//!
//! The rule is: *what you see is what there is*. Plans, commands, paths, names, server texts and errors reach a person
//! only through this crate, and nothing in it takes away a letter that shows. A mark is the character written out:
//! `\u{1b}`, `\u{202e}`, `\r`. The list of such characters stands here and nowhere else ([`hidden`]).
//!
//! Three kinds of text, all linear in time and never shorter than what they show; the caller bounds them:
//!
//! | function | for | stays as it is |
//! |---|---|---|
//! | [`prose`] | plans, answers, messages | line ends, tabs, `\r\n` as a line end, the blanks of ordinary typography |
//! | [`exact`] | commands, differences | line ends and tabs |
//! | [`line()`] | names, paths, settings, one line of anything | nothing but blanks |
//!
//! What was decided about characters that are invisible *and* needed:
//! - Joiners and variation selectors stay inside a well-formed emoji (👩‍💻, ⚠️, 1️⃣), one at a time; anywhere else they
//!   are marks.
//! - The non-joiner stays between two letters of the Arabic script (Persian cannot be written without it), and both
//!   joiners stay behind the virama of an Indic script. Between other letters they are marks.
//! - Tag characters are always marks, so the flags of England, Scotland and Wales are written out: the same characters
//!   carry hidden sentences.
//! - A letter wears at most eight combining marks; more would tower over the rows around it.
//! - The no-break blanks and the ideographic blank stay in [`prose`], because French and Japanese are written with
//!   them; they are marks where blanks part words of a command or of a path.
//!
//! What else is done with text in many places is done here once: [`cut`] shortens it, [`spelling`] finds near names,
//! [`count()`] puts numbers before nouns, [`paths`] folds `..` by letters.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod cut;
pub mod paths;
pub mod spelling;

mod count;
mod hidden;
mod output;
mod scan;
mod styled;

pub use count::{count, count_as, plural};
pub use hidden::{Hidden, hidden};
pub use output::{ProgramOutput, ProseStream, output};
pub use scan::{TextKind, TextPiece, first_mark, marks, may_show, pieces, shown};
pub use styled::{json, styled};

use std::borrow::Cow;

/// Running text: see [`TextKind::Prose`].
pub fn prose(text: &str) -> Cow<'_, str> {
    shown(text, TextKind::Prose)
}

/// A command or a difference, in its lines: see [`TextKind::Exact`].
pub fn exact(text: &str) -> Cow<'_, str> {
    shown(text, TextKind::Exact)
}

/// A name, a path or anything else on one line: see [`TextKind::Line`].
pub fn line(text: &str) -> Cow<'_, str> {
    shown(text, TextKind::Line)
}

/// What is said beside a text with so many marks in it; nothing where there are none.
pub fn notice(marks: usize) -> Option<String> {
    match marks {
        0 => None,
        1 => Some(r"contains 1 hidden character, shown as a mark like \u{200b}".to_owned()),
        marks => Some(format!(r"contains {marks} hidden characters, shown as marks like \u{{200b}}")),
    }
}
