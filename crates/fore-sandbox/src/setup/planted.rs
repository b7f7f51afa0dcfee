//! Keeps a command in a writable workspace from changing what runs later, outside: what gives orders, and our own programs.
//!
//! What is there becomes read-only, and every folder on the way to it a mount point, which nobody can move away. What is not
//! there cannot be covered, and neither can a link; those are looked at from outside (`crate::orders`).

use super::mounts::{SEALED, cover};
use super::{AtLayer, LayerFailure};
use crate::blueprint::{Blueprint, RawPath};
use crate::protection::Layer;
use crate::sys::{self, AT_RECURSIVE};
use std::collections::BTreeSet;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// Covers everything on the list. What is not as it was a moment ago is an error: somebody is changing it right now.
pub(super) fn protect(blueprint: &Blueprint) -> Result<(), LayerFailure> {
    let orders = blueprint.orders.iter().flat_map(|orders| orders.before.places.iter().chain(&orders.also_held));
    let paths: BTreeSet<&Path> = blueprint.protected.iter().chain(orders).map(RawPath::path).collect();
    let mut held: BTreeSet<PathBuf> = BTreeSet::new();
    let mut covered: BTreeSet<&Path> = BTreeSet::new();
    // Parents come first.
    for path in paths {
        let tops = blueprint.writable.iter().map(|top| top.path());
        let top = tops.filter(|top| path.starts_with(top) && path != *top).max_by_key(|top| top.as_os_str().len());
        let Some(top) = top.filter(|_| !path.ancestors().any(|above| covered.contains(above))) else { continue };
        hold_way(top, path, &mut held)?;
        put_over_itself(path, SEALED)?;
        covered.insert(path);
    }
    Ok(())
}

/// Makes every folder between `top` and `path` a mount point of itself: writable as before, but not to be renamed.
fn hold_way(top: &Path, path: &Path, held: &mut BTreeSet<PathBuf>) -> Result<(), LayerFailure> {
    let mut folders: Vec<&Path> = path.ancestors().skip(1).take_while(|folder| *folder != top).collect();
    folders.reverse();
    for folder in folders {
        if held.insert(folder.to_owned()) {
            put_over_itself(folder, 0)?;
        }
    }
    Ok(())
}

fn put_over_itself(path: &Path, attributes: u64) -> Result<(), LayerFailure> {
    let fd = sys::open_true(path.as_os_str()).at_path(Layer::Writable, path)?;
    let tree = sys::clone_tree(fd.as_fd(), AT_RECURSIVE).at_path(Layer::Writable, path)?;
    cover(&tree, path, attributes).at_path(Layer::Writable, path)
}
