//! Says what two snapshots differ in: one honest sentence for a person, and the files.

use super::{Gap, MOST_FILES, MOST_TIME, Snapshot, What};
use crate::{
    document::{grouped, one_line},
    event::Proof,
};
use std::path::{Path, PathBuf};

/// Files in the sentence.
const MOST_NAMED: usize = 3;
/// Files in the list.
const MOST_PATHS: usize = 20;
const MOST_PATH_CHARS: usize = 200;

pub(super) fn proof(before: &Snapshot, now: &Snapshot, excused: &[PathBuf]) -> Proof {
    let is_excused = |path: &Path| excused.iter().any(|excused| before.root.join(path).starts_with(excused));
    let (own, changed): (Vec<_>, Vec<_>) = before.differences(now).into_iter().partition(|(path, _)| is_excused(path));
    let gap = before.gap.or(now.gap);
    let mut line = changes(&changed, &own, gap, &compared(before, now));
    if before.head != now.head {
        let words =
            |snapshot: &Snapshot| snapshot.head.as_ref().map_or("no repository".to_owned(), super::GitHead::words);
        line.push_str(&format!(" Git moved from {} to {}.", words(before), words(now)));
    }
    if let Some(gap) = gap {
        line.push_str(&format!(" Not everything was compared: {}.", reason(gap)));
    }
    Proof {
        line,
        paths: changed.iter().take(MOST_PATHS).map(|(path, _)| shown(path)).collect(),
        changed: changed.len() as u64,
        incomplete: gap.is_some(),
    }
}

fn changes(changed: &[(&Path, What)], own: &[(&Path, What)], gap: Option<Gap>, compared: &str) -> String {
    let nothing = match gap {
        None => "No file in the workspace changed since planning began",
        Some(_) => "No change was found in the workspace since planning began",
    };
    match (changed.len(), own.is_empty()) {
        (0, true) => format!("{nothing} ({compared})."),
        (0, false) => format!("{nothing} but by your own commands or as the plan: {} ({compared}).", named(own)),
        (count, is_all) => {
            let files = if count == 1 { "1 file".to_owned() } else { format!("{} files", grouped(count as u64)) };
            let own =
                if is_all { String::new() } else { format!(" By your own commands or as the plan: {}.", named(own)) };
            format!("{files} changed since planning began; not by this session: {} ({compared}).{own}", named(changed))
        }
    }
}

fn named(changes: &[(&Path, What)]) -> String {
    let one = |(path, what): &(&Path, What)| {
        let word = match what {
            What::New => " (new)",
            What::Gone => " (gone)",
            What::Touched => " (touched)",
            What::Changed => "",
        };
        format!("{}{word}", shown(path))
    };
    let names: Vec<String> = changes.iter().take(MOST_NAMED).map(one).collect();
    match changes.len().saturating_sub(MOST_NAMED) {
        0 => names.join(", "),
        more => format!("{} and {} more", names.join(", "), grouped(more as u64)),
    }
}

fn compared(before: &Snapshot, now: &Snapshot) -> String {
    // What a snapshot with a gap did not see cannot be compared with anything.
    let count = if before.gap.is_some() { before.files.len() } else { before.files.len().max(now.files.len()) };
    let files = match count {
        1 => "1 file compared".to_owned(),
        count => format!("{} files compared", grouped(count as u64)),
    };
    // Without a repository nothing is ignored.
    if now.head.is_some() { format!("{files}, what git ignores left out") } else { files }
}

fn reason(gap: Gap) -> String {
    match gap {
        Gap::TooMany => format!("there are more than {} files", grouped(MOST_FILES as u64)),
        Gap::TooSlow => format!("it would have taken longer than {} seconds", MOST_TIME.as_secs()),
        Gap::Stopped => "it was stopped".to_owned(),
        Gap::Unreadable => "some folders cannot be read".to_owned(),
    }
}

fn shown(path: &Path) -> String {
    one_line(&path.display().to_string(), MOST_PATH_CHARS)
}
