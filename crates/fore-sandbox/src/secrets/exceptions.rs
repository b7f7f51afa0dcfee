//! Files whose names look like secrets and are none, as the person has said. What is secret by its place stays secret.

use super::list::at_home;
use crate::cages::CageSettings;
use std::path::{Component, Path, PathBuf};

/// Steps of one comparison; more means a pattern made to take long.
const MAX_STEPS: usize = 10_000;

/// The person's patterns, absolute.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exceptions(Vec<PathBuf>);

impl Exceptions {
    /// Relative patterns are meant from the top of the project.
    pub(crate) fn of(settings: &CageSettings, workspace: &Path) -> Exceptions {
        let absolute = |pattern: &PathBuf| at_home(settings, pattern).unwrap_or_else(|| workspace.join(pattern));
        Exceptions(settings.not_secret.iter().map(absolute).collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn hold(&self, path: &Path) -> bool {
        let is_straight = path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
        is_straight && self.0.iter().any(|pattern| matches(pattern, path))
    }
}

fn matches(pattern: &Path, path: &Path) -> bool {
    let parts = |path: &Path| -> Vec<Vec<u8>> {
        path.components().map(|part| part.as_os_str().as_encoded_bytes().to_vec()).collect()
    };
    let (pattern, path) = (parts(pattern), parts(path));
    let mut steps = 0;
    parts_match(&pattern, &path, &mut steps)
}

/// `**` stands for any number of folders.
fn parts_match(pattern: &[Vec<u8>], path: &[Vec<u8>], steps: &mut usize) -> bool {
    *steps += 1;
    if *steps > MAX_STEPS {
        return false;
    }
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some((first, rest)), _) if first == b"**" => {
            parts_match(rest, path, steps)
                || path.split_first().is_some_and(|(_, below)| parts_match(pattern, below, steps))
        }
        (Some(_), None) => false,
        (Some((first, rest)), Some((name, below))) => {
            name_matches(first, name, steps) && parts_match(rest, below, steps)
        }
    }
}

/// `*` stands for any letters of one name, `?` for one.
fn name_matches(pattern: &[u8], name: &[u8], steps: &mut usize) -> bool {
    *steps += 1;
    if *steps > MAX_STEPS {
        return false;
    }
    match (pattern.split_first(), name.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => {
            name_matches(rest, name, steps)
                || name.split_first().is_some_and(|(_, below)| name_matches(pattern, below, steps))
        }
        (Some((b'?', rest)), Some((_, below))) => name_matches(rest, below, steps),
        (Some((first, rest)), Some((letter, below))) => first == letter && name_matches(rest, below, steps),
        (None, Some(_)) | (Some(_), None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_meant_from_the_project_and_hold_for_whole_names() {
        let settings = CageSettings {
            home: Some("/home/ada".into()),
            not_secret: ["tests/certs/*.key", "fixtures/**/.env", "~/shared/ca.pem"].map(PathBuf::from).to_vec(),
            ..CageSettings::default()
        };
        let exceptions = Exceptions::of(&settings, Path::new("/projects/shop"));
        let page = [
            ("/projects/shop/tests/certs/server.key", true),
            ("/projects/shop/tests/certs/deep/server.key", false),
            ("/projects/shop/certs/server.key", false),
            ("/projects/shop/fixtures/.env", true),
            ("/projects/shop/fixtures/a/b/.env", true),
            ("/projects/shop/fixtures/a/.env.local", false),
            ("/projects/shop/fixtures/../.env", false),
            ("/projects/other/tests/certs/server.key", false),
            ("/home/ada/shared/ca.pem", true),
        ];
        assert_eq!(page.map(|(path, _)| (path, exceptions.hold(Path::new(path)))), page);
    }

    #[test]
    fn a_pattern_that_would_take_for_ever_holds_for_nothing() {
        let exceptions = Exceptions(vec![PathBuf::from(format!("/{}b", "a*".repeat(40)))]);
        assert!(!exceptions.hold(Path::new(&format!("/{}", "a".repeat(200)))));
    }
}
