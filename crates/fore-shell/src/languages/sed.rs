//! Judges `sed`.

use crate::{context::Context, finding::Finding, word::Word};

/// Judges a whole `sed` command, program name included.
pub fn judge(_argv: &[Word], _context: &Context<'_>) -> Finding {
    unimplemented!()
}
