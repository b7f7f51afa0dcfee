//! Walks the project as git sees it. Links that lead out of it are left out.

use ignore::{DirEntry, WalkBuilder};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Most paths that are kept.
const MOST_PATHS: usize = 200_000;

/// Most of them that are hidden, so that a cache leaves room for the rest.
const MOST_HIDDEN: usize = 50_000;

/// Most entries that are looked at.
const MOST_VISITED: usize = 1_000_000;

/// Longest path that is offered.
const MOST_PATH: usize = 1_000;

/// Paths relative to the project, folders with a slash at the end.
#[derive(Debug, Default)]
pub(super) struct Files {
    paths: Vec<String>,
}

impl Files {
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

pub(super) fn walk(root: &Path, stopped: &AtomicBool) -> Files {
    let Ok(home) = root.canonicalize() else {
        return Files::default();
    };
    let mut hidden = 0;
    let mut paths: Vec<String> = WalkBuilder::new(&home)
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build()
        .take(MOST_VISITED)
        .take_while(|_| !stopped.load(Ordering::Relaxed))
        .filter_map(|entry| offered(&entry.ok()?, &home))
        .filter(|path| {
            hidden += usize::from(begins_with_dot(path));
            hidden <= MOST_HIDDEN || !begins_with_dot(path)
        })
        .take(MOST_PATHS)
        .collect();
    paths.sort_unstable();
    Files { paths }
}

fn offered(entry: &DirEntry, home: &Path) -> Option<String> {
    let kind = entry.file_type()?;
    if kind.is_symlink() && !entry.path().canonicalize().ok()?.starts_with(home) {
        return None;
    }
    let mut path = entry.path().strip_prefix(home).ok()?.to_str()?.to_owned();
    let odd = path.is_empty()
        || path.len() > MOST_PATH
        || fore_text::first_mark(&path, fore_text::Kind::Line).is_some()
        || (path.contains('"') && path.contains(char::is_whitespace));
    if odd {
        return None;
    }
    if kind.is_dir() {
        path.push('/');
    }
    Some(path)
}
