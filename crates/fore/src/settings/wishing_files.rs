//! The files of a repository that are words for a model and besides wish something of the program: agents that ask for a model by name
//! (whom the code is sent to, and who pays), commands that ask for calls without a question. It only reads, and the session compares what
//! it reads itself with what was trusted.

use crate::regular_file;
use fore_agent::{
    agents::{FOLDERS, MAX_FILE_BYTES, MAX_FILES, named_model},
    custom,
};
use std::{
    io::Read as _,
    path::{Path, PathBuf},
};

/// One file, as it was read.
pub(super) struct WishingFile {
    /// In the project, such as `.claude/agents/docs.md`.
    pub(super) name: String,
    pub(super) text: String,
    /// What it wishes, in words: `model openai/gpt-5`.
    pub(super) wishes: Vec<String>,
}

impl WishingFile {
    /// Its wishes, each with its name.
    pub(super) fn named_wishes(&self) -> Vec<String> {
        self.wishes.iter().map(|wish| format!("{}: {wish}", self.name)).collect()
    }
}

/// Folders beneath a folder of commands.
const MAX_DEPTH: usize = 4;
/// Names that are looked at beneath a folder of commands, whatever they are.
const MAX_LOOKED_AT: usize = 5_000;

/// All of them, in the order of their names. What cannot be read is left out here: the session says why, and uses none of it.
pub(super) fn find(project: &Path) -> Vec<WishingFile> {
    let agents = FOLDERS.iter().flat_map(|folder| in_folder(project, folder));
    let commands = custom::PROJECT_FOLDERS.iter().flat_map(|folder| {
        let (mut files, mut looked_at) = (Vec::new(), 0);
        commands(project, folder, 1, &mut looked_at, &mut files);
        files
    });
    agents.chain(commands).collect()
}

/// Command files beneath a folder, names in order. What links lead to is read only where it really lies in the project.
fn commands(project: &Path, folder: &str, depth: usize, looked_at: &mut usize, files: &mut Vec<WishingFile>) {
    let is_inside = project.join(folder).canonicalize().is_ok_and(|real| real.starts_with(project));
    let Some(listing) = is_inside.then(|| project.join(folder).read_dir().ok()).flatten() else { return };
    let mut names: Vec<String> =
        listing.take(MAX_LOOKED_AT).flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    for name in names {
        *looked_at += 1;
        if files.len() >= custom::MAX_FILES || *looked_at > MAX_LOOKED_AT {
            return;
        }
        let inside = format!("{folder}/{name}");
        let path = project.join(&inside);
        if path.is_dir() {
            if depth < MAX_DEPTH && custom::is_name(&name) {
                commands(project, &inside, depth + 1, looked_at, files);
            }
        } else if name.ends_with(".md")
            && let Some(text) = text_of(project, &path)
        {
            let wishes = custom::wishes(&text);
            files.extend((!wishes.is_empty()).then_some(WishingFile { name: inside, text, wishes }));
        }
    }
}

fn in_folder(project: &Path, folder: &str) -> Vec<WishingFile> {
    let Ok(listing) = project.join(folder).read_dir() else { return Vec::new() };
    let names = listing.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
    names.sort();
    names.truncate(MAX_FILES);
    let read = |name: &String| {
        let text = text_of(project, &project.join(folder).join(name))?;
        let wishes = vec![format!("model {}", named_model(&text)?)];
        Some(WishingFile { name: format!("{folder}/{name}"), text, wishes })
    };
    names.iter().filter_map(read).collect()
}

/// The text of a file in the project.
fn text_of(project: &Path, path: &Path) -> Option<String> {
    let file = regular_file::open(path).ok()?;
    let real: PathBuf = path.canonicalize().ok().filter(|real| real.starts_with(project))?;
    if !regular_file::is_same(&real, &file).ok()? {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8(bytes).ok().filter(|text| text.len() <= MAX_FILE_BYTES)?;
    Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
