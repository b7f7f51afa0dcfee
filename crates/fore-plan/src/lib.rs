//! The plan-mode domain: modes, gate, permits, plans, approvals, reminders.
//!
//! Pure and sync: no file, clock, environment, process or network. Facts are handed in, decisions come out.
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::wildcard_enum_match_arm)]

pub mod approval;
mod auto;
mod cage;
mod change;
pub mod contract;
pub mod gate;
mod host;
mod mode;
mod mode_event;
pub mod orders;
pub mod plan;
mod refusal;
mod registries;
pub mod reminder;
pub mod report;
pub mod slash;
mod state;
pub mod team;
#[cfg(test)]
mod tests;
mod tool_name;
mod transition;
mod work;
pub mod workflow;

pub use auto::exit_notice;
pub use cage::{Cage, Contacts, Outside};
pub use change::{Actor, Change, Decision, Grant, SessionRole};
pub use host::{BadHost, Host, HostPattern};
pub use mode::{Level, Mode, Openings, UnknownMode};
pub use mode_event::{ModeChanger, ModeEvent, ModeReason};
pub use refusal::{Refusal, RefusalCode};
pub use registries::{usual_hosts, usual_registries};
pub use state::{Applied, Epoch, State};
pub use tool_name::{CalledTool, ToolName};
pub use transition::{ModeTarget, transition};
pub use work::{MAX_WORK, SinceApproval, WorkDone, WorkFacts, WorkRecord, report as report_work, step_name};
