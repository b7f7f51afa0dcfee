//! What a rehearsal would have changed. Data only; `setup::changes` fills it from the throw-away layer.

use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// All that a rehearsal would have changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RehearsalReport {
    /// Changes in the workspace, by path.
    pub changes: Vec<FileChange>,
    /// More changed than is listed.
    pub truncated: bool,
    /// How many files would have changed outside the workspace, in caches.
    pub elsewhere: u64,
}

/// One path that would have changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Kept as bytes: a file name need not be text.
    path: OsString,
    /// What would have become of it.
    pub kind: ChangeKind,
    /// What it is.
    pub what: ChangedEntry,
    /// A unified diff, when asked for and when both sides are text of bearable size.
    pub diff: Option<String>,
}

/// What would have become of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// It would be new.
    Created,
    /// It would hold something else.
    Changed,
    /// It would be gone.
    Removed,
    /// Only the permission bits differ.
    Mode {
        /// Bits that it has.
        before: u32,
        /// Bits that it would have.
        after: u32,
    },
}

/// What stands under a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangedEntry {
    /// An ordinary file.
    File,
    /// Without what is in it.
    Folder,
    /// Not what it leads to.
    Link,
    /// A pipe, socket or device.
    Special,
}

impl FileChange {
    pub(crate) fn new(path: impl Into<OsString>, kind: ChangeKind, what: ChangedEntry) -> FileChange {
        FileChange { path: path.into(), kind, what, diff: None }
    }

    /// From the top of the workspace.
    pub fn path(&self) -> &Path {
        Path::new(&self.path)
    }

    pub(crate) fn raw_path(&self) -> &OsStr {
        &self.path
    }
}

impl RehearsalReport {
    /// Whether nothing at all would have changed.
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.elsewhere == 0 && !self.truncated
    }

    /// How much would have changed, in a few words.
    pub fn summary(&self) -> String {
        if self.is_empty() {
            return "nothing would have changed".to_owned();
        }
        let more = if self.truncated { " or more" } else { "" };
        let paths = fore_text::plural(self.changes.len(), "path", "paths");
        format!("{}{more} {paths} would have changed", self.changes.len())
    }

    /// What is said after a rehearsal, to model and person alike: that nothing was kept, and what would have changed.
    ///
    /// Paths are relative to the workspace, at most `most` of them; what git keeps for itself is one line.
    pub fn lines(&self, workspace: &Path, most: usize) -> Vec<String> {
        if self.is_empty() {
            return vec![format!("rehearsed; {}", self.summary())];
        }
        let (of_git, plain): (Vec<&FileChange>, Vec<&FileChange>) =
            self.changes.iter().partition(|change| change.path().strip_prefix(workspace).is_ok_and(is_of_git));
        let mut lines = vec![format!("rehearsed; nothing was kept. {}:", self.summary())];
        for change in plain.iter().take(most) {
            lines.push(format!("  {}", change.line(workspace)));
            let diff = change.diff.iter().flat_map(|diff| diff.split_terminator('\n'));
            lines.extend(diff.map(|line| format!("    {}", fore_text::exact(line))));
        }
        if plain.len() > most {
            lines.push(format!("  … and {} more", plain.len() - most));
        }
        if !of_git.is_empty() {
            lines.push(format!("  ~ .git/ ({} inside)", of_git.len()));
        }
        if self.elsewhere > 0 {
            lines.push(format!("  and {} in caches outside this folder", self.elsewhere));
        }
        lines
    }
}

fn is_of_git(path: &Path) -> bool {
    path.starts_with(".git")
}

impl FileChange {
    fn line(&self, workspace: &Path) -> String {
        let path = self.path().strip_prefix(workspace).unwrap_or(self.path());
        let path = path.to_string_lossy();
        // A command chooses its file names.
        let path = fore_text::line(&path);
        let slash = if self.what == ChangedEntry::Folder { "/" } else { "" };
        match self.kind {
            ChangeKind::Created => format!("+ {path}{slash}"),
            ChangeKind::Removed => format!("- {path}{slash}"),
            ChangeKind::Changed => format!("~ {path}{slash}"),
            ChangeKind::Mode { before, after } => format!("~ {path}{slash} (mode {before:o} → {after:o})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_contents_neither_steer_a_terminal_nor_forge_lines() {
        let name = "/w/a\u{1b}]0;x\u{7}\n+ b\u{202e}c";
        let report = RehearsalReport {
            changes: vec![FileChange {
                diff: Some("+\u{1b}[2Jx\ty\n".into()),
                ..FileChange::new(name, ChangeKind::Created, ChangedEntry::File)
            }],
            ..RehearsalReport::default()
        };
        assert_eq!(
            report.lines(Path::new("/w"), 3).split_off(1),
            ["  + a\\u{1b}]0;x\\u{7}\\n+ b\\u{202e}c", "    +\\u{1b}[2Jx\ty"]
        );
    }

    #[test]
    fn what_would_have_changed_in_words() {
        let change = |path: &str, kind| FileChange::new(format!("/w/{path}"), kind, ChangedEntry::File);
        let mut report = RehearsalReport {
            changes: vec![
                change(".git/index", ChangeKind::Changed),
                change(".git/objects/aa/bb", ChangeKind::Created),
                FileChange { diff: Some("-one\n+two\n".into()), ..change("a.txt", ChangeKind::Changed) },
                FileChange::new("/w/new", ChangeKind::Created, ChangedEntry::Folder),
                change("old", ChangeKind::Removed),
                change("run.sh", ChangeKind::Mode { before: 0o644, after: 0o755 }),
            ],
            truncated: false,
            elsewhere: 3,
        };
        assert_eq!(
            report.lines(Path::new("/w"), 3).join("\n"),
            "rehearsed; nothing was kept. 6 paths would have changed:\n  ~ a.txt\n    -one\n    +two\n  + new/\n  - old\n  \
             … and 1 more\n  ~ .git/ (2 inside)\n  and 3 in caches outside this folder"
        );
        report = RehearsalReport { truncated: true, ..RehearsalReport::default() };
        assert_eq!(
            report.lines(Path::new("/w"), 3),
            ["rehearsed; nothing was kept. 0 or more paths would have changed:"]
        );
        report = RehearsalReport::default();
        assert_eq!(report.lines(Path::new("/w"), 3), ["rehearsed; nothing would have changed"]);
    }
}
