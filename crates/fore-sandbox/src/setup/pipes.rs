//! Keeps named pipes out of reach where Landlock is missing: a read-only mount does not stop a write into one, a layer over its folder does.
//!
//! What cannot get a layer is hidden. Never leaves a folder as it is but those that the kernel fills or that the cage replaces anyway.

use super::mountinfo::Mounts;
use super::mounts::{SEALED, seal};
use super::overlay::UpperLayers;
use super::{AtLayer, LayerFailure};
use crate::blueprint::{Blueprint, CageReach, RawPath};
use crate::protection::Layer;
use crate::sys;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Most entries of a folder that are covered one by one, because something is mounted below it.
const MAX_ENTRIES: usize = 256;
/// Most layers; each is a mount.
const MAX_LAYERS: usize = 1024;
/// No pipe can be made here by a person, or the cage has its own.
const OF_THE_KERNEL: [&str; 3] = ["/proc", "/sys", "/dev"];

/// What a person is told about doing without Landlock.
pub(super) fn instead(blueprint: &Blueprint) -> &'static str {
    match blueprint.reach {
        CageReach::Nobody | CageReach::Loopback => {
            "not available: a layer over every folder keeps named pipes out of reach instead"
        }
        CageReach::Services | CageReach::Anybody => "not available: named pipes of other programs can be written to",
    }
}

/// Puts a read-only layer over everything that is mounted, folder by folder.
pub(super) fn cover(blueprint: &Blueprint, layers: &mut UpperLayers) -> Result<(), LayerFailure> {
    // Whoever may talk to services over their sockets, which a layer cuts off, may write to their pipes as well.
    if blueprint.reach == CageReach::Services {
        return Ok(());
    }
    let points = Mounts::read().at(Layer::Landlock)?.below(Path::new("/"));
    let replaced = |path: &Path| {
        let own =
            blueprint.temps.iter().chain(&blueprint.emptied).chain(&blueprint.personal).any(|over| over.path() == path);
        own || OF_THE_KERNEL.iter().any(|kernel| path == Path::new(kernel))
    };
    let mut covers = PipeCovers { blueprint, layers, count: 0 };
    let mut folders = vec![PathBuf::from("/")];
    while let Some(folder) = folders.pop() {
        if replaced(&folder) {
            continue;
        }
        let is_split = points.iter().any(|point| *point != folder && point.starts_with(&folder));
        if is_split {
            match entries(&folder) {
                Ok(inside) => {
                    inside.pipes.iter().try_for_each(|pipe| covers.hide(pipe, false))?;
                    folders.extend(inside.folders);
                }
                Err(error) => covers.hide_or_refuse(&folder, error)?,
            }
        } else {
            covers.put(&folder)?;
        }
    }
    Ok(())
}

struct FolderEntries {
    folders: Vec<PathBuf>,
    pipes: Vec<PathBuf>,
}

fn entries(folder: &Path) -> io::Result<FolderEntries> {
    let mut found = FolderEntries { folders: Vec::new(), pipes: Vec::new() };
    for (number, entry) in std::fs::read_dir(folder)?.enumerate() {
        if number >= MAX_ENTRIES {
            return Err(io::Error::other("too many entries to cover one by one"));
        }
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            found.folders.push(entry.path());
        } else if kind.is_fifo() {
            found.pipes.push(entry.path());
        }
    }
    Ok(found)
}

struct PipeCovers<'a> {
    blueprint: &'a Blueprint,
    layers: &'a mut UpperLayers,
    count: usize,
}

impl PipeCovers<'_> {
    fn put(&mut self, folder: &Path) -> Result<(), LayerFailure> {
        self.count += 1;
        if self.count > MAX_LAYERS {
            return Err(io::Error::other("more is mounted here than can be covered")).at_path(Layer::Landlock, folder);
        }
        let covered = sys::open_true(folder.as_os_str())
            .and_then(|lower| self.layers.overlay(&lower, folder))
            .and_then(|_| seal(folder));
        match covered {
            Ok(()) => Ok(()),
            Err(error) => self.hide_or_refuse(folder, error),
        }
    }

    /// A folder that the command works in cannot be hidden from it.
    fn hide_or_refuse(&self, folder: &Path, error: io::Error) -> Result<(), LayerFailure> {
        let blueprint = self.blueprint;
        let needed = blueprint.overlays.iter().chain(&blueprint.writable).chain(&blueprint.plan_file);
        let mut needed = needed.chain([&blueprint.cwd]).map(RawPath::path);
        if needed.any(|path| path.starts_with(folder)) {
            return Err(error).at_path(Layer::Landlock, folder);
        }
        self.hide(folder, true)
    }

    fn hide(&self, path: &Path, folder: bool) -> Result<(), LayerFailure> {
        let target = match sys::open_path(path.as_os_str()) {
            Ok(target) => target,
            // Out of reach for this person anyway, or gone.
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::EACCES)) => return Ok(()),
            Err(error) => return Err(error).at_path(Layer::Landlock, path),
        };
        let tree = self.layers.blocked(folder).at(Layer::Landlock)?;
        sys::set_mount_attributes(tree.as_fd(), SEALED, 0, 0).at(Layer::Landlock)?;
        sys::attach_tree(tree.as_fd(), target.as_fd()).at_path(Layer::Landlock, path)
    }
}
