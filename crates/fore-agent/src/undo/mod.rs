//! Undo of files: what the agent changed in a turn is remembered before it happens and can be taken back, and brought back again.
//!
//! Nothing of this touches the repository of the person: no commit, no stash, no index. What an undo takes away is kept first.

mod git_index;
mod look_bytes;
mod memory;
mod put_back;
mod recover;
#[cfg(test)]
mod tests;
mod told;
mod tree_look;
mod turn_changes;
mod undo_page;

use fore_plan::gate::Rules;
use fore_sandbox::{Cages, Opener};
pub(crate) use memory::UndoMemory;
use std::{path::Path, sync::Arc};

pub(crate) use memory::{RememberedEdit, RememberedRun};
pub use put_back::{UndoDirection, UndoDone, UndoFile, UndoFileState, UndoPlan, Undoer};
pub(crate) use told::reminder;
pub(crate) use undo_page::quoted;

/// Opens files of a project for an undo outside of a session; what rules deny stays closed.
pub fn undo_opener(cages: &Arc<Cages>, project: &Path, rules: &Arc<Rules>) -> Opener {
    let rules = Arc::clone(rules);
    let denied = move |path: &Path| crate::tools::is_denied(&rules, path);
    Opener::new(Arc::clone(cages), project).denying(Arc::new(denied))
}
