//! The disk as the command sees it: read-only, with private devices, processes and temp folders, and without secrets and services.
//!
//! Order matters: everything that must stay reachable is pinned by a descriptor before anything is covered, then the whole
//! tree becomes read-only, then the pinned parts are put back on top, parents before children.

use super::mountinfo::Mounts;
use super::overlay::{Ahead, Overlays, UpperLayers};
use super::{AtLayer, LayerFailure, pipes, planted};
use crate::blueprint::{Blueprint, CageBuild, CageReach, RawPath};
use crate::git::CONFIG_PLACE;
use crate::protection::{Layer, Protection};
use crate::sys::{self, AT_RECURSIVE, MOUNT_ATTR_NODEV, MOUNT_ATTR_NOSUID, MOUNT_ATTR_RDONLY};
use rustix::fs::FileType;
use rustix::mount::MountFlags;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];
/// A device file opened for writing ignores that its mount is read-only, so devices are off altogether.
pub(super) const SEALED: u64 = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
/// Folders that are seen through a layer in most runs.
const FOR_EVERYBODY: [(&str, Ahead); 2] = [("/tmp", Ahead::Writable), ("/var/tmp", Ahead::Seen)];
/// Of the 128 that a user usually has.
const MAX_WATCHERS: &str = "32";
const TMPFS_FLAGS: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);

pub(super) struct BuiltMounts {
    pub(super) protections: Vec<Protection>,
    /// The throw-away layers to report on, in a rehearsal.
    pub(super) overlays: Option<Overlays>,
    /// A place in the temp folder is shown without a layer. Its pipes must not be written to, so nothing in the temp folder may be.
    pub(super) plain: bool,
}

/// Something to put back on top of the read-only disk.
struct MountPiece {
    path: PathBuf,
    layer: Layer,
    kind: MountPieceKind,
}

enum MountPieceKind {
    /// A detached mount taken before the disk became read-only.
    Tree(OwnedFd),
    /// A throw-away layer over what the descriptor refers to.
    Overlay { lower: OwnedFd, purpose: OverlayPurpose },
    /// Only to be seen: read-only, and a layer all the same, because a named pipe on a read-only mount can still be written to.
    Shown { lower: OwnedFd, tree: OwnedFd },
    /// An empty folder, to be filled.
    Empty,
    /// One that stays empty.
    Nothing,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OverlayPurpose {
    Workspace,
    Cache,
    Temp,
    /// Only seen, so that no pipe there leads outside.
    Quiet,
}

/// The mounts of this process alone, and what is set up whatever the blueprint says.
pub(super) struct OwnDisk {
    /// As it was outside.
    mounts: Mounts,
    layers: UpperLayers,
    /// Layers over folders that everybody has.
    ahead: Vec<LayerAhead>,
}

struct LayerAhead {
    folder: &'static Path,
    layer: Ahead,
    tree: OwnedFd,
    over: FolderLooks,
}

/// Which folder it is, whose, and with which mode: what a layer over it shows.
type FolderLooks = (u64, u64, u32, u32, u32);

fn looks(folder: &OwnedFd) -> io::Result<FolderLooks> {
    let status = rustix::fs::fstat(folder)?;
    Ok((status.st_dev, status.st_ino, status.st_mode, status.st_uid, status.st_gid))
}

impl OwnDisk {
    /// For a process that has just got mounts of its own.
    pub(super) fn new(layer_bytes: u64) -> Result<OwnDisk, LayerFailure> {
        let mounts = Mounts::read().at(Layer::ReadOnlyDisk)?;
        let devices = DEVICES.map(|name| (name, pin(&Path::new("/dev").join(name), 0)));
        let mut layers = UpperLayers::mount(layer_bytes).at(Layer::PrivateTemp)?;
        private_devices(devices, layer_bytes).at(Layer::Devices)?;
        let mut ahead = Vec::new();
        for (folder, layer) in FOR_EVERYBODY.map(|(folder, layer)| (Path::new(folder), layer)) {
            // Where it fails it is tried again when it is needed.
            if mounts.below(folder).is_empty()
                && let Ok(lower) = sys::open_true(folder.as_os_str())
                && let Ok(over) = looks(&lower)
                && let Ok(tree) = layers.overlay_ahead(&lower, layer)
            {
                ahead.push(LayerAhead { folder, layer, tree, over });
            }
        }
        Ok(OwnDisk { mounts, layers, ahead })
    }

