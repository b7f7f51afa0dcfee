//! Lines `@path` in a memory file: the file they name takes their place, if it lies where it may be read.

use super::{MAX_FILE_BYTES, shown};
use crate::document::{self, Completeness, NotRead, TextDocument};
use fore_sandbox::Opener;
use std::{
    collections::HashSet,
    ffi::OsStr,
    path::{Component, Path, PathBuf},
};

/// How deep imports go.
pub(super) const MAX_DEPTH: usize = 3;
/// Imports in one file.
const MAX_IMPORTS: usize = 50;
/// Hidden folders whose files are meant to be read by agents. Other hidden files (`.env`) may hold secrets.
const OPEN_FOLDERS: [&str; 4] = [".forethought", ".claude", ".github", ".qwen"];

/// Puts imports in.
pub(super) struct Importer<'a> {
    /// Nothing outside of it is read.
    pub(super) root: &'a Path,
    pub(super) opener: &'a Opener,
    /// Files that the model has or gets anyway; they are not put in twice.
    pub(super) told: &'a mut HashSet<PathBuf>,
    pub(super) notes: Vec<String>,
}

impl Importer<'_> {
    pub(super) fn expand(&mut self, document: &TextDocument) -> String {
        self.at_depth(document, 0)
    }

    fn at_depth(&mut self, document: &TextDocument, depth: usize) -> String {
        let mut whole = String::with_capacity(document.text.len());
        let (mut is_code, mut imports) = (false, 0);
        for line in document.text.lines() {
            if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
                is_code = !is_code;
            }
            let asked = named(line).filter(|_| !is_code && imports < MAX_IMPORTS && whole.len() < MAX_FILE_BYTES);
            match asked.map(|asked| self.import(document, asked, depth)) {
                Some(Import::Text(text)) => {
                    imports += 1;
                    whole.push_str(text.trim_end());
                    whole.push('\n');
                }
                Some(Import::Told) => {}
                Some(Import::NotAFile) | None => {
                    whole.push_str(line);
                    whole.push('\n');
                }
            }
        }
        whole
    }

    fn import(&mut self, from: &TextDocument, asked: &str, depth: usize) -> Import {
        let folder = from.path.parent().unwrap_or(self.root);
        let path = folder.join(asked);
        // What is no file and does not look like one is a word with an `@`, such as a name.
        let looks_like_a_path = asked.contains(['/', '.']);
        let mut not_used = |why: &str| {
            if looks_like_a_path {
                self.notes.push(format!("{}: `@{}` {why}", shown(&from.path), shown(Path::new(asked))));
            }
            Import::NotAFile
        };
        let document = match document::read(self.opener, &path, self.root, MAX_FILE_BYTES) {
            Err(NotRead::Missing) => return not_used("is not there"),
            Err(NotRead::Refused(why)) => return not_used(&why),
            Ok(document) => document,
        };
        if self.told.contains(&document.path) {
            return Import::Told;
        }
        if depth >= MAX_DEPTH {
            return not_used("is left out: imports may only be three deep");
        }
        if is_hidden(&document.path, self.root) {
            return not_used("is left out: it is hidden");
        }
        if document.end == Completeness::Cut {
            not_used("is longer than 64 KiB; only its beginning is used");
        }
        self.told.insert(document.path.clone());
        Import::Text(self.at_depth(&document, depth + 1))
    }
}

enum Import {
    Text(String),
    /// The model has it already.
    Told,
    NotAFile,
}

/// The path of a line that is nothing but an import.
fn named(line: &str) -> Option<&str> {
    let rest = line.trim().strip_prefix('@')?;
    (!rest.is_empty() && !rest.contains(char::is_whitespace) && !rest.contains('@')).then_some(rest)
}

fn is_hidden(path: &Path, root: &Path) -> bool {
    let inside = path.strip_prefix(root).unwrap_or(path);
    let is_open = |name: &OsStr| name.to_str().is_some_and(|name| OPEN_FOLDERS.contains(&name));
    let is_closed = |name: &OsStr| name.to_string_lossy().starts_with('.') && !is_open(name);
    inside.components().any(|part| matches!(part, Component::Normal(name) if is_closed(name)))
}
