//! Reminders: what the model is told beside the person's own words, when, and the defusing of text that pretends to be one.

mod bounded;
mod counters;
mod defuse;
mod fill;
mod lookalike;
mod text;

pub use counters::{Counters, Notice, ToldMode};
pub use defuse::defuse_str;
pub use text::{
    AgentLine, Audience, ForgetReason, PlanFile, PlanStanding, Reminder, TodoItem, TodoState, plan_in_reference,
};

pub(crate) use bounded::{bounded, is_complete, one_line};
pub(crate) use counters::TURNS_BETWEEN;
pub(crate) use fill::fill;
#[cfg(test)]
pub(crate) use fill::places;