    /// Everything read-only but the places that were set up.
    fn seal(&self) -> Result<(), LayerFailure> {
        let root = sys::open_path(OsStr::new("/")).at(Layer::ReadOnlyDisk)?;
        sys::set_mount_attributes(root.as_fd(), SEALED, 0, AT_RECURSIVE).at(Layer::ReadOnlyDisk)?;
        self.layers.unseal().at(Layer::PrivateTemp)?;
        unseal_devices().at(Layer::Devices)
    }

    /// Puts a layer over a folder that was made for this; false if there is none, or the folder is not what it was.
    fn put_ahead(&mut self, (path, lower): (&Path, &OwnedFd), wanted: Ahead) -> io::Result<bool> {
        let over = looks(lower)?;
        let is_it = |ahead: &LayerAhead| ahead.folder == path && ahead.layer == wanted && ahead.over == over;
        let Some(found) = self.ahead.iter().position(is_it) else { return Ok(false) };
        let LayerAhead { tree, .. } = self.ahead.remove(found);
        sys::attach_tree(tree.as_fd(), sys::open_path(path.as_os_str())?.as_fd())?;
        match wanted {
            Ahead::Writable => sys::set_mount_attributes(tree.as_fd(), 0, MOUNT_ATTR_RDONLY, 0)?,
            // It was sealed together with everything else.
            Ahead::Seen => {}
        }
        Ok(true)
    }
}

pub(super) fn build(mut disk: OwnDisk, blueprint: &Blueprint) -> Result<BuiltMounts, LayerFailure> {
    if let Some(config) = &blueprint.git_config {
        write(config, Path::new(CONFIG_PLACE)).at(Layer::Devices)?;
    }
    let plan = blueprint.plan_file.as_ref().map(|plan| pin_plan(plan.path())).transpose()?;
    let mut pieces = gather(blueprint, &disk.mounts)?;
    disk.seal()?;
    gather_kept(blueprint, &mut pieces)?;
    // Parents first, and for the same folder an empty one first: the later mount is the one that is seen.
    pieces.sort_by(|a, b| a.path.cmp(&b.path));
    keep_empty(&mut pieces, &blueprint.links);
    if blueprint.build == CageBuild::WithoutLandlock {
        pipes::cover(blueprint, &mut disk.layers)?;
    }
    let mut overlays = Overlays::default();
    let mut emptied = Vec::new();
    let mut plain = false;
    for piece in pieces {
        put(piece, &mut disk, &mut overlays, &mut emptied, &mut plain)?;
    }
    for (place, target) in &blueprint.links {
        let (place, target) = (place.path(), target.path());
        put_link(place, target).at_path(Layer::Secrets, place)?;
    }
    for (path, layer) in emptied.iter().filter(|(_, layer)| matches!(layer, Layer::Services | Layer::Secrets)) {
        seal(path).at_path(*layer, path)?;
    }
    if plain && blueprint.build == CageBuild::WithoutLandlock {
        return Err(io::Error::other("the project lies in the temp folder, where no layer can cover it"))
            .at(Layer::Landlock);
    }
    let hidden = hide(blueprint, &disk.layers)?;
    blank(blueprint)?;
    planted::protect(blueprint)?;
    if let (Some(tree), Some(plan)) = (plan, &blueprint.plan_file) {
        cover(&tree, plan.path(), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV).at_path(Layer::PlanFile, plan.path())?;
    }
    // Needs the new process namespace, and that no part of the old /proc was hidden from us.
    sys::mount_new(c"proc", OsStr::new("/proc"), TMPFS_FLAGS | MountFlags::NOEXEC, "").at(Layer::Processes)?;
    limit_watches();
    // Root keeps its number inside, and /proc/sys obeys numbers: read-only is what protects the kernel's settings.
    seal(Path::new("/proc")).at(Layer::Processes)?;

    Ok(BuiltMounts {
        protections: protections(blueprint, hidden),
        overlays: (!blueprint.overlays.is_empty()).then_some(overlays),
        plain,
    })
}

/// Whoever takes all that one user may have of the kernel's file watchers leaves none for the person's other programs. Kernels
/// that do not count them by namespace have nothing to write to.
#[expect(clippy::disallowed_methods, reason = "a setting of this namespace, which ends with the run")]
fn limit_watches() {
    let _ = std::fs::write("/proc/sys/user/max_inotify_instances", MAX_WATCHERS);
}

/// Pins what must be put back: writable paths, throw-away layers, temp folders, and what they would otherwise hide.
fn gather(blueprint: &Blueprint, mounts: &Mounts) -> Result<Vec<MountPiece>, LayerFailure> {
    let mut pieces = Vec::new();
    for path in &blueprint.emptied {
        if path.path().is_dir() {
            pieces.push(MountPiece {
                path: path.path().to_owned(),
                layer: Layer::Services,
                kind: MountPieceKind::Empty,
            });
        }
    }
    for path in &blueprint.personal {
        pieces.push(MountPiece { path: path.path().to_owned(), layer: Layer::Secrets, kind: MountPieceKind::Empty });
    }
    for path in &blueprint.temps {
        if let Ok(lower) = sys::open_path(path.path().as_os_str()) {
            pieces.push(MountPiece {
                path: path.path().to_owned(),
                layer: Layer::PrivateTemp,
                kind: MountPieceKind::Overlay { lower, purpose: OverlayPurpose::Temp },
            });
        }
    }
    for path in blueprint.quiet.iter().filter(|path| !blueprint.writable.contains(path)) {
        let is_alone = mounts.below(path.path()).is_empty();
        if let (true, Ok(lower)) = (is_alone, sys::open_true(path.path().as_os_str())) {
            let kind = MountPieceKind::Overlay { lower, purpose: OverlayPurpose::Quiet };
            pieces.push(MountPiece { path: path.path().to_owned(), layer: Layer::ReadOnlyDisk, kind });
        }
    }
    for path in &blueprint.shown {
        // The temp folder itself is seen through its own layer, where it can have one.
        let below = mounts.below(path.path());
        if below.is_empty() && blueprint.temps.contains(path) {
            continue;
        }
        let lower = sys::open_true(path.path().as_os_str()).at_path(Layer::ReadOnlyDisk, path.path())?;
        let tree = pin_true(path.path(), AT_RECURSIVE).at_path(Layer::ReadOnlyDisk, path.path())?;
        let kind = MountPieceKind::Shown { lower, tree };
        pieces.push(MountPiece { path: path.path().to_owned(), layer: Layer::ReadOnlyDisk, kind });
    }
    for path in &blueprint.writable {
        let tree = pin_true(path.path(), AT_RECURSIVE).at_path(Layer::Writable, path.path())?;
        sys::set_mount_attributes(tree.as_fd(), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, 0, AT_RECURSIVE)
            .at_path(Layer::Writable, path.path())?;
        pieces.push(MountPiece {
            path: path.path().to_owned(),
            layer: Layer::Writable,
            kind: MountPieceKind::Tree(tree),
        });
    }
    for (index, path) in blueprint.overlays.iter().enumerate() {
        let purpose = if index == 0 { OverlayPurpose::Workspace } else { OverlayPurpose::Cache };
        gather_overlay((path.path(), mounts), purpose, &mut pieces)?;
    }
    Ok(pieces)
}

/// What is kept of places that look empty. Taken after the whole disk was sealed, and so sealed as well.
fn gather_kept(blueprint: &Blueprint, pieces: &mut Vec<MountPiece>) -> Result<(), LayerFailure> {
    for path in blueprint.kept.iter().chain(&blueprint.sockets) {
        // Where Landlock is missing, what cannot get a layer is not shown.
        if blueprint.build == CageBuild::WithoutLandlock
            && is_personal(blueprint, path.path())
            && let Ok(lower) = sys::open_path(path.path().as_os_str())
            && is_folder(&lower).at_path(Layer::ReadOnlyDisk, path.path())?
        {
            let kind = MountPieceKind::Overlay { lower, purpose: OverlayPurpose::Quiet };
            pieces.push(MountPiece { path: path.path().to_owned(), layer: Layer::ReadOnlyDisk, kind });
            continue;
        }
        let Ok(tree) = pin(path.path(), AT_RECURSIVE) else {
            continue;
        };
        pieces.push(MountPiece {
            path: path.path().to_owned(),
            layer: Layer::ReadOnlyDisk,
            kind: MountPieceKind::Tree(tree),
        });
    }
    Ok(())
}

fn is_personal(blueprint: &Blueprint, path: &Path) -> bool {
    blueprint.personal.iter().any(|top| path.starts_with(top.path()))
}

/// A throw-away layer for the folder. The kernel refuses one over a folder in which other file systems are mounted: it would
/// show what they cover. A cache then simply stays read-only.
fn gather_overlay(
    (path, mounts): (&Path, &Mounts),
    purpose: OverlayPurpose,
    pieces: &mut Vec<MountPiece>,
) -> Result<(), LayerFailure> {
    let below = mounts.below(path);
    match (below.first(), purpose) {
        (None, _) => {
            let lower = sys::open_true(path.as_os_str()).at_path(Layer::Overlay, path)?;
            let kind = MountPieceKind::Overlay { lower, purpose };
            pieces.push(MountPiece { path: path.to_owned(), layer: Layer::Overlay, kind });
            Ok(())
        }
        (Some(_), OverlayPurpose::Cache | OverlayPurpose::Temp | OverlayPurpose::Quiet) => Ok(()),
        (Some(inner), OverlayPurpose::Workspace) => {
            Err(io::Error::other("another file system is mounted here, inside the workspace"))
                .at_path(Layer::Overlay, inner)
        }
    }
}

/// Finds the empty folders in which nothing is to be put. In this order what lies in a folder comes right behind it.
fn keep_empty(pieces: &mut [MountPiece], links: &[(RawPath, RawPath)]) {
    let mut behind: Option<PathBuf> = None;
    for piece in pieces.iter_mut().rev() {
        let is_in = |path: &Path| path != piece.path && path.starts_with(&piece.path);
        let is_filled = behind.as_deref().is_some_and(is_in)
            || links.iter().any(|(place, _)| place.path().starts_with(&piece.path));
        if matches!(piece.kind, MountPieceKind::Empty) && !is_filled {
            piece.kind = MountPieceKind::Nothing;
        }
        if behind.as_ref() != Some(&piece.path) {
            behind = Some(piece.path.clone());
        }
    }
}

fn put(
    piece: MountPiece,
    disk: &mut OwnDisk,
    overlays: &mut Overlays,
    emptied: &mut Vec<(PathBuf, Layer)>,
    plain: &mut bool,
) -> Result<(), LayerFailure> {
    let MountPiece { path, layer, kind } = piece;
    if emptied.iter().any(|(empty, _)| path != *empty && path.starts_with(empty)) {
        // What is kept of an emptied folder needs a place to be mounted on.
        let folder = !matches!(&kind, MountPieceKind::Tree(tree) if !is_folder(tree).at_path(layer, &path)?);
        make_mount_point(&path, folder).at_path(layer, &path)?;
    }
    match kind {
        MountPieceKind::Tree(tree) => cover(&tree, &path, 0).at_path(layer, &path),
        MountPieceKind::Overlay { lower, purpose: OverlayPurpose::Temp }
            if disk.put_ahead((&path, &lower), Ahead::Writable).at_path(layer, &path)? =>
        {
            Ok(())
        }
        MountPieceKind::Overlay { lower, purpose: OverlayPurpose::Quiet }
            if disk.put_ahead((&path, &lower), Ahead::Seen).at_path(layer, &path)? =>
        {
            Ok(())
        }
        MountPieceKind::Overlay { lower, purpose: OverlayPurpose::Temp } => match disk.layers.overlay(&lower, &path) {
            Ok(_) => Ok(()),
            // A temp folder on a file system that no layer can cover becomes an empty one.
            Err(_) => sys::mount_new(c"tmpfs", path.as_os_str(), TMPFS_FLAGS, "mode=1777,size=50%")
                .at_path(layer, &path)
                .map(|()| emptied.push((path, layer))),
        },
        // Where no layer can cover it, it stays read-only as it is.
        MountPieceKind::Overlay { lower, purpose: OverlayPurpose::Quiet } => match disk.layers.overlay(&lower, &path) {
            Ok(_) => seal(&path).at_path(layer, &path),
            Err(_) => Ok(()),
        },
        MountPieceKind::Shown { lower, tree } => match disk.layers.overlay(&lower, &path) {
            Ok(_) => seal(&path).at_path(layer, &path),
            // Where no layer can cover it, it is seen as it is, and the temp folder around it must do without being writable.
            Err(_) => {
                *plain = true;
                cover(&tree, &path, SEALED).at_path(layer, &path)
            }
        },
        MountPieceKind::Overlay { lower, purpose } => match disk.layers.overlay(&lower, &path) {
            Ok(upper) => {
                overlays.add(path, lower, upper, purpose == OverlayPurpose::Workspace);
                Ok(())
            }
            // A cache that no layer can cover stays read-only, like everything around it.
            Err(_) if purpose == OverlayPurpose::Cache => Ok(()),
            Err(error) => Err(error).at_path(layer, &path),
        },
        MountPieceKind::Nothing => cover(&disk.layers.nothing().at_path(layer, &path)?, &path, 0).at_path(layer, &path),
        MountPieceKind::Empty => {
            let folder = disk.layers.empty().at_path(layer, &path)?;
            cover(&folder, &path, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV).at_path(layer, &path)?;
            emptied.push((path, layer));
            Ok(())
        }
    }
}

fn is_folder(fd: &OwnedFd) -> io::Result<bool> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(fd)?.st_mode) == FileType::Directory)
}

