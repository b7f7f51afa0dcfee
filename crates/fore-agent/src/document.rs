//! Reads the text files in which a project or a person describes something: bounded, plain, never a secret, never through a
//! link out of the folder they belong to. It only looks.

pub(crate) mod front_matter;

use fore_sandbox::open::{Links, NotOpened, Opener};
use fore_text::cut;
use std::{
    io::Read,
    path::{Path, PathBuf},
};

/// A file that was read, perhaps not to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextDocument {
    /// Where it really is.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    /// How long the whole file is.
    pub(crate) bytes: u64,
    pub(crate) end: Completeness,
}

/// Whether a text goes to the end of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completeness {
    Complete,
    Cut,
}

/// Why a file was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotRead {
    Missing,
    /// In words that follow the name of the file.
    Refused(String),
}

/// Reads at most `most` bytes, cut at the end of a line, of a plain file that really lies in `root`, a real path.
pub(crate) fn read(opener: &Opener, path: &Path, root: &Path, most: usize) -> Result<TextDocument, NotRead> {
    let refused = |why: &str| NotRead::Refused(why.to_owned());
    let opened = opener.open(path, Links::Followed).map_err(|error| match error {
        NotOpened::Missing if path.symlink_metadata().is_err() => NotRead::Missing,
        NotOpened::Missing | NotOpened::Link => refused("is a link that leads nowhere"),
        NotOpened::Secret | NotOpened::Denied | NotOpened::NotAFile(_) | NotOpened::Io(_) => {
            NotRead::Refused(error.to_string())
        }
    })?;
    if !opened.path.starts_with(root) {
        return Err(NotRead::Refused(format!("leads out of {} and is not followed", root.display())));
    }
    let mut bytes = Vec::new();
    let read = opened.file.take(most as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| NotRead::Refused(format!("cannot be read: {error}")))?;
    let end = if bytes.len() > most { Completeness::Cut } else { Completeness::Complete };
    if bytes.iter().take(most).any(|byte| *byte == 0) {
        return Err(refused("is not a text file"));
    }
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if end == Completeness::Cut {
        text.truncate(cut::whole_lines(&text, most).len());
    }
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    Ok(TextDocument { path: opened.path, text, bytes: opened.bytes.max(bytes.len() as u64), end })
}

/// The names in a folder, sorted; none if there is no such folder in `root`, it is a link out of it, or it is secret.
pub(crate) fn names(opener: &Opener, folder: &Path, root: &Path) -> Vec<String> {
    let is_inside = folder.canonicalize().is_ok_and(|real| real.starts_with(root) && !opener.is_secret(&real));
    let Some(listing) = is_inside.then(|| folder.read_dir().ok()).flatten() else { return Vec::new() };
    let mut names: Vec<String> =
        listing.take(MAX_LISTED).filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Names of one folder that are looked at before they are sorted.
const MAX_LISTED: usize = 10_000;

/// Foreign text as one bounded line in which no reminder is left.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let line = words.collect::<Vec<_>>().join(" ");
    let kept = cut::chars(&line, most);
    let end = if kept.len() < line.len() { "…" } else { "" };
    format!("{}{end}", fore_plan::reminder::defuse_str(kept))
}

/// A number as people read it: `12,345`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_for_people() {
        let page = [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")];
        for (number, expected) in page {
            assert_eq!(grouped(number), expected);
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "gives a file a second name")]
    fn only_a_plain_text_inside_of_its_root_is_read() {
        let made = fore_testkit::Workspace::new().unwrap();
        let made = made.file("in/a.md", "\u{feff}text").unwrap().file("in/b.md", [0, 1]).unwrap();
        let made = made.link("in/loop", "loop").unwrap().directory("in/folder").unwrap();
        let made = made.file("in/.env", "KEY=1").unwrap().link("in/to-env.md", ".env").unwrap();
        let root = made.path().canonicalize().unwrap().join("in");
        std::fs::hard_link(root.join(".env"), root.join("same-as-env.md")).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, root.join("pipe"), rustix::fs::Mode::from(0o600)).unwrap();
        let opener = crate::tools::test_support::opener(&root);
        let _socket = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();
        let refused = |why: &str| Err(NotRead::Refused(why.to_owned()));
        let document =
            TextDocument { path: root.join("a.md"), text: "text".to_owned(), bytes: 7, end: Completeness::Complete };
        let page = [
            ("a.md", Ok(document)),
            ("b.md", refused("is not a text file")),
            (".env", refused("is kept secret")),
            ("to-env.md", refused("is kept secret")),
            ("same-as-env.md", refused("is kept secret")),
            ("folder", refused("is a folder, not an ordinary file")),
            ("pipe", refused("is a pipe, not an ordinary file")),
            ("socket", refused("is a socket, not an ordinary file")),
            ("loop", refused("is a link that leads nowhere")),
            ("gone", Err(NotRead::Missing)),
        ];
        for (name, expected) in page {
            assert_eq!(read(&opener, &root.join(name), &root, 100), expected, "{name}");
        }
    }
}
