//! Reminders: what the model is told beside the person's own words, and when.

mod counters;

pub use counters::{Counters, FULL_EVERY, Notice, TURNS_BETWEEN, Told};
