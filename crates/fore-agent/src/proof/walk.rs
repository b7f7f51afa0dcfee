//! Walks a workspace with several threads and collects the facts of its files, up to a number and a time.

use super::{FileStamp, SnapshotFile, SnapshotGap};
use crate::{
    cancel::Cancel,
    walk::{EnterFolder, IgnoreFiles, Visitor, Walk, WalkEnd, person_excludes, threads},
};
use std::{
    fs::FileType,
    path::{Path, PathBuf},
    time::Duration,
};

/// The files in no order, and why they are not all.
pub(super) fn files(
    root: &Path,
    cancel: &Cancel,
    most: usize,
    time: Duration,
) -> (Vec<SnapshotFile>, Option<SnapshotGap>) {
    let walk = Walk {
        root: root.to_owned(),
        ignore_files: IgnoreFiles::Git,
        excludes: person_excludes(),
        threads: threads(),
        max_found: most,
        time,
    };
    let walked = walk.run(SnapshotVisitor { root: root.to_owned() }, &|| cancel.is_cancelled());
    // A limit says more than a folder that could not be read.
    let gap = match walked.end {
        WalkEnd::Cancelled => Some(SnapshotGap::Stopped),
        WalkEnd::TooMany => Some(SnapshotGap::TooMany),
        WalkEnd::TooSlow => Some(SnapshotGap::TooSlow),
        WalkEnd::Complete => walked.has_gaps.then_some(SnapshotGap::Unreadable),
    };
    (walked.found, gap)
}

struct SnapshotVisitor {
    root: PathBuf,
}

impl Visitor for SnapshotVisitor {
    type Found = SnapshotFile;

    fn folder(&self, _: &Path) -> EnterFolder<SnapshotFile> {
        EnterFolder::Yes
    }

    fn file(&self, path: PathBuf, _: FileType) -> Option<SnapshotFile> {
        // One that is gone by now is gone.
        let metadata = path.symlink_metadata().ok()?;
        Some(SnapshotFile { path: path.strip_prefix(&self.root).ok()?.into(), facts: FileStamp::of(&metadata) })
    }
}
