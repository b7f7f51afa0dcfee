//! Walks a workspace with several threads and collects the facts of its files, up to a number and a time.

use super::{Facts, File, Gap};
use crate::{
    cancel::Cancel,
    walk::{End, Enter, IgnoreFiles, Visitor, Walk, person_excludes, threads},
};
use std::{
    fs::FileType,
    path::{Path, PathBuf},
    time::Duration,
};

/// The files in no order, and why they are not all.
pub(super) fn files(root: &Path, cancel: &Cancel, most: usize, time: Duration) -> (Vec<File>, Option<Gap>) {
    let walk = Walk {
        root: root.to_owned(),
        ignore_files: IgnoreFiles::Git,
        excludes: person_excludes(),
        threads: threads(),
        most,
        time,
    };
    let walked = walk.run(Workspace { root: root.to_owned() }, &|| cancel.is_cancelled());
    // A limit says more than a folder that could not be read.
    let gap = match walked.end {
        End::Cancelled => Some(Gap::Stopped),
        End::TooMany => Some(Gap::TooMany),
        End::TooSlow => Some(Gap::TooSlow),
        End::Whole => walked.has_gaps.then_some(Gap::Unreadable),
    };
    (walked.found, gap)
}

struct Workspace {
    root: PathBuf,
}

impl Visitor for Workspace {
    type Found = File;

    fn folder(&self, _: &Path) -> Enter<File> {
        Enter::Yes
    }

    fn file(&self, path: PathBuf, _: FileType) -> Option<File> {
        // One that is gone by now is gone.
        let metadata = path.symlink_metadata().ok()?;
        Some(File { path: path.strip_prefix(&self.root).ok()?.into(), facts: Facts::of(&metadata) })
    }
}
