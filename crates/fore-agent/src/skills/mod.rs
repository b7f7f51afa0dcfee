//! Skills: folders with a `SKILL.md` that tells how to do one kind of work. Finding and loading one only reads.

mod load;

pub(crate) use load::NotLoaded;

use crate::{
    agents::is_name,
    document::{self, Completeness, NotRead, front_matter::FrontMatter, one_line},
};
use fore_sandbox::Opener;
use std::path::{Path, PathBuf};

/// Skills in one folder of skills.
const MAX_SKILLS: usize = 100;
const MAX_FILE_BYTES: usize = 64 * 1024;
const MAX_DESCRIPTION_CHARS: usize = 400;
/// The listing is sent with every request.
const MAX_LISTING_BYTES: usize = 8 * 1024;
const MAX_WARNINGS: usize = 50;
const FILE: &str = "SKILL.md";

/// Where a project keeps skills.
const FOLDERS: [&str; 2] = [".forethought/skills", ".claude/skills"];

/// One skill that can be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SkillKind {
    pub name: String,
    pub description: String,
    /// Where its `SKILL.md` and other files are.
    pub folder: PathBuf,
    /// The project or our own folder: nothing outside of it is read.
    root: PathBuf,
}

/// All skills of a session; names are unique.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Skills {
    skills: Vec<SkillKind>,
}

impl Skills {
    /// The person's own (in `home_folder`, our own folder), then the project's; with warnings.
    pub(crate) fn find(opener: &Opener, project: &Path, home_folder: Option<&Path>) -> (Skills, Vec<String>) {
        let (mut skills, mut warnings) = (Skills::default(), Vec::new());
        let opener = &opener.clone().for_many();
        if let Some(home) = home_folder {
            skills.add_folder(opener, home, &home.join("skills"), &mut warnings);
        }
        for folder in FOLDERS {
            skills.add_folder(opener, project, &project.join(folder), &mut warnings);
        }
        warnings.truncate(MAX_WARNINGS);
        (skills, warnings)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&SkillKind> {
        self.skills.iter().find(|skill| skill.name == name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &SkillKind> {
        self.skills.iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.skills.is_empty()
    }

    /// One line for each skill, for the description of the tool.
    pub(crate) fn listing(&self) -> String {
        let mut listing = String::new();
        for (number, skill) in self.skills.iter().enumerate() {
            let line = format!("- {}: {}\n", skill.name, skill.description);
            if listing.len() + line.len() > MAX_LISTING_BYTES {
                listing.push_str(&format!("- and {} more that found no room here\n", self.skills.len() - number));
                break;
            }
            listing.push_str(&line);
        }
        listing
    }

    fn add_folder(&mut self, opener: &Opener, root: &Path, folder: &Path, warnings: &mut Vec<String>) {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
        let mut found = 0;
        for name in document::names(opener, folder, &root) {
            let folder = folder.join(name);
            // A folder without the file is no skill; so is a file beside the folders.
            let Some(read) = read(opener, &folder, &root) else { continue };
            found += 1;
            if found > MAX_SKILLS {
                warnings.push(format!("{}: only the first {MAX_SKILLS} skills are read", folder.display()));
                break;
            }
            match read {
                Err(warning) => warnings.push(warning),
                Ok(skill) => match self.get(&skill.name) {
                    None => self.skills.push(skill),
                    Some(first) => warnings.push(format!(
                        "{}: `{}` is left out, {} has that name",
                        skill.folder.join(FILE).display(),
                        skill.name,
                        first.folder.join(FILE).display()
                    )),
                },
            }
        }
    }
}

/// Reads the head of a skill; none if the folder is none.
fn read(opener: &Opener, folder: &Path, root: &Path) -> Option<Result<SkillKind, String>> {
    let path = folder.join(FILE);
    let shown = path.display();
    let document = match document::read(opener, &path, root, MAX_FILE_BYTES) {
        Err(NotRead::Missing) => return None,
        Err(NotRead::Refused(why)) => return Some(Err(format!("{shown} {why}"))),
        Ok(document) if document.end == Completeness::Cut => {
            return Some(Err(format!("{shown} is longer than 64 KiB and left out")));
        }
        Ok(document) => document,
    };
    let skill = FrontMatter::read(&document.text).and_then(|matter| {
        let by_folder = || folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = matter.text("name")?.or_else(by_folder).unwrap_or_default();
        if !is_name(&name) {
            return Err(matter.trouble("name", "`name` must be letters, digits, `-` and `_`, at most 64".to_owned()));
        }
        let missing = || matter.trouble("description", "`description` is missing".to_owned());
        let description = one_line(&matter.text("description")?.ok_or_else(missing)?, MAX_DESCRIPTION_CHARS);
        Ok(SkillKind { name, description, folder: folder.to_path_buf(), root: root.to_path_buf() })
    });
    Some(skill.map_err(|trouble| format!("{shown}, line {}: {}", trouble.line, trouble.why)))
}

#[cfg(test)]
mod tests;
