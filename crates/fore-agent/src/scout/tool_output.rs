//! Reads what git prints. Lenient, and never trusts a line further than its shape.

use super::calls::MAX_PATH_BYTES;
use std::collections::{BTreeMap, BTreeSet};

/// A commit that touches more files says nothing about any two of them.
const MAX_COMMIT_FILES: usize = 25;

/// Whether a path can be written into a plan as it is.
pub(super) fn is_plain_path(path: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "/._-+@~ ,=#%&()[]$!".contains(c);
    let is_sentence = path.contains(' ') && !path.contains(['/', '.']) || path.ends_with(['.', ')', ':']);
    let is_whole = !path.is_empty() && path.len() <= MAX_PATH_BYTES && !path.starts_with(['/', '-', '(', '[', ' ']);
    let is_inside = path.split('/').all(|part| !part.is_empty() && part != "..");
    is_whole && is_inside && !is_sentence && path.chars().all(plain)
}

/// What changed together with a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CoChanges {
    pub(super) commits: u64,
    /// By path, in how many of these commits it changed too.
    pub(super) others: BTreeMap<String, u64>,
}

/// Reads the commits that touched a file: `==hash`, then a path a line.
pub(super) fn together(text: &str, path: &str) -> CoChanges {
    let mut together = CoChanges::default();
    for commit in format!("\n{text}").split("\n==").skip(1) {
        let files: BTreeSet<String> =
            commit.lines().skip(1).filter(|line| is_plain_path(line)).map(str::to_owned).collect();
        if !files.contains(path) || files.len() > MAX_COMMIT_FILES {
            continue;
        }
        together.commits += 1;
        for other in files.into_iter().filter(|other| other != path) {
            *together.others.entry(other).or_default() += 1;
        }
    }
    together
}

#[cfg(test)]
#[path = "tool_output_tests.rs"]
mod tests;
