//! Finds what gives orders in a workspace that is writable: there by name at the top, and what is found in folders below.

use crate::git;
use fore_plan::orders::GIT_ORDERS;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Folders that are looked through for orders below the top, and how deep.
const MAX_FOLDERS: usize = 3_000;
const MAX_DEPTH: usize = 12;
/// Paths below the top that are held; each costs the kernel a mount or more.
const MAX_NESTED: usize = 400;
/// What is downloaded or built, by the thousand: nobody works in there.
const PASSED_OVER: [&str; 4] = ["node_modules", "target", ".venv", "__pycache__"];

/// Every path of the workspace to keep as it is, whether it is there or not, in the order in which they are to be held.
pub(crate) fn protected(orders: &[PathBuf], workspace: &Path) -> Vec<PathBuf> {
    let mut paths: BTreeSet<PathBuf> = BTreeSet::new();
    for order in orders {
        add(&mut paths, workspace.join(order));
    }
    for found in nested(orders, workspace) {
        add(&mut paths, found);
    }
    // Where a link leads on the way there, the place itself counts too.
    let real: Vec<PathBuf> = paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
    paths.extend(real.into_iter().filter(|real| real.starts_with(workspace) && real != workspace));
    paths.into_iter().collect()
}

/// A git folder is needed for commits, so only parts of it are held: its own, those of submodules and of linked work trees.
fn add(paths: &mut BTreeSet<PathBuf>, path: PathBuf) {
    if path.file_name() != Some(OsStr::new(".git")) {
        paths.insert(path);
        return;
    }
    if path.symlink_metadata().is_ok_and(|found| found.is_file()) {
        // It names the true place: to replace it is to replace that place.
        paths.insert(path);
        return;
    }
    let modules = git::submodules(&path);
    let work_trees = git::work_trees(&path);
    let inner = modules.iter().filter_map(|config| config.parent()).chain(work_trees.iter().map(PathBuf::as_path));
    for folder in std::iter::once(path.as_path()).chain(inner) {
        paths.extend(GIT_ORDERS.iter().map(|name| folder.join(name)));
    }
}

/// What is there of the orders in folders below the top. What lies deeper than the bounds is not found.
fn nested(orders: &[PathBuf], workspace: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![(workspace.to_owned(), 0)];
    let mut looked_at = 0;
    while let Some((folder, depth)) = folders.pop() {
        looked_at += 1;
        if looked_at > MAX_FOLDERS || found.len() >= MAX_NESTED {
            break;
        }
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let path = folder.join(&name);
            // Only what lies beneath a folder of this name is meant by an order of two words.
            let meant = orders.iter().filter(|order| order.iter().next() == Some(&name));
            let there: Vec<PathBuf> =
                meant.map(|order| folder.join(order)).filter(|path| path.symlink_metadata().is_ok()).collect();
            let is_whole = there.contains(&path);
            if depth > 0 {
                found.extend(there);
            }
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let passed_over = name == ".git" || PASSED_OVER.iter().any(|passed| name == *passed);
            if is_folder && !is_whole && !passed_over && depth < MAX_DEPTH {
                folders.push((path, depth + 1));
            }
        }
    }
    found.truncate(MAX_NESTED);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "makes the files that are looked for")]
    fn orders_are_held_by_name_at_the_top_and_where_they_are_below() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        for made in ["a/.git/hooks", "a/b/.claude/agents", "node_modules/x/.vscode", ".github/workflows", "c/.github"] {
            std::fs::create_dir_all(top.join(made)).unwrap();
        }
        std::os::unix::fs::symlink("a/b", top.join(".husky")).unwrap();
        let orders = [".git", ".claude", ".vscode", ".github/workflows", ".husky"].map(PathBuf::from);
        let mut expected: Vec<PathBuf> = GIT_ORDERS.iter().map(|name| top.join(".git").join(name)).collect();
        expected.extend(GIT_ORDERS.iter().map(|name| top.join("a/.git").join(name)));
        let more = [".claude", ".vscode", ".github/workflows", ".husky", "a/b/.claude", "a/b"];
        expected.extend(more.iter().map(|path| top.join(path)));
        expected.sort();
        assert_eq!(protected(&orders, &top), expected);
    }
}
