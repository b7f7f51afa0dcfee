//! Finds what git would read as configuration and wait for: pipes and devices where a file should be. It opens only ordinary files.

use super::pointers;
use crate::small_file::{self, LinkPolicy};
use crate::sys;
use rustix::fs::OFlags;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Files that are followed, and how much of each is read.
const MAX_FILES: usize = 128;
const MAX_BYTES: u64 = 4 << 20;

/// Where git's configuration begins for a folder: the repository around it, its submodules, and the person's own.
pub(super) fn roots(folder: &Path, home: Option<&Path>, more: &[PathBuf]) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = more.to_vec();
    if let Some(home) = home {
        files.extend([home.join(".gitconfig"), home.join(".config/git/config")]);
    }
    if let Some((_, own, common)) = repository(folder) {
        files.extend([own.join("config.worktree"), common.join("config")]);
        files.extend(super::submodules(&common));
    }
    files
}

/// The repository around a folder: where it begins, its git folder, and the one that this shares with others.
pub(super) fn repository(folder: &Path) -> Option<(PathBuf, PathBuf, PathBuf)> {
    let (top, own) = folder.ancestors().find_map(|top| Some((top.to_owned(), git_folder(top)?)))?;
    let common = pointers::to_common(&own).map_or_else(|| own.clone(), |pointer| pointer.to);
    Some((top, own, common))
}

/// What was found among files of configuration and what they include.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ConfigScan {
    /// Neither an ordinary file nor a folder.
    pub(super) odd: Vec<PathBuf>,
    /// All that was looked for, there or not: when one changes, another look is due.
    pub(super) files: Vec<PathBuf>,
    /// Too long to be looked through, so nobody knows what it includes.
    pub(super) unread: bool,
}

pub(super) fn scan(roots: Vec<PathBuf>, home: Option<&Path>) -> ConfigScan {
    let mut seen: BTreeSet<PathBuf> = BTreeSet::new();
    let mut looked = ConfigScan::default();
    let mut files = roots;
    while let Some(file) = files.pop().filter(|_| looked.files.len() < MAX_FILES) {
        looked.files.push(file.clone());
        let Ok(real) = file.canonicalize() else { continue };
        let Ok(found) = real.metadata() else { continue };
        if !seen.insert(real.clone()) {
            continue;
        }
        if !found.is_file() {
            if !found.is_dir() {
                looked.odd.push(real);
            }
            continue;
        }
        looked.unread |= found.len() > MAX_BYTES;
        let folder = file.parent().unwrap_or(Path::new("/")).to_owned();
        files.extend(included(&text(&real)).iter().filter_map(|path| match path.strip_prefix("~/") {
            Some(rest) => Some(home?.join(rest)),
            None => Some(folder.join(path)),
        }));
    }
    looked
}

/// The git folder that belongs to a folder, be it named there or the folder itself.
pub(super) fn git_folder(folder: &Path) -> Option<PathBuf> {
    let inside = folder.join(".git");
    if inside.is_dir() {
        return Some(inside);
    }
    if inside.is_file() {
        return pointers::of_work_tree(&inside).map(|pointer| pointer.to);
    }
    let is_bare = folder.join("objects").is_dir() && folder.join("refs").is_dir();
    is_bare.then(|| folder.to_owned())
}

/// The whole text of an ordinary file; none where a part of it could not be read. What is not text shows as such.
pub(super) fn read_fully(file: &Path) -> Option<String> {
    let bytes = small_file::read(file, LinkPolicy::Followed, MAX_BYTES)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Without waiting, should it have become a pipe since it was looked at.
pub(crate) fn text(file: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(opened) = sys::open(file, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY) {
        // What cannot be read is git's to complain about.
        let _ = std::fs::File::from(opened).take(MAX_BYTES).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The paths that a configuration includes, whatever the condition: its sections `include` and `includeIf`.
fn included(text: &str) -> Vec<String> {
    let is_include = |key: &str| key.starts_with("include") && key.ends_with(".path");
    settings(text)
        .into_iter()
        .filter(|(key, value)| is_include(key) && !value.is_empty())
        .map(|(_, value)| value)
        .collect()
}

/// All settings of a configuration, includes not followed. Keys are in lower case; a key alone has an empty value.
pub(super) fn settings(text: &str) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    // As git has it: a byte order mark is nothing, and a line may end in two ways.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let mut letters = text.chars().peekable();
    let mut section = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '[' => {
                section.clear();
                let mut quoted = false;
                while let Some(letter) = letters.next() {
                    match letter {
                        '\\' if quoted => section.extend(letters.next()),
                        '"' => quoted = !quoted,
                        ']' if !quoted => break,
                        '\n' => break,
                        ' ' | '\t' if !quoted => section.push('.'),
                        letter => section.push(letter.to_ascii_lowercase()),
                    }
                }
            }
            '#' | ';' => while letters.next_if(|letter| *letter != '\n').is_some() {},
            letter if letter.is_whitespace() => {}
            letter => {
                let mut name = String::from(letter.to_ascii_lowercase());
                while let Some(letter) = letters.next_if(|letter| *letter != '=' && *letter != '\n') {
                    name.push(letter.to_ascii_lowercase());
                }
                let value = if letters.next_if_eq(&'=').is_some() { value(&mut letters) } else { String::new() };
                settings.push((format!("{section}.{}", name.trim()), value));
            }
        }
    }
    settings
}

/// A value as git reads it: quotes, escapes, comments, lines that go on.
fn value(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> String {
    let mut value = String::new();
    let mut quoted = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\n' => break,
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => while letters.next_if(|letter| *letter != '\n').is_some() {},
            '\\' => match letters.next() {
                Some('\n') | None => {}
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some(letter) => value.push(letter),
            },
            letter => value.push(letter),
        }
    }
    value.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_found_however_they_are_written() {
        let text = "[core]\n\tpath = no\n[include]\n\tpath = a ; why\n[Include] PATH=\"b c\"\n# [include]\n\
                    [includeIf \"gitdir:/x]\"]\n\tpath = d\\\n/e\n\tother = no\n[include \"sub\"]\n\tpath=f\n[user]\n\tpath = no\n\tname\n";
        assert_eq!(included(text), ["a", "b c", "d/e", "f"]);
        assert_eq!(included("\u{feff}[include]\n\tpath = a\\\r\n/b\r\n"), ["a/b"]);
        assert_eq!(included("[include"), Vec::<String>::new());
        assert_eq!(included("[include]\npath"), Vec::<String>::new());
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "makes the files that are looked at")]
    fn pipes_are_found_through_links_and_includes_and_loops_end() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, top.join("pipe"), rustix::fs::Mode::from(0o600)).unwrap();
        std::os::unix::fs::symlink("pipe", top.join("link")).unwrap();
        std::fs::create_dir_all(top.join(".git/objects")).unwrap();
        std::fs::write(top.join(".git/config"), "[include]\n\tpath = ../more\n").unwrap();
        std::fs::write(
            top.join("more"),
            "[include]\n\tpath = .git/config\n\tpath = link\n\tpath = /gone\n\tpath = ~/x\n",
        )
        .unwrap();
        std::fs::create_dir(top.join("inner")).unwrap();
        let found = scan(roots(&top.join("inner"), Some(&top), &[]), Some(&top));
        assert_eq!(found.odd, [top.join("pipe")]);
    }
}
