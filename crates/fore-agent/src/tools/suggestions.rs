//! What to say when a path does not exist: which names near it do. It looks into one folder only.

use super::ToolContext;
use std::path::Path;

/// Names of a folder that are compared.
const MAX_NAMES: usize = 5_000;
/// Names that are offered.
const MAX_SUGGESTIONS: usize = 5;
/// How alike two names have to be, from 0 to 1.
const LIKENESS: f32 = 0.6;

/// The sentence for a path that is not there.
pub(super) fn missing(path: &Path, context: &ToolContext) -> String {
    let missing = format!("{} does not exist.", path.display());
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return missing };
    if !folder.is_dir() {
        let there = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
        return format!("{missing} Its folder does not exist either; {} does.", there.display());
    }
    if context.opener().is_secret(folder) {
        return missing;
    }
    let near = near(folder, &name.to_string_lossy(), context);
    match near.as_slice() {
        [] => format!("{missing} Nothing in its folder has a name like that; search with Glob."),
        near => format!("{missing} Near names in the same folder: {}.", near.join(", ")),
    }
}

fn near(folder: &Path, name: &str, context: &ToolContext) -> Vec<String> {
    let entries = folder.read_dir().into_iter().flatten().flatten().take(MAX_NAMES);
    let mut names: Vec<String> = entries
        .filter(|entry| !context.is_denied(&entry.path()))
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let stem = |name: &str| name.split('.').find(|part| !part.is_empty()).unwrap_or(name).to_lowercase();
    let wanted = stem(name);
    let mut near: Vec<String> = names.iter().filter(|other| stem(other) == wanted).cloned().collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for other in similar::get_close_matches(name, &names, MAX_SUGGESTIONS, LIKENESS) {
        if !near.iter().any(|known| known == other) {
            near.push(other.to_owned());
        }
    }
    near.truncate(MAX_SUGGESTIONS);
    near
}
