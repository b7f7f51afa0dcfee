//! The agent files of a repository that ask for a model by name: whom the code is sent to, and who pays, is for the person to say. It only
//! reads, and the session compares what it reads itself with what was trusted.

use crate::regular_file;
use fore_agent::agents::{FOLDERS, MAX_FILE_BYTES, MAX_FILES, named_model};
use std::{
    io::Read as _,
    path::{Path, PathBuf},
};

/// One file, as it was read.
pub(super) struct AgentFile {
    /// In the project, such as `.claude/agents/docs.md`.
    pub(super) name: String,
    pub(super) text: String,
    pub(super) model: String,
}

/// All of them, in the order of their names. What cannot be read is left out here: the session says why, and uses none of it.
pub(super) fn find(project: &Path) -> Vec<AgentFile> {
    FOLDERS.iter().flat_map(|folder| in_folder(project, folder)).collect()
}

fn in_folder(project: &Path, folder: &str) -> Vec<AgentFile> {
    let Ok(listing) = project.join(folder).read_dir() else { return Vec::new() };
    let names = listing.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
    names.sort();
    names.truncate(MAX_FILES);
    let read = |name: &String| {
        let text = text_of(project, &project.join(folder).join(name))?;
        let model = named_model(&text)?;
        Some(AgentFile { name: format!("{folder}/{name}"), text, model })
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
