//! From text to typed statements to findings: parse, lower, resolve words, walk.

use crate::{context::Context, finding::Finding};

/// Judges a whole script text.
pub fn judge_text(_text: &str, _context: &Context<'_>) -> Finding {
    unimplemented!()
}
