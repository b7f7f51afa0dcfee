//! The one loop: turns, context, tools, subagents, sessions.
//!
//! Front ends send [`Command`]s and receive [`Event`]s; none of them calls a model or a tool.

pub mod agents;
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
pub mod model_handle;
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

pub use command::Command;
pub use event::Event;
pub use launch::{Begin, Launch};
pub use model_handle::{ModelHandle, ModelHandles, RemoteModel};
pub use session::{Handle, StartError, replay, start};
pub use settings::SessionSettings;
