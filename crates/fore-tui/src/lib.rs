//! Forethought in a terminal: draws events, turns keys into commands. It calls no model and no tool.

pub mod app;
pub mod composer;
pub mod dialogs;
pub mod host;
pub mod keys;
pub mod options;
pub mod paint;
pub mod plain;
mod review_writer;
mod run;
pub mod screen;
mod session_link;
mod signals;
pub mod slash;
pub mod story;
pub mod theme;
pub mod view;

pub use options::{DisplayMode, ExitReason, Options, TerminalExit};
pub use run::run;
