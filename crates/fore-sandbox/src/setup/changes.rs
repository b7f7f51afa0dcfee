//! Reads from the upper side of a throw-away layer what a rehearsal would have changed. Reads only, and only up to its bounds.

use crate::report::{ChangeKind, ChangedEntry, FileChange, RehearsalReport};
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const MAX_CHANGES: usize = 5_000;
/// Files looked at in all, so that a build that makes a million of them does not hold up its own report.
const MAX_ENTRIES: u64 = 200_000;
const MAX_DEPTH: usize = 256;
/// Of all listed paths together: a path can be 4 kB long, and takes several times that on its way to the agent.
const MAX_NAME_BYTES: usize = 4 << 20;
const MAX_DIFF_INPUT_BYTES: u64 = 512 << 10;
const MAX_DIFF_BYTES: usize = 2 << 20;
const DIFF_TIME: Duration = Duration::from_millis(500);
/// For the whole report: it comes after the command's own time, and somebody waits.
const REPORT_TIME: Duration = Duration::from_secs(5);

/// One overlay that was over `path`.
pub(super) struct OverlayLayer {
    pub(super) path: PathBuf,
    pub(super) lower: OwnedFd,
    pub(super) upper: OwnedFd,
    pub(super) in_workspace: bool,
}

/// Call this when every process of the cage is dead: then nothing moves while it looks.
pub(super) fn report(layers: &[OverlayLayer], diff: bool) -> RehearsalReport {
    let mut walk = LayerWalk {
        report: RehearsalReport::default(),
        entries: 0,
        deadline: Instant::now() + REPORT_TIME,
        diff_left: if diff { MAX_DIFF_BYTES } else { 0 },
        names_left: MAX_NAME_BYTES,
        listing: true,
    };
    for layer in layers {
        walk.listing = layer.in_workspace;
        let (upper, lower) = (through(&layer.upper), through(&layer.lower));
        walk.folder(&upper, Some(&lower), &layer.path, 0);
    }
    walk.report.changes.sort_by(|a, b| a.raw_path().cmp(b.raw_path()));
    walk.report
}

/// Both sides are reached through their descriptors: no path leads to them any more.
fn through(fd: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", fd.as_raw_fd()))
}

struct LayerWalk {
    report: RehearsalReport,
    entries: u64,
    deadline: Instant,
    diff_left: usize,
    names_left: usize,
    /// List changes; otherwise only count them.
    listing: bool,
}

impl LayerWalk {
    fn folder(&mut self, upper: &Path, lower: Option<&Path>, shown: &Path, depth: usize) {
        // What could not be looked at may hold changes.
        let Ok(entries) = fs::read_dir(upper) else {
            self.report.truncated = true;
            return;
        };
        if depth > MAX_DEPTH {
            self.report.truncated = true;
            return;
        }
        // An opaque folder replaces the one below instead of adding to it.
        if depth > 0
            && is_opaque(upper)
            && let Some(lower) = lower
        {
            self.replaced(upper, lower, shown);
        }
        for entry in entries {
            let Ok(entry) = entry else {
                self.report.truncated = true;
                return;
            };
            self.entries += 1;
            if self.entries > MAX_ENTRIES || Instant::now() > self.deadline {
                self.report.truncated = true;
                return;
            }
            let name = entry.file_name();
            let (upper, lower, shown) = (upper.join(&name), lower.map(|lower| lower.join(&name)), shown.join(&name));
            // A path too long to be looked at is a change too.
            let Ok(after) = fs::symlink_metadata(&upper) else {
                self.report.truncated = true;
                continue;
            };
            let before =
                lower.as_deref().and_then(|lower| fs::symlink_metadata(lower).ok().map(|metadata| (lower, metadata)));
            self.entry(&upper, &after, before, &shown, depth);
        }
    }

    /// What the folder below held and the new one does not.
    fn replaced(&mut self, upper: &Path, lower: &Path, shown: &Path) {
        for entry in fs::read_dir(lower).into_iter().flatten().flatten() {
            self.entries += 1;
            if self.entries > MAX_ENTRIES || Instant::now() > self.deadline {
                self.report.truncated = true;
                return;
            }
            let name = entry.file_name();
            if fs::symlink_metadata(upper.join(&name)).is_err()
                && let Ok(before) = entry.metadata()
            {
                self.add(FileChange::new(shown.join(&name), ChangeKind::Removed, kind(&before)), None);
            }
        }
    }

