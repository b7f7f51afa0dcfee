//! Files a plan names that do not exist and that it does not make.

use std::collections::{BTreeMap, BTreeSet};

use super::super::citation::cited_paths;
use super::super::outline::Outline;
use super::{CheckNote, MAX_FILES, NoteCode, shown, warning, words};

/// How many different paths are collected.
const MAX_CITED: usize = 1_000;
/// A longer line is no sentence that could say what is new.
const MAX_LINE_BYTES: usize = 4_096;

pub(super) fn missing_files(outline: &Outline<'_>, mut exists: impl FnMut(&str) -> bool) -> Vec<CheckNote> {
    let mut cited: BTreeMap<String, usize> = BTreeMap::new();
    let mut made: BTreeSet<String> = BTreeSet::new();
    for fragment in &outline.fragments {
        for path in cited_paths(fragment.kind, &fragment.text) {
            if cited.len() >= MAX_CITED {
                break;
            }
            if is_made(outline, fragment.line, &path) {
                made.insert(path.clone());
            }
            let line = cited.entry(path).or_insert(fragment.line);
            *line = fragment.line.min(*line);
        }
    }
    let comes_to_be =
        |path: &str| made.iter().any(|new| path == new || (new.ends_with('/') && path.starts_with(new.as_str())));
    cited
        .into_iter()
        .filter(|(path, _)| !comes_to_be(path))
        .take(MAX_FILES)
        .filter(|(path, _)| !exists(path))
        .map(|(path, line)| {
            let sentence = format!("{} does not exist, and the plan does not say that it is new.", shown(&path));
            warning(NoteCode::MissingFile, Some(line), sentence)
        })
        .collect()
}

/// Whether the line, or the heading above it, says that the file comes to be by the plan.
fn is_made(outline: &Outline<'_>, line: usize, path: &str) -> bool {
    if outline.heading_above(line).is_some_and(|heading| says_new(&heading.to_lowercase())) {
        return true;
    }
    let text = outline.line(line);
    if text.len() > MAX_LINE_BYTES {
        return false;
    }
    // The path's own words say nothing: `src/new.rs` is not new by its name.
    let around = text.to_lowercase().replace(&path.to_lowercase(), "\0");
    let before: Vec<&str> = around.split('\0').next().map(|before| words(before).collect()).unwrap_or_default();
    let last = before.iter().rev().find(|word| !matches!(**word, "a" | "an" | "the" | "file" | "module" | "test"));
    let moves = |word: &&str| {
        word.starts_with("mov") || word.starts_with("renam") || matches!(*word, "copy" | "extract" | "split")
    };
    match last {
        _ if says_new(&around) => true,
        Some(&("add" | "adds" | "adding")) => true,
        Some(&("to" | "into" | "as")) => before.iter().any(moves),
        _ => false,
    }
}

fn says_new(text: &str) -> bool {
    words(text).any(|word| {
        word.starts_with("creat")
            || word.starts_with("generat")
            || matches!(word, "new" | "newly" | "introduce" | "introduces")
    })
}