#[expect(clippy::disallowed_methods, reason = "makes mount points in a private, empty file system")]
fn make_mount_point(path: &Path, folder: bool) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    if folder {
        return std::fs::create_dir_all(path);
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::File::create(path).map(drop)
}

/// A link of a place that looks empty now.
fn put_link(place: &Path, target: &Path) -> io::Result<()> {
    if place.symlink_metadata().is_ok() {
        return Ok(());
    }
    if let Some(folder) = place.parent() {
        make_mount_point(folder, true)?;
    }
    link(target, place)
}

/// A detached copy of what is mounted at `path` now.
fn pin(path: &Path, flags: u32) -> io::Result<OwnedFd> {
    sys::clone_tree(sys::open_path(path.as_os_str())?.as_fd(), flags)
}

/// The same for a path that the draft has freed of links: one that has appeared since leads elsewhere.
fn pin_true(path: &Path, flags: u32) -> io::Result<OwnedFd> {
    sys::clone_tree(sys::open_true(path.as_os_str())?.as_fd(), flags)
}

/// The plan file must be one file under one name: through a second name or a link its content would lie elsewhere.
fn pin_plan(path: &Path) -> Result<OwnedFd, LayerFailure> {
    let fd = sys::open_true(path.as_os_str()).at_path(Layer::PlanFile, path)?;
    let status = rustix::fs::fstat(&fd).at_path(Layer::PlanFile, path)?;
    if FileType::from_raw_mode(status.st_mode) != FileType::RegularFile || status.st_nlink != 1 {
        return Err(io::Error::other("not an ordinary file with exactly one name")).at_path(Layer::PlanFile, path);
    }
    sys::clone_tree(fd.as_fd(), 0).at_path(Layer::PlanFile, path)
}

