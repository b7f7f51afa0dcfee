//! What is true when a session begins: the day, the branch, what lies at the top of the project. It stands last in the system text, so that what
//! comes before it stays the same from session to session.

use crate::proof::git_head;
use fore_sandbox::Opener;
use std::{
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

/// Names at the top of the project that are listed.
const MAX_NAMES: usize = 40;
/// Names that are looked at for that.
const MAX_LOOKED_AT: usize = 2_000;
/// Letters of the list.
const MAX_LIST_BYTES: usize = 800;
const SECONDS_PER_DAY: u64 = 86_400;

/// The part of the system text that tells it.
pub(crate) fn present(opener: &Opener, project: &Path) -> String {
    let mut lines = vec![format!("- Today is {}.", date(SystemTime::now()))];
    if let Some(head) = git_head(opener, project) {
        lines.push(format!("- Git: {head}."));
    }
    let names = top_names(project);
    if !names.is_empty() {
        lines.push(format!("- At the top of the project: {names}"));
    }
    format!("\n\n# When this session began\n{}", lines.join("\n"))
}

/// Folders with a slash, in the order of the alphabet; nothing that is hidden.
fn top_names(project: &Path) -> String {
    let Ok(entries) = std::fs::read_dir(project) else { return String::new() };
    let name = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().ok().filter(|name| !name.starts_with('.'))?;
        let slash = if entry.file_type().is_ok_and(|kind| kind.is_dir()) { "/" } else { "" };
        Some(format!("{}{slash}", fore_text::line(&name)))
    };
    let mut names: Vec<String> = entries.take(MAX_LOOKED_AT).flatten().filter_map(name).collect();
    names.sort();
    let count = names.len();
    names.truncate(MAX_NAMES);
    let mut list = String::new();
    let mut shown = 0;
    for name in &names {
        if list.len() + name.len() + 2 > MAX_LIST_BYTES {
            break;
        }
        list.push_str(if shown == 0 { "" } else { ", " });
        list.push_str(name);
        shown += 1;
    }
    if shown < count {
        list.push_str(&format!(" and {} more", count - shown));
    }
    list
}

/// The day of a moment, as `2026-11-17`.
fn date(moment: SystemTime) -> String {
    let days = moment.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() / SECONDS_PER_DAY);
    // Years that begin in March, so that the day that comes every fourth year is the last.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_day_is_told_as_calendars_do() {
        let page = [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_735_689_599, "2024-12-31"),
            (1_794_873_600, "2026-11-17"),
        ];
        for (seconds, expected) in page {
            assert_eq!(date(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }
}
