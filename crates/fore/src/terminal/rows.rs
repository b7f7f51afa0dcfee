//! What the terminal lists: sessions, rules, files. It only reads.

use crate::{
    console::{one_line, plain},
    format::ago,
    settings::{Fate, LocationState, Settings},
};
use fore_store::{
    Home, SessionId,
    session::{self, SessionSummary},
};
use fore_tui::SessionRow;
use std::path::{Path, PathBuf};
use unicode_width::UnicodeWidthStr;

/// Sessions that are listed.
const MAX_SESSIONS: usize = 50;
/// Sessions that are looked at to find them.
const MAX_LOOKED_AT: usize = 200;
/// Letters of a first prompt that are shown.
const MAX_LETTERS: usize = 200;
/// The widest column of rules.
const MAX_COLUMN_WIDTH: usize = 40;

/// Sessions of a folder in which something was said, newest first.
pub(super) fn sessions(home: &Home, folder: &Path) -> anyhow::Result<Vec<SessionRow>> {
    let found = session::list(home, folder.to_str(), MAX_LOOKED_AT)?;
    Ok(found.iter().filter_map(|summary| row(home, summary)).take(MAX_SESSIONS).collect())
}

fn row(home: &Home, summary: &SessionSummary) -> Option<SessionRow> {
    let glance = session::overview(home, summary.session).ok().filter(|glance| glance.prompts > 0)?;
    let start: String = glance.first_prompt.unwrap_or_default().chars().take(MAX_LETTERS).collect();
    Some(SessionRow {
        id: summary.session,
        about: one_line(&start),
        age: format!("{} ago", ago(summary.modified)),
        mode: glance.mode.to_string(),
        awaits_approval: glance.awaits_approval,
    })
}

/// The newest session of a folder that was used, if a plan waits for approval there.
pub(super) fn awaiting(home: &Home, folder: &Path) -> Option<SessionId> {
    let found = session::list(home, folder.to_str(), MAX_SESSIONS).ok()?;
    let glanced = found.iter().filter_map(|summary| Some((summary, session::overview(home, summary.session).ok()?)));
    let mut used = glanced.filter(|(_, glance)| glance.prompts > 0);
    used.next().filter(|(_, glance)| glance.awaits_approval).map(|(summary, _)| summary.session)
}

/// The rules of the settings, one a line, with where each comes from. Refused ones say why they do not hold.
/// What is always allowed in this project follows.
pub(super) fn rules(settings: &Settings, always: &[String]) -> Vec<String> {
    let mut entries: Vec<(&str, String, String)> = settings
        .entries
        .iter()
        .filter_map(|entry| match entry.path.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["permissions", list @ ("allow" | "ask" | "deny")] => {
                let from = match &entry.fate {
                    Fate::Taken => entry.origin.to_string(),
                    Fate::Refused(why) => format!("{}, {why}", entry.origin),
                };
                Some((*list, plain(entry.value.as_str()?), plain(&from)))
            }
            _ => None,
        })
        .collect();
    entries
        .extend(always.iter().map(|command| ("always", format!("{} …", plain(command)), "in this project".to_owned())));
    let width = entries.iter().map(|(_, rule, _)| rule.width()).max().unwrap_or(0).min(MAX_COLUMN_WIDTH);
    let order = |list: &str| ["deny", "ask", "allow", "always"].iter().position(|known| *known == list);
    let mut sorted: Vec<&(&str, String, String)> = entries.iter().collect();
    sorted.sort_by_key(|(list, _, _)| order(list));
    let line = |(list, rule, from): &&(&str, String, String)| {
        let gap = " ".repeat(width.saturating_sub(rule.width()));
        format!("{list:<6}  {rule}{gap}  {from}")
    };
    sorted.iter().map(line).collect()
}

/// The files that a session is made of.
pub(super) fn files(home: &Home, settings: &Settings, id: SessionId) -> Vec<(String, PathBuf)> {
    let mut files = vec![("transcript".to_owned(), session::path_of(home, id))];
    let plans = session::overview(home, id).map_or_else(|_| Vec::new(), |glance| glance.plans);
    files.extend(plans.into_iter().map(|plan| ("plan".to_owned(), PathBuf::from(plan.path))));
    let written = settings.places.iter().filter(|place| place.found == LocationState::Settings);
    files.extend(
        written.filter_map(|place| Some((format!("{} settings", place.source.layer.name()), place.path.clone()?))),
    );
    files
}