/// Mounts `tree` on `path` with more attributes.
pub(super) fn cover(tree: &OwnedFd, path: &Path, attributes: u64) -> io::Result<()> {
    if attributes != 0 {
        sys::set_mount_attributes(tree.as_fd(), attributes, 0, AT_RECURSIVE)?;
    }
    sys::attach_tree(tree.as_fd(), sys::open_path(path.as_os_str())?.as_fd())
}

pub(super) fn seal(path: &Path) -> io::Result<()> {
    sys::set_mount_attributes(sys::open_path(path.as_os_str())?.as_fd(), SEALED, 0, 0)
}

/// `/dev` with the five harmless devices, the usual links and private shared memory; no terminal. There is room for git's settings.
fn private_devices(devices: [(&str, io::Result<OwnedFd>); 5], layer_bytes: u64) -> io::Result<()> {
    let dev = Path::new("/dev");
    let shared_bytes = layer_bytes / 4;
    sys::mount_new(c"tmpfs", dev.as_os_str(), TMPFS_FLAGS, "mode=0755,size=16m,nr_inodes=64")?;
    for (name, device) in devices {
        let place = dev.join(name);
        make_mount_point(&place, false)?;
        // Sealed with everything else: programs may write to a device on a read-only mount, and change neither its mode nor its times.
        cover(&device?, &place, 0)?;
    }
    for (name, target) in [
        ("fd", "/proc/self/fd"),
        ("stdin", "/proc/self/fd/0"),
        ("stdout", "/proc/self/fd/1"),
        ("stderr", "/proc/self/fd/2"),
    ] {
        link(target, &dev.join(name))?;
    }
    let shared = dev.join("shm");
    make_mount_point(&shared, true)?;
    sys::mount_new(
        c"tmpfs",
        shared.as_os_str(),
        TMPFS_FLAGS,
        &format!("mode=1777,size={shared_bytes},nr_inodes={}", shared_bytes >> 14),
    )
}

