//! Why a command did not run. A command that ran and failed is an outcome, not an error.

use crate::protection::Layer;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum CageError {
    /// A protection that the cage promises could not be set up.
    #[error("the command did not run: {layer} could not be set up ({reason}). {}", .layer.advice())]
    Layer { layer: Layer, reason: String },
    /// What was asked for makes no sense on this machine.
    #[error("the command did not run: {} {why}", .path.display())]
    Unusable { path: PathBuf, why: &'static str },
    #[error("the command did not run: the permit is for another command or folder, or for fewer paths")]
    NotPermitted,
    /// The cage stood, but the program could not be started in it.
    #[error("{program} could not be started: {reason}")]
    NotStarted { program: String, reason: String },
    #[error(
        "the command did not run: the set-up program `fore-cage-setup` is not beside this program, and this program cannot stand in for it. \
         Install both together, or give its path in the settings"
    )]
    SetupMissing,
    /// The process that guards the cage ended without a word; everything inside has ended with it.
    #[error("the cage ended without a result: {0}")]
    Lost(String),
    #[error("the cage could not be started: {0}")]
    Io(#[from] std::io::Error),
}
