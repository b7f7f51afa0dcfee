//! Project memory: what `AGENTS.md` and its like tell a session about the person and the project. It only reads, and no
//! file can forge a reminder with it.

mod import;

use crate::document::{self, Completeness, NotRead};
use crate::lock::lock;
use fore_plan::reminder::defuse_str;
use fore_sandbox::Opener;
use import::Importer;
use std::{
    collections::HashSet,
    fmt,
    path::{Path, PathBuf},
    sync::Mutex,
};

/// The names that memory files have in a folder of a project, the one that counts first at the front.
pub(crate) const NAMES: [&str; 4] = ["AGENTS.md", "CLAUDE.md", "QWEN.md", "GEMINI.md"];
pub(crate) const MAX_FILE_BYTES: usize = 64 * 1024;
/// For everything in the system prompt, and again for everything that nested folders add later.
pub(crate) const MAX_BYTES: usize = 128 * 1024;
/// Folders between the project and a file that are looked at.
const MAX_FOLDERS: usize = 64;
const MAX_NOTES: usize = 50;

/// What was found when the session began, and what was told since.
pub struct Memory {
    /// What goes into the system prompt, in order.
    pub(crate) files: Vec<MemoryFile>,
    /// What was left out or cut, and why, for people.
    pub notes: Vec<String>,
    place: MemorySource,
    told: ToldMemory,
    nested: Mutex<ToldMemory>,
}

/// One memory file with its imports put in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemoryFile {
    /// Where it is.
    pub path: PathBuf,
    /// Defused: no reminder can be forged in it.
    pub text: String,
    /// The length of `text`.
    pub bytes: usize,
}

/// Where memory is looked for.
struct MemorySource {
    project: PathBuf,
    /// Without one there is no memory.
    opener: Option<Opener>,
}

/// What the model has been told already.
#[derive(Clone, Debug, Default)]
struct ToldMemory {
    files: HashSet<PathBuf>,
    texts: HashSet<String>,
    folders: HashSet<PathBuf>,
    bytes: usize,
}

impl Memory {
    /// Looks in our own folder (`Home::path`), the project, and every folder from there down to the working folder.
    pub fn find(opener: Opener, home_folder: Option<&Path>, project: &Path, folder: &Path) -> Memory {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let many = opener.clone().for_many();
        let place = MemorySource { project: real(project), opener: Some(opener) };
        let mut found = FoundMemory::default();
        if let Some(home) = home_folder.map(real) {
            found.add_folder(&home, &home, &NAMES[..1], &many);
        }
        for folder in between(&place.project, &real(folder)) {
            found.add_folder(&folder, &place.project, &NAMES, &many);
        }
        let FoundMemory { files, notes, told } = found;
        Memory { files, notes, place, told, nested: Mutex::default() }
    }

    /// No memory at all, for sessions and agents that leave it out.
    pub(crate) fn none(project: &Path) -> Memory {
        let place = MemorySource { project: project.to_path_buf(), opener: None };
        Memory { files: Vec::new(), notes: Vec::new(), place, told: ToldMemory::default(), nested: Mutex::default() }
    }

    /// The part of the system prompt that memory makes; empty if there is none.
    pub(crate) fn text(&self) -> String {
        if self.files.is_empty() {
            return String::new();
        }
        let mut text = include_str!("intro.md").to_owned();
        for file in &self.files {
            text.push('\n');
            text.push_str(&file.section());
        }
        text
    }

    /// Memory of the folders between the project and a file that was read, each once; empty if there is nothing new.
    pub(crate) fn nested(&self, file: &Path) -> Vec<MemoryFile> {
        let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
        let (Some(folder), Some(opener)) = (folder, &self.place.opener) else { return Vec::new() };
        let mut nested = lock(&self.nested);
        let is_new = |folder: &PathBuf| !self.told.folders.contains(folder) && !nested.folders.contains(folder);
        let folders: Vec<PathBuf> = between(&self.place.project, &folder).into_iter().filter(is_new).collect();
        if folders.is_empty() {
            return Vec::new();
        }
        let mut told = std::mem::take(&mut *nested);
        told.files.extend(self.told.files.iter().cloned());
        told.texts.extend(self.told.texts.iter().cloned());
        let mut found = FoundMemory { told, ..FoundMemory::default() };
        let many = opener.clone().for_many();
        for folder in folders {
            found.add_folder(&folder, &self.place.project, &NAMES, &many);
        }
        *nested = found.told;
        found.files
    }

