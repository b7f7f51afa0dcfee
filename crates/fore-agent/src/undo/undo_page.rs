//! What an undo says to a person: the list before, and one sentence after.

use super::{UndoDirection, UndoDone, UndoFile, UndoFileState, UndoPlan};
use fore_text::{count_as, cut};
use std::path::Path;

const MAX_LISTED: usize = 40;
const MAX_NAMED: usize = 3;
const MAX_PROMPT_CHARS: usize = 80;

impl UndoPlan {
    /// How many files would be put back, and how many of them only if the person says so.
    pub fn counts(&self) -> (usize, usize) {
        // Folders come and go with what is in them.
        let has_files = self.files.iter().any(|file| !file.is_folder());
        let counts = |file: &&UndoFile| !has_files || !file.is_folder();
        let count = |state: UndoFileState| self.files.iter().filter(counts).filter(|file| file.state == state).count();
        (count(UndoFileState::Ready), count(UndoFileState::ChangedSince))
    }

    /// The list, as Markdown or plain text.
    pub fn page(&self, project: &Path) -> String {
        let prompts: Vec<String> = self.prompts.iter().map(|prompt| quoted(prompt)).collect();
        let head = match self.direction {
            UndoDirection::Undo => format!("What was changed after {}:", prompts.join(", ")),
            UndoDirection::Redo => format!("What was undone of {}:", prompts.join(", ")),
        };
        let mut page = vec![head, String::new()];
        for file in self.files.iter().take(MAX_LISTED) {
            page.push(format!("- {}", line(file, project)));
        }
        if let more @ 1.. = self.files.len().saturating_sub(MAX_LISTED) {
            page.push(format!("- and {more} more"));
        }
        if self.files.is_empty() {
            page.push("Every file is as it was before.".to_owned());
        }
        if !self.gaps.is_empty() {
            page.push(String::new());
            page.push(format!("Not remembered: {}.", self.gaps.join("; ")));
        }
        page.join("\n")
    }

    /// What is asked.
    pub fn question(&self) -> String {
        let (ready, _) = self.counts();
        let verb = match self.direction {
            UndoDirection::Undo => "Undo",
            UndoDirection::Redo => "Redo",
        };
        match ready {
            0 => format!("{verb} the changes? You have changed every one of these files since."),
            _ => format!("{verb} the changes of {}?", count_as(ready, "file", "files")),
        }
    }
}

impl UndoDone {
    /// What happened, in one sentence or two.
    pub fn words(&self, direction: UndoDirection, project: &Path) -> String {
        let (did, back) = match direction {
            UndoDirection::Undo => ("Undone", "/redo brings it back"),
            UndoDirection::Redo => ("Redone", "/undo takes it back"),
        };
        let files = match self.done.len().saturating_sub(self.folders) {
            0 => self.done.len(),
            files => files,
        };
        let mut words = match files {
            0 => "Nothing was changed.".to_owned(),
            count => format!("{did}: {}; {back}.", count_as(count, "file", "files")),
        };
        let left: Vec<String> =
            self.left.iter().take(MAX_NAMED).map(|(path, why)| format!("{} {why}", shown(path, project))).collect();
        if !left.is_empty() {
            let more = match self.left.len().saturating_sub(MAX_NAMED) {
                0 => String::new(),
                more => format!("; and {more} more"),
            };
            words.push_str(&format!(" Left: {}{more}.", left.join("; ")));
        }
        words
    }
}

fn line(file: &UndoFile, project: &Path) -> String {
    let UndoFile { path, what, added, removed, state, .. } = file;
    let lines = if added + removed > 0 { format!(" (+{added} −{removed})") } else { String::new() };
    let end = if file.is_folder() { "/" } else { "" };
    let path = format!("{}{end}", shown(path, project));
    match state {
        UndoFileState::Ready => format!("{path} {what}{lines}"),
        UndoFileState::ChangedSince => format!("{path} {what}{lines}: you have changed it since"),
        UndoFileState::NotKept(why) => format!("{path} stays as it is: it {why}"),
    }
}

fn shown(path: &str, project: &Path) -> String {
    let inside = Path::new(path).strip_prefix(project).ok().and_then(Path::to_str);
    fore_text::line(inside.unwrap_or(path)).to_string()
}

/// A prompt in one line.
pub(crate) fn quoted(prompt: &str) -> String {
    format!("“{}”", cut::ellipsis(&cut::one_line(prompt), MAX_PROMPT_CHARS))
}
