//! What to say when a path does not exist: which names near it do. It looks into one folder only.

use super::ToolContext;
use fore_text::spelling;
use std::path::Path;

/// Names of a folder that are compared.
const MAX_NAMES: usize = 5_000;
/// Names that are offered.
const MAX_SUGGESTIONS: usize = 5;

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
        .filter(|other| other != name)
        .collect();
    names.sort();
    let stem = |name: &str| name.split('.').find(|part| !part.is_empty()).unwrap_or(name).to_lowercase();
    let wanted = stem(name);
    let mut near: Vec<String> = names.iter().filter(|other| stem(other) == wanted).cloned().collect();
    for other in spelling::nearest(name, names.iter().map(String::as_str), MAX_SUGGESTIONS) {
        if !near.contains(&other) {
            near.push(other);
        }
    }
    near.truncate(MAX_SUGGESTIONS);
    near
}
