//! Says what two snapshots differ in: one honest sentence for a person, and the files.

use super::{FileDifference, MAX_DURATION, MAX_FILES, SnapshotGap, WorkspaceSnapshot};
use crate::{
    document::{grouped, one_line},
    event::Proof,
};
use fore_text::plural;
use std::path::{Path, PathBuf};

/// Files in the sentence.
const MAX_NAMED: usize = 3;
/// Files in the list.
const MAX_PATHS: usize = 20;
const MAX_PATH_CHARS: usize = 200;

pub(super) fn proof(before: &WorkspaceSnapshot, now: &WorkspaceSnapshot, excused: &[PathBuf]) -> Proof {
    let is_excused = |path: &Path| excused.iter().any(|excused| before.root.join(path).starts_with(excused));
    let (own, changed): (Vec<_>, Vec<_>) = before.differences(now).into_iter().partition(|(path, _)| is_excused(path));
    let gap = before.gap.or(now.gap);
    let mut line = changes(&changed, &own, gap, &compared(before, now));
    if before.head != now.head {
        let words = |snapshot: &WorkspaceSnapshot| {
            snapshot.head.as_ref().map_or("no repository".to_owned(), super::GitHead::describe)
        };
        line.push_str(&format!(" Git moved from {} to {}.", words(before), words(now)));
    }
    if let Some(gap) = gap {
        line.push_str(&format!(" Not everything was compared: {}.", reason(gap)));
    }
    Proof {
        line,
        paths: changed.iter().take(MAX_PATHS).map(|(path, _)| shown(path)).collect(),
        changed: changed.len() as u64,
        incomplete: gap.is_some(),
    }
}

fn changes(
    changed: &[(&Path, FileDifference)],
    own: &[(&Path, FileDifference)],
    gap: Option<SnapshotGap>,
    compared: &str,
) -> String {
    let nothing = match gap {
        None => "No file in the workspace changed since planning began",
        Some(_) => "No change was found in the workspace since planning began",
    };
    match (changed.len(), own.is_empty()) {
        (0, true) => format!("{nothing} ({compared})."),
        (0, false) => format!("{nothing} but by your own commands or as the plan: {} ({compared}).", named(own)),
        (count, is_all) => {
            let files = format!("{} {}", grouped(count as u64), plural(count, "file", "files"));
            let own =
                if is_all { String::new() } else { format!(" By your own commands or as the plan: {}.", named(own)) };
            format!("{files} changed since planning began; not by this session: {} ({compared}).{own}", named(changed))
        }
    }
}

fn named(changes: &[(&Path, FileDifference)]) -> String {
    let one = |(path, what): &(&Path, FileDifference)| {
        let word = match what {
            FileDifference::New => " (new)",
            FileDifference::Gone => " (gone)",
            FileDifference::Touched => " (touched)",
            FileDifference::Changed => "",
        };
        format!("{}{word}", shown(path))
    };
    let names: Vec<String> = changes.iter().take(MAX_NAMED).map(one).collect();
    match changes.len().saturating_sub(MAX_NAMED) {
        0 => names.join(", "),
        more => format!("{} and {} more", names.join(", "), grouped(more as u64)),
    }
}

fn compared(before: &WorkspaceSnapshot, now: &WorkspaceSnapshot) -> String {
    // What a snapshot with a gap did not see cannot be compared with anything.
    let count = if before.gap.is_some() { before.files.len() } else { before.files.len().max(now.files.len()) };
    let files = format!("{} {} compared", grouped(count as u64), plural(count, "file", "files"));
    // Without a repository nothing is ignored.
    if now.head.is_some() { format!("{files}, ignored files not checked") } else { files }
}

fn reason(gap: SnapshotGap) -> String {
    match gap {
        SnapshotGap::TooMany => format!("there are more than {} files", grouped(MAX_FILES as u64)),
        SnapshotGap::TooSlow => format!("it would have taken longer than {} seconds", MAX_DURATION.as_secs()),
        SnapshotGap::Stopped => "it was stopped".to_owned(),
        SnapshotGap::Unreadable => "some folders cannot be read".to_owned(),
    }
}

fn shown(path: &Path) -> String {
    one_line(&path.display().to_string(), MAX_PATH_CHARS)
}
