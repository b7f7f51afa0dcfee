//! Forethought in a terminal: draws events, turns keys into commands. It calls no model and no tool.

pub mod app;
pub mod composer;
pub mod dialogs;
pub mod door;
mod keeper;
pub mod keys;
pub mod options;
pub mod paint;
pub mod plain;
mod run;
pub mod screen;
mod session;
mod signals;
pub mod slash;
pub mod story;
pub mod theme;
pub mod view;

pub use options::{Ended, Leaving, Look, Options};
pub use run::run;
