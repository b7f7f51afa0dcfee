//! What git obeys in a git folder, and where its settings lead: for keeping it as it is. It only reads.

pub(crate) use super::pending::commands;
use super::{fresh, harmless, includes, pointers};
use crate::person_environment;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Whether git takes a folder for a repository, whatever its name.
pub(crate) fn is_git_folder(folder: &Path) -> bool {
    let has = |name: &str| folder.join(name).symlink_metadata().is_ok();
    has("HEAD") && (has("commondir") || (has("objects") && has("refs")))
}

/// The folder that a file called `.git` names.
pub(crate) fn named_folder(file: &Path) -> Option<PathBuf> {
    pointers::of_work_tree(file).map(|pointer| pointer.to)
}

/// The same for a file that git itself may have written.
pub(crate) fn plainly_named_folder(file: &Path) -> Option<PathBuf> {
    pointers::of_work_tree(file).filter(|pointer| pointer.is_plain).map(|pointer| pointer.to)
}

/// Where a git folder keeps what it shares with others.
pub(crate) fn common_folder(folder: &Path) -> Option<PathBuf> {
    pointers::to_common(folder).map(|pointer| pointer.to)
}

/// Where the work tree of a git folder begins that is not called `.git`; the folder itself if there is none.
pub(crate) fn top_of(folder: &Path) -> PathBuf {
    let settings = includes::settings(&includes::text(&folder.join("config")));
    let told = settings.iter().rev().find(|(key, _)| key == "core.worktree").map(|(_, path)| folder.join(path));
    let linked = || pointers::to_work_tree(folder).and_then(|pointer| Some(pointer.to.parent()?.to_owned()));
    told.or_else(linked).unwrap_or_else(|| folder.to_owned())
}

/// The person's own settings and the machine's.
pub(crate) fn of_the_person(home: Option<&Path>) -> Vec<PathBuf> {
    let named = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"]
        .into_iter()
        .filter_map(person_environment::variable)
        .map(PathBuf::from);
    let elsewhere =
        person_environment::variable("XDG_CONFIG_HOME").map(|folder| PathBuf::from(folder).join("git/config"));
    let at_home = home.map(|home| [home.join(".gitconfig"), home.join(".config/git/config")]);
    let usual = at_home.into_iter().flatten().chain([PathBuf::from("/etc/gitconfig")]);
    named.chain(elsewhere).chain(usual).filter(|path| path.is_absolute() && path.is_file()).collect()
}

/// Where settings lead.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SettingTargets {
    pub(crate) includes: Vec<PathBuf>,
    pub(crate) hooks: Vec<PathBuf>,
    /// Programs that git starts by itself, and what is handed to them: each word that may be a path.
    pub(crate) programs: Vec<PathBuf>,
    /// It could not be read to its end, or names something that is no text: nobody knows all places that it leads to.
    pub(crate) unread: bool,
}

/// `top`: where the work tree begins, which is where git starts programs.
pub(crate) fn leads(config: &Path, top: &Path, home: Option<&Path>) -> SettingTargets {
    let mut leads = SettingTargets::default();
    if !config.metadata().is_ok_and(|found| found.is_file()) {
        return leads;
    }
    let place = |base: &Path, path: &str| match path.strip_prefix("~/") {
        Some(rest) => home.map(|home| home.join(rest)),
        None => Some(base.join(path)),
    };
    let Some(text) = includes::read_fully(config) else { return SettingTargets { unread: true, ..leads } };
    for (key, value) in includes::settings(&text) {
        if value.is_empty() {
            continue;
        }
        let is_lead = key.starts_with("include") || key == "core.hookspath" || harmless::is_armed(&key, Some(&value));
        leads.unread |= is_lead && value.contains(char::REPLACEMENT_CHARACTER);
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
        Some("config" | "config.worktree") => found.is_file() && is_harmless_config(folder, &path),
        Some("commondir") => {
            let pointer = pointers::to_common(folder).filter(|pointer| pointer.is_plain);
            found.is_file() && pointer.is_some_and(|pointer| is_held(pointer.to))
        }
        Some("hooks") => found.is_dir() && std::fs::read_dir(&path).is_ok_and(|mut entries| entries.all(is_example)),
        _ => false,
    }
}

fn is_example(entry: std::io::Result<std::fs::DirEntry>) -> bool {
    entry.is_ok_and(|entry| entry.path().extension() == Some(OsStr::new("sample")))
}

/// Whether the settings in this file make git run nothing and lead nowhere. What was not read to its end is never harmless.
fn is_harmless_config(folder: &Path, config: &Path) -> bool {
    let is_own_tree = |path: &str| {
        let leads_back = named_folder(&folder.join(path).join(".git")).and_then(|named| named.canonicalize().ok());
        leads_back.is_some_and(|named| folder.canonicalize().is_ok_and(|folder| folder == named))
    };
    includes::read_fully(config).is_some_and(|text| fresh::is_harmless_text(&text, is_own_tree))
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
        assert!(!found.unread);
        assert_eq!(found.programs, paths(&["/top/./watch.sh", "/top/tools/clean.js", "/home/x/bin/x"]));
    }
    #[test]
    #[expect(clippy::disallowed_methods, reason = "makes the file that is looked at")]
    fn what_cannot_be_read_to_its_end_or_named_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config");
        let long = [vec![b'#'; 4 << 20], b"\n[core]\n\tfsmonitor = ./x\n".to_vec()].concat();
        let page: [(&[u8], bool); 4] = [
            (&long, true),
            (b"[include]\n\tpath = \xff\n", true),
            (b"[user]\n\tname = \xff\n", false),
            (b"[core]\n\tbare = false\n", false),
        ];
        for (text, expected) in page {
            std::fs::write(&config, text).unwrap();
            assert_eq!(leads(&config, Path::new("/top"), None).unread, expected);
        }
        std::fs::write(&config, long).unwrap();
        assert!(!starts_nothing(folder.path(), Path::new("config"), |_| true));
    }
}
