//! Scripted model server, temporary workspaces and scenarios for tests; no part of what users run.
#![doc = include_str!("../README.md")]

mod author;
mod catalog;
mod delivery;
mod expect;
mod failure;
mod history;
mod issued;
pub mod kernel;
mod learn;
mod limits;
mod line;
mod place;
mod protocol;
mod read;
mod received;
mod record;
mod reply;
mod report;
pub mod scenario;
mod script;
mod server;
mod stage;
mod stream;
mod swapper;
pub mod terminal;
mod tree;
mod workspace;

pub use author::{call, call_raw, failure, hang_up, rate_limited, reasoning, text};
pub use expect::{Demand, Expect, ResultExpect, ValueExpect};
pub use limits::ScriptError;
pub use protocol::Protocol;
pub use record::{Request, Told};
pub use report::{Report, Violation};
pub use script::{
    Call, Conversation, CutAt, CutHow, Failure, FailureKind, Fault, History, Learn, Noise, Pace, Part, RetryAfter,
    Script, Stop, Turn, UnusedTurns, Usage,
};
pub use server::{Options, Server};
pub use swapper::{Swap, Swapper};
pub use tree::{GitData, Times, Tree};
pub use workspace::{Workspace, WorkspaceError};
