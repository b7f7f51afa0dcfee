//! Why a command did not run. A command that ran and failed is an outcome, not an error.

use crate::lack;
use crate::protection::Layer;
use std::path::PathBuf;

/// Why a command did not run, or was lost.
#[derive(Debug, thiserror::Error)]
pub enum CageError {
    /// A protection that the cage promises could not be set up.
    #[error("the command did not run: {}. {}", self.reason(), lack::remedy(*.errno, .layer.advice()))]
    Layer {
        /// Which one.
        layer: Layer,
        /// The kernel's number for it, where it gave one.
        errno: Option<i32>,
        /// What went wrong, in words.
        reason: String,
    },
    /// What was asked for makes no sense on this machine.
    #[error("the command did not run: {}", self.reason())]
    Unusable {
        /// What it is about.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// It asks git for a secret by its name.
    #[error("the command did not run: {}. Work without its content", self.reason())]
    CommittedSecret {
        /// As the command spells it.
        word: String,
    },
    /// What was judged is not what was to run.
    #[error("the command did not run: the permit is for another command or folder, or for fewer paths")]
    NotPermitted,
    /// The cage stood, but the program could not be started in it.
    #[error("{}", self.reason())]
    NotStarted {
        /// What was to be started.
        program: String,
        /// What went wrong.
        kind: std::io::ErrorKind,
        /// The same in words.
        reason: String,
    },
    /// The program that builds cages is nowhere.
    #[error("the command did not run: {}. Install both together, or give its path in the settings", self.reason())]
    SetupMissing,
    /// The program that builds cages is where it should be, and cannot be started.
    #[error("the command did not run: {}. {}", self.reason(), lack::INSTALL)]
    Setup {
        /// What it is about.
        path: PathBuf,
        /// What went wrong, in words.
        reason: String,
    },
    /// A cage without namespaces needs a real temp folder.
    #[error("the command did not run: {}. {}", self.reason(), lack::TEMP)]
    TempFolder {
        /// What it is about.
        path: PathBuf,
        /// What went wrong, in words.
        reason: String,
    },
    /// The process that guards the cage ended without a word; everything inside has ended with it.
    #[error("{}", self.reason())]
    Lost(String),
    /// The system said no on the way.
    #[error("the command did not run: {}. {}", self.reason(), lack::remedy(.0.raw_os_error(), lack::DOCTOR))]
    Io(std::io::Error),
}

// Not by `#[from]`: its words are in ours, and would be told twice as the cause.
impl From<std::io::Error> for CageError {
    fn from(error: std::io::Error) -> CageError {
        CageError::Io(error)
    }
}

impl CageError {
    /// What happened, in plain words and without a full stop.
    pub(crate) fn reason(&self) -> String {
        match self {
            CageError::Layer { layer, reason, .. } => format!("{layer} could not be set up ({reason})"),
            CageError::Unusable { path, why } => format!("{} {why}", path.display()),
            CageError::CommittedSecret { word } => {
                format!("`{word}` is the name of a secret, and what git keeps of it is as secret")
            }
            CageError::NotPermitted => "the permit is for something else".to_owned(),
            CageError::NotStarted { program, reason, .. } => format!("{program} could not be started: {reason}"),
            CageError::SetupMissing => "the set-up program `fore-cage-setup` is not beside this program, and this \
                program cannot stand in for it"
                .to_owned(),
            CageError::Setup { path, reason } => {
                format!("the set-up program {} could not be started ({reason})", path.display())
            }
            CageError::TempFolder { path, reason } => {
                format!("no temp folder could be made in {} ({reason})", path.display())
            }
            CageError::Lost(reason) => format!("the sandbox ended without a result: {reason}"),
            CageError::Io(error) => format!("the sandbox could not be started: {error}"),
        }
    }
}
