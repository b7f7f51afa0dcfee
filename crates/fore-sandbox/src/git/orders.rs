//! What git obeys in a git folder, and where its settings lead: for keeping it as it is. It only reads.

use super::{harmless, includes};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Whether git takes a folder for a repository, whatever its name.
pub(crate) fn is_git_folder(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
    has("HEAD") && (has("commondir") || (has("objects") && has("refs")))
}

/// The folder that a file called `.git` names.
pub(crate) fn named_folder(file: &Path) -> Option<PathBuf> {
    let line = includes::first_line(file)?;
    Some(file.parent()?.join(line.strip_prefix("gitdir:")?.trim()))
}

/// Where a git folder keeps what it shares with others.
pub(crate) fn common_folder(folder: &Path) -> Option<PathBuf> {
    includes::first_line(&folder.join("commondir")).map(|line| folder.join(line))
}

/// Where the work tree of a git folder begins that is not called `.git`; the folder itself if there is none.
pub(crate) fn top_of(folder: &Path) -> PathBuf {
    let settings = includes::settings(&includes::text(&folder.join("config")));
    let told = settings.iter().rev().find(|(key, _)| key == "core.worktree").map(|(_, path)| folder.join(path));
    let linked =
        || includes::first_line(&folder.join("gitdir")).and_then(|line| Some(Path::new(&line).parent()?.into()));
    told.or_else(linked).unwrap_or_else(|| folder.to_owned())
}

/// The person's own settings and the machine's.
pub(crate) fn of_the_person(home: Option<&Path>) -> Vec<PathBuf> {
    let named = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let elsewhere = std::env::var_os("XDG_CONFIG_HOME").map(|folder| PathBuf::from(folder).join("git/config"));
    let at_home = home.map(|home| [home.join(".gitconfig"), home.join(".config/git/config")]);
    let usual = at_home.into_iter().flatten().chain([PathBuf::from("/etc/gitconfig")]);
    named.chain(elsewhere).chain(usual).filter(|path| path.is_absolute() && path.is_file()).collect()
}

/// Where settings lead.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Leads {
    pub(crate) includes: Vec<PathBuf>,
    pub(crate) hooks: Vec<PathBuf>,
    /// Programs that git starts by itself, and what is handed to them: each word that may be a path.
    pub(crate) programs: Vec<PathBuf>,
}

/// `top`: where the work tree begins, which is where git starts programs.
pub(crate) fn leads(config: &Path, top: &Path, home: Option<&Path>) -> Leads {
    let mut leads = Leads::default();
    if !config.metadata().is_ok_and(|found| found.is_file()) {
        return leads;
    }
    let place = |base: &Path, path: &str| match path.strip_prefix("~/") {
        Some(rest) => home.map(|home| home.join(rest)),
        None => Some(base.join(path)),
    };
    for (key, value) in includes::settings(&includes::text(config)) {
        if value.is_empty() {
            continue;
        }
        if key.starts_with("include") && key.ends_with(".path") {
            leads.includes.extend(place(config.parent().unwrap_or(Path::new("/")), &value));
        } else if key == "core.hookspath" {
            leads.hooks.extend(place(top, &value));
        } else if harmless::is_armed(&key, Some(&value)) {
            leads.programs.extend(words(&value).filter_map(|word| place(top, word)));
        }
    }
    leads
}

/// The words of a command that may be paths. A bare word is the name of a program elsewhere.
fn words(command: &str) -> impl Iterator<Item = &str> {
    let words = command.split(|sign: char| sign.is_whitespace() || "'\"`$(){};|&<>=!".contains(sign));
    words.filter(|word| (word.contains('/') || word.contains('.')) && !word.starts_with('-') && !word.contains('%'))
}

/// Whether this part of a new git folder is as git itself makes it: settings that start nothing, examples of hooks, or the way to a
/// folder that is held.
pub(crate) fn starts_nothing(folder: &Path, part: &Path, is_held: impl Fn(PathBuf) -> bool) -> bool {
    let path = folder.join(part);
    let Ok(found) = path.symlink_metadata() else { return false };
    match part.to_str() {
        Some("config" | "config.worktree") => found.is_file() && !starts_programs(&path),
        Some("commondir") => found.is_file() && common_folder(folder).is_some_and(is_held),
        Some("hooks") => found.is_dir() && std::fs::read_dir(&path).is_ok_and(|mut entries| entries.all(is_example)),
        _ => false,
    }
}

fn is_example(entry: std::io::Result<std::fs::DirEntry>) -> bool {
    entry.is_ok_and(|entry| entry.path().extension() == Some(OsStr::new("sample")))
}

/// Whether the settings in this file could make git run something, or lead to settings elsewhere.
fn starts_programs(config: &Path) -> bool {
    includes::settings(&includes::text(config)).iter().any(|(key, value)| {
        let leads_on = key.starts_with("include") || key == "core.hookspath";
        leads_on || harmless::is_armed(key, Some(value.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "makes the file that is looked at")]
    fn settings_lead_to_hooks_includes_and_programs() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config");
        let text = "[core]\n\thooksPath = scripts/hooks\n\tfsmonitor = \"sh ./watch.sh --x=1 a\"\n\tautocrlf = input\n\
                    [include]\n\tpath = ../more\n[filter \"x\"]\n\tclean = node tools/clean.js %f\n\tsmudge = ~/bin/x\n\
                    [user]\n\tname = a/b\n";
        std::fs::write(&config, text).unwrap();
        let found = leads(&config, Path::new("/top"), Some(Path::new("/home/x")));
        let paths = |list: &[&str]| list.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(found.hooks, paths(&["/top/scripts/hooks"]));
        assert_eq!(found.includes, [folder.path().join("../more")]);
        assert_eq!(found.programs, paths(&["/top/./watch.sh", "/top/tools/clean.js", "/home/x/bin/x"]));
    }
}
