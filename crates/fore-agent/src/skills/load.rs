//! Loads a skill: its text as it is now, its folder, and the names of the files beside it. It runs nothing.

use super::{FILE, MAX_FILE_BYTES, SkillKind, Skills};
use crate::document::{self, Completeness, NotRead, front_matter::FrontMatter};
use fore_sandbox::Opener;
use std::path::{Path, PathBuf};

/// Files that are listed.
const MAX_FILES: usize = 100;
const MAX_DEPTH: usize = 3;
const MAX_ARGUMENT_BYTES: usize = 16 * 1024;
/// Where a skill wants its arguments.
const ARGUMENTS_PLACEHOLDER: &str = "$ARGUMENTS";

/// A skill as the model reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoadedSkill {
    pub name: String,
    pub folder: PathBuf,
    /// With the arguments in their place.
    pub text: String,
    /// Relative to the folder.
    pub files: Vec<String>,
    /// Whether there are more files than are listed.
    pub has_more: bool,
}

/// Why a skill was not loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotLoaded {
    Unknown { known: Vec<String> },
    Refused(String),
}

impl Skills {
    /// Loads a skill by its name.
    pub(crate) fn load(&self, name: &str, arguments: &str, opener: &Opener) -> Result<LoadedSkill, NotLoaded> {
        let known = || NotLoaded::Unknown { known: self.iter().map(|skill| skill.name.clone()).collect() };
        let skill = self.get(name).ok_or_else(known)?;
        let path = skill.folder.join(FILE);
        let refused = |why: &str| NotLoaded::Refused(format!("{} {why}", path.display()));
        let document = document::read(opener, &path, &skill.root, MAX_FILE_BYTES).map_err(|error| match error {
            NotRead::Missing => refused("is no longer there"),
            NotRead::Refused(why) => refused(&why),
        })?;
        if document.end == Completeness::Cut {
            return Err(refused("is longer than 64 KiB"));
        }
        let body = FrontMatter::read(&document.text).map_or(document.text.as_str(), |matter| matter.body);
        let mut files = Vec::new();
        let has_more = list(skill, &skill.folder, 1, opener, &mut files);
        Ok(LoadedSkill {
            name: skill.name.clone(),
            folder: skill.folder.clone(),
            text: with_arguments(body.trim(), arguments),
            files,
            has_more,
        })
    }
}

impl LoadedSkill {
    /// What the model gets.
    pub(crate) fn model_text(&self) -> String {
        let mut words = format!("Skill `{}`, in `{}`\n\n{}\n", self.name, self.folder.display(), self.text);
        if !self.files.is_empty() {
            words.push_str("\nFiles of this skill, relative to its folder:\n");
            for file in &self.files {
                words.push_str(&format!("- {file}\n"));
            }
            if self.has_more {
                words.push_str("- and more\n");
            }
        }
        words
    }
}

fn with_arguments(body: &str, arguments: &str) -> String {
    let arguments = fore_text::cut::whole_lines(arguments, MAX_ARGUMENT_BYTES).trim();
    match (body.contains(ARGUMENTS_PLACEHOLDER), arguments.is_empty()) {
        (true, _) => {
            body.replacen(ARGUMENTS_PLACEHOLDER, arguments, 1).replace(ARGUMENTS_PLACEHOLDER, "(the arguments)")
        }
        (false, true) => body.to_owned(),
        (false, false) => format!("{body}\n\nArguments: {arguments}"),
    }
}

/// Lists files beneath a folder, names in order; links are not followed. Gives whether some found no room.
fn list(skill: &SkillKind, folder: &Path, depth: usize, opener: &Opener, files: &mut Vec<String>) -> bool {
    for name in document::names(opener, folder, &skill.root) {
        let path = folder.join(&name);
        let Ok(facts) = path.symlink_metadata() else { continue };
        if files.len() >= MAX_FILES {
            return true;
        }
        let is_hidden = name.starts_with('.') || (depth == 1 && name == FILE);
        let goes_on = match () {
            () if is_hidden || opener.is_denied(&path) => false,
            () if facts.is_dir() => depth < MAX_DEPTH && list(skill, &path, depth + 1, opener, files),
            () => {
                let inside = path.strip_prefix(&skill.folder).unwrap_or(&path);
                files.push(inside.display().to_string());
                false
            }
        };
        if goes_on {
            return true;
        }
    }
    false
}
