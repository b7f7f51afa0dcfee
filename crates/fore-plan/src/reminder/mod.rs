//! Reminders: blocks the model sees and the person does not, and the defusing of text that pretends to be one.

mod defuse;
mod lookalike;

pub use defuse::{Defuser, defuse, defuse_str};