/// After everything was sealed: devices are devices again, and shared memory can be written.
fn unseal_devices() -> io::Result<()> {
    let dev = sys::open_path(OsStr::new("/dev"))?;
    sys::set_mount_attributes(dev.as_fd(), 0, MOUNT_ATTR_NODEV, AT_RECURSIVE)?;
    sys::set_mount_attributes(dev.as_fd(), SEALED, 0, 0)?;
    let shared = sys::open_path(OsStr::new("/dev/shm"))?;
    sys::set_mount_attributes(shared.as_fd(), MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, MOUNT_ATTR_RDONLY, 0)
}

#[expect(clippy::disallowed_methods, reason = "a file in the private /dev")]
fn write(text: &str, place: &Path) -> io::Result<()> {
    std::fs::write(place, text)
}

#[expect(clippy::disallowed_methods, reason = "links in private, empty folders")]
fn link(target: impl AsRef<Path>, place: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, place)
}

/// Covers every secret that exists with something nobody may open.
fn hide(blueprint: &Blueprint, layers: &UpperLayers) -> Result<usize, LayerFailure> {
    let mut hidden = 0;
    for path in &blueprint.masked {
        let path = path.path();
        let target = match sys::open_path(path.as_os_str()) {
            Ok(target) => target,
            // Not there, or out of reach for this person anyway.
            Err(error)
                if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR | libc::EACCES | libc::ELOOP)) =>
            {
                continue;
            }
            Err(error) => return Err(error).at_path(Layer::Secrets, path),
        };
        let folder = is_folder(&target).at_path(Layer::Secrets, path)?;
        let tree = layers.blocked(folder).at(Layer::Secrets)?;
        sys::attach_tree(tree.as_fd(), target.as_fd()).at_path(Layer::Secrets, path)?;
        hidden += 1;
    }
    Ok(hidden)
}

