//! What was said before: summarised, taken back, and read again for a screen.

pub(super) mod compact;
pub mod replay;
mod rewind;
pub(super) mod shown_message;
