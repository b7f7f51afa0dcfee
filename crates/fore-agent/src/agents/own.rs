//! Finds the agent files of a person and of a project. What is wrong with one is said with file and line.

use super::{AgentKind, AgentModel, AgentSource};
use crate::document::{self, Completeness, NotRead};
use fore_plan::plan::Hash;
use fore_sandbox::Opener;
use std::path::{Path, PathBuf};

/// Files in one folder.
pub const MAX_FILES: usize = 100;
/// Longer files are not read.
pub const MAX_FILE_BYTES: usize = 64 * 1024;
/// Warnings in all; a folder of other files must not fill the screen.
const MAX_WARNINGS: usize = 50;

/// Where a project keeps agents.
pub const FOLDERS: [&str; 2] = [".forethought/agents", ".claude/agents"];

/// The person's own come first, so that a repository cannot take their names.
pub(super) fn find(
    opener: &Opener,
    project: &Path,
    home: Option<&Path>,
    trusted: &[Hash],
    kinds: &mut Vec<AgentKind>,
    warnings: &mut Vec<String>,
) {
    if let Some(home) = home {
        in_folder(opener, home, &home.join("agents"), AgentSource::Home, trusted, kinds, warnings);
    }
    for folder in FOLDERS {
        in_folder(opener, project, &project.join(folder), AgentSource::Project, trusted, kinds, warnings);
    }
    warnings.truncate(MAX_WARNINGS);
}

fn in_folder(
    opener: &Opener,
    root: &Path,
    folder: &Path,
    source: fn(PathBuf) -> AgentSource,
    trusted: &[Hash],
    kinds: &mut Vec<AgentKind>,
    warnings: &mut Vec<String>,
) {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    let names: Vec<String> =
        document::names(opener, folder, &root).into_iter().filter(|name| name.ends_with(".md")).collect();
    if names.len() > MAX_FILES {
        warnings.push(format!("{}: only the first {MAX_FILES} of {} files are read", folder.display(), names.len()));
    }
    for name in names.iter().take(MAX_FILES) {
        let path = folder.join(name);
        match read(opener, &path, &root, source(path.clone()), trusted) {
            Err(warning) => warnings.push(warning),
            Ok((kind, more)) => {
                warnings.extend(more);
                add(kind, &path, kinds, warnings);
            }
        }
    }
}

fn read(
    opener: &Opener,
    path: &Path,
    root: &Path,
    source: AgentSource,
    trusted: &[Hash],
) -> Result<(AgentKind, Vec<String>), String> {
    let shown = path.display();
    let document = match document::read(opener, path, root, MAX_FILE_BYTES) {
        Ok(document) if document.end == Completeness::Complete => document,
        Ok(_) => return Err(format!("{shown} is longer than 64 KiB and left out")),
        Err(NotRead::Missing) => return Err(format!("{shown} is gone")),
        Err(NotRead::Refused(why)) => return Err(format!("{shown} {why}")),
    };
    let say = |line: u64, why: &str| format!("{shown}, line {line}: {why}");
    let (mut kind, warnings) =
        AgentKind::read(&document.text, source).map_err(|trouble| say(trouble.line, &trouble.why))?;
    let mut warnings: Vec<String> = warnings.iter().map(|trouble| say(trouble.line, &trouble.why)).collect();
    // By the text that was just read, not by its name.
    let is_trusted = || trusted.contains(&Hash::of(document.text.as_bytes()));
    if let (AgentSource::Project(_), AgentModel::Named(name)) = (&kind.source, &kind.model)
        && !is_trusted()
    {
        warnings.push(format!(
            "{shown} asks for the model `{name}`, which is not used until you trust this file (`fore trust`); the session's own \
             model answers"
        ));
        kind.model = AgentModel::Inherit;
    }
    Ok((kind, warnings))
}

fn add(kind: AgentKind, path: &Path, kinds: &mut Vec<AgentKind>, warnings: &mut Vec<String>) {
    // Names that differ in case only would be told apart by nobody.
    let Some(first) = kinds.iter().find(|other| other.name.eq_ignore_ascii_case(&kind.name)) else {
        kinds.push(kind);
        return;
    };
    let of_first = match &first.source {
        AgentSource::BuiltIn => "a built-in agent".to_owned(),
        AgentSource::Home(first) | AgentSource::Project(first) => first.display().to_string(),
    };
    warnings.push(format!("{}: `{}` is left out, {of_first} has that name", path.display(), kind.name));
}
