//! The plan-mode domain: modes, gate, permits, plans, approvals, reminders.
//!
//! Pure and sync: no file, clock, environment, process or network. Facts are handed in, decisions come out.
#![warn(clippy::wildcard_enum_match_arm)]

pub mod approval;
pub mod cage;
pub mod plan;
pub mod reminder;
pub mod workflow;

pub use cage::{Cage, Outside};
