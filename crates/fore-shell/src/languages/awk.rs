//! Judges `awk`.

use crate::{context::Context, finding::Finding, word::Word};

/// Judges a whole `awk` command, program name included.
pub fn judge(_argv: &[Word], _context: &Context<'_>) -> Finding {
    unimplemented!()
}