    /// The model no longer sees what nested folders added: its history was cut.
    pub(crate) fn forget_nested(&self) {
        *lock(&self.nested) = ToldMemory::default();
    }

    /// For `fore doctor`: the files, then what is to be said about them.
    pub fn lines(&self) -> Vec<String> {
        if self.files.is_empty() && self.notes.is_empty() {
            return vec!["no project memory: there is no AGENTS.md (CLAUDE.md, QWEN.md, GEMINI.md)".to_owned()];
        }
        let line =
            |file: &MemoryFile| format!("{} ({} bytes)", shown(&file.path), document::grouped(file.bytes as u64));
        self.files.iter().map(line).chain(self.notes.iter().map(|note| format!("note: {note}"))).collect()
    }
}

impl MemoryFile {
    /// The text under its path, as the model reads it.
    pub(crate) fn section(&self) -> String {
        format!("## {}\n\n{}\n", shown(&self.path), self.text.trim_end())
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("files", &self.files).field("notes", &self.notes).finish_non_exhaustive()
    }
}

/// What one look at some folders gives.
#[derive(Default)]
struct FoundMemory {
    files: Vec<MemoryFile>,
    notes: Vec<String>,
    told: ToldMemory,
}

impl FoundMemory {
    /// Takes the memory files of one folder: all that differ, each text once.
    fn add_folder(&mut self, folder: &Path, root: &Path, names: &[&str], opener: &Opener) {
        self.told.folders.insert(folder.to_path_buf());
        for name in names {
            let path = folder.join(name);
            match document::read(opener, &path, root, MAX_FILE_BYTES) {
                Err(NotRead::Missing) => {}
                Err(NotRead::Refused(why)) => self.note(format!("{} {why}", shown(&path))),
                // Another name for a file that was told: a link, say.
                Ok(document) if self.told.files.contains(&document.path) => {}
                Ok(document) => {
                    if document.end == Completeness::Cut {
                        let most = MAX_FILE_BYTES / 1024;
                        self.note(format!("{} is longer than {most} KiB; only its beginning is used", shown(&path)));
                    }
                    self.told.files.insert(document.path.clone());
                    let mut importer = Importer { root, opener, told: &mut self.told.files, notes: Vec::new() };
                    let text = importer.expand(&document);
                    let notes = importer.notes;
                    notes.into_iter().for_each(|note| self.note(note));
                    self.take(path, &text);
                }
            }
        }
    }

    /// Adds a text that is new, as far as there is room.
    fn take(&mut self, path: PathBuf, text: &str) {
        let text = defuse_str(text.trim()).into_owned();
        if text.is_empty() || !self.told.texts.insert(text.clone()) {
            return;
        }
        let room = MAX_BYTES.saturating_sub(self.told.bytes).min(MAX_FILE_BYTES);
        let kept = fore_text::cut::whole_lines(&text, room);
        // Half a line may say the opposite of the whole one.
        let is_whole = kept.len() == text.len() || kept.ends_with('\n');
        let kept = if is_whole { kept.len() } else { 0 };
        if kept < text.len() {
            let most = MAX_BYTES / 1024;
            let left_out = if kept == 0 { "is left out" } else { "is cut" };
            self.note(format!("{} {left_out}: memory may have {most} KiB in all", shown(&path)));
        }
        let text = text.get(..kept).unwrap_or_default().to_owned();
        if !text.is_empty() {
            self.told.bytes += text.len();
            self.files.push(MemoryFile { path, bytes: text.len(), text });
        }
    }

    fn note(&mut self, note: String) {
        if self.notes.len() < MAX_NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// The folders from the project down to one inside it, outermost first; only the project if it lies elsewhere.
fn between(project: &Path, folder: &Path) -> Vec<PathBuf> {
    let mut folders = vec![project.to_path_buf()];
    let Ok(rest) = folder.strip_prefix(project) else { return folders };
    let mut reached = project.to_path_buf();
    for part in rest.components().take(MAX_FOLDERS) {
        reached.push(part);
        folders.push(reached.clone());
    }
    folders
}

/// A path as it is shown: one line, and no reminder in it either.
fn shown(path: &Path) -> String {
    let text: String = path.display().to_string().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    defuse_str(&text).into_owned()
}

#[cfg(test)]
mod tests;
