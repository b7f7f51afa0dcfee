//! The one loop: turns, context, tools, subagents, sessions.
//!
//! Front ends send [`Command`]s and receive [`Event`]s; none of them calls a model or a tool.

pub mod agents;
pub mod brain;
pub mod cancel;
pub mod classifier;
pub mod command;
pub mod compaction;
mod context;
mod control;
pub mod disk;
mod document;
pub mod event;
pub mod form;
pub mod launch;
pub mod memory;
pub mod output;
pub mod proof;
pub mod scout;
pub mod session;
pub mod settings;
pub mod skills;
pub mod spent;
pub mod tools;
pub mod turn;
pub mod walk;

pub use brain::{Brain, Brains, Remote};
pub use command::Command;
pub use event::Event;
pub use launch::{Begin, Launch};
pub use session::{Handle, StartError, past, start};
pub use settings::Settings;
