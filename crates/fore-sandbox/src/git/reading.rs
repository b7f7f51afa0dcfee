//! How git is set up for a command that only reads: the person's harmless settings hold, and of the repository's those that start
//! programs are switched off, one by one and only where they are set.

use super::harmless::{Submodules, is_armed, is_harmless, written};
use fore_shell::git::hardening;
use fore_shell::git::probe::{Setting, SettingScope};
use std::path::PathBuf;

/// Where a cage with namespaces has that file; it is private there, and read-only.
pub(crate) const CONFIG_PLACE: &str = "/dev/gitconfig";
/// What git looks up to find it.
pub(crate) const CONFIG_VARIABLE: &str = "GIT_CONFIG_GLOBAL";

/// What a probe has found out for commands in one folder. The default knows nothing, and holds everything back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitReading {
    /// Stands in for the person's and the machine's configuration; `None` when nobody could look: then none holds. It exists only in
    /// the cage, as a file that ends with it.
    pub config: Option<String>,
    /// Settings that beat those of the repository.
    pub overrides: Vec<(String, String)>,
    /// Filters that the repository defines, for when nobody could look.
    pub filters: Vec<String>,
    /// Pipes and devices that git would read as configuration and wait for; they look empty in a cage.
    pub blank: Vec<PathBuf>,
    /// Files that belong to the person's settings: those they are written in, and those that harmless ones name.
    pub files: Vec<PathBuf>,
    /// Where git says something else than outside, and why; for the model.
    pub notes: Vec<String>,
}

impl GitReading {
    /// What also holds where git is used as it is set up: nobody waits for a pipe, and what the person's settings name is there.
    pub fn of_work(self) -> GitReading {
        let GitReading { blank, files, .. } = self;
        GitReading { notes: blank_notes(&blank), blank, files, ..GitReading::default() }
    }

    /// The variables that git is started with.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        match &self.config {
            Some(_) => hardening::environment_with(CONFIG_PLACE, &self.overrides),
            None => hardening::environment(&self.filters),
        }
    }
}

/// The settings of the person and the machine that hold, as a file; they come in the order in which git read them.
pub(super) fn file(settings: &[Setting], submodules: Submodules) -> String {
    let harmless = |setting: &&Setting| is_harmless(&setting.key, setting.value.as_deref(), submodules);
    settings.iter().filter(harmless).map(|setting| written(&setting.key, setting.value.as_deref())).collect()
}

/// What beats the settings of the repository.
pub(super) fn overrides(settings: &[Setting], index_hook: bool, submodules: Submodules) -> Vec<(String, String)> {
    let mut overrides: Vec<(String, String)> = Vec::new();
    let mut add = |key: &str, value: &str| {
        if !overrides.iter().any(|(known, _)| known == key) {
            overrides.push((key.to_owned(), value.to_owned()));
        }
    };
    let own = || settings.iter().filter(|setting| setting.scope == SettingScope::Repository);
    for setting in own() {
        if let Some(value) = neutral(&setting.key).filter(|_| is_armed(&setting.key, setting.value.as_deref())) {
            add(&setting.key, value);
        }
    }
    for filter in hardening::filters(own().map(|setting| setting.key.as_str())) {
        for (name, value) in [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")] {
            add(&format!("filter.{filter}.{name}"), value);
        }
    }
    if index_hook {
        add("core.hooksPath", "/dev/null");
    }
    if submodules == Submodules::Armed {
        let kept_out = [
            ("diff.ignoreSubmodules", "dirty"),
            ("diff.submodule", "short"),
            ("status.submoduleSummary", "false"),
            ("submodule.recurse", "false"),
        ];
        kept_out.into_iter().for_each(|(key, value)| add(key, value));
    }
    overrides
}

/// A value that starts nothing. External diffs and text conversions have none: a repository with these is not read quietly.
fn neutral(key: &str) -> Option<&'static str> {
    let section = key.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let name = key.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    Some(match (section.as_str(), name.as_str()) {
        ("core", "fsmonitor") | ("log", "showsignature") | ("pager", _) => "false",
        ("core", "pager") => "cat",
        ("core", "sshcommand" | "askpass" | "alternaterefscommand" | "editor") | ("sequence", "editor") => "false",
        ("gpg", "program" | "defaultkeycommand") => "false",
        ("credential", "helper") => "",
        ("format", "pretty") | ("pretty", _) => "medium",
        ("log", "diffmerges") => "separate",
        ("merge", "driver") | ("interactive", "difffilter") => "false",
        ("submodule", "recurse") | ("status", "submodulesummary") => "false",
        ("diff", "submodule") => "short",
        _ => return None,
    })
}

