//! What the files of the project held when the work on a plan began: from it the report counts lines, sees white space, and knows
//! what was changed back. Kept in memory alone, named files first, up to a bound; of anything else only that it changed is known.

use super::session_context::SessionContext;
use crate::{proof::WorkspaceSnapshot, tools::changed_lines};
use fore_plan::{SinceApproval, WorkDone, contract::PathShape};
use fore_sandbox::{
    edit::fingerprint,
    open::{Links, NotOpened, Opener},
};
use std::{
    collections::{HashMap, HashSet},
    io::Read,
    time::{Duration, Instant},
};

/// A larger file is not kept.
const MAX_FILE_BYTES: usize = 256 << 10;
/// All that is kept: of files that the plan names, and of all together.
const MAX_NAMED_BYTES: usize = 16 << 20;
const MAX_BYTES: usize = 24 << 20;
/// Files that the plan does not name are kept as long as reading has not taken longer.
const MAX_TIME: Duration = Duration::from_millis(300);
/// A file that has become larger is not compared.
const MAX_NOW_BYTES: usize = 2 << 20;

/// What files held.
#[derive(Debug, Default)]
pub(super) struct WorkContents {
    before: HashMap<String, FileBefore>,
    /// Every file was met, so that one that is not listed was not there.
    is_complete: bool,
    /// The bytes but for white space, as a number, of what was written since.
    latest: HashMap<String, u64>,
}

#[derive(Debug)]
enum FileBefore {
    Missing,
    Holds(Box<[u8]>),
    /// Too large, not to be read, or changed before anybody looked.
    Unknown,
}

/// A file as it is.
enum FileNow {
    Missing,
    Holds(Vec<u8>),
    Unreadable,
}

impl WorkContents {
    /// Reads what is there now. What work has touched already (before the session was resumed) is not known any more.
    pub(super) fn take(context: &SessionContext, now: &WorkspaceSnapshot) -> WorkContents {
        let state = context.ledger.state();
        let opener = context.setup.opener(&state);
        let touched = touched(context);
        let began = Instant::now();
        let mut contents = WorkContents { is_complete: now.is_whole(), ..WorkContents::default() };
        let mut kept = 0_usize;
        let grants = state.plan().and_then(|plan| plan.contract.as_ref()).map(|contract| contract.files.as_slice());
        let named = grants.unwrap_or_default().iter().filter(|grant| grant.shape == PathShape::File);
        let named = named.map(|grant| (grant.path.as_str(), true));
        let all = now.paths().filter_map(|path| path.to_str()).map(|path| (path, false));
        for (path, is_named) in named.chain(all) {
            if contents.before.contains_key(path) {
                continue;
            }
            let room = if is_named { MAX_NAMED_BYTES } else { MAX_BYTES }.saturating_sub(kept);
            let has_time = is_named || began.elapsed() < MAX_TIME;
            let before = match () {
                () if touched.contains(path) || !has_time => FileBefore::Unknown,
                () => match read(&opener, context, path, MAX_FILE_BYTES.min(room)) {
                    FileNow::Missing => FileBefore::Missing,
                    FileNow::Unreadable => FileBefore::Unknown,
                    FileNow::Holds(bytes) => {
                        kept = kept.saturating_add(bytes.len());
                        FileBefore::Holds(bytes.into_boxed_slice())
                    }
                },
            };
            contents.before.insert(path.to_owned(), before);
        }
        for path in touched {
            contents.before.insert(path, FileBefore::Unknown);
        }
        contents
    }

    /// A file against what it was.
    pub(super) fn since(&self, context: &SessionContext, path: &str) -> SinceApproval {
        let opener = context.setup.opener(&context.ledger.state());
        let now = read(&opener, context, path, MAX_NOW_BYTES);
        let is_gone = matches!(now, FileNow::Missing);
        let before = match self.before.get(path) {
            // A name that is no text cannot be opened by it.
            None if path.contains('\u{fffd}') => return SinceApproval::Unknown { is_gone: false },
            // What it was outside of the project was never looked at.
            None if path.starts_with('/') => return SinceApproval::Unknown { is_gone },
            Some(FileBefore::Unknown) => return SinceApproval::Unknown { is_gone },
            None if !self.is_complete => return SinceApproval::Unknown { is_gone },
            Some(FileBefore::Holds(bytes)) => Some(&**bytes),
            Some(FileBefore::Missing) | None => None,
        };
        let now = match now {
            FileNow::Missing => None,
            FileNow::Holds(bytes) => Some(bytes),
            FileNow::Unreadable => return SinceApproval::Unknown { is_gone },
        };
        if before == now.as_deref() {
            return SinceApproval::Same;
        }
        let (added, removed) = changed_lines(before, now.as_deref().unwrap_or_default());
        let is_white_space =
            before.zip(now.as_deref()).is_some_and(|(before, now)| visible(before, path) == visible(now, path));
        SinceApproval::Changed { added, removed, is_white_space, is_gone }
    }

    /// A tool wrote this file.
    pub(super) fn note(&mut self, context: &SessionContext, path: &str) {
        let opener = context.setup.opener(&context.ledger.state());
        self.note_with(&opener, context, path);
    }

