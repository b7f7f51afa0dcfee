//! What a story changed on disk: every path of the workspace and of the folder for temporary files, the plans, and the
//! names of our own files.

use super::{
    ScenarioError,
    folders::{ScenarioFolders, Trees},
    page::ScenarioPage,
};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// Lines of a file that are shown.
const MAX_LINES: usize = 40;

pub(crate) fn write(page: &mut ScenarioPage, folders: &ScenarioFolders, before: &Trees) -> Result<(), ScenarioError> {
    let after = folders.trees()?;
    let project = before.project.changes(&after.project);
    if project.is_empty() {
        page.line("workspace: as it was");
    }
    for change in project {
        one(page, "workspace", &folders.project(), &change);
    }
    for change in before.temp.changes(&after.temp) {
        page.line(&format!("temp: {}", name_of(&change)));
    }
    let mut ours = BTreeSet::new();
    // Plans have names made up at random, so they come in the order the story named them in.
    let story = page.text();
    let mut home = before.home.changes(&after.home);
    home.sort_by_key(|change| {
        let file = name_of(change).rsplit('/').next().unwrap_or_default().to_owned();
        story.find(file.trim_end_matches(".md")).unwrap_or_default()
    });
    for change in home {
        let name = name_of(&change);
        if name.contains(".forethought/plans/") && name.starts_with("added") {
            one(page, "home", &folders.home(), &change);
        } else if name.contains(" .forethought") {
            ours.extend(own_file(&name));
        } else {
            page.line(&format!("home: {name}"));
        }
    }
    if !ours.is_empty() {
        page.line(&format!("our own files: {}", ours.into_iter().collect::<Vec<_>>().join(", ")));
    }
    Ok(())
}

/// The audit log, one line a decision: what happened, about what, who decided, why.
pub(crate) fn audit(page: &mut ScenarioPage, folders: &ScenarioFolders) -> Result<(), ScenarioError> {
    let path = folders.home().join(".forethought/audit.jsonl");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    for line in text.lines().filter(|line| !line.is_empty()) {
        let line: Value = serde_json::from_str(line).map_err(|error| format!("{}: {error}", path.display()))?;
        let fields = ["mode", "event", "action", "verdict", "from", "to", "by", "code", "reason", "why"];
        let words = fields.iter().filter_map(|name| line.get(*name)?.as_str());
        page.line(&words.collect::<Vec<_>>().join(" · "));
    }
    Ok(())
}

/// A change without what a file weighs.
fn name_of(change: &str) -> String {
    change.split_once(": ").map_or(change, |(name, _)| name).to_owned()
}

/// The folder of our own files that something is in. What undo keeps is left out: outside of plan mode it is begun beside everything
/// else, so a short session may end before it.
fn own_file(name: &str) -> Option<String> {
    let (_, path) = name.split_once(".forethought/")?;
    let folder = Path::new(path).components().next()?.as_os_str().to_str()?.to_owned();
    (folder != "undo").then_some(folder)
}

fn one(page: &mut ScenarioPage, folders: &str, root: &Path, change: &str) {
    let name = name_of(change);
    page.line(&format!("{folders}: {name}"));
    let Some((_, path)) = name.split_once(' ') else { return };
    let full: PathBuf = root.join(path);
    let is_data = path.starts_with(".git/") || !full.is_file();
    let Some(text) = std::fs::read_to_string(&full).ok().filter(|_| !is_data) else { return };
    text.lines().take(MAX_LINES).for_each(|line| page.line(&format!("    {line}")));
    if text.lines().count() > MAX_LINES {
        page.line("    …");
    }
}