/// What the model is told when git says something else than outside.
pub(super) fn notes(overrides: &[(String, String)], blank: &[PathBuf], submodules: Submodules) -> Vec<String> {
    let mut notes = Vec::new();
    let keys: Vec<&str> = overrides.iter().map(|(key, _)| key.as_str()).filter(|key| !is_of_submodules(key)).collect();
    if !keys.is_empty() {
        notes.push(format!(
            "git did not obey these settings of the repository, because they can start programs: {}",
            keys.join(", ")
        ));
    }
    if submodules == Submodules::Armed {
        notes.push(
            "git did not look into submodules, because their settings can start programs or could not be read: changes \
             inside of them are not shown"
                .to_owned(),
        );
    }
    notes.extend(blank_notes(blank));
    notes
}

/// What the model is told of pipes and devices that git would have waited for.
pub(super) fn blank_notes(blank: &[PathBuf]) -> Vec<String> {
    let words = |path: &PathBuf| {
        format!("git took {} for empty: it would read it, and it is not an ordinary file", path.display())
    };
    blank.iter().map(words).collect()
}

/// What the model is told when files go through a program of the person's (such as Git LFS) that git does not start here.
pub(super) fn filter_note(persons: &[Setting], attributes: &str) -> Option<String> {
    let known = hardening::filters(persons.iter().map(|setting| setting.key.as_str()));
    let lines = attributes.lines().map(str::trim_start).filter(|line| !line.starts_with('#'));
    let used: Vec<&str> =
        lines.flat_map(str::split_whitespace).filter_map(|word| word.strip_prefix("filter=")).collect();
    let names: Vec<&str> = known.iter().map(String::as_str).filter(|name| used.contains(name)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "git did not start the filter {} that .gitattributes names: files that go through it may show as changed, and their \
             content is compared as it lies on the disk",
            names.join(", ")
        )
    })
}

fn is_of_submodules(key: &str) -> bool {
    matches!(key, "diff.ignoreSubmodules" | "diff.submodule" | "status.submoduleSummary" | "submodule.recurse")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(key: &str, value: &str) -> Setting {
        Setting { scope: SettingScope::Repository, key: key.to_owned(), value: Some(value.to_owned()) }
    }

    #[test]
    fn a_filter_that_files_go_through_is_named() {
        let persons = [setting("filter.lfs.clean", "git-lfs clean -- %f"), setting("filter.other.smudge", "x")];
        let note = filter_note(&persons, "# filter=other\n*.bin filter=lfs diff=lfs -text\n").unwrap();
        assert!(note.starts_with("git did not start the filter lfs that .gitattributes names"), "{note}");
        assert_eq!(filter_note(&persons, "*.txt text\n*.x filter=unknown\n"), None);
        assert_eq!(filter_note(&[], "*.bin filter=lfs\n"), None);
    }

    #[test]
    fn only_what_is_set_and_starts_programs_is_overridden() {
        let quiet = [setting("core.bare", "false"), setting("core.fsmonitor", "false"), setting("user.name", "x")];
        assert_eq!(overrides(&quiet, false, Submodules::Quiet), []);
        let armed = [
            setting("core.fsmonitor", "./x"),
            setting("core.fsmonitor", "./y"),
            setting("gpg.ssh.program", "./x"),
            setting("filter.a.clean", "./x"),
            setting("diff.external", "./x"),
        ];
        let expected = [
            ("core.fsmonitor", "false"),
            ("gpg.ssh.program", "false"),
            ("filter.a.clean", ""),
            ("filter.a.smudge", ""),
            ("filter.a.process", ""),
            ("filter.a.required", "false"),
        ];
        let found = overrides(&armed, false, Submodules::Quiet);
        assert_eq!(found, expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
        assert_eq!(overrides(&[], true, Submodules::Armed).len(), 5);
    }
}
