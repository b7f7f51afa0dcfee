//! Forethought in a terminal: draws events, turns keys into commands. It calls no model and no tool.
#![warn(missing_docs)]

mod app;
mod composer;
mod dialogs;
mod host;
mod keys;
mod options;
mod paint;
mod plain;
mod review_writer;
mod run;
mod screen;
mod session_link;
mod signals;
mod slash;
mod story;
mod theme;
mod view;

pub use app::NotifyReason;
pub use host::{Launched, ModelRow, PageNews, PageRequest, SessionRow, TerminalHost};
pub use keys::Keymap;
pub use options::{
    DisplayMode, ExitReason, FirstRunFacts, FolderTrust, InitialSession, Narrowing, NotifyOptions, Options, SetupHint,
    TerminalExit,
};
pub use run::run;
pub use screen::NotifySign;
pub use story::writing;
pub use theme::{Background, Colours, Signs, Theme};
