//! Which ignore file the person has named in their own settings of git (`core.excludesFile`).

use fore_sandbox::{
    person_environment,
    small_file::{self, LinkPolicy},
};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// Longest file with settings of git that is read.
const MAX_BYTES: u64 = 1 << 20;

/// The person's own ignore file, there or not.
pub fn person_excludes() -> Option<PathBuf> {
    named_by(&|name| person_environment::variable(name).filter(|value| !value.is_empty()))
}

/// As git looks for it: the later file of settings counts; without any, the usual place.
fn named_by(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let home = variable("HOME").map(PathBuf::from);
    let config = variable("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| Some(home.as_ref()?.join(".config")));
    let own = match variable("GIT_CONFIG_GLOBAL") {
        Some(file) => vec![PathBuf::from(file)],
        None => [&home, &config]
            .into_iter()
            .zip([".gitconfig", "git/config"])
            .filter_map(|(folder, name)| Some(folder.as_ref()?.join(name)))
            .collect(),
    };
    let system = variable("GIT_CONFIG_SYSTEM").map_or_else(|| PathBuf::from("/etc/gitconfig"), PathBuf::from);
    let named = own.into_iter().chain([system]).find_map(|file| setting(&file));
    match named {
        Some(named) => match named.strip_prefix("~/") {
            Some(inside) => Some(home?.join(inside)),
            None => Some(PathBuf::from(named)),
        },
        None => Some(config?.join("git/ignore")),
    }
}

/// The last `core.excludesFile` of a file.
fn setting(file: &Path) -> Option<String> {
    let bytes = small_file::read(file, LinkPolicy::Followed, MAX_BYTES)?;
    let text = String::from_utf8_lossy(&bytes);
    let mut is_core = false;
    let mut found = None;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            is_core = section.trim_end().trim_end_matches(']').trim().eq_ignore_ascii_case("core");
        } else if let Some((name, value)) = line.split_once('=')
            && is_core
            && name.trim().eq_ignore_ascii_case("excludesfile")
        {
            found = Some(value.trim().trim_matches('"').to_owned());
        }
    }
    found.filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_testkit::Workspace;

    fn named(made: &Workspace, more: &[(&str, &str)]) -> Option<String> {
        let at = |path: &str| made.path().join(path).into_os_string();
        let found = named_by(&|name| match (name, more.iter().find(|(known, _)| *known == name)) {
            (_, Some((_, path))) => Some(at(path)),
            ("HOME", None) => Some(at("home")),
            ("GIT_CONFIG_SYSTEM", None) => Some(at("system")),
            _ => None,
        });
        let found = found?;
        Some(found.strip_prefix(made.path()).unwrap_or(&found).display().to_string())
    }

    #[test]
    fn the_nearest_setting_counts_and_without_any_the_usual_place() {
        let made = Workspace::new().unwrap();
        assert_eq!(named(&made, &[]).unwrap(), "home/.config/git/ignore");
        assert_eq!(named(&made, &[("XDG_CONFIG_HOME", "xdg")]).unwrap(), "xdg/git/ignore");
        let made = made.file("system", "[core]\n\texcludesFile = /etc/ignore\n").unwrap();
        assert_eq!(named(&made, &[]).unwrap(), "/etc/ignore");
        let made = made.file("home/.config/git/config", "[core]\nexcludesfile=/from/config\n").unwrap();
        assert_eq!(named(&made, &[]).unwrap(), "/from/config");
        let own = "[user]\nexcludesFile = /of/nobody\n[Core]\n\tExcludesFile = \"~/my ignore\"\n[alias]\nx = y\n";
        let made = made.file("home/.gitconfig", own).unwrap().file("global", "[core]\nexcludesFile = /g\n").unwrap();
        assert_eq!(named(&made, &[]).unwrap(), "home/my ignore");
        assert_eq!(named(&made, &[("GIT_CONFIG_GLOBAL", "global")]).unwrap(), "/g");
    }
}
