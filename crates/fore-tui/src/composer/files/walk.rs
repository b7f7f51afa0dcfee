//! Walks the project as git sees it. Links that lead out of it are left out.

use fore_agent::walk::{EnterFolder, IgnoreFiles, Visitor, Walk, person_excludes};
use std::fs::FileType;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Most paths that are kept.
const MAX_PATHS: usize = 200_000;

/// Most of them that are hidden, so that a cache leaves room for the rest.
const MAX_HIDDEN: usize = 50_000;

/// Most entries that are looked at.
const MAX_VISITED: usize = 1_000_000;

/// Longest path that is offered.
const MAX_PATH_BYTES: usize = 1_000;

/// How long a walk may take; what was met by then is offered.
const MAX_TIME: Duration = Duration::from_secs(60);

/// Paths relative to the project, folders with a slash at the end.
#[derive(Debug, Default)]
pub(super) struct ProjectFiles {
    paths: Vec<String>,
}

impl ProjectFiles {
    /// Those worth ranking: hidden ones only if a dot was typed where a name begins; without words, the topmost.
    pub(super) fn for_words<'a>(&'a self, words: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let dotted = begins_with_dot(words);
        let top = words.is_empty();
        self.paths
            .iter()
            .map(String::as_str)
            .filter(move |path| (dotted || !begins_with_dot(path)) && (!top || is_topmost(path)))
    }
}

fn begins_with_dot(path: &str) -> bool {
    path.starts_with('.') || path.contains("/.")
}

fn is_topmost(path: &str) -> bool {
    !path.strip_suffix('/').unwrap_or(path).contains('/')
}

pub(super) fn walk(root: &Path, stopped: &AtomicBool) -> ProjectFiles {
    let Ok(home) = root.canonicalize() else {
        return ProjectFiles::default();
    };
    let walk = Walk {
        root: home.clone(),
        ignore_files: IgnoreFiles::Anywhere,
        excludes: person_excludes(),
        threads: 1,
        max_found: MAX_PATHS,
        time: MAX_TIME,
    };
    let offers = FileCollector { home, hidden: AtomicUsize::new(0), visited: AtomicUsize::new(0) };
    let mut paths = walk.run(offers, &|| stopped.load(Ordering::Relaxed)).found;
    paths.sort_unstable();
    ProjectFiles { paths }
}

/// What a walk keeps.
struct FileCollector {
    home: PathBuf,
    hidden: AtomicUsize,
    visited: AtomicUsize,
}

impl FileCollector {
    fn offered(&self, path: &Path) -> Option<String> {
        let path = path.strip_prefix(&self.home).ok()?.to_str()?;
        let odd = path.is_empty()
            || path.len() > MAX_PATH_BYTES
            || fore_text::first_mark(path, fore_text::TextKind::Line).is_some()
            || (path.contains('"') && path.contains(char::is_whitespace));
        if odd || (begins_with_dot(path) && self.hidden.fetch_add(1, Ordering::Relaxed) >= MAX_HIDDEN) {
            return None;
        }
        Some(path.to_owned())
    }

    fn has_seen_enough(&self) -> bool {
        self.visited.fetch_add(1, Ordering::Relaxed) >= MAX_VISITED
    }
}

impl Visitor for FileCollector {
    type Found = String;

    fn folder(&self, path: &Path) -> EnterFolder<String> {
        if self.has_seen_enough() {
            return EnterFolder::No;
        }
        self.offered(path).map_or(EnterFolder::Yes, |path| EnterFolder::AndKeep(path + "/"))
    }

    fn file(&self, path: PathBuf, kind: FileType) -> Option<String> {
        let leads_out = || !path.canonicalize().is_ok_and(|real| real.starts_with(&self.home));
        if self.has_seen_enough() || (kind.is_symlink() && leads_out()) {
            return None;
        }
        self.offered(&path)
    }
}
