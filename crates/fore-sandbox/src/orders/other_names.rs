//! Finds the other names of files that give orders: who can write a file under one name has written it under all of them.

use crate::blueprint::RawPath;
use crate::sys::{Inode, inode};
use std::collections::{BTreeSet, HashMap};
use std::fs::Metadata;
use std::os::unix::fs::{DirEntryExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Files and folders of one walk.
const MAX_ENTRIES: usize = 2_000_000;

/// Of a file: how many names it has, and how many of them were found.
#[derive(Clone, Copy, Debug)]
struct NameCount {
    all: u64,
    found: u64,
}

/// The names in writable folders of everything that lies at `places`, besides those. An error says why they are not all known.
pub(crate) fn other_names(places: &BTreeSet<RawPath>, writable: &[&Path]) -> Result<Vec<PathBuf>, &'static str> {
    let mut files: HashMap<Inode, NameCount> = HashMap::new();
    let tops = places.iter().map(|place| place.path().to_owned()).collect();
    let mut note = |path: &Path, _| {
        if let Some(found) = several_names(path) {
            files.insert(inode(&found), NameCount { all: found.nlink(), found: 0 });
        }
    };
    // What is closed in there is closed for the command as well: it cannot change what it may not write.
    if walk(tops, &mut note) == WalkCoverage::InPart(UncoveredPart::TooMuch) {
        return Err("holds more files that give orders to other programs than can be searched for their other names");
    }
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let numbers: BTreeSet<u64> = files.keys().map(|(_, number)| *number).collect();
    let is_held = |path: &Path| path.ancestors().any(|above| places.contains(&RawPath::from(above)));
    let mut others = Vec::new();
    let mut compare = |path: &Path, number: Option<u64>| {
        let may_be_one = number.is_none_or(|number| numbers.contains(&number));
        let Some(facts) = several_names(path).filter(|_| may_be_one) else { return };
        let Some(names) = files.get_mut(&inode(&facts)) else { return };
        names.found += 1;
        if !is_held(path) {
            others.push(path.to_owned());
        }
    };
    let walked = walk(writable.iter().map(|top| (*top).to_owned()).collect(), &mut compare);
    let are_all_found = files.values().all(|names| names.found >= names.all);
    match walked {
        WalkCoverage::Complete => Ok(others),
        WalkCoverage::InPart(_) if are_all_found => Ok(others),
        WalkCoverage::InPart(UncoveredPart::Closed) => {
            Err("has closed folders, in which a file that gives orders to other programs \
                                                may have a second name (a hard link); open them, or make that file anew")
        }
        WalkCoverage::InPart(UncoveredPart::TooMuch) => {
            Err("holds a file that gives orders to other programs under several names (hard \
                                                 links), and too many files to find them all; make that file anew")
        }
    }
}

fn several_names(path: &Path) -> Option<Metadata> {
    path.symlink_metadata().ok().filter(|facts| facts.is_file() && facts.nlink() > 1)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkCoverage {
    Complete,
    InPart(UncoveredPart),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UncoveredPart {
    Closed,
    TooMuch,
}

/// Meets everything that is no folder, with its number where a listing tells it.
pub(super) fn walk(tops: Vec<PathBuf>, meet: &mut dyn FnMut(&Path, Option<u64>)) -> WalkCoverage {
    let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());
    let (mut folders, files): (Vec<PathBuf>, Vec<PathBuf>) = tops.into_iter().partition(|top| is_folder(top));
    files.iter().for_each(|file| meet(file, None));
    let mut count = 0;
    let mut walked = WalkCoverage::Complete;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            if is_folder(&folder) {
                walked = WalkCoverage::InPart(UncoveredPart::Closed);
            }
            continue;
        };
        for entry in entries.flatten() {
            count += 1;
            if count > MAX_ENTRIES {
                return WalkCoverage::InPart(UncoveredPart::TooMuch);
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => meet(&entry.path(), Some(entry.ino())),
                // Nothing is written through a link that is not found under another name, too.
                Ok(_) | Err(_) => {}
            }
        }
    }
    walked
}
