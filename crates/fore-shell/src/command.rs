//! Finds who can judge a simple command: a builtin, a table row, a language parser, or nobody.
//!
//! The one function that wrappers (`xargs`, `env`, `find -exec`, …) call again for the command inside them.

use crate::{context::Context, finding::Finding, word::Word};

/// Judges one simple command: program and arguments after expansion.
pub fn judge_argv(argv: &[Word], context: &Context<'_>) -> Finding {
    if let Some(finding) = crate::tables::judge(argv, context) {
        return finding;
    }
    unimplemented!()
}