    fn entry(&mut self, upper: &Path, after: &Metadata, before: Option<(&Path, Metadata)>, shown: &Path, depth: usize) {
        if is_whiteout(after) {
            if let Some((lower, before)) = before {
                let texts = self.texts(Some((lower, &before)), None);
                self.add(FileChange::new(shown, ChangeKind::Removed, kind(&before)), texts);
            }
            return;
        }
        let what = kind(after);
        let same_kind = before.as_ref().is_some_and(|(_, before)| kind(before) == what);
        let Some((lower, before)) = before.filter(|_| same_kind) else {
            let texts = self.texts(None, Some((upper, after)));
            self.add(FileChange::new(shown, ChangeKind::Created, what), texts);
            if what == ChangedEntry::Folder {
                self.folder(upper, None, shown, depth + 1);
            }
            return;
        };
        let same = match what {
            ChangedEntry::File => same_content(lower, upper, &before, after),
            ChangedEntry::Link => fs::read_link(lower).ok() == fs::read_link(upper).ok(),
            ChangedEntry::Folder | ChangedEntry::Special => true,
        };
        let (old_mode, new_mode) = (before.mode() & 0o7777, after.mode() & 0o7777);
        if !same {
            let texts = self.texts(Some((lower, &before)), Some((upper, after)));
            self.add(FileChange::new(shown, ChangeKind::Changed, what), texts);
        } else if old_mode != new_mode && what != ChangedEntry::Link {
            self.add(FileChange::new(shown, ChangeKind::Mode { before: old_mode, after: new_mode }, what), None);
        }
        if what == ChangedEntry::Folder {
            self.folder(upper, Some(lower), shown, depth + 1);
        }
    }

    fn add(&mut self, mut change: FileChange, texts: Option<(String, String)>) {
        if !self.listing {
            self.report.elsewhere += 1;
            return;
        }
        let name_bytes = change.raw_path().len();
        if self.report.changes.len() >= MAX_CHANGES || name_bytes > self.names_left {
            self.report.truncated = true;
            return;
        }
        self.names_left -= name_bytes;
        if let Some((before, after)) = texts {
            let diff = unified(&change, &before, &after);
            // An empty file made or removed has nothing to show.
            if diff.is_empty() {
            } else if diff.len() <= self.diff_left {
                self.diff_left -= diff.len();
                change.diff = Some(diff);
            } else {
                self.report.truncated = true;
            }
        }
        self.report.changes.push(change);
    }

    /// Both sides as text, where they are files and a diff is still wanted.
    fn texts(&self, before: Option<(&Path, &Metadata)>, after: Option<(&Path, &Metadata)>) -> Option<(String, String)> {
        if !self.listing || self.diff_left == 0 {
            return None;
        }
        Some((text_of(before)?, text_of(after)?))
    }
}

fn text_of(side: Option<(&Path, &Metadata)>) -> Option<String> {
    let Some((path, metadata)) = side else {
        return Some(String::new());
    };
    if !metadata.is_file() || metadata.len() > MAX_DIFF_INPUT_BYTES {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(MAX_DIFF_INPUT_BYTES).read_to_string(&mut text).ok()?;
    (!text.contains('\0')).then_some(text)
}

fn unified(change: &FileChange, before: &str, after: &str) -> String {
    let path = change.path().to_string_lossy();
    let path = fore_text::line(&path);
    let (old, new) = match change.kind {
        ChangeKind::Created => ("/dev/null", path.as_ref()),
        ChangeKind::Removed => (path.as_ref(), "/dev/null"),
        ChangeKind::Changed | ChangeKind::Mode { .. } => (path.as_ref(), path.as_ref()),
    };
    similar::TextDiff::configure()
        .timeout(DIFF_TIME)
        .diff_lines(before, after)
        .unified_diff()
        .header(old, new)
        .to_string()
}

fn kind(metadata: &Metadata) -> ChangedEntry {
    let kind = metadata.file_type();
    if kind.is_file() {
        ChangedEntry::File
    } else if kind.is_dir() {
        ChangedEntry::Folder
    } else if kind.is_symlink() {
        ChangedEntry::Link
    } else {
        ChangedEntry::Special
    }
}

/// Overlayfs marks a removed name with a character device of number 0.
fn is_whiteout(metadata: &Metadata) -> bool {
    metadata.file_type().is_char_device() && metadata.rdev() == 0
}

fn is_opaque(folder: &Path) -> bool {
    let mut value = [0];
    rustix::fs::getxattr(folder, c"user.overlay.opaque", &mut value) == Ok(1) && value == *b"y"
}

/// Compares without reading either file into memory.
fn same_content(lower: &Path, upper: &Path, before: &Metadata, after: &Metadata) -> bool {
    before.len() == after.len() && compare(lower, upper).unwrap_or(false)
}

fn compare(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    let (mut left, mut right) = (vec![0; 64 << 10], vec![0; 64 << 10]);
    loop {
        let count = one.read(&mut left)?;
        let expected = left.get(..count).unwrap_or_default();
        let Some(space) = right.get_mut(..count) else {
            return Ok(false);
        };
        if count == 0 {
            return Ok(true);
        }
        match other.read_exact(space) {
            Ok(()) if expected == space => {}
            Ok(()) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
}