    /// Those of the files in which nothing but white space changed since somebody of us wrote them last.
    pub(super) fn only_white_space(&mut self, context: &SessionContext, paths: &[String]) -> Vec<String> {
        let opener = context.setup.opener(&context.ledger.state());
        let mut white = Vec::new();
        for path in paths {
            let before = self.latest.get(path).copied().or_else(|| self.visible_before(path));
            let now = self.note_with(&opener, context, path);
            if before.is_some() && before == now {
                white.push(path.clone());
            }
        }
        white
    }

    fn visible_before(&self, path: &str) -> Option<u64> {
        match self.before.get(path)? {
            FileBefore::Holds(bytes) => Some(visible_number(bytes, path)),
            FileBefore::Missing | FileBefore::Unknown => None,
        }
    }

    fn note_with(&mut self, opener: &Opener, context: &SessionContext, path: &str) -> Option<u64> {
        let FileNow::Holds(bytes) = read(opener, context, path, MAX_FILE_BYTES) else {
            self.latest.remove(path);
            return None;
        };
        let number = visible_number(&bytes, path);
        self.latest.insert(path.to_owned(), number);
        Some(number)
    }
}

fn touched(context: &SessionContext) -> HashSet<String> {
    let mut touched = HashSet::new();
    for record in context.ledger.session().work() {
        match &record.done {
            WorkDone::Edited { path, .. } => drop(touched.insert(path.clone())),
            WorkDone::Ran { changed, .. }
            | WorkDone::Called { changed, .. }
            | WorkDone::ChangedOutside { changed, .. } => {
                touched.extend(changed.iter().cloned());
            }
        }
    }
    touched
}

fn read(opener: &Opener, context: &SessionContext, path: &str, most: usize) -> FileNow {
    let path = context.setup.project.join(path);
    let opened = match opener.open(&path, Links::Refused) {
        Ok(opened) if opened.bytes <= most as u64 => opened,
        Ok(_) => return FileNow::Unreadable,
        Err(NotOpened::Missing) => return FileNow::Missing,
        Err(NotOpened::Link | NotOpened::Secret | NotOpened::Denied | NotOpened::NotAFile(_) | NotOpened::Io(_)) => {
            return FileNow::Unreadable;
        }
    };
    let mut bytes = Vec::new();
    let read = opened.file.take(most as u64 + 1).read_to_end(&mut bytes);
    if read.is_ok() && bytes.len() <= most { FileNow::Holds(bytes) } else { FileNow::Unreadable }
}

/// The bytes of a file without the white space that formatters move. A blank between two words is one, however wide; where
/// indentation is part of the language, it counts.
fn visible(bytes: &[u8], path: &str) -> Vec<u8> {
    let has_blocks = is_indented(path);
    let mut kept: Vec<u8> = Vec::with_capacity(bytes.len());
    for line in bytes.split(|byte| *byte == b'\n') {
        if has_blocks && !line.trim_ascii().is_empty() {
            kept.push(b'\n');
            kept.extend(line.iter().take_while(|byte| byte.is_ascii_whitespace()));
        }
        let mut is_apart = true;
        for byte in line {
            if byte.is_ascii_whitespace() {
                is_apart = true;
                continue;
            }
            if is_apart && is_word(*byte) && kept.last().is_some_and(|last| is_word(*last)) {
                kept.push(b' ');
            }
            is_apart = false;
            kept.push(*byte);
        }
    }
    kept
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Whether blanks at the head of a line say which block it belongs to.
fn is_indented(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let ending = name.rsplit_once('.').map_or(name.as_str(), |(_, ending)| ending);
    matches!(
        ending,
        "py" | "pyi"
            | "pyx"
            | "yml"
            | "yaml"
            | "mk"
            | "makefile"
            | "gnumakefile"
            | "haml"
            | "pug"
            | "jade"
            | "slim"
            | "sass"
            | "styl"
            | "coffee"
            | "nim"
            | "hs"
            | "elm"
            | "fs"
            | "fsx"
            | "gd"
    )
}

fn visible_number(bytes: &[u8], path: &str) -> u64 {
    fingerprint(&visible(bytes, path))
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn white_space_is_what_means_nothing() {
        let same = [
            ("a.rs", "fn f(){ 1 }", "fn f() {\n    1\n}\n"),
            ("a.ts", "a = b", "a=b"),
            ("a.py", "if a:\n    b()\n", "if a:\n\n    b( )  \n"),
            ("a.md", "one  two", "  one two"),
        ];
        let other = [
            ("a.rs", "let a = \"x y\";", "let a = \"xy\";"),
            ("a.js", "return a", "returna"),
            ("a.py", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n"),
            ("Makefile", "a:\n\tb\n", "a:\n    b\n"),
            ("ci.yaml", "a:\n  b: 1\n", "a:\nb: 1\n"),
        ];
        for (path, one, two) in same {
            assert_eq!(visible(one.as_bytes(), path), visible(two.as_bytes(), path), "{path}: {one:?}");
        }
        for (path, one, two) in other {
            assert_ne!(visible(one.as_bytes(), path), visible(two.as_bytes(), path), "{path}: {one:?}");
        }
    }
}
