//! Judges `jq`.

use crate::{context::Context, finding::Finding, word::Word};

/// Judges a whole `jq` command, program name included.
pub fn judge(_argv: &[Word], _context: &Context<'_>) -> Finding {
    unimplemented!()
}
