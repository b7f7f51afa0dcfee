//! The plan-mode domain: modes, gate, permits, plans, approvals, reminders.
//!
//! Pure and sync: no file, clock, environment, process or network. Facts are handed in, decisions come out.
#![warn(clippy::wildcard_enum_match_arm)]

pub mod approval;
pub mod auto;
pub mod cage;
pub mod change;
pub mod gate;
pub mod host;
pub mod mode;
pub mod orders;
pub mod plan;
pub mod refusal;
pub mod registries;
pub mod reminder;
pub mod slash;
pub mod state;
pub mod team;
pub mod transition;
pub mod workflow;

pub use cage::{Cage, Contacts, Outside};
pub use change::{Actor, Change, Decision, Grant, ModeEvent, SessionRole};
pub use host::{Host, HostPattern};
pub use mode::{Level, Mode, Openings, UnknownMode};
pub use refusal::{Refusal, RefusalCode};
pub use state::{Applied, Epoch, State};
pub use transition::{ModeTarget, transition};
