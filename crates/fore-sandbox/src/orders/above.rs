//! What the folders above a workspace make of it: one that was opened below `.github` holds workflows under half their name.

use fore_plan::orders::rests;
use std::path::{Path, PathBuf};

/// The list of names, with those that begin above the workspace and are held at its top.
pub(crate) fn names_in(list: &[PathBuf], workspace: &Path) -> Vec<PathBuf> {
    let halves = list.iter().filter_map(|entry| entry.to_str()).flat_map(|entry| rests(entry, workspace));
    let at_top = halves.filter(|rest| !rest.is_empty()).map(|rest| Path::new("/").join(rest.join("/")));
    list.iter().cloned().chain(at_top).collect()
}

/// Whether everything in the workspace gives orders, because it lies in a folder of that name. What is a repository of its own is a
/// project, wherever it lies.
pub(crate) fn lies_in_orders(list: &[PathBuf], workspace: &Path) -> bool {
    let top = workspace.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok());
    let inside = top.and_then(|top| workspace.strip_prefix(top).ok()).unwrap_or(workspace);
    list.iter().filter_map(|entry| entry.to_str()).any(|entry| rests(entry, inside).iter().any(Vec::is_empty))
}
