//! Scripted model server, temporary workspaces and scenarios for tests; no part of what users run.
#![doc = include_str!("../README.md")]
#![warn(missing_docs)]

mod author;
mod built;
mod catalog;
mod command_line;
mod connection;
mod delivery;
mod expect;
mod failure;
mod history;
mod issued;
mod json_place;
pub mod kernel;
mod learn;
mod limits;
mod protocol;
mod read;
mod received;
mod record;
mod reply;
mod report;
pub mod scenario;
mod script;
mod scripted_model;
mod server;
mod stream;
mod swapper;
pub mod terminal;
mod tree;
mod workspace;

pub use author::{call, call_raw, failure, hang_up, rate_limited, reasoning, text};
pub use built::cage_setup;
pub use command_line::run_command_line;
pub use expect::{Demand, Expect, ResultExpect, ValueExpect};
pub use limits::ScriptError;
pub use protocol::WireProtocol;
pub use record::{RecordedRequest, ToldPart};
pub use report::{ServerReport, Violation};
pub use script::{
    Chunking, CutAt, CutHow, FailureKind, Fault, HistoryRule, Learn, ModelScript, Noise, ProviderFailure, RetryAfter,
    ScriptedCall, ScriptedConversation, ScriptedStop, ScriptedTurn, ScriptedUsage, TurnPart, UnusedTurns,
};
pub use server::Server;
pub use swapper::{Swap, Swapper};
pub use tree::{GitData, Times, Tree};
pub use workspace::{Workspace, WorkspaceError};
