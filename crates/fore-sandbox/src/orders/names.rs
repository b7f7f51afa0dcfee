//! Tells by a name whether something may give orders. Asked about every name of a workspace, so it must be quick.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// No name on the list is longer.
const MAX_NAME: usize = 48;

/// The list of `fore_plan::orders`, by the first part of each entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct OrderNames {
    /// What follows the first part, which is in lower case; nothing for an entry of one part.
    by_first: HashMap<Vec<u8>, Vec<PathBuf>>,
    /// How a name begins and ends that may hold anything between.
    patterns: Vec<(Vec<u8>, Vec<u8>)>,
    /// Held at the top only.
    top: Vec<PathBuf>,
}

impl OrderNames {
    pub(crate) fn new<'a>(list: impl Iterator<Item = &'a Path>) -> OrderNames {
        let mut names = OrderNames::default();
        // A git folder is held in parts, and known by more than its name.
        for entry in list.filter(|entry| *entry != Path::new(".git")) {
            if let Ok(at_top) = entry.strip_prefix("/") {
                names.top.push(at_top.to_owned());
                continue;
            }
            let mut parts = entry.iter();
            let Some(first) = parts.next().filter(|first| first.len() <= MAX_NAME) else { continue };
            let first = first.as_bytes().to_ascii_lowercase();
            match first.iter().position(|letter| *letter == b'*') {
                Some(star) => {
                    let (begin, end) = first.split_at(star);
                    names.patterns.push((begin.to_vec(), end.get(1..).unwrap_or_default().to_vec()));
                }
                None => names.by_first.entry(first).or_default().push(parts.as_path().to_owned()),
            }
        }
        names
    }

    /// What the entries that begin with this name say besides; empty when none does.
    pub(crate) fn after(&self, name: &OsStr) -> &[PathBuf] {
        const NAME_ITSELF: &[PathBuf] = &[PathBuf::new()];
        let name = name.as_bytes();
        let mut lower = [0; MAX_NAME];
        if let Some(lower) = lower.get_mut(..name.len()) {
            lower.copy_from_slice(name);
            lower.make_ascii_lowercase();
            if let Some(rests) = self.by_first.get(&*lower) {
                return rests;
            }
        }
        let is_meant = |(begin, end): &(Vec<u8>, Vec<u8>)| {
            let begins = name.get(..begin.len()).is_some_and(|found| found.eq_ignore_ascii_case(begin));
            let rest = name.get(begin.len()..).unwrap_or_default();
            let at = rest.len().checked_sub(end.len()).and_then(|at| rest.get(at..));
            begins && at.is_some_and(|found| found.eq_ignore_ascii_case(end))
        };
        if self.patterns.iter().any(is_meant) { NAME_ITSELF } else { &[] }
    }

    pub(crate) fn at_top(&self) -> &[PathBuf] {
        &self.top
    }
}
