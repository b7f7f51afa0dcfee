//! Reads what the tools print: paths, counts, lines, commits. Lenient, and never trusts a line further than its shape.

use super::calls::{MAX_PATH_BYTES, ScoutCall, ScoutResults};
use std::collections::{BTreeMap, BTreeSet};

/// How many lines of one result are read.
const MAX_LINES: usize = 5_000;
/// A line of source is not shown or judged beyond this.
const MAX_TEXT_BYTES: usize = 300;
/// A commit that touches more files says nothing about any two of them.
const MAX_COMMIT_FILES: usize = 25;

/// Turns the paths that tools print into paths relative to the project.
#[derive(Clone, Debug, Default)]
pub(super) struct ProjectRoot(Option<String>);

impl ProjectRoot {
    /// Tools may print absolute paths: then what lies at the top tells where the project is.
    pub(super) fn find(results: ScoutResults<'_>) -> ProjectRoot {
        let top = results.text(&ScoutCall::Top).unwrap_or_default();
        let folder = |line: &str| line.trim_end_matches('/').rsplit_once('/').map(|(folder, _)| folder.to_owned());
        ProjectRoot(top.lines().find(|line| line.starts_with('/')).and_then(folder))
    }

    /// A path that can be written into a plan, or nothing.
    fn path(&self, line: &str) -> Option<String> {
        let line = line.trim_end_matches(['\r', '/']);
        let path = match &self.0 {
            Some(root) => line.strip_prefix(root.as_str()).and_then(|rest| rest.strip_prefix('/')).unwrap_or(line),
            None => line,
        };
        let path = path.strip_prefix("./").unwrap_or(path);
        let plain = |c: char| c.is_alphanumeric() || "/._-+@~ ,=#%&()[]$!".contains(c);
        let is_sentence = path.contains(' ') && !path.contains(['/', '.']) || path.ends_with(['.', ')', ':']);
        let is_whole = !path.is_empty() && path.len() <= MAX_PATH_BYTES && !path.starts_with(['/', '-', '(', '[', ' ']);
        let is_inside = path.split('/').all(|part| !part.is_empty() && part != "..");
        (is_whole && is_inside && !is_sentence && path.chars().all(plain)).then(|| path.to_owned())
    }

    /// One path a line.
    pub(super) fn paths(&self, text: &str) -> BTreeSet<String> {
        text.lines().take(MAX_LINES).filter_map(|line| self.path(line)).collect()
    }

    /// What Glob found. It shows the newest files first, so of a cut list nobody knows which part it is: it counts as none.
    pub(super) fn names(&self, text: &str) -> BTreeSet<String> {
        let is_cut = text.lines().next_back().is_some_and(|last| last.starts_with('[') && last.ends_with(']'));
        if is_cut { BTreeSet::new() } else { self.paths(text) }
    }

    /// `path:count`
    pub(super) fn counts(&self, text: &str) -> BTreeMap<String, u64> {
        let count = |line: &str| {
            let (path, count) = line.rsplit_once(':')?;
            Some((self.path(path)?, count.trim().parse().ok()?))
        };
        text.lines().take(MAX_LINES).filter_map(count).collect()
    }

    /// `path:line:text`
    pub(super) fn lines(&self, text: &str) -> Vec<(String, u64, String)> {
        text.lines().take(MAX_LINES).filter_map(|line| self.line(line)).collect()
    }

    fn line(&self, line: &str) -> Option<(String, u64, String)> {
        let line = line.get(..line.floor_char_boundary(MAX_TEXT_BYTES + MAX_PATH_BYTES)).unwrap_or_default();
        line.match_indices(':').find_map(|(at, _)| {
            let (number, text) = line.get(at + 1..)?.split_once(':')?;
            Some((self.path(line.get(..at)?)?, number.parse().ok()?, text.to_owned()))
        })
    }
}

/// The numbered lines of a file that was read, cut to a sane length.
pub(super) fn numbered(text: &str) -> Vec<(u64, &str)> {
    let line = |line| -> Option<(u64, &str)> {
        let (number, text): (&str, &str) = str::split_once(line, '\t')?;
        Some((number.trim().parse().ok()?, text.get(..text.floor_char_boundary(MAX_TEXT_BYTES)).unwrap_or_default()))
    };
    text.lines().take(MAX_LINES).filter_map(line).collect()
}

/// The text of a file that was read, without its line numbers.
pub(super) fn plain(text: &str) -> String {
    text.lines().take(MAX_LINES).filter_map(|line| line.split_once('\t')).map(|(_, text)| format!("{text}\n")).collect()
}

/// What changed together with a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CoChanges {
    pub(super) commits: u64,
    /// By path, in how many of these commits it changed too.
    pub(super) others: BTreeMap<String, u64>,
}

/// Reads the commits of [`Look::Together`]: `==hash`, then a path a line.
pub(super) fn together(text: &str, path: &str, root: &ProjectRoot) -> CoChanges {
    let mut together = CoChanges::default();
    for commit in format!("\n{text}").split("\n==").skip(1) {
        let files: BTreeSet<String> = commit.lines().skip(1).filter_map(|line| root.path(line)).collect();
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
