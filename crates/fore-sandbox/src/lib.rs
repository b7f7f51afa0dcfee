//! Runs a permit inside a kernel cage. The only crate that starts processes or changes the workspace.
//!
//! A command never runs in a weaker cage than it was promised: when a layer cannot be set up, it does not run at all.

#![warn(missing_docs, clippy::wildcard_enum_match_arm)]

mod blueprint;
mod browser;
mod cages;
mod capture;
pub mod doctor;
mod draft;
pub mod edit;
mod editor;
pub mod environment;
mod error;
mod git;
mod job;
mod lack;
mod left_behind;
mod live;
pub mod network;
pub mod open;
mod orders;
mod own_process;
pub mod person_environment;
mod personal;
mod private_temp;
mod protection;
mod report;
mod run;
mod secrets;
mod services;
mod setup;
mod shims;
pub mod small_file;
mod starter;
mod sys;

pub use browser::Browser;
pub use cages::{CageSettings, Cages, RequiredBuild};
pub use capture::{CapturedOutput, OutputStream, OutputStreams};
pub use editor::{Editor, EditorError, stop_as_a_job};
pub use error::CageError;
pub use git::{GitProbe, GitReading};
pub use job::{Canceller, Ending, Job, JobCommand, RunLimits, RunOutcome, Status};
pub use left_behind::EndedLeftovers;
pub use live::{LivePipes, LiveRun};
pub use network::Connection;
pub use open::Opener;
pub use own_process::protect;
pub use protection::{Layer, Protection};
pub use report::{ChangeKind, ChangedEntry, FileChange, RehearsalReport};
pub use secrets::{Secrets, SessionFiles};
pub use setup::become_setup_if_asked;
