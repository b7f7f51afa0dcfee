//! Which git commands only read, and what a repository can make them do.

use crate::{context::Context, finding::Finding, word::Word};

/// Judges a whole `git` command, program name included.
pub fn judge(_argv: &[Word], _context: &Context<'_>) -> Finding {
    unimplemented!()
}
