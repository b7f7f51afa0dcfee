//! Finds the command files of a person and of a project: `**/*.md`, with the folders above a file as the first parts of its name.

use super::{CommandHead, CommandOrigin, CommandPlaces, CustomCommand, CustomCommandRow, CustomCommands};
use crate::document::{self, Completeness, NotRead, TextDocument};
use fore_sandbox::Opener;
use std::path::{Path, PathBuf};

/// Files beneath one folder of commands.
pub const MAX_FILES: usize = 200;
/// Longer files are not read.
pub const MAX_FILE_BYTES: usize = 64 * 1024;
/// Where a project keeps commands.
pub const PROJECT_FOLDERS: [&str; 2] = [".forethought/commands", ".claude/commands"];

const MAX_DEPTH: usize = 4;
/// Names that are looked at beneath one folder of commands, whatever they are.
const MAX_LOOKED_AT: usize = 5_000;
const MAX_NAME_CHARS: usize = 64;
/// Warnings in all; a folder of other files must not fill the screen.
const MAX_WARNINGS: usize = 50;

/// Whether a file or a folder can be part of a command's name.
pub fn is_name(part: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    !part.is_empty() && part.len() <= MAX_NAME_CHARS && part.chars().all(is_letter)
}

/// The person's own come first, so that a repository cannot take their names.
pub(super) fn all(
    opener: &Opener,
    places: &CommandPlaces<'_>,
    commands: &mut CustomCommands,
    warnings: &mut Vec<String>,
) {
    // Many people link their own from another folder of their home.
    let home = |folder: PathBuf, shown: &str| {
        let root = places.user_home.filter(|home| folder.starts_with(home)).unwrap_or(&folder).to_owned();
        CommandFolder { origin: CommandOrigin::Person, root, folder, shown: shown.to_owned() }
    };
    let mut folders = vec![home(places.own.join("commands"), "~/.forethought/commands")];
    folders.extend(places.user_home.map(|user_home| home(user_home.join(".claude/commands"), "~/.claude/commands")));
    for name in PROJECT_FOLDERS {
        let (root, folder) = (places.project.to_owned(), places.project.join(name));
        folders.push(CommandFolder { origin: CommandOrigin::Project, root, folder, shown: name.to_owned() });
    }
    let mut seen: Vec<PathBuf> = Vec::new();
    for folder in folders {
        // In the home folder the project's commands would be the person's own.
        let Ok(real) = folder.folder.canonicalize() else { continue };
        if !seen.contains(&real) {
            seen.push(real);
            folder.read(opener, commands, warnings);
        }
    }
    warnings.truncate(MAX_WARNINGS);
}

/// One folder of commands.
struct CommandFolder {
    origin: CommandOrigin,
    /// Nothing outside of it is read.
    root: PathBuf,
    folder: PathBuf,
    /// As people say it.
    shown: String,
}

impl CommandFolder {
    fn read(&self, opener: &Opener, commands: &mut CustomCommands, warnings: &mut Vec<String>) {
        let root = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
        let mut files = Vec::new();
        let mut looked_at = 0;
        list(opener, (&self.folder, &root), 1, &mut looked_at, &mut files);
        if files.len() > MAX_FILES {
            warnings.push(format!("{}: only the first {MAX_FILES} commands are read", self.shown));
        }
        for path in files.into_iter().take(MAX_FILES) {
            let inside = path.strip_prefix(&self.folder).unwrap_or(&path);
            let from = format!("{}/{}", self.shown, inside.display());
            match self.command(opener, &root, &path, inside, from) {
                Ok(command) => commands.add(command, warnings),
                Err(warning) => warnings.push(warning),
            }
        }
    }

    fn command(
        &self,
        opener: &Opener,
        root: &Path,
        path: &Path,
        inside: &Path,
        from: String,
    ) -> Result<CustomCommand, String> {
        let stem = inside.with_extension("");
        let parts: Option<Vec<&str>> = stem.iter().map(|part| part.to_str().filter(|part| is_name(part))).collect();
        let Some(parts) = parts else {
            return Err(format!("{from} is left out: the name of a command has letters, digits, `-` and `_`"));
        };
        let name = parts.join(":");
        let document = text_of(opener, path, root).map_err(|why| format!("{from} {why}"))?;
        let (head, _) =
            CommandHead::read(&document.text).map_err(|wrong| format!("{from}, line {}: {}", wrong.line, wrong.why))?;
        let row = CustomCommandRow { name, arguments: head.arguments, description: head.description, from };
        Ok(CustomCommand { row, origin: self.origin, path: path.to_owned(), root: root.to_owned() })
    }
}

/// The whole text of a command's file; the error follows its name.
pub(crate) fn text_of(opener: &Opener, path: &Path, root: &Path) -> Result<TextDocument, String> {
    match document::read(opener, path, root, MAX_FILE_BYTES) {
        Ok(document) if document.end == Completeness::Complete => Ok(document),
        Ok(_) => Err("is longer than 64 KiB and left out".to_owned()),
        Err(NotRead::Missing) => Err("is gone".to_owned()),
        Err(NotRead::Refused(why)) => Err(why),
    }
}

/// Markdown files beneath a folder, names in order.
fn list(
    opener: &Opener,
    (folder, root): (&Path, &Path),
    depth: usize,
    looked_at: &mut usize,
    files: &mut Vec<PathBuf>,
) {
    for name in document::names(opener, folder, root) {
        *looked_at += 1;
        if files.len() > MAX_FILES || *looked_at > MAX_LOOKED_AT {
            return;
        }
        let path = folder.join(&name);
        if name.starts_with('.') {
            continue;
        }
        if path.is_dir() {
            if depth < MAX_DEPTH {
                list(opener, (&path, root), depth + 1, looked_at, files);
            }
        } else if name.ends_with(".md") {
            files.push(path);
        }
    }
}
