//! Reminders: blocks the model sees and the person does not, and the defusing of text that pretends to be one.

mod bounded;
mod defuse;
mod fill;
mod lookalike;
mod text;

pub use defuse::{Defuser, defuse, defuse_str};
pub use text::{AgentLine, Forgot, PlanFile, Reader, Reminder, TodoItem, TodoState};

pub(crate) use bounded::{bounded, one_line};
pub(crate) use fill::fill;
#[cfg(test)]
pub(crate) use fill::places;