/// Covers what would be waited for with something that is at its end at once.
fn blank(blueprint: &Blueprint) -> Result<(), LayerFailure> {
    for path in &blueprint.blank {
        let path = path.path();
        // What is gone by now need not be covered.
        if let Ok(target) = sys::open_path(path.as_os_str()) {
            let nothing = pin(Path::new("/dev/null"), 0).at_path(Layer::ReadOnlyDisk, path)?;
            sys::attach_tree(nothing.as_fd(), target.as_fd()).at_path(Layer::ReadOnlyDisk, path)?;
        }
    }
    Ok(())
}

fn hidden_summary(blueprint: &Blueprint, hidden: usize) -> String {
    match blueprint.personal.as_slice() {
        [] => format!("{hidden} paths hidden"),
        _ => format!("{hidden} paths hidden; of personal folders only what is needed or named is shown"),
    }
}

fn protections(blueprint: &Blueprint, hidden: usize) -> Vec<Protection> {
    let mut list = vec![
        Protection::on(Layer::ReadOnlyDisk, "the whole disk is mounted read-only"),
        Protection::on(Layer::Devices, "only null, zero, full, random and urandom; no terminal"),
        Protection::on(Layer::Processes, "sees and signals only its own processes"),
        Protection::on(Layer::PrivateTemp, "temp files go to a private layer and are dropped"),
        Protection::on(Layer::Secrets, hidden_summary(blueprint, hidden)),
    ];
    if !blueprint.overlays.is_empty() {
        list.push(Protection::on(Layer::Overlay, "writes go to a throw-away layer and are dropped"));
    }
    match blueprint.reach {
        CageReach::Nobody => list.push(Protection::on(Layer::Services, "no network, no sockets")),
        CageReach::Loopback if blueprint.proxy_port.is_some() => list.push(Protection::on(
            Layer::Services,
            "no network but a proxy that connects to the approved hosts, no sockets of this machine's services",
        )),
        CageReach::Loopback => list.push(Protection::on(
            Layer::Services,
            "no network but its own loopback, no sockets of this machine's services",
        )),
        CageReach::Services => list.push(Protection::on(
            Layer::Services,
            format!("{} sockets of the approved services, no network of this machine", blueprint.sockets.len()),
        )),
        CageReach::Anybody => {
            list.push(Protection::off(Layer::Services, "network and this machine's services can be reached"))
        }
    }
    list
}
